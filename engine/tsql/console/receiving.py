"""Running RECEIVE: messages leave the queue, and a SELECT over them makes rows, assignments or rows of a table.

Without a transaction of the session RECEIVE has one of its own: a message that cannot be converted stays in the queue.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from engine.core.exchange import commands
from engine.core.exchange.replies import MessagesReceived
from engine.core.exchange.system_views import SystemViewQuery
from engine.core.vocabulary.identifiers import ConversationGroupId, DatabaseName, TransactionId
from engine.core.vocabulary.rows import QueueRow
from engine.tsql.console import moments, program
from engine.tsql.console.dialogs import Dialogs, reading_queue
from engine.tsql.console.evaluating import Answer, Evaluator
from engine.tsql.console.failing import StatementFailed, failed
from engine.tsql.console.querying import Query
from engine.tsql.console.reading_dialogs import RECEIVED
from engine.tsql.console.scopes import Output, collation_of
from engine.tsql.console.state import SessionState
from engine.tsql.console.target import ConsoleTarget
from engine.tsql.console.transacting import Transactions
from engine.tsql.console.types import BIGINT, DATETIME, INT, UNIQUEIDENTIFIER, VARBINARY, SqlType
from engine.tsql.console.values import Value

MESSAGES_AT_ONCE: Final = 10_000
"""RECEIVE without TOP takes all messages of a group, and so many at most."""

_NAME: Final = SqlType("nvarchar", 256)
_TYPES: Final = {
    "status": SqlType("tinyint"),
    "priority": SqlType("tinyint"),
    "queuing_order": BIGINT,
    "conversation_group_id": UNIQUEIDENTIFIER,
    "conversation_handle": UNIQUEIDENTIFIER,
    "message_sequence_number": BIGINT,
    "service_name": SqlType("nvarchar", 512),
    "service_id": INT,
    "service_contract_name": _NAME,
    "service_contract_id": INT,
    "message_type_name": _NAME,
    "message_type_id": INT,
    "validation": SqlType("nchar", 2),
    "message_body": VARBINARY,
    "message_enqueue_time": DATETIME,
}
COLUMNS: Final = tuple(Output(name, kind, collation_of("", name, kind)) for name, kind in _TYPES.items())
"""The columns of a queue, in the vendor's order (views.md 1)."""

_NUMBERED: Final = {
    "service_id": ("sys.services", "name", "service_id"),
    "service_contract_id": ("sys.service_contracts", "name", "service_contract_id"),
    "message_type_id": ("sys.service_message_types", "name", "message_type_id"),
    "validation": ("sys.service_message_types", "name", "validation"),
}
"""Columns that are looked up by a name where somebody asks for them."""


class Receiving:
    """RECEIVE of one session."""

    def __init__(
        self,
        target: ConsoleTarget,
        state: SessionState,
        evaluator: Evaluator,
        transactions: Transactions,
        dialogs: Dialogs,
    ) -> None:
        self._target = target
        self._state = state
        self._evaluator = evaluator
        self._transactions = transactions
        self._dialogs = dialogs

    def receive(self, step: program.Receive) -> tuple[Query, Answer]:
        """The messages, as the columns of the statement show them. Errors: 208, 1060, 8447, 8450 and more."""
        self._evaluator.declare_table(RECEIVED, COLUMNS)
        query = self._compiled(step)
        database, queue = self._dialogs.queue(step.queue, step.line)
        handle = group = None
        if step.where is not None:
            column, expression = step.where
            if column == "CONVERSATION_HANDLE":
                handle = self._dialogs.handle(expression)
            else:
                group = ConversationGroupId(self._dialogs.guid(expression, 8420))
        top = MESSAGES_AT_ONCE if step.top is None else self._dialogs.value(step.top, INT)
        transaction = self._transactions.current(step.line)
        own = self._transactions.begin_own(step.line) if transaction is None else None
        try:
            command = commands.Receive(
                command_id=self._transactions.new_id(),
                database=database,
                transaction=transaction or own,
                queue=queue,
                top=top if isinstance(top, int) else 0,
                conversation_handle=handle,
                conversation_group_id=group,
                waitfor_milliseconds=self._dialogs.timeout(step.waits, step.timeout),
            )
            answer = self._shown(step, query, database, command)
        except BaseException:
            self._give_back(own, step.line)
            raise
        if own is not None:
            self._transactions.end_own(own, step.line, commits=True)
        return query, answer

    def _give_back(self, own: TransactionId | None, line: int) -> None:
        if own is None:
            return
        try:
            self._transactions.end_own(own, line, commits=False)
        except StatementFailed:
            # It was over already; what matters is why the statement failed.
            return

    def _compiled(self, step: program.Receive) -> Query:
        try:
            query = self._evaluator.compiled(step.columns, self._state.database)
        except StatementFailed as error:
            raise failed(8447, at=step.line) if error.number == 141 else error from None
        if query.targets and step.into is not None:
            raise failed(8450, at=step.line)
        if step.into is not None:
            columns = self._evaluator.table_columns(step.into)
            if columns is None:
                raise failed(1087, at=step.line, name=step.into)
            if len([each for each in columns if not each.is_counted]) != len(query.outputs):
                raise failed(213, at=step.line)
        return query

    def _shown(self, step: program.Receive, query: Query, database: DatabaseName, command: commands.Receive) -> Answer:
        with reading_queue(step.queue, step.line):
            reply = self._transactions.ask(command, step.line)
        assert isinstance(reply, MessagesReceived), "RECEIVE answers with messages"
        used = {name for use in query.uses for name in use.used}
        self._evaluator.store(RECEIVED, self._rows(reply.messages, database, used))
        _, answer = self._evaluator.run(step.columns, self._state.database)
        if step.into is not None:
            self._keep(step.into, answer, step.line)
        return answer

    def _rows(
        self, messages: Sequence[QueueRow], database: DatabaseName, used: Iterable[str]
    ) -> list[tuple[Value, ...]]:
        known = {column: self._lookup(*_NUMBERED[column], database) for column in _NUMBERED if column in used}
        none: dict[str, Value] = {}
        return [
            (
                int(row.status),
                row.priority,
                row.queuing_order,
                str(row.conversation_group_id).upper(),
                str(row.conversation_handle).upper(),
                row.message_sequence_number,
                row.service_name,
                known.get("service_id", none).get(row.service_name),
                row.service_contract_name,
                known.get("service_contract_id", none).get(row.service_contract_name),
                row.message_type_name,
                known.get("message_type_id", none).get(row.message_type_name),
                known.get("validation", none).get(row.message_type_name),
                row.message_body,
                moments.stored(row.message_enqueue_time),
            )
            for row in messages
        ]

    def _lookup(self, view: str, name: str, column: str, database: DatabaseName) -> dict[str, Value]:
        query = SystemViewQuery(view=view, database=database, columns=(name, column), rows_max=MESSAGES_AT_ONCE)
        rows = self._target.system_view(query).rows
        return {str(key): value for key, value in rows if isinstance(value, int | str)}

    def _keep(self, name: str, answer: Answer, line: int) -> None:
        """INTO: by place, each value as the type of its column."""
        columns = [each for each in self._evaluator.table_columns(name) or () if not each.is_counted]
        rows = [
            tuple(
                self._evaluator.converted(cell, output.type, column.type, line)
                for cell, output, column in zip(row, answer.outputs, columns, strict=True)
            )
            for row in answer.rows
        ]
        self._evaluator.store(name, rows)
