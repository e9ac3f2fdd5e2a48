"""`triptych`: one question three times, as a mirrored pair stands: as it is, failed over, both partners down."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum

import msgspec

from engine.core.catalog.instance import InstanceCatalog
from engine.core.mirroring.claims import is_principal
from engine.core.vocabulary.errors import CatalogError
from engine.core.vocabulary.identifiers import BrokerInstanceId, DatabaseName, InstanceName, RouteName
from engine.core.vocabulary.moment import UtcTime
from engine.whatif.answering import ask
from engine.whatif.failures import Place, mirrored_pairs
from engine.whatif.faults import Fault, FaultKind
from engine.whatif.telling import FlowQuestion, ToldAnswer, ToldHop

Catalogs = Mapping[InstanceName, InstanceCatalog]
NOT_MIRRORED = 1416


class PairState(StrEnum):
    """The columns, in their order."""

    AS_IS = "as-is"
    FAILED_OVER = "failed-over"
    BOTH_DOWN = "both-down"


class Partner(msgspec.Struct, frozen=True, kw_only=True):
    """One database of the pair, as it is."""

    instance: InstanceName
    database: DatabaseName
    is_principal: bool


class Dialled(msgspec.Struct, frozen=True, kw_only=True):
    """Where the pair is looked for: a hop that takes a mirrored route."""

    instance: InstanceName
    table: DatabaseName
    route: RouteName
    address: str
    """The one that is dialled."""
    is_mirror_address: bool
    """It is the route's MIRROR_ADDRESS."""


class TriptychColumn(msgspec.Struct, frozen=True, kw_only=True):
    """The answer as one state of the pair makes it."""

    name: PairState
    faults: tuple[Fault, ...]
    answer: ToldAnswer
    dialled: tuple[Dialled, ...]
    """Each mirrored route on the way; empty where the pair is reached without one."""


class Triptych(msgspec.Struct, frozen=True, kw_only=True):
    """Three answers to one question."""

    pair: tuple[Partner, Partner]
    columns: tuple[TriptychColumn, TriptychColumn, TriptychColumn]


def triptych(
    catalogs: Catalogs, question: FlowQuestion, *, at: UtcTime, faults: Iterable[Fault] = (), language: str = "en"
) -> Triptych:
    """One question, three states of the first mirrored pair on its way; `faults` are supposed in all of them.

    Both partners down means both databases: whoever else lives in their servers goes on. Raises `CatalogError` 1416
    when there is no pair on the way, and what `ask` raises.
    """
    given = {catalog.name: catalog for catalog in catalogs.values()}
    supposed = tuple(faults)
    answer = ask(given, question, at=at, faults=supposed, language=language)
    first, second = _pair_on(given, answer)
    changes: dict[PairState, tuple[Fault, ...]] = {
        PairState.AS_IS: (),
        PairState.FAILED_OVER: (_fault(FaultKind.PARTNER, first),),
        PairState.BOTH_DOWN: (_fault(FaultKind.DATABASE, first), _fault(FaultKind.DATABASE, second)),
    }
    as_is, failed_over, both_down = (
        _column(
            given,
            name,
            ask(given, question, at=at, faults=(*supposed, *further), language=language) if further else answer,
        )
        for name, further in changes.items()
    )
    return Triptych(pair=(_partner(given, first), _partner(given, second)), columns=(as_is, failed_over, both_down))


def _pair_on(catalogs: Catalogs, answer: ToldAnswer) -> tuple[Place, Place]:
    """The pair that a route of the way is mirrored for; else the pair to which its end or its sender belongs."""
    pairs = {frozenset(pair): pair for pair in mirrored_pairs(catalogs)}
    by_id: dict[BrokerInstanceId, tuple[Place, Place]] = {}
    by_place: dict[Place, tuple[Place, Place]] = {}
    for pair in pairs.values():
        by_id[catalogs[pair[0][0]].databases[pair[0][1]].broker_instance] = pair
        by_place |= dict.fromkeys(pair, pair)
    for hop in _hops(answer):
        mirrored = _mirrored_id(catalogs, hop)
        if mirrored in by_id:
            return by_id[mirrored]
    asked = answer.question
    ends = [(way.instance, way.database) for leg in answer.legs for way in leg.ways if way.database is not None]
    for place in (*ends, (asked.instance, asked.database)):
        if place in by_place:
            return by_place[place]
    raise CatalogError(NOT_MIRRORED, database=ends[0][1] if ends else asked.database)


def _hops(answer: ToldAnswer) -> Iterable[ToldHop]:
    return (hop for leg in answer.legs for way in leg.ways for hop in way.hops)


def _mirrored_id(catalogs: Catalogs, hop: ToldHop) -> BrokerInstanceId | None:
    """The broker id of the mirrored route that a hop has taken; None for any other hop."""
    if hop.route is None:
        return None
    route = catalogs[hop.instance].databases[hop.table].routes.get(hop.route)
    return None if route is None or route.mirror_address is None else route.broker_instance


def _column(catalogs: Catalogs, name: PairState, answer: ToldAnswer) -> TriptychColumn:
    dialled = dict.fromkeys(each for hop in _hops(answer) if (each := _dialled(catalogs, hop)) is not None)
    return TriptychColumn(name=name, faults=answer.faults, answer=answer, dialled=tuple(dialled))


def _dialled(catalogs: Catalogs, hop: ToldHop) -> Dialled | None:
    if hop.route is None or hop.address is None:
        return None
    route = catalogs[hop.instance].databases[hop.table].routes.get(hop.route)
    if route is None or route.mirror_address is None:
        return None
    return Dialled(
        instance=hop.instance,
        table=hop.table,
        route=hop.route,
        address=hop.address,
        is_mirror_address=hop.address == str(route.mirror_address.tcp),
    )


def _fault(kind: FaultKind, place: Place) -> Fault:
    return Fault(kind=kind, instance=place[0], database=place[1])


def _partner(catalogs: Catalogs, place: Place) -> Partner:
    database = catalogs[place[0]].databases[place[1]]
    claims = is_principal(catalogs[place[0]], database.broker_instance)
    return Partner(instance=place[0], database=place[1], is_principal=claims)
