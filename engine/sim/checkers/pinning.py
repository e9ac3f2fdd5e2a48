"""`Pinning`: from the first acknowledgement on a conversation talks to one database for good (protocol.md 8.6)."""

from __future__ import annotations

from engine.core.exchange.changes import PutEndpoint
from engine.core.vocabulary.identifiers import BrokerInstanceId, ConversationId, InstanceName
from engine.core.vocabulary.messages import DialogMessage, MessageKind
from engine.sim.checkers.checker import Checker
from engine.sim.history import Committed, Entry, Transmitted
from engine.sim.ledger import Ledger, Return
from engine.sim.scenario import Place, Scenario, Side


class Pinning(Checker):
    """The far id of an endpoint is written once, and every message from then on carries it."""

    name = "pinning"
    watches = (Committed, Transmitted)

    def __init__(self, scenario: Scenario, ledger: Ledger) -> None:
        super().__init__(scenario, ledger)
        self._pins: dict[Side, BrokerInstanceId] = {}
        self._fresh: dict[InstanceName, set[Side]] = {}
        """Pinned by the last commit: what that same turn sends may have been written before."""
        self._forgotten: dict[InstanceName, dict[Side, BrokerInstanceId]] = {}
        """What the last commit has taken back: what that same turn sends may have been written before."""
        self._by_conversation: dict[tuple[InstanceName, ConversationId, bool], Side] = {}

    def observe(self, entry: Entry) -> None:
        """Watch ids that are written, and ids that are sent."""
        match entry:
            case Committed():
                self._fresh[entry.instance] = set()
                self._forgotten[entry.instance] = {}
                for returned in self.ledger.returns:
                    self._go_back(entry.instance, returned)
                for place, change in self.ledger.latest:
                    if isinstance(change, PutEndpoint):
                        self._written(entry, place, change)
            case Transmitted():
                self._sent(entry, entry.message.message)
            case _:
                pass

    def _go_back(self, instance: InstanceName, returned: Return) -> None:
        """A database that comes back has the pins that it had when the backup was taken, and no others."""
        if returned.is_rewound:
            lost = {side: pin for side, pin in self._pins.items() if side[:2] == returned.place}
            self._forgotten[instance].update(lost)
            self._pins = {side: pin for side, pin in self._pins.items() if side[:2] != returned.place}
            for row in returned.backup.rows.endpoints:
                if row.far_broker_instance is not None:
                    self._pins[(*returned.place, row.conversation_handle)] = row.far_broker_instance

    def _written(self, entry: Committed, place: Place, change: PutEndpoint) -> None:
        row = change.endpoint
        side = (*place, row.conversation_handle)
        self._by_conversation[entry.instance, row.conversation_id, row.is_initiator] = side
        pin = self._pins.get(side)
        if pin is not None and row.far_broker_instance != pin:
            self.find(
                entry.at, entry.instance, f"{side[2]} was pinned to {pin} and now is to {row.far_broker_instance}"
            )
        if row.far_broker_instance is not None:
            if pin is None:
                self._fresh[entry.instance].add(side)
            self._pins[side] = row.far_broker_instance
        elif not row.is_initiator:
            self.find(entry.at, entry.instance, f"{side[2]} is a target that does not know its initiator's database")

    def _sent(self, entry: Transmitted, message: DialogMessage) -> None:
        side = self._by_conversation.get((entry.instance, message.conversation_id, message.from_initiator))
        if side is None or not message.is_sequenced or message.source.broker_instance is None:
            return
        if self.ledger.broker_instance(side[:2]) != message.source.broker_instance:
            return
        pin, target = self._pins.get(side), message.target.broker_instance
        is_too_early = target is None and side in self._fresh[entry.instance]
        if pin is not None and target != pin and not is_too_early:
            self.find(entry.at, entry.instance, f"{side[2]} is pinned to {pin} and has addressed {target}")
        is_from_before = target is not None and target == self._forgotten[entry.instance].get(side)
        if pin is None and message.first_acknowledged and not is_from_before:
            self.find(entry.at, entry.instance, f"{side[2]} was acknowledged and is pinned to nobody")

    def finish(self, at: float) -> None:
        """An initiator whose messages were acknowledged knows by whom."""
        for side, row in self.ledger.endpoints.items():
            waits = self.ledger.transmission.get(side, {})
            # END WITH ERROR deletes message 0 with the others: then the Error waits for whoever acknowledges first.
            has_failed = any(waiting.kind is MessageKind.ERROR for waiting in waits.values())
            if not row.is_initiator or row.far_broker_instance is not None or has_failed:
                continue
            if row.send_sequence > 0 and 0 not in waits:
                self.find(at, side[0], f"message 0 of {side[2]} is acknowledged, and it is pinned to nobody")
