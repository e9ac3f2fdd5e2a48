"""The decisions of an explanation with their proofs, worded as every decision is."""

from __future__ import annotations

import msgspec

from engine.core.exchange.explaining import ToldDecision, TransmissionExplanation
from engine.core.vocabulary.messages import DialogTarget
from engine.whatif.proof import Circumstances, proof_of
from engine.whatif.words import ENGLISH


def with_proofs(told: TransmissionExplanation, language: str = ENGLISH) -> TransmissionExplanation:
    """The explanation, both decisions step by step, in a language."""
    then = None if told.then is None else _proved(told, told.then, language)
    return msgspec.structs.replace(told, then=then, now=_proved(told, told.now, language))


def _proved(told: TransmissionExplanation, each: ToldDecision, language: str) -> ToldDecision:
    asked = Circumstances(
        target=DialogTarget(told.to_service, told.to_broker_instance),
        from_target=not told.is_initiator,
        language=language,
    )
    return msgspec.structs.replace(each, proof=proof_of(each.decision, asked))
