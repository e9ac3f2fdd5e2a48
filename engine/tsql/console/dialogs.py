"""Running the statements that work on conversations (tsql.md 9)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, TypeVar
from uuid import UUID

from engine.core.catalog.address import parse_broker_instance
from engine.core.exchange import commands
from engine.core.exchange.replies import (
    ConversationGroupFound,
    DialogBegun,
)
from engine.core.exchange.system_views import ColumnFilter, SystemViewQuery
from engine.core.vocabulary.errors import BrokerError
from engine.core.vocabulary.identifiers import (
    BrokerInstanceId,
    ContractName,
    ConversationGroupId,
    ConversationHandle,
    DatabaseName,
    MessageTypeName,
    QueueName,
    ServiceName,
)
from engine.tsql.console import program
from engine.tsql.console.evaluating import Evaluator
from engine.tsql.console.failing import StatementFailed, failed, failed_as
from engine.tsql.console.program import Expression
from engine.tsql.console.state import SessionState
from engine.tsql.console.target import ConsoleTarget, database_named
from engine.tsql.console.transacting import Transactions
from engine.tsql.console.types import INT, NVARCHAR, UNIQUEIDENTIFIER, SqlType
from engine.tsql.console.values import Value, body_of

Name = TypeVar("Name", bound=str)

CURRENT_DATABASE: Final = "CURRENT DATABASE"
NO_SUCH_OBJECT: Final = 15151
WAIT_FOR_EVER: Final = commands.WAIT_FOR_EVER


@contextmanager
def reading_queue(parts: tuple[str, ...], line: int) -> Iterator[None]:
    """A statement that reads a queue, as SELECT does, is told as SELECT is that there is none of that name (208)."""
    try:
        yield
    except StatementFailed as error:
        if error.number == NO_SUCH_OBJECT and error.parameters.get("value") == "queue":
            database = error.parameters["database"]
            raise failed(208, at=line, name=".".join(part or "dbo" for part in parts), database=database) from None
        raise


class Dialogs:
    """Conversation statements of one session, all but RECEIVE."""

    def __init__(
        self, target: ConsoleTarget, state: SessionState, evaluator: Evaluator, transactions: Transactions
    ) -> None:
        self._target = target
        self._state = state
        self._evaluator = evaluator
        self._transactions = transactions

    def perform(self, step: program.BeginDialog | program.Send | program.Move | program.End | program.Timer) -> None:
        """Any statement that works on one conversation; errors as its own function."""
        match step:
            case program.BeginDialog():
                self.begin(step)
            case program.Send():
                self.send(step)
            case program.Move():
                self.move(step)
            case program.End():
                self.end(step)
            case program.Timer():
                self.timer(step)

    # ── values ───────────────────────────────────────────────────────────────────────────────────────────────────
    def value(self, expression: Expression, declared: SqlType) -> Value:
        """An expression as a type."""
        return self._evaluator.value_as(expression, declared, self._state.database)

    def text(self, expression: Expression, number: int) -> str:
        """A text; `number` is the error for NULL."""
        found = self.value(expression, NVARCHAR)
        if not isinstance(found, str):
            raise failed(number, at=expression.line)
        return found

    def guid(self, expression: Expression, number: int) -> UUID:
        """A uniqueidentifier; `number` is the error for NULL."""
        found = self.value(expression, UNIQUEIDENTIFIER)
        if not isinstance(found, str):
            raise failed(number, at=expression.line, value=1)
        return UUID(found)

    def handle(self, expression: Expression) -> ConversationHandle:
        """A conversation handle; 8418 for NULL."""
        return ConversationHandle(self.guid(expression, 8418))

    def assign(self, variable: str, value: Value, kind: SqlType, line: int) -> None:
        """Give a variable a value, converted to its type."""
        found = self._evaluator.variables[variable]
        found.value = self._evaluator.converted(value, kind, found.declared, line)

    def queue(self, parts: tuple[str, ...], line: int) -> tuple[DatabaseName, QueueName]:
        """The database and the queue that a name means. Errors: 117, 208."""
        if len(parts) > 3:
            raise failed(117, at=line, name=".".join(parts))
        database = self._state.database
        if len(parts) == 3 and parts[0]:
            found = database_named(self._target.catalog(), parts[0])
            if found is None:
                raise failed(208, at=line, name=".".join(part or "dbo" for part in parts), database=parts[0])
            database = found
        schema = parts[-2] if len(parts) > 1 and parts[-2] else "dbo"
        return database, QueueName(f"{schema}.{parts[-1]}")

    def timeout(self, waits: bool, timeout: Expression | None) -> int | None:
        """The TIMEOUT of a WAITFOR, in milliseconds; None without WAITFOR."""
        if not waits:
            return None
        if timeout is None:
            return WAIT_FOR_EVER
        found = self.value(timeout, INT)
        return found if isinstance(found, int) else WAIT_FOR_EVER

    # ── statements ───────────────────────────────────────────────────────────────────────────────────────────────
    def begin(self, step: program.BeginDialog) -> None:
        """BEGIN DIALOG. Errors: 8402, 8406, 8413, 8417, 8421, 8426 and those of the instance."""
        variable = self._evaluator.variables[step.variable]
        if variable.declared != UNIQUEIDENTIFIER:
            raise failed(8402, at=step.line, value=step.variable)
        if step.related is not None and step.related_group is not None:
            detail = "RELATED_CONVERSATION and RELATED_CONVERSATION_GROUP exclude each other"
            raise failed(153, at=step.line, name="WITH", value="Both of them", detail=detail)
        broker, is_current = self._broker(step.to_broker)
        lifetime = None if step.lifetime is None else self.value(step.lifetime, INT)
        if step.lifetime is not None and not isinstance(lifetime, int):
            raise failed(8406, at=step.line)
        command = commands.BeginDialog(
            command_id=self._transactions.new_id(),
            database=self._state.database,
            transaction=self._transactions.current(step.line),
            from_service=ServiceName(self.text(step.from_service, 8421)),
            to_service=ServiceName(self.text(step.to_service, 8421)),
            to_broker_instance=broker,
            to_current_database=is_current,
            contract=None if step.contract is None else ContractName(self.text(step.contract, 8417)),
            conversation_group_id=self._group(step),
            lifetime_seconds=lifetime if isinstance(lifetime, int) else None,
            encryption=step.is_encrypted,
        )
        reply = self._transactions.ask(command, step.line)
        assert isinstance(reply, DialogBegun), "BEGIN DIALOG answers with its handle"
        variable.value = str(reply.conversation_handle).upper()

    def _broker(self, expression: Expression | None) -> tuple[BrokerInstanceId | None, bool]:
        if expression is None:
            return None, False
        text = self.text(expression, 8421)
        if text.strip().upper() == CURRENT_DATABASE:
            return None, True
        try:
            return parse_broker_instance(text), False
        except BrokerError as error:
            raise failed_as(error, expression.line) from None

    def _group(self, step: program.BeginDialog) -> ConversationGroupId | None:
        if step.related_group is not None:
            return ConversationGroupId(self.guid(step.related_group, 8420))
        if step.related is None:
            return None
        handle = self.handle(step.related)
        query = SystemViewQuery(
            view="sys.conversation_endpoints",
            database=self._state.database,
            columns=("conversation_group_id",),
            filters=(ColumnFilter(column="conversation_handle", value=str(handle)),),
            rows_max=1,
        )
        rows = self._transactions.read(query).rows
        if not rows or not isinstance(rows[0][0], UUID):
            raise failed(8426, at=step.line, conversation_handle=str(handle))
        return ConversationGroupId(rows[0][0])

    def send(self, step: program.Send) -> None:
        """SEND, to one conversation or several. Errors: 8418, 8433, 8441, 8451 and those of the instance."""
        handles = [self._one_of(each, number, len(step.handles)) for number, each in enumerate(step.handles, 1)]
        for number, handle in enumerate(handles, 1):
            if handle in handles[: number - 1]:
                raise failed(8451, at=step.line, value=number)
        kind = None if step.message_type is None else MessageTypeName(self.text(step.message_type, 8428))
        body = None
        if step.body is not None:
            value, declared = self._evaluator.value(step.body, self._state.database)
            if value is None:
                raise failed(8433, at=step.line)
            body = body_of(value, declared)
        transaction = self._transactions.current(step.line)
        command_id, database = self._transactions.new_id(), self._state.database
        command: commands.Send | commands.SendMany
        if len(handles) == 1:
            command = commands.Send(
                command_id=command_id,
                database=database,
                transaction=transaction,
                conversation_handle=handles[0],
                message_type=kind,
                body=body,
            )
        else:
            messages = tuple(commands.OutgoingMessage(handle, body, kind) for handle in handles)
            command = commands.SendMany(
                command_id=command_id, database=database, transaction=transaction, messages=messages
            )
        self._transactions.ask(command, step.line)

    def _one_of(self, expression: Expression, number: int, count: int) -> ConversationHandle:
        if count == 1:
            return self.handle(expression)
        found = self.value(expression, UNIQUEIDENTIFIER)
        if not isinstance(found, str):
            raise failed(8441, at=expression.line, value=number)
        return ConversationHandle(UUID(found))

    def get_group(self, step: program.GetGroup) -> None:
        """GET CONVERSATION GROUP; NULL when there is none."""
        database, queue = self.queue(step.queue, step.line)
        command = commands.GetConversationGroup(
            command_id=self._transactions.new_id(),
            database=database,
            transaction=self._transactions.current(step.line),
            queue=queue,
            waitfor_milliseconds=self.timeout(step.waits, step.timeout),
        )
        with reading_queue(step.queue, step.line):
            reply = self._transactions.ask(command, step.line)
        assert isinstance(reply, ConversationGroupFound), "GET CONVERSATION GROUP answers with a group"
        group = reply.conversation_group_id
        value = None if group is None else str(group).upper()
        self.assign(step.variable, value, UNIQUEIDENTIFIER, step.line)

    def move(self, step: program.Move) -> None:
        """MOVE CONVERSATION."""
        group = ConversationGroupId(self.guid(step.group, 8420))
        handle = self.handle(step.handle)
        command = commands.MoveConversation(
            command_id=self._transactions.new_id(),
            database=self._state.database,
            transaction=self._transactions.current(step.line),
            conversation_handle=handle,
            conversation_group_id=group,
        )
        self._transactions.ask(command, step.line)

    def end(self, step: program.End) -> None:
        """END CONVERSATION. Errors: 8418, 8419, 8422 and those of the instance."""
        code = description = None
        if step.error is not None and step.description is not None:
            code, description = self.value(step.error, INT), self.value(step.description, NVARCHAR)
            if code is None:
                raise failed(8419, at=step.line)
            if description is None:
                raise failed(8422, at=step.line)
        command = commands.EndConversation(
            command_id=self._transactions.new_id(),
            database=self._state.database,
            transaction=self._transactions.current(step.line),
            conversation_handle=self.handle(step.handle),
            error_code=code if isinstance(code, int) else None,
            error_description=description if isinstance(description, str) else None,
            with_cleanup=step.with_cleanup,
        )
        self._transactions.ask(command, step.line)

    def timer(self, step: program.Timer) -> None:
        """BEGIN CONVERSATION TIMER. Errors: 153, 8418 and those of the instance."""
        handle = self.handle(step.handle)
        seconds = self.value(step.timeout, INT)
        if not isinstance(seconds, int):
            raise failed(153, at=step.line, name="TIMEOUT", value="NULL", detail="a number of seconds is expected")
        command = commands.BeginConversationTimer(
            command_id=self._transactions.new_id(),
            database=self._state.database,
            transaction=self._transactions.current(step.line),
            conversation_handle=handle,
            timeout_seconds=seconds,
        )
        self._transactions.ask(command, step.line)
