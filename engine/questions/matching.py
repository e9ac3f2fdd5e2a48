"""Two tables compared row by row: rows are the same ones by their key, and changed where other cells differ."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import zip_longest
from typing import Final, TypeVar

import msgspec

from engine.core.vocabulary.errors import CatalogError
from engine.questions.table import (
    ChangedRow,
    Column,
    EstateState,
    Note,
    NoteKind,
    Registration,
    Row,
    RowChange,
    Table,
)

Q = TypeVar("Q", bound=msgspec.Struct)
_NOT_THERE: Final = (911, 15151)
_ORDER: Final = tuple(RowChange)


def register(
    name: str,
    text: str,
    question: type[Q],
    columns: tuple[Column, ...],
    answer: Callable[[Q, EstateState], Table],
    *,
    key: tuple[str, ...],
    compare: Callable[[Table, Table], Table] | None = None,
    answer_both: Callable[[Q, EstateState, EstateState], tuple[Table, Table]] | None = None,
    heeds_faults: bool = True,
    parts: Callable[[Q], int] | None = None,
) -> Registration[Q]:
    """A question with its differential answer: both states are asked, and their tables compared.

    Without `compare` rows are matched by the columns of `key`; without `answer_both` each state is asked by itself.
    """
    places = tuple([column.name for column in columns].index(each) for each in key)

    def by_key(table: Table, reference: Table) -> Table:
        return difference(table, reference, changed_rows(reference.rows, table.rows, places))

    def by_itself(asked: Q, state: EstateState, reference: EstateState) -> tuple[Table, Table]:
        return _both(answer, asked, state, reference)

    def answer_diff(asked: Q, state: EstateState, reference: EstateState) -> Table:
        tables = (answer_both or by_itself)(asked, state, reference)
        return (compare or by_key)(*tables)

    return Registration(
        name=name,
        help=text,
        question=question,
        columns=columns,
        key=key,
        answer=answer,
        answer_diff=answer_diff,
        heeds_faults=heeds_faults,
        parts=parts,
    )


def difference(table: Table, reference: Table, changes: Iterable[ChangedRow]) -> Table:
    """The differential answer that is made of two answers and what became of their rows, in this order."""
    found = tuple(changes)
    return Table(
        columns=table.columns,
        base=table.base,
        reference=reference.base,
        changes=found,
        same=len(table.rows) - sum(each.after is not None for each in found),
        notes=tuple(dict.fromkeys((*table.notes, *reference.notes))),
    )


def changed_rows(before: Sequence[Row], after: Sequence[Row], key: Sequence[int]) -> list[ChangedRow]:
    """What became of rows, matched by the cells at these places; of several with one key, equal ones go together.

    What has gone stands first, then what has changed, then what has come.
    """
    known, now = Counter(before), Counter(after)
    gone, come = _by_key((known - now).elements(), key), _by_key((now - known).elements(), key)
    found = []
    for each in dict.fromkeys((*gone, *come)):
        found += [changed(one, other) for one, other in zip_longest(gone[each], come[each])]
    return sorted(found, key=lambda each: _ORDER.index(each.change))


def changed(before: Row | None, after: Row | None) -> ChangedRow:
    """The change of a row that is another one."""
    what = RowChange.COME if before is None else RowChange.GONE if after is None else RowChange.CHANGED
    return ChangedRow(what, before, after)


def _by_key(rows: Iterable[Row], key: Sequence[int]) -> defaultdict[Row, list[Row]]:
    found: defaultdict[Row, list[Row]] = defaultdict(list)
    for row in rows:
        found[tuple(row[at] for at in key)].append(row)
    return found


def _both(
    answer: Callable[[Q, EstateState], Table], asked: Q, state: EstateState, reference: EstateState
) -> tuple[Table, Table]:
    """Both answers; where one state alone lacks whom the question names, that state has no rows."""
    tables: list[Table | None] = []
    hindrances: list[CatalogError] = []
    for each in (state, reference):
        try:
            tables.append(answer(asked, each))
        except CatalogError as hindrance:
            if hindrance.number not in _NOT_THERE:
                raise
            tables.append(None)
            hindrances.append(hindrance)
    if len(hindrances) == 2:
        raise hindrances[0]
    one, other = tables
    found = one or other
    assert found is not None, "one of the two has answered"
    return one or _nobody(found, state), other or _nobody(found, reference)


def _nobody(other: Table, state: EstateState) -> Table:
    note = Note(kind=NoteKind.NOBODY, names=(state.label,))
    return Table(columns=other.columns, base=state.label, notes=(note,))
