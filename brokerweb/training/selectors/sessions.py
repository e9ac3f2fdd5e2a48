"""Sessions as they are now: whose they are, what their tasks, clocks and faults say, and what comes after the end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal
from uuid import UUID

import msgspec
from django.utils import timezone
from django.utils.translation import gettext as _

from brokerweb.accounts.models import User
from brokerweb.accounts.rights import Right
from brokerweb.common.errors import ObjectNotFound
from brokerweb.training.entry_log import clock_of, entry_of
from brokerweb.training.models import Mode, TrainingSession
from brokerweb.training.worlds import Grading, Sandbox, graded, played, scenario_of, seen
from engine import api as engine

Fault = engine.what_if.Fault

_grading: Final[msgspec.json.Decoder[Grading]] = msgspec.json.Decoder(Grading)


class InstanceNow(msgspec.Struct, frozen=True, kw_only=True):
    """One server of a sandbox."""

    name: str
    runs: bool
    databases: tuple[str, ...]


class Moment(msgspec.Struct, frozen=True, kw_only=True):
    """A sandbox at one moment."""

    seconds: float
    """By its own time, since it began."""
    utc: float
    """What its machines show, seconds since 1970."""
    rate: float
    """How fast its time passes; 0 stands still."""
    behind_seconds: float
    """How much later it should be; the processor does not keep up with the clock."""
    used: float
    """The share of what a run may do that is used up, 0 to 1; then its time stands still for good."""
    events_max: int
    """How much a run may do."""
    sequence: int
    """The last entry of the log that counts."""
    instances: tuple[InstanceNow, ...]
    faults: tuple[Fault, ...]
    """In force."""
    grading: Grading


class SessionNow(msgspec.Struct, frozen=True, kw_only=True):
    """A session as its trainee sees it."""

    row: TrainingSession
    scenario: engine.training.Scenario
    moment: Moment | None
    """None once it has ended: its sandbox is read by replaying it."""
    final: Grading | None
    """None before the end."""
    own_faults: tuple[Fault, ...] = ()
    """Those in force that the trainee has begun."""

    @property
    def rules(self) -> engine.training.ModeRules:
        """What its mode allows."""
        return engine.training.MODE_RULES[Mode(self.row.mode)]


def session_of(user: User, pk: UUID) -> TrainingSession:
    """A session of this person. Raises `ObjectNotFound`, for somebody else's too."""
    row = TrainingSession.objects.filter(pk=pk, trainee=user).first()
    if row is None:
        raise ObjectNotFound(_("You have no run {name}.").format(name=pk), cure=_("Begin a scenario of the catalogue."))
    return row


def looked_into(user: User, pk: UUID) -> TrainingSession:
    """A session that this person may look at: their own, or, as a trainer, one of a member of their groups.

    Raises `ObjectNotFound`, for anybody else's too.
    """
    if Right.TRAIN in user.rights:
        row = TrainingSession.objects.filter(pk=pk, trainee__trained_in__trainer=user).first()
        if row is not None:
            return row
    return session_of(user, pk)


def sessions_of(user: User, limit: int = 50) -> list[TrainingSession]:
    """The person's sessions, the newest first."""
    return list(TrainingSession.objects.filter(trainee=user)[:limit])


def is_late(row: TrainingSession) -> bool:
    """Whether the time of an examination that nobody has ended is over."""
    return row.ended_at is None and row.ends_by is not None and timezone.now() >= row.ends_by


def session_now(row: TrainingSession) -> SessionNow:
    """What is so at this moment. Raises `ScenarioChanged`, `EngineUnavailable`."""
    scenario = scenario_of(row)
    if row.ended_at is not None:
        return SessionNow(row=row, scenario=scenario, moment=None, final=final_of(row))
    moment = seen(row, moment_in(row))
    own = own_faults(row, moment.faults, moment.seconds)
    return SessionNow(row=row, scenario=scenario, moment=moment, final=None, own_faults=own)


def final_of(row: TrainingSession) -> Grading | None:
    """The grading with which a session ended."""
    return _grading.decode(row.final) if row.final else None


