"""`SandboxConsole`: an instance of a sandbox as a T-SQL console needs it. Whatever it does is an action of the log."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final
from uuid import UUID

from engine.core.catalog.backup import DatabaseBackup
from engine.core.catalog.changes import CatalogChange
from engine.core.catalog.instance import InstanceCatalog
from engine.core.exchange.commands import Command
from engine.core.exchange.replies import Reply, refusal
from engine.core.exchange.system_views import SystemViewQuery, SystemViewRows
from engine.core.vocabulary.errors import LocalProtocolError
from engine.core.vocabulary.identifiers import CommandId, InstanceName
from engine.core.vocabulary.keys import KeySmith
from engine.core.vocabulary.moment import UtcTime
from engine.sandbox.actions import Action, ActionOutcome, BackupKept, CommandsGiven, DefinitionsChanged
from engine.sandbox.sandbox import Sandbox
from engine.sandbox.server import InstanceDown
from engine.tsql.console.target import TargetUnavailable

WAIT_SECONDS_MAX: Final = 86_400.0
"""Of the sandbox: who waits longer than a day for a WAITFOR waits for ever."""

READ_ONLY: Final = 3906
"""The database is read-only: what a session is told that may only look."""

Perform = Callable[[Action], ActionOutcome]


class _Files:
    """Backups of the sandbox."""

    def __init__(self, sandbox: Sandbox, perform: Perform) -> None:
        self._sandbox, self._perform = sandbox, perform

    def put(self, file: str, backup: DatabaseBackup) -> None:
        self._perform(BackupKept(file=file, backup=backup))

    def get(self, file: str) -> DatabaseBackup | None:
        return self._sandbox.backup(file)


class SandboxConsole:
    """One instance; time of the sandbox passes while a WAITFOR waits."""

    def __init__(
        self, sandbox: Sandbox, instance: InstanceName, *, perform: Perform, new_uuid: Callable[[], UUID]
    ) -> None:
        """`perform` does an action in the sandbox and writes it into the log."""
        self._sandbox, self._instance, self._perform = sandbox, instance, perform
        self.new_uuid = new_uuid
        self.backups: _Files | None = _Files(sandbox, perform)
        self.smith: KeySmith | None = None

    def execute(self, commands: Sequence[Command]) -> list[Reply]:
        return [self._execute(command) for command in commands]

    def _execute(self, command: Command) -> Reply:
        outcome = self._done(CommandsGiven(instance=self._instance, commands=(command,)))
        if outcome.refusal is not None:
            return outcome.refusal
        reply = outcome.replies[0] if not outcome.waiting else self._awaited(command.command_id)
        if reply is None:
            raise TargetUnavailable(self._instance)
        return reply

    def _awaited(self, command_id: CommandId) -> Reply | None:
        """The reply of a WAITFOR."""
        until = self._sandbox.seconds + WAIT_SECONDS_MAX
        while (reply := self._sandbox.reply(self._instance, command_id)) is None and self._sandbox.seconds < until:
            self._sandbox.advance_to_change(until)
        return reply

    def _done(self, action: Action) -> ActionOutcome:
        outcome = self._perform(action)
        if outcome.unavailable:
            raise TargetUnavailable(outcome.unavailable)
        return outcome

    def catalog(self) -> InstanceCatalog:
        return self._sandbox.catalog(self._instance)

    def change(self, changes: Sequence[CatalogChange]) -> None:
        refused = self._done(DefinitionsChanged(instance=self._instance, changes=tuple(changes))).refusal
        if refused is not None:
            raise LocalProtocolError(refused.number, **refused.parameters)

    def system_view(self, query: SystemViewQuery) -> SystemViewRows:
        try:
            return self._sandbox.system_view(self._instance, query)
        except InstanceDown as error:
            raise TargetUnavailable(str(error)) from None

    def now(self) -> UtcTime:
        return self._sandbox.utc

    def pause(self, seconds: float) -> None:
        self._sandbox.advance(self._sandbox.seconds + seconds)


class ReadingConsole(SandboxConsole):
    """As `SandboxConsole` for who may only look: whatever would do something is refused with 3906."""

    def __init__(self, sandbox: Sandbox, instance: InstanceName) -> None:
        super().__init__(sandbox, instance, perform=_refused, new_uuid=lambda: UUID(int=0))


def _refused(_action: Action) -> ActionOutcome:
    return ActionOutcome(refusal=refusal(LocalProtocolError(READ_ONLY, database="sandbox")))
