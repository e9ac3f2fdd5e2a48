"""`SandboxGround`: an instance of a trainee's sandbox under a session; what is typed there is the trainee's affair."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from threading import Event
from typing import Final, TypeVar

from brokerweb.accounts.models import User
from brokerweb.common.errors import EngineRefused, ObjectNotFound, ScenarioChanged, WebProblem
from brokerweb.common.training_errors import training_over
from brokerweb.console.services.ground import Outputs
from brokerweb.topology.private_estates import Access, admitted, no_such_estate
from brokerweb.training.entry_log import session_named
from brokerweb.training.models import TrainingSession
from brokerweb.training.selectors.sessions import is_late
from brokerweb.training.services.scripts import ScriptPlace, script_note, script_place, script_refuse_if_full
from brokerweb.training.services.sessions import end_if_late
from engine import api as engine

Answer = TypeVar("Answer")


class SandboxGround:
    """`Ground`. Bodies are the trainee's to read, and definitions change at once: nothing of it is an estate's."""

    def __init__(self, place: ScriptPlace, kept: engine.sandboxes.KeptInstance) -> None:
        self._place: Final = place
        self._kept: Final = kept
        self._is_cancelled: Final = Event()
        self.instance = place.instance
        self.database = place.database
        self.target: engine.console.ConsoleTarget = kept.target()

    @property
    def is_cancelled(self) -> bool:
        """Whether nobody wants more of the script."""
        return self._is_cancelled.is_set()

    def withholds_bodies(self, user: User) -> bool:
        """Never: a message of a sandbox is nobody else's."""
        return False

    def may_define(self, user: User) -> bool:
        """Always."""
        return True

    def begin(self, user: User) -> None:
        """It is always the trainee who types."""
        self._is_cancelled.clear()

    def cancel(self) -> None:
        """What waits for the time of the sandbox waits no more."""
        self._is_cancelled.set()
        self._kept.give_up()

    def run(self, session: engine.console.ConsoleSession, script: str) -> Outputs:
        """The script is noted for the replay, with the numbers of its errors; the end of the run ends it."""
        errors: list[int] = []
        database = session.database
        try:
            before = _restored(self._place.moment)
            script_refuse_if_full(self._place)
        except WebProblem:
            return
        except EngineRefused as refused:
            yield engine.console.failure(refused.error.number, **refused.error.parameters)
            return
        try:
            for output in session.run(script):
                if isinstance(output, engine.console.Failed):
                    errors.append(output.number)
                yield output
        except engine.sandboxes.SandboxClosed:
            # Nothing is written behind the end; `over` says why.
            return
        finally:
            script_note(self._place, before, database=database, script=script, errors=errors)

    def close(self, session: engine.console.ConsoleSession) -> None:
        """Where the run has ended nothing is written any more: what was open is nobody's."""
        self._is_cancelled.clear()
        with suppress(engine.sandboxes.SandboxClosed):
            session.close()

    def over(self) -> str | None:
        """The run has ended, also by its time; or its scenario is not what it was."""
        row = TrainingSession.objects.filter(pk=self._place.row.pk).first()
        if row is not None and row.ended_at is None and not is_late(row):
            return None
        if row is not None:
            try:
                end_if_late(row)
            except ScenarioChanged as error:
                return error.detail
            except engine.EngineUnavailable:
                # It takes a while to find out what it was worth; that its time is over is known by now.
                pass
        return training_over().detail


def _restored(ask: Callable[[], Answer]) -> Answer:
    """What a sandbox answers once it is back from its log: here, in a thread of its own, one may wait for that."""
    while True:
        with suppress(engine.sandboxes.SandboxRestoring):
            return ask()


def sandbox_ground(sandbox: str, instance: str, database: str, user: User) -> SandboxGround:
    """The ground that an address names.

    Raises `ObjectNotFound`, for somebody else's sandbox too, `TrainingOver`, `ScenarioChanged`.
    """
    access = _restored(lambda: admitted(sandbox, user))
    row = session_named(sandbox) if access is Access.OWN else None
    if row is None:
        # Whoever may look has nothing to type there.
        raise no_such_estate(sandbox)
    try:
        place = _restored(lambda: script_place(row, instance, database))
    except EngineRefused as error:
        raise ObjectNotFound(str(error)) from error
    kept = engine.sandboxes.kept_instance(row.sandbox, place.instance)
    assert kept is not None, "the name of a session is that of a sandbox"
    return SandboxGround(place, kept)
