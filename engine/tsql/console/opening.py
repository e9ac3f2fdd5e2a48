"""`Openings`: which databases of the instance can be opened now. A role is no definition: the instance is asked."""

from __future__ import annotations

from typing import Final

from engine.core.catalog.database import CLOSED_TO_COMMANDS, DatabaseState
from engine.core.exchange.system_views import Cell, ColumnFilter, SystemViewQuery
from engine.core.vocabulary.errors import BrokerError
from engine.core.vocabulary.identifiers import DatabaseName
from engine.tsql.console.failing import failed
from engine.tsql.console.target import ConsoleTarget, TargetUnavailable
from engine.tsql.reading_statements import SetPriorityHonoured, SetTrustworthy
from engine.tsql.statements import (
    AnyStatement,
    BrokerOption,
    CreateDatabase,
    DropDatabase,
    SetBroker,
    SetPartner,
    SetState,
)

OFF_LINE, MIRROR_COPY, READ_ONLY = (
    CLOSED_TO_COMMANDS[state] for state in (DatabaseState.OFFLINE, DatabaseState.MIRROR, DatabaseState.READ_ONLY)
)
_NUMBERS: Final[dict[tuple[Cell, Cell], int]] = {(6, False): OFF_LINE, (1, False): MIRROR_COPY, (0, True): READ_ONLY}
"""By `state` and `is_read_only` of sys.databases."""
_OF_INSTANCE: Final = (CreateDatabase, DropDatabase, SetPartner)
"""Statements that open no database."""


class Openings:
    """For one session."""

    def __init__(self, target: ConsoleTarget) -> None:
        self._target = target

    def refuse_closed(self, database: DatabaseName, line: int) -> None:
        """What is off-line cannot be opened (942), nor can a mirror copy (954)."""
        number = self._closed_by(database)
        if number in (OFF_LINE, MIRROR_COPY):
            raise failed(number, at=line, database=database)

    def refuse_definition(self, statement: AnyStatement, database: DatabaseName, line: int) -> None:
        """As `refuse_closed`, where a statement opens the database; what is read-only is not written to (3906)."""
        if isinstance(statement, _OF_INSTANCE):
            return
        number = self._closed_by(database)
        sets = isinstance(statement, SetBroker | SetState | SetPriorityHonoured | SetTrustworthy)
        is_let_by = {
            OFF_LINE: isinstance(statement, SetState),
            # Its own number says more: a mirrored database keeps the identity that it has (9778).
            MIRROR_COPY: isinstance(statement, SetBroker) and statement.option is BrokerOption.NEW,
            READ_ONLY: sets,
        }
        if number is not None and not is_let_by[number]:
            raise failed(number, at=line, database=database)

    def _closed_by(self, database: DatabaseName) -> int | None:
        """The number that tells why a database cannot be used in full; None when it can, or when nobody answers.

        A state is a definition, and known; which partner of a pair is the copy only the instance itself knows.
        """
        defined = self._target.catalog().databases[database]
        if defined.partner_address is None and defined.state is not DatabaseState.MIRROR:
            return CLOSED_TO_COMMANDS.get(defined.state)
        query = SystemViewQuery(
            view="sys.databases",
            columns=("state", "is_read_only"),
            filters=(ColumnFilter(column="name", value=database),),
            rows_max=1,
        )
        try:
            rows = self._target.system_view(query).rows
        except (BrokerError, TargetUnavailable):
            return None
        return _NUMBERS.get((rows[0][0], rows[0][1])) if rows else None
