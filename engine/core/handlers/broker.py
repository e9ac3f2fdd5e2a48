"""`Broker`: the living state of one instance, and the record of what the current input does to it.

Handlers change the state through the verbs below, and each verb notes what must be stored, sent and told. An
endpoint touched ten times by one input is stored once. Not responsible for any rule: those are the handlers'.
"""

from __future__ import annotations

from typing import Protocol

import msgspec

from engine.core.catalog.builtin import BROKER_SERVICE, service_of
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.objects import EndpointState, Queue
from engine.core.dialog.endpoint import NOTHING_IN_THE_WAY, DialogEndpoint, TransmissionStatus
from engine.core.dialog.key_exchange import KeyExchange
from engine.core.dialog.reassembly import Reassembly
from engine.core.dialog.session import ArrivedSession, DepartedSessions
from engine.core.dialog.waiting_room import WaitingRoom
from engine.core.exchange.changes import (
    AppendQueue,
    AppendTransmission,
    DropEndpoint,
    RemoveQueue,
    SetQueueRowGroup,
    SetQueueRowStatus,
    TrimTransmission,
)
from engine.core.exchange.events import ConversationStateChanged, TransmissionStatusChanged
from engine.core.forwarding.transmitter import TransmitterQueue
from engine.core.handlers.agenda import Agenda
from engine.core.handlers.collecting import OutcomeCollector
from engine.core.mirroring.book import MirrorBook, pair_of
from engine.core.mirroring.claims import RoleBook
from engine.core.queues.monitor import QueueActivity
from engine.core.queues.poison import PoisonBook
from engine.core.queues.queue import ServiceQueue
from engine.core.queues.transactions import GroupKey, TransactionBook
from engine.core.routing.classifier import MessageClassifier
from engine.core.routing.explanation import LIVE_LISTED_MAX
from engine.core.routing.locator import unavailable_reason
from engine.core.transmission.links import EndpointKey, LinkBook
from engine.core.vocabulary.entropy import Entropy
from engine.core.vocabulary.errors import Parameter, status_text
from engine.core.vocabulary.identifiers import (
    ConversationGroupId,
    ConversationHandle,
    ConversationId,
    DatabaseName,
    QueueName,
    ServiceName,
)
from engine.core.vocabulary.keys import KeyVault
from engine.core.vocabulary.messages import DialogMessage, DialogTarget, TcpAddress
from engine.core.vocabulary.moment import Instant, Now
from engine.core.vocabulary.rows import ConversationEndpoint, QueueRow, QueueRowStatus, TransmissionRow
from engine.core.vocabulary.settings import EngineSettings

FAR_SIDE_ENDED, ERROR_ARRIVED = 9779, 9784
WHY_FROZEN = frozenset({FAR_SIDE_ENDED, ERROR_ARRIVED})
"""Why pending messages will not be sent any more (protocol.md 8.2, rows 10 and 11)."""

ARRIVING = (QueueRowStatus.READY, QueueRowStatus.DISABLED)
"""Messages to be received; what is retained was in the queue already."""


class AcceptMessage(Protocol):
    """Takes a message into a database of this instance; see `inbound.accept`."""

    def __call__(self, broker: Broker, database: DatabaseName, message: DialogMessage, *, is_local: bool) -> int | None:
        """None when it was taken, else the number of the reason."""
        ...


