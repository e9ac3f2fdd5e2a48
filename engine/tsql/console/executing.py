"""EXECUTE: of texts, with parameters by sp_executesql, and of the procedures that there are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from engine.tsql.console.failing import StatementFailed, failed
from engine.tsql.console.outputs import ConsoleOutput
from engine.tsql.console.parameters import Parameter, matched, parameters_in
from engine.tsql.console.program import Argument, Execute, ExecuteText, Expression, Step
from engine.tsql.console.target import database_named
from engine.tsql.console.texts import joined
from engine.tsql.console.types import INT, NVARCHAR, TEXTS, UNICODE, SqlType
from engine.tsql.console.values import Value, to_text

if TYPE_CHECKING:
    from engine.tsql.console.session import ConsoleSession

NESTING_MAX: Final = 32
"""EXECUTE inside of EXECUTE."""
_RUN_TEXT: Final = "sp_executesql"
_DETACH: Final = "sp_detach_db"

Outputs = Iterator[ConsoleOutput]


class _Given(NamedTuple):
    """A parameter with its value."""

    parameter: Parameter
    value: Value
    output: str
    """The variable around that takes its value afterwards; empty for none."""


class Executor:
    """Runs EXECUTE for one script."""

    def __init__(self, session: ConsoleSession, run: Callable[[Sequence[Step]], Outputs]) -> None:
        """`run` carries out the program of a text, within variables of its own."""
        self._session = session
        self._state = session.state
        self._evaluator = session.evaluator
        self._run = run
        self._nesting = 0

    def execute_text(self, step: ExecuteText) -> Outputs:
        """EXECUTE (…)."""
        pieces = (to_text(*self._evaluator.value(each, self._state.database)) or "" for each in step.pieces)
        yield from self._nested(joined(pieces), step.line, ())

    def execute(self, step: Execute) -> Outputs:
        """EXECUTE of a procedure. Errors: 214, 911, 2812 and those of parameters."""
        procedure = step.procedure[-1].casefold()
        if procedure not in (_RUN_TEXT, _DETACH) or not step.arguments:
            raise failed(2812, at=step.line, name=".".join(step.procedure))
        if procedure == _DETACH:
            value = self._argument(step.arguments[0], step.line)
            self._session.files.detach(to_text(*value) or "", step.line)
            self._evaluator.forget()
            self._state.last_error = 0
        else:
            yield from self._execute_with_parameters(step)
        if step.result:
            returned = self._evaluator.converted(self._state.last_error, INT, self._declared(step.result), step.line)
            self._evaluator.variables[step.result].value = returned

    def _execute_with_parameters(self, step: Execute) -> Outputs:
        text = self._text(step.arguments[0], "@statement", step.line)
        declarations = self._text(step.arguments[1], "@params", step.line) if len(step.arguments) > 1 else ""
        try:
            given = self._given(text, declarations, step.arguments[2:], step.line)
        except StatementFailed as error:
            error.line = step.line
            raise
        yield from self._nested(text, step.line, given, self._database_of(step))

    def _database_of(self, step: Execute) -> str:
        """Where a text runs: `Shop.sys.sp_executesql` runs it in Shop."""
        name = step.procedure[-3] if len(step.procedure) > 2 else ""
        if not name:
            return self._state.database
        found = database_named(self._session.target.catalog(), name)
        if found is None:
            raise failed(911, at=step.line, database=name)
        self._session.openings.refuse_closed(found, step.line)
        return found

    def _text(self, argument: Argument, name: str, line: int) -> str:
        """A text of type nvarchar; NULL is an empty one."""
        value, kind = self._argument(argument, line)
        if value is not None and not (kind.base in TEXTS and kind.base in UNICODE):
            raise failed(214, at=line, name=name, found=str(kind))
        return to_text(value, kind) or ""

    def _argument(self, argument: Argument, line: int) -> tuple[Value, SqlType]:
        if argument.value is None:
            return None, NVARCHAR
        value, kind = self._evaluator.value(argument.value, self._state.database)
        if argument.output:
            self._declared(argument.output)
        return value, kind

    def _declared(self, variable: str) -> SqlType:
        return self._evaluator.variables[variable].declared

    def _given(self, text: str, declarations: str, arguments: Sequence[Argument], line: int) -> list[_Given]:
        parameters = parameters_in(declarations)
        return [
            _Given(
                parameter,
                self._value(parameter, argument.value if argument is not None else parameter.default, line),
                argument.output if argument is not None else "",
            )
            for parameter, argument in matched(text, parameters, arguments)
        ]

    def _value(self, parameter: Parameter, given: Expression | None, line: int) -> Value:
        """What a parameter begins with. Errors: 8114."""
        assert given is not None, "a parameter without a value was refused"
        value, kind = self._evaluator.value(given, self._state.database)
        try:
            return self._evaluator.converted(value, kind, parameter.type, line)
        except StatementFailed as error:
            if error.number != 245:
                raise
            raise failed(8114, value=str(value), found=str(kind), expected=str(parameter.type)) from None

    def _nested(self, text: str, line: int, given: Iterable[_Given], database: str = "") -> Outputs:
        """A text run as a batch of its own; its lines are its own, and what it sets for the session ends with it."""
        if self._nesting >= NESTING_MAX:
            raise failed(217, at=line, limit=NESTING_MAX)
        given = tuple(given)
        steps = self._session.read_text(text, line, {each.parameter.name for each in given})
        state = self._state
        before = state.database, state.is_no_count, state.is_xact_abort
        if not steps:
            state.last_error = 0
        self._nesting += 1
        found: list[tuple[_Given, Value]] = []
        try:
            state.database = database_named(self._session.target.catalog(), database) or state.database
            with self._evaluator.batch():
                for each in given:
                    self._evaluator.declare(each.parameter.name, each.parameter.type)
                    self._evaluator.variables[each.parameter.name].value = each.value
                yield from self._run(steps)
                found = [(each, self._evaluator.variables[each.parameter.name].value) for each in given if each.output]
        finally:
            self._nesting -= 1
            state.database, state.is_no_count, state.is_xact_abort = before
        for each, value in found:
            variable = self._evaluator.variables[each.output]
            variable.value = self._evaluator.converted(value, each.parameter.type, variable.declared, line)
