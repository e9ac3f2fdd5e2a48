"""Shapes of the operator training as they travel. Texts are in the asker's language."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal
from uuid import UUID

from ninja import Field

from brokerweb.common.api.shape import Shape
from brokerweb.training.lesson_pages import BlockKind
from brokerweb.training.models import Mode
from brokerweb.whatif.api.schemas import FaultOut
from engine import api as engine

Level = engine.training.Level
Skill = engine.training.Skill


class NoticeOut(Shape):
    """Something to know about a run, with its number."""

    number: int
    text: str
    why: str
    cure: str


class RunOut(Shape):
    """A run, in short."""

    id: UUID
    scenario: str
    mode: Mode
    begun_at: datetime
    ended_at: datetime | None
    has_given_up: bool
    hints_taken: int
    best_score: int | None
    """Per cent; null before the first check, and in a mode that counts nothing."""
    engine: str
    """The version of the engine that began it; empty for a run of before this was kept."""
    notice: NoticeOut | None
    """Another version of the engine is at work now (3169): what is shown of the run may differ from what was seen."""


class ScenarioTitleOut(Shape):
    """A scenario, by its title."""

    id: str
    title: str


class CardOut(Shape):
    """A scenario of the catalogue, and what the asker has made of it."""

    id: str
    level: Level
    skills: list[Skill]
    minutes: int
    """What a learner takes; the time that an examination allows."""
    title: str
    brief: str
    """The situation, and what is to be achieved."""
    after: list[ScenarioTitleOut]
    """Those that one has better played before."""
    tasks: int
    instances: int
    runs: int
    best_score: int | None
    best_exam_score: int | None
    running: RunOut | None
    """The run that has not ended."""


class CatalogueOut(Shape):
    scenarios: list[CardOut]
    """The easiest first."""


class RunsOut(Shape):
    runs: list[RunOut]
    """The newest first, at most 50."""


class RulesOut(Shape):
    """What the mode of a run allows."""

    has_hints: bool
    hints_cost: bool
    has_live_checks: bool
    has_solution: bool
    counts: bool
    has_time_limit: bool
    may_stop_clock: bool
    ends_with_check: bool


class ClockOut(Shape):
    """The time of a sandbox."""

    seconds: float
    """Since it began."""
    utc: datetime
    """What its machines show."""
    rate: float
    """How many times as fast as the wall's; 0 stands still."""
    behind_seconds: float
    """How much later it should be by its rate: the processor does not keep up. 0 while it does."""
    goal_seconds: float | None
    """In the answer to a step or a jump that ended early: where it was to lead. Asked again, it goes on from here."""
    used_percent: int
    """How much of the events that a run may have is used up."""
    is_used_up: bool
    """Its time stands still for good; it can be read, checked and ended."""
    notice: NoticeOut | None
    """That it is used up (10928)."""


class ServerOut(Shape):
    """An instance of a sandbox."""

    name: str
    runs: bool
    databases: list[str]


class OwnFaultOut(Shape):
    """A fault in force."""

    fault: FaultOut
    is_own: bool
    """Begun by the trainee, who may end it; the others are the scenario's."""


class TaskCheckOut(Shape):
    """One thing that was looked at."""

    holds: bool
    is_kept: bool
    """It held at the start and is not to be spoilt."""
    found: str


class TaskOut(Shape):
    """A task; in an examination that has not ended nobody is told how it stands."""

    id: str
    title: str
    points_max: int
    points: float | None
    is_done: bool | None
    sentence: str
    checks: list[TaskCheckOut]


class GradingOut(Shape):
    """What a run is worth."""

    score: int
    """Per cent."""
    achieved: float
    hints_cost: float
    collateral_cost: float
    is_complete: bool
    sentence: str
    collateral: list[str]
    """Flows that worked before and do not any more."""


class LessonNamed(Shape):
    """A lesson, by which its page is asked for."""

    id: str
    title: str


class LessonBlockOut(Shape):
    """A heading, a paragraph, the items of a list, or T-SQL by its lines. `code` and *emphasis* are marked in texts."""

    kind: BlockKind
    texts: list[str]


class LessonOut(Shape):
    """A page that teaches one thing."""

    id: str
    title: str
    blocks: list[LessonBlockOut]


