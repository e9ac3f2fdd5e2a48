"""From the tree of a statement to its value. What a tree cannot say wrongly is not checked here again."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from lark import Token as Leaf
from lark import Tree

from engine.core.catalog.changes import ActivationPatch
from engine.core.catalog.objects import ContractUse, EndpointState, SentBy, Validation
from engine.core.vocabulary.errors import CatalogError
from engine.core.vocabulary.identifiers import MessageTypeName
from engine.tsql.statements import (
    AlterEndpoint,
    AlterMessageType,
    AlterQueue,
    AlterRoute,
    AlterService,
    AnyStatement,
    BrokerOption,
    Clause,
    CreateContract,
    CreateDatabase,
    CreateEndpoint,
    CreateMessageType,
    CreateQueue,
    CreateRoute,
    CreateService,
    Drop,
    DropDatabase,
    DroppedKind,
    EndpointClauses,
    Guard,
    MaintainQueue,
    ObjectName,
    Place,
    QueueOptions,
    RouteClauses,
    SetBroker,
    SetPartner,
    Use,
)

Node = Tree[Leaf]
_DIGITS_MAX = 18
"""Numbers longer than this are beyond every range of the language; their exact value is of no interest."""


class Incomplete(Exception):
    """A statement ended without a compulsory clause."""

    def __init__(self, expected: str) -> None:
        super().__init__(expected)
        self.expected = expected


def build_statement(tree: Node, place: Place, guard: Guard | None) -> AnyStatement:
    """The statement a tree stands for; raises `Incomplete`, or `CatalogError` 153 for a clause given twice."""
    statement: AnyStatement = _BUILDERS[tree.data](tree, place=place, guard=guard)
    return statement


# --- pieces ----------------------------------------------------------------------------------------------------------


def _parts(tree: Node, rule: str) -> list[Node]:
    return [child for child in tree.children if isinstance(child, Tree) and child.data == rule]


def _part(tree: Node, rule: str) -> Node | None:
    found = _parts(tree, rule)
    return found[0] if found else None


def _leaves(tree: Node, *kinds: str) -> list[Leaf]:
    return [child for child in tree.children if isinstance(child, Leaf) and (not kinds or child.type in kinds)]


def _names(tree: Node) -> list[ObjectName]:
    return [_object_name(part) for part in _parts(tree, "object_name")]


def _object_name(tree: Node) -> ObjectName:
    """`a..b` has an empty part between its dots."""
    parts: list[str] = []
    after_dot = False
    for leaf in _leaves(tree):
        if leaf.type != "DOT":
            parts.append(str(leaf))
        elif after_dot:
            parts.append("")
        after_dot = leaf.type == "DOT"
    return ObjectName(tuple(parts))


def _integer(leaf: Leaf) -> int:
    return int(leaf[:_DIGITS_MAX])


def _clause(leaf: Leaf) -> Clause:
    assert leaf.line is not None
    assert leaf.column is not None
    return Clause(str(leaf), Place(leaf.line, leaf.column))


def _check_once(words: Iterable[str], name: ObjectName) -> None:
    seen: set[str] = set()
    for word in words:
        if word in seen:
            raise CatalogError(153, value=word, name=str(name), detail="it is given twice")
        seen.add(word)


def _is_on(tree: Node) -> bool:
    switch = _part(tree, "switch")
    assert switch is not None
    return _leaves(switch)[0].type == "ON"


# --- message types and contracts -------------------------------------------------------------------------------------


def _validation(tree: Node) -> dict[str, Any]:
    clause = _part(tree, "validation")
    if clause is None:
        return {}
    names = _names(clause)
    return {
        "validation": Validation(_leaves(clause)[0].type),
        "schema_collection": names[0] if names else None,
    }


def _create_message_type(tree: Node, **base: Any) -> CreateMessageType:
    return CreateMessageType(name=_names(tree)[0], **_validation(tree), **base)


def _alter_message_type(tree: Node, **base: Any) -> AlterMessageType:
    return AlterMessageType(name=_names(tree)[0], **_validation(tree), **base)


def _create_contract(tree: Node, **base: Any) -> CreateContract:
    uses = []
    for use in _parts(tree, "message_use"):
        name, sent_by = _leaves(use)
        uses.append(ContractUse(MessageTypeName(str(name)), SentBy(sent_by.type)))
    return CreateContract(name=_names(tree)[0], uses=tuple(uses), **base)


# --- queues ----------------------------------------------------------------------------------------------------------

_SWITCHES = {"STATUS": "is_enabled", "RETENTION": "is_retention_enabled"}


def _queue_options(tree: Node, name: ObjectName) -> QueueOptions:
    given: dict[str, Any] = {}
    words: list[str] = []
    for option in tree.children:
        if not isinstance(option, Tree) or option.data in ("object_name", "file_group"):
            continue
        match option.data:
            case "queue_switch":
                word = _leaves(option)[0].type
                words.append(word)
                given[_SWITCHES[word]] = _is_on(option)
            case "poison":
                words.append("POISON_MESSAGE_HANDLING")
                given["is_poison_message_handling_enabled"] = _is_on(option)
            case "activation":
                words.append("ACTIVATION")
                given["activation"] = _activation(option, name)
            case _:
                words.append("ACTIVATION")
                given["drops_activation"] = True
    _check_once(words, name)
    return QueueOptions(**given)


def _activation(tree: Node, queue: ObjectName) -> ActivationPatch:
    members = [member for member in tree.children if isinstance(member, Tree)]
    _check_once((str(member.data).upper() for member in members), queue)
    given: dict[str, Any] = {}
    for member in members:
        match member.data:
            case "activation_status":
                given["is_enabled"] = _is_on(member)
            case "procedure_name":
                given["procedure_name"] = str(_names(member)[0])
            case "max_queue_readers":
                given["max_queue_readers"] = _integer(_leaves(member)[0])
            case _:
                given["execute_as"] = str(_leaves(member)[0])
    return ActivationPatch(**given)


def _create_queue(tree: Node, **base: Any) -> CreateQueue:
    name = _names(tree)[0]
    return CreateQueue(name=name, options=_queue_options(tree, name), **base)


def _alter_queue(tree: Node, **base: Any) -> AlterQueue:
    name = _names(tree)[0]
    return AlterQueue(name=name, options=_queue_options(tree, name), **base)


def _maintain_queue(tree: Node, **base: Any) -> MaintainQueue:
    return MaintainQueue(name=_names(tree)[0], **base)


# --- services --------------------------------------------------------------------------------------------------------


def _create_service(tree: Node, **base: Any) -> CreateService:
    name, queue = _names(tree)
    contracts = _part(tree, "contracts")
    listed = tuple(str(leaf) for leaf in _leaves(contracts)) if contracts is not None else ()
    return CreateService(name=name, queue=queue, contracts=listed, **base)


def _alter_service(tree: Node, **base: Any) -> AlterService:
    name, *queues = _names(tree)
    changes = [_leaves(change) for change in _parts(tree, "contract_change")]
    return AlterService(
        name=name,
        queue=queues[0] if queues else None,
        adds=tuple(str(contract) for verb, contract in changes if verb.type == "ADD"),
        drops=tuple(str(contract) for verb, contract in changes if verb.type == "DROP"),
        **base,
    )


# --- routes ----------------------------------------------------------------------------------------------------------


def _route_clauses(tree: Node, name: ObjectName) -> RouteClauses:
    clauses = _part(tree, "route_clauses")
    assert clauses is not None
    pairs = [_leaves(clause) for clause in _parts(clauses, "route_clause")]
    _check_once((word.type for word, _ in pairs), name)
    given: dict[str, Any] = {}
    for word, value in pairs:
        if word.type != "LIFETIME":
            given[word.type.lower()] = _clause(value)
        elif value.type == "NULL":
            given["never_expires"] = True
        else:
            given["lifetime_seconds"] = _integer(value)
            given["lifetime_place"] = _clause(value).place
    return RouteClauses(**given)


def _create_route(tree: Node, **base: Any) -> CreateRoute:
    name = _names(tree)[0]
    clauses = _route_clauses(tree, name)
    if clauses.address is None:
        raise Incomplete("ADDRESS = 'TCP://host:port'")
    return CreateRoute(name=name, clauses=clauses, **base)


def _alter_route(tree: Node, **base: Any) -> AlterRoute:
    name = _names(tree)[0]
    return AlterRoute(name=name, clauses=_route_clauses(tree, name), **base)


# --- endpoint --------------------------------------------------------------------------------------------------------


def _endpoint_clauses(tree: Node, name: ObjectName) -> EndpointClauses:
    others = ("object_name", "authorization")
    parts = [part for part in tree.children if isinstance(part, Tree) and part.data not in others]
    _check_once((str(part.data).upper() for part in parts), name)
    given: dict[str, Any] = {}
    for part in parts:
        leaves = _leaves(part)
        match part.data:
            case "endpoint_state":
                given["state"] = EndpointState(leaves[0].type)
            case "listener_port":
                given["port"] = _integer(leaves[0])
            case "listener_ip":
                given["listener_ip"] = "".join(leaves)
            case "authentication" | "encryption":
                given[part.data] = " ".join(_as_written(leaf) for leaf in leaves)
            case "forwarding":
                given["is_message_forwarding_enabled"] = leaves[0].type == "ENABLED"
            case _:
                given["message_forward_size_megabytes"] = _integer(leaves[0])
    return EndpointClauses(**given)


def _as_written(leaf: Leaf) -> str:
    return "[" + leaf.replace("]", "]]") + "]" if leaf.type == "NAME" else leaf.type


def _create_endpoint(tree: Node, **base: Any) -> CreateEndpoint:
    name = _names(tree)[0]
    clauses = _endpoint_clauses(tree, name)
    if clauses.port is None:
        raise Incomplete("LISTENER_PORT = a whole number")
    return CreateEndpoint(name=name, clauses=clauses, **base)


def _alter_endpoint(tree: Node, **base: Any) -> AlterEndpoint:
    name = _names(tree)[0]
    return AlterEndpoint(name=name, clauses=_endpoint_clauses(tree, name), **base)


# --- databases and the rest ------------------------------------------------------------------------------------------


def _database(tree: Node) -> str | None:
    first = _leaves(tree)[0]
    return None if first.type == "CURRENT" else str(first)


def _create_database(tree: Node, **base: Any) -> CreateDatabase:
    return CreateDatabase(name=str(_leaves(tree)[0]), **base)


def _drop_database(tree: Node, *, place: Place, guard: Guard | None) -> DropDatabase:
    guard = Guard.EXISTS if _part(tree, "if_exists") is not None else guard
    return DropDatabase(names=tuple(str(leaf) for leaf in _leaves(tree, "NAME")), place=place, guard=guard)


def _set_broker(tree: Node, **base: Any) -> SetBroker:
    return SetBroker(database=_database(tree), option=BrokerOption(_leaves(tree)[1].type), **base)


def _set_partner(tree: Node, **base: Any) -> SetPartner:
    value = _leaves(tree)[1]
    return SetPartner(database=_database(tree), address=_clause(value) if value.type == "STRING" else None, **base)


def _use(tree: Node, **base: Any) -> Use:
    return Use(database=str(_leaves(tree)[0]), **base)


def _drop(tree: Node, **base: Any) -> Drop:
    word = _leaves(tree)[0].type
    kind = DroppedKind.MESSAGE_TYPE if word == "TYPE" else DroppedKind(word)
    return Drop(kind=kind, name=_names(tree)[0], **base)


_BUILDERS: dict[str, Callable[..., AnyStatement]] = {
    "create_message_type": _create_message_type,
    "alter_message_type": _alter_message_type,
    "create_contract": _create_contract,
    "create_queue": _create_queue,
    "alter_queue": _alter_queue,
    "maintain_queue": _maintain_queue,
    "create_service": _create_service,
    "alter_service": _alter_service,
    "create_route": _create_route,
    "alter_route": _alter_route,
    "create_endpoint": _create_endpoint,
    "alter_endpoint": _alter_endpoint,
    "create_database": _create_database,
    "drop_database": _drop_database,
    "set_broker": _set_broker,
    "set_partner": _set_partner,
    "use_database": _use,
    "drop": _drop,
}
