"""`mistakes_in`: what a console would refuse of a script whatever it runs on, without running it."""

from __future__ import annotations

from engine.tsql.console.cutting import batches
from engine.tsql.console.failing import StatementFailed, failed
from engine.tsql.console.program import refused_in
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
            found += [
                failed(step.number, at=step.line, found=step.words)
                for step in refused_in(read_batch(tokens, batch.start))
            ]
        except StatementFailed as error:
            found.append(error)
    return found
