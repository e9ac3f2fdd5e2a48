"""Who may talk to us: what the accepting side answers to a `Hello`.

Only the protocol's version and the estate are compared so far; transport security (protocol.md 7.3) will add its
negotiation between `Hello` and `Welcome`.
"""

from __future__ import annotations

from typing import Final
from uuid import UUID

import msgspec

from engine.core.link.frames import PROTOCOL_VERSION, Hello, Refuse, Welcome
from engine.core.link.states import UNEXPECTED_EVENT
from engine.core.vocabulary.errors import text_of
from engine.core.vocabulary.identifiers import EstateName, InstanceName

NOTHING_IN_COMMON: Final = 28027


class LinkIdentity(msgspec.Struct, frozen=True, kw_only=True):
    """Who this instance is towards its neighbours."""

    estate: EstateName
    instance: InstanceName
    arbitration_id: UUID

    def hello(self) -> Hello:
        """How this instance introduces itself when it connects."""
        return Hello(
            protocol_version=PROTOCOL_VERSION,
            estate=self.estate,
            instance=self.instance,
            arbitration_id=self.arbitration_id,
        )

    def answer(self, hello: Hello) -> Welcome | Refuse:
        """What this instance says to one that has introduced itself."""
        if hello.protocol_version != PROTOCOL_VERSION:
            return Refuse(number=NOTHING_IN_COMMON, text=text_of(NOTHING_IN_COMMON))
        if hello.estate != self.estate:
            detail = f"it belongs to estate {hello.estate!r}, not to {self.estate!r}"
            return Refuse(number=UNEXPECTED_EVENT, text=text_of(UNEXPECTED_EVENT, detail=detail))
        return Welcome(instance=self.instance, arbitration_id=self.arbitration_id)
