"""The objects that a catalog consists of: each can be named, compared, taken out and put in alone.

An object is what one statement defines. Permissions belong to what they are on, and what is left of a database and of
the instance without their objects is an object too, so that a catalog is its objects and nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any, Final, NamedTuple, cast

import msgspec

from engine.core.catalog.database import DatabaseCatalog, DatabaseState
from engine.core.catalog.event_notifications import notifications_by_key
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.objects import (
    BrokerPriority,
    Contract,
    Endpoint,
    EventNotification,
    MessageType,
    Queue,
    Service,
)
from engine.core.catalog.revision import copy
from engine.core.catalog.route import Route
from engine.core.catalog.security import Certificate, ConnectPermission, Login, MasterKey, RemoteServiceBinding, User
from engine.core.catalog.spelled_dict import SpelledDict
from engine.core.vocabulary.identifiers import BrokerInstanceId, DatabaseName

INSTANCE_LEVEL: Final = ""
"""In a key, instead of a database: the object belongs to the instance."""


class ObjectKind(StrEnum):
    """What an object is."""

    INSTANCE = "instance"
    ENDPOINT = "endpoint"
    LOGIN = "login"
    DATABASE = "database"
    MESSAGE_TYPE = "message-type"
    CONTRACT = "contract"
    QUEUE = "queue"
    SERVICE = "service"
    ROUTE = "route"
    MASTER_KEY = "master-key"
    USER = "user"
    CERTIFICATE = "certificate"
    REMOTE_SERVICE_BINDING = "remote-service-binding"
    PRIORITY = "priority"
    EVENT_NOTIFICATION = "event-notification"


class InstanceFacts(msgspec.Struct, frozen=True):
    """An instance less everything in it."""

    host_names: tuple[str, ...]


class EndpointFacts(msgspec.Struct, frozen=True):
    """The endpoint and who may connect to it: the permissions go with it."""

    endpoint: Endpoint
    connect_permissions: tuple[ConnectPermission, ...]


class DatabaseFacts(msgspec.Struct, frozen=True):
    """A database less everything in it."""

    broker_instance: BrokerInstanceId
    is_broker_enabled: bool
    state: DatabaseState
    partner_address: str | None
    is_priority_honoured: bool
    is_trustworthy: bool = False


ObjectValue = (
    InstanceFacts
    | EndpointFacts
    | Login
    | DatabaseFacts
    | MessageType
    | Contract
    | Queue
    | Service
    | Route
    | MasterKey
    | User
    | Certificate
    | RemoteServiceBinding
    | BrokerPriority
    | EventNotification
)

VALUES: Final[dict[ObjectKind, type[Any]]] = {
    ObjectKind.INSTANCE: InstanceFacts,
    ObjectKind.ENDPOINT: EndpointFacts,
    ObjectKind.LOGIN: Login,
    ObjectKind.DATABASE: DatabaseFacts,
    ObjectKind.MESSAGE_TYPE: MessageType,
    ObjectKind.CONTRACT: Contract,
    ObjectKind.QUEUE: Queue,
    ObjectKind.SERVICE: Service,
    ObjectKind.ROUTE: Route,
    ObjectKind.MASTER_KEY: MasterKey,
    ObjectKind.USER: User,
    ObjectKind.CERTIFICATE: Certificate,
    ObjectKind.REMOTE_SERVICE_BINDING: RemoteServiceBinding,
    ObjectKind.PRIORITY: BrokerPriority,
    ObjectKind.EVENT_NOTIFICATION: EventNotification,
}
"""What an object of each kind holds."""

SECTIONS: Final[dict[ObjectKind, str]] = {
    ObjectKind.MESSAGE_TYPE: "message_types",
    ObjectKind.CONTRACT: "contracts",
    ObjectKind.QUEUE: "queues",
    ObjectKind.SERVICE: "services",
    ObjectKind.ROUTE: "routes",
    ObjectKind.USER: "users",
    ObjectKind.CERTIFICATE: "certificates",
    ObjectKind.REMOTE_SERVICE_BINDING: "remote_service_bindings",
    ObjectKind.PRIORITY: "priorities",
    ObjectKind.EVENT_NOTIFICATION: "event_notifications",
}
"""In which dictionary of a database the objects of a kind are, by name."""

_TRAVELLING: Final = (ObjectKind.MESSAGE_TYPE, ObjectKind.CONTRACT, ObjectKind.SERVICE)
"""Their names are compared code unit by code unit; all others without regard to letter case (routing.md 1)."""
_ONLY_ONE: Final = (ObjectKind.INSTANCE, ObjectKind.ENDPOINT, ObjectKind.DATABASE, ObjectKind.MASTER_KEY)
"""There is one at most where they are, so that their name tells nothing."""


class ObjectKey(NamedTuple):
    """Which object of an instance, in the form in which two spellings of a name are one."""

    database: str
    kind: ObjectKind
    name: str


class CatalogObject(msgspec.Struct, frozen=True):
    """An object with its names as they are spelled."""

    kind: ObjectKind
    database: DatabaseName | None
    """None: it belongs to the instance."""
    name: str
    value: ObjectValue

    @property
    def key(self) -> ObjectKey:
        """What it is found by."""
        return object_key(self.database, self.kind, self.name)


def object_key(database: str | None, kind: ObjectKind, name: str) -> ObjectKey:
    """The key of an object, however its names are spelled."""
    home = INSTANCE_LEVEL if database is None else database.casefold()
    if kind in _ONLY_ONE:
        return ObjectKey(home, kind, "")
    return ObjectKey(home, kind, name if kind in _TRAVELLING else name.casefold())


def objects_of(catalog: InstanceCatalog) -> dict[ObjectKey, CatalogObject]:
    """Every object of an instance, in the order of its making, databases before what is in them."""
    found = {each.key: each for each in of_instance(catalog)}
    for database in catalog.databases.values():
        found.update((each.key, each) for each in objects_in(database))
    return found


def object_at(catalog: InstanceCatalog, key: ObjectKey) -> CatalogObject | None:
    """The object of that key, None when the catalog has none."""
    if key.database == INSTANCE_LEVEL:
        return next((each for each in of_instance(catalog) if each.key == key), None)
    database = database_at(catalog, key.database)
    if database is None:
        return None
    section = SECTIONS.get(key.kind)
    if section is None:
        return next((each for each in own_of_database(database) if each.kind is key.kind), None)
    values: Mapping[str, ObjectValue] = getattr(database, section)
    name = _spelling(values, key.name)
    return None if name is None else CatalogObject(key.kind, database.name, name, values[name])


def database_at(catalog: InstanceCatalog, folded_name: str) -> DatabaseCatalog | None:
    """The database of that name, None when the catalog has none."""
    name = _spelling(catalog.databases, folded_name)
    return None if name is None else catalog.databases[cast("DatabaseName", name)]


def of_instance(catalog: InstanceCatalog) -> Iterator[CatalogObject]:
    """The objects that belong to the instance itself."""
    yield CatalogObject(ObjectKind.INSTANCE, None, catalog.name, InstanceFacts(catalog.host_names))
    for login in catalog.logins.values():
        yield CatalogObject(ObjectKind.LOGIN, None, login.name, login)
    if catalog.endpoint is not None:
        facts = EndpointFacts(catalog.endpoint, tuple(catalog.connect_permissions.values()))
        yield CatalogObject(ObjectKind.ENDPOINT, None, catalog.endpoint.name, facts)


def own_of_database(database: DatabaseCatalog) -> Iterator[CatalogObject]:
    """A database less what is defined in it by name."""
    facts = DatabaseFacts(
        broker_instance=database.broker_instance,
        is_broker_enabled=database.is_broker_enabled,
        state=database.state,
        partner_address=database.partner_address,
        is_priority_honoured=database.is_priority_honoured,
        is_trustworthy=database.is_trustworthy,
    )
    yield CatalogObject(ObjectKind.DATABASE, database.name, database.name, facts)
    if database.master_key is not None:
        yield CatalogObject(ObjectKind.MASTER_KEY, database.name, database.name, database.master_key)


def objects_in(database: DatabaseCatalog) -> Iterator[CatalogObject]:
    """The database itself and everything in it."""
    yield from own_of_database(database)
    for kind, section in SECTIONS.items():
        for name, value in getattr(database, section).items():
            yield CatalogObject(kind, database.name, name, value)


def _spelling(values: Mapping[Any, object], name: str) -> str | None:
    """The key as it is spelled; `name` is folded where spellings do not count."""
    if isinstance(values, SpelledDict):
        return values.spelling_of(name)
    return name if name in values else None


def same_object(one: CatalogObject | None, other: CatalogObject | None) -> bool:
    """Whether two objects are defined alike; how names at home are spelled and how lists are ordered says nothing."""
    if one is None or other is None:
        return one is other
    return same_value(one.value, other.value)


def same_value(one: ObjectValue, other: ObjectValue) -> bool:
    """As `same_object`, for what they hold."""
    if one is other or one == other:
        return True
    if type(one) is not type(other) or (isinstance(one, _PLAIN) and _name(one) == _name(other)):
        return False
    return _canonical(one) == _canonical(other)


_PLAIN: Final = (InstanceFacts, DatabaseFacts, MessageType, Route, MasterKey, BrokerPriority)
"""Nothing in them but their name can be spelled or ordered in several ways. There are many routes."""


def _name(value: ObjectValue) -> str | None:
    return getattr(value, "name", None)


_FOLDED: Final = frozenset({"name", "queue", "owner", "user", "login"})
_UNORDERED: Final = frozenset({"uses", "contracts", "events"})


def _canonical(value: Any) -> dict[str, object]:
    """What counts of a value. Travelling names are equal already where keys are, so folding them does no harm."""
    counted: dict[str, object] = {}
    for field in value.__struct_fields__:
        held = getattr(value, field)
        if field in _FOLDED and isinstance(held, str):
            held = held.casefold()
        elif field in _UNORDERED:
            held = frozenset(held)
        elif field.endswith("permissions"):
            held = frozenset((each.grantee.casefold(), each.is_denied) for each in held)
        elif isinstance(held, Endpoint):
            held = tuple(_canonical(held).items())
        counted[field] = held
    return counted


def with_objects(catalog: InstanceCatalog, wanted: Mapping[ObjectKey, CatalogObject | None]) -> InstanceCatalog:
    """A catalog in which each of these objects is as given, or absent; `catalog` itself stays as it is.

    An object whose database is neither there nor given has no place and raises `KeyError`. Whether objects fit together
    is not looked at; comparing with another catalog by `diff` does that.
    """
    changed = copy(catalog)
    for key, found in wanted.items():
        if key.kind is ObjectKind.DATABASE:
            _put_database(changed, key, found)
    for key, found in wanted.items():
        if key.kind is ObjectKind.DATABASE:
            continue
        if key.database == INSTANCE_LEVEL:
            _put_into_instance(changed, key, found)
            continue
        database = database_at(changed, key.database)
        if database is not None:
            _put_into_database(database, key, found)
        elif found is not None:
            raise KeyError(key)
    for home in {key.database for key in wanted if key.kind is ObjectKind.EVENT_NOTIFICATION}:
        database = database_at(changed, home)
        if database is not None:
            database.event_notifications = notifications_by_key(database.event_notifications.values())
    return changed


def _put_database(catalog: InstanceCatalog, key: ObjectKey, found: CatalogObject | None) -> None:
    present = database_at(catalog, key.database)
    if found is None:
        if present is not None:
            del catalog.databases[present.name]
        return
    facts = cast("DatabaseFacts", found.value)
    if present is None:
        name = DatabaseName(found.name)
        present = DatabaseCatalog(name=name, broker_instance=facts.broker_instance)
        catalog.databases[name] = present
    for field in facts.__struct_fields__:
        setattr(present, field, getattr(facts, field))


def _put_into_instance(catalog: InstanceCatalog, key: ObjectKey, found: CatalogObject | None) -> None:
    value = None if found is None else found.value
    match key.kind:
        case ObjectKind.INSTANCE:
            catalog.host_names = () if value is None else cast("InstanceFacts", value).host_names
        case ObjectKind.ENDPOINT:
            facts = cast("EndpointFacts | None", value)
            catalog.endpoint = None if facts is None else facts.endpoint
            permissions = () if facts is None else facts.connect_permissions
            catalog.connect_permissions = SpelledDict({each.grantee: each for each in permissions})
        case _:
            _put(cast("dict[str, Any]", catalog.logins), key, found)


def _put_into_database(database: DatabaseCatalog, key: ObjectKey, found: CatalogObject | None) -> None:
    if key.kind is ObjectKind.MASTER_KEY:
        database.master_key = None if found is None else cast("MasterKey", found.value)
    else:
        _put(getattr(database, SECTIONS[key.kind]), key, found)


def _put(values: dict[str, Any], key: ObjectKey, found: CatalogObject | None) -> None:
    present = _spelling(values, key.name)
    if present is not None and (found is None or present != found.name):
        del values[present]
    if found is not None:
        values[found.name] = found.value


_encoder: Final = msgspec.json.Encoder(uuid_format="canonical")
_decoders: Final = {kind: msgspec.json.Decoder(value) for kind, value in VALUES.items()}
_NOTHING: Final = b"null"


def value_to_json(found: CatalogObject | None) -> bytes:
    """What an object holds, as JSON; null for no object."""
    return _NOTHING if found is None else _encoder.encode(found.value)


def value_from_json(kind: ObjectKind, database: str | None, name: str, stored: bytes) -> CatalogObject | None:
    """The object as it was before `value_to_json`."""
    if stored == _NOTHING:
        return None
    home = None if database is None else DatabaseName(database)
    return CatalogObject(kind, home, name, _decoders[kind].decode(stored))
