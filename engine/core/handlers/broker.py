"""`Broker`: the living state of one instance, and the record of what the current input does to it.

Handlers change the state through the verbs below, and each verb notes what must be stored, sent and told. An
endpoint touched ten times by one input is stored once. Not responsible for any rule: those are the handlers'.
"""

from __future__ import annotations

from collections.abc import Iterable
from operator import attrgetter
from typing import Final, Protocol, cast

from engine.core.catalog.instance import InstanceCatalog
from engine.core.dialog import way_taken
from engine.core.dialog.departed import Departed, DepartedSessions
from engine.core.dialog.endpoint import NOTHING_IN_THE_WAY, DialogEndpoint, Speaker, TransmissionStatus
from engine.core.dialog.key_exchange import KeyExchange
from engine.core.dialog.pending import IN_CLEAR
from engine.core.dialog.reassembly import Reassembly
from engine.core.dialog.session import ArrivedSession
from engine.core.dialog.waiting_room import WaitingRoom
from engine.core.exchange.changes import (
    AppendTransmission,
    DropDepartedSession,
    DropEndpoint,
    PutDepartedSession,
    SetQueueRowGroup,
    TrimTransmission,
)
from engine.core.exchange.events import TransmissionStatusChanged
from engine.core.exchange.neighbours import Neighbour
from engine.core.exchange.outcome import Outcome
from engine.core.handlers.agenda import Agenda
from engine.core.handlers.conversation_table import ConversationTable
from engine.core.handlers.freezing import EndpointFreezer, next_deadline
from engine.core.handlers.link_keeping import LinkKeeper
from engine.core.mirroring.book import MirrorBook, pair_of
from engine.core.mirroring.claims import RoleBook
from engine.core.queues.transactions import TransactionBook
from engine.core.routing.classifier import MessageClassifier
from engine.core.routing.draws import Draws
from engine.core.routing.explanation import LIVE_LISTED_MAX
from engine.core.routing.shared_decisions import SharedDecisions
from engine.core.routing.ways_in import WaysIn
from engine.core.routing.ways_out import WaysOut
from engine.core.transmission.way import Way
from engine.core.transmission.work_table import WorkEntry, WorkRow, WorkTable
from engine.core.vocabulary.dialog_security import DialogSecurity, SecurityKind
from engine.core.vocabulary.entropy import Entropy
from engine.core.vocabulary.errors import Parameter, status_text
from engine.core.vocabulary.identifiers import (
    ConversationGroupId,
    ConversationId,
    DatabaseName,
    ServiceName,
)
from engine.core.vocabulary.keys import KeyVault
from engine.core.vocabulary.message_memory import MessageMemory, MessageSource
from engine.core.vocabulary.messages import DialogMessage, DialogTarget
from engine.core.vocabulary.moment import Instant
from engine.core.vocabulary.rows import ConversationEndpoint, DepartedSession, TransmissionRow
from engine.core.vocabulary.settings import EngineSettings
from engine.core.vocabulary.subclasses import ConversationHappening

FAR_SIDE_ENDED, ERROR_ARRIVED = 9779, 9784
WHY_FROZEN = frozenset({FAR_SIDE_ENDED, ERROR_ARRIVED})
"""Why pending messages will not be sent any more (protocol.md 8.2, rows 10 and 11)."""


class AcceptMessage(Protocol):
    """Takes a message into a database of this instance; see `inbound.accept`."""

    def __call__(self, broker: Broker, database: DatabaseName, message: DialogMessage, *, is_local: bool) -> int | None:
        """None when it was taken, else the number of the reason."""
        ...


