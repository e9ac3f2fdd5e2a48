"""`Identities`: the numbers that IDENTITY columns of table variables have given."""

from __future__ import annotations

from engine.tsql.console.failing import failed


class Identities:
    """Those of one session. A number that was given is not given again, whatever becomes of its row."""

    def __init__(self) -> None:
        self._last: dict[str, int] = {}

    def next(self, table: str, first: int, step: int, lowest: int, highest: int) -> int:
        """The next number of a table. Errors: 8115 beyond the type of the column."""
        found = self._last[table] + step if table in self._last else first
        if not lowest <= found <= highest:
            raise failed(8115, expected="IDENTITY")
        self._last[table] = found
        return found
