"""Answers to questions whose answers are tables: asked, remembered for the next page, sorted and cut into pages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Lock
from typing import Any, Final

import msgspec
from django.utils.translation import gettext as _

from brokerweb.common.errors import EngineRefused, MalformedRequest, ObjectNotFound
from brokerweb.common.languages import asked_language
from brokerweb.common.paging import shown_page
from brokerweb.topology.models import Estate
from brokerweb.topology.selectors.catalogs import live_state
from brokerweb.whatif.selectors.applied import applied_catalogs
from brokerweb.whatif.selectors.basis import Basis, BasisAsked, basis_of
from engine import api as engine

Table = engine.questions.Table
ROWS_OF_PAGE: Final = 200
CHANGE: Final = "change"
"""By which differences are sorted beside the columns."""
_KEPT: Final = 8
"""Tables that a process remembers: who looks at one asks for its pages, and in another order."""
_known: dict[tuple[object, ...], Table] = {}
_keeping = Lock()


class TableAsked(msgspec.Struct, frozen=True, kw_only=True):
    """A question and of what it is asked."""

    name: str
    parameters: dict[str, str | int | float | None]
    after: BasisAsked
    before: BasisAsked | None = None


class Bases(msgspec.Struct, frozen=True, kw_only=True):
    """The states that are asked, at one instant where none is named."""

    after: Basis
    before: Basis | None


class Sorting(msgspec.Struct, frozen=True, kw_only=True):
    """By which column, and which way; without one rows stand as the answer has them."""

    column: str | None = None
    is_descending: bool = False


def bases_of(estate: str, asked: TableAsked) -> Bases:
    """What is asked, read. Raises as `basis_of` does."""
    after = basis_of(estate, asked.after, "/after")
    before = None if asked.before is None else basis_of(estate, asked.before, "/before")
    # By the clock of the estate, and as it is told: whoever asks for the next page names it.
    now = (after if after.is_now or before is None else before).at
    now = now.replace(microsecond=now.microsecond // 1000 * 1000)
    return Bases(after=_at(after, now), before=None if before is None else _at(before, now))


def _at(basis: Basis, now: Any) -> Basis:
    return msgspec.structs.replace(basis, at=now) if basis.is_now else basis


def spelled(asked: TableAsked, bases: Bases) -> TableAsked:
    """The question with the names of its parameters as they are spelled.

    Raises `ObjectNotFound` for a place that none of the states has, and `EngineRefused` for a question that there is
    not (15151), and for what it does not take, lacks, or cannot be (153).
    """
    try:
        engine.questions.parts_of(asked.name, asked.parameters)
    except engine.BrokerError as error:
        raise EngineRefused(error, _pointer(asked, error)) from error
    found: ObjectNotFound | None = None
    for basis in (bases.after, *([] if bases.before is None else [bases.before])):
        try:
            return msgspec.structs.replace(asked, parameters=_spelled(asked.parameters, basis))
        except ObjectNotFound as problem:
            found = found or problem
    assert found is not None, "a state was asked"
    raise found


def _pointer(asked: TableAsked, error: engine.BrokerError) -> str | None:
    name = error.parameters.get("name")
    known = engine.questions.QUESTIONS.get(asked.name)
    is_field = known is not None and name in known.question.__struct_fields__
    return f"/parameters/{name}" if is_field else "/parameters" if known is not None else None


def _spelled(given: dict[str, Any], basis: Basis) -> dict[str, Any]:
    names = {name: value for name, value in given.items() if isinstance(value, str) and value}
    if "service" in names:
        asked = engine.what_if.FlowQuestion(
            instance=engine.InstanceName(names["instance"]),
            database=engine.DatabaseName(names["database"]),
            service=engine.ServiceName(names["service"]),
            to_service=engine.ServiceName(names["to_service"]),
        )
        found = basis.places.question(asked, "/parameters")
        return {**given, "instance": found.instance, "database": found.database}
    if "instance" in names:
        return {**given, "instance": basis.places.instance(names["instance"], "/parameters/instance")}
    return given


def table_of(asked: TableAsked, bases: Bases) -> Table:
    """The answer, which is remembered for a while: at a later page the instant is named that was told with the first.

    Of a private estate nothing is remembered: it goes on meanwhile. Raises `EngineRefused` for what the engine refuses.
    """
    key = _key(asked, bases)
    if key is None:
        return asked_of(asked, bases)
    with _keeping:
        known = _known.pop(key, None)
    if known is None:
        known = asked_of(asked, bases)
    with _keeping:
        while len(_known) >= _KEPT:
            _known.pop(next(iter(_known)))
        _known[key] = known
    return known


def asked_of(asked: TableAsked, bases: Bases, watch: Callable[[], None] | None = None) -> Table:
    """The answer. Raises `EngineRefused` for what the engine refuses, and what `watch` raises."""
    after = estate_state(bases.after, watch)
    before = None if bases.before is None else estate_state(bases.before, watch)
    try:
        return engine.questions.ask(asked.name, asked.parameters, after, before)
    except engine.BrokerError as error:
        raise EngineRefused(error) from error


def _key(asked: TableAsked, bases: Bases) -> tuple[object, ...] | None:
    estate = bases.after.estate
    if estate is None:
        return None
    parameters = tuple(sorted((name, value) for name, value in asked.parameters.items() if value is not None))
    states = [None if each is None else _state_key(estate, each) for each in (bases.after, bases.before)]
    # Deliveries of instances to the dashboard change what is told as applied, and no revision.
    applied = tuple(estate.instances.order_by("pk").values_list("pk", "applied_revision"))
    return (asked.name, parameters, *states, applied, asked_language())


def _state_key(estate: Estate, basis: Basis) -> tuple[object, ...]:
    draft = basis.change_set
    number = None if draft is None else (draft.pk, draft.sequence)
    return (live_state(estate), basis.revision, number, basis.at, basis.faults)


def estate_state(basis: Basis, watch: Callable[[], None] | None = None) -> engine.questions.EstateState:
    """A basis as questions take it."""
    label = f"revision {basis.revision}"
    if basis.change_set is not None:
        label = f"change set {basis.change_set.number} on {label}"
    catalogs = {engine.InstanceName(name): catalog for name, catalog in basis.catalogs.items()}
    return engine.questions.EstateState(
        label=label,
        catalogs=catalogs,
        at=basis.instant,
        faults=basis.faults,
        applied=catalogs if basis.estate is None else applied_catalogs(basis.estate),
        language=asked_language(),
        watch=watch,
    )


def in_order(table: Table, sorting: Sorting) -> Table:
    """The table with its rows sorted; what is empty stands last. Rows that are alike in the column keep their order."""
    names = [column.name for column in table.columns]
    if sorting.column is None:
        return table
    if sorting.column == CHANGE:
        changes = sorted(table.changes, key=lambda each: each.change.value, reverse=sorting.is_descending)
        return msgspec.structs.replace(table, changes=tuple(changes))
    if sorting.column not in names:
        raise MalformedRequest(
            _("{column} is no column of this table.").format(column=sorting.column),
            why=_("Its columns are {columns}.").format(columns=", ".join(names)),
            cure=_("Sort by one of them, or by none."),
            pointer="/sort",
        )
    at = names.index(sorting.column)
    return msgspec.structs.replace(
        table,
        rows=_sorted(table.rows, lambda row: row[at], sorting),
        changes=_sorted(table.changes, lambda each: (each.after or each.before or ())[at], sorting),
    )


def _sorted(rows: Sequence[Any], cell: Callable[[Any], engine.questions.Cell], sorting: Sorting) -> tuple[Any, ...]:
    full = [row for row in rows if cell(row) is not None]
    empty = [row for row in rows if cell(row) is None]
    full.sort(key=lambda row: _comparable(cell(row)), reverse=sorting.is_descending)
    return (*full, *empty)


def _comparable(cell: engine.questions.Cell) -> str | float:
    return cell.casefold() if isinstance(cell, str) else float(cell or 0)


def page_of(table: Table, page: int) -> tuple[Table, int, int]:
    """A page of the rows or of the differences, its number, and how many there are."""
    total = len(table.changes) if table.reference is not None else len(table.rows)
    page, pages, part = shown_page(page, total, ROWS_OF_PAGE)
    return msgspec.structs.replace(table, rows=table.rows[part], changes=table.changes[part]), page, pages