class LessonsOut(Shape):
    lessons: list[LessonNamed]


class HintOut(Shape):
    """A hint that was taken."""

    text: str
    lesson: LessonNamed | None
    """The page that teaches it."""
    cost: int


class StepOut(Shape):
    """A step of a solution: T-SQL at a database, or a wait."""

    instance: str | None
    database: str | None
    sql: str | None
    wait_seconds: float | None


class WrongTurnOut(Shape):
    text: str
    steps: list[StepOut]


class RunEndOut(Shape):
    """What is told after the end."""

    explanation: str
    solution: list[StepOut]
    wrong_turns: list[WrongTurnOut]
    lessons: list[LessonNamed]
    """What to read on."""


class SessionOut(Shape):
    """A run as its trainee sees it, and the trainer who looks in."""

    run: RunOut
    trainee: str
    is_own: bool
    """False for the trainer, who may look and do nothing."""
    estate: str | None
    """The name under which the screens of an estate show its sandbox; null once the run has ended."""
    title: str
    brief: str
    level: Level
    minutes: int
    ends_by: datetime | None
    """When an examination is over."""
    now: datetime
    """By the server, so that a page counts down rightly."""
    rules: RulesOut
    clock: ClockOut | None
    """Null once the run has ended."""
    servers: list[ServerOut]
    faults: list[OwnFaultOut]
    tasks: list[TaskOut]
    grading: GradingOut | None
    """Null in an examination that has not ended."""
    hints: list[HintOut]
    """Those that were taken."""
    hints_total: int
    next_hint_cost: int | None
    """Per cent; null when there is no further one, or it costs nothing."""
    end: RunEndOut | None


class ResultColumnOut(Shape):
    name: str
    type: str


class ResultSetOut(Shape):
    """Rows of a SELECT or a RECEIVE."""

    kind: Literal["result-set"] = "result-set"
    columns: list[ResultColumnOut]
    rows: list[list[str | None]]
    """As texts; null is NULL. The first 500."""
    total: int
    line: int


class PrintedOut(Shape):
    kind: Literal["printed"] = "printed"
    text: str
    line: int


class RowsAffectedOut(Shape):
    kind: Literal["rows-affected"] = "rows-affected"
    count: int
    line: int


class FailedOut(Shape):
    """An error with the vendor's number."""

    kind: Literal["failed"] = "failed"
    number: int
    severity: int
    state: int
    line: int
    message: str
    why: str
    cure: str


OutputOut = Annotated[ResultSetOut | PrintedOut | RowsAffectedOut | FailedOut, Field(discriminator="kind")]


class ScriptRunOut(Shape):
    """What a script has answered, and the run after it."""

    outputs: list[OutputOut]
    stopped: NoticeOut | None
    """Why it was stopped before its end; null where it was not."""
    session: SessionOut


class SceneOut(Shape):
    """Something of a run that one plays again."""

    sequence: int
    seconds: float
    kind: Literal["script", "fault-begun", "fault-ended", "clock"]
    instance: str
    database: str
    script: str
    errors: list[int]
    fault: FaultOut | None
    rate: float | None


class ReplayOut(Shape):
    """A run, to be played again."""

    run: RunOut
    begun_seconds: float
    """When the trainee came in, by the time of the sandbox."""
    ended_seconds: float
    scenes: list[SceneOut]


class MomentOut(Shape):
    """A run as it was at a second of its sandbox."""

    clock: ClockOut
    servers: list[ServerOut]
    faults: list[OwnFaultOut]
    tasks: list[TaskOut]
    grading: GradingOut


class GroupOut(Shape):
    """People whose progress a trainer follows."""

    id: int
    name: str
    members: list[str]


class GroupsOut(Shape):
    groups: list[GroupOut]


class MemberScenarioOut(Shape):
    """What a member has made of a scenario."""

    scenario: str
    runs: int
    best_score: int | None
    best_exam_score: int | None
    running: RunOut | None
    last_at: datetime | None


class MemberOut(Shape):
    username: str
    scenarios: list[MemberScenarioOut]
    completed: int
    """Scenarios with 100 per cent."""


class GroupProgressOut(Shape):
    group: GroupOut
    scenarios: list[ScenarioTitleOut]
    members: list[MemberOut]
