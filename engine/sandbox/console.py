"""`SandboxTarget`: an instance of a sandbox as a T-SQL console needs it.

What a session does are actions, so whoever keeps the log is handed each of them (`perform`), and says how time passes
while a statement waits (`pass_time`): in a test at once, for a person by the clock on the wall.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final
from uuid import UUID

from engine.core.catalog.backup import DatabaseBackup
from engine.core.catalog.changes import CatalogChange
from engine.core.catalog.instance import InstanceCatalog
from engine.core.exchange.commands import Command
from engine.core.exchange.replies import Reply
from engine.core.exchange.system_views import SystemViewQuery, SystemViewRows
from engine.core.vocabulary.errors import LocalProtocolError
from engine.core.vocabulary.identifiers import CommandId, InstanceName
from engine.core.vocabulary.keys import KeySmith
from engine.core.vocabulary.moment import UtcTime
from engine.sandbox.actions import Action, ActionOutcome, BackupKept, CommandsGiven, DefinitionsChanged
from engine.sandbox.sandbox import Sandbox
from engine.sandbox.server import InstanceDown
from engine.tsql.console.target import TargetUnavailable

WAIT_STEP_SECONDS: Final = 1.0
"""Sandbox time that passes at most between two looks for the reply of a WAITFOR."""


class SandboxTarget:
    """A console's view of one instance. `ConsoleTarget`, and its own `Backups`."""

    def __init__(
        self,
        sandbox: Sandbox,
        instance: InstanceName,
        *,
        new_uuid: Callable[[], UUID],
        perform: Callable[[Action], ActionOutcome] | None = None,
        pass_time: Callable[[float], None] | None = None,
        smith: KeySmith | None = None,
    ) -> None:
        """`pass_time` lets so many seconds of the sandbox pass, or fewer; without it they pass at once.

        `new_uuid` gives identifiers that are in the log when they count, so it need not repeat itself.
        """
        self._sandbox = sandbox
        self._instance = instance
        self.new_uuid: Final = new_uuid
        self._perform = sandbox.perform if perform is None else perform
        self._pass_time = self._pass_at_once if pass_time is None else pass_time
        self.smith: Final = smith

    @property
    def backups(self) -> SandboxTarget:
        """The files of the sandbox."""
        return self

    def _pass_at_once(self, seconds: float) -> None:
        self._sandbox.advance_to_change(self._sandbox.seconds + seconds)

    def execute(self, commands: Sequence[Command]) -> list[Reply]:
        """One after another; the next one is given when the one before has its reply."""
        return [self._execute(command) for command in commands]

    def _execute(self, command: Command) -> Reply:
        outcome = self._done(CommandsGiven(instance=self._instance, commands=(command,)))
        if outcome.refusal is not None:
            return outcome.refusal
        if command.command_id in outcome.waiting:
            return self._wait_for(command.command_id)
        reply = outcome.replies[0] if outcome.replies else None
        if reply is None:
            raise TargetUnavailable(f"Instance {self._instance} went down.")
        return reply

    def _wait_for(self, command_id: CommandId) -> Reply:
        while True:
            try:
                reply = self._sandbox.reply(self._instance, command_id)
            except InstanceDown as error:
                raise TargetUnavailable(str(error)) from error
            if reply is not None:
                return reply
            if self._sandbox.is_worn_out:
                raise TargetUnavailable("The sandbox is worn out: nothing happens in it any more.")
            self._pass_time(WAIT_STEP_SECONDS)

    def _done(self, action: Action) -> ActionOutcome:
        outcome = self._perform(action)
        if outcome.unavailable:
            raise TargetUnavailable(outcome.unavailable)
        return outcome

    def catalog(self) -> InstanceCatalog:
        """What is defined now."""
        return self._sandbox.catalog(self._instance)

    def change(self, changes: Sequence[CatalogChange]) -> None:
        """DDL, all or nothing."""
        refusal = self._done(DefinitionsChanged(instance=self._instance, changes=tuple(changes))).refusal
        if refusal is not None:
            raise LocalProtocolError(refusal.number, **refusal.parameters)

    def system_view(self, query: SystemViewQuery) -> SystemViewRows:
        """One page of a system view or of a queue."""
        try:
            return self._sandbox.system_view(self._instance, query)
        except InstanceDown as error:
            raise TargetUnavailable(str(error)) from error

    def now(self) -> UtcTime:
        """What the machines of the sandbox show."""
        return self._sandbox.utc

    def pause(self, seconds: float) -> None:
        """WAITFOR DELAY."""
        until = self._sandbox.seconds + seconds
        while self._sandbox.seconds < until and not self._sandbox.is_worn_out:
            self._pass_time(until - self._sandbox.seconds)

    # ── its files ────────────────────────────────────────────────────────────────────────────────────────────────
    def put(self, file: str, backup: DatabaseBackup) -> None:
        """Keep a backup."""
        self._done(BackupKept(file=file, backup=backup))

    def get(self, file: str) -> DatabaseBackup | None:
        """A backup that was kept."""
        return self._sandbox.backup(file)
