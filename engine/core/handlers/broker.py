"""`Broker`: the living state of one instance, and the record of what the current input does to it.

Handlers change the state through the verbs below, and each verb notes what must be stored, sent and told. An
endpoint touched ten times by one input is stored once. Not responsible for any rule: those are the handlers'.
"""

from __future__ import annotations

import heapq
from collections import OrderedDict
from itertools import count
from typing import Protocol

from engine.core.catalog.builtin import BROKER_SERVICE, service_of
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.objects import EndpointState
from engine.core.dialog.endpoint import NOTHING_IN_THE_WAY, DialogEndpoint, TransmissionStatus
from engine.core.dialog.key_exchange import KeyExchange
from engine.core.dialog.session import ArrivedSession, DialogSession
from engine.core.exchange.changes import (
    AppendQueue,
    AppendTransmission,
    DropEndpoint,
    PutEndpoint,
    RemoveQueue,
    SetQueueRowStatus,
    StateChange,
    TrimTransmission,
)
from engine.core.exchange.events import BrokerEvent, ConversationStateChanged, TransmissionStatusChanged
from engine.core.exchange.outcome import Outcome
from engine.core.exchange.replies import Reply
from engine.core.forwarding.transmitter import TransmitterQueue
from engine.core.queues.queue import ServiceQueue
from engine.core.routing.classifier import MessageClassifier
from engine.core.routing.explanation import LIVE_LISTED_MAX
from engine.core.transmission.links import EndpointKey, LinkBook
from engine.core.vocabulary.entropy import Entropy
from engine.core.vocabulary.errors import Parameter, status_text
from engine.core.vocabulary.identifiers import ConversationId, DatabaseName, QueueName, ServiceName
from engine.core.vocabulary.keys import KeyVault
from engine.core.vocabulary.limits import DEPARTED_SESSIONS_MAX
from engine.core.vocabulary.messages import DialogMessage, DialogTarget, Outbound, TcpAddress
from engine.core.vocabulary.moment import Duration, Instant, Now, UtcTime
from engine.core.vocabulary.rows import ConversationEndpoint, QueueRow, QueueRowStatus, TransmissionRow
from engine.core.vocabulary.settings import EngineSettings

AGENDA_HORIZON_SECONDS = Duration(3600)
"""Deadlines further away than this are not put on the agenda; a sweep every half horizon finds them in time."""

AGENDA_SLACK = 64
"""Overtaken entries the agenda may hold beyond one for each conversation before it is rebuilt."""


class AcceptMessage(Protocol):
    """Takes a message into a database of this instance; see `inbound.accept`."""

    def __call__(self, broker: Broker, database: DatabaseName, message: DialogMessage, *, is_local: bool) -> int | None:
        """None when it was taken, else the number of the reason."""
        ...


