"""`Fault` and `FaultKind`: one thing that goes wrong, and what every kind of it has to tell.

A family of kinds is one file: its kinds say whom they may strike, how they strike and how they are undone. The list in
`catalogue` names the families.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import msgspec

from engine.core.vocabulary.identifiers import DatabaseName, InstanceName
from engine.sim.asking import Clerk
from engine.sim.entropy import Dice
from engine.sim.history import Journal
from engine.sim.ledger import Ledger
from engine.sim.network import Network
from engine.sim.operating import Operator
from engine.sim.scenario import Place, Scenario
from engine.sim.server import Server
from engine.sim.site import Site

Undo = Callable[[], None]

INSTANT: Final = (0.001, 0.001)
"""Duration of a fault that leaves nothing to undo."""


class Subject(msgspec.Struct, frozen=True, kw_only=True):
    """Whom a fault strikes, and how hard."""

    instance: InstanceName
    other: InstanceName = InstanceName("")
    """The other end of a path, the other partner, or the instance to which a route goes astray."""
    database: DatabaseName = DatabaseName("")
    name: str = ""
    """Of the route or the queue."""
    amount: float = 0.0
    """What the kind makes of it: seconds of a clock's step, a share, a factor."""


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that goes wrong, and for how long. Times in true seconds."""

    at: float
    kind: str
    lasts: float
    subject: Subject


class Struck(msgspec.Struct, frozen=True, kw_only=True):
    """What a fault may lay its hands on."""

    scenario: Scenario
    servers: Mapping[InstanceName, Server]
    sites: Mapping[Place, Site]
    ledger: Ledger
    """What operators find in the views: the conversations of each database."""
    clerk: Clerk
    operators: Mapping[InstanceName, Operator]
    network: Network
    journal: Journal


class FaultKind(msgspec.Struct, frozen=True, kw_only=True):
    """A kind of fault. The number that a scenario gives for it is how often it strikes in a minute, somewhere."""

    name: str
    lasts: tuple[float, float]
    """True seconds, each order of magnitude equally likely. For crashes: until the restart."""
    choose: Callable[[Scenario, Dice], Subject | None]
    """Whom it strikes next; None when the scenario has nobody whom it could."""
    strike: Callable[[Fault, Struck], Undo | None]
    """Do it; answers how it is undone, None when it cannot be done now."""
    holds: Callable[[Subject], tuple[str, ...]]
    """What it has hold of while it lasts; a second fault leaves that alone."""


def any_instance(scenario: Scenario, dice: Dice) -> Subject:
    """Some instance."""
    return Subject(instance=dice.choose(scenario.instances).name)


def process_of(subject: Subject) -> tuple[str, ...]:
    """A fault that takes the process of its instance."""
    return ("process", subject.instance)


def nothing_to_undo() -> None:
    """What is done is done."""
