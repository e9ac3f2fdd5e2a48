"""The T-SQL console for whoever stands outside: sessions, what they answer, completion, and live instances as targets.

`engine.api.console` is this module. A session on a sandbox takes `engine.api.sandbox.SandboxTarget`, which
`engine.api.sandboxes.kept_instance` makes for one that is kept.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import Event, get_ident
from typing import Final
from uuid import UUID, uuid4

from engine.core.catalog.changes import CatalogChange
from engine.core.catalog.instance import InstanceCatalog
from engine.core.exchange.commands import Command, WaitingStatement
from engine.core.exchange.replies import Reply
from engine.core.exchange.system_views import SystemViewQuery, SystemViewRows
from engine.core.vocabulary.errors import LocalProtocolError, Parameter
from engine.core.vocabulary.identifiers import CommandId, DatabaseName
from engine.core.vocabulary.keys import KeySmith
from engine.core.vocabulary.moment import UtcTime
from engine.hosting import client
from engine.hosting.errors import EngineUnavailable
from engine.hosting.session.client import EngineSession
from engine.storage.scratch_memory import MEMORY, ScratchExhausted, value_bytes
from engine.tsql.console.completing import Completion, Item, ItemKind, complete
from engine.tsql.console.failing import TOO_MANY_STATEMENTS, failed, told
from engine.tsql.console.numbering import FIRST_NUMBER, SessionNumbers
from engine.tsql.console.outputs import ConsoleOutput, Failed, Printed, ResultSet, RowsAffected
from engine.tsql.console.session import SCRIPT_LENGTH_MAX
from engine.tsql.console.session import ConsoleSession as PureSession
from engine.tsql.console.showing import output_lines
from engine.tsql.console.target import Backups, ConsoleTarget, NotTakenYet, TargetUnavailable
from engine.tsql.passwords import without_passwords
from engine.tsql.server_files import ServerFiles, check_write, file_key

__all__ = [
    "SCRIPT_LENGTH_MAX",
    "Backups",
    "Completion",
    "ConsoleOutput",
    "ConsoleSession",
    "ConsoleTarget",
    "Failed",
    "Item",
    "ItemKind",
    "LiveTarget",
    "NotTakenYet",
    "Printed",
    "ResultSet",
    "RowsAffected",
    "ScratchExhausted",
    "ServerFiles",
    "SessionNumbers",
    "TargetUnavailable",
    "check_write",
    "complete",
    "failure",
    "file_key",
    "held_outputs",
    "output_lines",
    "value_bytes",
    "without_passwords",
]


def failure(number: int, **parameters: Parameter) -> Failed:
    """An error of the catalogue as a script would answer it, for what is refused before the script runs."""
    return told(failed(number, at=1, **parameters))


@contextmanager
def held_outputs() -> Iterator[Callable[[int], None]]:
    """A function to be called with the bytes of each output that is kept, until the end of the block.

    They count with what sessions of this process hold; it raises `ScratchExhausted` when there is no room.
    """
    held = 0

    def hold(size: int) -> None:
        nonlocal held
        MEMORY.hold(size)
        held += size

    with MEMORY.used():
        try:
            yield hold
        finally:
            MEMORY.hold(-held)


PROCESSOR_SECONDS_MAX: Final = 60.0
"""Of one script. What waits takes none."""
_LOOKS_AT_ONCE: Final = 16
"""Looks of which one reads the clock."""


class ConsoleSession(PureSession):
    """A session whose scripts take so much processor time at most; beyond it they are stopped with 8649."""

    def __init__(
        self,
        target: ConsoleTarget,
        database: str,
        watch: Callable[[], None] = lambda: None,
        number: int = FIRST_NUMBER,
    ) -> None:
        """As the session of which it is one."""
        self._processor = _Processor()

        def look() -> None:
            watch()
            self._processor.look()

        super().__init__(target, database, look, number)

    def run(self, script: str) -> Iterator[ConsoleOutput]:
        """As the session of which it is one."""
        self._processor.begin()
        yield from super().run(script)


class _Processor:
    """The processor time of a script, as the thread that runs it takes it."""

    def __init__(self) -> None:
        self._seconds = 0.0
        self._looks = 0
        self._seen: tuple[int, float] = 0, 0.0
        """The thread that looked last, and what it had taken by then."""

    def begin(self) -> None:
        """A script begins."""
        self._seconds, self._looks = 0.0, 0
        self._seen = get_ident(), time.thread_time()

    def look(self) -> None:
        """Raises 8649 when the script has taken too much."""
        self._looks += 1
        if self._looks % _LOOKS_AT_ONCE == 0:
            thread, before = self._seen
            self._seen = get_ident(), time.thread_time()
            if thread == self._seen[0]:
                self._seconds += self._seen[1] - before
        if self._seconds > PROCESSOR_SECONDS_MAX:
            raise failed(TOO_MANY_STATEMENTS, expected=f"{PROCESSOR_SECONDS_MAX:.0f} s of processor time")


class LiveTarget:
    """A running instance, asked by the functions of the client, or in a session. `ConsoleTarget`.

    What is wanted of an estate is not the engine's, so DDL and the catalog are callables: `change` decides, and returns
    when the instance has it or raises `BrokerError`. Databases are not backed up from here.
    """

    def __init__(
        self,
        estate: str,
        instance: str,
        *,
        catalog: Callable[[], InstanceCatalog],
        change: Callable[[Sequence[CatalogChange]], None],
        smith: KeySmith | None = None,
        fail_over: Callable[[DatabaseName, bool], None] | None = None,
        session: EngineSession | None = None,
        files: ServerFiles | None = None,
    ) -> None:
        """`fail_over` is told the database and whether by force; without it nothing fails over (40517).

        `session` is a connection to the instance, for a program that the broker of tasks does not reach.
        """
        self._session = session
        self._estate = estate
        self._instance = instance
        self._catalog = catalog
        self._change = change
        self._fail_over = fail_over
        self.smith: Final = smith
        self.files: Final = files
        self.backups: Final[Backups | None] = None
        self._is_given_up = Event()
        self._waits_for: CommandId | None = None

    def ensure_runs(self) -> None:
        """Nothing is known of it before it is asked."""

    def execute(self, commands: Sequence[Command]) -> list[Reply]:
        """Commands in order; a WAITFOR ends with its time, its reply, or `give_up`."""
        waiting = next((each for each in commands if _may_wait(each)), None)
        self._waits_for = None if waiting is None else waiting.command_id
        try:
            if self._session is not None:
                return list(self._session.execute(commands))
            return client.execute(self._estate, self._instance, commands)
        except EngineUnavailable as error:
            raise TargetUnavailable(str(error)) from error
        except KeyboardInterrupt:
            self.give_up()
            raise
        finally:
            self._waits_for = None

    def give_up(self) -> None:
        """End what waits, from another thread: WAITFOR answers with the empty set, WAITFOR DELAY is over.

        In a session WAITFOR ends with the session.
        """
        self._is_given_up.set()
        waits_for = self._waits_for
        if waits_for is None or self._session is not None:
            return
        try:
            client.cancel_wait(self._estate, self._instance, waits_for)
        except EngineUnavailable as error:
            raise TargetUnavailable(str(error)) from error

    def catalog(self) -> InstanceCatalog:
        """What is wanted, which the instance has when `change` has returned."""
        return self._catalog()

    def change(self, changes: Sequence[CatalogChange]) -> None:
        """Decide on DDL."""
        try:
            self._change(changes)
        except EngineUnavailable as error:
            raise NotTakenYet(str(error)) from error

    def fail_over(self, database: DatabaseName, *, is_forced: bool) -> None:
        """Have the roles of a pair changed."""
        if self._fail_over is None:
            raise LocalProtocolError(40517, found="SET PARTNER FAILOVER")
        try:
            self._fail_over(database, is_forced)
        except EngineUnavailable as error:
            raise TargetUnavailable(str(error)) from error

    def system_view(self, query: SystemViewQuery) -> SystemViewRows:
        """One page of a system view or of a queue."""
        try:
            if self._session is not None:
                return self._session.read(query)
            return client.read_system_view(self._estate, self._instance, query)
        except EngineUnavailable as error:
            raise TargetUnavailable(str(error)) from error

    def now(self) -> UtcTime:
        """The clock of this machine, which is that of every instance."""
        return UtcTime(time.time())

    def new_uuid(self) -> UUID:
        """A random identifier."""
        return uuid4()

    def pause(self, seconds: float) -> None:
        """WAITFOR DELAY."""
        self._is_given_up.clear()
        self._is_given_up.wait(seconds)


def _may_wait(command: Command) -> bool:
    return isinstance(command, WaitingStatement) and command.waitfor_milliseconds is not None
