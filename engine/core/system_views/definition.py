"""What a system view is: a name, columns in the vendor's order each with the function that fills it, and its rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final, Generic, TypeVar

from engine.core.exchange.system_views import Cell
from engine.core.system_views.reading import ViewReader

T = TypeVar("T")
CellOf = Callable[[ViewReader, T], Cell]
Lookup = Callable[[ViewReader, Cell], Iterable[T]]


class Scope(StrEnum):
    """Whose rows a view shows."""

    DATABASE = "database"
    """Those of the database that asks."""
    INSTANCE = "instance"
    """The same from every database."""


@dataclass(frozen=True)
class Column(Generic[T]):
    """A column: its declaration and how its cell is made from what a row stands for."""

    name: str
    type: str
    meaning: str
    cell: CellOf[T]
    nullable: bool = False


@dataclass(frozen=True)
class Places(Generic[T]):
    """The rows later than a place, in order, and the place of a row: a number that grows from row to row."""

    rows_after: Callable[[ViewReader, int], Iterable[T]]
    place_of: Callable[[T], int]


@dataclass(frozen=True, kw_only=True)
class SystemView(Generic[T]):
    """A catalog view or DMV. `differs` says in sentences where it shows something else than the vendor's."""

    name: str
    about: str
    scope: Scope
    columns: tuple[Column[T], ...]
    rows: Callable[[ViewReader], Iterable[T]]
    differs: tuple[str, ...] = ()
    places: Places[T] | None = None
    """For a view with very many rows: how to go on from a place in it without passing over what is before."""
    lookups: Mapping[str, Lookup[T]] = field(default_factory=dict)
    """Columns by whose value rows are found without passing through all of them."""


def fixed(value: Cell) -> CellOf[Any]:
    """A cell that is the same in every row."""
    return lambda _reader, _row: value


NULL: Final = True
"""For `Column.nullable`."""
