"""Views of who there is in a database, what each may do, and the keys under which its secrets are kept."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, NamedTuple
from uuid import uuid5

from engine.core.catalog.security import PrincipalKind, User
from engine.core.system_views.definition import NULL, Column, Scope, SystemView, fixed
from engine.core.system_views.numbers import PRINCIPALS, user_id
from engine.core.system_views.object_views import DATES_DIFFER
from engine.core.system_views.reading import ViewReader
from engine.core.vocabulary.identifiers import MASTER
from engine.core.vocabulary.moment import NEVER_SET

_SQL_USER, _ROLE = ("S", "SQL_USER"), ("R", "DATABASE_ROLE")
_OF_CERTIFICATE: Final = ("C", "CERTIFICATE_MAPPED_USER")
_FIXED_FIRST: Final = 16384
"""The first number of a fixed role."""


class _Principal(NamedTuple):
    name: str
    number: int
    kind: tuple[str, str]
    login: str | None


def _principals(reader: ViewReader) -> Iterable[_Principal]:
    for name, number in PRINCIPALS.items():
        yield _Principal(name, number, _ROLE if number == 0 or number >= _FIXED_FIRST else _SQL_USER, None)
    for user in reader.database.users.values():
        if user.name.casefold() not in PRINCIPALS:
            yield _Principal(user.name, user_id(user.name), _kind(user), user.login)


def _kind(user: User) -> tuple[str, str]:
    return _OF_CERTIFICATE if user.kind is PrincipalKind.MAPPED_TO_KEY else _SQL_USER


def _is_role(principal: _Principal) -> bool:
    return principal.kind is _ROLE


DATABASE_PRINCIPALS: Final = SystemView[_Principal](
    name="sys.database_principals",
    about="Users and roles of the database.",
    scope=Scope.DATABASE,
    rows=_principals,
    columns=(
        Column("name", "sysname", "user or role", lambda _, each: each.name),
        Column("principal_id", "int", "id", lambda _, each: each.number),
        Column("type", "char(1)", "S user, R role, C mapped to a key", lambda _, each: each.kind[0]),
        Column("type_desc", "nvarchar(60)", "the same in words", lambda _, each: each.kind[1], NULL),
        Column(
            "default_schema_name",
            "sysname",
            "dbo; none for a role",
            lambda _, each: None if _is_role(each) else "dbo",
            NULL,
        ),
        Column("create_date", "datetime", "when it was made", fixed(NEVER_SET)),
        Column("modify_date", "datetime", "when it was last altered", fixed(NEVER_SET)),
        Column("owning_principal_id", "int", "owner of a role", lambda _, each: 1 if _is_role(each) else None, NULL),
        Column(
            "sid", "varbinary(85)", "login; 0x01 is sa", lambda _, each: b"\x01" if each.name == "dbo" else None, NULL
        ),
        Column(
            "is_fixed_role",
            "bit",
            "a fixed role",
            lambda _, each: each.number >= _FIXED_FIRST and each.name in PRINCIPALS,
        ),
        Column("authentication_type", "int", "0 none, 1 instance", lambda _, each: int(_has_login(each))),
        Column(
            "authentication_type_desc",
            "nvarchar(60)",
            "the same in words",
            lambda _, each: "INSTANCE" if _has_login(each) else "NONE",
            NULL,
        ),
    ),
    differs=(
        "Roles that people made are not modelled; the ids of users are derived from their names.",
        "`sid` is known of dbo alone. The columns of contained databases and encryption are left out.",
        DATES_DIFFER,
    ),
)


def _has_login(principal: _Principal) -> bool:
    return principal.login is not None or principal.name == "dbo"


class _Permission(NamedTuple):
    securable: tuple[int, str]
    major_id: int
    grantee: str
    permission: tuple[str, str]
    is_denied: bool


_DATABASE, _OBJECT, _SERVICE = (0, "DATABASE"), (1, "OBJECT_OR_COLUMN"), (17, "SERVICE")
_CONNECT, _RECEIVE, _SEND = ("CO  ", "CONNECT"), ("RC  ", "RECEIVE"), ("SN  ", "SEND")


def _permissions(reader: ViewReader) -> Iterable[_Permission]:
    database = reader.database
    yield _Permission(_DATABASE, 0, "dbo", _CONNECT, False)
    for user in database.users.values():
        if user.name.casefold() not in PRINCIPALS:
            yield _Permission(_DATABASE, 0, user.name, _CONNECT, False)
    for queue in database.queues.values():
        for each in queue.receive_permissions:
            yield _Permission(_OBJECT, reader.queue_id(queue.name), each.grantee, _RECEIVE, each.is_denied)
    for service in database.services.values():
        for each in service.send_permissions:
            yield _Permission(_SERVICE, reader.service_id(service.name), each.grantee, _SEND, each.is_denied)


DATABASE_PERMISSIONS: Final = SystemView[_Permission](
    name="sys.database_permissions",
    about="Permissions of the database: CONNECT, RECEIVE on queues, SEND on services.",
    scope=Scope.DATABASE,
    rows=_permissions,
    columns=(
        Column("class", "tinyint", "0 database, 1 queue, 17 service", lambda _, each: each.securable[0]),
        Column("class_desc", "nvarchar(60)", "the same in words", lambda _, each: each.securable[1], NULL),
        Column("major_id", "int", "queue or service; 0 = the database", lambda _, each: each.major_id),
        Column("minor_id", "int", "0", fixed(0)),
        Column("grantee_principal_id", "int", "who has it", lambda _, each: user_id(each.grantee)),
        Column("grantor_principal_id", "int", "1 = dbo", fixed(1)),
        Column("type", "char(4)", "CO, RC or SN", lambda _, each: each.permission[0]),
        Column("permission_name", "nvarchar(128)", "the same in words", lambda _, each: each.permission[1], NULL),
        Column("state", "char(1)", "G granted, D denied", lambda _, each: "D" if each.is_denied else "G"),
        Column(
            "state_desc",
            "nvarchar(60)",
            "the same in words",
            lambda _, each: "DENY" if each.is_denied else "GRANT",
            NULL,
        ),
    ),
    differs=("Other permissions are not modelled. Queues and services are born with one for public here.",),
)


class _Key(NamedTuple):
    name: str
    number: int


def _keys(reader: ViewReader) -> Iterable[_Key]:
    if reader.database.master_key is not None:
        yield _Key("##MS_DatabaseMasterKey##", 101)
    if reader.database.name == MASTER:
        yield _Key("##MS_ServiceMasterKey##", 102)


SYMMETRIC_KEYS: Final = SystemView[_Key](
    name="sys.symmetric_keys",
    about="Symmetric keys of the database: its master key, and in master that of the service.",
    scope=Scope.DATABASE,
    rows=_keys,
    columns=(
        Column("name", "sysname", "key", lambda _, each: each.name),
        Column("principal_id", "int", "owner", fixed(1), NULL),
        Column("symmetric_key_id", "int", "101 or 102", lambda _, each: each.number),
        Column("key_length", "int", "bits", fixed(256)),
        Column("key_algorithm", "char(2)", "A3", fixed("A3")),
        Column("algorithm_desc", "nvarchar(60)", "AES_256", fixed("AES_256"), NULL),
        Column("create_date", "datetime", "when it was made", fixed(NEVER_SET)),
        Column("modify_date", "datetime", "when it was last altered", fixed(NEVER_SET)),
        Column(
            "key_guid",
            "uniqueidentifier",
            "id",
            lambda reader, each: uuid5(reader.database.broker_instance, each.name),
            NULL,
        ),
        Column("key_thumbprint", "varbinary(32)", "none", fixed(None), NULL),
        Column("provider_type", "nvarchar(120)", "none", fixed(None), NULL),
        Column("cryptographic_provider_guid", "uniqueidentifier", "none", fixed(None), NULL),
        Column("cryptographic_provider_algid", "varbinary(8)", "none", fixed(None), NULL),
    ),
    differs=("Other symmetric keys are not modelled. `key_guid` is derived from the name.", DATES_DIFFER),
)

VIEWS: Final[tuple[SystemView[Any], ...]] = (DATABASE_PRINCIPALS, DATABASE_PERMISSIONS, SYMMETRIC_KEYS)
