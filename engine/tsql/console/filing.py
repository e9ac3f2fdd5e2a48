"""Running BACKUP, RESTORE, sp_detach_db and FOR ATTACH, where the target has a place for backups (identity.md 4)."""

from __future__ import annotations

from collections.abc import Iterator

from engine.core.catalog.backup import AttachOption, DatabaseBackup
from engine.core.exchange.commands import AttachDatabase, BackupDatabase, DetachDatabase, RestoreDatabase
from engine.core.exchange.replies import DatabaseAttached, DatabaseBackedUp, DatabaseDetached
from engine.core.vocabulary.identifiers import CatalogRevision, DatabaseName
from engine.tsql.console.dialogs import Dialogs
from engine.tsql.console.failing import NOT_SUPPORTED, failed
from engine.tsql.console.outputs import Printed
from engine.tsql.console.program import Backup, Restore
from engine.tsql.console.state import SessionState
from engine.tsql.console.target import Backups, ConsoleTarget, database_named
from engine.tsql.console.transacting import Transactions


class Files:
    """Backups of one session."""

    def __init__(
        self, target: ConsoleTarget, state: SessionState, transactions: Transactions, dialogs: Dialogs
    ) -> None:
        self._target = target
        self._state = state
        self._transactions = transactions
        self._dialogs = dialogs

    def back_up(self, step: Backup) -> None:
        """BACKUP DATABASE. Errors: 226, 911, 942, 3202, 40510."""
        place = self._place("BACKUP DATABASE", step.line)
        file = self._dialogs.text(step.file, 3201)
        command = BackupDatabase(command_id=self._transactions.new_id(), database=DatabaseName(step.database))
        reply = self._transactions.ask(command, step.line)
        assert isinstance(reply, DatabaseBackedUp), "BACKUP DATABASE answers with a backup"
        place.put(_key(file), reply.backup)

    def detach(self, name: str, line: int) -> None:
        """sp_detach_db: the file is called as the database, with .mdf. Errors: 226, 911, 3702, 40510."""
        place = self._place("sp_detach_db", line)
        found = database_named(self._target.catalog(), name)
        if found is not None and found == self._state.database:
            raise failed(3702, at=line, database=found)
        base = self._target.catalog().revision
        command = DetachDatabase(
            command_id=self._transactions.new_id(),
            base=base,
            revision=CatalogRevision(base + 1),
            database=found or DatabaseName(name),
        )
        reply = self._transactions.ask(command, line)
        assert isinstance(reply, DatabaseDetached), "sp_detach_db answers with a backup"
        place.put(_key(f"{name}.mdf"), reply.backup)

    def restore(self, step: Restore) -> Iterator[Printed]:
        """RESTORE DATABASE or FOR ATTACH; what the instance notices about its broker is printed.

        Errors: 226, 3102, 3154, 3201, 40510.
        """
        words = "CREATE DATABASE … FOR ATTACH" if step.is_attached else "RESTORE DATABASE"
        place = self._place(words, step.line)
        if not step.is_attached and database_named(self._target.catalog(), step.database) == self._state.database:
            raise failed(3102, at=step.line, database=self._state.database)
        assert step.file is not None, "a statement without a file is none that is read"
        file = self._dialogs.text(step.file, 3201)
        backup = place.get(_key(file))
        if backup is None:
            raise failed(3201, at=step.line, name=file)
        reply = self._transactions.ask(self._command(step, backup), step.line)
        assert isinstance(reply, DatabaseAttached), "RESTORE DATABASE answers with an identity"
        if reply.notice is not None:
            yield Printed(text=f"{reply.notice}: {reply.notice_text}", line=step.line)

    def _command(self, step: Restore, backup: DatabaseBackup) -> AttachDatabase | RestoreDatabase:
        catalog = self._target.catalog()
        option = None if step.option is None else AttachOption(step.option)
        base, revision = catalog.revision, CatalogRevision(catalog.revision + 1)
        database = database_named(catalog, step.database) or DatabaseName(step.database)
        command_id = self._transactions.new_id()
        if step.is_attached:
            return AttachDatabase(
                command_id=command_id, base=base, revision=revision, database=database, backup=backup, option=option
            )
        return RestoreDatabase(
            command_id=command_id,
            base=base,
            revision=revision,
            database=database,
            backup=backup,
            option=option,
            replaces=step.replaces,
            is_recovered=step.is_recovered,
        )

    def _place(self, words: str, line: int) -> Backups:
        if self._state.transaction_count > 0:
            raise failed(226, at=line)
        place = self._target.backups
        if place is None:
            raise failed(NOT_SUPPORTED, at=line, found=words)
        return place


def _key(file: str) -> str:
    """Files are known by their names, wherever a path says they are."""
    return file.replace("\\", "/").rpartition("/")[2].casefold()
