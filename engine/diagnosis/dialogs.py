"""`Dialogs`: which databases hold conversations with each other, and what each side knows of the other.

A service that lists no contract is no target, so a route to it is somebody's way back; and a route to a service whose
contracts the database does not know is a way back when the database itself is the target. What the catalog does not
say is which service of a database begins a conversation: one that finds its way is enough.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from engine.core.catalog.builtin import contract_of
from engine.core.catalog.database import DatabaseCatalog
from engine.core.catalog.objects import Service
from engine.core.catalog.route_rules import BROKER_CONFIGURATION_SERVICE
from engine.core.vocabulary.identifiers import ContractName, ServiceName
from engine.core.vocabulary.messages import DialogTarget
from engine.diagnosis.intents import Intent
from engine.diagnosis.journeys import Journey, Stop, Traveller
from engine.diagnosis.model import Home, Model


class Pair(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A database, and a service elsewhere that it names."""

    intent: Intent
    initiator: Home
    target: Home
    service: Service
    """Of the target."""
    contracts: tuple[ContractName, ...]
    """Under which the initiator can begin a conversation: those that the service lists and both sides know."""
    is_way_back: bool
    """Whether the initiator has a service that the target's database could begin a conversation with."""

    @property
    def is_dialog(self) -> bool:
        """Whether conversations can begin here as far as contracts are concerned."""
        return bool(self.contracts)

    @property
    def is_within(self) -> bool:
        """Whether its messages stay in one instance: by an own address they are secured as on the network."""
        journey = self.intent.journey
        is_handed_over = journey is None or journey.first.address is None
        return is_handed_over and self.initiator.instance == self.target.instance


class Return(msgspec.Struct, frozen=True, kw_only=True):
    """The way from a target's database to the services of an initiator's."""

    initiator: Home
    target: Home
    arrived: tuple[tuple[ServiceName, Journey], ...]
    failed: tuple[tuple[ServiceName, Journey], ...]
    pairs: tuple[Pair, ...]


def pairs_of(model: Model, intents: Iterable[Intent]) -> list[Pair]:
    """The pairs whose both ends are known."""
    found = []
    for intent in intents:
        target = intent.target
        if target is None or target == intent.home:
            continue
        service = model.database(target).services.get(intent.meant)
        if service is not None and model.database(intent.home).services:
            found.append(pair_of(model, intent, target, service))
    return found


def pair_of(model: Model, intent: Intent, target: Home, service: Service) -> Pair:
    """What contracts say about one intent and its end."""
    ours, theirs = model.database(intent.home), model.database(target)
    return Pair(
        intent=intent,
        initiator=intent.home,
        target=target,
        service=service,
        contracts=known_contracts(ours, service),
        is_way_back=any(known_contracts(theirs, own) for own in ours.services.values()),
    )


def known_contracts(database: DatabaseCatalog, service: Service) -> tuple[ContractName, ...]:
    """The contracts that a service lists and a database has."""
    return tuple(name for name in service.contracts if contract_of(database, name) is not None)


def returns_of(model: Model, traveller: Traveller, pairs: Iterable[Pair]) -> list[Return]:
    """The ways back of all dialogs; one for each two databases."""
    together: dict[tuple[Home, Home], list[Pair]] = {}
    for pair in pairs:
        if pair.is_dialog:
            together.setdefault((pair.target, pair.initiator), []).append(pair)
    return [
        return_of(model, traveller, found, model.database(found[0].initiator).services) for found in together.values()
    ]


def return_of(model: Model, traveller: Traveller, pairs: list[Pair], services: Iterable[ServiceName]) -> Return:
    """The ways back from one database to some services of another one: every answer names the other's broker id.

    The first that arrives is enough.
    """
    initiator, target = pairs[0].initiator, pairs[0].target
    broker = model.database(initiator).broker_instance
    arrived, failed = [], []
    for service in services:
        if service == BROKER_CONFIGURATION_SERVICE:
            continue
        journeys = traveller.journeys(target, DialogTarget(service, broker), from_target=True)
        wrong = next((journey for journey in journeys if not _is_home(journey)), None)
        if wrong is None:
            arrived.append((service, journeys[0]))
            break
        failed.append((service, wrong))
    return Return(initiator=initiator, target=target, arrived=tuple(arrived), failed=tuple(failed), pairs=tuple(pairs))


def _is_home(journey: Journey) -> bool:
    # The id alone decides where an answer goes. What only run time shows, or a mirror copy, is not held against it.
    return journey.stop in (Stop.DELIVERED, Stop.ASKING)
