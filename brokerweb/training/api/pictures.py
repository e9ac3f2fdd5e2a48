"""Sessions as they travel."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from django.utils import timezone

from brokerweb.common.languages import asked_language, error_words
from brokerweb.training.api.schemas import (
    ClockOut,
    GradingOut,
    HintOut,
    LessonNamed,
    MomentOut,
    NoticeOut,
    OwnFaultOut,
    RulesOut,
    RunEndOut,
    RunOut,
    SceneOut,
    ServerOut,
    SessionOut,
    StepOut,
    TaskCheckOut,
    TaskOut,
    WrongTurnOut,
)
from brokerweb.training.lesson_pages import lesson_in
from brokerweb.training.library import lessons_of
from brokerweb.training.models import TrainingSession
from brokerweb.training.selectors.sessions import Moment, Scene, SessionNow
from brokerweb.training.worlds import Grading
from brokerweb.whatif.api.schemas import FaultOut
from engine import api as engine

Scenario = engine.training.Scenario
OTHER_ENGINE: Final = 3169
Fault = engine.what_if.Fault


def run_picture(row: TrainingSession) -> RunOut:
    return RunOut(
        id=row.pk,
        scenario=row.scenario,
        mode=engine.training.Mode(row.mode),
        begun_at=row.begun_at,
        ended_at=row.ended_at,
        has_given_up=row.has_given_up,
        hints_taken=row.hints_taken,
        best_score=row.best_score,
        engine=row.engine,
        notice=_notice(row),
    )


def _notice(row: TrainingSession) -> NoticeOut | None:
    """That another engine than the present one began it."""
    present = engine.sandbox.engine_version()
    if row.engine == present:
        return None
    return notice_picture(engine.LocalProtocolError(OTHER_ENGINE, found=row.engine or "?", expected=present))


def session_picture(now: SessionNow, goal_seconds: float | None = None, *, is_own: bool = True) -> SessionOut:
    """A run as its trainee may see it: an examination tells nothing before its end, but to the trainer who looks in.

    `goal_seconds` is where a step was to lead that has not come there.
    """
    row, scenario, moment, rules = now.row, now.scenario, now.moment, now.rules
    language = asked_language()
    grading = now.final if moment is None else moment.grading
    is_told = moment is None or rules.has_live_checks or not is_own
    hints = scenario.hints
    return SessionOut(
        run=run_picture(row),
        trainee=row.trainee.username,
        is_own=is_own,
        estate=None if moment is None else row.sandbox,
        title=scenario.title.of(language),
        brief=scenario.brief.of(language),
        level=scenario.level,
        minutes=scenario.minutes,
        ends_by=row.ends_by,
        now=timezone.now(),
        rules=RulesOut(**{name: getattr(rules, name) for name in RulesOut.model_fields}),
        clock=None if moment is None else _clock(moment, goal_seconds),
        servers=[] if moment is None else _servers(moment),
        faults=[] if moment is None else _faults(moment.faults, now.own_faults),
        tasks=_tasks(
            scenario,
            grading if is_told else None,
            tells_causes=moment is None or rules.tells_causes or not is_own,
        ),
        grading=grading_picture(grading) if grading is not None and is_told else None,
        hints=[
            HintOut(
                text=each.text.of(language),
                lesson=lesson_named(each.lesson) if each.lesson else None,
                cost=each.cost if rules.hints_cost else 0,
            )
            for each in hints[: row.hints_taken]
        ],
        hints_total=len(hints) if rules.has_hints else 0,
        next_hint_cost=hints[row.hints_taken].cost if rules.hints_cost and row.hints_taken < len(hints) else None,
        end=_end(scenario) if moment is None else None,
    )


def lesson_named(name: str) -> LessonNamed:
    """A lesson by its title, in the asker's language."""
    return LessonNamed(id=name, title=lesson_in(asked_language(), name).title)


def grading_picture(grading: Grading) -> GradingOut:
    language = asked_language()
    return GradingOut(
        score=grading.score,
        achieved=grading.achieved,
        hints_cost=grading.hints_cost,
        collateral_cost=grading.collateral_cost,
        is_complete=grading.is_complete,
        sentence=grading.sentence.of(language),
        collateral=[each.text.of(language) for each in grading.collateral],
    )


