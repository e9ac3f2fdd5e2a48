"""Requests about assertions."""

from __future__ import annotations

from typing import Annotated, Literal

from django.utils.translation import gettext as _
from ninja import Field
from pydantic import StrictBool, StrictInt, StringConstraints

from brokerweb.common.api.instants import Instant
from brokerweb.common.api.shape import Request
from brokerweb.common.errors import MalformedRequest
from brokerweb.topology.api.flow_schemas import Disposition
from brokerweb.whatif.api.schemas import (
    FAULTS_MAX,
    NAME_MAX,
    BasisIn,
    FaultIn,
    FlowQuestionIn,
)
from brokerweb.whatif.models import NAME_LENGTH
from brokerweb.whatif.selectors.basis import BasisAsked
from brokerweb.whatif.services.assertion_bulk import TAGS_MAX, Action, Which
from brokerweb.whatif.services.assertions import ASSERTIONS_MAX, AssertionChange, AssertionDraft
from engine import api as engine

Aspect = engine.assertions.Aspect
StateName = Literal["failed", "passed", "never-run", "disabled"]
NOTE_MAX = 2_000
TEXT_MAX = 2_000_000
"""Letters of a file; the most assertions that an estate may have take about half of it."""
PLACES_MAX = 100
STEPS_MAX = 64
Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=NAME_LENGTH)]
Tag = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=40)]


# ── what is expected ─────────────────────────────────────────────────────────────────────────────────────────────────
class PlaceIn(Request):
    instance: str = Field(min_length=1, max_length=NAME_MAX)
    database: str = Field(min_length=1, max_length=NAME_MAX)


class PathStepIn(Request):
    """One decision of a way; what is null is not compared, but for the route."""

    route: str | None = Field(max_length=NAME_MAX)
    """Null where the decision needs no route."""
    instance: str | None = Field(default=None, max_length=NAME_MAX)
    database: str | None = Field(default=None, max_length=NAME_MAX)
    """Whose sys.routes is read."""


class ExpectedIn(Request):
    """What must hold; what is null is no claim. Where the engine draws, it must hold for every way."""

    works: StrictBool | None = None
    """The message arrives, and its sender can hear of it."""
    disposition: Disposition | None = None
    reaches: list[PlaceIn] = Field(default=[], max_length=PLACES_MAX)
    """It arrives, by every way in one of these databases."""
    path: list[PathStepIn] | None = Field(default=None, max_length=STEPS_MAX)
    """Every decision on the way out."""
    number: StrictInt | None = None
    """Of the end of the way out."""

    def asked(self) -> engine.assertions.Expectation:
        """As the engine takes it."""
        place, step = engine.assertions.Place, engine.assertions.PathStep
        return engine.assertions.Expectation(
            works=self.works,
            disposition=self.disposition,
            reaches=tuple(place(**each.dict()) for each in self.reaches),
            path=None if self.path is None else tuple(step(**each.dict()) for each in self.path),
            number=self.number,
        )


# ── what is asked for ────────────────────────────────────────────────────────────────────────────────────────────────
class AssertionsQuery(Request):
    """Which assertions are told; counts are those of all."""

    search: str = Field(default="", max_length=NAME_MAX)
    """Part of the name, the note, or a name in the question, in any letter case."""
    state: StateName | None = None
    tag: str | None = Field(default=None, max_length=NAME_MAX)
    page: int = Field(default=1, ge=1, le=1_000_000)


class VersionQuery(Request):
    """Which version of the assertion was looked at."""

    version: int = Field(ge=1, le=2**31 - 1)


class PinIn(Request):
    """Of which state what comes of the question is expected; without change set and revision of what is live."""

    change_set: StrictInt | None = Field(default=None, ge=1, le=2**31 - 1)
    revision: StrictInt | None = Field(default=None, ge=0, le=2**31 - 1)
    with_path: StrictBool = False
    """Hold every route of the way, too."""


class AssertionIn(Request):
    """An assertion; without `expected` it is what comes of the question now, or in the state that `pin` names."""

    name: Name | None = None
    """Without it, a name made of the question."""
    note: str = Field(default="", max_length=NOTE_MAX)
    tags: list[Tag] = Field(default=[], max_length=TAGS_MAX)
    is_enabled: StrictBool = True
    question: FlowQuestionIn
    faults: list[FaultIn] = Field(default=[], max_length=FAULTS_MAX)
    at: Instant | None = None
    """At which instant it is asked; null is the instant of each run."""
    expected: ExpectedIn | None = None
    pin: PinIn | None = None
    """Not together with `expected`."""

    def asked(self) -> AssertionDraft:
        """As services take it; `MalformedRequest` for an expectation that is given and pinned at once."""
        if self.expected is not None and self.pin is not None:
            raise MalformedRequest(
                _("An expectation is given, and what comes of it now is to be expected, at once."),
                cure=_("Leave one of them out."),
                pointer="/pin",
            )
        pin = self.pin or PinIn()
        return AssertionDraft(
            name=self.name,
            note=self.note,
            tags=tuple(self.tags),
            is_enabled=self.is_enabled,
            question=self.question.asked(),
            faults=tuple(engine.what_if.Fault(**each.dict()) for each in self.faults),
            at=None if self.at is None else engine.UtcTime(self.at.timestamp()),
            expected=None if self.expected is None else self.expected.asked(),
            pinned_to=BasisAsked(change_set=pin.change_set, revision=pin.revision),
            with_path=pin.with_path,
        )


class AssertionPatch(Request):
    """What is to become of an assertion; what is absent or null stays."""

    version: StrictInt = Field(ge=1, le=2**31 - 1)
    """The one that was looked at."""
    name: Name | None = None
    note: str | None = Field(default=None, max_length=NOTE_MAX)
    tags: list[Tag] | None = Field(default=None, max_length=TAGS_MAX)
    is_enabled: StrictBool | None = None
    expected: ExpectedIn | None = None
    re_pin: StrictBool = False
    """Expect what comes of it now; not together with `expected`."""

    def asked(self) -> AssertionChange:
        """As services take it."""
        return AssertionChange(
            name=self.name,
            note=self.note,
            tags=None if self.tags is None else tuple(self.tags),
            is_enabled=self.is_enabled,
            expected=None if self.expected is None else self.expected.asked(),
            re_pin=self.re_pin,
        )


class BulkIn(Request):
    """What is done to several assertions."""

    ids: list[StrictInt] = Field(min_length=1, max_length=ASSERTIONS_MAX)
    action: Action
    tag: Tag | None = None
    """Of `add-tag` and `remove-tag`."""


class FromFlowsIn(Request):
    """For which flows assertions are made."""

    which: Which
    """`observed`: those that conversations have shown; `possible`: all that can be sent by definition."""
    with_path: StrictBool = False
    """Hold every route of the way, too."""
    tag: Tag | None = None


class FileIn(Request):
    """A file of assertions."""

    text: str = Field(max_length=TEXT_MAX)
    """YAML (docs/operations/what-if.md)."""
    replace: StrictBool = False
    """Delete every assertion that is not in the file."""


class CoverageQuery(Request):
    """Of which state; without a change set of what is live."""

    change_set: int | None = Field(default=None, ge=1, le=2**31 - 1)


class AssertionsRunIn(BasisIn):
    """Which state the assertions are put to, and which of them."""

    ids: list[StrictInt] | None = Field(default=None, max_length=ASSERTIONS_MAX)
    """Null is all of them."""
