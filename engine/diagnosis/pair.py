"""One pair checked whole, as ssbdiagnose CONFIGURATION does (diagnose.md 1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from functools import cached_property

import msgspec

from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.names import no_such, same_name
from engine.core.routing.dialog_security import binding_of
from engine.core.vocabulary.identifiers import (
    MSDB,
    BrokerInstanceId,
    ContractName,
    InstanceName,
    RemoteServiceBindingName,
    ServiceName,
)
from engine.core.vocabulary.moment import UtcTime
from engine.diagnosis.diagnose import in_order
from engine.diagnosis.dialogs import Pair, Return, pairs_of, return_of
from engine.diagnosis.finding import Diagnosis, Finding, ObjectKind
from engine.diagnosis.intents import Intent, intent_of
from engine.diagnosis.model import Home, subject
from engine.diagnosis.registry import ALL_CODES, CHECKS, PAIR_CODES
from engine.diagnosis.security import prevented, told, trials
from engine.diagnosis.survey import Survey
from engine.diagnosis.words import finding, phrase, unchecked_codes


class EncryptionWanted(StrEnum):
    """What is expected of the conversation's security."""

    ON = "ON"
    OFF = "OFF"
    ANONYMOUS = "ANONYMOUS"


class PairQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """Who would talk to whom. With one service alone, every pair of it that the estate names."""

    from_service: ServiceName | None = None
    to_service: ServiceName | None = None
    broker: BrokerInstanceId | None = None
    contract: ContractName | None = None
    """None is any that both sides have."""
    encryption: EncryptionWanted = EncryptionWanted.ON


def diagnose_pair(catalogs: Mapping[str, InstanceCatalog], now: UtcTime, question: PairQuestion) -> Diagnosis:
    """What keeps a conversation from working. `CatalogError` 15151 for a service that the estate does not have."""
    survey = _PairSurvey(catalogs, now, question)
    for service in (question.from_service, question.to_service):
        if service is not None and service not in survey.model.homes and survey.model.near_miss(service) is None:
            raise no_such("service", service, "the estate")
    checks = [check for check in CHECKS if check.find is not prevented]
    found = [each for check in checks for each in check.find(survey) if survey.concerns(each)]
    found += [*_secured(survey, question), *_under_contract(survey, question)]
    codes = tuple(sorted({*ALL_CODES, *PAIR_CODES}))
    return Diagnosis(findings=in_order(found), checked=codes, unchecked=unchecked_codes())


class _PairSurvey(Survey):
    """A survey whose only intents are those that were asked about."""

    def __init__(self, catalogs: Mapping[str, InstanceCatalog], now: UtcTime, question: PairQuestion) -> None:
        super().__init__(catalogs, now)
        self._question = question

    @cached_property
    def intents(self) -> list[Intent]:
        """Of every database with the one service to the other one; of one service alone, what the estate names."""
        asked, model = self._question, self.model
        if asked.from_service is not None and asked.to_service is not None:
            return [
                intent_of(
                    model,
                    self.traveller,
                    home,
                    asked.to_service,
                    asked.broker,
                    subject(home, ObjectKind.SERVICE, asked.from_service),
                    None,
                )
                for home in model.homes.get(asked.from_service, [])
            ]
        whole = Survey(dict(model.catalogs.items()), self.now).intents
        if asked.from_service is not None:
            return [each for each in whole if each.home in model.homes.get(asked.from_service, [])]
        return [each for each in whole if each.meant == asked.to_service]

    @cached_property
    def pairs(self) -> list[Pair]:
        """Those of the intents, under the contract that was asked about if one was."""
        pairs = pairs_of(self.model, self.intents)
        contract = self._question.contract
        if contract is None:
            return pairs
        return [
            msgspec.structs.replace(pair, contracts=tuple(each for each in pair.contracts if each == contract))
            for pair in pairs
        ]

    @cached_property
    def returns(self) -> list[Return]:
        """The ways back to the one service; without it, as for a whole estate."""
        asked = self._question.from_service
        if asked is None:
            return super().returns
        return [return_of(self.model, self.traveller, [pair], [asked]) for pair in self.pairs]

    @cached_property
    def _homes(self) -> set[Home]:
        homes = {intent.home for intent in self.intents} | {each.target for each in self.intents if each.target}
        return homes | {Home(instance, MSDB) for instance in self.networked}

    @cached_property
    def _services(self) -> set[str]:
        asked = self._question
        given = {service for service in (asked.from_service, asked.to_service) if service is not None}
        return given | {intent.meant for intent in self.intents} | {intent.service for intent in self.intents}

    @cached_property
    def _routes(self) -> set[tuple[InstanceName, str, str]]:
        return {
            (hop.instance, hop.decision.table, hop.decision.route.name)
            for journey in self.journeys
            for hop in journey.hops
            if hop.decision.route is not None
        }

    def concerns(self, found: Finding) -> bool:
        """Whether a finding is about something on the way."""
        about = found.subject
        if about.database is None:
            return about.instance in self.networked or any(about.instance == home.instance for home in self._homes)
        home = Home(about.instance, about.database)
        if about.kind is ObjectKind.ROUTE and (about.instance, about.database, about.name) in self._routes:
            return True
        if home not in self._homes:
            return False
        database = self.model.database(home)
        match about.kind:
            case ObjectKind.ROUTE:
                route = next((each for each in database.routes.values() if same_name(each.name, about.name)), None)
                return route is not None and route.service_name in self._services
            case ObjectKind.SERVICE:
                return about.name in self._services
            case ObjectKind.QUEUE:
                queues = [each.queue for each in database.services.values() if each.name in self._services]
                return any(same_name(queue, about.name) for queue in queues)
            case ObjectKind.BINDING:
                binding = database.remote_service_bindings.get(RemoteServiceBindingName(about.name))
                return binding is not None and binding.service_name in self._services
            case _:
                return True


def _secured(survey: Survey, question: PairQuestion) -> Iterator[Finding]:
    wanted = question.encryption
    known = trials(survey, survey.pairs, encryption=wanted is not EncryptionWanted.OFF, only=question.from_service)
    for trial in known:
        yield told(survey, trial)
    for pair in survey.pairs:
        binding = binding_of(survey.model.database(pair.initiator), pair.service.name)
        if wanted is EncryptionWanted.OFF and binding is not None:
            yield finding(
                "SBD-511",
                subject(pair.initiator, ObjectKind.BINDING, binding.name),
                further=(subject(pair.target, ObjectKind.SERVICE, pair.service.name),),
                service=pair.service.name,
            )


def _under_contract(survey: Survey, question: PairQuestion) -> Iterator[Finding]:
    """SBD-402 for the contract that was asked about."""
    for pair in survey.pairs:
        if question.contract is not None and question.contract not in pair.service.contracts:
            yield finding(
                "SBD-402/unlisted",
                subject(pair.target, ObjectKind.SERVICE, pair.service.name),
                further=(subject(pair.initiator, ObjectKind.DATABASE, pair.initiator.database),),
                about=question.contract,
                service=pair.service.name,
                contract=question.contract,
                contracts=pair.service.contracts or phrase("no_contract"),
            )
