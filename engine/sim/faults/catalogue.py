"""Every kind of fault that a scenario may name. A new family is a file with `KINDS` and one line here."""

from __future__ import annotations

from typing import Final

from engine.sim.faults import (
    administering,
    breaking,
    intruding,
    machines,
    moving,
    operators,
    paths,
    processes,
    restoring,
)
from engine.sim.faults.kind import FaultKind

KINDS: Final[dict[str, FaultKind]] = {
    kind.name: kind
    for family in (processes, machines, paths, operators, moving, restoring, breaking, administering, intruding)
    for kind in family.KINDS
}
"""By name: what strikes so many times a minute, somewhere in the world."""

RATES: Final = ("loss", "duplication", "reordering", "corruption", "tampering", "redelivery", "clock-drift")
"""What goes on all the time; the number is the highest share from 0 to 1 that a seed may draw for it."""
