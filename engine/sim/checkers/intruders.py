"""Intruders: who is not one of the hosts' is let in by nobody, and what others say in the name of a peer is told."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import ClassVar

from engine.core.exchange.events import MessageCorrupted, MessageUndeliverable
from engine.core.vocabulary.identifiers import ConversationId, InstanceName
from engine.core.vocabulary.messages import DialogMessage
from engine.sim.checkers.checker import Checker
from engine.sim.history import Arrived, Committed, Died, Entry, Kinds, LetIn
from engine.sim.intruder import FORGED_LIVES
from engine.sim.ledger import Ledger
from engine.sim.scenario import Scenario


class Intruders(Checker):
    """What becomes of conversations is for the other checkers to say; here it is judged that nothing passes unnoticed.

    A forged message that has arrived at an end which exists is discarded with an event in the next commit.
    """

    name: ClassVar[str] = "intruders"
    watches: ClassVar[Kinds] = (LetIn, Arrived, Committed, Died)

    def __init__(self, scenario: Scenario, ledger: Ledger) -> None:
        super().__init__(scenario, ledger)
        self._unheard: defaultdict[InstanceName, Counter[ConversationId]] = defaultdict(Counter)
        """Forged messages that have arrived, and of which no commit has told yet."""

    def observe(self, entry: Entry) -> None:
        """Look at one entry."""
        match entry:
            case LetIn(has_key=False):
                self.find(entry.at, entry.instance, f"{entry.machine} was let in without the key of the hosts")
            case Arrived() if entry.message.time_to_live == FORGED_LIVES:
                self._has_arrived(entry.instance, entry.message.message)
            case Died():
                self._unheard.pop(entry.instance, None)
            case Committed():
                self._committed(entry)
            case _:
                pass

    def _has_arrived(self, instance: InstanceName, message: DialogMessage) -> None:
        sides = self.ledger.sides[message.conversation_id, not message.from_initiator]
        if any(side[0] == instance and side in self.ledger.endpoints for side in sides):
            self._unheard[instance][message.conversation_id] += 1

    def _committed(self, entry: Committed) -> None:
        waiting = self._unheard.pop(entry.instance, None)
        if waiting is None:
            return
        for event in entry.events:
            if isinstance(event, (MessageUndeliverable, MessageCorrupted)):
                waiting[event.conversation_id] -= 1
        for conversation, count in waiting.items():
            if count > 0:
                self.find(entry.at, entry.instance, f"{count} forged messages of {conversation} passed without a word")
