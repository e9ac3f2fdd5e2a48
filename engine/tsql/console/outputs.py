"""What a session answers while it runs a script, in order: result sets, messages, numbers of rows, errors."""

from __future__ import annotations

import msgspec

from engine.core.exchange.system_views import Cell, ViewColumn
from engine.core.vocabulary.errors import Parameter


class _Output(msgspec.Struct, frozen=True, kw_only=True, tag_field="output"):
    """Common base; carries nothing."""


class ResultSet(_Output, frozen=True, tag="result-set"):
    """Rows of a SELECT or a RECEIVE; cells as in `SystemViewRows`, a datetime is seconds since 1970, UTC."""

    columns: tuple[ViewColumn, ...]
    """A column without a name has an empty one."""
    rows: tuple[tuple[Cell, ...], ...]
    line: int


class Printed(_Output, frozen=True, tag="printed"):
    """PRINT, RAISERROR of a severity up to 10, and what a statement has to say."""

    text: str
    line: int


class RowsAffected(_Output, frozen=True, tag="rows-affected"):
    """How many rows a statement read or wrote; nothing of the kind under SET NOCOUNT ON."""

    count: int
    line: int


class Failed(_Output, frozen=True, tag="failed"):
    """An error that nothing caught, with the vendor's number. Lines count from 1, in the whole script."""

    number: int
    severity: int
    state: int
    line: int
    message: str
    why: str = ""
    cure: str = ""
    parameters: dict[str, Parameter] = {}
    """What the texts of a numbered error were filled with, for a reader that words them itself."""


ConsoleOutput = ResultSet | Printed | RowsAffected | Failed
