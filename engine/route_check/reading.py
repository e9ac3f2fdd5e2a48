"""A file of cases, read whole: every fault of it is found, and with a single one it holds no case at all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from engine.core.catalog.address import parse_route_address
from engine.core.catalog.database import DatabaseState
from engine.core.catalog.names import check_name, check_travelling_name
from engine.core.catalog.route import NetworkAddress, Route
from engine.core.vocabulary.errors import CatalogError
from engine.core.vocabulary.identifiers import BrokerInstanceId, DatabaseName, ServiceName
from engine.core.vocabulary.messages import TcpAddress
from engine.route_check.cases import Case, DatabaseCase
from engine.route_check.expectation_reading import read_expected
from engine.route_check.nodes import NodeReader, is_null
from engine.route_check.route_reading import Ids, read_routes, read_service
from engine.route_check.tree import Fault, Node, Sequence, compose

_CASE: Final = ("id", "routes", "instance", "conversation", "setup", "expected", "also_acceptable")
_CONVERSATION: Final = ("service", "broker_id", "origin", "message_from_target")
_SETUP: Final = (
    "owned_broker_ids",
    "own_addresses",
    "principal",
    "acknowledged_by",
    "pending_route_requests",
    "databases",
)
_STATES: Final = {
    "enabled": (DatabaseState.ONLINE, True),
    "disabled": (DatabaseState.ONLINE, False),
    "read_only": (DatabaseState.READ_ONLY, True),
    "single_user": (DatabaseState.SINGLE_USER, True),
    "mirror": (DatabaseState.MIRROR, True),
    "offline": (DatabaseState.OFFLINE, True),
}

Given = Mapping[str, Node]


def read_cases(file: str, text: str) -> tuple[list[Case], list[Fault], list[Fault]]:
    """The cases of a file, its faults and its warnings; no cases when there are faults."""
    tree, fault = compose(file, text)
    if fault is not None:
        return [], [fault], []
    reader = NodeReader(file)
    cases: list[Case] = []
    if tree is None or is_null(tree) or (isinstance(tree, Sequence) and not tree.value):
        return [], [Fault(file=file, line=1, column=1, text="the file holds no cases")], []
    ids: dict[str, int] = {}
    for node in reader.items(tree, "a file of cases"):
        case = _read_case(reader, node, ids)
        if case is not None:
            cases.append(case)
    faults = sorted(reader.faults, key=lambda fault: (fault.line, fault.column))
    return ([] if faults else cases), faults, reader.warnings


def _read_case(reader: NodeReader, node: Node, known: dict[str, int]) -> Case | None:
    before = len(reader.faults)
    given = reader.mapping(node, "a case", _CASE, required=("id", "conversation", "expected"))
    if given is None:
        return None
    name = _case_id(reader, given.get("id"), known)
    ids = Ids()
    home, msdb = _tables(reader, given.get("routes"), ids)
    instance = _optional(reader, given.get("instance"), "'instance'", ("hosts_target_service", "forwarding"))
    hosts = reader.boolean(instance.get("hosts_target_service"), "'hosts_target_service'")
    forwarding = reader.boolean(instance.get("forwarding"), "'forwarding'")
    service, broker, is_outside, from_target = _conversation(reader, given.get("conversation"), ids)
    setup = _optional(reader, given.get("setup"), "'setup'", _SETUP)
    acknowledged_by = ids.take(reader, setup.get("acknowledged_by"), "'acknowledged_by'")
    names = {route.name.casefold() for route, _ in (*home, *msdb)}
    expected = None
    if "expected" in given:
        expected = read_expected(reader, given["expected"], "'expected'", names)
    also = [
        read_expected(reader, item, "'also_acceptable'", names)
        for item in reader.items(given.get("also_acceptable"), "'also_acceptable'")
    ]
    setup_values = _setup(reader, setup, ids)
    if len(reader.faults) > before or name is None or service is None or expected is None:
        return None
    owned, own_addresses, principal, pending, databases = setup_values
    return Case(
        id=name,
        file=reader.file,
        line=node.line,
        home_routes=tuple(route for route, _ in home),
        msdb_routes=tuple(route for route, _ in msdb),
        route_lines=tuple(line for _, line in (*home, *msdb)),
        hosts_target_service=bool(hosts),
        forwarding=bool(forwarding),
        service=service,
        broker_instance=acknowledged_by or broker,
        from_outside=is_outside,
        from_target=from_target,
        owned=owned,
        own_addresses=own_addresses,
        principal=principal,
        pending=pending,
        databases=databases,
        expected=expected,
        also_acceptable=tuple(each for each in also if each is not None),
        spellings=ids.spellings,
    )


def _case_id(reader: NodeReader, node: Node | None, known: dict[str, int]) -> str | None:
    if node is None:
        return None
    name = reader.identifier(node, "the id of a case")
    if not name or not name.strip():
        reader.fault(node, "the id of a case is not empty")
        return None
    if name in known:
        reader.fault(node, f"the id '{name}' stands twice; first in line {known[name]}")
    known.setdefault(name, node.line)
    return name


def _optional(reader: NodeReader, node: Node | None, what: str, keys: tuple[str, ...]) -> Given:
    if node is None or is_null(node):
        return {}
    return reader.mapping(node, what, keys) or {}


def _tables(reader: NodeReader, node: Node | None, ids: Ids) -> tuple[list[tuple[Route, int]], list[tuple[Route, int]]]:
    given = _optional(reader, node, "'routes'", ("database", "msdb"))
    return (
        read_routes(reader, given.get("database"), "'routes.database'", ids),
        read_routes(reader, given.get("msdb"), "'routes.msdb'", ids),
    )


def _conversation(
    reader: NodeReader, node: Node | None, ids: Ids
) -> tuple[ServiceName | None, BrokerInstanceId | None, bool, bool]:
    if node is None:
        return None, None, False, False
    given = reader.mapping(node, "'conversation'", _CONVERSATION, required=("service",)) or {}
    service = None
    if "service" in given:
        service = read_service(reader, given["service"], "the service of a conversation")
        if is_null(given["service"]):
            reader.fault(given["service"], "the service of a conversation is not null")
    broker = ids.take(reader, given.get("broker_id"), "'broker_id'")
    origin = reader.word(given.get("origin"), "'origin'", ("inside", "outside"))
    from_target = reader.boolean(given.get("message_from_target"), "'message_from_target'")
    return service, broker, origin == "outside", bool(from_target)


SetupValues = tuple[
    tuple[BrokerInstanceId, ...],
    tuple[TcpAddress, ...],
    TcpAddress | None,
    tuple[ServiceName, ...],
    tuple[DatabaseCase, ...],
]


def _setup(reader: NodeReader, given: Given, ids: Ids) -> SetupValues:
    owned = [
        ids.take(reader, item, "an owned broker id")
        for item in reader.items(given.get("owned_broker_ids"), "'owned_broker_ids'")
    ]
    pending = [
        read_service(reader, item, "a service with a pending request")
        for item in reader.items(given.get("pending_route_requests"), "'pending_route_requests'")
    ]
    principal = _network(reader, given["principal"], "'principal'") if "principal" in given else None
    return (
        tuple(dict.fromkeys(each for each in owned if each is not None)),
        _own_addresses(reader, given.get("own_addresses")),
        principal,
        tuple(each for each in pending if each is not None),
        _databases(reader, given.get("databases"), ids),
    )


def _own_addresses(reader: NodeReader, node: Node | None) -> tuple[TcpAddress, ...]:
    found: list[TcpAddress] = []
    for item in reader.items(node, "'own_addresses'"):
        address = _network(reader, item, "an own address")
        if address is None:
            continue
        if found and address.port != found[0].port:
            text = f"an instance has one endpoint and so one port; this is {address.port}, another {found[0].port}"
            reader.fault(item, text)
        found.append(address)
    return tuple(found)


def _network(reader: NodeReader, node: Node, what: str) -> TcpAddress | None:
    text = reader.text(node, what)
    if text is None:
        return None
    try:
        address, warnings = parse_route_address(text, port_required=False)
    except CatalogError as error:
        reader.fault(node, f"{what}: {error}")
        return None
    if not isinstance(address, NetworkAddress):
        reader.fault(node, f"{what} is a network address, TCP://host:port, not {address}")
        return None
    for warning in warnings:
        reader.warn(node, warning)
    return address.tcp


def _databases(reader: NodeReader, node: Node | None, ids: Ids) -> tuple[DatabaseCase, ...]:
    found: dict[str, DatabaseCase] = {}
    for item in reader.items(node, "'databases'"):
        given = reader.mapping(item, "a database", ("name", "broker_id", "services", "state"), required=("name",))
        if given is None:
            continue
        name = reader.text(given.get("name"), "the name of a database")
        broker = ids.take(reader, given.get("broker_id"), "the broker id of a database")
        services = [
            _hosted_service(reader, each) for each in reader.items(given.get("services"), "the services of a database")
        ]
        word = reader.word(given.get("state"), "the state of a database", _STATES) or "enabled"
        if name is None or not _is_name(reader, given["name"], name):
            continue
        if name.casefold() in found:
            reader.fault(given["name"], f"the database '{name}' stands twice")
        state, is_enabled = _STATES[word]
        found[name.casefold()] = DatabaseCase(
            name=DatabaseName(name),
            broker_instance=broker,
            services=tuple(each for each in services if each is not None),
            state=state,
            is_broker_enabled=is_enabled,
        )
    return tuple(found.values())


def _is_name(reader: NodeReader, node: Node, name: str) -> bool:
    try:
        check_name(name)
    except CatalogError as error:
        reader.fault(node, str(error))
        return False
    return True


def _hosted_service(reader: NodeReader, node: Node) -> ServiceName | None:
    name = reader.text(node, "a service of a database")
    if name is None:
        return None
    try:
        check_travelling_name(name)
    except CatalogError as error:
        reader.fault(node, str(error))
        return None
    return ServiceName(name)
