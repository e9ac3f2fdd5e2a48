"""From the tree of a statement to its value. What a tree cannot say wrongly is not checked here again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lark import Token as Leaf
from lark import Tree

from engine.core.catalog.changes import ActivationPatch
from engine.core.catalog.objects import ContractUse, EndpointState, SentBy, Validation
from engine.core.vocabulary.errors import CatalogError
from engine.core.vocabulary.identifiers import MessageTypeName
from engine.tsql.build_reading import READING_BUILDERS
from engine.tsql.build_security import SECURITY_BUILDERS, owner_of
from engine.tsql.part_names import joined
from engine.tsql.reading_statements import SetPriorityHonoured, SetTrustworthy
from engine.tsql.spelling import misspelled
from engine.tsql.statement_base import Guard, ObjectName, Place
from engine.tsql.statements import (
    AlterEndpoint,
    AlterMessageType,
    AlterQueue,
    AlterRoute,
    AlterService,
    AnyStatement,
    BrokerOption,
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
    MaintainQueue,
    MirroringEndpoint,
    QueueOptions,
    RouteClauses,
    SetBroker,
    SetOption,
    SetPartner,
    SetState,
    StateOption,
    Use,
)
from engine.tsql.trees import (
    Incomplete,
    Node,
    Unexpected,
    check_once,
    clause_of,
    integer,
    is_on,
    leaves,
    names,
    part,
    parts,
)
from engine.tsql.words import BROKER_OPTIONS


def build_statements(tree: Node, place: Place, guard: Guard | None) -> tuple[AnyStatement, ...]:
    """The statement a tree stands for, several for a list of database options (tsql.md 10).

    Raises `Incomplete`, `Unexpected`, or `CatalogError` 153 for a clause given twice.
    """
    built: AnyStatement | tuple[AnyStatement, ...] = _BUILDERS[tree.data](tree, place=place, guard=guard)
    return built if isinstance(built, tuple) else (built,)


# --- message types and contracts -------------------------------------------------------------------------------------


def _validation(tree: Node) -> dict[str, Any]:
    clause = part(tree, "validation")
    if clause is None:
        return {}
    schemas = names(clause)
    return {
        "validation": Validation(leaves(clause)[0].type),
        "schema_collection": schemas[0] if schemas else None,
    }


def _create_message_type(tree: Node, **base: Any) -> CreateMessageType:
    return CreateMessageType(name=names(tree)[0], **_validation(tree), **base)


def _alter_message_type(tree: Node, **base: Any) -> AlterMessageType:
    return AlterMessageType(name=names(tree)[0], **_validation(tree), **base)


def _create_contract(tree: Node, **base: Any) -> CreateContract:
    uses = []
    for use in parts(tree, "message_use"):
        name, sent_by = leaves(use)
        uses.append(ContractUse(MessageTypeName(str(name)), SentBy(sent_by.type)))
    return CreateContract(name=names(tree)[0], uses=tuple(uses), **base)


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
                word = leaves(option)[0].type
                words.append(word)
                given[_SWITCHES[word]] = is_on(option)
            case "poison":
                words.append("POISON_MESSAGE_HANDLING")
                given["is_poison_message_handling_enabled"] = is_on(option)
            case "activation":
                words.append("ACTIVATION")
                given["activation"] = _activation(option, name)
            case _:
                words.append("ACTIVATION")
                given["drops_activation"] = True
    check_once(words, name)
    return QueueOptions(**given)


def _activation(tree: Node, queue: ObjectName) -> ActivationPatch:
    members = [member for member in tree.children if isinstance(member, Tree)]
    check_once((str(member.data).upper() for member in members), queue)
    given: dict[str, Any] = {}
    for member in members:
        match member.data:
            case "activation_status":
                given["is_enabled"] = is_on(member)
            case "procedure_name":
                given["procedure_name"] = joined(names(member)[0].parts)
            case "max_queue_readers":
                given["max_queue_readers"] = integer(leaves(member)[0])
            case _:
                given["execute_as"] = _whom(leaves(member)[0], queue)
    return ActivationPatch(**given)


def _whom(leaf: Leaf, queue: ObjectName) -> str:
    """SELF, OWNER or a user; a user of such a name would be taken for the keyword (153)."""
    if leaf.type == "STRING" and leaf.upper() in ("SELF", "OWNER"):
        detail = "a user of that name cannot be told from the keyword"
        raise CatalogError(153, value=f"EXECUTE AS '{leaf}'", name=str(queue), detail=detail)
    return str(leaf)


def _create_queue(tree: Node, **base: Any) -> CreateQueue:
    name = names(tree)[0]
    return CreateQueue(name=name, options=_queue_options(tree, name), **base)


def _alter_queue(tree: Node, **base: Any) -> AlterQueue:
    name = names(tree)[0]
    return AlterQueue(name=name, options=_queue_options(tree, name), **base)


def _maintain_queue(tree: Node, **base: Any) -> MaintainQueue:
    return MaintainQueue(name=names(tree)[0], **base)


# --- services --------------------------------------------------------------------------------------------------------


def _create_service(tree: Node, **base: Any) -> CreateService:
    name, queue = names(tree)
    contracts = part(tree, "contracts")
    listed = tuple(str(leaf) for leaf in leaves(contracts)) if contracts is not None else ()
    return CreateService(name=name, queue=queue, contracts=listed, owner=owner_of(tree), **base)


def _alter_service(tree: Node, **base: Any) -> AlterService:
    name, *queues = names(tree)
    changes = [leaves(change) for change in parts(tree, "contract_change")]
    return AlterService(
        name=name,
        queue=queues[0] if queues else None,
        adds=tuple(str(contract) for verb, contract in changes if verb.type == "ADD"),
        drops=tuple(str(contract) for verb, contract in changes if verb.type == "DROP"),
        **base,
    )


# --- routes ----------------------------------------------------------------------------------------------------------


def _route_clauses(tree: Node, name: ObjectName) -> RouteClauses:
    clauses = part(tree, "route_clauses")
    assert clauses is not None
    pairs = [leaves(clause) for clause in parts(clauses, "route_clause")]
    check_once((word.type for word, _ in pairs), name)
    given: dict[str, Any] = {}
    for word, value in pairs:
        if word.type != "LIFETIME":
            given[word.type.lower()] = clause_of(value)
        elif value.type == "NULL":
            given["never_expires"] = True
        else:
            given["lifetime_seconds"] = integer(value)
            given["lifetime_place"] = clause_of(value).place
    return RouteClauses(**given)


def _create_route(tree: Node, **base: Any) -> CreateRoute:
    name = names(tree)[0]
    clauses = _route_clauses(tree, name)
    if clauses.address is None:
        raise Incomplete("ADDRESS = 'TCP://host:port'")
    return CreateRoute(name=name, clauses=clauses, **base)


def _alter_route(tree: Node, **base: Any) -> AlterRoute:
    name = names(tree)[0]
    return AlterRoute(name=name, clauses=_route_clauses(tree, name), **base)


# --- endpoint --------------------------------------------------------------------------------------------------------


def _endpoint_clauses(tree: Node, name: ObjectName) -> EndpointClauses:
    others = ("object_name", "authorization")
    clauses = [each for each in tree.children if isinstance(each, Tree) and each.data not in others]
    check_once((str(each.data).upper() for each in clauses), name)
    given: dict[str, Any] = {}
    for clause in clauses:
        words = leaves(clause)
        match clause.data:
            case "endpoint_state":
                given["state"] = EndpointState(words[0].type)
            case "listener_port":
                given["port"] = integer(words[0])
            case "listener_ip":
                given["listener_ip"] = "".join(words)
            case "authentication" | "encryption":
                given[clause.data] = " ".join(_as_written(leaf) for leaf in words)
            case "forwarding":
                given["is_message_forwarding_enabled"] = words[0].type == "ENABLED"
            case _:
                given["message_forward_size_megabytes"] = integer(words[0])
    return EndpointClauses(**given)


def _as_written(leaf: Leaf) -> str:
    return "[" + leaf.replace("]", "]]") + "]" if leaf.type == "NAME" else leaf.type


def _create_endpoint(tree: Node, **base: Any) -> CreateEndpoint | MirroringEndpoint:
    name = names(tree)[0]
    if (mirroring := part(tree, "mirroring")) is not None:
        if part(mirroring, "mirroring_role") is None:
            raise Incomplete("ROLE = ALL, PARTNER or WITNESS")
        return _mirroring_endpoint(tree, mirroring, verb="CREATE", **base)
    clauses = _endpoint_clauses(tree, name)
    if clauses.port is None:
        raise Incomplete("LISTENER_PORT = a whole number")
    return CreateEndpoint(name=name, clauses=clauses, **base)


def _alter_endpoint(tree: Node, **base: Any) -> AlterEndpoint | MirroringEndpoint:
    name = names(tree)[0]
    if (mirroring := part(tree, "mirroring")) is not None:
        return _mirroring_endpoint(tree, mirroring, verb="ALTER", **base)
    return AlterEndpoint(name=name, clauses=_endpoint_clauses(tree, name), **base)


def _mirroring_endpoint(tree: Node, mirroring: Node, **base: Any) -> MirroringEndpoint:
    name = names(tree)[0]
    check_once((str(each.data).upper() for each in mirroring.children if isinstance(each, Tree)), name)
    return MirroringEndpoint(name=name, **base)


# --- databases and the rest ------------------------------------------------------------------------------------------


def _database(tree: Node) -> str | None:
    first = leaves(tree)[0]
    return None if first.type == "CURRENT" else str(first)


def _create_database(tree: Node, **base: Any) -> CreateDatabase:
    return CreateDatabase(name=str(leaves(tree)[0]), **base)


def _drop_database(tree: Node, *, place: Place, guard: Guard | None) -> DropDatabase:
    guard = Guard.EXISTS if part(tree, "if_exists") is not None else guard
    return DropDatabase(names=tuple(str(leaf) for leaf in leaves(tree, "NAME")), place=place, guard=guard)


def _set_options(tree: Node, **base: Any) -> tuple[SetOption, ...]:
    """One statement for each option that says something about the network; `words` sees to it that there is one."""
    database = _database(tree)
    given: list[SetOption] = []
    words: list[str] = []
    for option in parts(tree, "broker_option", "honour_option", "trustworthy_option", "state_option", "other_option"):
        word = leaves(option)[0]
        match option.data:
            case "broker_option":
                excluded = next((each.option for each in given if isinstance(each, SetBroker)), None)
                if excluded is not None:
                    name = database or "CURRENT"
                    raise CatalogError(153, value=word.type, name=name, detail=f"it excludes {excluded}")
                given.append(SetBroker(database=database, option=BrokerOption(word.type), **base))
            case "honour_option":
                words.append(word.type)
                given.append(SetPriorityHonoured(database=database, is_honoured=is_on(option), **base))
            case "trustworthy_option":
                words.append(word.type)
                given.append(SetTrustworthy(database=database, is_trustworthy=is_on(option), **base))
            case "state_option":
                words.append(word.type)
                given.append(SetState(database=database, option=StateOption(word.type), **base))
            case _ if (meant := misspelled(str(word), BROKER_OPTIONS)) is not None:
                raise Unexpected(word, meant)
            case _:
                # READ_COMMITTED_SNAPSHOT and its kin: nothing about the network.
                pass
    check_once(words, ObjectName((database or "CURRENT",)))
    return tuple(given)


def _set_partner(tree: Node, **base: Any) -> SetPartner:
    value = leaves(tree)[1]
    return SetPartner(database=_database(tree), address=clause_of(value) if value.type == "STRING" else None, **base)


def _use(tree: Node, **base: Any) -> Use:
    return Use(database=str(leaves(tree)[0]), **base)


def _drop(tree: Node, *, place: Place, guard: Guard | None) -> Drop:
    guard = Guard.EXISTS if part(tree, "if_exists") is not None else guard
    word = leaves(tree)[0].type
    kind = _DROPPED.get(word) or DroppedKind(word)
    return Drop(kind=kind, name=names(tree)[0], place=place, guard=guard)


_DROPPED = {"TYPE": DroppedKind.MESSAGE_TYPE, "BINDING": DroppedKind.BINDING, "PRIORITY": DroppedKind.PRIORITY}

_BUILDERS: dict[str, Callable[..., AnyStatement | tuple[AnyStatement, ...]]] = {
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
    "set_options": _set_options,
    "set_partner": _set_partner,
    "use_database": _use,
    "drop": _drop,
    **READING_BUILDERS,
    **SECURITY_BUILDERS,
}
