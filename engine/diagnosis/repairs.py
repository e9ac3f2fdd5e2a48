"""Changes that mend what a check has found. Each is built to remove the finding and to break nothing else."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from engine.core.catalog.builtin import message_type_of
from engine.core.catalog.changes import (
    CatalogChange,
    ContractCreated,
    MessageTypeCreated,
    RouteAltered,
    RouteCreated,
)
from engine.core.catalog.database import DatabaseCatalog
from engine.core.catalog.names import length_of, spelling_in
from engine.core.catalog.objects import Contract
from engine.core.catalog.route import LocalAddress, NetworkAddress, Route, RouteAddress
from engine.core.vocabulary.identifiers import MSDB, BrokerInstanceId, RouteName, ServiceName
from engine.core.vocabulary.limits import SYSNAME_LENGTH_MAX
from engine.core.vocabulary.messages import DialogTarget
from engine.core.vocabulary.moment import UtcTime
from engine.diagnosis.finding import InstanceFix
from engine.diagnosis.journeys import Stop
from engine.diagnosis.model import Home
from engine.diagnosis.survey import Survey

RENEWED_SECONDS: Final = 365 * 24 * 3600
"""LIFETIME that an expiring route is given again."""


def fix(home: Home, *changes: CatalogChange) -> tuple[InstanceFix, ...]:
    """Changes in one instance."""
    return (InstanceFix(instance=home.instance, changes=changes),)


def route_name(database: DatabaseCatalog, service: ServiceName, taken: Iterable[str] = ()) -> RouteName:
    """A name for a new route to a service that no route has yet."""
    used = {name.casefold() for name in taken}
    last = service.rstrip("/").rpartition("/")[2].strip() or "route"
    stem = f"To {last}"
    while length_of(stem) > SYSNAME_LENGTH_MAX - 4:
        stem = stem[:-1]
    number = 1
    name = stem
    while name.casefold() in used or spelling_in(database.routes, name) is not None:
        number += 1
        name = f"{stem} {number}"
    return RouteName(name)


def way_to(
    survey: Survey,
    home: Home,
    target: Home,
    service: ServiceName,
    broker: BrokerInstanceId | None,
    *,
    from_target: bool = False,
) -> RouteAddress | None:
    """An address by which messages for a service really come from one database to another; None when none is found."""
    model = survey.model
    if home.instance == target.instance:
        return LocalAddress()
    address = model.address_of(target.instance, home.instance)
    if address is None:
        return None
    end = survey.traveller.arrives(target.instance, DialogTarget(service, broker), from_target=from_target)
    return address if end.stop is Stop.DELIVERED and end.home == target else None


def arrives_by(
    survey: Survey, home: Home, address: RouteAddress, service: ServiceName, broker: BrokerInstanceId | None
) -> bool:
    """Whether a route with this address would bring messages to the service."""
    if not isinstance(address, NetworkAddress):
        return isinstance(address, LocalAddress) and survey.model.is_local(service, home.instance)
    ends = survey.model.hosts.at(address.tcp, home.instance)
    if not ends:
        return False
    return survey.traveller.arrives(ends[0], DialogTarget(service, broker), from_target=False).stop is Stop.DELIVERED


def led_to(
    survey: Survey,
    home: Home,
    service: ServiceName,
    used: Route | None,
    address: RouteAddress,
    taken: Iterable[str] = (),
) -> list[CatalogChange]:
    """A route to a service: the one that is used for it now, altered, or a new one where none names the service.

    Routes that count as one with it are altered like it. Empty for a mirrored route, which a person has to look at.
    """
    database = survey.model.database(home)
    if used is not None and used.service_name == service:
        alike = [route for route in database.routes.values() if one_of(route) == one_of(used)]
        if any(route.mirror_address is not None for route in alike):
            return []
        return [RouteAltered(database=home.database, name=route.name, address=address) for route in alike]
    name = route_name(database, service, taken)
    return [RouteCreated(database=home.database, route=Route(name=name, service_name=service, address=address))]


def one_of(route: Route) -> tuple[object, ...]:
    """What routes that count as one have in common (routing.md 3.2, E20)."""
    where = route.address.tcp if isinstance(route.address, NetworkAddress) else route.address
    return route.service_name, route.broker_instance, where


def let_in(survey: Survey, home: Home, service: ServiceName) -> tuple[InstanceFix, ...]:
    """A LOCAL route in msdb for a service of the instance."""
    msdb = Home(home.instance, MSDB)
    name = route_name(survey.model.database(msdb), service)
    return fix(msdb, RouteCreated(database=MSDB, route=Route(name=name, service_name=service, address=LocalAddress())))


def renewed(survey: Survey, home: Home, route: Route) -> tuple[InstanceFix, ...]:
    """The route with another year to live."""
    expires_at = UtcTime(survey.now + RENEWED_SECONDS)
    return fix(home, RouteAltered(database=home.database, name=route.name, expires_at=expires_at))


def contract_copied(
    source: DatabaseCatalog, home: Home, there: DatabaseCatalog, contract: Contract
) -> tuple[InstanceFix, ...]:
    """A contract of one database in another one, with the types that are missing there."""
    types = [
        MessageTypeCreated(database=home.database, message_type=found)
        for use in contract.uses
        if message_type_of(there, use.message_type) is None
        and (found := message_type_of(source, use.message_type)) is not None
    ]
    return fix(home, *types, ContractCreated(database=home.database, contract=contract))