class Broker:
    """Catalog, conversations, queues, links and agenda of one instance, and the outcome being collected."""

    def __init__(
        self,
        catalog: InstanceCatalog,
        settings: EngineSettings,
        entropy: Entropy,
        accept: AcceptMessage,
        vault: KeyVault | None = None,
    ) -> None:
        self.accept = accept
        """How a message from this very instance is taken in; a parameter because sending and receiving meet here."""
        self.catalog = catalog
        self.settings = settings
        self.entropy = entropy
        self.classifier = MessageClassifier(catalog, settings.dynamic_routing_while_pending, listed_max=LIVE_LISTED_MAX)
        self.missing_routes: dict[tuple[DatabaseName, ServiceName], DialogTarget] = {}
        """Routes to ask for before the current input is done with; see `dynamic_routing`."""
        self.asks_again_at: dict[tuple[DatabaseName, ServiceName], Instant] = {}
        """Until when an answer that did not help keeps the next request back."""
        self.vault = vault
        """Opens and uses keys; without one no dialog can be secured (28054)."""
        self.key_exchange = KeyExchange(settings.dialog.key_exchange_key_seconds)
        self.arrival: ArrivedSession | None = None
        """The key of the secured message that is being taken in."""
        self.departed: OrderedDict[tuple[ConversationId, bool], DialogSession] = OrderedDict()
        """Keys of conversations that are gone: a late message of theirs can still be read, and answered."""
        self.missing_bindings: dict[tuple[DatabaseName, ServiceName], DialogTarget] = {}
        """Remote service bindings to ask for, as `missing_routes`."""
        self.pending_bindings: set[tuple[DatabaseName, ServiceName]] = set()
        """Services for whose binding a request is under way."""
        self.own_mail: set[DatabaseName] = set()
        """Databases in whose broker queue something has arrived."""
        self.conversations: dict[EndpointKey, DialogEndpoint] = {}
        self.by_conversation: dict[tuple[ConversationId, bool], DialogEndpoint] = {}
        self.queues: dict[tuple[DatabaseName, str], ServiceQueue] = {}
        self.links = LinkBook(settings.link)
        self.transmitter = TransmitterQueue()
        self.next_queuing_order: dict[DatabaseName, int] = {}
        self.now = Now(Instant(0.0), UtcTime(0.0))
        self.agenda: list[tuple[Instant, int, EndpointKey]] = []
        self.sweep_at: Instant | None = None
        self._ticket = count()
        self._changes: list[StateChange] = []
        self._dirty: dict[EndpointKey, DialogEndpoint] = {}
        self._dials: dict[TcpAddress, None] = {}
        self._hang_ups: list[TcpAddress] = []
        self._sends: list[Outbound] = []
        self._events: list[BrokerEvent] = []

    # ── collecting the outcome ───────────────────────────────────────────────────────────────────────────────────
    def begin(self, now: Now) -> None:
        """A new input: time moves on."""
        self.now = now
        self.arrival = None

    def outcome(self, reply: Reply | None = None) -> Outcome:
        """Everything since the last call, as one value."""
        changes = [
            *self._changes,
            *(PutEndpoint(database=key[0], endpoint=endpoint.row) for key, endpoint in self._dirty.items()),
        ]
        outcome = Outcome(
            reply=reply,
            changes=tuple(changes),
            dials=tuple(self._dials),
            hang_ups=tuple(self._hang_ups),
            sends=tuple(self._sends),
            events=tuple(self._events),
        )
        self._changes, self._dirty, self._dials = [], {}, {}
        self._hang_ups, self._sends, self._events = [], [], []
        return outcome

    def change(self, change: StateChange) -> None:
        """Note a write."""
        self._changes.append(change)

    def tell(self, event: BrokerEvent) -> None:
        """Note an event."""
        self._events.append(event)

    def send(self, outbound: Outbound) -> None:
        """Note a message for a link that is up."""
        self._sends.append(outbound)

    def dial(self, address: TcpAddress) -> None:
        """Ask for a connection, unless one is there, under way, or suppressed, or our own endpoint is not started."""
        own = self.catalog.endpoint
        if own is None or own.state is not EndpointState.STARTED:
            return
        if self.links.may_dial(address, self.now.monotonic):
            self.links.dialling(address)
            self._dials[address] = None

    def hang_up_all(self) -> None:
        """Close every outgoing connection."""
        self._hang_ups.extend(self.links.hang_up_all())

    # ── conversations ────────────────────────────────────────────────────────────────────────────────────────────
    def endpoint(self, database: DatabaseName, row: ConversationEndpoint) -> DialogEndpoint:
        """An endpoint for a row; not yet part of the broker."""
        broker_instance = self.catalog.databases[database].broker_instance
        return DialogEndpoint(database, broker_instance, row, self.settings.dialog, self.entropy)

    def add(self, endpoint: DialogEndpoint) -> None:
        """Take an endpoint into memory."""
        self.conversations[endpoint.database, endpoint.row.conversation_handle] = endpoint
        self.by_conversation[endpoint.row.conversation_id, endpoint.row.is_initiator] = endpoint
        if endpoint.row.asks_for is not None:
            self.classifier.pending.add((endpoint.database, endpoint.row.asks_for))
        if endpoint.row.asks_for_binding is not None:
            self.pending_bindings.add((endpoint.database, endpoint.row.asks_for_binding))

    def knows(self, endpoint: DialogEndpoint) -> bool:
        """Whether an endpoint still exists."""
        return (endpoint.database, endpoint.row.conversation_handle) in self.conversations

    def touch(self, endpoint: DialogEndpoint) -> None:
        """The durable row of an endpoint changed."""
        self._dirty[endpoint.database, endpoint.row.conversation_handle] = endpoint

    def announce_state(self, endpoint: DialogEndpoint, *, gone: bool = False) -> None:
        """Tell that an endpoint was made, changed its state, or is gone."""
        self.tell(
            ConversationStateChanged(
                at=self.now.utc,
                database=endpoint.database,
                conversation_handle=endpoint.row.conversation_handle,
                conversation_id=endpoint.row.conversation_id,
                is_initiator=endpoint.row.is_initiator,
                state=None if gone else endpoint.row.state,
            )
        )

    def forget(self, endpoint: DialogEndpoint) -> None:
        """Drop an endpoint with its transmission rows and its messages in the queue."""
        key = (endpoint.database, endpoint.row.conversation_handle)
        if self.conversations.pop(key, None) is None:
            return
        self.by_conversation.pop((endpoint.row.conversation_id, endpoint.row.is_initiator), None)
        if endpoint.row.asks_for is not None:
            self.classifier.pending.discard((endpoint.database, endpoint.row.asks_for))
        if endpoint.row.asks_for_binding is not None:
            self.pending_bindings.discard((endpoint.database, endpoint.row.asks_for_binding))
        if endpoint.session is not None:
            self.departed[endpoint.row.conversation_id, endpoint.row.is_initiator] = endpoint.session
            if len(self.departed) > DEPARTED_SESSIONS_MAX:
                self.departed.popitem(last=False)
        self.leave_links(endpoint)
        self.clear_transmission(endpoint)
        self.clear_queue_of(endpoint)
        self._dirty.pop(key, None)
        self.change(DropEndpoint(database=key[0], conversation_handle=key[1]))
        self.announce_state(endpoint, gone=True)

    def leave_links(self, endpoint: DialogEndpoint) -> None:
        """The endpoint waits for no connection any more."""
        if endpoint.decision is not None and endpoint.decision.address is not None:
            key = (endpoint.database, endpoint.row.conversation_handle)
            self.links[endpoint.decision.address].conversations.pop(key, None)

    def ask_for_route(self, database: DatabaseName, target: DialogTarget) -> None:
        """Match step 4 has ended a search."""
        if (database, target.service_name) not in self.classifier.pending:
            self.missing_routes[database, target.service_name] = target

    # ── transmission queue ───────────────────────────────────────────────────────────────────────────────────────
    def store_transmission(self, endpoint: DialogEndpoint, row: TransmissionRow) -> None:
        """Keep a message until it is acknowledged."""
        endpoint.has_stored_rows = True
        self.change(AppendTransmission(database=endpoint.database, row=row))

    def trim_transmission(self, endpoint: DialogEndpoint, through: int) -> None:
        """Delete stored messages up to `through`."""
        if endpoint.has_stored_rows:
            handle = endpoint.row.conversation_handle
            self.change(TrimTransmission(database=endpoint.database, conversation_handle=handle, through=through))
            endpoint.has_stored_rows = len(endpoint.sender) > 0

    def clear_transmission(self, endpoint: DialogEndpoint) -> None:
        """Delete everything that waits for transmission on a conversation."""
        endpoint.sender.clear()
        self.trim_transmission(endpoint, endpoint.row.send_sequence)

    def set_status(self, endpoint: DialogEndpoint, number: int | None, **parameters: Parameter) -> None:
        """Say why the messages of a conversation wait, or, without a number, that nothing is in the way."""
        if number is None:
            status = NOTHING_IN_THE_WAY
        else:
            status = TransmissionStatus(number, status_text(number, **parameters))
        if status == endpoint.status:
            return
        endpoint.status = status
        self.tell(
            TransmissionStatusChanged(
                at=self.now.utc,
                database=endpoint.database,
                conversation_handle=endpoint.row.conversation_handle,
                number=status.number,
                text=status.text,
            )
        )

    # ── queues ───────────────────────────────────────────────────────────────────────────────────────────────────
    def queue(self, database: DatabaseName, name: QueueName) -> ServiceQueue:
        """The messages of a queue; queue names are unique without regard to letter case."""
        return self.queues.setdefault((database, name.casefold()), ServiceQueue())

    def queue_of(self, endpoint: DialogEndpoint) -> tuple[QueueName, ServiceQueue]:
        """The queue of an endpoint's service."""
        service = service_of(self.catalog.databases[endpoint.database], endpoint.row.service)
        assert service is not None, "a service that is dropped takes its conversations along"
        return service.queue, self.queue(endpoint.database, service.queue)

    def take_queuing_order(self, database: DatabaseName) -> int:
        """A place in the queues of a database, after all that were given before."""
        order = self.next_queuing_order.get(database, 1)
        self.next_queuing_order[database] = order + 1
        return order

    def queue_row_ready(self, database: DatabaseName, name: QueueName, queuing_order: int) -> None:
        """An early message became ready."""
        self.change(
            SetQueueRowStatus(
                database=database, queue=name, queuing_orders=(queuing_order,), status=QueueRowStatus.READY
            )
        )

    def append_queue(self, database: DatabaseName, name: QueueName, row: QueueRow) -> None:
        """Put a message into a queue."""
        self.queue(database, name).append(row)
        if row.service_name == BROKER_SERVICE:
            self.own_mail.add(database)
        self.change(AppendQueue(database=database, queue=name, row=row))

    def remove_queue(self, database: DatabaseName, name: QueueName, queuing_orders: list[int]) -> None:
        """Take messages out of a queue."""
        if queuing_orders:
            self.queue(database, name).remove(queuing_orders)
            self.change(RemoveQueue(database=database, queue=name, queuing_orders=tuple(queuing_orders)))

    def forget_early(self, endpoint: DialogEndpoint) -> None:
        """Messages that wait for a gap which will never close leave the queue."""
        name, queue = self.queue_of(endpoint)
        self.remove_queue(endpoint.database, name, queue.early_of(endpoint.row.conversation_handle))
        endpoint.receiver.forget_held()

    def move_messages(self, endpoint: DialogEndpoint, old: QueueName, new: QueueName) -> None:
        """A service got another queue: its messages go along, each keeping its place (tsql.md 3)."""
        rows = self.queue(endpoint.database, old).rows_of(endpoint.row.conversation_handle)
        self.remove_queue(endpoint.database, old, [row.queuing_order for row in rows])
        for row in rows:
            self.append_queue(endpoint.database, new, row)

    def clear_queue_of(self, endpoint: DialogEndpoint) -> None:
        """Delete the messages of a conversation from its own queue."""
        database = self.catalog.databases.get(endpoint.database)
        if database is not None and service_of(database, endpoint.row.service) is not None:
            name, queue = self.queue_of(endpoint)
            self.remove_queue(endpoint.database, name, queue.of_conversation(endpoint.row.conversation_handle))

    # ── agenda ───────────────────────────────────────────────────────────────────────────────────────────────────
    def schedule(self, endpoint: DialogEndpoint, at: Instant | None) -> None:
        """Look at an endpoint again at `at`, unless that is planned for earlier already."""
        if at is None or at > self.now.monotonic + AGENDA_HORIZON_SECONDS:
            return
        if endpoint.scheduled_at is not None and endpoint.scheduled_at <= at:
            return
        endpoint.scheduled_at = at
        key = (endpoint.database, endpoint.row.conversation_handle)
        heapq.heappush(self.agenda, (at, next(self._ticket), key))
        if len(self.agenda) > 2 * len(self.conversations) + AGENDA_SLACK:
            self._rebuild_agenda()

    def _rebuild_agenda(self) -> None:
        """Throw away entries that were overtaken by earlier ones."""
        self.agenda = [
            (endpoint.scheduled_at, next(self._ticket), key)
            for key, endpoint in self.conversations.items()
            if endpoint.scheduled_at is not None
        ]
        heapq.heapify(self.agenda)

    def take_due(self) -> list[tuple[Instant, EndpointKey]]:
        """What is due now, off the agenda, each once: what plans itself for now again waits for the next alarm."""
        due: list[tuple[Instant, EndpointKey]] = []
        while self.agenda and self.agenda[0][0] <= self.now.monotonic:
            at, _, key = heapq.heappop(self.agenda)
            due.append((at, key))
        return due
