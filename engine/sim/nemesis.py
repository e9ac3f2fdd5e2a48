"""`Nemesis`: lets the faults of a plan strike, mends each in its time, and heals everything at the end."""

from __future__ import annotations

from engine.sim.asking import Clerk
from engine.sim.faults.catalogue import KINDS
from engine.sim.faults.kind import Fault, Struck, Undo
from engine.sim.faults.plan import FaultPlan
from engine.sim.history import Happened, Journal


class Nemesis:
    """Carries out one plan."""

    def __init__(self, plan: FaultPlan, struck: Struck, clerk: Clerk, journal: Journal) -> None:
        self._plan = plan
        self._struck = struck
        self._clerk = clerk
        self._journal = journal
        self._agenda = struck.network.agenda
        self._taken: set[tuple[str, ...]] = set()
        """What a fault has hold of; a second fault leaves it alone."""
        self._mending: list[Undo] = []

    def begin(self) -> None:
        """Plan every fault."""
        self._clerk.redelivery = self._plan.rate("redelivery")
        for fault in self._plan.faults:
            self._agenda.at(fault.at, lambda fault=fault: self._strike(fault))  # type: ignore[misc]

    def heal(self) -> None:
        """Everything that is still wrong is put right, now."""
        self._clerk.redelivery = 0.0
        mending, self._mending = self._mending, []
        for mend in mending:
            mend()
        self._struck.network.calm_down()
        for server in self._struck.servers.values():
            server.store.next_fault = None
            server.start()

    def _strike(self, fault: Fault) -> None:
        kind = KINDS[fault.kind]
        held = kind.holds(fault.subject)
        if held in self._taken:
            return
        undo = kind.strike(fault, self._struck)
        if undo is None:
            return
        self._taken.add(held)
        self._tell(fault, "strikes", is_strike=True)
        is_over = False

        def mend() -> None:
            nonlocal is_over
            if is_over:
                return
            is_over = True
            self._taken.discard(held)
            undo()
            self._tell(fault, "is over", is_strike=False)

        self._mending.append(mend)
        self._agenda.after(fault.lasts, mend)

    def _tell(self, fault: Fault, what: str, *, is_strike: bool) -> None:
        subject = fault.subject
        at = ", ".join(text for text in (subject.other, subject.database, subject.name) if text)
        text = f"{fault.kind} {what}" + (f" ({at})" if at else "")
        self._journal.record(
            Happened(at=self._agenda.seconds, instance=subject.instance, text=text, is_strike=is_strike)
        )
