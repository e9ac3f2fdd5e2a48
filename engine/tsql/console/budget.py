"""`Budget`: how much one script may still do and answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from engine.tsql.console.failing import TOO_MANY_STATEMENTS, TOO_MUCH, failed

STATEMENTS_MAX: Final = 100_000
"""Statements that one script runs; a loop without an end meets it."""
OUTPUT_ROWS_MAX: Final = 100_000
OUTPUT_BYTES_MAX: Final = 64 * 1024 * 1024
OUTPUTS_MAX: Final = 20_000
"""What one script answers."""


class Budget:
    """How much one script may still do."""

    def __init__(self, watch: Callable[[], None]) -> None:
        """`watch` is called before each statement; what it raises ends the script."""
        self._watch = watch
        self._statements = STATEMENTS_MAX
        self._outputs = OUTPUTS_MAX
        self._rows = OUTPUT_ROWS_MAX
        self._bytes = OUTPUT_BYTES_MAX

    @property
    def is_spent(self) -> bool:
        """Whether the script may do nothing more."""
        return min(self._statements, self._outputs, self._rows, self._bytes) < 0

    def statement(self, line: int) -> None:
        """One more statement; 8649 when it is one too many."""
        self._watch()
        self._statements -= 1
        if self._statements < 0:
            raise failed(TOO_MANY_STATEMENTS, at=line, expected=f"{STATEMENTS_MAX} statements")

    def answer(self, rows: int, size: int, line: int) -> None:
        """So many rows of so many bytes to be shown; 8657 when they are too many."""
        self._rows -= rows
        self._bytes -= size
        self.output(line)
        if self._rows < 0:
            raise failed(TOO_MUCH, at=line, expected=OUTPUT_ROWS_MAX)
        if self._bytes < 0:
            raise failed(TOO_MUCH, at=line, expected=OUTPUT_BYTES_MAX)

    def output(self, line: int) -> None:
        """One more output."""
        self._outputs -= 1
        if self._outputs < 0:
            raise failed(TOO_MUCH, at=line, expected=OUTPUTS_MAX)