def moment_in(row: TrainingSession) -> Callable[[Sandbox], Moment]:
    """Reads a sandbox as a session's at this moment."""

    def read(sandbox: Sandbox) -> Moment:
        catalogs = sandbox.catalogs()
        return Moment(
            seconds=sandbox.seconds,
            utc=sandbox.utc,
            rate=sandbox.clock.rate,
            behind_seconds=sandbox.behind_seconds,
            used=sandbox.used,
            events_max=sandbox.spec.happenings_max,
            sequence=sandbox.sequence,
            instances=tuple(
                InstanceNow(name=name, runs=sandbox.runs(name), databases=tuple(map(str, catalogs[name].databases)))
                for name in sandbox.instances()
            ),
            faults=sandbox.faults(),
            grading=graded(row, sandbox, has_given_up=row.has_given_up),
        )

    return read


def own_faults(row: TrainingSession, in_force: tuple[Fault, ...], seconds: float) -> tuple[Fault, ...]:
    """Those that the trainee has begun, at a second of the sandbox.

    What the scenario breaks then is not the trainee's to end, also where the trainee has broken it as well.
    """
    theirs = scenario_of(row).faults_at(seconds)
    begun = {
        each.action.fault
        for each in map(entry_of, row.entries.filter(sequence__gt=row.begun_sequence, action__contains="fault-begun"))
        if isinstance(each.action, engine.sandbox.FaultBegun)
    }
    return tuple(fault for fault in in_force if fault in begun and fault not in theirs)


# ── one's own run again ──────────────────────────────────────────────────────────────────────────────────────────────
class Scene(msgspec.Struct, frozen=True, kw_only=True):
    """Something of a run: a script, a fault, a turn of the clock."""

    sequence: int
    """The last entry that belongs to it."""
    seconds: float
    kind: Literal["script", "fault-begun", "fault-ended", "clock"]
    instance: str = ""
    database: str = ""
    script: str = ""
    errors: tuple[int, ...] = ()
    fault: Fault | None = None
    rate: float | None = None


def scenes_of(row: TrainingSession) -> list[Scene]:
    """What the trainee has done, in order; a script stands for the entries that it has written."""
    scripts = [
        (each.after_sequence, each.at_seconds, each.instance, each.database, bytes(each.script).decode(), each.errors)
        for each in row.scripts.all()
    ]
    found = [
        Scene(
            sequence=after,
            seconds=seconds,
            kind="script",
            instance=instance,
            database=database,
            script=script,
            errors=tuple(errors),
        )
        for after, seconds, instance, database, script, errors in scripts
    ]
    for entry in map(entry_of, row.entries.filter(sequence__gt=row.begun_sequence).order_by("sequence")):
        scene = _scene(entry)
        if scene is not None:
            found.append(scene)
    return sorted(found, key=lambda each: (each.seconds, each.sequence))


def _scene(entry: engine.sandbox.Entry) -> Scene | None:
    match entry.action:
        case engine.sandbox.FaultBegun(fault=fault):
            return Scene(sequence=entry.sequence, seconds=entry.at_seconds, kind="fault-begun", fault=fault)
        case engine.sandbox.FaultEnded(fault=fault):
            return Scene(sequence=entry.sequence, seconds=entry.at_seconds, kind="fault-ended", fault=fault)
        case engine.sandbox.ClockSet(rate=rate):
            return Scene(sequence=entry.sequence, seconds=entry.at_seconds, kind="clock", rate=rate)
        case _:
            return None


def replay_bounds(row: TrainingSession) -> tuple[float, float]:
    """The seconds at which the trainee came in, and at which the run ended, by the time of the sandbox."""
    begun = row.entries.get(sequence=row.begun_sequence).at_seconds
    if row.ended_seconds is not None or row.ended_at is None:
        return begun, begun if row.ended_seconds is None else row.ended_seconds
    return begun, clock_of(row).seconds_at(row.ended_at.timestamp())


def moment_at(row: TrainingSession, seconds: float) -> Moment:
    """The sandbox of a session as it was at a second of its own time, everything done that was done by then."""
    return played(row, seconds, moment_in(row))
