"""Running DDL: statements become catalog changes, and the target carries them out."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import UUID

from engine.core.catalog.changes import CatalogChange, DatabaseStateSet
from engine.core.catalog.endpoint_rules import is_grantee
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.names import same_name, spelling_in
from engine.core.catalog.security_rules import may_own
from engine.core.vocabulary.errors import BrokerError
from engine.core.vocabulary.moment import Duration
from engine.tsql.console.failing import failed, failed_as
from engine.tsql.console.outputs import Printed
from engine.tsql.console.program import Define
from engine.tsql.console.state import SessionState
from engine.tsql.console.target import ConsoleTarget, database_named
from engine.tsql.statements import AnyStatement, Connect, DropDatabase, Guard, Use
from engine.tsql.translate import Translator
from engine.tsql.translate_security import Workshop
from engine.tsql.translate_states import ended_by

_IS_NOT_THERE = frozenset({911, 15151})


class Definitions:
    """DDL of one session."""

    def __init__(self, target: ConsoleTarget, state: SessionState) -> None:
        self._target = target
        self._state = state

    def define(self, step: Define) -> Iterator[Printed]:
        """One statement. Errors: 226 in a transaction, 3702, and those of the catalog."""
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
                changes += self._counting(statement, translator.changes_of(statement))
            except BrokerError as error:
                raise failed_as(error, step.line) from None
            yield from (Printed(text=text, line=step.line) for text in translator.warnings)
        if not changes:
            return
        try:
            self._target.change(changes)
        except BrokerError as error:
            if error.number in _IS_NOT_THERE and step.statements[0].guard is Guard.EXISTS:
                return
            raise failed_as(error, step.line) from None

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
        catalog: InstanceCatalog = self._target.catalog()
        smith = self._target.smith
        key = spelling_in(catalog.databases, self._state.database)
        if key is None:
            return Workshop(smith, is_login=lambda name: is_grantee(catalog, name))
        database = catalog.databases[key]
        return Workshop(
            smith,
            database.master_key,
            lambda name: may_own(database, name),
            lambda name: is_grantee(catalog, name),
        )


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
