"""The decisions of an explanation with their proofs, worded as every decision is."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from engine.core.catalog.instance import InstanceCatalog
from engine.core.exchange.explaining import ToldDecision, TransmissionExplanation
from engine.core.vocabulary.identifiers import InstanceName
from engine.core.vocabulary.messages import DialogTarget
from engine.whatif.proof import Circumstances, proof_of
from engine.whatif.telling import FlowQuestion
from engine.whatif.words import ENGLISH


def with_proofs(told: TransmissionExplanation, language: str = ENGLISH) -> TransmissionExplanation:
    """The explanation, both decisions step by step, in a language."""
    then = None if told.then is None else _proved(told, told.then, language)
    return msgspec.structs.replace(told, then=then, now=_proved(told, told.now, language))


def flow_of(
    told: TransmissionExplanation, instance: InstanceName, catalogs: Mapping[InstanceName, InstanceCatalog]
) -> FlowQuestion | None:
    """The what-if question of a conversation that is explained; None where its initiator is in no instance of these.

    Of a target it is the question of the far end, whose reply it sends.
    """
    if told.is_initiator:
        return FlowQuestion(
            instance=instance,
            database=told.database,
            service=told.from_service,
            to_service=told.to_service,
            broker_instance=told.to_broker_instance,
            contract=told.contract,
            message_type=told.message_type,
            encryption=told.encryption,
        )
    for catalog in catalogs.values():
        for database in catalog.databases.values():
            if database.broker_instance == told.to_broker_instance and told.to_service in database.services:
                own = catalogs[instance].databases[told.database].broker_instance
                return FlowQuestion(
                    instance=catalog.name,
                    database=database.name,
                    service=told.to_service,
                    to_service=told.from_service,
                    broker_instance=own,
                    contract=told.contract,
                )
    return None


def _proved(told: TransmissionExplanation, each: ToldDecision, language: str) -> ToldDecision:
    asked = Circumstances(
        target=DialogTarget(told.to_service, told.to_broker_instance),
        from_target=not told.is_initiator,
        language=language,
    )
    return msgspec.structs.replace(each, proof=proof_of(each.decision, asked))
