"""`SandboxTarget`: one instance of a sandbox as a console session works on it, whoever has the sandbox in hand.

Statements that wait (WAITFOR) let the time of the sandbox pass, as `Hands.wait` does it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final, Protocol, TypeVar
from uuid import UUID

from engine.core.catalog.backup import DatabaseBackup
from engine.core.catalog.changes import CatalogChange
from engine.core.catalog.instance import InstanceCatalog
from engine.core.exchange.commands import WAIT_FOR_EVER, Command, WaitingStatement
from engine.core.exchange.replies import Refusal, Reply
from engine.core.exchange.system_views import SystemViewQuery, SystemViewRows
from engine.core.vocabulary.entropy import Entropy
from engine.core.vocabulary.errors import LocalProtocolError
from engine.core.vocabulary.identifiers import CommandId, DatabaseName, InstanceName
from engine.core.vocabulary.keys import KeySmith
from engine.core.vocabulary.moment import UtcTime
from engine.sandbox.actions import (
    Action,
    ActionOutcome,
    BackupKept,
    CommandsGiven,
    DefinitionsChanged,
    Entry,
    FailedOver,
    FileWritten,
    WaitGivenUp,
)
from engine.sandbox.sandbox import Sandbox
from engine.sandbox.server import InstanceDown
from engine.tsql.console.target import TargetUnavailable

FOR_EVER_SECONDS: Final = 3_600.0
"""So long a WAITFOR without TIMEOUT waits in a sandbox before it is given up."""
WAITED_TOO_LITTLE: Final = 10930
GRACE_SECONDS: Final = 1.0
"""After its TIMEOUT a wait is answered within this."""

Seen = TypeVar("Seen")


class Hands(Protocol):
    """Who has a sandbox in hand: alone, or as one of many who write the same log."""

    def look(self, at: Callable[[Sandbox], Seen]) -> Seen:
        """What `at` sees in the sandbox as it is now. It changes nothing, and keeps nothing of it."""
        ...

    def perform(self, action: Action) -> ActionOutcome:
        """Do something, and have it in the log."""
        ...

    def wait(self, seconds: float, until: Callable[[Sandbox], bool]) -> bool:
        """Let at most so many seconds of the sandbox pass, fewer when `until` has come true.

        False when fewer had to do: more happens in the sandbox than a processor can be had for.
        """
        ...


class OwnHands:
    """Alone with a sandbox: time passes as fast as it can."""

    def __init__(self, sandbox: Sandbox, log: Callable[[Entry], None] = lambda entry: None) -> None:
        """`log` is handed each line before it is performed."""
        self._sandbox = sandbox
        self._log = log

    def look(self, at: Callable[[Sandbox], Seen]) -> Seen:
        """What `at` sees."""
        return at(self._sandbox)

    def perform(self, action: Action) -> ActionOutcome:
        """Do something now."""
        self._log(self._sandbox.entry(action))
        return self._sandbox.perform(action)

    def wait(self, seconds: float, until: Callable[[Sandbox], bool]) -> bool:
        """Let time pass, from change to change."""
        end = self._sandbox.seconds + seconds
        while not until(self._sandbox) and self._sandbox.seconds < end:
            if self._sandbox.is_worn_out:
                return False
            self._sandbox.advance_to_change(end)
        return True


class SandboxBackups:
    """The files with backups of a sandbox."""

    def __init__(self, hands: Hands) -> None:
        self._hands = hands

    def put(self, file: str, backup: DatabaseBackup) -> None:
        """Keep it, in the place of an earlier one of that name."""
        with _told():
            self._hands.perform(BackupKept(file=file, backup=backup))

    def get(self, file: str) -> DatabaseBackup | None:
        """What is kept under a name; None when there is nothing."""
        with _told():
            return self._hands.look(lambda sandbox: sandbox.backup(file))


class SandboxFiles:
    """The certificate files of a sandbox. `ServerFiles`."""

    def __init__(self, perform: Callable[[Action], ActionOutcome], hands: Hands) -> None:
        self._perform = perform
        self._hands = hands

    def read(self, path: str) -> bytes | None:
        """The content of a file."""
        with _told():
            return self._hands.look(lambda sandbox: sandbox.file(path))

    def write(self, path: str, content: bytes) -> None:
        """Write a file that is not there. `BrokerError` 15240."""
        self._perform(FileWritten(path=path, content=content))


class SandboxTarget:
    """`ConsoleTarget` of one instance. Every method may raise `TargetUnavailable`."""

    def __init__(self, hands: Hands, instance: InstanceName, entropy: Entropy, smith: KeySmith | None = None) -> None:
        """`entropy` is for what a session makes up; the chance of the sandbox is not touched."""
        self._hands = hands
        self._instance = instance
        self._entropy = entropy
        self.smith: Final = smith
        self.backups: Final = SandboxBackups(hands)
        self.files: Final = SandboxFiles(self._do, hands)

    def ensure_runs(self) -> None:
        """Raises `TargetUnavailable` for an instance that is down."""
        if not self._look(lambda sandbox: sandbox.runs(self._instance)):
            raise TargetUnavailable(f"Instance {self._instance} is down.")

    def execute(self, commands: Sequence[Command]) -> list[Reply]:
        """One after another; the next one is given when the one before has its reply."""
        return [self._execute(command) for command in commands]

    def _execute(self, command: Command) -> Reply:
        outcome = self._do(CommandsGiven(instance=self._instance, commands=(command,)))
        with _told():
            reply = self._late_reply(command) if outcome.waiting else outcome.replies[0]
        if reply is None:
            raise TargetUnavailable(f"Instance {self._instance} has gone down.")
        return reply

    def _late_reply(self, command: Command) -> Reply | None:
        assert isinstance(command, WaitingStatement), "nothing else waits"
        milliseconds = command.waitfor_milliseconds or 0
        patience = FOR_EVER_SECONDS if milliseconds == WAIT_FOR_EVER else milliseconds / 1000 + GRACE_SECONDS
        command_id = command.command_id
        has_waited = self._hands.wait(patience, lambda sandbox: self._reply(sandbox, command_id) is not None)
        found = self._hands.look(lambda sandbox: self._reply(sandbox, command_id))
        if found is None:
            self._hands.perform(WaitGivenUp(instance=self._instance, command_id=command_id))
            found = self._hands.look(lambda sandbox: self._reply(sandbox, command_id))
            if not has_waited:
                raise LocalProtocolError(WAITED_TOO_LITTLE)
        return found

    def _reply(self, sandbox: Sandbox, command_id: CommandId) -> Reply | None:
        return sandbox.reply(self._instance, command_id)

    def catalog(self) -> InstanceCatalog:
        """What is defined now; not to be changed by the reader."""
        return self._look(lambda sandbox: sandbox.catalog(self._instance))

    def change(self, changes: Sequence[CatalogChange]) -> None:
        """Carry out DDL, all of it or nothing; `BrokerError` says why not."""
        self._do(DefinitionsChanged(instance=self._instance, changes=tuple(changes)))

    def fail_over(self, database: DatabaseName, *, is_forced: bool) -> None:
        """The roles of a mirrored pair change; `BrokerError` says why not."""
        self._do(FailedOver(instance=self._instance, database=database, is_forced=is_forced))

    def system_view(self, query: SystemViewQuery) -> SystemViewRows:
        """One page of a system view or of a queue; errors as `read_system_view` of the core."""
        return self._look(lambda sandbox: sandbox.system_view(self._instance, query))

    def now(self) -> UtcTime:
        """The time of the instance."""
        return self._look(lambda sandbox: sandbox.utc)

    def new_uuid(self) -> UUID:
        """An identifier that was never handed out before."""
        return self._entropy.new_uuid()

    def pause(self, seconds: float) -> None:
        """WAITFOR DELAY: let so much time of the sandbox pass. Raises `LocalProtocolError` 10930 when less has."""
        with _told():
            has_waited = self._hands.wait(seconds, lambda sandbox: False)
        if not has_waited:
            raise LocalProtocolError(WAITED_TOO_LITTLE)

    def _look(self, at: Callable[[Sandbox], Seen]) -> Seen:
        with _told():
            return self._hands.look(at)

    def _do(self, action: Action) -> ActionOutcome:
        """What came of an action that was carried out. Raises `BrokerError` for one that was refused."""
        with _told():
            outcome = self._hands.perform(action)
        if outcome.unavailable:
            raise TargetUnavailable(outcome.unavailable)
        if outcome.refusal is not None:
            raise _error(outcome.refusal)
        return outcome


@contextmanager
def _told() -> Iterator[None]:
    """In the words of a console."""
    try:
        yield
    except InstanceDown as error:
        raise TargetUnavailable(str(error)) from error


def _error(refusal: Refusal) -> LocalProtocolError:
    return LocalProtocolError(refusal.number, **refusal.parameters)
