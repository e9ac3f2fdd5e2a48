"""`Deciding`: a decision with what was asked of it, so that its proof can be told in any language, also much later."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec

from engine.core.routing.decision import ClassifierDecision
from engine.core.vocabulary.messages import DialogTarget, TcpAddress
from engine.whatif.proof import Circumstances, proof_of
from engine.whatif.words import ENGLISH


class Deciding(msgspec.Struct, frozen=True, kw_only=True):
    """One decision of the way of a message; codes and names alone, no words."""

    decision: ClassifierDecision
    target: DialogTarget
    from_target: bool = False
    principal: TcpAddress | None = None
    """Who claims to be the principal of a mirrored route; None is nothing known."""


def circumstances_of(deciding: Deciding, language: str = ENGLISH) -> Circumstances:
    """What the proof of a decision is told of."""
    return Circumstances(
        target=deciding.target,
        from_target=deciding.from_target,
        instant=lambda at: f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M:%S} UTC",
        principal=deciding.principal,
        language=language,
    )


def proof_in(deciding: Deciding, language: str = ENGLISH) -> tuple[str, ...]:
    """The decision step by step, a sentence a line."""
    return proof_of(deciding.decision, circumstances_of(deciding, language))
