"""`EstateGround`: an instance of an estate under a session. What a script does to what runs is noted in the log."""

from __future__ import annotations

from typing import Final

from brokerweb.accounts.models import User
from brokerweb.accounts.rights import Right
from brokerweb.console.services.ground import Outputs
from brokerweb.console.services.showing import statements_text
from brokerweb.console.services.target import WatchedTarget
from brokerweb.topology.deeds import Deed
from brokerweb.topology.selectors.places import DatabasePlace, database_place
from brokerweb.topology.services.deeds import deeds_note
from brokerweb.topology.summaries import saying
from engine import api as engine


class EstateGround:
    """An instance of an estate. `Ground`."""

    def __init__(self, place: DatabasePlace, user: User) -> None:
        self._place: Final = place
        self.instance = place.instance
        self.database = place.database
        self.target: WatchedTarget = WatchedTarget(place.instance_place, user)

    @property
    def is_cancelled(self) -> bool:
        """As its target is told."""
        return self.target.is_cancelled

    def withholds_bodies(self, user: User) -> bool:
        """For want of the right."""
        return Right.READ_PAYLOADS not in user.rights

    def may_define(self, user: User) -> bool:
        """With the right to edit: each definition is a revision."""
        return Right.EDIT in user.rights

    def begin(self, user: User) -> None:
        """From now on this person's rights count."""
        self.target.user = user
        self.target.begin()

    def cancel(self) -> None:
        """Harmless when the instance is gone: it has forgotten who waited. Raises `TargetUnavailable` then."""
        self.target.cancel()

    def run(self, session: engine.console.ConsoleSession, script: str) -> Outputs:
        """One row of the log for what a script has done to what runs."""
        try:
            yield from session.run(script)
        finally:
            self._note(session.database)

    def _note(self, database: str) -> None:
        done, self.target.done = self.target.done, {}
        if not done:
            return
        statements = statements_text(done)
        deed = Deed(
            instance=self.instance,
            database=database,
            kind="database",
            name=database,
            field="statements",
            before=None,
            after=statements,
        )
        summary = saying("run-statements", statements=statements, database=database, instance=self.instance)
        deeds_note(self._place.estate, [deed], user=self.target.user, summary=summary)

    def close(self, session: engine.console.ConsoleSession) -> None:
        """Also after a script that was cancelled."""
        self.target.begin()
        session.close()

    def over(self) -> str | None:
        """An estate that is deleted tells so by itself, to the next statement."""
        return None


def estate_ground(estate: str, instance: str, database: str, user: User) -> EstateGround:
    """The ground that an address names. Raises `ObjectNotFound`."""
    return EstateGround(database_place(estate, instance, database), user)
