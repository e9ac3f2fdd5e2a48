"""What functions like DB_NAME(), ERROR_NUMBER() and GET_TRANSMISSION_STATUS() answer in one session."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from engine.core.catalog.database import DatabaseState
from engine.core.exchange.system_views import ColumnFilter, SystemViewQuery
from engine.core.vocabulary.errors import BrokerError
from engine.core.vocabulary.identifiers import CertificateName
from engine.tsql.console import moments
from engine.tsql.console.failing import failed_as
from engine.tsql.console.state import SessionState
from engine.tsql.console.target import ConsoleTarget, database_named
from engine.tsql.console.transacting import Transactions
from engine.tsql.console.values import Value

VERSION: Final = "brokerweb"


class SessionAnswers:
    """Answers for one session."""

    def __init__(self, target: ConsoleTarget, state: SessionState, transactions: Transactions) -> None:
        self._target = target
        self._state = state
        self._transactions = transactions

    def functions(self) -> dict[str, Callable[..., Value]]:
        """All of them, under the names that rewritten statements call them by."""
        now, login, error = self._now, lambda *_: "sa", self._error
        return {
            "f_getdate": now,
            "f_getutcdate": now,
            "f_sysdatetime": now,
            "f_sysutcdatetime": now,
            "f_newid": lambda: str(self._target.new_uuid()).upper(),
            "f_rand": lambda *_: (self._target.new_uuid().int % 2**53) / 2**53,
            "f_db_name": self._db_name,
            "f_db_id": self._db_id,
            "f_object_id": self._object_id,
            "f_object_name": self._object_name,
            "f_schema_name": lambda *_: "dbo",
            "f_user_name": lambda *_: "dbo",
            "f_suser_sname": login,
            "f_suser_name": login,
            "f_original_login": login,
            "f_host_name": lambda: "console",
            "f_app_name": lambda: "console",
            "f_serverproperty": self._server_property,
            "f_databasepropertyex": self._database_property,
            "f_xact_state": lambda: self._state.xact_state,
            "f_rowcount_big": lambda: self._state.row_count,
            "f_error_number": error(lambda each: each.number),
            "f_error_message": error(lambda each: each.message),
            "f_error_severity": error(lambda each: each.severity),
            "f_error_state": error(lambda each: each.state),
            "f_error_line": error(lambda each: each.line),
            "f_error_procedure": lambda: None,
            "f_get_transmission_status": self._transmission_status,
            "f_cert_id": self._cert_id,
            "f_certencoded": self._cert_encoded,
        }

    def global_value(self, name: str) -> Value:
        """@@ROWCOUNT and its kin."""
        state = self._state
        known: dict[str, Value] = {
            "@@ROWCOUNT": state.row_count,
            "@@ERROR": state.last_error,
            "@@TRANCOUNT": state.transaction_count,
            "@@SPID": state.number,
            "@@NESTLEVEL": 0,
            "@@SERVICENAME": "MSSQLSERVER",
            "@@VERSION": VERSION,
        }
        return self._target.catalog().name if name == "@@SERVERNAME" else known[name]

    def _now(self) -> str:
        return moments.stored(self._target.now())

    def _error(self, pick: Callable[..., Value]) -> Callable[[], Value]:
        return lambda: None if self._state.caught is None else pick(self._state.caught)

    def _db_name(self, number: int | None = None) -> Value:
        if number is None:
            return self._state.database
        return next((str(each[0]) for each in self._databases() if each[1] == number), None)

    def _db_id(self, name: str | None = None) -> Value:
        wanted = (name or self._state.database).casefold()
        return next((each[1] for each in self._databases() if str(each[0]).casefold() == wanted), None)

    def _databases(self) -> list[tuple[Value, Value]]:
        return self._pairs("sys.databases", "name", "database_id")

    def _pairs(self, view: str, *columns: str) -> list[tuple[Value, Value]]:
        query = SystemViewQuery(view=view, database=self._state.database, columns=columns, rows_max=_ROWS_MAX)
        try:
            rows = self._target.system_view(query).rows
        except BrokerError:
            return []
        return [(_plain(row[0]), _plain(row[1])) for row in rows]

    def _object_id(self, name: str | None = None, _kind: str | None = None) -> Value:
        """Queues are the objects with a schema that there are here."""
        parts = [part.strip('[]"') for part in (name or "").split(".")]
        wanted = parts[-1].casefold()
        return next((each[1] for each in self._queues() if str(each[0]).casefold() == wanted), None)

    def _object_name(self, number: int | None = None, _database: int | None = None) -> Value:
        return next((each[0] for each in self._queues() if each[1] == number), None)

    def _queues(self) -> list[tuple[Value, Value]]:
        return self._pairs("sys.service_queues", "name", "object_id")

    def _certificates(self) -> list[tuple[Value, Value]]:
        return self._pairs("sys.certificates", "name", "certificate_id")

    def _cert_id(self, name: str | None = None) -> Value:
        wanted = (name or "").strip("[]").casefold()
        return next((each[1] for each in self._certificates() if str(each[0]).casefold() == wanted), None)

    def _cert_encoded(self, number: int | None = None) -> Value:
        """The public part, as FROM BINARY takes it; NULL for no certificate."""
        name = next((each[0] for each in self._certificates() if each[1] == number), None)
        database = self._target.catalog().databases.get(self._state.database)
        if name is None or database is None:
            return None
        certificate = database.certificates.get(CertificateName(str(name)))
        return None if certificate is None else certificate.certificate

    def _server_property(self, name: str | None = None) -> Value:
        own = self._target.catalog().name
        known = {"servername": own, "machinename": own, "edition": "brokerweb"}
        return known.get((name or "").casefold())

    def _database_property(self, name: str | None = None, what: str | None = None) -> Value:
        catalog = self._target.catalog()
        found = database_named(catalog, name or "")
        if found is None:
            return None
        database = catalog.databases[found]
        states = {DatabaseState.OFFLINE: "OFFLINE", DatabaseState.MIRROR: "RESTORING"}
        known: dict[str, Value] = {
            "status": states.get(database.state, "ONLINE"),
            "updateability": "READ_ONLY" if database.state is DatabaseState.READ_ONLY else "READ_WRITE",
            "useraccess": "SINGLE_USER" if database.state is DatabaseState.SINGLE_USER else "MULTI_USER",
        }
        return known.get((what or "").casefold())

    def _transmission_status(self, handle: str | None = None) -> Value:
        """Why messages or the acknowledgement of a conversation cannot leave; empty where nothing is in the way."""
        if handle is None:
            return None
        # Acknowledgements are in no view of a server, and their status is in this function alone (routing.md E39).
        query = SystemViewQuery(
            view="brokerweb.transmission_status",
            database=self._state.database,
            columns=("transmission_status",),
            filters=(ColumnFilter(column="conversation_handle", value=handle),),
            rows_max=1,
        )
        try:
            rows = self._transactions.read(query).rows
        except BrokerError as error:
            raise failed_as(error, 0) from None
        return _plain(rows[0][0]) if rows else ""


_ROWS_MAX: Final = 1000


def _plain(cell: object) -> Value:
    return cell if cell is None or isinstance(cell, int | float | str | bytes) else str(cell).upper()
