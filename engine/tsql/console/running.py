"""Running a program: control of flow, variables, TRY and CATCH; what works on the instance is done by others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from engine.core.vocabulary.errors import BrokerError
from engine.tsql.console import moments, program, raising
from engine.tsql.console.assigning import NO_FOLDS, Place, assign, make_room
from engine.tsql.console.budget import Budget
from engine.tsql.console.evaluating import Answer, Variable, shown_rows
from engine.tsql.console.executing import Executor
from engine.tsql.console.failing import (
    BINDING,
    CONVERSIONS,
    NESTED_TOO_DEEPLY,
    NO_ANSWER,
    NO_MEMORY,
    SPENT,
    StatementFailed,
    cut_off,
    failed,
    failed_as,
    told,
)
from engine.tsql.console.leaving import BatchEnded, BatchFailed, Left, ScriptEnded
from engine.tsql.console.outputs import ConsoleOutput, Printed, ResultSet, RowsAffected
from engine.tsql.console.querying import Query
from engine.tsql.console.target import NotTakenYet, TargetUnavailable, database_named
from engine.tsql.console.types import MOMENTS
from engine.tsql.console.values import to_text

if TYPE_CHECKING:
    from engine.tsql.console.session import ConsoleSession

PRINTED_MAX: Final = 4000
"""Characters of a PRINT."""
INFORMATION_MAX: Final = 10
"""The highest severity that is a message and no error."""

Outputs = Iterator[ConsoleOutput]


class Runner:
    """Runs the batches of one script."""

    def __init__(self, session: ConsoleSession) -> None:
        self._session = session
        self._state = session.state
        self._evaluator = session.evaluator
        self._budget = Budget(session.watch)
        self._tries = 0
        """TRY blocks around the statement that runs."""
        self._loops = 0
        self._executor = Executor(session, self._nested)

    def run(self, steps: Sequence[program.Step]) -> Outputs:
        """A batch from its beginning to its end."""
        with self._evaluator.batch():
            make_room(self._evaluator, steps)
            try:
                yield from self._steps(steps)
            except BatchEnded:
                pass
            except BatchFailed as ended:
                if self._state.is_xact_abort:
                    self._session.transactions.abandon(ended.error.line)
                yield told(ended.error)
            except Left as left:
                if left.word != "RETURN":
                    raise AssertionError("BREAK and CONTINUE stay in their loop") from left

    def cut_off(self, gone: TargetUnavailable, line: int) -> Outputs:
        """The connection is gone: no CATCH hears of it, the transaction is over, and the script with it."""
        self._state.end_transaction()
        error = cut_off(str(gone), line)
        self._state.last_error = error.number
        yield told(error)
        raise ScriptEnded

    def refuse(self, error: StatementFailed) -> Outputs:
        """A batch that does not run at all."""
        self._state.last_error = error.number
        yield told(error)
        try:
            self._budget.output(error.line)
        except StatementFailed as spent:
            yield told(spent)

    @property
    def is_spent(self) -> bool:
        """Whether the script has done as much as it may: no further batch runs."""
        return self._budget.is_spent

    def at_end(self, line: int) -> Outputs:
        """A transaction that can only be rolled back does not outlive its batch (3998)."""
        if self._state.is_doomed:
            self._session.transactions.abandon(line)
            yield told(failed(3998, at=line))

    # ── statements and their errors ──────────────────────────────────────────────────────────────────────────────
    def _steps(self, steps: Sequence[program.Step]) -> Outputs:
        for step in steps:
            yield from self._step(step)

    def _step(self, step: program.Step) -> Outputs:
        """One statement; what fails is told, or left to the CATCH block that waits for it."""
        try:
            self._budget.statement(step.line)
            yield from _DOERS[type(step)](self, step) or ()
            if not isinstance(step, _KEEPING):
                self._state.last_error = 0
        except StatementFailed as error:
            yield from self._failed(error, step.line)
        except NotTakenYet as error:
            self._state.end_transaction()
            unanswered = failed(NO_ANSWER, at=step.line)
            unanswered.why = str(error) or unanswered.why
            yield from self._failed(unanswered, step.line)
        except TargetUnavailable as gone:
            yield from self.cut_off(gone, step.line)
        except RecursionError:
            yield from self._failed(failed(NESTED_TOO_DEEPLY, at=step.line), step.line)
        except MemoryError:
            yield from self._failed(failed(NO_MEMORY, at=step.line), step.line)

    def _failed(self, error: StatementFailed, line: int) -> Outputs:
        error.line = error.line or line
        self._state.last_error = error.number
        if error.ends_script:
            yield told(error)
            raise ScriptEnded
        if error.number in BINDING and not error.has_ended_inner_batch:
            raise BatchFailed(error)
        aborts = error.number in CONVERSIONS | SPENT
        if self._state.is_xact_abort and error.number != raising.OWN_NUMBER:
            aborts = error.ends_batch = True
        if self._tries > 0 and error.number not in SPENT:
            self._state.is_doomed = self._state.transaction_count > 0 and (self._state.is_doomed or aborts)
            raise error
        if aborts:
            self._session.transactions.abandon(line)
        yield told(error)
        if error.ends_batch:
            raise BatchEnded
        try:
            self._budget.output(line)
        except StatementFailed as spent:
            yield told(spent)
            raise BatchEnded from None

    # ── control of flow ──────────────────────────────────────────────────────────────────────────────────────────
    def _block(self, step: program.Block) -> Outputs:
        yield from self._steps(step.statements)

    def _is_true(self, condition: program.Expression) -> bool:
        return self._evaluator.is_true(condition, self._state.database)

    def _if(self, step: program.If) -> Outputs:
        chosen = step.then if self._is_true(step.condition) else step.otherwise
        if chosen is not None:
            yield from self._step(chosen)

    def _while(self, step: program.While) -> Outputs:
        self._loops += 1
        try:
            while self._is_true(step.condition):
                self._budget.statement(step.line)
                try:
                    yield from self._step(step.body)
                except Left as left:
                    if left.word == "RETURN":
                        raise
                    if left.word == "BREAK":
                        break
        finally:
            self._loops -= 1

    def _leave(self, step: program.Leave) -> None:
        if step.word != "RETURN" and self._loops == 0:
            raise failed(135 if step.word == "BREAK" else 136, at=step.line)
        raise Left(step.word)

    def _try(self, step: program.Try) -> Outputs:
        tries, caught, loops = self._tries, self._state.caught, self._loops
        self._tries += 1
        try:
            yield from self._steps(step.body)
            self._tries = tries
        except StatementFailed as error:
            self._tries, self._loops = tries, loops
            # Nothing of what was computed when it was raised is kept with it.
            self._state.caught = error.with_traceback(None)
            self._state.last_error = error.number
            try:
                yield from self._steps(step.handler)
            finally:
                self._state.caught = caught
        finally:
            self._tries = tries

    # ── variables and messages ───────────────────────────────────────────────────────────────────────────────────
    def _declare(self, step: program.Declare) -> None:
        """The first value of each variable, every time DECLARE is passed; without one a variable keeps what it has."""
        for name, declared, value in step.variables:
            if value is not None:
                found = self._evaluator.value_as(value, declared, self._state.database)
                self._evaluator.variables[name].value = found

    def _set_variable(self, step: program.SetVariable) -> None:
        variable = self._variable(step.name, step.line)
        variable.value = self._evaluator.value_as(step.value, variable.declared, self._state.database)
        self._state.row_count = 1

    def _variable(self, name: str, line: int) -> Variable:
        found = self._evaluator.variables.get(name)
        if found is None:
            raise failed(137, at=line, name=name)
        return found

    def _set_option(self, step: program.SetOption) -> None:
        if "NOCOUNT" in step.options:
            self._state.is_no_count = step.is_on
        if "XACT_ABORT" in step.options:
            self._state.is_xact_abort = step.is_on

    def _select(self, step: program.Select) -> Outputs:
        query, answer = self._evaluator.run(step.text, self._state.database)
        yield from self._answered(query, answer, step.line, step.folds)

    def _answered(
        self, query: Query, answer: Answer, line: int, folds: Mapping[int, program.Fold] = NO_FOLDS
    ) -> Outputs:
        """Rows as a result set, or in variables; how many there were."""
        count = answer.changed if query.writes else len(answer.rows)
        self._state.row_count = count
        if query.targets:
            assign(self._evaluator, query, answer, folds, self._session.watch, Place(self._state.database, line))
            return
        if not query.writes:
            size = answer.size
            self._budget.answer(count, size, line)
            # Others of the process find less room for as long as the reader has not read on.
            with self._evaluator.held(size, line):
                columns, rows = shown_rows(answer)
                yield ResultSet(columns=columns, rows=rows, line=line)
        if not self._state.is_no_count:
            yield RowsAffected(count=count, line=line)

    def _print(self, step: program.Print) -> Outputs:
        text = to_text(*self._value(step.value))
        self._state.row_count = 0
        self._budget.output(step.line)
        yield Printed(text=(text or " ")[:PRINTED_MAX], line=step.line)

    def _throw(self, step: program.Throw) -> None:
        if not step.arguments:
            caught = self._state.caught
            if caught is None:
                raise failed(10704, at=step.line)
            caught.ends_batch = True
            raise caught
        raise raising.thrown(list(map(self._value, step.arguments)), step.line)

    def _raise_error(self, step: program.RaiseError) -> Outputs:
        error = raising.raised(list(map(self._value, step.arguments)), step.line)
        if error.severity > INFORMATION_MAX:
            raise error
        self._budget.output(step.line)
        yield Printed(text=error.message, line=step.line)

    def _value(self, expression: program.Expression) -> raising.Argument:
        return self._evaluator.value(expression, self._state.database)

    # ── the session ──────────────────────────────────────────────────────────────────────────────────────────────
    def _transaction(self, step: program.Transaction) -> None:
        self._state.row_count = 0
        match step.word:
            case "BEGIN":
                self._session.transactions.begin()
            case "COMMIT":
                self._session.transactions.commit(step.line)
            case _:
                self._session.transactions.roll_back(step.line)

    def _use(self, step: program.Use) -> None:
        found = database_named(self._session.target.catalog(), step.database)
        if found is None:
            raise failed(911, at=step.line, database=step.database)
        self._session.openings.refuse_closed(found, step.line)
        self._state.database = found

    def _wait(self, step: program.WaitFor) -> None:
        value, kind = self._value(step.delay)
        text = str(value) if kind.base in MOMENTS else to_text(value, kind) or ""
        try:
            self._session.target.pause(moments.delay_seconds(text))
        except ValueError:
            raise failed(148, at=step.line, value=text) from None
        except BrokerError as error:
            raise failed_as(error, step.line) from None
        self._session.target.ensure_runs()

    def _execute(self, step: program.Execute) -> Outputs:
        yield from self._executor.execute(step)

    def _execute_text(self, step: program.ExecuteText) -> Outputs:
        yield from self._executor.execute_text(step)

    def _nested(self, steps: Sequence[program.Step]) -> Outputs:
        """The program of a text, which BREAK and RETURN leave."""
        loops, self._loops = self._loops, 0
        try:
            make_room(self._evaluator, steps)
            yield from self._steps(steps)
        except Left as left:
            if left.word != "RETURN":
                raise
        except BatchFailed as ended:
            ended.error.has_ended_inner_batch = True
            raise ended.error from None
        finally:
            self._loops = loops

    # ── the instance ─────────────────────────────────────────────────────────────────────────────────────────────
    def _receive(self, step: program.Receive) -> Outputs:
        query, answer = self._session.receiving.receive(step)
        if step.into is None:
            yield from self._answered(query, answer, step.line)
            return
        self._state.row_count = len(answer.rows)
        if not self._state.is_no_count:
            yield RowsAffected(count=len(answer.rows), line=step.line)

    def _get_group(self, step: program.GetGroup) -> None:
        self._session.dialogs.get_group(step)
        self._state.row_count = 0

    def _dialog(self, step: Any) -> None:
        self._session.dialogs.perform(step)
        self._state.row_count = 1

    def _define(self, step: program.Define) -> Outputs:
        yield from self._session.definitions.define(step)
        self._evaluator.forget()

    def _note(self, step: program.Noted) -> Outputs:
        yield from self._session.definitions.note(step)

    def _fail_over(self, step: program.FailOver) -> None:
        self._session.definitions.fail_over(step)

    def _back_up(self, step: program.Backup) -> None:
        self._session.files.back_up(step)

    def _restore(self, step: program.Restore) -> Outputs:
        yield from self._session.files.restore(step)
        self._evaluator.forget()


_KEEPING: Final = (program.If, program.While, program.Block, program.Try, program.Execute, program.ExecuteText)
"""What only holds other statements leaves @@ERROR as it is."""

_DOERS: Final[dict[type[program.Step], Callable[[Runner, Any], Outputs | None]]] = {
    program.Declare: Runner._declare,
    program.DeclareTable: lambda _runner, _step: None,
    program.SetVariable: Runner._set_variable,
    program.SetOption: Runner._set_option,
    program.Select: Runner._select,
    program.Print: Runner._print,
    program.Block: Runner._block,
    program.If: Runner._if,
    program.While: Runner._while,
    program.Leave: Runner._leave,
    program.Try: Runner._try,
    program.Transaction: Runner._transaction,
    program.Throw: Runner._throw,
    program.RaiseError: Runner._raise_error,
    program.WaitFor: Runner._wait,
    program.Use: Runner._use,
    program.Execute: Runner._execute,
    program.ExecuteText: Runner._execute_text,
    program.BeginDialog: Runner._dialog,
    program.Send: Runner._dialog,
    program.Receive: Runner._receive,
    program.GetGroup: Runner._get_group,
    program.Move: Runner._dialog,
    program.End: Runner._dialog,
    program.Timer: Runner._dialog,
    program.Define: Runner._define,
    program.FailOver: Runner._fail_over,
    program.Noted: Runner._note,
    program.Backup: Runner._back_up,
    program.Restore: Runner._restore,
}
