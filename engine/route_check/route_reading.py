"""Routes of a case: the clauses as texts, judged by the rules that CREATE ROUTE obeys (routing.md 1.1).

As in the T-SQL import an address without port is taken, with a warning, and so is the mirrored route without broker
id that old versions allowed. Every other illegal route is a fault with its number.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeVar
from uuid import UUID

import msgspec

from engine.core.catalog.address import check_clause, parse_route_address
from engine.core.catalog.names import length_of
from engine.core.catalog.route import Route
from engine.core.catalog.route_rules import check_route, expiry_of, parse_mirror_address, parse_service_name
from engine.core.vocabulary.errors import CatalogError
from engine.core.vocabulary.identifiers import BrokerInstanceId, RouteName, ServiceName
from engine.core.vocabulary.limits import BROKER_INSTANCE_LENGTH_MAX
from engine.core.vocabulary.moment import UtcTime
from engine.route_check.cases import NOW, broker_id, unowned_id
from engine.route_check.nodes import NUMBER_MAX, NodeReader, is_null, shown
from engine.route_check.tree import Node

_KEYS: Final = ("name", "service", "broker", "address", "mirror", "lifetime_seconds", "expired")
_CLAUSES: Final = {
    "SERVICE_NAME": "service",
    "BROKER_INSTANCE": "broker",
    "ADDRESS": "address",
    "MIRROR_ADDRESS": "mirror",
    "LIFETIME": "lifetime_seconds",
}
_WITHOUT_ID: Final = unowned_id("stands in for the id that an old mirrored route lacks")

T = TypeVar("T")


class Ids:
    """The broker ids of one case and how each was typed first."""

    def __init__(self) -> None:
        self.spellings: dict[UUID, str] = {}

    def take(self, reader: NodeReader, node: Node | None, what: str) -> BrokerInstanceId | None:
        """The id that stands there; None for null."""
        text = reader.identifier(node, what)
        if text is None or node is None:
            return None
        if not text or length_of(text) > BROKER_INSTANCE_LENGTH_MAX:
            reader.fault(node, f"{what} has 1 to {BROKER_INSTANCE_LENGTH_MAX} characters")
            return None
        found = broker_id(text)
        self.spellings.setdefault(found, text)
        return found


def read_routes(reader: NodeReader, node: Node | None, what: str, ids: Ids) -> list[tuple[Route, int]]:
    """The routes of one table, each with its line."""
    found: list[tuple[Route, int]] = []
    names: set[str] = set()
    for item in reader.items(node, what):
        before = len(reader.faults)
        route = _read_route(reader, item, ids)
        if route is None or len(reader.faults) > before:
            continue
        if route.name.casefold() in names:
            _refuse(reader, item, CatalogError(2714, name=route.name))
        names.add(route.name.casefold())
        found.append((route, item.line))
    return found


def _read_route(reader: NodeReader, node: Node, ids: Ids) -> Route | None:
    given = reader.mapping(node, "a route", _KEYS, required=("name", "address"))
    if given is None:
        return None
    before = len(reader.faults)
    for key in ("name", "address"):
        if key in given and is_null(given[key]):
            reader.fault(given[key], f"the {key} of a route is not null")
    texts = {key: reader.text(given.get(key), f"the {key} of a route") for key in ("name", "address", "service")}
    mirror_text = reader.text(given.get("mirror"), "the mirror address of a route")
    attempt = _Attempts(reader, given)
    broker = _broker(reader, given.get("broker"), ids)
    service = attempt(texts["service"], parse_service_name)
    address = attempt(texts["address"], lambda text: parse_route_address(text, port_required=False))
    mirror = attempt(mirror_text, lambda text: parse_mirror_address(texts["name"] or "", text, port_required=False))
    expires_at = _expiry(reader, given, attempt)
    if texts["name"] is None or address is None:
        return None
    for key, parsed in (("address", address), ("mirror", mirror)):
        for warning in parsed[1] if parsed is not None else ():
            reader.warn(given[key], warning)
    route = Route(
        name=RouteName(texts["name"]),
        address=address[0],
        service_name=service,
        broker_instance=broker,
        expires_at=expires_at,
        mirror_address=mirror[0] if mirror is not None else None,
    )
    if len(reader.faults) == before:
        _check(reader, node, given, route)
    return route


class _Attempts:
    """Tries clause after clause, so that one that is illegal does not hide the next."""

    def __init__(self, reader: NodeReader, given: Mapping[str, Node]) -> None:
        self._reader = reader
        self._given = given

    def __call__(self, text: str | None, parse: Callable[[str], T]) -> T | None:
        if text is None:
            return None
        try:
            return parse(text)
        except CatalogError as error:
            _refuse(self._reader, _place(self._given, error), error)
            return None


def _broker(reader: NodeReader, node: Node | None, ids: Ids) -> BrokerInstanceId | None:
    text = reader.identifier(node, "the broker id of a route")
    if text is None or node is None:
        return None
    try:
        check_clause("BROKER_INSTANCE", text, BROKER_INSTANCE_LENGTH_MAX)
    except CatalogError as error:
        _refuse(reader, node, error)
        return None
    return ids.take(reader, node, "the broker id of a route")


def _expiry(reader: NodeReader, given: Mapping[str, Node], attempt: _Attempts) -> UtcTime | None:
    expired = reader.boolean(given.get("expired"), "'expired'")
    seconds = reader.number(given.get("lifetime_seconds"), "'lifetime_seconds'")
    if expired and seconds is not None:
        reader.fault(given["expired"], "an expired route has no lifetime left: give one of the two keys")
    if expired:
        return UtcTime(NOW - 1)
    if seconds is not None and abs(seconds) == NUMBER_MAX:
        node = given["lifetime_seconds"]
        _refuse(reader, node, CatalogError(9746, value=shown(node), clause="LIFETIME"))
        return None
    return attempt(None if seconds is None else str(seconds), lambda text: expiry_of(int(text), NOW))


def _check(reader: NodeReader, node: Node, given: Mapping[str, Node], route: Route) -> None:
    """The clauses together. A mirrored route with a service and no id is old, not wrong."""
    checked = route
    if route.mirror_address is not None and route.service_name and route.broker_instance is None:
        reader.warn(node, f"{CatalogError(9661, name=route.name, expected='BROKER_INSTANCE')}; taken as it is.")
        checked = msgspec.structs.replace(route, broker_instance=_WITHOUT_ID)
    try:
        check_route(checked)
    except CatalogError as error:
        _refuse(reader, _place(given, error), error)


def _place(given: Mapping[str, Node], error: CatalogError) -> Node:
    """The node of the clause to blame; of the route's name when that clause is missing."""
    key = _CLAUSES.get(str(error.parameters.get("clause")), "name")
    return given[key if key in given else "name"]


def _refuse(reader: NodeReader, node: Node, error: CatalogError) -> None:
    reader.fault(node, f"{error}. {error.why}".strip())


def read_service(reader: NodeReader, node: Node, what: str) -> ServiceName | None:
    """The name of a service, any that a route may name."""
    text = reader.text(node, what)
    if text is None:
        return None
    try:
        return parse_service_name(text)
    except CatalogError as error:
        _refuse(reader, node, error)
        return None
