"""What every store must do, as one suite; each implementation runs it under its own class."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from uuid import UUID, uuid4

import msgspec
import pytest

from engine.core.catalog.database import DatabaseCatalog
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.objects import Queue
from engine.core.exchange.changes import (
    AdmitQueueRows,
    AppendQueue,
    AppendTransmission,
    DropDatabaseRows,
    DropDepartedSession,
    DropEndpoint,
    PutCatalog,
    PutCommandReply,
    PutDepartedSession,
    PutEndpoint,
    RemoveQueue,
    SetQueueRowGroup,
    SetQueueRowStatus,
    TrimTransmission,
)
from engine.core.exchange.events import BrokerEvent, CatalogApplied, MessagesTaken
from engine.core.exchange.replies import MessageSent, MessagesReceived
from engine.core.vocabulary.dialog_security import (
    CertificateReference,
    DialogSecurity,
    DialogSecurityHeader,
    KeySuite,
    SealedKey,
    SecurityKind,
    SessionKeyRow,
)
from engine.core.vocabulary.identifiers import (
    BrokerInstanceId,
    CatalogRevision,
    CommandId,
    ContractName,
    ConversationGroupId,
    ConversationHandle,
    ConversationId,
    DatabaseName,
    EventSequence,
    InstanceName,
    MessageTypeName,
    QueueName,
    ServiceName,
)
from engine.core.vocabulary.limits import COMMAND_REPLIES_KEPT, EVENTS_KEPT
from engine.core.vocabulary.messages import Fragment, MessageKind
from engine.core.vocabulary.moment import UtcTime
from engine.core.vocabulary.rows import (
    ConversationEndpoint,
    ConversationState,
    DatabaseRows,
    DepartedSession,
    QueueRow,
    QueueRowStatus,
    TransmissionRow,
    put_together,
)
from engine.runtime.ports import Store
from engine.storage.errors import StoreFailed

PARIS = InstanceName("PARIS")
VENTES, STOCK = DatabaseName("ventes"), DatabaseName("stock")
QUEUE = QueueName("dbo.Réception")
TIME = UtcTime(1_750_000_000.25)


def handle(number: int) -> ConversationHandle:
    return ConversationHandle(UUID(int=number))


def endpoint(number: int, state: ConversationState = ConversationState.STARTED_OUTBOUND) -> ConversationEndpoint:
    return ConversationEndpoint(
        conversation_handle=handle(number),
        conversation_id=ConversationId(UUID(int=1000 + number)),
        is_initiator=True,
        conversation_group_id=ConversationGroupId(UUID(int=2000 + number)),
        service=ServiceName("Commandes"),
        contract=ContractName("Livraison"),
        state=state,
        far_service=ServiceName("Entrepôt"),
        far_broker_instance=None if number % 2 else BrokerInstanceId(UUID(int=3)),
        lifetime=UtcTime(4e9),
        send_sequence=number,
    )


def waiting(number: int, sequence: int, body: bytes | None = b"\x00body") -> TransmissionRow:
    return TransmissionRow(
        conversation_handle=handle(number),
        message_sequence_number=sequence,
        kind=MessageKind.USER if body is not None else MessageKind.END_DIALOG,
        message_type_name=MessageTypeName("null"),
        message_body=body,
        enqueue_time=TIME,
    )


def queued(order: int, status: QueueRowStatus = QueueRowStatus.READY) -> QueueRow:
    return QueueRow(
        queuing_order=order,
        status=status,
        priority=5,
        conversation_group_id=ConversationGroupId(UUID(int=7)),
        conversation_handle=handle(order),
        message_sequence_number=order,
        service_name=ServiceName("Entrepôt"),
        service_contract_name=ContractName("Livraison"),
        message_type_name=MessageTypeName("Ordre"),
        message_body=None if order % 2 else b"<o/>",
        message_enqueue_time=TIME,
    )


def taken(count: int) -> MessagesTaken:
    return MessagesTaken(at=TIME, database=VENTES, queue=QUEUE, count=count)


def rows(store: Store, database: DatabaseName = VENTES) -> DatabaseRows:
    """The rows of a database as loaded; none is the same as an empty one."""
    found = {each.name: each for each in put_together(store.load().databases)}
    return found.get(database, DatabaseRows(name=database))


class StoreContract(ABC):
    @abstractmethod
    def open_store(self) -> Store:
        """The store that the tests are about."""

    @abstractmethod
    def reopen(self, store: Store) -> Store:
        """What another process would see after this one ended."""

    @pytest.fixture
    def store(self) -> Iterator[Store]:
        store = self.open_store()
        yield store
        store.close()

    def test_a_store_that_was_never_committed_to_is_an_empty_instance(self, store: Store):
        state = store.load()
        assert state.catalog == InstanceCatalog(name=PARIS)
        assert (list(state.databases), state.last_event) == ([], 0)
        assert list(store.events_after(EventSequence(0), 10)) == []

    def test_what_was_committed_is_loaded_again_unchanged(self, store: Store):
        catalog = InstanceCatalog(
            name=PARIS,
            revision=CatalogRevision(3),
            databases={
                VENTES: DatabaseCatalog(
                    name=VENTES, broker_instance=BrokerInstanceId(UUID(int=9)), queues={QUEUE: Queue(QUEUE)}
                )
            },
            host_names=("paris.example",),
        )
        endpoints = [endpoint(1), endpoint(2, ConversationState.CONVERSING)]
        transmission = [waiting(1, 0), waiting(1, 1, None), waiting(2, 0)]
        messages = [queued(1), queued(2, QueueRowStatus.DISABLED)]
        store.commit(
            [
                PutCatalog(catalog=catalog),
                *(PutEndpoint(database=VENTES, endpoint=each) for each in endpoints),
                *(AppendTransmission(database=VENTES, row=each) for each in reversed(transmission)),
                *(AppendQueue(database=VENTES, queue=QUEUE, row=each) for each in reversed(messages)),
            ],
            [CatalogApplied(at=TIME, revision=CatalogRevision(3))],
        )

        state = self.reopen(store).load()

        assert state.catalog == catalog
        assert state.last_event == 1
        expected = DatabaseRows(name=VENTES, endpoints=endpoints, transmission=transmission, queues={QUEUE: messages})
        assert put_together(state.databases) == [expected]

    def test_a_catalog_changed_after_its_commit_is_not_changed_in_the_store(self, store: Store):
        catalog = InstanceCatalog(name=PARIS, revision=CatalogRevision(1))
        store.commit([PutCatalog(catalog=catalog)], [])
        catalog.revision = CatalogRevision(2)
        assert store.load().catalog.revision == 1

    def test_an_endpoint_is_replaced_by_its_handle_and_dropped_by_it(self, store: Store):
        store.commit([PutEndpoint(database=VENTES, endpoint=endpoint(1))], [])
        changed = endpoint(1, ConversationState.CLOSED)
        store.commit([PutEndpoint(database=VENTES, endpoint=changed)], [])
        assert rows(store).endpoints == [changed]
        store.commit([DropEndpoint(database=VENTES, conversation_handle=handle(1))], [])
        assert rows(store).endpoints == []

    def test_an_endpoint_is_kept_with_its_security_and_what_it_asks_for(self, store: Store):
        key = SessionKeyRow(UUID(int=9), KeySuite.AES_256_GCM, SealedKey(b"\x00sealed"))
        header = DialogSecurityHeader(
            recipient=CertificateReference("CN=Magasinier", "1f"), key_exchange_key=b"\xff", session_key=b"\x00"
        )
        security = DialogSecurity(
            kind=SecurityKind.FULL, principal="Vendeur", far_principal="Fournisseur", outbound=key, header=header
        )
        secured = msgspec.structs.replace(endpoint(1), security=security, is_encryption_wanted=True, sent_by=b"\x00way")
        asking = msgspec.structs.replace(endpoint(2), asks_for_binding="Entrepôt")
        store.commit([PutEndpoint(database=VENTES, endpoint=each) for each in (secured, asking)], [])
        assert rows(self.reopen(store)).endpoints == [secured, asking]

    def test_keys_of_what_is_gone_are_kept_in_their_order_and_dropped_by_their_side(self, store: Store):
        key = SessionKeyRow(UUID(int=9), KeySuite.MD5, SealedKey(b"\x00sealed"))
        keys = DialogSecurity(kind=SecurityKind.FULL, outbound=key)

        def gone(number: int, *, is_initiator: bool = True) -> DepartedSession:
            conversation_id = ConversationId(UUID(int=number))
            return DepartedSession(conversation_id=conversation_id, is_initiator=is_initiator, security=keys)

        sessions = [gone(3), gone(1), gone(1, is_initiator=False)]
        for database, session in [*((VENTES, each) for each in sessions), (STOCK, gone(1))]:
            store.commit([PutDepartedSession(database=database, session=session)], [])
        newer = msgspec.structs.replace(gone(3), security=DialogSecurity(kind=SecurityKind.FULL, inbound=key))
        store.commit([PutDepartedSession(database=VENTES, session=newer)], [])
        store = self.reopen(store)
        assert rows(store).departed == [newer, *sessions[1:]]
        drop = DropDepartedSession(database=VENTES, conversation_id=ConversationId(UUID(int=1)), is_initiator=True)
        store.commit([drop, drop], [])
        assert rows(store).departed == [newer, sessions[2]]
        store.commit([DropDatabaseRows(database=VENTES)], [])
        assert (rows(store).departed, rows(store, STOCK).departed) == ([], [gone(1)])

    def test_the_same_handle_in_two_databases_is_two_endpoints(self, store: Store):
        store.commit([PutEndpoint(database=each, endpoint=endpoint(1)) for each in (VENTES, STOCK)], [])
        store.commit([DropEndpoint(database=STOCK, conversation_handle=handle(1))], [])
        assert rows(store, VENTES).endpoints == [endpoint(1)]

    def test_a_trim_takes_one_conversation_up_to_and_including_its_number(self, store: Store):
        store.commit(
            [AppendTransmission(database=VENTES, row=waiting(number, n)) for number in (1, 2) for n in range(4)], []
        )
        store.commit([TrimTransmission(database=VENTES, conversation_handle=handle(1), through=2)], [])
        left = [(row.conversation_handle.int, row.message_sequence_number) for row in rows(store).transmission]
        assert left == [(1, 3), (2, 0), (2, 1), (2, 2), (2, 3)]

    def test_queue_rows_change_status_and_go_by_their_order(self, store: Store):
        store.commit(
            [AppendQueue(database=VENTES, queue=QUEUE, row=queued(n, QueueRowStatus.DISABLED)) for n in (1, 2, 3)], []
        )
        ready = SetQueueRowStatus(database=VENTES, queue=QUEUE, queuing_orders=(2, 3), status=QueueRowStatus.READY)
        store.commit([ready], [])
        store.commit([RemoveQueue(database=VENTES, queue=QUEUE, queuing_orders=(1, 3))], [])
        assert rows(store).queues == {QUEUE: [queued(2)]}

    def test_fragments_are_kept_with_their_place_in_the_message(self, store: Store):
        fragment = msgspec.structs.replace(
            queued(2, QueueRowStatus.DISABLED), fragment_number=3, fragment_bytes=1024, message_bytes=4000
        )
        large = msgspec.structs.replace(waiting(1, 0), fragment_bytes=1024)
        store.commit(
            [
                AppendQueue(database=VENTES, queue=QUEUE, row=fragment),
                AppendTransmission(database=VENTES, row=large),
                AppendTransmission(database=VENTES, row=waiting(1, 1)),
            ],
            [],
        )
        kept = rows(self.reopen(store))
        assert kept.queues[QUEUE] == [fragment]
        assert kept.queues[QUEUE][0].fragment == Fragment(3, 1024, 4000)
        assert [row.fragment_bytes for row in kept.transmission] == [1024, None]

    def test_queue_rows_change_their_group_and_are_admitted_by_their_order(self, store: Store):
        waiting_rows = [msgspec.structs.replace(queued(n), awaits_queue=True) for n in (1, 2, 3)]
        store.commit([AppendQueue(database=VENTES, queue=QUEUE, row=each) for each in waiting_rows], [])
        assert rows(self.reopen(store)).queues == {QUEUE: waiting_rows}
        group = ConversationGroupId(UUID(int=99))
        store = self.reopen(store)
        store.commit(
            [
                AdmitQueueRows(database=VENTES, queue=QUEUE, queuing_orders=(1, 3, 9)),
                SetQueueRowGroup(database=VENTES, queue=QUEUE, queuing_orders=(3, 9), conversation_group_id=group),
            ],
            [],
        )
        moved = msgspec.structs.replace(queued(3), conversation_group_id=group)
        assert rows(self.reopen(store)).queues == {QUEUE: [queued(1), waiting_rows[1], moved]}

    def test_a_conversation_timer_is_kept(self, store: Store):
        ticking = msgspec.structs.replace(endpoint(1), dialog_timer=TIME)
        store.commit([PutEndpoint(database=VENTES, endpoint=each) for each in (ticking, endpoint(2))], [])
        assert rows(self.reopen(store)).endpoints == [ticking, endpoint(2)]

    def test_changes_of_one_commit_happen_in_their_order(self, store: Store):
        """Append, trim and append again of one number: only order tells the second from a duplicate."""
        store.commit(
            [
                AppendTransmission(database=VENTES, row=waiting(1, 0, b"old")),
                TrimTransmission(database=VENTES, conversation_handle=handle(1), through=0),
                AppendTransmission(database=VENTES, row=waiting(1, 0, b"new")),
            ],
            [],
        )
        assert [row.message_body for row in rows(store).transmission] == [b"new"]

    def test_deleting_what_is_absent_is_no_error(self, store: Store):
        store.commit(
            [
                DropEndpoint(database=VENTES, conversation_handle=handle(9)),
                TrimTransmission(database=VENTES, conversation_handle=handle(9), through=9),
                RemoveQueue(database=VENTES, queue=QUEUE, queuing_orders=(9,)),
                SetQueueRowStatus(database=VENTES, queue=QUEUE, queuing_orders=(9,), status=QueueRowStatus.READY),
                DropDatabaseRows(database=VENTES),
            ],
            [],
        )
        assert rows(store) == DatabaseRows(name=VENTES)

    def test_a_dropped_database_loses_all_its_rows_and_no_other_does(self, store: Store):
        for database in (VENTES, STOCK):
            store.commit(
                [
                    PutEndpoint(database=database, endpoint=endpoint(1)),
                    AppendTransmission(database=database, row=waiting(1, 0)),
                    AppendQueue(database=database, queue=QUEUE, row=queued(1)),
                ],
                [],
            )
        store.commit([DropDatabaseRows(database=STOCK)], [])
        reopened = self.reopen(store)
        assert rows(reopened, STOCK) == DatabaseRows(name=STOCK)
        kept = rows(reopened, VENTES)
        assert (kept.endpoints, kept.transmission, kept.queues) == (
            [endpoint(1)],
            [waiting(1, 0)],
            {QUEUE: [queued(1)]},
        )

    def test_a_reply_is_remembered_by_its_command(self, store: Store):
        command, reply = CommandId(uuid4()), MessagesReceived(messages=(queued(1), queued(2)))
        store.commit([PutCommandReply(command_id=command, reply=reply, replied_at=TIME)], [])
        reopened = self.reopen(store)
        assert reopened.reply_of(command) == reply
        assert reopened.reply_of(CommandId(uuid4())) is None

    def test_events_are_numbered_without_gaps_across_commits(self, store: Store):
        assert store.commit([], [taken(1), taken(2)]) == 1
        assert store.commit([PutEndpoint(database=VENTES, endpoint=endpoint(1))], []) == 3
        assert self.reopen(store).commit([], [taken(3)]) == 3

    def test_events_are_read_after_a_number_up_to_a_limit(self, store: Store):
        events = [taken(n) for n in range(1, 6)]
        store.commit([], events)
        assert self.numbered(store.events_after(EventSequence(2), 2)) == [(3, events[2]), (4, events[3])]
        assert self.numbered(store.events_after(EventSequence(5), 2)) == []
        assert store.load().last_event == 5

    def test_the_oldest_events_and_replies_are_forgotten_the_newest_never(self, store: Store):
        surplus = 2_500
        commands = [CommandId(uuid4()) for _ in range(1 + COMMAND_REPLIES_KEPT + surplus)]
        reply = MessageSent(message_sequence_number=1)
        for begin in range(0, len(commands), 500):
            at = UtcTime(TIME + 4 * begin)  # all are old enough to go
            batch = commands[begin : begin + 500]
            store.commit([PutCommandReply(command_id=each, reply=reply, replied_at=at) for each in batch], [])
        assert store.reply_of(commands[0]) is None
        assert all(store.reply_of(each) == reply for each in commands[-COMMAND_REPLIES_KEPT::97])

        total = EVENTS_KEPT + surplus
        for _ in range(total // 500):
            store.commit([], [taken(1)] * 500)
        kept = store.events_after(EventSequence(0), total)
        assert EVENTS_KEPT <= len(kept) < total
        assert kept[-1][0] == total

    def test_a_commit_that_fails_in_the_middle_keeps_nothing_of_it(self, store: Store):
        store.commit([AppendTransmission(database=VENTES, row=waiting(1, 0))], [taken(1)])
        command = CommandId(uuid4())
        with pytest.raises(StoreFailed):
            store.commit(
                [
                    PutCatalog(catalog=InstanceCatalog(name=PARIS, revision=CatalogRevision(8))),
                    PutEndpoint(database=VENTES, endpoint=endpoint(1)),
                    AppendQueue(database=STOCK, queue=QUEUE, row=queued(1)),
                    TrimTransmission(database=VENTES, conversation_handle=handle(1), through=-1),
                    PutCommandReply(command_id=command, reply=MessageSent(message_sequence_number=0), replied_at=TIME),
                    AppendTransmission(database=VENTES, row=waiting(1, 0)),
                ],
                [taken(2)],
            )
        reopened = self.reopen(store)
        assert (reopened.load().catalog.revision, reopened.load().last_event) == (0, 1)
        assert rows(reopened) == DatabaseRows(name=VENTES, transmission=[waiting(1, 0)])
        assert rows(reopened, STOCK) == DatabaseRows(name=STOCK)
        assert reopened.reply_of(command) is None

    @staticmethod
    def numbered(events: Sequence[tuple[EventSequence, BrokerEvent]]) -> list[tuple[int, BrokerEvent]]:
        return [(int(number), event) for number, event in events]
