"""`Broker`: the living state of one instance, and the record of what the current input does to it.

Handlers change the state through the verbs below, and each verb notes what must be stored, sent and told. An
endpoint touched ten times by one input is stored once. Not responsible for any rule: those are the handlers'.
"""

from __future__ import annotations

import heapq
from itertools import count
from typing import Protocol

from engine.core.catalog.builtin import BROKER_SERVICE, service_of
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.objects import EndpointState
from engine.core.dialog.endpoint import NOTHING_IN_THE_WAY, DialogEndpoint, TransmissionStatus
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
from engine.core.exchange.events import (
    BrokerEvent,
    ConversationGroupChanged,
    ConversationHappening,
    ConversationStateChanged,
    TransmissionStatusChanged,
)
from engine.core.exchange.outcome import Outcome
from engine.core.exchange.replies import Reply
from engine.core.forwarding.transmitter import TransmitterQueue
from engine.core.handlers.conversation_table import ConversationTable
from engine.core.handlers.counters import BrokerCounters
from engine.core.handlers.freezing import end_of_life, freeze, thaw
from engine.core.queues.queue import ServiceQueue
from engine.core.routing.classifier import MessageClassifier
from engine.core.routing.explanation import LIVE_LISTED_MAX
from engine.core.transmission.links import EndpointKey, LinkBook
from engine.core.transmission.work_table import WorkRow, WorkTable
from engine.core.vocabulary.entropy import Entropy
from engine.core.vocabulary.errors import Parameter, status_text
from engine.core.vocabulary.identifiers import DatabaseName, QueueName, ServiceName
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
        work_table: WorkTable,
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
        self.own_mail: set[DatabaseName] = set()
        """Databases in whose broker queue something has arrived."""
        self.conversations = ConversationTable(work_table, self, settings.transmission_objects)
        self.queues: dict[tuple[DatabaseName, str], ServiceQueue] = {}
        self.links = LinkBook(settings.link)
        self.transmitter = TransmitterQueue()
        self.counters = BrokerCounters()
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
        self.counters.was_sent(outbound.address, outbound.message.message, self.now.utc)

    def dial(self, address: TcpAddress) -> None:
        """Ask for a connection, unless one is there, under way, or suppressed, or our own endpoint is not started."""
        own = self.catalog.endpoint
        if own is None or own.state is not EndpointState.STARTED:
            return
        if self.links.may_dial(address, self.now.monotonic):
            self.links.dialling(address)
            self.counters.links.pop(address, None)
            self._dials[address] = None

    def hang_up_all(self) -> None:
        """Close every outgoing connection."""
        self._hang_ups.extend(self.links.hang_up_all())

    # ── conversations ────────────────────────────────────────────────────────────────────────────────────────────
    def endpoint(self, database: DatabaseName, row: ConversationEndpoint) -> DialogEndpoint:
        """An endpoint for a row; not yet part of the broker."""
        broker_instance = self.catalog.databases[database].broker_instance
        return DialogEndpoint(database, broker_instance, row, self.settings.dialog, self.entropy)

    def freeze(self, endpoint: DialogEndpoint) -> WorkRow:
        """An idle endpoint as a row of the work table."""
        self.leave_links(endpoint)
        return freeze(endpoint, self.settings.dialog)

    def thaw(self, row: WorkRow) -> DialogEndpoint:
        """The endpoint of a row of the work table."""
        durable, announced, first_acknowledged = thaw(row)
        endpoint = self.endpoint(row.database, durable)
        endpoint.serial = row.serial
        endpoint.announced = announced
        endpoint.first_acknowledged = first_acknowledged
        return endpoint

    def came_back(self, endpoint: DialogEndpoint) -> None:
        """The deadline of an endpoint that is in memory again is on the agenda again."""
        expires_at = end_of_life(endpoint.row, self.settings.dialog)
        self.schedule(endpoint, self.now.monotonic_at(expires_at) if expires_at is not None else None)

    def add(self, endpoint: DialogEndpoint) -> None:
        """Take an endpoint into memory."""
        self.conversations.add(endpoint)
        if endpoint.row.asks_for is not None:
            self.classifier.pending.add((endpoint.database, endpoint.row.asks_for))

    def knows(self, endpoint: DialogEndpoint) -> bool:
        """Whether an endpoint still exists."""
        return self.conversations.live(endpoint.key) is endpoint

    def touch(self, endpoint: DialogEndpoint) -> None:
        """The durable row of an endpoint changed."""
        self._dirty[endpoint.database, endpoint.row.conversation_handle] = endpoint

    def announce(self, endpoint: DialogEndpoint, happening: ConversationHappening) -> None:
        """Tell that an endpoint was made, and its group, if it is the first one of it."""
        if len(self.conversations.of_group(endpoint.database, endpoint.row.conversation_group_id)) == 1:
            self._announce_group(endpoint, is_created=True)
        self.announce_state(endpoint, happening)

    def _announce_group(self, endpoint: DialogEndpoint, *, is_created: bool) -> None:
        self.tell(
            ConversationGroupChanged(
                at=self.now.utc,
                database=endpoint.database,
                conversation_group_id=endpoint.row.conversation_group_id,
                is_created=is_created,
            )
        )

    def announce_state(self, endpoint: DialogEndpoint, happening: ConversationHappening, *, gone: bool = False) -> None:
        """Tell that an endpoint was made, changed its state, or is gone, and what led there."""
        self.tell(
            ConversationStateChanged(
                at=self.now.utc,
                database=endpoint.database,
                conversation_handle=endpoint.row.conversation_handle,
                conversation_id=endpoint.row.conversation_id,
                is_initiator=endpoint.row.is_initiator,
                state=None if gone else endpoint.row.state,
                happening=happening,
                conversation_group_id=endpoint.row.conversation_group_id,
                priority=endpoint.row.priority,
            )
        )

    def forget(
        self, endpoint: DialogEndpoint, happening: ConversationHappening = ConversationHappening.TERMINATE_DIALOG
    ) -> None:
        """Drop an endpoint with its transmission rows and its messages in the queue."""
        key = (endpoint.database, endpoint.row.conversation_handle)
        if not self.conversations.remove(endpoint):
            return
        if endpoint.row.asks_for is not None:
            self.classifier.pending.discard((endpoint.database, endpoint.row.asks_for))
        self.leave_links(endpoint)
        self.clear_transmission(endpoint)
        self.clear_queue_of(endpoint)
        self._dirty.pop(key, None)
        self.change(DropEndpoint(database=key[0], conversation_handle=key[1]))
        self.announce_state(endpoint, happening, gone=True)
        if not self.conversations.of_group(endpoint.database, endpoint.row.conversation_group_id):
            self._announce_group(endpoint, is_created=False)

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
        self.counters.transmission_stored += 1
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
        if len(self.agenda) > 2 * self.conversations.live_count + AGENDA_SLACK:
            self._rebuild_agenda()

    def _rebuild_agenda(self) -> None:
        """Throw away entries that were overtaken by earlier ones."""
        self.agenda = [
            (endpoint.scheduled_at, next(self._ticket), endpoint.key)
            for endpoint in self.conversations.all_live()
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