def moment_picture(moment: Moment) -> MomentOut:
    return MomentOut(
        clock=_clock(moment),
        servers=_servers(moment),
        faults=_faults(moment.faults, ()),
        tasks=_graded_tasks(moment.grading, tells_causes=True),
        grading=grading_picture(moment.grading),
    )


def scene_picture(scene: Scene) -> SceneOut:
    return SceneOut(
        sequence=scene.sequence,
        seconds=scene.seconds,
        kind=scene.kind,
        instance=scene.instance,
        database=scene.database,
        script=scene.script,
        errors=list(scene.errors),
        fault=None if scene.fault is None else _fault(scene.fault),
        rate=scene.rate,
    )


def _clock(moment: Moment, goal_seconds: float | None = None) -> ClockOut:
    is_used_up = moment.used >= 1.0
    return ClockOut(
        seconds=moment.seconds,
        utc=datetime.fromtimestamp(moment.utc, UTC),
        rate=moment.rate,
        behind_seconds=moment.behind_seconds,
        goal_seconds=goal_seconds if goal_seconds is not None and goal_seconds > moment.seconds else None,
        used_percent=min(math.floor(100 * moment.used), 100),
        is_used_up=is_used_up,
        notice=_used_up(moment) if is_used_up else None,
    )


def _used_up(moment: Moment) -> NoticeOut:
    return notice_picture(engine.sandbox.used_up(moment.events_max))


def notice_picture(error: engine.BrokerError) -> NoticeOut:
    """A numbered error in the asker's language."""
    said = error_words(error)
    return NoticeOut(number=error.number, text=said.text, why=said.why, cure=said.cure)


def _servers(moment: Moment) -> list[ServerOut]:
    return [ServerOut(name=each.name, runs=each.runs, databases=list(each.databases)) for each in moment.instances]


def _faults(in_force: Sequence[Fault], own: Sequence[Fault]) -> list[OwnFaultOut]:
    return [OwnFaultOut(fault=_fault(each), is_own=each in own) for each in in_force]


def _fault(fault: Fault) -> FaultOut:
    return FaultOut(
        kind=fault.kind, instance=fault.instance, other=fault.other, database=fault.database, queue=fault.queue
    )


def _tasks(scenario: Scenario, grading: Grading | None, *, tells_causes: bool) -> list[TaskOut]:
    if grading is not None:
        return _graded_tasks(grading, tells_causes=tells_causes)
    language = asked_language()
    return [
        TaskOut(
            id=task.id,
            title=task.title.of(language),
            points_max=task.points,
            points=None,
            is_done=None,
            sentence="",
            checks=[],
        )
        for task in scenario.tasks
    ]


def _graded_tasks(grading: Grading, *, tells_causes: bool) -> list[TaskOut]:
    language = asked_language()
    return [
        TaskOut(
            id=task.id,
            title=task.title.of(language),
            points_max=task.points_max,
            points=task.points,
            is_done=task.is_done,
            sentence=(task.sentence if tells_causes else task.seen or task.sentence).of(language),
            checks=[_check(each, language, tells_causes=tells_causes) for each in task.checks],
        )
        for task in grading.tasks
    ]


def _check(check: engine.training.CheckResult, language: str, *, tells_causes: bool) -> TaskCheckOut:
    told = check.found if tells_causes else check.seen or check.found
    return TaskCheckOut(holds=check.holds, is_kept=check.is_kept, found=told.of(language))


def _end(scenario: Scenario) -> RunEndOut:
    language = asked_language()
    return RunEndOut(
        explanation=scenario.explanation.of(language),
        solution=_steps(scenario.solution),
        wrong_turns=[
            WrongTurnOut(text=each.text.of(language), steps=_steps(each.steps)) for each in scenario.wrong_turns
        ],
        lessons=[lesson_named(each) for each in lessons_of(scenario)],
    )


def _steps(steps: Sequence[engine.training.Step]) -> list[StepOut]:
    return [
        StepOut(instance=step.instance, database=step.database, sql=step.sql, wait_seconds=None)
        if isinstance(step, engine.training.Statements)
        else StepOut(instance=None, database=None, sql=None, wait_seconds=step.seconds)
        for step in steps
    ]
