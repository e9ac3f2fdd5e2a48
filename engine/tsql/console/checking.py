"""`mistakes_in`: what a console would refuse of a script whatever it runs on, without running it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from engine.tsql.console.cutting import batches
from engine.tsql.console.failing import StatementFailed, failed
from engine.tsql.console.program import Block, If, Step, Try, Unsupported, While
from engine.tsql.console.reading import read_batch
from engine.tsql.tokens import Tokens


def mistakes_in(script: str) -> list[StatementFailed]:
    """Syntax errors, one of each batch, and statements that no console knows, each with number and line.

    What names mean is seen when a script runs, and not here.
    """
    tokens = Tokens(script.encode("utf-8", "replace").decode())
    found: list[StatementFailed] = []
    for batch in batches(tokens):
        try:
            if batch.problem is not None:
                raise batch.problem
            found += _unknown_in(read_batch(tokens, batch.start))
        except StatementFailed as error:
            found.append(error)
    return found


def _unknown_in(steps: Iterable[Step | None]) -> Iterator[StatementFailed]:
    """Statements that are T-SQL and not done here, wherever they stand."""
    for step in steps:
        match step:
            case Unsupported(line=line, words=words, number=number):
                yield failed(number, at=line, found=words)
            case Block(statements=statements):
                yield from _unknown_in(statements)
            case If(then=then, otherwise=otherwise):
                yield from _unknown_in((then, otherwise))
            case While(body=body):
                yield from _unknown_in((body,))
            case Try(body=body, handler=handler):
                yield from _unknown_in((*body, *handler))
            case _:
                pass