class Broker(OutcomeCollector):
    """Catalog, conversations, queues, links and agenda of one instance, and the outcome being collected."""

    def __init__(
        self,
        catalog: InstanceCatalog,
        settings: EngineSettings,
        entropy: Entropy,
        accept: AcceptMessage,
        vault: KeyVault | None = None,
    ) -> None:
        super().__init__()
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
        self.departed = DepartedSessions()
        self.missing_bindings: dict[tuple[DatabaseName, ServiceName], DialogTarget] = {}
        """Remote service bindings to ask for, as `missing_routes`."""
        self.pending_bindings: set[tuple[DatabaseName, ServiceName]] = set()
        """Services for whose binding a request is under way."""
        self.own_mail: set[DatabaseName] = set()
        """Databases in whose broker queue something has arrived."""
        self.conversations: dict[EndpointKey, DialogEndpoint] = {}
        self._by_conversation: dict[tuple[ConversationId, bool], dict[DatabaseName, DialogEndpoint]] = {}
        """A restored copy of a database has the conversations of the original (identity.md 5)."""
        self.by_group: dict[GroupKey, dict[ConversationHandle, None]] = {}
        """The members of each conversation group; a group is gone with its last one (protocol.md 10)."""
        self.queues: dict[tuple[DatabaseName, str], ServiceQueue] = {}
        self.transactions = TransactionBook()
        self.poison = PoisonBook()
        self.activity = QueueActivity()
        self.links = LinkBook(settings.link)
        self.mirrors = MirrorBook(settings.link)
        self.roles = RoleBook()
        self.transmitter = TransmitterQueue()
        self.waiting_room = WaitingRoom()
        self.reassembly = Reassembly(settings.dialog.reassembly_bytes_max)
        self.next_queuing_order: dict[DatabaseName, int] = {}
        self.agenda = Agenda(self.conversations)
        self.sweep_at: Instant | None = None

    def begin(self, now: Now) -> None:
        """A new input: what it sets off has none of the security of the one before."""
        super().begin(now)
        self.arrival = None

    # ── connections ──────────────────────────────────────────────────────────────────────────────────────────────
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
        return DialogEndpoint(database, broker_instance, row, self.settings.dialog, self.entropy, self.reassembly)

    def add(self, endpoint: DialogEndpoint) -> None:
        """Take an endpoint into memory."""
        endpoint.is_known = True
        self.conversations[endpoint.database, endpoint.row.conversation_handle] = endpoint
        key = (endpoint.row.conversation_id, endpoint.row.is_initiator)
        self._by_conversation.setdefault(key, {})[endpoint.database] = endpoint
        self._join_group(endpoint)
        if endpoint.row.asks_for is not None:
            self.classifier.pending.add((endpoint.database, endpoint.row.asks_for))
        if endpoint.row.asks_for_binding is not None:
            self.pending_bindings.add((endpoint.database, endpoint.row.asks_for_binding))

    def _join_group(self, endpoint: DialogEndpoint) -> None:
        members = self.by_group.setdefault((endpoint.database, endpoint.row.conversation_group_id), {})
        members[endpoint.row.conversation_handle] = None

    def _leave_group(self, endpoint: DialogEndpoint) -> None:
        key = (endpoint.database, endpoint.row.conversation_group_id)
        del self.by_group[key][endpoint.row.conversation_handle]
        if not self.by_group[key]:
            del self.by_group[key]

    def regroup(self, endpoint: DialogEndpoint, group: ConversationGroupId) -> None:
        """Move a conversation, with its messages in the queue, to another group."""
        self._leave_group(endpoint)
        endpoint.revise(conversation_group_id=group)
        self._join_group(endpoint)
        self.touch(endpoint)
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
        return self._by_conversation.get((conversation_id, is_initiator), {}).get(database)

    def endpoint_for(
        self, database: DatabaseName, conversation_id: ConversationId, *, is_initiator: bool
    ) -> DialogEndpoint | None:
        """One side of a conversation: in this database, else in any other, one within reach before one that is not."""
        copies = self._by_conversation.get((conversation_id, is_initiator))
        if not copies:
            return None
        return copies.get(database) or min(copies.values(), key=self.is_out_of_reach)

    def is_out_of_reach(self, endpoint: DialogEndpoint) -> bool:
        """Whether nothing moves in its database: the broker is off, or the state forbids it (identity.md 2)."""
        return unavailable_reason(self.catalog.databases[endpoint.database]) is not None

    def touch(self, endpoint: DialogEndpoint) -> None:
        """The durable row of an endpoint changed."""
        self._dirty[endpoint] = None

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
        copies = self._by_conversation[endpoint.row.conversation_id, endpoint.row.is_initiator]
        del copies[endpoint.database]
        if not copies:
            del self._by_conversation[endpoint.row.conversation_id, endpoint.row.is_initiator]
        self._leave_group(endpoint)
        if endpoint.row.asks_for is not None:
            self.classifier.pending.discard((endpoint.database, endpoint.row.asks_for))
        if endpoint.row.asks_for_binding is not None:
            self.pending_bindings.discard((endpoint.database, endpoint.row.asks_for_binding))
        if endpoint.session is not None:
            row = endpoint.row
            self.departed.keep(row.conversation_id, endpoint.session, is_initiator=row.is_initiator)
        self.leave_links(endpoint)
        self.clear_transmission(endpoint)
        self.clear_queue_of(endpoint)
        endpoint.receiver.forget_held()
        self._dirty.pop(endpoint, None)
        endpoint.is_known = False
        self.change(DropEndpoint(database=key[0], conversation_handle=key[1]))
        self.announce_state(endpoint, gone=True)

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
        key = (database, name.casefold())
        queue = self.queues.get(key)
        if queue is None:
            queue = self.queues[key] = ServiceQueue()
        return queue

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
        self.activity.stir(database, name)

    def definition_of(self, database: DatabaseName, name: QueueName) -> Queue:
        """A queue as it is defined; the broker's own ones are always on and retain nothing."""
        return self.catalog.databases[database].queues.get(name) or Queue(name)

    def append_queue(self, database: DatabaseName, name: QueueName, row: QueueRow) -> QueueRow:
        """Put a message into a queue or, while that is off, into the transmission queue; answers it as stored."""
        awaits = row.status in ARRIVING and not self.definition_of(database, name).is_enabled
        if awaits is not row.awaits_queue:
            row = msgspec.structs.replace(row, awaits_queue=awaits)
        self.queue(database, name).append(row)
        if row.service_name == BROKER_SERVICE:
            self.own_mail.add(database)
        self.change(AppendQueue(database=database, queue=name, row=row))
        self.activity.stir(database, name)
        return row

    def consume(self, database: DatabaseName, name: QueueName, queuing_orders: list[int]) -> None:
        """A RECEIVE commits: its messages leave or, with RETENTION, stay with status 0 (protocol.md 15)."""
        if not self.definition_of(database, name).is_retention_enabled:
            self.remove_queue(database, name, queuing_orders)
        elif kept := tuple(self.queue(database, name).retain(queuing_orders)):
            retained = QueueRowStatus.RECEIVED_RETAINED
            self.change(SetQueueRowStatus(database=database, queue=name, queuing_orders=kept, status=retained))

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
        self.agenda.schedule(endpoint, at, self.now.monotonic)
