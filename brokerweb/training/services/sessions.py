"""A session from its beginning to its end, its hints and its checks."""

from __future__ import annotations

import secrets
from collections.abc import Collection
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from typing import Final, NamedTuple
from uuid import UUID

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from brokerweb.accounts.models import User
from brokerweb.common.errors import NoMoreHints, NotInThisMode, ScenarioChanged, TrainingRuns
from brokerweb.common.training_errors import ReplayRemoved, TooManyRuns, training_over
from brokerweb.common.wakeups import wake_topology_watchers
from brokerweb.training.entry_log import clock_of, entries_bytes, entry_row
from brokerweb.training.library import Scenario, scenario_named, scenarios
from brokerweb.training.models import Mode, TrainingEntry, TrainingSession
from brokerweb.training.quotas import room_make
from brokerweb.training.selectors.sessions import is_late, session_of
from brokerweb.training.worlds import Grading, Sandbox, graded, played, seen
from engine import api as engine

SEED_BITS: Final = 48
RUNS_OF_ONE_MAX: Final = 5
RUNS_A_DAY_MAX: Final = 100
"""Of one person, ended or not."""
RESTS_AFTER: Final = timedelta(days=1)
"""A run in which nothing was done for so long takes nothing of the server; it does not count there."""
FIRST_RATE: Final = 1.0
"""How fast the time of a sandbox passes when its trainee comes in."""


def session_begin(user: User, scenario_id: str, mode: Mode, *, seed: int | None = None) -> TrainingSession:
    """A new run; without a seed chance decides. Raises `ObjectNotFound`, `TrainingRuns`, `TooManyRuns`.

    A run whose scenario has changed makes way: nobody can go on with it, nor say what it is worth.
    """
    scenario = scenario_named(scenario_id)
    earlier = TrainingSession.objects.filter(trainee=user, scenario=scenario_id, ended_at=None).first()
    if earlier is not None and not _makes_way(earlier, scenario):
        raise _runs(scenario_id, earlier)
    _refuse_if_too_many(user)
    room_make(user)
    row = _new_row(user, scenario, mode, secrets.randbits(SEED_BITS) if seed is None else seed)
    entries = _first_entries(scenario, row)
    rows = [entry_row(row, each) for each in entries]
    row.begun_sequence, row.kept_bytes = len(rows), entries_bytes(rows)
    try:
        with transaction.atomic():
            row.save(force_insert=True)
            TrainingEntry.objects.bulk_create(rows)
    except IntegrityError:
        other = TrainingSession.objects.get(trainee=user, scenario=scenario_id, ended_at=None)
        raise _runs(scenario_id, other) from None
    return row


def _refuse_if_too_many(user: User) -> None:
    """Raises `TooManyRuns`. Those that begin in this very moment are not counted: the bound may be passed by a few."""
    running = TrainingSession.objects.filter(ended_at=None)
    # A run whose scenario has changed, or whose time is over, nobody can go on with: it is in nobody's way.
    files = scenarios()
    own = [each for each in running.filter(trainee=user) if not is_late(each) and each.scenario in files]
    if sum(each.digest == files[each.scenario].digest for each in own) >= RUNS_OF_ONE_MAX:
        raise TooManyRuns(
            _("You have {count} runs that have not ended.").format(count=RUNS_OF_ONE_MAX),
            parameters={"limit": RUNS_OF_ONE_MAX},
        )
    a_day_ago = timezone.now() - timedelta(days=1)
    if TrainingSession.objects.filter(trainee=user, begun_at__gte=a_day_ago).count() >= RUNS_A_DAY_MAX:
        raise TooManyRuns(
            _("You have begun {count} runs within a day, the most that one person may.").format(count=RUNS_A_DAY_MAX),
            why=_("What is known of every run is kept, also after its end."),
            cure=_("Go on with a run that has not ended, or begin this one tomorrow."),
            parameters={"limit": RUNS_A_DAY_MAX},
        )
    most = settings.TRAINING_RUNS_MAX
    if running.filter(touched_at__gte=timezone.now() - RESTS_AFTER).count() >= most:
        raise TooManyRuns(
            _("{count} runs are under way; the server takes no more at once.").format(count=most),
            cure=_("Try again when others have finished; an administrator can raise TRAINING_RUNS_MAX."),
            parameters={"limit": most},
        )


