"""`SandboxesOfSessions`: sandboxes of running sessions as private estates, their trainee's own.

A trainer of a group may look at those of its members.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from threading import Lock
from typing import Final

from brokerweb.accounts.models import User
from brokerweb.accounts.rights import Right
from brokerweb.common.languages import asked_language
from brokerweb.common.training_errors import training_over
from brokerweb.topology.private_estates import Access, PrivateClock, PrivateState, no_such_estate
from brokerweb.training.entry_log import session_named
from brokerweb.training.models import Mode, TrainingGroup, TrainingSession
from brokerweb.training.selectors.sessions import is_late
from brokerweb.training.services.sessions import end_if_late
from brokerweb.training.worlds import Sandbox, scenario_of, seen
from engine import api as engine

Catalogs = dict[str, engine.InstanceCatalog]
_DIGESTS_KEPT: Final = 64
"""Of so many sandboxes a process remembers what their definitions come to."""


class SandboxesOfSessions:
    """`PrivateEstates`."""

    def __init__(self) -> None:
        self._digests: OrderedDict[str, tuple[Catalogs, str]] = OrderedDict()
        self._lock = Lock()

    def access(self, name: str, user: User) -> Access | None:
        """The trainee owns it, a trainer looks. Raises `TrainingOver` and `ScenarioChanged`, to these only."""
        row = session_named(name)
        found = None if row is None else _access(row, user)
        if row is None or found is None:
            return None
        if end_if_late(row).ended_at is not None:
            raise training_over()
        scenario_of(row)
        return found

    def state(self, name: str) -> PrivateState:
        """The sandbox now. Raises `ObjectNotFound`, `TrainingOver`, `ScenarioChanged`, `EngineUnavailable`."""
        row = session_named(name)
        if row is None:
            raise no_such_estate(name)
        if row.ended_at is not None or is_late(row):
            raise training_over()
        return seen(row, lambda sandbox: self._state(row, sandbox))

    def _state(self, row: TrainingSession, sandbox: Sandbox) -> PrivateState:
        catalogs: Catalogs = {str(name): catalog for name, catalog in sandbox.catalogs().items()}
        clock = sandbox.clock
        return PrivateState(
            name=row.sandbox,
            title=scenario_of(row).title.of(asked_language()),
            owner=row.trainee.get_username(),
            catalogs=catalogs,
            revision=sandbox.sequence,
            tag=f"{row.sandbox}.{self._digest(row.sandbox, catalogs)}.{_expired(catalogs, sandbox.utc)}",
            utc=sandbox.utc,
            clock=PrivateClock(wall=clock.wall_seconds, utc=sandbox.spec.begins_at + clock.seconds, rate=clock.rate),
            runs=frozenset(str(name) for name in sandbox.instances() if sandbox.runs(name)),
            has_findings=Mode(row.mode) is not Mode.EXAM,
        )

    def _digest(self, name: str, catalogs: Catalogs) -> str:
        """What all definitions come to, the same in every process; counted anew where one is another object."""
        with self._lock:
            known = self._digests.get(name)
        if known is None or any(catalogs[each] is not known[0].get(each) for each in catalogs):
            digest = hashlib.sha256(engine.json_encoder.encode(catalogs)).hexdigest()[:16]
            known = (catalogs, digest)
            with self._lock:
                self._digests[name] = known
                self._digests.move_to_end(name)
                while len(self._digests) > _DIGESTS_KEPT:
                    self._digests.popitem(last=False)
        return known[1]


def _access(row: TrainingSession, user: User) -> Access | None:
    if row.trainee_id == user.pk:
        return Access.OWN
    if Right.TRAIN in user.rights and TrainingGroup.objects.filter(trainer=user, members=row.trainee_id).exists():
        return Access.LOOK
    return None


def _expired(catalogs: Catalogs, utc: engine.UtcTime) -> int:
    """Routes that are over by the clock of the sandbox: time alone changes the map by them."""
    return sum(
        route.expires_at is not None and route.expires_at <= utc
        for catalog in catalogs.values()
        for database in catalog.databases.values()
        for route in database.routes.values()
    )
