"""The decisions of an explanation with their proofs, worded as every decision is."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from engine.core.catalog.instance import InstanceCatalog
from engine.core.exchange.explaining import RetryEnd, ToldDecision, TransmissionExplanation
from engine.core.vocabulary.identifiers import InstanceName
from engine.core.vocabulary.messages import DialogTarget
from engine.whatif.proof import Circumstances, proof_of
from engine.whatif.telling import FlowQuestion
from engine.whatif.words import ENGLISH


def with_proofs(explanation: TransmissionExplanation, language: str = ENGLISH) -> TransmissionExplanation:
    """The explanation, both decisions step by step, in a language."""
    then = None if explanation.then is None else _proved(explanation, explanation.then, language)
    return msgspec.structs.replace(explanation, then=then, now=_proved(explanation, explanation.now, language))


def flow_of(
    explanation: TransmissionExplanation, instance: InstanceName, catalogs: Mapping[InstanceName, InstanceCatalog]
) -> FlowQuestion | None:
    """The what-if question of a conversation that is explained; None where there is none.

    Of a target it is the question of the far end, whose reply it sends. There is none where the initiator is in no
    instance of these, and none of a conversation on which nothing more is sent.
    """
    if explanation.retry.end is RetryEnd.FROZEN:
        return None
    if explanation.is_initiator:
        return FlowQuestion(
            instance=instance,
            database=explanation.database,
            service=explanation.from_service,
            to_service=explanation.to_service,
            broker_instance=explanation.to_broker_instance,
            contract=explanation.contract,
            message_type=explanation.message_type,
            encryption=explanation.encryption,
        )
    for catalog in catalogs.values():
        for database in catalog.databases.values():
            if (
                database.broker_instance == explanation.to_broker_instance
                and explanation.to_service in database.services
            ):
                own = catalogs[instance].databases[explanation.database].broker_instance
                return FlowQuestion(
                    instance=catalog.name,
                    database=database.name,
                    service=explanation.to_service,
                    to_service=explanation.from_service,
                    broker_instance=own,
                    contract=explanation.contract,
                )
    return None


def _proved(explanation: TransmissionExplanation, each: ToldDecision, language: str) -> ToldDecision:
    asked = Circumstances(
        target=DialogTarget(explanation.to_service, explanation.to_broker_instance),
        from_target=not explanation.is_initiator,
        language=language,
    )
    return msgspec.structs.replace(each, proof=proof_of(each.decision, asked))