def _makes_way(row: TrainingSession, scenario: Scenario) -> bool:
    """Whether a run that nobody has ended is over by now: its scenario, or its time."""
    if row.digest == scenario.digest:
        return is_late(row) and end_if_late(row).ended_at is not None
    TrainingSession.objects.filter(pk=row.pk, ended_at=None).update(ended_at=timezone.now())
    _let_go(row.sandbox)
    return True


def _new_row(user: User, scenario: Scenario, mode: Mode, seed: int) -> TrainingSession:
    now = timezone.now()
    has_limit = engine.training.MODE_RULES[mode].has_time_limit
    return TrainingSession(
        trainee=user,
        scenario=scenario.id,
        digest=scenario.digest,
        engine=engine.sandbox.engine_version(),
        seed=seed,
        mode=mode.value,
        begun_at=now,
        touched_at=now,
        ends_by=now + timedelta(minutes=scenario.minutes) if has_limit else None,
    )


def _first_entries(scenario: Scenario, row: TrainingSession) -> list[engine.sandbox.Entry]:
    """The prologue of the scenario, and the clock that begins to go when the trainee comes in."""
    played = engine.training.begin(scenario, seed=row.seed)
    clock = engine.sandbox.ClockSet(wall_seconds=row.begun_at.timestamp(), rate=FIRST_RATE)
    come_in = engine.sandbox.Entry(sequence=len(played.entries) + 1, at_seconds=played.beginning.seconds, action=clock)
    return [*played.entries, come_in]


def _runs(scenario: str, row: TrainingSession) -> TrainingRuns:
    return TrainingRuns(
        _("You are playing the scenario {name} already.").format(name=scenario), parameters={"session": str(row.pk)}
    )


def running(user: User, pk: UUID) -> TrainingSession:
    """A session in which something can be done. Raises `ObjectNotFound`, `TrainingOver`."""
    row = end_if_late(session_of(user, pk))
    if row.ended_at is not None:
        raise training_over()
    return row


def ended(user: User, pk: UUID) -> TrainingSession:
    """A session that can be played again.

    Raises `ObjectNotFound`, `NotInThisMode` while it has not ended, `ReplayRemoved` when it ended long ago.
    """
    row = end_if_late(session_of(user, pk))
    if row.ended_at is None:
        raise NotInThisMode(
            _("The run has not ended."),
            why=_("A run is played again once it is whole."),
            cure=_("Finish it first."),
        )
    if not row.has_replay:
        raise ReplayRemoved(_("The replay of this run is not kept any more."))
    return row


def refuse_unless(is_allowed: bool, what: str) -> None:
    """`NotInThisMode`; `what` says in the asker's language what is not allowed."""
    if not is_allowed:
        raise NotInThisMode(what)


def rules_of(row: TrainingSession) -> engine.training.ModeRules:
    """What the mode of a session allows."""
    return engine.training.MODE_RULES[Mode(row.mode)]


# ── hints and checks ─────────────────────────────────────────────────────────────────────────────────────────────────
def hint_take(user: User, pk: UUID) -> TrainingSession:
    """The next hint. Raises as `running`, `NotInThisMode`, `NoMoreHints`."""
    row = running(user, pk)
    refuse_unless(rules_of(row).has_hints, _("An examination has no hints."))
    with transaction.atomic():
        locked = _locked(row)
        if locked.hints_taken >= len(scenario_named(row.scenario).hints):
            raise NoMoreHints(_("All hints of this scenario have been taken."))
        locked.hints_taken += 1
        locked.save(update_fields=["hints_taken"])
    return locked


