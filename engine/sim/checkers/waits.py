"""`Waits`: a WAITFOR ends with the commit that brings a message, or empty after its TIMEOUT, and is answered once."""

from __future__ import annotations

from typing import Final

from engine.core.exchange.changes import PutCommandReply
from engine.core.exchange.replies import MessagesReceived
from engine.core.vocabulary.identifiers import CommandId
from engine.core.vocabulary.rows import QueueRowStatus
from engine.sim.checkers.checker import Checker
from engine.sim.history import Committed, Died, Entry, RepliedLate, WaitBegun
from engine.sim.ledger import Ledger
from engine.sim.scenario import Scenario

LATE_SECONDS_MAX: Final = 5.0
"""What a timer may be late by: turns of a slow disk, and what stands before it in the inbox."""
ROUNDING_SECONDS: Final = 0.001


class Waits(Checker):
    """Waits die with their process; whoever waited gives the command again.

    A refusal may end a wait at any time: the queue was switched off. Queues have one reader each, so that nothing in
    the queue of one who waits is locked by somebody else.
    """

    name = "waits"
    watches = (Committed, Died, WaitBegun, RepliedLate)

    def __init__(self, scenario: Scenario, ledger: Ledger) -> None:
        super().__init__(scenario, ledger)
        self._drift = scenario.faults.get("clock-drift", 0.0)
        self._open: dict[CommandId, WaitBegun] = {}

    def observe(self, entry: Entry) -> None:
        """Follow the waits of each process."""
        match entry:
            case Committed() if self._open:
                answered = {change.command_id for change in entry.changes if isinstance(change, PutCommandReply)}
                for command_id, wait in self._open.items():
                    if wait.instance == entry.instance and command_id not in answered:
                        self._check_in_vain(wait, entry.at)
            case Died():
                gone = [key for key, wait in self._open.items() if wait.instance == entry.instance]
                for key in gone:
                    del self._open[key]
            case WaitBegun():
                self._open[entry.command.command_id] = entry
            case RepliedLate():
                self._ended(entry)
            case _:
                pass

    def finish(self, at: float) -> None:
        """Whoever still waits must be allowed to."""
        for wait in self._open.values():
            self._check_late(wait, at)

    def _ended(self, entry: RepliedLate) -> None:
        wait = self._open.pop(entry.command_id, None)
        if wait is None:
            self.find(entry.at, entry.instance, "a WAITFOR was answered for which nobody waits, or a second time")
            return
        self._check_late(wait, entry.at)
        timeout = _timeout_of(wait)
        is_empty = isinstance(entry.reply, MessagesReceived) and not entry.reply.messages
        waited = entry.at - wait.at
        if is_empty and (timeout is None or waited < timeout * (1 - self._drift) - ROUNDING_SECONDS):
            self.find(entry.at, entry.instance, f"a WAITFOR ended without messages after {waited:.3f} s of {timeout} s")

    def _check_in_vain(self, wait: WaitBegun, at: float) -> None:
        """Nothing of what is on disk now may be there to be received."""
        place = self.ledger.place(wait.instance, wait.command.database)
        rows = self.ledger.queues[place].values() if place is not None else ()
        for queue, row in rows:
            if queue == wait.command.queue and row.status is QueueRowStatus.READY and not row.awaits_queue:
                text = f"a WAITFOR goes on though message {row.queuing_order} is ready in {queue}"
                self.find(at, wait.instance, text)
                return

    def _check_late(self, wait: WaitBegun, at: float) -> None:
        timeout = _timeout_of(wait)
        if timeout is not None and at - wait.at > timeout * (1 + self._drift) + LATE_SECONDS_MAX:
            self.find(at, wait.instance, f"a WAITFOR of {timeout} s has waited for {at - wait.at:.3f} s")


def _timeout_of(wait: WaitBegun) -> float | None:
    """Its TIMEOUT in seconds; None for one without end."""
    milliseconds = wait.command.waitfor_milliseconds
    return None if milliseconds is None or milliseconds < 0 else milliseconds / 1000
