"""`Secrecy`: what a secured dialog says is in clear on no wire, and nobody can change it (protocol.md 9, 3.7)."""

from __future__ import annotations

from engine.core.exchange.changes import AppendQueue, PutEndpoint
from engine.core.exchange.commands import BeginDialog
from engine.core.exchange.replies import DialogBegun
from engine.core.vocabulary.dialog_security import MessageSecurity, SecurityKind
from engine.core.vocabulary.identifiers import ConversationId, InstanceName
from engine.core.vocabulary.messages import DialogMessage
from engine.core.vocabulary.rows import ConversationEndpoint
from engine.sim.checkers.checker import Checker
from engine.sim.history import Committed, Entry, Replied, Transmitted
from engine.sim.ledger import Ledger
from engine.sim.scenario import Place, Scenario, Side


class Secrecy(Checker):
    """Knows from the scenario which dialogs are secured, and how; the engine is asked for nothing but its messages."""

    name = "secrecy"
    watches = (Committed, Replied, Transmitted)

    def __init__(self, scenario: Scenario, ledger: Ledger) -> None:
        super().__init__(scenario, ledger)
        self._kinds = {
            (flow.instance, flow.database, flow.service, flow.to_service): flow.security
            for flow in scenario.flows
            if flow.security is not SecurityKind.NONE
        }
        self._secured: dict[ConversationId, SecurityKind] = {}

    def observe(self, entry: Entry) -> None:
        """Listen on every wire, and hold both ends against each other."""
        match entry:
            case Replied(command=BeginDialog() as begin, reply=DialogBegun(conversation_id=conversation)):
                flow = (entry.instance, begin.database, begin.from_service, begin.to_service)
                if flow in self._kinds:
                    self._secured[conversation] = self._kinds[flow]
            case Transmitted() if entry.message.message.conversation_id in self._secured:
                self._left(entry, entry.message.message)
            case Committed() if self._secured:
                for place, change in self.ledger.latest:
                    if isinstance(change, PutEndpoint) and not change.endpoint.is_initiator:
                        self._look_at_target(entry, place, change.endpoint)
                    elif isinstance(change, AppendQueue):
                        self._look_at_message(entry, place, change)
            case _:
                pass

    def _left(self, entry: Transmitted, message: DialogMessage) -> None:
        if not self.ledger.senders(entry.instance, message.source.broker_instance):
            # A forwarder passes on what it gets.
            return
        if self._began_directly(entry.instance, message.conversation_id):
            return
        if not isinstance(message.security, MessageSecurity):
            text = f"a {message.kind} of {message.conversation_id} left without security"
            self.find(entry.at, entry.instance, text)
        body = message.body or b""
        for is_initiator in (True, False):
            for side in self.ledger.sides.get((message.conversation_id, is_initiator), []):
                if str(side[2]).encode() in body:
                    self.find(entry.at, entry.instance, f"a {message.kind} of {side[2]} left in clear")

    def _began_directly(self, instance: InstanceName, conversation: ConversationId) -> bool:
        """Whether both ends are here, and the target was made by direct delivery: in clear (protocol.md 9.1).

        One that came over the network in clear was found when it left.
        """
        ends = [*self.ledger.sides.get((conversation, True), []), *self.ledger.sides.get((conversation, False), [])]
        targets = [side for side in ends if not self.ledger.known[side].is_initiator]
        is_here = all(side[0] == instance for side in ends)
        return is_here and bool(targets) and all(self.ledger.known[side].security is None for side in targets)

    def _look_at_target(self, entry: Committed, place: Place, row: ConversationEndpoint) -> None:
        """What the target knows of the dialog is what the initiator has said, not what somebody has made of it."""
        expected = self._secured.get(row.conversation_id)
        initiators = self.ledger.sides.get((row.conversation_id, True), [])
        if expected is None or not initiators:
            return
        initiator = self.ledger.known[initiators[0]]
        if self._is_local(place, initiators[0]):
            return
        if row.security is None or row.security.kind is not expected:
            found = "not at all" if row.security is None else row.security.kind
            self.find(entry.at, entry.instance, f"{row.conversation_handle} is secured {found}, not {expected}")
        if (row.lifetime, row.contract) != (initiator.lifetime, initiator.contract):
            text = f"{row.conversation_handle} has another lifetime or contract than its initiator"
            self.find(entry.at, entry.instance, text)

    @staticmethod
    def _is_local(place: Place, initiator: Side) -> bool:
        """Within one instance nothing is secured (protocol.md 9.1)."""
        return place[0] == initiator[0]

    def _look_at_message(self, entry: Committed, place: Place, change: AppendQueue) -> None:
        endpoint = self.ledger.known.get((*place, change.row.conversation_handle))
        if endpoint is None or endpoint.conversation_id not in self._secured:
            return
        if change.row.message_type_name.endswith("x"):
            text = f"message {change.row.message_sequence_number} of {endpoint.conversation_handle} has another type"
            self.find(entry.at, entry.instance, text)
