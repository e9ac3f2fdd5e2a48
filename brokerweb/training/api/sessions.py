"""The catalogue, and runs of scenarios: begun, played, graded, ended and played again (docs/training/sessions.md)."""

from __future__ import annotations

from uuid import UUID

from django.http import HttpRequest
from ninja import Query, Router, Status

from brokerweb.accounts.api import viewing
from brokerweb.common.api.parameters import refuse_unknown
from brokerweb.common.languages import asked_language
from brokerweb.training.api.outputs import output_picture
from brokerweb.training.api.pictures import (
    moment_picture,
    notice_picture,
    run_picture,
    scene_picture,
    session_picture,
)
from brokerweb.training.api.requests import (
    ClockRate,
    ClockStep,
    FaultGiven,
    MomentAsked,
    Nothing,
    ScriptRun,
    SessionBegin,
)
from brokerweb.training.api.schemas import (
    CardOut,
    CatalogueOut,
    MomentOut,
    ReplayOut,
    RunsOut,
    ScenarioTitleOut,
    ScriptRunOut,
    SessionOut,
)
from brokerweb.training.library import scenario_named
from brokerweb.training.models import TrainingSession
from brokerweb.training.selectors.progress import Progress, progress_of
from brokerweb.training.selectors.sessions import (
    looked_into,
    moment_at,
    replay_bounds,
    scenes_of,
    session_now,
    session_of,
    sessions_of,
)
from brokerweb.training.services import acting, sessions

router = Router(tags=["training"], auth=viewing)

SESSIONS = "/training/sessions"
SESSION = SESSIONS + "/{guid:session}"
_ANSWER = {200: SessionOut}


@router.get("/training/scenarios", response={200: CatalogueOut}, operation_id="training_catalogue")
def training_catalogue(request: HttpRequest) -> CatalogueOut:
    """Every scenario, and what the asker has made of it."""
    sessions.late_runs_end([request.auth])
    return CatalogueOut(scenarios=[_card(each) for each in progress_of([request.auth])[request.auth.pk]])


@router.get(SESSIONS, response={200: RunsOut}, operation_id="training_sessions_list")
def training_sessions_list(request: HttpRequest) -> RunsOut:
    """The asker's runs."""
    return RunsOut(runs=[run_picture(each) for each in sessions_of(request.auth)])


@router.post(SESSIONS, response={201: SessionOut}, operation_id="training_begin")
def training_begin(request: HttpRequest, body: SessionBegin) -> Status:
    """Begin a scenario, in a sandbox of one's own."""
    row = sessions.session_begin(request.auth, body.scenario, body.mode, seed=body.seed)
    return Status(201, _picture(row))


@router.get(SESSION, response=_ANSWER, operation_id="training_read")
def training_read(request: HttpRequest, session: UUID) -> SessionOut:
    """A run as it is now: one's own, or, for a trainer, that of a member of a group."""
    row = sessions.end_if_late(looked_into(request.auth, session))
    return session_picture(session_now(row), is_own=row.trainee_id == request.auth.pk)


@router.post(SESSION + "/run", response={200: ScriptRunOut}, operation_id="training_run")
def training_run(request: HttpRequest, session: UUID, body: ScriptRun) -> ScriptRunOut:
    """T-SQL at a database of the sandbox; a transaction that it leaves open is rolled back."""
    ran = acting.script_run(request.auth, session, **body.dict())
    return ScriptRunOut(
        outputs=[output_picture(each, total) for each, total in zip(ran.outputs, ran.totals, strict=True)],
        stopped=None if ran.stopped is None else notice_picture(ran.stopped),
        session=_now(request, session),
    )


@router.post(SESSION + "/faults/begin", response=_ANSWER, operation_id="training_fault_begin")
def training_fault_begin(request: HttpRequest, session: UUID, body: FaultGiven) -> SessionOut:
    """Break something."""
    acting.fault_begin(request.auth, session, body.asked())
    return _now(request, session)


@router.post(SESSION + "/faults/end", response=_ANSWER, operation_id="training_fault_end")
def training_fault_end(request: HttpRequest, session: UUID, body: FaultGiven) -> SessionOut:
    """Mend what one has broken."""
    acting.fault_end(request.auth, session, body.asked())
    return _now(request, session)


