"""What a form or a bulk edit asks of an object, as catalog changes: the fields of a kind, and what its DDL can do.

Field names are those of the definitions. What SQL Server cannot alter is no field of a patch: a contract, for
example, is made anew (tsql.md 4).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

import msgspec
from django.utils.translation import gettext as _

from brokerweb.common.errors import MalformedRequest
from brokerweb.topology.listing import Kind
from brokerweb.topology.route_edits import route_changes, route_with
from brokerweb.topology.summaries import kind_word
from engine import api as engine
from engine.contracts.misfits import misfit_of

Changes = list[engine.CatalogChange]
Found = engine.revisions.CatalogObject
_ALTERS: dict[Kind, tuple[Any, frozenset[str]]] = {
    Kind.MESSAGE_TYPE: (engine.MessageTypeAltered, frozenset({"validation", "schema_collection"})),
    Kind.QUEUE: (
        engine.QueueAltered,
        frozenset({"is_enabled", "is_retention_enabled", "is_poison_message_handling_enabled", "activation"}),
    ),
    Kind.SERVICE: (engine.ServiceAltered, frozenset({"queue", "owner", "contracts"})),
    Kind.PRIORITY: (engine.PriorityAltered, frozenset({"level", "contract", "local_service", "remote_service"})),
    Kind.REMOTE_SERVICE_BINDING: (
        engine.security_changes.RemoteServiceBindingAltered,
        frozenset({"user", "is_anonymous"}),
    ),
    Kind.CERTIFICATE: (
        engine.security_changes.CertificateAltered,
        frozenset({"is_active_for_begin_dialog", "drops_private_key"}),
    ),
    Kind.ENDPOINT: (
        engine.EndpointAltered,
        frozenset(
            {
                *("state", "port", "listener_ip", "is_message_forwarding_enabled", "message_forward_size_megabytes"),
                *("authentication", "encryption"),
            }
        ),
    ),
}
"""The change that ALTER of a kind is, and the fields that it can be given."""
_ROUTE = frozenset({"address", "service_name", "broker_instance", "lifetime_seconds", "mirror_address"})
_DATABASE = frozenset({"is_broker_enabled", "state", "partner_address", "is_priority_honoured"})
PATCHABLE: dict[Kind, frozenset[str]] = {
    **{kind: fields for kind, (_, fields) in _ALTERS.items()},
    Kind.ROUTE: _ROUTE,
    Kind.DATABASE: _DATABASE,
    Kind.INSTANCE: frozenset({"host_names"}),
}
"""Which fields of each kind can be altered; a kind that is not here can only be created and dropped."""

_CREATES: dict[Kind, tuple[Any, str, Any]] = {
    Kind.MESSAGE_TYPE: (engine.MessageTypeCreated, "message_type", engine.MessageType),
    Kind.CONTRACT: (engine.ContractCreated, "contract", engine.Contract),
    Kind.QUEUE: (engine.QueueCreated, "queue", engine.Queue),
    Kind.SERVICE: (engine.ServiceCreated, "service", engine.Service),
    Kind.PRIORITY: (engine.PriorityCreated, "priority", engine.BrokerPriority),
    Kind.EVENT_NOTIFICATION: (engine.EventNotificationCreated, "notification", engine.EventNotification),
    Kind.USER: (engine.security_changes.UserCreated, "user", engine.User),
    Kind.REMOTE_SERVICE_BINDING: (
        engine.security_changes.RemoteServiceBindingCreated,
        "binding",
        engine.RemoteServiceBinding,
    ),
    Kind.ENDPOINT: (engine.EndpointCreated, "endpoint", engine.Endpoint),
    Kind.LOGIN: (engine.server_changes.LoginCreated, "login", engine.Login),
}
"""The change that CREATE of a kind is, its field for the object, and what the object is."""
INSTANCE_KINDS = frozenset({Kind.INSTANCE, Kind.ENDPOINT, Kind.LOGIN})
"""Kinds whose objects belong to an instance, not to a database."""
_UNSET_BY_FORMS = frozenset({"send_permissions", "receive_permissions", "name"})


def alteration(found: Found, patch: Mapping[str, Any], now: engine.UtcTime) -> Changes:
    """The changes that give an object the fields of `patch`; none where it has them.

    Raises `MalformedRequest` pointing at a field that the kind has not, or that has not the form it must have, and the
    engine's `BrokerError`.
    """
    known = PATCHABLE.get(found.kind, frozenset())
    _check_fields(found.kind, patch, known, "/patch")
    if not patch:
        return []
    match found.kind:
        case Kind.ROUTE:
            _converted(RouteTexts, {name: text for name, text in patch.items() if text is not None}, "/patch")
            wanted = route_with(_value(found), patch, now)
            return list(route_changes(_home(found), _value(found), wanted))
        case Kind.DATABASE:
            return _database_changes(found, patch)
        case Kind.INSTANCE:
            return [_converted(engine.HostNamesSet, {"change": "host-names-set", **patch}, "/patch")]
        case _:
            return _altered(found, patch)


def creation(
    kind: Kind,
    database: str | None,
    name: str,
    fields: Mapping[str, Any],
    now: engine.UtcTime,
    new_id: Callable[[], Any],
) -> Changes:
    """The changes that make an object; raises as `alteration`, with pointers at the fields."""
    home = engine.DatabaseName(database or "")
    if kind is Kind.ROUTE:
        _check_fields(kind, fields, _ROUTE, "/fields")
        return [engine.RouteCreated(database=home, route=_made_route(name, fields, now))]
    if kind is Kind.DATABASE:
        return _database_created(name, fields, new_id)
    change, field, shape = _create_of(kind)
    _check_fields(kind, fields, frozenset(shape.__struct_fields__) - _UNSET_BY_FORMS, "/fields")
    value = _converted(shape, {"name": name, **fields}, "/fields")
    place = {} if kind in INSTANCE_KINDS else {"database": home}
    return [change(**place, **{field: value})]


def creation_of(found: Found) -> engine.CatalogChange | None:
    """The change that makes an object as it is; None for what no statement of its own makes."""
    value = _value(found)
    match found.kind:
        case Kind.ROUTE:
            return engine.RouteCreated(database=_home(found), route=value)
        case Kind.DATABASE:
            return engine.DatabaseCreated(database=_home(found), broker_instance=value.broker_instance)
        case Kind.CERTIFICATE:
            return engine.security_changes.CertificateCreated(database=_home(found), certificate=value)
        case Kind.ENDPOINT:
            return engine.EndpointCreated(endpoint=value.endpoint)
    if found.kind not in _CREATES:
        return None
    change, field, _ = _CREATES[found.kind]
    place = {} if found.kind in INSTANCE_KINDS else {"database": _home(found)}
    created: engine.CatalogChange = change(**place, **{field: value})
    return created


def removal(found: Found) -> engine.CatalogChange:
    """DROP of an object; `MalformedRequest` for an instance, which no statement removes."""
    change = _DROPS.get(found.kind)
    if change is None:
        raise MalformedRequest(
            _("{name} cannot be dropped.").format(name=found.name),
            why=_("No statement drops objects of kind {value} by name here.").format(value=kind_word(found.kind.value)),
            cure=_("Leave it out of the selection."),
            pointer="/action",
        )
    if found.kind is Kind.DATABASE:
        return engine.DatabaseDropped(database=_home(found))
    place = {} if found.kind in INSTANCE_KINDS else {"database": _home(found)}
    dropped: engine.CatalogChange = change(**place, name=found.name)
    return dropped


_DROPS: dict[Kind, Any] = {
    Kind.DATABASE: engine.DatabaseDropped,
    Kind.ENDPOINT: engine.EndpointDropped,
    Kind.LOGIN: engine.server_changes.LoginDropped,
    Kind.MESSAGE_TYPE: engine.MessageTypeDropped,
    Kind.CONTRACT: engine.ContractDropped,
    Kind.QUEUE: engine.QueueDropped,
    Kind.SERVICE: engine.ServiceDropped,
    Kind.ROUTE: engine.RouteDropped,
    Kind.USER: engine.security_changes.UserDropped,
    Kind.CERTIFICATE: engine.security_changes.CertificateDropped,
    Kind.REMOTE_SERVICE_BINDING: engine.security_changes.RemoteServiceBindingDropped,
    Kind.PRIORITY: engine.PriorityDropped,
    Kind.EVENT_NOTIFICATION: engine.EventNotificationDropped,
}


def _altered(found: Found, patch: Mapping[str, Any]) -> Changes:
    change, _ = _ALTERS[found.kind]
    value = _value(found)
    fields = dict(patch)
    if found.kind is Kind.SERVICE and "contracts" in fields:
        wanted = _converted(tuple[str, ...], fields.pop("contracts"), "/patch/contracts")
        fields["adds"] = [name for name in wanted if name not in value.contracts]
        fields["drops"] = [name for name in value.contracts if name not in wanted]
        if not (fields["adds"] or fields["drops"]):
            del fields["adds"], fields["drops"]
    if found.kind is Kind.QUEUE and "activation" in fields and fields["activation"] is None:
        del fields["activation"]
        fields["drops_activation"] = value.activation is not None
    if found.kind is Kind.MESSAGE_TYPE:
        fields = {"validation": value.validation.value, "schema_collection": value.schema_collection, **fields}
        if fields["validation"] != engine.Validation.VALID_XML.value:
            fields["schema_collection"] = None
    if found.kind is Kind.PRIORITY:
        fields = {name: "ANY" if given is None else given for name, given in fields.items()}
    if found.kind is Kind.ENDPOINT and fields.get("listener_ip", "") is None:
        fields["listener_ip"] = "ALL"
    fields = {name: given for name, given in fields.items() if given is not None or name == "schema_collection"}
    held = value.endpoint if found.kind is Kind.ENDPOINT else value
    if not fields or all(
        name in held.__struct_fields__ and _same(getattr(held, name), fields[name]) for name in fields
    ):
        return []
    place = {} if found.kind in INSTANCE_KINDS else {"database": _home(found)}
    return [
        _converted(change, {"change": change.__struct_config__.tag, **place, "name": found.name, **fields}, "/patch")
    ]


def _same(held: Any, given: Any) -> bool:
    return bool(msgspec.to_builtins(held) == given)


def _database_changes(found: Found, patch: Mapping[str, Any]) -> Changes:
    """A database has a statement for each of its fields; the broker goes off first and on last."""
    value, home = _value(found), _home(found)
    wanted = _converted(DatabasePatch, dict(patch), "/patch")
    changes: Changes = []
    if wanted.is_broker_enabled is False and value.is_broker_enabled:
        changes.append(engine.BrokerSwitched(database=home, is_enabled=False))
    if wanted.partner_address is not msgspec.UNSET and wanted.partner_address != value.partner_address:
        changes.append(engine.PartnerSet(database=home, partner_address=wanted.partner_address))
    if wanted.is_priority_honoured is not msgspec.UNSET and wanted.is_priority_honoured != value.is_priority_honoured:
        changes.append(engine.PriorityHonoured(database=home, is_honoured=wanted.is_priority_honoured))
    if wanted.state is not msgspec.UNSET and wanted.state != value.state:
        changes.append(engine.DatabaseStateSet(database=home, state=wanted.state))
    if wanted.is_broker_enabled is True and not value.is_broker_enabled:
        changes.append(engine.BrokerSwitched(database=home, is_enabled=True))
    return changes


class DatabasePatch(msgspec.Struct, kw_only=True):
    """What of a database can be changed."""

    is_broker_enabled: bool | msgspec.UnsetType = msgspec.UNSET
    state: engine.DatabaseState | msgspec.UnsetType = msgspec.UNSET
    partner_address: str | msgspec.UnsetType | None = msgspec.UNSET
    is_priority_honoured: bool | msgspec.UnsetType = msgspec.UNSET


def _database_created(name: str, fields: Mapping[str, Any], new_id: Callable[[], Any]) -> Changes:
    _check_fields(Kind.DATABASE, fields, frozenset(DatabaseFields.__struct_fields__), "/fields")
    given = _converted(DatabaseFields, dict(fields), "/fields")
    identity = new_id() if given.broker_instance is None else engine.parse_broker_instance(given.broker_instance)
    home = engine.DatabaseName(name)
    changes: Changes = [engine.DatabaseCreated(database=home, broker_instance=identity)]
    if given.is_broker_enabled is False:
        changes.append(engine.BrokerSwitched(database=home, is_enabled=False))
    return changes


class DatabaseFields(msgspec.Struct, kw_only=True):
    """What a new database can be given; None is as CREATE DATABASE leaves it."""

    broker_instance: str | None = None
    is_broker_enabled: bool | None = None


class InstanceFields(msgspec.Struct, kw_only=True):
    """What a new instance can be given."""

    host_names: tuple[str, ...] | None = None


def instance_names(fields: Mapping[str, Any]) -> Changes:
    """The further host names that a new instance is given; `MalformedRequest` for other fields, or no list of texts."""
    _check_fields(Kind.INSTANCE, fields, frozenset(InstanceFields.__struct_fields__), "/fields")
    given = _converted(InstanceFields, dict(fields), "/fields")
    return [engine.HostNamesSet(host_names=given.host_names or ())]


def _made_route(name: str, fields: Mapping[str, Any], now: engine.UtcTime) -> engine.Route:
    texts = _converted(RouteTexts, dict(fields), "/fields")
    route, _warnings = engine.make_route(name=name, now=now, **msgspec.structs.asdict(texts))
    return route


class RouteTexts(msgspec.Struct, kw_only=True):
    """The clauses of a route as they are typed."""

    address: str = ""
    service_name: str | None = None
    broker_instance: str | None = None
    lifetime_seconds: int | None = None
    mirror_address: str | None = None


def _create_of(kind: Kind) -> tuple[Any, str, Any]:
    if kind not in _CREATES:
        raise MalformedRequest(
            _("An object of kind {value} cannot be made from fields.").format(value=kind_word(kind.value)),
            why=_("Certificates and keys are made by the engine, from a statement."),
            cure=_("Import its CREATE statement; an import can go into a change set too."),
        )
    return _CREATES[kind]


def _check_fields(kind: Kind, given: Collection[str], known: frozenset[str], pointer: str) -> None:
    for name in given:
        if name not in known:
            fields = ", ".join(sorted(known)) or _("none")
            raise MalformedRequest(
                _("{name} is no field of {value} that can be set here: {fields}.").format(
                    name=name, value=kind_word(kind.value), fields=fields
                ),
                why=_("No statement sets it."),
                cure=_("Leave it out, or drop the object and create it anew."),
                pointer=f"{pointer}/{name}",
            )


def _converted(shape: Any, given: Any, pointer: str) -> Any:
    try:
        return msgspec.convert(given, shape)
    except msgspec.ValidationError as error:
        text, place = misfit_of(error)
        first = place.removeprefix("$").removeprefix(".").partition(".")[0].partition("[")[0]
        raise MalformedRequest(
            f"{text}.",
            why=_("The field does not have the form it must have."),
            cure=_("Correct it and send it again."),
            pointer=pointer + (f"/{first}" if first else ""),
        ) from error


def _value(found: Found) -> Any:
    return found.value


def _home(found: Found) -> engine.DatabaseName:
    assert found.database is not None, "only objects of a database are asked"
    return found.database
