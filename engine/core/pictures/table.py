"""Rows of pictures: the columns of the vendor's view as `system_views` fills them, and some of ours behind them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar
from uuid import UUID

from engine.core.exchange.pictures import PictureCell, PictureColumn, PictureRow
from engine.core.exchange.system_views import Cell
from engine.core.handlers.broker import Broker
from engine.core.link.facts import NetworkFacts
from engine.core.system_views.definition import Column, SystemView
from engine.core.system_views.reading import ViewReader
from engine.core.vocabulary.errors import LocalProtocolError
from engine.core.vocabulary.identifiers import MASTER, DatabaseName
from engine.core.vocabulary.limits import PICTURE_ROWS_MAX

T = TypeVar("T")

NO_ROWS_ASKED: Final = 10744


def rows_max_of(rows_max: int) -> int:
    """How many rows a picture has at most; 10744 when none are asked for."""
    if rows_max <= 0:
        raise LocalProtocolError(NO_ROWS_ASKED, value=rows_max)
    return min(rows_max, PICTURE_ROWS_MAX)


@dataclass(frozen=True)
class Readers:
    """A look at each database of the instance; the numbers of its objects are worked out once a picture."""

    broker: Broker
    network: NetworkFacts | None
    _known: dict[DatabaseName, ViewReader]

    @classmethod
    def of(cls, broker: Broker, network: NetworkFacts | None) -> Readers:
        """For one picture."""
        return cls(broker, network, {})

    def __getitem__(self, database: DatabaseName) -> ViewReader:
        reader = self._known.get(database)
        if reader is None:
            catalog = self.broker.catalog.databases[database]
            reader = self._known[database] = ViewReader(self.broker, catalog, self.network)
        return reader

    @property
    def instance(self) -> ViewReader:
        """For views that are the same from every database."""
        return self[MASTER if MASTER in self.broker.catalog.databases else next(iter(self.broker.catalog.databases))]


@dataclass(frozen=True)
class Table(Generic[T]):
    """Columns and how their cells are made from what a row stands for."""

    columns: tuple[PictureColumn, ...]
    _cells: tuple[Column[T], ...]

    def row(self, key: str, reader: ViewReader, each: T) -> PictureRow:
        """One row."""
        return PictureRow(key, tuple([plain(column.cell(reader, each)) for column in self._cells]))


def table(
    view: SystemView[Any] | None,
    *ours: Column[Any],
    without: frozenset[str] = frozenset(),
    first: tuple[Column[Any], ...] = (),
) -> Table[Any]:
    """The columns of a vendor's view `without` some, between our own."""
    own = [] if view is None else [column for column in view.columns if column.name not in without]
    return Table((*map(_ours, first), *map(_vendors, own), *map(_ours, ours)), (*first, *own, *ours))


def joined(
    first: tuple[Column[Any], ...],
    views: tuple[tuple[SystemView[Any], Callable[[ViewReader, Any], Any]], ...],
    ours: tuple[Column[Any], ...],
) -> Table[Any]:
    """As `table`, of several vendor's views: each with what finds its row, or None, which makes its cells NULL."""
    own = [_picked(column, pick) for view, pick in views for column in view.columns]
    return Table((*map(_ours, first), *map(_vendors, own), *map(_ours, ours)), (*first, *own, *ours))


def _picked(column: Column[Any], pick: Callable[[ViewReader, Any], Any]) -> Column[Any]:
    def cell(reader: ViewReader, each: Any) -> Cell:
        found = pick(reader, each)
        return None if found is None else column.cell(reader, found)

    return Column(column.name, column.type, column.meaning, cell, column.nullable)


def _vendors(column: Column[Any]) -> PictureColumn:
    return PictureColumn(name=column.name, type=column.type, nullable=column.nullable)


def _ours(column: Column[Any]) -> PictureColumn:
    return PictureColumn(name=column.name, type=column.type, nullable=column.nullable, is_vendors=False)


def plain(cell: Cell) -> PictureCell:
    """A cell as it travels: ids and binary values are text."""
    if isinstance(cell, UUID):
        return str(cell)
    return f"0x{cell.hex()}" if isinstance(cell, bytes) else cell
