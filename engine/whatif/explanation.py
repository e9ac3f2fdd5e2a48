"""The decisions of an explanation with their proofs, worded as every decision is."""

from __future__ import annotations

import msgspec

from engine.core.exchange.explaining import ToldDecision, TransmissionExplanation
from engine.core.vocabulary.messages import DialogTarget
from engine.whatif.proof import Circumstances, proof_of


def with_proofs(told: TransmissionExplanation) -> TransmissionExplanation:
    """The explanation, both decisions step by step."""
    then = None if told.then is None else _proved(told, told.then)
    return msgspec.structs.replace(told, then=then, now=_proved(told, told.now))


def _proved(told: TransmissionExplanation, each: ToldDecision) -> ToldDecision:
    asked = Circumstances(
        target=DialogTarget(told.to_service, told.to_broker_instance), from_target=not told.is_initiator
    )
    return msgspec.structs.replace(each, proof=proof_of(each.decision, asked))
