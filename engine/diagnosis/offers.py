"""`deliverable_dialogs`: which dialogs the definitions let begin, arrive and be answered, for whoever wants to try.

Asked of the same survey as the findings: a pair is offered when every way of its messages arrives, a contract is known
on both sides, and the answers find their way back.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from engine.core.catalog.builtin import contract_of
from engine.core.catalog.database import DatabaseCatalog
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.objects import SentBy, Service
from engine.core.catalog.route_rules import BROKER_CONFIGURATION_SERVICE
from engine.core.vocabulary.identifiers import ContractName, DatabaseName, InstanceName, MessageTypeName, ServiceName
from engine.core.vocabulary.moment import UtcTime
from engine.diagnosis.dialogs import Pair, return_of
from engine.diagnosis.intents import Outcome
from engine.diagnosis.survey import Survey


class DialogTerms(msgspec.Struct, frozen=True, kw_only=True):
    """A contract, and a message type of it that an initiator may send."""

    contract: ContractName
    message_type: MessageTypeName


class DialogOffer(msgspec.Struct, frozen=True, kw_only=True):
    """Two services that can talk; `terms` has at least one entry."""

    from_instance: InstanceName
    from_database: DatabaseName
    from_service: ServiceName
    to_instance: InstanceName
    to_database: DatabaseName
    to_service: ServiceName
    terms: tuple[DialogTerms, ...]


def deliverable_dialogs(catalogs: Mapping[str, InstanceCatalog], now: UtcTime) -> list[DialogOffer]:
    """Every pair of services whose messages arrive, and whose answers come back."""
    survey = Survey(catalogs, now)
    return [
        DialogOffer(
            from_instance=pair.initiator.instance,
            from_database=pair.initiator.database,
            from_service=service.name,
            to_instance=pair.target.instance,
            to_database=pair.target.database,
            to_service=pair.service.name,
            terms=terms,
        )
        for pair in survey.pairs
        if pair.intent.outcome is Outcome.REACHED and (terms := _terms(survey, pair))
        for service in _initiators(survey.model.database(pair.initiator))
        if return_of(survey.model, survey.traveller, [pair], [service.name]).arrived
    ]


def _initiators(database: DatabaseCatalog) -> list[Service]:
    """Services that begin dialogs: those that accept none, or all where each accepts some."""
    services = [each for each in database.services.values() if each.name != BROKER_CONFIGURATION_SERVICE]
    return [each for each in services if not each.contracts] or services


def _terms(survey: Survey, pair: Pair) -> tuple[DialogTerms, ...]:
    return tuple(_sendable(survey.model.database(pair.initiator), pair.contracts))


def _sendable(database: DatabaseCatalog, contracts: tuple[ContractName, ...]) -> Iterator[DialogTerms]:
    for name in contracts:
        contract = contract_of(database, name)
        for use in () if contract is None else contract.uses:
            if use.sent_by is not SentBy.TARGET:
                yield DialogTerms(contract=name, message_type=use.message_type)
