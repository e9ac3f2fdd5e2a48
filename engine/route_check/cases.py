"""What a file of cases says, read and checked: routes, instance, conversation, and what is expected of the router."""

from __future__ import annotations

from enum import StrEnum
from typing import Final
from uuid import UUID, uuid5

import msgspec

from engine.core.catalog.address import parse_broker_instance
from engine.core.catalog.database import DatabaseState
from engine.core.catalog.route import Route
from engine.core.vocabulary.errors import CatalogError
from engine.core.vocabulary.identifiers import BrokerInstanceId, DatabaseName, ServiceName
from engine.core.vocabulary.messages import TcpAddress
from engine.core.vocabulary.moment import UtcTime

NOW: Final = UtcTime(1_000_000_000.0)
"""The instant at which every case is asked. Lifetimes count from it, so any instant would do."""

HOME: Final = DatabaseName("Home")
"""The database in which conversations from inside live."""

_IDS: Final = UUID("6f1d3c0e-9d43-5d5e-8a37-0d8e4f1b7c52")


class Outcome(StrEnum):
    """What becomes of a message, in the words of the format."""

    DELIVER_LOCAL = "deliver_local"
    SEND = "send"
    FORWARD = "forward"
    DELAYED = "delayed"
    DROP = "drop"
    ONE_OF = "one_of"


class Said(StrEnum):
    """Whether an expectation says something about a value: absent is no claim, null is "there is none"."""

    NOTHING = "nothing"


Address = TcpAddress | str
"""An address to compare: a network address, or one of the words LOCAL and TRANSPORT."""


class Expectation(msgspec.Struct, frozen=True, kw_only=True):
    """What must hold. Only an alternative of `one_of` may leave the outcome open."""

    outcome: Outcome | None = None
    candidates: frozenset[str] | None = None
    """Route names, case folded; None is no claim."""
    chosen: str | Said | None = Said.NOTHING
    """A route name, case folded."""
    address: Address | Said | None = Said.NOTHING
    match_step: int | Said | None = Said.NOTHING
    alternatives: tuple[Expectation, ...] = ()
    text: str
    """As a reader would say it."""


class DatabaseCase(msgspec.Struct, frozen=True, kw_only=True):
    """A database of the instance, as `setup.databases` describes it."""

    name: DatabaseName
    broker_instance: BrokerInstanceId | None = None
    services: tuple[ServiceName, ...] = ()
    state: DatabaseState = DatabaseState.ONLINE
    is_broker_enabled: bool = True


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """One test: tables, instance and conversation, and what the router must answer."""

    id: str
    file: str
    line: int
    home_routes: tuple[Route, ...] = ()
    msdb_routes: tuple[Route, ...] = ()
    route_lines: tuple[int, ...] = ()
    """The lines of the routes, first those of the database, then those of msdb."""
    hosts_target_service: bool = False
    forwarding: bool = False
    service: ServiceName
    broker_instance: BrokerInstanceId | None = None
    from_outside: bool = False
    from_target: bool = False
    owned: tuple[BrokerInstanceId, ...] = ()
    own_addresses: tuple[TcpAddress, ...] = ()
    principal: TcpAddress | None = None
    pending: tuple[ServiceName, ...] = ()
    databases: tuple[DatabaseCase, ...] = ()
    expected: Expectation
    also_acceptable: tuple[Expectation, ...] = ()
    spellings: dict[UUID, str] = {}
    """Every broker id of the case as it was typed first."""

    def spell(self, broker: UUID) -> str:
        """A broker id as the writer of the case typed it."""
        return self.spellings.get(broker, str(broker))


def broker_id(text: str) -> BrokerInstanceId:
    """The id that `text` stands for: a GUID itself, any other text a GUID of its own in any letter case (E18)."""
    try:
        return parse_broker_instance(text)
    except CatalogError:
        return unowned_id(text.casefold())


def unowned_id(text: str) -> BrokerInstanceId:
    """An id made from a text; the same text gives the same id."""
    return BrokerInstanceId(uuid5(_IDS, text))
