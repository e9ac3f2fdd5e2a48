"""`Groups`: messages are in the group of their conversation, and a group is of one service (protocol.md 10)."""

from __future__ import annotations

from engine.core.exchange.changes import AppendQueue, PutEndpoint
from engine.core.vocabulary.identifiers import ConversationGroupId, ServiceName
from engine.sim.checkers.checker import Checker
from engine.sim.history import Committed, Entry
from engine.sim.ledger import Ledger
from engine.sim.scenario import Place, Scenario, Side


class Groups(Checker):
    """Looks at every endpoint that is put into a group, and at every message that comes."""

    name = "groups"
    watches = (Committed,)

    def __init__(self, scenario: Scenario, ledger: Ledger) -> None:
        super().__init__(scenario, ledger)
        self._group_of: dict[Side, ConversationGroupId] = {}
        self._services: dict[tuple[Place, ConversationGroupId], ServiceName] = {}

    def observe(self, entry: Entry) -> None:
        """Compare both with what is on disk after the commit."""
        if not isinstance(entry, Committed):
            return
        moved: set[Side] = set()
        for place, change in self.ledger.latest:
            if isinstance(change, PutEndpoint):
                row = change.endpoint
                side = (*place, row.conversation_handle)
                if self._group_of.get(side) != row.conversation_group_id:
                    self._group_of[side] = row.conversation_group_id
                    moved.add(side)
                    self._check_service(entry, place, row.conversation_group_id, row.service)
            elif isinstance(change, AppendQueue):
                self._check(entry, (*place, change.row.conversation_handle), change.row.conversation_group_id)
        for place in {side[:2] for side in moved}:
            for _, message in self.ledger.queues[place].values():
                side = (*place, message.conversation_handle)
                if side in moved:
                    self._check(entry, side, message.conversation_group_id)

    def _check(self, entry: Committed, side: Side, group: ConversationGroupId) -> None:
        endpoint = self.ledger.endpoints.get(side)
        rows = self.ledger.queues[side[:2]].values()
        if endpoint is None or group == endpoint.conversation_group_id:
            return
        stray = sum(
            row.conversation_handle == side[2] and row.conversation_group_id != endpoint.conversation_group_id
            for _, row in rows
        )
        # What came and was moved within one commit is in its group by now.
        if stray:
            self.find(entry.at, side[0], f"{stray} messages of {side[2]} are not in its conversation group")

    def _check_service(self, entry: Committed, place: Place, group: ConversationGroupId, service: ServiceName) -> None:
        first = self._services.setdefault((place, group), service)
        if first != service:
            self.find(entry.at, place[0], f"conversations of {first} and {service} are in one group")
