"""Processes that die: at any moment, or around the next commit; they are started again later."""

from __future__ import annotations

from typing import Final

from engine.sim.entropy import Dice
from engine.sim.faults.kind import Fault, FaultKind, Struck, Subject, Undo, any_instance, process_of
from engine.sim.scenario import Scenario
from engine.sim.server import Server
from engine.sim.store import CommitFault

ARMED_SECONDS: Final = 10.0
"""A crash that waits for a commit strikes without one after this."""
DOWN_SECONDS: Final = (0.1, 20.0)


def _kill(fault: Fault, struck: Struck) -> Undo | None:
    server = struck.servers[fault.subject.instance]
    if not server.is_alive:
        return None
    server.die("killed")
    return server.start


def _any_with_share(scenario: Scenario, dice: Dice) -> Subject:
    return Subject(instance=dice.choose(scenario.instances).name, amount=dice.between(0.0, 1.0))


def _arm(commit_fault: CommitFault, fault: Fault, struck: Struck) -> Undo | None:
    """The next commit fails; if none comes, the process dies without one."""
    server = struck.servers[fault.subject.instance]
    if not server.is_alive or server.store.next_fault is not None:
        return None
    server.store.next_fault = commit_fault
    server.store.torn_share = fault.subject.amount

    def restart() -> None:
        _strike_anyway(server)
        server.start()

    struck.network.agenda.after(min(ARMED_SECONDS, fault.lasts), lambda: _strike_anyway(server))
    return restart


def _strike_anyway(server: Server) -> None:
    if server.store.next_fault is not None:
        server.store.next_fault = None
        server.die("killed")


def _around_commit(name: str, commit_fault: CommitFault) -> FaultKind:
    return FaultKind(
        name=name,
        lasts=DOWN_SECONDS,
        choose=_any_with_share,
        strike=lambda fault, struck: _arm(commit_fault, fault, struck),
        holds=process_of,
    )


KINDS: Final = (
    FaultKind(name="crash", lasts=DOWN_SECONDS, choose=any_instance, strike=_kill, holds=process_of),
    _around_commit("crash-before-commit", CommitFault.BEFORE),
    _around_commit("crash-after-commit", CommitFault.AFTER),
    _around_commit("torn-commit", CommitFault.TORN),
)
