"""sys.dm_exec_sessions and sys.dm_exec_requests: the session that asks, and the readers that activation has started."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from engine.core.exchange.system_views import SystemViewQuery
from engine.core.vocabulary.errors import BrokerError
from engine.core.vocabulary.identifiers import MASTER
from engine.tsql.console import moments
from engine.tsql.console.scopes import Output
from engine.tsql.console.state import SessionState
from engine.tsql.console.target import ConsoleTarget
from engine.tsql.console.types import sql_type
from engine.tsql.console.values import Value, stored

_LOGIN: Final = "sa"
_SID: Final = b"\x01"
_READ_COMMITTED: Final = 2
_TASKS_MAX: Final = 1000


class _Session(NamedTuple):
    """What is known of a session."""

    number: int
    database_id: Value
    now: str
    is_user: bool
    transactions: int = 0
    rows: int = 0
    error: int = 0


class _Column(NamedTuple):
    name: str
    type: str
    cell: Callable[[_Session], Value]


def _fixed(value: Value) -> Callable[[_Session], Value]:
    return lambda _: value


def _status(session: _Session) -> Value:
    return "running" if session.is_user else "background"


_IN_BOTH: Final = (
    _Column("transaction_isolation_level", "smallint", _fixed(_READ_COMMITTED)),
    _Column("lock_timeout", "int", _fixed(0)),
    _Column("deadlock_priority", "int", _fixed(0)),
    _Column("row_count", "bigint", lambda each: each.rows),
    _Column("prev_error", "int", lambda each: each.error),
)
_SESSIONS: Final = (
    _Column("session_id", "smallint", lambda each: each.number),
    _Column("login_time", "datetime", lambda each: each.now),
    _Column("host_name", "nvarchar(128)", _fixed(None)),
    _Column("program_name", "nvarchar(128)", lambda each: "brokerweb" if each.is_user else None),
    _Column("host_process_id", "int", _fixed(None)),
    _Column("security_id", "varbinary(85)", _fixed(_SID)),
    _Column("login_name", "nvarchar(128)", _fixed(_LOGIN)),
    _Column("status", "nvarchar(30)", _status),
    _Column("cpu_time", "int", _fixed(0)),
    _Column("memory_usage", "int", _fixed(0)),
    _Column("last_request_start_time", "datetime", lambda each: each.now),
    _Column("last_request_end_time", "datetime", _fixed(None)),
    _Column("is_user_process", "bit", lambda each: int(each.is_user)),
    _Column("text_size", "int", _fixed(-1)),
    _Column("language", "nvarchar(128)", _fixed("us_english")),
    _Column("date_format", "nvarchar(3)", _fixed("mdy")),
    _Column("date_first", "smallint", _fixed(7)),
    *_IN_BOTH,
    _Column("original_login_name", "nvarchar(128)", _fixed(_LOGIN)),
    _Column("database_id", "smallint", lambda each: each.database_id),
    _Column("open_transaction_count", "int", lambda each: each.transactions),
)
_REQUESTS: Final = (
    _Column("session_id", "smallint", lambda each: each.number),
    _Column("request_id", "int", _fixed(0)),
    _Column("start_time", "datetime", lambda each: each.now),
    _Column("status", "nvarchar(30)", _status),
    _Column("command", "nvarchar(32)", lambda each: "SELECT" if each.is_user else "BRKR TASK"),
    _Column("database_id", "smallint", lambda each: each.database_id),
    _Column("user_id", "int", _fixed(1)),
    _Column("blocking_session_id", "smallint", _fixed(0)),
    _Column("wait_type", "nvarchar(60)", _fixed(None)),
    _Column("wait_time", "int", _fixed(0)),
    _Column("open_transaction_count", "int", lambda each: each.transactions),
    _Column("cpu_time", "int", _fixed(0)),
    _Column("total_elapsed_time", "int", _fixed(0)),
    *_IN_BOTH,
)
SESSION_VIEWS: Final = {"sys.dm_exec_sessions": _SESSIONS, "sys.dm_exec_requests": _REQUESTS}


class SessionViews:
    """The two views, as one session sees them: of other sessions an instance knows nothing."""

    def __init__(self, target: ConsoleTarget, state: SessionState) -> None:
        self._target = target
        self._state = state

    def columns(self, view: str) -> tuple[Output, ...] | None:
        """The columns of a view; None for another one."""
        found = SESSION_VIEWS.get(view)
        return None if found is None else tuple(_output(column) for column in found)

    def rows(self, view: str, wanted: tuple[Output, ...]) -> Iterator[tuple[Value, ...]]:
        """Its rows with the columns that are wanted. `BrokerError`."""
        cells = {column.name: column.cell for column in SESSION_VIEWS[view]}
        for session in self._sessions():
            yield tuple([cells[each.name](session) for each in wanted])

    def _sessions(self) -> Iterator[_Session]:
        state, now = self._state, moments.stored(self._target.now())
        databases = dict(self._read("sys.databases", "name", "database_id"))
        own = databases.get(state.database)
        yield _Session(state.number, own, now, True, state.transaction_count, state.row_count, state.last_error)
        for number, database_id in self._read("sys.dm_broker_activated_tasks", "spid", "database_id"):
            assert isinstance(number, int), "the number of a task is one"
            yield _Session(number, database_id, now, False)

    def _read(self, view: str, *columns: str) -> list[tuple[Value, Value]]:
        query = SystemViewQuery(view=view, database=MASTER, columns=columns, rows_max=_TASKS_MAX)
        try:
            rows = self._target.system_view(query).rows
        except BrokerError:
            return []
        return [(stored(first), stored(second)) for first, second in rows]


def _output(column: _Column) -> Output:
    known = sql_type(column.type)
    assert known is not None, "the types of these columns are ours"
    return Output(column.name, known)
