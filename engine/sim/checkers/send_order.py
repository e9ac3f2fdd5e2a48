"""`SendPriorities`: what one turn sends leaves by priority, and nobody is passed for ever (protocol.md 11)."""

from __future__ import annotations

from collections import Counter as Count

from engine.core.vocabulary.limits import PRIORITY_LEVEL_DEFAULT, STARVATION_ELEVATION_EVERY
from engine.sim.checkers.checker import Checker
from engine.sim.history import Arrived, Committed, Died, Entry, Transmitted
from engine.sim.ledger import Ledger
from engine.sim.scenario import Scenario


class SendPriorities(Checker):
    """Judges messages that one instance hands over in one moment without anything else in between: one outcome."""

    name = "send-priorities"
    watches = (Arrived, Committed, Died, Transmitted)

    def __init__(self, scenario: Scenario, ledger: Ledger) -> None:
        super().__init__(scenario, ledger)
        self._sent: list[Transmitted] = []

    def observe(self, entry: Entry) -> None:
        """Gather what leaves together."""
        if not isinstance(entry, Transmitted):
            self._judge()
            return
        if self._sent and (self._sent[-1].at, self._sent[-1].instance) != (entry.at, entry.instance):
            self._judge()
        self._sent.append(entry)

    def finish(self, at: float) -> None:
        """Judge what left last."""
        self._judge()

    def _level(self, entry: Transmitted) -> int:
        """The level of the endpoint where HONOR_BROKER_PRIORITY is ON; else, and of what is only passed on, 5."""
        message = entry.message.message
        owners = self.ledger.senders(entry.instance, message.source.broker_instance)
        is_honoured = any(database.is_priority_honoured for database in owners)
        return message.priority if is_honoured else PRIORITY_LEVEL_DEFAULT

    def _judge(self) -> None:
        sent, self._sent = self._sent, []
        if len(sent) < 2:
            return
        levels = [self._level(entry) for entry in sent]
        waiting = Count(levels)
        passed = 0
        for entry, level in zip(sent, levels, strict=True):
            best = max(waiting)
            if level != best and passed < STARVATION_ELEVATION_EVERY:
                text = f"a message of priority {level} left before one of {best}, past which {passed} had gone"
                self.find(entry.at, entry.instance, text)
            passed = passed + 1 if level == best and len(waiting) > 1 else 0
            if passed > STARVATION_ELEVATION_EVERY:
                text = f"{passed} messages of priority {best} in a row went past one of {min(waiting)}"
                self.find(entry.at, entry.instance, text)
            waiting[level] -= 1
            if not waiting[level]:
                del waiting[level]