def session_check(user: User, pk: UUID) -> TrainingSession:
    """Grade the run as it is now; in an examination that ends it. Raises as `running`."""
    row = running(user, pk)
    if rules_of(row).ends_with_check:
        return _end(row)
    grading = seen(row, lambda sandbox: graded(row, sandbox))
    with transaction.atomic():
        locked = _locked(row)
        _keep_score(locked, grading)
        locked.save(update_fields=["best_score"])
    return locked


def session_finish(user: User, pk: UUID) -> TrainingSession:
    """End the run with what it is worth now; harmless when it has ended. Raises `ObjectNotFound`."""
    row = end_if_late(session_of(user, pk))
    return row if row.ended_at is not None else _end(row)


def session_give_up(user: User, pk: UUID) -> TrainingSession:
    """End the run and have the solution shown. Raises as `running`, `NotInThisMode`."""
    row = running(user, pk)
    refuse_unless(rules_of(row).has_solution, _("An examination shows its solution when it has ended."))
    row.has_given_up = True
    return _end(row)


def end_if_late(row: TrainingSession) -> TrainingSession:
    """An examination whose time is over ends as it was in that moment; any other session is as it was."""
    if not is_late(row):
        return row
    assert row.ends_by is not None, "it is late"
    # What was done after the last second is nothing: every action looks at the time first.
    seconds = clock_of(row).seconds_at(row.ends_by.timestamp())
    judged = played(row, seconds, lambda sandbox: _judged(row, sandbox))
    return _stored_end(row, judged, row.ends_by)


def late_runs_end(people: Collection[User]) -> None:
    """Examinations of some people whose time is over are given their scores, though nobody has opened them since.

    One that takes longer, or whose scenario has changed, is left to the next who asks.
    """
    late = TrainingSession.objects.filter(trainee__in=people, ended_at=None, ends_by__lte=timezone.now())
    for row in late:
        with suppress(ScenarioChanged, engine.EngineUnavailable):
            end_if_late(row)


def _end(row: TrainingSession) -> TrainingSession:
    """Grade, then end where nothing was done in between; else grade again, so that nothing that was done is lost."""
    while True:
        judged = seen(row, lambda sandbox: _judged(row, sandbox))
        with transaction.atomic():
            locked = _locked(row)
            if locked.entries.filter(sequence__gt=judged.sequence).exists():
                continue
            return _stored_end(row, judged, timezone.now())


class _Judged(NamedTuple):
    """A run in the state that counts."""

    sequence: int
    seconds: float
    grading: Grading


def _judged(row: TrainingSession, sandbox: Sandbox) -> _Judged:
    return _Judged(sandbox.sequence, sandbox.seconds, graded(row, sandbox, has_given_up=row.has_given_up))


@transaction.atomic
def _stored_end(row: TrainingSession, judged: _Judged, at: datetime) -> TrainingSession:
    locked = TrainingSession.objects.select_for_update().get(pk=row.pk)
    if locked.ended_at is not None:
        return locked
    locked.ended_at = at
    locked.has_given_up = row.has_given_up
    locked.ended_seconds = judged.seconds
    locked.final = engine.json_encoder.encode(judged.grading).decode()
    if not locked.has_given_up:
        _keep_score(locked, judged.grading)
    locked.save(update_fields=["ended_at", "ended_seconds", "has_given_up", "final", "best_score"])
    transaction.on_commit(partial(_let_go, locked.sandbox))
    return locked


def _let_go(sandbox: str) -> None:
    """Nobody acts in it any more, and whoever looks at it hears so."""
    engine.sandboxes.sandbox_keeper().forget(sandbox)
    wake_topology_watchers(sandbox)


def _keep_score(row: TrainingSession, grading: Grading) -> None:
    if rules_of(row).counts:
        row.best_score = max(row.best_score or 0, grading.score)


def _locked(row: TrainingSession) -> TrainingSession:
    """The row, nobody else's until the transaction ends. Raises `TrainingOver`."""
    locked = TrainingSession.objects.select_for_update().get(pk=row.pk)
    if locked.ended_at is not None:
        raise training_over()
    return locked
