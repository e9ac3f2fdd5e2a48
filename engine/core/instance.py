"""`Instance`: one server with its databases, as a function from inputs to outcomes. The only door to the core.

Five things drive it: a command of somebody here, a message from the network, a change of a connection, a neighbour's
question or claim about the principal of a mirrored database, a timer. It answers each with an `Outcome` and touches
nothing outside itself. Rebuilt from its rows after a crash, it goes on where the last commit left it: what was not
acknowledged is sent again, what was received is not received twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

import msgspec

from engine.core.catalog.instance import InstanceCatalog
from engine.core.exchange.commands import (
    ApplyCatalog,
    AttachDatabase,
    BackupDatabase,
    BeginConversationTimer,
    BeginDialog,
    BeginTransaction,
    Command,
    CommitTransaction,
    DetachDatabase,
    EndConversation,
    GetConversationGroup,
    MoveConversation,
    Receive,
    RestoreDatabase,
    RollbackTransaction,
    Send,
    SetMirroringRole,
    SetQueueStatus,
)
from engine.core.exchange.events import BrokerLoginAudited
from engine.core.exchange.outcome import Outcome
from engine.core.exchange.readers import ReaderEnded
from engine.core.exchange.replies import Reply
from engine.core.exchange.system_views import SystemViewQuery, SystemViewRows
from engine.core.exchange.views import InstanceView, QueuePeek
from engine.core.handlers import (
    activation,
    availability,
    backups,
    catalog,
    conversation_timers,
    conversations,
    dynamic_routing,
    forwarding,
    identity,
    inbound,
    links,
    mirroring,
    queue_status,
    receiving,
    timers,
    transactions,
    views,
)
from engine.core.handlers.broker import Broker
from engine.core.handlers.outbound import plan
from engine.core.link.facts import LinkFacts
from engine.core.queues.queue import ServiceQueue
from engine.core.system_views.query import read_system_view
from engine.core.transmission.work_table import MemoryWorkTable, WorkTable
from engine.core.vocabulary.entropy import Entropy
from engine.core.vocabulary.identifiers import ConversationHandle, DatabaseName, QueueName
from engine.core.vocabulary.keys import KeyVault
from engine.core.vocabulary.messages import ForwardedMessage, LinkChange, LoginEnded, MessagesReturned
from engine.core.vocabulary.mirrors import AskerGone, RoleAsked, RoleClaimed
from engine.core.vocabulary.moment import Instant, Now
from engine.core.vocabulary.rows import DatabaseRows, QueueRow
from engine.core.vocabulary.settings import EngineSettings


class Instance:
    """The broker of one instance. Not responsible for storing, sending or waking: see `runtime.driver`."""

    def __init__(
        self,
        definitions: InstanceCatalog,
        rows: list[DatabaseRows],
        settings: EngineSettings,
        entropy: Entropy,
        work_table: WorkTable | None = None,
        vault: KeyVault | None = None,
    ) -> None:
        """Rebuild an instance from its rows; in `work_table` it keeps what nobody needs, in memory without one.

        `vault` opens and uses the keys of secured dialogs; without one they wait with 28054.
        """
        table = MemoryWorkTable() if work_table is None else work_table
        self._broker = Broker(definitions, settings, entropy, inbound.accept, table, vault)
        for database in rows:
            self._restore(database)
            self._broker.conversations.flush_now()

    def _restore(self, rows: DatabaseRows) -> None:
        """Take over the stored rows of one database."""
        broker = self._broker
        orders = [row.queuing_order for queue in rows.queues.values() for row in queue]
        broker.next_queuing_order[rows.name] = max(orders, default=0) + 1
        for row in rows.endpoints:
            broker.add(broker.endpoint(rows.name, row))
        for name, messages in rows.queues.items():
            queue = ServiceQueue(messages)
            broker.queues[rows.name, name.casefold()] = queue
            broker.counters.transmission_restored += queue.awaiting
            early: dict[ConversationHandle, list[QueueRow]] = {}
            for message in queue.early():
                early.setdefault(message.conversation_handle, []).append(message)
            for handle, held in early.items():
                endpoint = broker.conversations.get((rows.name, handle))
                if endpoint is not None:
                    endpoint.receiver.restore(held)
        for waiting in rows.transmission:
            endpoint = broker.conversations.get((rows.name, waiting.conversation_handle))
            if endpoint is not None:
                endpoint.sender.restore(waiting)
                endpoint.has_stored_rows = True
                broker.counters.transmission_restored += 1
        for endpoint in broker.conversations.all_live():
            if endpoint.database != rows.name:
                continue
            has_sent = endpoint.row.send_sequence > 0 and endpoint.row.far_broker_instance is not None
            endpoint.first_acknowledged = has_sent and not endpoint.sender.holds(0)

    @property
    def catalog(self) -> InstanceCatalog:
        """What is defined now; not to be changed by the reader."""
        return self._broker.catalog

    def start(self, now: Now) -> Outcome:
        """The host has loaded this instance: everything that waited goes on."""
        self._begin(now)
        identity.settle_twins(self._broker)
        for endpoint in self._broker.conversations.all_live():
            if endpoint.wants_to_send:
                endpoint.reclassify_at = now.monotonic
                self._broker.schedule(endpoint, now.monotonic)
            plan(self._broker, endpoint)
        activation.redefined(self._broker, ())
        timers.handle_timer(self._broker)
        return self._outcome()

    def execute(self, command: Command, now: Now) -> Outcome:
        """Carry out a command whole, or raise `BrokerError` with nothing changed."""
        self._begin(now)
        availability.check(self._broker.catalog, command)
        return self._outcome(self._dispatch(command))

    def _begin(self, now: Now) -> None:
        """A new input: nobody holds an endpoint yet, so that those in nobody's need may leave memory."""
        self._broker.begin(now)
        self._broker.conversations.flush(now.monotonic)

    def _outcome(self, reply: Reply | None = None) -> Outcome:
        """What the input did, and what the broker itself has to say to it."""
        dynamic_routing.attend(self._broker)
        activation.attend(self._broker)
        while self._broker.own_mail or self._broker.missing_routes or self._broker.activity.stirred:
            # What one of the two has done may be the other's business.
            dynamic_routing.attend(self._broker)
            activation.attend(self._broker)
        return self._broker.outcome(reply)

    def _dispatch(self, command: Command) -> Reply:
        match command:
            case BeginDialog():
                return conversations.begin_dialog(self._broker, command)
            case Send():
                return conversations.send(self._broker, command)
            case Receive():
                return receiving.receive(self._broker, command)
            case GetConversationGroup():
                return receiving.get_conversation_group(self._broker, command)
            case MoveConversation():
                return conversations.move_conversation(self._broker, command)
            case BeginTransaction():
                return transactions.begin_transaction(self._broker, command)
            case CommitTransaction():
                return transactions.commit(self._broker, command)
            case RollbackTransaction():
                return transactions.rollback(self._broker, command)
            case EndConversation():
                return conversations.end_conversation(self._broker, command)
            case BeginConversationTimer():
                return conversation_timers.begin_conversation_timer(self._broker, command)
            case SetQueueStatus():
                return queue_status.set_queue_status(self._broker, command)
            case ApplyCatalog():
                return catalog.apply_catalog(self._broker, command)
            case SetMirroringRole():
                return catalog.set_mirroring_role(self._broker, command)
            case BackupDatabase():
                return backups.back_up(self._broker, command)
            case DetachDatabase():
                return backups.detach(self._broker, command)
            case AttachDatabase() | RestoreDatabase():
                return backups.bring_back(self._broker, command, self._restore)
            case _:
                assert_never(command)

    def receive_message(self, message: ForwardedMessage, now: Now) -> Outcome:
        """Take in, pass on or refuse what came over the network."""
        self._begin(now)
        inbound.receive_message(self._broker, message)
        return self._outcome()

    def link_changed(self, change: LinkChange, now: Now) -> Outcome:
        """Go by what the transport says of an outgoing connection."""
        self._begin(now)
        links.link_changed(self._broker, change)
        return self._outcome()

    def messages_returned(self, given_back: MessagesReturned, now: Now) -> Outcome:
        """A connection has not sent what it was given."""
        self._begin(now)
        forwarding.returned(self._broker, given_back)
        return self._outcome()

    def login_ended(self, login: LoginEnded, now: Now) -> Outcome:
        """A handshake with a neighbour has ended; it is told, and changes nothing else."""
        self._begin(now)
        self._broker.tell(BrokerLoginAudited(at=now.utc, login=login))
        return self._outcome()

    def role_asked(self, asked: RoleAsked, now: Now) -> Outcome:
        """A neighbour asks whether the principal of a mirrored database is here."""
        self._begin(now)
        mirroring.answer(self._broker, asked)
        return self._outcome()

    def role_claimed(self, claimed: RoleClaimed, now: Now) -> Outcome:
        """Go by what a partner of a mirrored pair says of its role."""
        self._begin(now)
        links.role_claimed(self._broker, claimed)
        return self._outcome()

    def asker_gone(self, gone: AskerGone, now: Now) -> Outcome:
        """A neighbour that may have asked is not connected any more."""
        self._begin(now)
        self._broker.roles.gone(gone.asker)
        return self._outcome()

    def reader_ended(self, ended: ReaderEnded, now: Now) -> Outcome:
        """Go by what the host says of a reader that it was asked to start."""
        self._begin(now)
        if transactions.roll_back_reader(self._broker, ended.task) and ended.number is None:
            ended = msgspec.structs.replace(ended, number=activation.TRANSACTION_LEFT_OPEN)
        activation.reader_ended(self._broker, ended)
        return self._outcome()

    def handle_timer(self, now: Now) -> Outcome:
        """Do what is due; harmless when nothing is."""
        self._begin(now)
        timers.handle_timer(self._broker)
        return self._outcome()

    def wake_at(self) -> Instant | None:
        """When to call `handle_timer` next; None for never."""
        return timers.wake_at(self._broker)

    def view(self, rows_max: int) -> InstanceView:
        """The live rows, at most `rows_max` a list; the host fills in what only it knows."""
        return views.instance_view(self._broker, rows_max)

    def peek(self, database: DatabaseName, queue: QueueName, top: int) -> QueuePeek:
        """The first messages of a queue, not taken."""
        return views.queue_peek(self._broker, database, queue, top)

    def system_view(self, query: SystemViewQuery, connections: Sequence[LinkFacts] | None = None) -> SystemViewRows:
        """One page of a catalog view, DMV or queue (views.md 1, 2, 6); errors as `read_system_view`."""
        return read_system_view(self._broker, query, connections)
