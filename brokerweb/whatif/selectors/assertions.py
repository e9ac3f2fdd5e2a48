"""The assertions of an estate: page by page, each with how it fared lately."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from datetime import datetime
from typing import Final, Literal

import msgspec
from django.db.models import Count
from django.utils.translation import gettext as _

from brokerweb.common.errors import ObjectNotFound
from brokerweb.common.paging import shown_page
from brokerweb.topology.models import Estate
from brokerweb.topology.selectors.findings import estate_of
from brokerweb.whatif.models import Assertion, AssertionRun, AssertionVerdict
from brokerweb.whatif.stored import Result, result_from_json

ROWS_OF_PAGE: Final = 50
HISTORY_MAX: Final = 20
"""Runs of one assertion that a row tells of."""
State = Literal["failed", "never-run", "passed", "disabled"]
_ORDER: Final[tuple[State, ...]] = ("failed", "never-run", "passed", "disabled")
"""Rows that somebody should look at stand first."""


class AssertionsAsked(msgspec.Struct, frozen=True, kw_only=True):
    """Which rows; what is None, or empty, restricts nothing."""

    search: str = ""
    """Part of the name, the note, or a name in the question, in any letter case."""
    state: State | None = None
    tag: str | None = None
    page: int = 1


class PastVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """How an assertion fared once."""

    passed: bool
    at: datetime
    revision: int
    version: int
    """Of the assertion, as it was then."""


class AssertionRow(msgspec.Struct, frozen=True, kw_only=True):
    """An assertion and how it fared."""

    row: Assertion
    last: Result | None
    """None while what it says now has not been run."""
    history: tuple[PastVerdict, ...]
    """The newest first."""

    @property
    def is_flaky(self) -> bool:
        """Whether, unchanged itself, it both passed and failed at one revision."""
        outcomes = defaultdict(set)
        for each in self.history:
            outcomes[each.revision, each.version].add(each.passed)
        return any(len(found) > 1 for found in outcomes.values())


class AssertionPage(msgspec.Struct, frozen=True, kw_only=True):
    """A page of assertions, and how many of each state there are in all."""

    rows: tuple[AssertionRow, ...]
    counts: dict[State, int]
    tags: tuple[str, ...]
    """All that the estate's assertions have."""
    last_run: AssertionRun | None
    page: int
    pages: int


class _Light(msgspec.Struct, frozen=True):
    """What rows are chosen by."""

    pk: int
    name: str
    state: State
    tags: list[str]
    text: str


def assertion_page(estate_name: str, asked: AssertionsAsked) -> AssertionPage:
    """Assertions that are asked for, failures first, then by name. Raises `ObjectNotFound`."""
    estate = estate_of(estate_name)
    everything = _lights(estate)
    chosen = [each for each in everything if _is_asked(each, asked)]
    chosen.sort(key=lambda each: (_ORDER.index(each.state), each.name.casefold(), each.name))
    page, pages, part = shown_page(asked.page, len(chosen), ROWS_OF_PAGE)
    shown = [each.pk for each in chosen[part]]
    counts = Counter(each.state for each in everything)
    return AssertionPage(
        rows=tuple(assertion_rows(shown)),
        counts={state: counts[state] for state in _ORDER},
        tags=tuple(sorted({tag for each in everything for tag in each.tags}, key=str.casefold)),
        last_run=AssertionRun.objects.filter(estate=estate).order_by("-pk").first(),
        page=page,
        pages=pages,
    )


def assertions_summary(estate_name: str) -> tuple[dict[State, int], AssertionRun | None]:
    """How many assertions of each state there are, and the last run. Raises `ObjectNotFound`."""
    estate = estate_of(estate_name)
    counts = dict.fromkeys(_ORDER, 0)
    found = Assertion.objects.filter(estate=estate).values_list("is_enabled", "last_passed")
    for is_enabled, last_passed, count in found.order_by().annotate(count=Count("pk")):
        counts[state_of(is_enabled=is_enabled, last_passed=last_passed)] += count
    return counts, AssertionRun.objects.filter(estate=estate).order_by("-pk").first()


def assertion_rows(wanted: Iterable[int]) -> list[AssertionRow]:
    """Assertions by their ids, in that order, each with its last result and its history."""
    ids = list(wanted)
    rows = Assertion.objects.in_bulk(ids)
    history = defaultdict(list)
    found = AssertionVerdict.objects.filter(assertion__in=ids).order_by("-run_id")
    for assertion, *verdict in found.values_list("assertion_id", "passed", "run__at", "run__revision", "version"):
        if len(history[assertion]) < HISTORY_MAX:
            history[assertion].append(verdict)
    last_runs = {row.last_run_id for row in rows.values() if row.last_passed is not None}
    lasts = found.filter(run__in=[run for run in last_runs if run is not None])
    last = {
        row.pk: result_from_json(told, row)
        for assertion, run, told in lasts.values_list("assertion_id", "run_id", "told")
        if (row := rows.get(assertion)) is not None and row.last_run_id == run and row.last_passed is not None
    }
    return [
        AssertionRow(row=rows[pk], last=last.get(pk), history=tuple(_past(*each) for each in history[pk]))
        for pk in ids
        if pk in rows
    ]


def assertion_of(estate: Estate, pk: int) -> Assertion:
    """An assertion of an estate; `ObjectNotFound`."""
    row = Assertion.objects.filter(estate=estate, pk=pk).first()
    if row is None:
        raise ObjectNotFound(
            _("Estate {estate} has no assertion {assertion}.").format(estate=estate.name, assertion=pk),
            why=_("Somebody has deleted it, or it is one of another estate."),
            cure=_("Read the assertions again."),
        )
    return row


def state_of(*, is_enabled: bool, last_passed: bool | None) -> State:
    """How an assertion stands."""
    if not is_enabled:
        return "disabled"
    if last_passed is None:
        return "never-run"
    return "passed" if last_passed else "failed"


def _lights(estate: Estate) -> list[_Light]:
    """Read whole: what is in any letter case is not the same to every database."""
    columns = ("pk", "name", "note", "tags", "question", "is_enabled", "last_passed")
    return [
        _Light(
            pk,
            name,
            state_of(is_enabled=is_enabled, last_passed=last_passed),
            tags,
            "\n".join((name, note, *filter(None, question.values()))).casefold(),
        )
        for pk, name, note, tags, question, is_enabled, last_passed in Assertion.objects.filter(
            estate=estate
        ).values_list(*columns)
    ]


def _is_asked(each: _Light, asked: AssertionsAsked) -> bool:
    return (
        asked.search.casefold() in each.text
        and asked.state in (None, each.state)
        and (asked.tag is None or asked.tag in each.tags)
    )


def _past(passed: bool, at: datetime, revision: int, version: int) -> PastVerdict:
    return PastVerdict(passed=passed, at=at, revision=revision, version=version)
