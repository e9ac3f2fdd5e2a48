"""Variables: room for them, and SELECT @x = … and SELECT @x += …, what the rows of a SELECT make of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import msgspec

from engine.tsql.console.evaluating import Answer, Evaluator, Variable
from engine.tsql.console.failing import failed
from engine.tsql.console.pieces import Walker
from engine.tsql.console.program import Declare, DeclareTable, Expression, Fold, Step, every
from engine.tsql.console.querying import Query
from engine.tsql.console.sources import variable_column
from engine.tsql.tokens import TokenKind

NO_FOLDS: Final[Mapping[int, Fold]] = {}
OPERATORS: Final = ("+", "-", "*", "/", "%", "&", "|", "^")
"""What may stand before = in an assignment."""


def make_room(evaluator: Evaluator, steps: Sequence[Step]) -> None:
    """Variables are there for a whole batch, NULL or empty, whether their DECLARE is ever reached or not."""
    for step in every(steps):
        if isinstance(step, Declare):
            for name, declared, _ in step.variables:
                evaluator.declare(name, declared)
        elif isinstance(step, DeclareTable):
            evaluator.declare_table(step.name, tuple(map(variable_column, step.columns)), step.keys)


class Place(msgspec.Struct, frozen=True):
    """Where a statement runs, and on which line it stands."""

    database: str
    line: int


def folds_in(walker: Walker, start: int, end: int) -> tuple[dict[int, Fold], set[int]]:
    """Assignments with an operator in the list of a SELECT, by their columns; and where the operators stand."""
    folds: dict[int, Fold] = {}
    marks: set[int] = set()
    depth = column = 0
    for index in range(start, end - 2):
        token, operator = walker.tokens[index], walker.tokens[index + 1]
        depth += token.is_mark("(") - token.is_mark(")")
        if depth > 0:
            continue
        if token.is_word("FROM", "WHERE"):
            break
        # What stands before SELECT are common table expressions.
        column = 0 if token.is_word("SELECT") else column + token.is_mark(",")
        if (
            token.kind is TokenKind.VARIABLE
            and any(operator.is_mark(each) for each in OPERATORS)
            and walker.tokens[index + 2].is_mark("=")
        ):
            operand = f"@__column_{column + 1}"
            folds[column] = Fold(operand, Expression(f"{token.text} {operator.text} {operand}", token.line))
            marks.add(index + 1)
    return folds, marks


def assign(
    evaluator: Evaluator,
    query: Query,
    answer: Answer,
    folds: Mapping[int, Fold],
    watch: Callable[[], None],
    where: Place,
) -> None:
    """Variables as they are after the last row, assigned from left to right. Errors: 137, 245, 8134.

    What an operator or a column computes from variables takes in each row, in order.
    """
    for row in answer.rows if folds or query.rests else answer.rows[-1:]:
        watch()
        for column, (name, output) in enumerate(zip(query.targets, query.outputs, strict=False)):
            variable = evaluator.variables.get(name)
            if variable is None:
                raise failed(137, at=where.line, name=name)
            rest, fold = query.rests.get(column), folds.get(column)
            cell = row[column] if rest is None else evaluator.rest(rest, row)
            if fold is None:
                variable.value = evaluator.converted(cell, output.type, variable.declared, where.line)
                continue
            evaluator.variables[fold.operand] = Variable(output.type, cell)
            variable.value = evaluator.value_as(fold.value, variable.declared, where.database)
