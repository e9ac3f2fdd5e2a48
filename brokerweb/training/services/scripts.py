"""Where a trainee types T-SQL, and what is kept of each script for the replay."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from django.db import transaction

from brokerweb.common.errors import EngineRefused
from brokerweb.training.models import TrainingScript, TrainingSession
from brokerweb.training.quotas import ROW_BYTES, bytes_add, is_full, run_full
from brokerweb.training.worlds import Sandbox, seen
from engine import api as engine


class Moment(msgspec.Struct, frozen=True):
    """Of a sandbox."""

    sequence: int
    """The last line of its log."""
    seconds: float
    """By its own time, since it began."""


class ScriptPlace(msgspec.Struct, frozen=True):
    """A database of an instance of the sandbox of a run, spelled as they are defined."""

    row: TrainingSession
    instance: str
    database: str

    def moment(self) -> Moment:
        """Now. Raises `ScenarioChanged`, `EngineUnavailable`."""
        return seen(self.row, lambda sandbox: Moment(sandbox.sequence, sandbox.seconds))


def script_place(row: TrainingSession, instance: str, database: str) -> ScriptPlace:
    """The place, in any letter case of the database.

    Raises `EngineRefused` 15151 for an instance and 911 for a database that is not there, `ScenarioChanged`.
    """
    return ScriptPlace(row, instance, seen(row, lambda sandbox: _database(sandbox, instance, database)))


def _database(sandbox: Sandbox, instance: str, database: str) -> str:
    try:
        catalog = sandbox.catalog(engine.InstanceName(instance))
    except engine.BrokerError as error:
        raise EngineRefused(error, "/instance") from error
    folded = database.casefold()
    for name in catalog.databases:
        if name.casefold() == folded:
            return str(name)
    raise EngineRefused(engine.LocalProtocolError(911, database=database), "/database")


def script_refuse_if_full(place: ScriptPlace) -> None:
    """Raises `EngineRefused` 9002 where the run keeps as much as it may: what is typed there could not be kept."""
    if is_full(TrainingSession.objects.get(pk=place.row.pk)):
        raise EngineRefused(run_full())


@transaction.atomic
def script_note(place: ScriptPlace, before: Moment, *, database: str, script: str, errors: Sequence[int]) -> None:
    """Keep a script that has run from a moment on, without its passwords; `database` is where the session was then."""
    text = engine.console.without_passwords(script).encode("utf-8", "replace")
    TrainingScript(
        session=place.row,
        after_sequence=before.sequence,
        at_seconds=before.seconds,
        instance=place.instance,
        database=database,
        script=text,
        errors=list(errors),
    ).save(force_insert=True)
    bytes_add(place.row, len(text) + ROW_BYTES)
