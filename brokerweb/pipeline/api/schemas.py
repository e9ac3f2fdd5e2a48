"""Shapes of the lake, of runs and of their tables."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from ninja import Field

from brokerweb.common.api.instants import Instant
from brokerweb.common.api.shape import Request, Shape
from brokerweb.pipeline.selectors.sums import COLUMNS_MAX, GROUPS_MAX
from brokerweb.pipeline.selectors.tables import ROWS_MAX
from engine import api as engine

RunJob = Literal["delivery", "audit", "paths", "whatif"]
Change = Literal["unchanged", "gained", "moved", "lost"]
Cell = Any
NAME_MAX = 256
EXAMPLES_MAX = 10_000
SAMPLES_MAX = 200
OFFSET_MAX = 2**53 - 1


class LakeInstanceOut(Shape):
    """How far the events of one instance are in the lake."""

    instance: str
    events: int
    last_number: int
    exported_at: datetime | None
    """When it last answered an export; null for traces of real servers."""
    waiting: int | None
    """Events that the instance has and the lake has not; null where it did not say in time."""
    lost: int
    """Events that the instance had trimmed before they were exported."""
    problem: dict[str, Any] | None
    """Why the last export passed it over: `code`, `detail`, `why`, `cure`."""


class LakeOut(Shape):
    """The events of an estate, of all instances, as Parquet."""

    is_available: bool
    """Whether somebody would do a run: the extra `spark` is installed where it would run."""
    events: int
    first_at: datetime | None
    last_at: datetime | None
    files: int
    bytes: int
    exported_at: datetime | None
    instances: list[LakeInstanceOut]


class TraceIn(Request):
    """What is said of a trace that is sent."""

    instance: str
    """The one that was traced."""
    time_zone: str = Field(engine.pipeline.UTC_NAME, max_length=64)
    """Of the clock of its server, an IANA name: that of times which name no offset. Extended Events tell UTC."""


class PipelineRunIn(Request):
    """What a run is to answer."""

    job: RunJob
    since: Instant | None = None
    until: Instant | None = None
    """Events of [since, until)."""
    revisions: list[int] | None = Field(None, min_length=1, max_length=2)
    """Of `whatif`: the second is compared with the first. With a change set only the first is read."""
    change_set: int | None = Field(None, ge=1, strict=True)
    """Of `whatif`: in place of the second revision; without a first one it is compared with what is live."""
    examples: int | None = Field(None, ge=0, le=EXAMPLES_MAX, strict=True)
    """Of `audit`: messages shown of each verdict."""


class NamedRows(Shape):
    """How many rows of something."""

    name: str
    rows: int


class RunTableOut(Shape):
    """A table of a run that is done."""

    name: str
    rows: int
    checksum: str
    columns: list[str]
    seconds: float


class RunNoteOut(Shape):
    """What a job says of itself."""

    name: str
    value: int | str


class PipelineRunOut(Shape):
    """One run of a job over the lake."""

    id: UUID
    job: RunJob
    since: datetime | None
    until: datetime | None
    revisions: list[int]
    """Of a what-if those that are compared, of others those that instances reached meanwhile."""
    change_set: int | None
    examples: int | None
    owner: str | None
    state: Literal["queued", "running", "cancelling", "cancelled", "failed", "done"]
    stage: str
    """Of a what-if with the step in front, as `ingest/reading`; `waiting` of a queued one while another one runs."""
    done: int
    total: int
    heartbeat_at: datetime | None
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    problem: dict[str, Any] | None
    engine_version: str | None
    rows_in: list[NamedRows]
    tables: list[RunTableOut]
    notes: list[RunNoteOut]
    bytes: int | None


class RunsAsked(Request):
    """Which part of the list of runs."""

    before: UUID | None = None
    """A run: those are wanted that are older."""


class EstimateAsked(Request):
    """For which job, and over which span."""

    job: RunJob
    since: Instant | None = None
    until: Instant | None = None


class EstimateBasis(Shape):
    """A run by which another one is judged."""

    events: int
    seconds: float


class EstimateOut(Shape):
    """What a run would read, by whole hours, and how long it would take."""

    events: int
    bytes: int
    files: int
    seconds: float | None
    """Null as long as no run of that job has ended here."""
    judged_by: EstimateBasis | None
    """Of the last runs of that job here the one that has read the most similar number of events."""


class ResultPageAsked(Request):
    """A page of a table."""

    offset: int = Field(0, ge=0, le=OFFSET_MAX)
    limit: int = Field(100, ge=1, le=ROWS_MAX)
    sort: str = Field("", max_length=NAME_MAX)
    """A column; the order of the files without."""
    descending: bool = False
    where: list[str] = Field([], max_length=20)
    """Filters as `column:value`; all must hold. An empty value finds what is empty."""


class AnalysisColumnOut(Shape):
    """A column of a table."""

    name: str
    type: Literal["text", "integer", "number", "boolean", "time", "list"]


class TablePage(Shape):
    """Rows of a table. Instants are ISO 8601 in UTC; whole numbers beyond 2^53 are texts."""

    columns: list[AnalysisColumnOut]
    rows: list[list[Cell]]
    total: int
    """Rows that the filters leave."""


class SumsAsked(Request):
    """Which sums over a table."""

    by: list[str] = Field([], max_length=COLUMNS_MAX)
    """Columns that the rows of a group have in common; without any, all rows are one group."""
    of: list[str] = Field(min_length=1, max_length=COLUMNS_MAX)
    """Columns of numbers that are added up; the largest of the first one come first."""
    limit: int = Field(100, ge=1, le=GROUPS_MAX)
    """Groups that are told."""
    where: list[str] = Field([], max_length=20)
    """Filters as `column:value`; all must hold. An empty value finds what is empty."""
    without: list[str] = Field([], max_length=20)
    """Rows that are left out, as `column:value`."""


class TableSums(Shape):
    """Sums of the largest groups; whole numbers beyond 2^53 are texts."""

    columns: list[AnalysisColumnOut]
    """Those of `by`, then those of `of`."""
    rows: list[list[Cell]]
    total_groups: int
    sums: list[Cell]
    """Of all rows that the filters leave, in the order of `of`."""
    others: list[Cell]
    """Of the groups that are not told."""


class DownloadAsked(Request):
    """In which form."""

    format: Literal["csv", "parquet"] = "csv"


class SamplesAsked(Request):
    """Which conversations."""

    change: Literal["", "unchanged", "gained", "moved", "lost"] = ""
    instance: str = Field("", max_length=NAME_MAX)
    database: str = Field("", max_length=NAME_MAX)
    service: str = Field("", max_length=NAME_MAX)
    to_service: str = Field("", max_length=NAME_MAX)
    limit: int = Field(20, ge=1, le=SAMPLES_MAX)


class SampleStep(Shape):
    """A decision on the way."""

    instance: str | None
    database: str | None
    route: str | None


class SampleVerdict(Shape):
    """What becomes of a conversation under one revision."""

    revision: int
    disposition: str | None
    light: str | None
    number: int | None
    end_instance: str | None
    end_database: str | None
    route: str | None
    path: list[SampleStep]


class ConversationSampleOut(Shape):
    """A conversation of a what-if run."""

    conversation_id: str
    change: Change
    """The gravest that any revision makes of it."""
    instance: str
    database: str
    service: str
    direction: str
    to_service: str
    broker_instance: str | None
    verdicts: list[SampleVerdict]
