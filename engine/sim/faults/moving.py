"""Databases that change places: planned failover of a mirrored database, and its forced twin after a crash.

The engine keeps roles; copying pages to the mirror is the database engine's business, which the simulator stands for:
the mirror copy is set up anew from the principal's disk in the moment when the roles change (mirroring.md 5).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from engine.core.catalog.changes import CatalogChange, PartnerSet
from engine.core.catalog.database import DatabaseState
from engine.core.exchange.commands import RestoreDatabase, SetMirroringRole
from engine.core.vocabulary.mirrors import MirroringRole
from engine.sim.entropy import Dice
from engine.sim.faults.kind import Fault, FaultKind, Struck, Subject, Undo, nothing_to_undo
from engine.sim.scenario import Scenario
from engine.sim.server import Server
from engine.sim.site import Site


def _any_pair(scenario: Scenario, dice: Dice) -> Subject | None:
    pairs = scenario.pairs()
    if not pairs:
        return None
    (home, database), (partner, _) = dice.choose(pairs)
    return Subject(instance=home, other=partner, database=database)


class _Move:
    """One failover, step by step: each is answered before the next is asked for."""

    def __init__(self, struck: Struck, site: Site, to: Server) -> None:
        self._operators = struck.operators
        self._site = site
        self._from: Final = site.server
        self._to: Final = to
        self._database = site.database
        site.is_busy = True

    def plan(self) -> None:
        """The principal gives its role up, then the partner takes it."""
        self._change(self._from, PartnerSet(database=self._database, partner_address=str(self._to.address)))
        self._role(self._from, MirroringRole.MIRROR, self.take_over)

    def take_over(self) -> None:
        """Nothing is written at the old place any more: set the copy up from its disk, and open it."""
        backup = self._from.store.backup_of(self._database, self._from.clock.now().utc)
        self._to.store.adopt_replies(self._from.store)
        self._change(self._to, PartnerSet(database=self._database, partner_address=None))
        self._operators[self._to.name].do(
            lambda command_id, base, revision: RestoreDatabase(
                command_id=command_id,
                base=base,
                revision=revision,
                database=self._database,
                backup=backup,
                replaces=True,
                is_recovered=False,
            )
        )
        self._role(self._to, MirroringRole.PRINCIPAL, self._arrive)

    def _arrive(self) -> None:
        self._site.server = self._to
        self._site.is_busy = False

    def _change(self, server: Server, change: CatalogChange) -> None:
        self._operators[server.name].change(change)

    def _role(self, server: Server, role: MirroringRole, then: Callable[[], None]) -> None:
        self._operators[server.name].do(
            lambda command_id, _, __: SetMirroringRole(command_id=command_id, database=self._database, role=role),
            lambda reply: then(),
        )


def _ends(fault: Fault, struck: Struck) -> tuple[Site, Server]:
    """The database, and the partner that is to become its principal."""
    subject = fault.subject
    site = struck.sites[subject.instance, subject.database]
    other = subject.other if site.server.name == subject.instance else subject.instance
    return site, struck.servers[other]


def _fail_over(fault: Fault, struck: Struck) -> Undo | None:
    site, to = _ends(fault, struck)
    if site.is_busy:
        return None
    _Move(struck, site, to).plan()
    return nothing_to_undo


def _force(fault: Fault, struck: Struck) -> Undo | None:
    """The principal dies. Before it opens the database again it learns from its partner that it is the copy now."""
    site, to = _ends(fault, struck)
    old = site.server
    if site.is_busy or not old.is_alive or old.store.next_fault is not None:
        return None
    old.die("killed")
    old.store.set_state(site.database, DatabaseState.MIRROR)
    _Move(struck, site, to).take_over()
    return old.start


def _process(subject: Subject) -> tuple[str, ...]:
    return ("move", subject.instance, subject.database)


KINDS: Final = (
    FaultKind(name="failover", lasts=(0.1, 20.0), choose=_any_pair, strike=_fail_over, holds=_process),
    FaultKind(name="forced-failover", lasts=(0.1, 20.0), choose=_any_pair, strike=_force, holds=_process),
)
