"""Running DDL: statements become catalog changes, and the target carries them out."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import UUID

from engine.core.catalog.changes import CatalogChange, DatabaseStateSet
from engine.core.catalog.names import same_name
from engine.core.vocabulary.errors import BrokerError
from engine.core.vocabulary.identifiers import DatabaseName
from engine.core.vocabulary.moment import Duration
from engine.tsql.console.failing import failed, failed_as
from engine.tsql.console.opening import Openings
from engine.tsql.console.outputs import Printed
from engine.tsql.console.program import Define, FailOver, Noted
from engine.tsql.console.state import SessionState
from engine.tsql.console.target import ConsoleTarget, database_named
from engine.tsql.statements import AnyStatement, Connect, DropDatabase, Guard, Use
from engine.tsql.translate import Translator
from engine.tsql.translate_states import ended_by
from engine.tsql.workshop import Workshop, workshop_of

_IS_NOT_THERE = frozenset({911, 15151})


class Definitions:
    """DDL of one session, and what changes the role of a database."""

    def __init__(self, target: ConsoleTarget, state: SessionState, openings: Openings) -> None:
        self._target = target
        self._state = state
        self._openings = openings

    def define(self, step: Define) -> Iterator[Printed]:
        """One statement. Errors: 226 in a transaction, 942, 954, 3702, 3906, and those of the catalog."""
        if self._state.transaction_count > 0:
            raise failed(226, at=step.line)
        changes: list[CatalogChange] = []
        for statement in step.statements:
            assert not isinstance(statement, Connect | Use), "these are no DDL"
            if isinstance(statement, DropDatabase) and any(
                same_name(name, self._state.database) for name in statement.names
            ):
                raise failed(3702, at=step.line, database=self._state.database)
            translator = self._translator()
            try:
                made = translator.changes_of(statement)
            except BrokerError as error:
                raise failed_as(error, step.line) from None
            for name in dict.fromkeys(self._databases_of(made)):
                self._openings.refuse_definition(statement, name, step.line)
            changes += self._counting(statement, made)
            yield from (Printed(text=text, line=step.line) for text in translator.warnings)
        if not changes:
            return
        try:
            self._target.change(changes)
        except BrokerError as error:
            if error.number in _IS_NOT_THERE and step.statements[0].guard is Guard.EXISTS:
                return
            raise failed_as(error, step.line) from None

    def note(self, step: Noted) -> Iterator[Printed]:
        """Options that change nothing here, in words. Errors: 226 in a transaction, 911."""
        if self._state.transaction_count > 0:
            raise failed(226, at=step.line)
        if step.database is not None and database_named(self._target.catalog(), step.database) is None:
            raise failed(911, at=step.line, database=step.database)
        for option in step.options:
            yield Printed(text=f"SET {option} does not concern the broker and changes nothing here.", line=step.line)

    def fail_over(self, step: FailOver) -> None:
        """SET PARTNER FAILOVER. Errors: 226 in a transaction, 911, and those of the target."""
        if self._state.transaction_count > 0:
            raise failed(226, at=step.line)
        database = database_named(self._target.catalog(), step.database)
        if database is None:
            raise failed(911, at=step.line, database=step.database)
        try:
            self._target.fail_over(database, is_forced=step.is_forced)
        except BrokerError as error:
            raise failed_as(error, step.line) from None

    def _databases_of(self, changes: list[CatalogChange]) -> Iterator[DatabaseName]:
        """The databases that are there and that changes are of."""
        catalog = self._target.catalog()
        for change in changes:
            found = database_named(catalog, getattr(change, "database", ""))
            if found is not None:
                yield found

    def _translator(self) -> Translator:
        return Translator(self._state.database, self._target.now(), _Chance(self._target), self._workshop())

    def _counting(self, statement: AnyStatement, changes: list[CatalogChange]) -> Iterator[CatalogChange]:
        """What a database is not, ALTER DATABASE does not end."""
        catalog, ended = self._target.catalog(), ended_by(statement)
        for change in changes:
            if isinstance(change, DatabaseStateSet) and ended is not None:
                name = database_named(catalog, change.database)
                if name is not None and catalog.databases[name].state is not ended:
                    continue
            yield change

    def _workshop(self) -> Workshop:
        """Where keys for the current database are made."""
        return workshop_of(self._target.catalog(), self._state.database, self._target.smith, self._target.files)


class _Chance:
    """The identifiers of the target, as the translator asks for them."""

    def __init__(self, target: ConsoleTarget) -> None:
        self._target = target

    def new_uuid(self) -> UUID:
        """For the broker of a new database, and for NEW_BROKER."""
        return self._target.new_uuid()

    def choose_index(self, count: int) -> int:
        """Any of them."""
        return self._target.new_uuid().int % count

    def jitter(self, base: Duration) -> Duration:
        """None: a statement does not wait."""
        return Duration(0.0 * base)
