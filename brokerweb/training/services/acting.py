"""What a trainee does in a sandbox: T-SQL at an instance, faults, and the clock."""

from __future__ import annotations

from typing import Final
from uuid import UUID

import msgspec
from django.utils.translation import gettext as _

from brokerweb.accounts.models import User
from brokerweb.common.database import release_connection
from brokerweb.common.errors import BadSandboxAction, EngineRefused, MalformedRequest
from brokerweb.training.models import TrainingSession
from brokerweb.training.selectors.sessions import own_faults
from brokerweb.training.services.script_answers import ScriptAnswer, only_script
from brokerweb.training.services.scripts import ScriptPlace, script_note, script_place, script_refuse_if_full
from brokerweb.training.services.sessions import refuse_unless, rules_of, running
from brokerweb.training.services.time_limit import TimeIsUp, time_limit
from brokerweb.training.worlds import seen
from engine import api as engine

Fault = engine.what_if.Fault

SECONDS_MAX: Final = 30.0
"""On the wall, for one script; 10929 says that it was stopped. Who waits longer types into the console."""


class RanScript(msgspec.Struct, frozen=True):
    """What a script answered, and why it was stopped before its end."""

    outputs: list[engine.console.ConsoleOutput]
    totals: list[int]
    """As of `ScriptAnswer`."""
    stopped: engine.LocalProtocolError | None


def script_run(
    user: User, pk: UUID, *, instance: str, database: str, script: str, seconds_max: float = SECONDS_MAX
) -> RanScript:
    """Run T-SQL in a database; an open transaction is rolled back at the end.

    Raises as `running`, `ScriptRuns` while another script runs in this session, and `EngineRefused` 15151 for an
    instance and 911 for a database that is not there, 9002 for a run that keeps as much as it may.
    """
    row = running(user, pk)
    with only_script(row.pk), engine.console.held_outputs() as hold:
        return _script_run(row, script_place(row, instance, database), script, seconds_max, ScriptAnswer(hold))


def _script_run(
    row: TrainingSession, place: ScriptPlace, script: str, seconds_max: float, answer: ScriptAnswer
) -> RanScript:
    script_refuse_if_full(place)
    before = place.moment()
    kept = engine.sandboxes.kept_instance(row.sandbox, place.instance)
    assert kept is not None, "the name of a session is that of a sandbox"
    release_connection()
    stopped: engine.LocalProtocolError | None = None
    with time_limit(seconds_max, kept.give_up) as look:

        def watch() -> None:
            look()
            kept.ensure_keeps()

        session = engine.console.ConsoleSession(kept.target(), place.database, watch)
        try:
            for output in session.run(script):
                if (stopped := answer.add(output)) is not None:
                    break
        except TimeIsUp:
            stopped = engine.LocalProtocolError(10929, limit=int(seconds_max))
        finally:
            session.close()
            errors = [each.number for each in answer.outputs if isinstance(each, engine.console.Failed)]
            errors += [] if stopped is None else [stopped.number]
            script_note(place, before, database=place.database, script=script, errors=errors)
    return RanScript(answer.outputs, answer.totals, stopped)


def fault_begin(user: User, pk: UUID, fault: Fault) -> None:
    """A fault of the trainee's own strikes. Raises as `running`, `NotInThisMode`, `EngineRefused`."""
    row = _with_faults(user, pk)
    _perform(row, engine.sandbox.FaultBegun(fault=fault))


def fault_end(user: User, pk: UUID, fault: Fault) -> None:
    """One of them is mended. Raises as `fault_begin`, and `NotInThisMode` for a fault of the scenario's."""
    row = _with_faults(user, pk)
    in_force, seconds = seen(row, lambda sandbox: (sandbox.faults(), sandbox.seconds))
    refuse_unless(
        fault not in in_force or fault in own_faults(row, in_force, seconds),
        _("This fault belongs to the scenario; it is not mended by a button."),
    )
    _perform(row, engine.sandbox.FaultEnded(fault=fault))


def _with_faults(user: User, pk: UUID) -> TrainingSession:
    row = running(user, pk)
    refuse_unless(rules_of(row).may_stop_clock, _("Nobody injects faults in an examination."))
    return row


def _perform(row: TrainingSession, action: engine.sandbox.Action) -> None:
    outcome = engine.sandboxes.sandbox_keeper().perform(row.sandbox, action)
    if outcome.refusal is not None:
        raise EngineRefused(engine.LocalProtocolError(outcome.refusal.number, **outcome.refusal.parameters), "/fault")
    if outcome.unavailable:
        raise BadSandboxAction(outcome.unavailable)


# ── the clock ────────────────────────────────────────────────────────────────────────────────────────────────────────
def clock_set(user: User, pk: UUID, rate: float) -> None:
    """So many times as fast as the wall, 0 for a pause. Raises as `running`, `NotInThisMode`, `EngineRefused`."""
    row = running(user, pk)
    refuse_unless(rate > 0 or rules_of(row).may_stop_clock, _("The clock of an examination does not stop."))
    try:
        engine.sandboxes.sandbox_keeper().set_rate(row.sandbox, rate)
    except engine.sandbox.BadSandbox as error:
        raise EngineRefused(error, "/rate") from error


def clock_step(user: User, pk: UUID, seconds: float) -> float | None:
    """Let so much of its time pass at once. Raises as `running`, `NotInThisMode`.

    Where the processor is wanted elsewhere before, it ends early: the second to which it was to lead, else None.
    """
    row = _with_steps(user, pk)
    if seconds <= 0:
        raise MalformedRequest(_("A step is longer than 0 seconds."), pointer="/seconds")
    return engine.sandboxes.sandbox_keeper().step(row.sandbox, seconds).goal_seconds


def clock_jump(user: User, pk: UUID) -> float | None:
    """Let its time pass until something happens that can be seen. Raises and ends early as `clock_step`."""
    row = _with_steps(user, pk)
    return engine.sandboxes.sandbox_keeper().jump(row.sandbox).goal_seconds


def _with_steps(user: User, pk: UUID) -> TrainingSession:
    row = running(user, pk)
    refuse_unless(rules_of(row).may_stop_clock, _("The clock of an examination is not stepped."))
    return row
