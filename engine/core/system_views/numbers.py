"""Numbers of objects, for views in which the vendor has ids: derived from kind and name, kept nowhere.

An object has the same number whenever the instance is asked, also after a restart and when it was dropped and made
again under its name. Two names of a kind whose numbers meet are told apart in order of definition: the later one
gets the next free number. What every database has by itself has the vendor's documented number where there is one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Final
from zlib import crc32

from engine.core.catalog.builtin import (
    BROKER_SERVICE,
    BUILT_IN_SERVICES,
    DIAGNOSTIC_CONTRACT,
    DIAGNOSTIC_TYPES,
    ECHO_CONTRACT,
    ECHO_TYPE,
    EVENT_CONTRACT,
    EVENT_TYPE,
    MISSING_ROUTE_TYPE,
    NOTICE_CONTRACT,
    QUERY_CONTRACT,
    QUERY_TYPE,
)
from engine.core.catalog.objects import (
    DEFAULT_CONTRACT,
    DEFAULT_TYPE,
    DIALOG_TIMER_TYPE,
    END_DIALOG_TYPE,
    ERROR_TYPE,
)
from engine.core.catalog.route_rules import AUTO_CREATED_LOCAL
from engine.core.vocabulary.identifiers import MASTER, MSDB


class Kind(StrEnum):
    """Kinds of numbered things; numbers of different kinds may be equal."""

    DATABASE = "database"
    MESSAGE_TYPE = "message type"
    CONTRACT = "contract"
    QUEUE = "queue"
    SERVICE = "service"
    ROUTE = "route"
    SCHEMA_COLLECTION = "schema collection"
    SCHEMA = "schema"
    CERTIFICATE = "certificate"
    PRIORITY = "priority"
    USER = "user"
    BINDING = "remote service binding"


USER_MADE_FIRST: Final = 65537
"""Numbers from 65536 are those of things people made (views.md 1, `route_id`)."""
_LAST: Final = 2**31 - 1
_DATABASE_FIRST: Final = 5
_DATABASE_LAST: Final = 2**15 - 1
"""`database_id` is a smallint in `sys.dm_broker_activated_tasks` (views.md 2)."""

OWNER: Final = 1
"""`principal_id` of every object: owners are not modelled, everything belongs to dbo."""
NOBODY: Final = 0
"""`principal_id` of public, in whose name an unsecured dialog acts (protocol.md 9.1)."""

_NOTICE_NAMES: Final = ("MissingRoute", "FailedRoute", "MissingRemoteServiceBinding", "FailedRemoteServiceBinding")

BUILT_IN: Final[Mapping[Kind, Mapping[str, int]]] = {
    Kind.DATABASE: {MASTER: 1, MSDB: 4},
    Kind.MESSAGE_TYPE: {
        ERROR_TYPE: 1,
        END_DIALOG_TYPE: 2,
        QUERY_TYPE: 3,
        EVENT_TYPE: 4,
        DIALOG_TIMER_TYPE: 5,
        **{
            MISSING_ROUTE_TYPE.replace("MissingRoute", name): number
            for number, name in enumerate(_NOTICE_NAMES, start=6)
        },
        ECHO_TYPE: 10,
        **{name: number for number, name in enumerate(DIAGNOSTIC_TYPES, start=11)},
        DEFAULT_TYPE: 14,
    },
    Kind.CONTRACT: {
        QUERY_CONTRACT: 1,
        EVENT_CONTRACT: 2,
        NOTICE_CONTRACT: 3,
        ECHO_CONTRACT: 4,
        DIAGNOSTIC_CONTRACT: 5,
        DEFAULT_CONTRACT: 6,
    },
    Kind.SERVICE: {BROKER_SERVICE: 3},
    Kind.QUEUE: {BUILT_IN_SERVICES[BROKER_SERVICE].queue: 3},
    Kind.ROUTE: {AUTO_CREATED_LOCAL.name: 65536},
    Kind.SCHEMA: {"dbo": 1},
}
"""Message types are numbered as documented (protocol.md 18), `AutoCreatedLocal` too (views.md 1); the numbers of
contracts, services, queues and databases are ours."""

_FOLDED: Final = frozenset(
    {Kind.DATABASE, Kind.QUEUE, Kind.ROUTE, Kind.SCHEMA, Kind.CERTIFICATE, Kind.PRIORITY, Kind.USER}
)
"""Kinds whose names are the same in any letter case (routing.md 1)."""


def numbers_of(kind: Kind, names: Iterable[str]) -> dict[str, int]:
    """The number of each name of a kind, in the order of `names`."""
    built_in = BUILT_IN.get(kind, {})
    taken = set(built_in.values())
    found: dict[str, int] = {}
    for name in names:
        number = built_in.get(name)
        if number is None:
            number = _free(kind, name, taken)
            taken.add(number)
        found[name] = number
    return found


def _free(kind: Kind, name: str, taken: set[int]) -> int:
    is_database = kind is Kind.DATABASE
    first, last = (_DATABASE_FIRST, _DATABASE_LAST) if is_database else (USER_MADE_FIRST, _LAST)
    key = name.casefold() if kind in _FOLDED else name
    number = first + crc32(f"{kind}:{key}".encode("utf-8", "surrogatepass")) % (last - first + 1)
    while number in taken:
        number = number + 1 if number < last else first
    return number
