"""A topic as a value, and what two states of it differ in: the law of the live view.

A `Table` has rows under keys, in an order, and facts beside them. `compare` tells how to get from one to the next,
`fold` goes there: `fold(before, compare(before, after)) == after`. The browser folds by the same rules
(`frontend/src/live/tables.ts`); both are held to the stories in `tests/brokerweb/live_fixtures`.

Rows are named by their place instead of their key wherever the receiver knows it: a key is forty letters long.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

Cells = tuple[Any, ...]
"""The cells of a row in the order of the columns; a column has values of one JSON type, or null."""


class Column(msgspec.Struct, frozen=True):
    """A column: the vendor's, under the vendor's name, or ours."""

    name: str
    type: str
    """SQL type with its length; `json` for a nested value."""
    nullable: bool = False
    is_vendors: bool = False


class Table(msgspec.Struct, frozen=True):
    """What a topic shows at a moment."""

    columns: tuple[Column, ...] = ()
    rows: Mapping[str, Cells] = {}
    """By key, in order."""
    facts: Mapping[str, Any] = {}
    """Whatever is no row: sums, totals, who does not answer. Values are JSON."""


class Ops(msgspec.Struct, frozen=True, omit_defaults=True):
    """What changes from one table to the next, carried out in the order of the fields."""

    cells: tuple[tuple[Any, ...], ...] = ()
    """Rows that stay and have changed: place before, then number of a column and its new value, as often as needed."""
    gone: tuple[int, ...] = ()
    """Places before of rows that leave, ascending."""
    rows: tuple[tuple[Any, ...], ...] = ()
    """Rows that come: place afterwards, key, then all cells. Ascending; each is put in where it will stand."""
    order: tuple[int, ...] = ()
    """Where rows have changed places: for each place the one at which its row stands by now. Empty: none have."""
    facts: Mapping[str, Any] = {}
    """Facts that are new or have another value."""
    lost: tuple[str, ...] = ()
    """Facts that are no more."""

    @property
    def count(self) -> int:
        """How many single changes these are: what streams are numbered by."""
        changed = sum(len(each) // 2 for each in self.cells)
        moved = 1 if self.order else 0
        return changed + len(self.gone) + len(self.rows) + moved + len(self.facts) + len(self.lost)


def compare(before: Table, after: Table) -> Ops:
    """What leads from one table to another with the same columns; `count` is 0 when they are equal."""
    gone: list[int] = []
    cells: list[tuple[Any, ...]] = []
    stay: list[str] = []
    for place, (key, old) in enumerate(before.rows.items()):
        new = after.rows.get(key)
        if new is None:
            gone.append(place)
            continue
        stay.append(key)
        if new is not old and new != old:
            cells.append((place, *_changed(old, new)))
    rows = tuple(
        (place, key, *values) for place, (key, values) in enumerate(after.rows.items()) if key not in before.rows
    )
    return Ops(
        cells=tuple(cells),
        gone=tuple(gone),
        rows=rows,
        order=_order(_with_new(stay, rows), list(after.rows)),
        facts={name: value for name, value in after.facts.items() if before.facts.get(name, _ABSENT) != value},
        lost=tuple(name for name in before.facts if name not in after.facts),
    )


def fold(before: Table, ops: Ops) -> Table:
    """The table to which `ops` lead."""
    if ops.count == 0:
        return before
    keys = list(before.rows)
    rows = dict(before.rows)
    for place, *changes in ops.cells:
        values = list(rows[keys[place]])
        for column, value in zip(changes[::2], changes[1::2], strict=True):
            values[column] = value
        rows[keys[place]] = tuple(values)
    leaving = set(ops.gone)
    keys = _with_new([key for place, key in enumerate(keys) if place not in leaving], ops.rows)
    for _, key, *values in ops.rows:
        rows[key] = tuple(values)
    if ops.order:
        keys = [keys[place] for place in ops.order]
    facts = {name: value for name, value in before.facts.items() if name not in ops.lost} | dict(ops.facts)
    return Table(columns=before.columns, rows={key: rows[key] for key in keys}, facts=facts)


_ABSENT = object()


def _changed(old: Cells, new: Cells) -> list[Any]:
    return [
        part
        for column, (was, value) in enumerate(zip(old, new, strict=True))
        if was != value
        for part in (column, value)
    ]


def _with_new(stay: list[str], rows: Sequence[Sequence[Any]]) -> list[str]:
    """The keys of rows that stay with those that come put in, each at the place where it will stand."""
    if not rows:
        return stay
    coming = {each[0]: each[1] for each in rows}
    left = iter(stay)
    return [coming[place] if place in coming else next(left) for place in range(len(stay) + len(rows))]


def _order(now: list[str], wanted: list[str]) -> tuple[int, ...]:
    if now == wanted:
        return ()
    places = {key: place for place, key in enumerate(now)}
    return tuple(places[key] for key in wanted)
