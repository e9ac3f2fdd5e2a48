"""Shapes of questions whose answers are tables."""

from __future__ import annotations

from typing import Annotated

from ninja import Field
from pydantic import StrictBool, StrictFloat, StrictInt, StrictStr

from brokerweb.common.api.shape import Request, Shape
from brokerweb.whatif.api.schemas import NAME_MAX, BasisIn, BasisOut
from brokerweb.whatif.selectors.tables import Sorting, TableAsked
from engine import api as engine

CellKind = engine.questions.CellKind
NoteKind = engine.questions.NoteKind
ParameterKind = engine.questions.ParameterKind
RowChange = engine.questions.RowChange

PARAMETERS_MAX = 20
Given = StrictInt | StrictFloat | Annotated[StrictStr, Field(max_length=NAME_MAX)] | None
Cell = StrictBool | StrictInt | StrictFloat | StrictStr | None


class TableQuestionIn(Request):
    """What a question takes, and of which state it is asked."""

    parameters: dict[str, Given] = Field({}, max_length=PARAMETERS_MAX)
    """By name; null and what is left out are the same."""
    after: BasisIn = BasisIn()
    """The state that is asked."""
    before: BasisIn | None = None
    """With it, what differs from this state."""
    sort: str | None = Field(default=None, max_length=NAME_MAX)
    """A column, or `change`; without one rows stand as the answer has them."""
    descending: StrictBool = False

    def asked(self, name: str) -> TableAsked:
        """As selectors take it."""
        return TableAsked(
            name=name,
            parameters=dict(self.parameters),
            after=self.after.asked(),
            before=None if self.before is None else self.before.asked(),
        )

    def sorting(self) -> Sorting:
        """As selectors take it."""
        return Sorting(column=self.sort, is_descending=self.descending)


class TablePageIn(TableQuestionIn):
    """Which page of the answer."""

    page: StrictInt = Field(default=1, ge=1, le=1_000_000)


class ParameterOut(Shape):
    """One of what a question takes."""

    name: str
    kind: ParameterKind
    is_required: bool
    default: float | None
    """Of a number that is left out; names that are left out mean all."""
    minimum: float | None
    maximum: float | None


class ColumnOut(Shape):
    name: str
    kind: CellKind
    """How its cells are read: `word` is one of the few that a column of this name knows, `error` a number of the
    catalogue, `share` 0 to 1, `instant` ISO 8601."""


class TableQuestionOut(Shape):
    """A question whose answer is a table."""

    name: str
    help: str
    """In a sentence, in the asker's language."""
    parameters: list[ParameterOut]
    columns: list[ColumnOut]
    key: list[str]
    """The columns by which rows of two states are matched."""
    heeds_faults: bool
    """Whether what is supposed to fail matters to it."""
    is_job: bool
    """Whether it is answered by a job."""


class ChangedRowOut(Shape):
    """A row that two states do not have alike."""

    change: RowChange
    before: list[Cell] | None
    after: list[Cell] | None


class NoteOut(Shape):
    """What an answer does not cover, or what does not matter to it."""

    kind: NoteKind
    count: float | None
    names: list[str]


class TableOut(Shape):
    """A page of an answer: of one state `rows`, of two states `changes`; the result of a job has all on one page."""

    question: str
    columns: list[ColumnOut]
    rows: list[list[Cell]]
    changes: list[ChangedRowOut]
    same: int | None
    """How many rows both states have alike; null where one alone was asked."""
    notes: list[NoteOut]
    total: int
    """Rows or changes on all pages."""
    page: int
    pages: int
    base: BasisOut
    reference: BasisOut | None
