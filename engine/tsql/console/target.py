"""`ConsoleTarget`: what a session needs of the instance that it works on, live or simulated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol
from uuid import UUID

from engine.core.catalog.backup import DatabaseBackup
from engine.core.catalog.changes import CatalogChange
from engine.core.catalog.instance import InstanceCatalog
from engine.core.exchange.commands import Command
from engine.core.exchange.replies import Reply
from engine.core.exchange.system_views import SystemViewQuery, SystemViewRows
from engine.core.vocabulary.identifiers import DatabaseName
from engine.core.vocabulary.keys import KeySmith
from engine.core.vocabulary.moment import UtcTime
from engine.tsql.server_files import ServerFiles


class Backups(Protocol):
    """A place for what BACKUP DATABASE … TO DISK and sp_detach_db leave behind, by the names of files."""

    def put(self, file: str, backup: DatabaseBackup) -> None:
        """Keep it, in the place of an earlier one of that name."""
        ...

    def get(self, file: str) -> DatabaseBackup | None:
        """What is kept under a name; None when there is nothing."""
        ...


class TargetUnavailable(Exception):
    """The instance does not answer, or is down; what a statement would have done may have happened."""


class NotTakenYet(TargetUnavailable):
    """A definition was not taken, or stands and has not reached the instance yet; the session goes on."""


class ConsoleTarget(Protocol):
    """One instance. A method answers for the state as it is when it is called; it may raise `TargetUnavailable`."""

    @property
    def backups(self) -> Backups | None:
        """Where backups go; None where databases are not backed up from a console (3202)."""
        ...

    @property
    def files(self) -> ServerFiles | None:
        """Certificate files, which all instances of the estate share; None where there are none (15208, 15240)."""
        ...

    @property
    def smith(self) -> KeySmith | None:
        """Who makes keys for CREATE CERTIFICATE and CREATE MASTER KEY; None where nobody does (28054)."""
        ...

    def ensure_runs(self) -> None:
        """Raises `TargetUnavailable` for an instance that is known to be down. Nobody is asked who might be slow."""
        ...

    def execute(self, commands: Sequence[Command]) -> list[Reply]:
        """Carry out commands in order, one reply each. A WAITFOR is waited for."""
        ...

    def catalog(self) -> InstanceCatalog:
        """What is defined now; not to be changed by the reader."""
        ...

    def change(self, changes: Sequence[CatalogChange]) -> None:
        """Carry out DDL, all of it or nothing; `BrokerError` says why not."""
        ...

    def fail_over(self, database: DatabaseName, *, is_forced: bool) -> None:
        """SET PARTNER FAILOVER, or FORCE_SERVICE_ALLOW_DATA_LOSS, given to this partner; `BrokerError` says why not."""
        ...

    def system_view(self, query: SystemViewQuery) -> SystemViewRows:
        """One page of a system view or of a queue; errors as `read_system_view` of the core."""
        ...

    def now(self) -> UtcTime:
        """The time of the instance."""
        ...

    def new_uuid(self) -> UUID:
        """An identifier that was never handed out before."""
        ...

    def pause(self, seconds: float) -> None:
        """WAITFOR DELAY: let so much time of the instance pass; `BrokerError` says why less has."""
        ...


def database_named(catalog: InstanceCatalog, name: str) -> DatabaseName | None:
    """The database called `name` in any letter case, as it is spelled; None when there is none."""
    folded = name.casefold()
    return next((each for each in catalog.databases if each.casefold() == folded), None)
