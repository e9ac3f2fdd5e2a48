"""`Hops`: a forwarder passes on what arrived, one hop poorer and not younger (protocol.md 7.4)."""

from __future__ import annotations

from collections import defaultdict

from engine.core.vocabulary.identifiers import ConversationId, InstanceName
from engine.core.vocabulary.limits import HOPS_MAX
from engine.core.vocabulary.messages import DialogMessage, MessageKind
from engine.sim.checkers.checker import Checker
from engine.sim.history import Arrived, Entry, Transmitted
from engine.sim.ledger import Ledger
from engine.sim.scenario import Scenario

_Key = tuple[InstanceName, ConversationId, bool, MessageKind, int | None]


class Hops(Checker):
    """What an instance sends for others it must have got, with one hop more."""

    name = "hops"
    watches = (Arrived, Transmitted)

    def __init__(self, scenario: Scenario, ledger: Ledger) -> None:
        super().__init__(scenario, ledger)
        self._arrived: defaultdict[_Key, dict[int, float]] = defaultdict(dict)
        """For each number of hops left the least time that such a message had consumed when it came."""

    def observe(self, entry: Entry) -> None:
        """Compare what leaves with what came."""
        if isinstance(entry, Arrived):
            transit = entry.message
            seen = self._arrived[_key(entry.instance, transit.message)]
            least = seen.get(transit.hops_remaining, transit.time_consumed)
            seen[transit.hops_remaining] = min(least, transit.time_consumed)
        elif isinstance(entry, Transmitted):
            self._transmitted(entry)

    def _transmitted(self, entry: Transmitted) -> None:
        transit = entry.message
        hops = transit.hops_remaining
        if not 0 <= hops <= HOPS_MAX:
            self.find(entry.at, entry.instance, f"a message left with {hops} hops")
        if transit.time_consumed > transit.time_to_live:
            self.find(entry.at, entry.instance, f"a message left after {transit.time_consumed} s on its way")
        if self._is_own(entry):
            return
        before = self._arrived[_key(entry.instance, transit.message)]
        if not before:
            self.find(entry.at, entry.instance, "a message was passed on that never came")
        elif hops + 1 not in before:
            self.find(entry.at, entry.instance, f"a message was passed on with {hops} hops, it came with {[*before]}")
        elif transit.time_consumed < before[hops + 1]:
            self.find(entry.at, entry.instance, "a message became younger on its way")

    def _is_own(self, entry: Transmitted) -> bool:
        return bool(self.ledger.senders(entry.instance, entry.message.message.source.broker_instance))


def _key(instance: InstanceName, message: DialogMessage) -> _Key:
    return (instance, message.conversation_id, message.from_initiator, message.kind, message.sequence)
