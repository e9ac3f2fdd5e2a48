"""`TrafficDialog`: one dialog of the generator, as far as it knows it; and the words of the protocol it has to know."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from brokerweb.traffic.figures import PairFigures
from engine import api as engine
from engine.contracts.error_bodies import error_code, error_description

_SYSTEM: Final = "http://schemas.microsoft.com/SQL/ServiceBroker/"
END_DIALOG_TYPE: Final = _SYSTEM + "EndDialog"
ERROR_TYPE: Final = _SYSTEM + "Error"
GROUP_LOCKED: Final = 1222
"""Somebody else reads the group at this moment; it is tried again."""


@dataclass(slots=True)
class TrafficDialog:
    """From its beginning to the end of both ends."""

    handle: engine.ConversationHandle
    conversation: UUID
    sent: int = 0
    received: int = 0
    is_full: bool = False
    """Whether nothing more is to be sent on it."""
    target: engine.diagnosis.QueueEnd | None = None
    """Where routing has brought it; None while nothing has arrived anywhere."""
    target_handle: engine.ConversationHandle | None = None
    is_target_ended: bool = False
    is_broken: bool = False
    """Whether it cannot be used any more: both ends are cleaned up."""
    quiet_since: float = 0.0

    @property
    def waiting(self) -> int:
        """Messages that were sent and have not been received."""
        return max(self.sent - self.received, 0)


def count_refusal(figures: PairFigures, reply: engine.Reply, count: int = 1) -> None:
    """Something was refused; a group that somebody else reads is no failure."""
    if isinstance(reply, engine.Refusal) and reply.number != GROUP_LOCKED:
        figures.fail(str(reply.number), count, text=reply.text, parameters=dict(reply.parameters))


def count_error_message(figures: PairFigures, body: bytes | None) -> None:
    """An Error message has come: its code is a number of the engine with a minus, or one of an application."""
    figures.fail(error_code(body) or "Error", text=error_description(body))
