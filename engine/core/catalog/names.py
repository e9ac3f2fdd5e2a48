"""How names of defined things are checked, compared and found.

Two rules meet here (routing.md 1). Names that travel in messages, of services, contracts and message types, are
compared code unit by code unit. Names that stay at home, of databases, queues, routes and endpoints, are compared
without regard to letter case, as under the vendor's default collation; the spelling given first is kept.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import TypeVar, cast

from engine.core.catalog.database import DatabaseCatalog
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.spelled_dict import SpelledDict
from engine.core.vocabulary.errors import CatalogError
from engine.core.vocabulary.identifiers import DatabaseName, QueueName, RouteName
from engine.core.vocabulary.limits import SERVICE_NAME_LENGTH_MAX, SYSNAME_LENGTH_MAX

DEFAULT_SCHEMA = "dbo"
_UNPRINTABLE = frozenset({"Cc", "Cs"})

Name = TypeVar("Name", bound=str)


def length_of(text: str) -> int:
    """Length in UTF-16 code units, the vendor's characters."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def has_unprintable(text: str) -> bool:
    """Whether the text holds a control character or half a surrogate pair."""
    return not text.isprintable() and any(unicodedata.category(character) in _UNPRINTABLE for character in text)


def is_service_name(text: str) -> bool:
    """Whether a remote service can be called that: 1 to 256 characters, none of them a control character (8412)."""
    return 0 < length_of(text) <= SERVICE_NAME_LENGTH_MAX and not has_unprintable(text)


def check_name(name: str) -> None:
    """Refuse what cannot be an object name: empty (1038), too long (103), unprintable (153)."""
    if not name.strip():
        raise CatalogError(1038)
    if length_of(name) > SYSNAME_LENGTH_MAX:
        raise CatalogError(103, name=name, limit=SYSNAME_LENGTH_MAX)
    if has_unprintable(name):
        raise CatalogError(153, name=name, value="A control character", detail="names are made of printable ones")


def check_travelling_name(name: str) -> None:
    """Refuse what cannot name a service, contract or message type: as `check_name`, and the keyword ANY (153)."""
    check_name(name)
    if name.upper() == "ANY":
        raise CatalogError(153, name=name, value="ANY", detail="it means every name in a conversation priority")


def same_name(one: str, other: str) -> bool:
    """Whether two names of databases, queues, routes or endpoints are the same name."""
    return one.casefold() == other.casefold()


def spelling_in(names: Mapping[Name, object], name: str) -> Name | None:
    """The key that is `name` without regard to letter case, as it is spelled there; None when there is none."""
    if name in names:
        return cast("Name", name)
    if isinstance(names, SpelledDict):
        return cast("Name | None", names.spelling_of(name))
    folded = name.casefold()
    return next((key for key in names if key.casefold() == folded), None)


def with_schema(name: str) -> QueueName:
    """The queue's name with its schema: `dbo.` goes in front of a name without any."""
    return QueueName(name if "." in name else f"{DEFAULT_SCHEMA}.{name}")


def find_database(catalog: InstanceCatalog, name: str) -> DatabaseCatalog:
    """The database called `name` in any letter case; `CatalogError` 911 when there is none."""
    key = spelling_in(catalog.databases, name)
    if key is None:
        raise CatalogError(911, database=name)
    return catalog.databases[key]


def find_queue(database: DatabaseCatalog, name: str) -> QueueName:
    """The queue called `name` in any letter case, with or without `dbo.`; `CatalogError` 15151 when there is none."""
    key = spelling_in(database.queues, name)
    if key is None and "." not in name:
        key = spelling_in(database.queues, with_schema(name))
    if key is None:
        raise no_such("queue", name, database.name)
    return key


def find_route(database: DatabaseCatalog, name: str) -> RouteName:
    """The route called `name` in any letter case; `CatalogError` 15151 when there is none."""
    key = spelling_in(database.routes, name)
    if key is None:
        raise no_such("route", name, database.name)
    return key


def no_such(kind: str, name: str, where: DatabaseName | str) -> CatalogError:
    """The error for an object that is not there (15151)."""
    return CatalogError(15151, value=kind, name=name, database=where)