@router.post(SESSION + "/clock/rate", response=_ANSWER, operation_id="training_clock_set")
def training_clock_set(request: HttpRequest, session: UUID, body: ClockRate) -> SessionOut:
    """Pause, or let time pass faster."""
    acting.clock_set(request.auth, session, body.rate)
    return _now(request, session)


@router.post(SESSION + "/clock/step", response=_ANSWER, operation_id="training_clock_step")
def training_clock_step(request: HttpRequest, session: UUID, body: ClockStep) -> SessionOut:
    """Let so much of the sandbox's time pass at once; `clock.goal_seconds` tells where it leads if it is not there."""
    goal = acting.clock_step(request.auth, session, body.seconds)
    return _now(request, session, goal)


@router.post(SESSION + "/clock/jump", response=_ANSWER, operation_id="training_clock_jump")
def training_clock_jump(request: HttpRequest, session: UUID, body: Nothing) -> SessionOut:
    """Let time pass until something happens that can be seen; with `clock.goal_seconds` nothing was seen yet."""
    goal = acting.clock_jump(request.auth, session)
    return _now(request, session, goal)


@router.post(SESSION + "/hint", response=_ANSWER, operation_id="training_hint")
def training_hint(request: HttpRequest, session: UUID, body: Nothing) -> SessionOut:
    """Take the next hint."""
    return _picture(sessions.hint_take(request.auth, session))


@router.post(SESSION + "/check", response=_ANSWER, operation_id="training_check")
def training_check(request: HttpRequest, session: UUID, body: Nothing) -> SessionOut:
    """Have the run graded and its score kept; in an examination that ends it."""
    return _picture(sessions.session_check(request.auth, session))


@router.post(SESSION + "/finish", response=_ANSWER, operation_id="training_finish")
def training_finish(request: HttpRequest, session: UUID, body: Nothing) -> SessionOut:
    """End the run with what it is worth now."""
    return _picture(sessions.session_finish(request.auth, session))


@router.post(SESSION + "/give-up", response=_ANSWER, operation_id="training_give_up")
def training_give_up(request: HttpRequest, session: UUID, body: Nothing) -> SessionOut:
    """End the run and see the solution."""
    return _picture(sessions.session_give_up(request.auth, session))


@router.get(SESSION + "/replay", response={200: ReplayOut}, operation_id="training_replay")
def training_replay(request: HttpRequest, session: UUID) -> ReplayOut:
    """What was done in a run that has ended."""
    row = sessions.ended(request.auth, session)
    begun, over_at = replay_bounds(row)
    return ReplayOut(
        run=run_picture(row),
        begun_seconds=begun,
        ended_seconds=over_at,
        scenes=[scene_picture(each) for each in scenes_of(row)],
    )


@router.get(SESSION + "/replay/moment", response={200: MomentOut}, operation_id="training_replay_moment")
def training_replay_moment(
    request: HttpRequest,
    session: UUID,
    asked: MomentAsked = Query(...),  # noqa: B008
) -> MomentOut:
    """A run that has ended as it was at a second of its sandbox."""
    refuse_unknown(request, asked)
    return moment_picture(moment_at(sessions.ended(request.auth, session), asked.seconds))


def _now(request: HttpRequest, session: UUID, goal_seconds: float | None = None) -> SessionOut:
    return _picture(sessions.end_if_late(session_of(request.auth, session)), goal_seconds)


def _picture(row: TrainingSession, goal_seconds: float | None = None) -> SessionOut:
    return session_picture(session_now(row), goal_seconds)


def _card(progress: Progress) -> CardOut:
    scenario = progress.scenario
    return CardOut(
        id=scenario.id,
        level=scenario.level,
        skills=list(scenario.skills),
        minutes=scenario.minutes,
        title=scenario.title.of(asked_language()),
        brief=scenario.brief.of(asked_language()),
        after=[
            ScenarioTitleOut(id=each, title=scenario_named(each).title.of(asked_language())) for each in scenario.after
        ],
        tasks=len(scenario.tasks),
        instances=len(scenario.catalogs),
        runs=progress.runs,
        best_score=progress.best_score,
        best_exam_score=progress.best_exam_score,
        running=None if progress.running is None else run_picture(progress.running),
    )
