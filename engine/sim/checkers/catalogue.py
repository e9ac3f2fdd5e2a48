"""Every checker that judges a run. A new one is a file and one line here."""

from __future__ import annotations

from typing import Final

from engine.sim.checkers.bounds import Bounds
from engine.sim.checkers.checker import Checker
from engine.sim.checkers.cleanups import Cleanups
from engine.sim.checkers.conservation import Conservation
from engine.sim.checkers.dialogs import ExactlyOnceInOrder
from engine.sim.checkers.durability import Durability
from engine.sim.checkers.endings import Endings
from engine.sim.checkers.groups import Groups
from engine.sim.checkers.hops import Hops
from engine.sim.checkers.identity import Identity
from engine.sim.checkers.intruders import Intruders
from engine.sim.checkers.mirrors import MirrorRule
from engine.sim.checkers.outcome import Amplification, Convergence, Health
from engine.sim.checkers.pinning import Pinning
from engine.sim.checkers.poison import Poison
from engine.sim.checkers.priorities import Priorities
from engine.sim.checkers.replies import Replies
from engine.sim.checkers.rollbacks import Rollbacks
from engine.sim.checkers.secrecy import Secrecy
from engine.sim.checkers.send_order import SendPriorities
from engine.sim.checkers.timers import Timers
from engine.sim.checkers.waits import Waits
from engine.sim.ledger import Ledger
from engine.sim.scenario import Scenario

CHECKERS: Final[tuple[type[Checker], ...]] = (
    ExactlyOnceInOrder,
    Conservation,
    Durability,
    Pinning,
    Hops,
    MirrorRule,
    Bounds,
    Amplification,
    Convergence,
    Health,
    Replies,
    Rollbacks,
    Poison,
    Identity,
    Priorities,
    SendPriorities,
    Secrecy,
    Waits,
    Endings,
    Cleanups,
    Timers,
    Groups,
    Intruders,
)


def make_checkers(scenario: Scenario, ledger: Ledger) -> list[Checker]:
    """One of each, for one run; the ledger must be told of each entry before them."""
    return [checker(scenario, ledger) for checker in CHECKERS]
