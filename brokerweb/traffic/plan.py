"""What test traffic is asked for: pairs of services, how much, how large, how often answered; and its bounds."""

from __future__ import annotations

from typing import Final

import msgspec

from engine import api as engine

PAIRS_MAX: Final = 50
RATE_MAX: Final = 200.0
"""Messages a second of one pair."""
RATE_OF_ESTATE_MAX: Final = 1000.0
BYTES_PER_SECOND_MAX: Final = 16 * 1024 * 1024
"""Of the whole estate: bodies a second, answers not counted."""
SIZE_MAX: Final = 1024 * 1024
DIALOG_MESSAGES_MAX: Final = 1000


class TrafficPair(msgspec.Struct, frozen=True, kw_only=True):
    """One service that sends to another one."""

    from_instance: str
    from_database: str
    from_service: str
    to_service: str
    contract: str
    message_type: str

    @property
    def wanted(self) -> engine.diagnosis.DialogWanted:
        """As the engine asks for it."""
        return engine.diagnosis.DialogWanted(
            from_instance=engine.InstanceName(self.from_instance),
            from_database=engine.DatabaseName(self.from_database),
            from_service=engine.ServiceName(self.from_service),
            to_service=engine.ServiceName(self.to_service),
            contract=engine.ContractName(self.contract),
            message_type=engine.MessageTypeName(self.message_type),
        )


class TrafficPlan(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that one run does."""

    pairs: tuple[TrafficPair, ...]
    rate: float
    """Messages a second, of each pair."""
    size: int
    """Bytes of a body; XML that has to be well formed is a little longer where this is less than its tags."""
    reply_ratio: float
    """How many messages are answered, 0 none to 1 all."""
    dialog_messages: int
    """Messages that a dialog carries before it ends and another one begins."""