class Broker(LinkKeeper):
    """Catalog, conversations, queues, links and agenda of one instance, and the outcome being collected."""

    def __init__(
        self,
        catalog: InstanceCatalog,
        settings: EngineSettings,
        entropy: Entropy,
        accept: AcceptMessage,
        work_table: WorkTable,
        vault: KeyVault | None = None,
        messages: MessageSource | None = None,
        draws: Draws | None = None,
    ) -> None:
        super().__init__(catalog, MessageMemory(messages, settings.waiting_bytes_kept), settings)
        self.crowded: Final[dict[DialogEndpoint, None]] = {}
        """Endpoints that may have stored messages while memory was full."""
        self.accept = accept
        """How a message from this very instance is taken in; a parameter because sending and receiving meet here."""
        self.settings = settings
        self.entropy = entropy
        while_pending = settings.dynamic_routing_while_pending
        self.classifier = MessageClassifier(catalog, while_pending, draws, listed_max=LIVE_LISTED_MAX)
        self.ways_in = WaysIn(self.classifier)
        self.ways_out = WaysOut(self.classifier)
        self.decisions = SharedDecisions()
        self.missing_routes: dict[tuple[DatabaseName, ServiceName], DialogTarget] = {}
        """Routes to ask for before the current input is done with; see `dynamic_routing`."""
        self.asks_again_at: dict[tuple[DatabaseName, ServiceName], Instant] = {}
        """Until when an answer that did not help keeps the next request back."""
        self.vault = vault
        """Opens and uses keys; without one no dialog can be secured (28054)."""
        self.key_exchange = KeyExchange(settings.dialog.key_exchange_key_seconds)
        self.arrival: ArrivedSession | None = None
        """The key of the secured message that is being taken in."""
        self.speaker: Speaker | None = None
        """Who has handed over the messages that are being taken in; None where there is no network."""
        self.speakers: dict[Neighbour, Speaker] = {}
        self.departed = DepartedSessions()
        self.missing_bindings: dict[tuple[DatabaseName, ServiceName], DialogTarget] = {}
        """Remote service bindings to ask for, as `missing_routes`."""
        self.pending_bindings: set[tuple[DatabaseName, ServiceName]] = set()
        """Services for whose binding a request is under way."""
        self._freezer = EndpointFreezer()
        self.conversations = ConversationTable(work_table, self, settings.transmission_objects)
        self.transactions = TransactionBook()
        self.mirrors = MirrorBook(settings.link)
        self.roles = RoleBook()
        self.waiting_room = WaitingRoom()
        self.reassembly = Reassembly(settings.dialog.reassembly_bytes_max)
        self.agenda = Agenda(self.conversations)
        self.sweep_at: Instant | None = None
        self.noticed: dict[DialogEndpoint, None] = {}
        self.opened: dict[Way, None] = {}
        """Ways that have room again for those that were turned away."""

    @property
    def wants_attention(self) -> bool:
        """Whether the broker itself has something to do: mail to read, routes to ask for, readers to start."""
        return bool(self.own_mail or self.missing_routes or self.missing_bindings or self.activity.stirred)

    def notice(self, endpoint: DialogEndpoint) -> None:
        """Look at an endpoint when the inputs at hand are done: there may be something to send."""
        self.noticed[endpoint] = None

    # ── conversations ────────────────────────────────────────────────────────────────────────────────────────────
    def endpoint(self, database: DatabaseName, row: ConversationEndpoint) -> DialogEndpoint:
        """An endpoint for a row; not yet part of the broker."""
        broker_instance = self.catalog.databases[database].broker_instance
        return DialogEndpoint(
            database, broker_instance, row, self.settings.dialog, self.entropy, self.reassembly, self.memory
        )

    def freeze(self, endpoint: DialogEndpoint) -> WorkEntry:
        """An idle endpoint as a row of the work table. While its database is out of reach it waits for nothing."""
        self.leave_links(endpoint)
        self.rest_counted(endpoint)
        endpoint.is_known = False
        # Without the circle its memory is given back at once, not by the garbage collector at some time.
        endpoint.sender.bodies = IN_CLEAR
        wake_at = None if self.is_out_of_reach(endpoint) else next_deadline(endpoint.row, self.settings.dialog)
        return self._freezer.freeze(endpoint, wake_at)

    def thaw(self, row: WorkRow) -> DialogEndpoint:
        """The endpoint of a row of the work table."""
        frozen = self._freezer.thaw(row)
        endpoint = self.endpoint(row.database, frozen.row)
        endpoint.serial = row.serial
        endpoint.announced = frozen.announced
        endpoint.first_acknowledged = frozen.first_acknowledged
        endpoint.send_priority = frozen.send_priority
        endpoint.binding_was_asked = frozen.binding_was_asked
        return endpoint

    def came_back(self, endpoint: DialogEndpoint) -> None:
        """An endpoint is in memory again, and its deadline on the agenda."""
        endpoint.is_known = True
        self.conversation_tally.came_back(endpoint)
        if not self.is_out_of_reach(endpoint):
            due_at = next_deadline(endpoint.row, self.settings.dialog)
            self.schedule(endpoint, self.now.monotonic_at(due_at) if due_at is not None else None)

    def add(self, endpoint: DialogEndpoint) -> None:
        """Take an endpoint into memory."""
        endpoint.is_known = True
        self.conversations.add(endpoint)
        self.conversation_tally.enter(endpoint)
        if endpoint.row.asks_for is not None:
            self.classifier.pending.add((endpoint.database, endpoint.row.asks_for))
        if endpoint.row.asks_for_binding is not None:
            self.pending_bindings.add((endpoint.database, endpoint.row.asks_for_binding))

    def regroup(self, endpoint: DialogEndpoint, group: ConversationGroupId) -> None:
        """Move a conversation, with its messages in the queue, to another group."""
        left = endpoint.row.conversation_group_id
        self.conversations.regroup(endpoint, group)
        self.conversations_changed(endpoint.database)
        self.touch(endpoint)
        self.stir(endpoint)
        self._tell_if_empty(endpoint.database, left)
        name, queue = self.queue_of(endpoint)
        if orders := tuple(queue.regroup(endpoint.row.conversation_handle, group)):
            self.change(
                SetQueueRowGroup(
                    database=endpoint.database, queue=name, queuing_orders=orders, conversation_group_id=group
                )
            )

    def knows(self, endpoint: DialogEndpoint) -> bool:
        """Whether an endpoint still exists."""
        return endpoint.is_known

    def endpoint_in(
        self, database: DatabaseName, conversation_id: ConversationId, *, is_initiator: bool
    ) -> DialogEndpoint | None:
        """One side of a conversation in one database."""
        return self.conversations.side_in(database, conversation_id, is_initiator)

    def elsewhere(self, conversation_id: ConversationId, *, is_initiator: bool) -> DialogEndpoint | None:
        """One side of a conversation in any database, one within reach before one that is not."""
        others = self.conversations.databases_of(conversation_id, is_initiator)
        if not others:
            return None
        nearest = min(others, key=self.unavailable.__contains__)
        return self.endpoint_in(nearest, conversation_id, is_initiator=is_initiator)

    def is_out_of_reach(self, endpoint: DialogEndpoint) -> bool:
        """Whether nothing moves in its database: the broker is off, or the state forbids it (identity.md 2)."""
        return endpoint.database in self.unavailable

    def touch(self, endpoint: DialogEndpoint) -> None:
        """The durable row of an endpoint changed."""
        self.touched[endpoint] = None

    def announce(
        self, endpoint: DialogEndpoint, happening: ConversationHappening, *, begins_group: bool = False
    ) -> None:
        """Tell that an endpoint was made, and its group, if it is the first one of it; `begins_group` says it is."""
        group = endpoint.row.conversation_group_id
        if begins_group or self.conversations.is_alone(endpoint):
            self.announce_group(endpoint.database, group, is_created=True)
        self.announce_state(endpoint, happening)

    def _tell_if_empty(self, database: DatabaseName, group: ConversationGroupId) -> None:
        """A group is gone with its last conversation (protocol.md 10)."""
        if not self.conversations.has_group(database, group):
            self.announce_group(database, group, is_created=False)

    def forget(
        self, endpoint: DialogEndpoint, happening: ConversationHappening = ConversationHappening.TERMINATE_DIALOG
    ) -> None:
        """Drop an endpoint with its transmission rows and its messages in the queue."""
        key = (endpoint.database, endpoint.row.conversation_handle)
        if not self.conversations.remove(endpoint):
            return
        self.conversation_tally.leave(endpoint)
        if endpoint.row.asks_for is not None:
            self.classifier.pending.discard((endpoint.database, endpoint.row.asks_for))
        if endpoint.row.asks_for_binding is not None:
            self.pending_bindings.discard((endpoint.database, endpoint.row.asks_for_binding))
        if endpoint.row.security is not None:
            self._keep_keys(endpoint, endpoint.row.security)
        self.leave_links(endpoint)
        self.clear_transmission(endpoint)
        self.clear_queue_of(endpoint)
        endpoint.receiver.forget_held()
        self.touched.pop(endpoint, None)
        endpoint.is_known = False
        self.conversations_changed(endpoint.database)
        self.change(DropEndpoint(database=key[0], conversation_handle=key[1]))
        self.announce_state(endpoint, happening, gone=True)
        self._tell_if_empty(endpoint.database, endpoint.row.conversation_group_id)

    def _keep_keys(self, endpoint: DialogEndpoint, security: DialogSecurity) -> None:
        """What comes late for a secured conversation that is gone is still to be read and answered."""
        if security.kind is SecurityKind.NONE:
            return
        keys = DialogSecurity(kind=security.kind, outbound=security.outbound, inbound=security.inbound)
        row = DepartedSession(
            conversation_id=endpoint.row.conversation_id, is_initiator=endpoint.row.is_initiator, security=keys
        )
        self.departed.keep(endpoint.database, Departed(row, endpoint.session))
        self.change(PutDepartedSession(database=endpoint.database, session=row))
        while oldest := self.departed.drop_oldest():
            database, gone = oldest
            self.change(
                DropDepartedSession(
                    database=database, conversation_id=gone.conversation_id, is_initiator=gone.is_initiator
                )
            )

    def leave_links(self, endpoint: DialogEndpoint) -> None:
        """The endpoint waits for no connection any more."""
        decision = endpoint.decision
        if decision is None or decision.address is None:
            return
        key = (endpoint.database, endpoint.row.conversation_handle)
        if (pair := pair_of(decision.route)) is not None:
            self.mirrors.leave(pair, key, self.now.monotonic)
        else:
            self.links[decision.address].conversations.pop(key, None)

    def ask_for_route(self, database: DatabaseName, target: DialogTarget) -> None:
        """Match step 4 has ended a search."""
        if (database, target.service_name) not in self.classifier.pending:
            self.missing_routes[database, target.service_name] = target

    # ── transmission queue ───────────────────────────────────────────────────────────────────────────────────────
    def store_transmission(self, endpoint: DialogEndpoint, row: TransmissionRow) -> None:
        """Keep a message until it is acknowledged."""
        endpoint.has_stored_rows = True
        self.shifted[endpoint] = None
        self.counters.transmission_stored += 1
        self.change(AppendTransmission(database=endpoint.database, row=row))

    def outcome(self) -> Outcome:
        """Everything since the last call, as one value; what is sent is counted.

        While memory is full, with a note of whose messages came.
        """
        if self.memory.bytes > self.memory.bytes_max:
            # Whoever stores a message has a new number, too.
            self.crowded.update(self.touched)
            self.note_arrivals()
        outcome = super().outcome()
        if outcome.sends:
            self.counters.were_sent(outcome.sends, self.now.utc)
        return outcome

    def make_room(self) -> None:
        """Nothing is under way to the store: what memory has no room for is left there."""
        for endpoint in self.crowded:
            endpoint.sender.leave_behind()
        self.crowded.clear()
        super().make_room()

    def with_something_to_send(self) -> list[DialogEndpoint]:
        """Endpoints whose messages are not all acknowledged, in the order of their making; all are in memory."""
        senders = cast("Iterable[DialogEndpoint]", self.memory.senders)
        return sorted(senders, key=attrgetter("serial"))

    def trim_transmission(self, endpoint: DialogEndpoint, through: int) -> None:
        """Delete stored messages up to `through`."""
        self.shifted[endpoint] = None
        if endpoint.has_stored_rows:
            handle = endpoint.row.conversation_handle
            self.change(TrimTransmission(database=endpoint.database, conversation_handle=handle, through=through))
            endpoint.has_stored_rows = len(endpoint.sender) > 0

    def clear_transmission(self, endpoint: DialogEndpoint) -> None:
        """Delete everything that waits for transmission on a conversation."""
        endpoint.sender.clear()
        self.trim_transmission(endpoint, endpoint.row.send_sequence)

    def set_status(self, endpoint: DialogEndpoint, number: int | None, **parameters: Parameter) -> None:
        """Say why the messages of a conversation wait, or, without a number, that nothing is in the way.

        Messages that are frozen for good keep that reason, whatever happens to acknowledgements on the way.
        """
        if number is None and endpoint.status is NOTHING_IN_THE_WAY:
            return
        if number not in WHY_FROZEN and endpoint.is_frozen and len(endpoint.sender):
            return
        if number is None:
            status = NOTHING_IN_THE_WAY
        else:
            status = TransmissionStatus(number, status_text(number, **parameters))
        before, endpoint.status = endpoint.status, status
        # What is a copy now is another instance's to write.
        if not self.is_out_of_reach(endpoint) and way_taken.follow(endpoint, self.now.utc):
            self.touch(endpoint)
        if status == before:
            return
        self.shifted[endpoint] = None
        self.tell(
            TransmissionStatusChanged(
                at=self.now.utc,
                database=endpoint.database,
                conversation_handle=endpoint.row.conversation_handle,
                number=status.number,
                text=status.text,
            )
        )

    # ── agenda ───────────────────────────────────────────────────────────────────────────────────────────────────
    def schedule(self, endpoint: DialogEndpoint, at: Instant | None) -> None:
        """Look at an endpoint again at `at`, unless that is planned for earlier already."""
        self.agenda.schedule(endpoint, at, self.now.monotonic)
