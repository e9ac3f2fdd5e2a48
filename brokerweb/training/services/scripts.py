"""Where a trainee types T-SQL, and what is kept of each script for the replay."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from brokerweb.common.errors import EngineRefused
from brokerweb.training.models import TrainingScript, TrainingSession
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


def script_note(place: ScriptPlace, before: Moment, *, database: str, script: str, errors: Sequence[int]) -> None:
    """Keep a script that has run from a moment on; `database` is where the session was then."""
    TrainingScript(
        session=place.row,
        after_sequence=before.sequence,
        at_seconds=before.seconds,
        instance=place.instance,
        database=database,
        script=script.encode("utf-8", "replace"),
        errors=list(errors),
    ).save(force_insert=True)
