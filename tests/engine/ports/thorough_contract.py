"""The contract of a store, looked at harder: mixed changes, odd characters, large bodies, events across commits."""

import random
from collections.abc import Callable, Iterable, Sequence
from uuid import UUID

import msgspec
import pytest

from engine.core.exchange.changes import (
    AdmitQueueRows,
    AppendQueue,
    AppendTransmission,
    DropDatabaseRows,
    DropDepartedSession,
    DropEndpoint,
    PutDepartedSession,
    PutEndpoint,
    RemoveQueue,
    SetQueueRowGroup,
    SetQueueRowStatus,
    StateChange,
    TrimTransmission,
)
from engine.core.vocabulary.dialog_security import (
    DialogSecurity,
    SecurityKind,
)
from engine.core.vocabulary.identifiers import (
    ConversationGroupId,
    ConversationId,
    DatabaseName,
    EventSequence,
    QueueName,
    ServiceName,
)
from engine.core.vocabulary.rows import (
    ConversationState,
    DatabaseRows,
    DepartedSession,
    QueueRowStatus,
)
from engine.runtime.ports import Store
from engine.storage.errors import StoreFailed
from engine.storage.memory import MemoryStore
from tests.engine.ports.reading_contract import ReadingContract
from tests.engine.ports.store_contract import (
    PARIS,
    QUEUE,
    STOCK,
    VENTES,
    endpoint,
    handle,
    queued,
    rows,
    taken,
    waiting,
)


def any_change(chance: random.Random, generation: int) -> StateChange:
    """A change of a few rows that others touch, too; rarely one that a store must refuse."""
    database = chance.choice((VENTES, VENTES, VENTES, STOCK))
    number, order = chance.randrange(3), chance.randrange(6)
    orders = tuple(chance.sample(range(8), chance.randrange(1, 5)))
    group = ConversationGroupId(UUID(int=chance.randrange(100)))
    state = chance.choice(list(ConversationState))
    session = DepartedSession(
        conversation_id=ConversationId(UUID(int=number)),
        is_initiator=chance.random() < 0.5,
        security=DialogSecurity(kind=SecurityKind.FULL, principal=str(generation)),
    )
    queue = chance.choice((QUEUE, QUEUE, QueueName("dbo.Q")))
    fresh = chance.randrange(1_000_000) if chance.random() < 0.97 else order
    side = {"conversation_id": session.conversation_id, "is_initiator": session.is_initiator}
    makers: Sequence[Callable[[], StateChange]] = (
        lambda: PutEndpoint(database=database, endpoint=endpoint(number, state)),
        lambda: DropEndpoint(database=database, conversation_handle=handle(number)),
        lambda: AppendTransmission(database=database, row=waiting(number, fresh)),
        lambda: TrimTransmission(
            database=database, conversation_handle=handle(number), through=chance.randrange(1_000_000)
        ),
        lambda: AppendQueue(database=database, queue=queue, row=queued(10 + fresh)),
        lambda: AppendQueue(database=database, queue=queue, row=queued(order)),
        lambda: RemoveQueue(database=database, queue=queue, queuing_orders=orders),
        lambda: RemoveQueue(database=database, queue=queue, queuing_orders=tuple(range(8))),
        lambda: SetQueueRowStatus(
            database=database, queue=queue, queuing_orders=orders, status=chance.choice(list(QueueRowStatus))
        ),
        lambda: SetQueueRowGroup(database=database, queue=queue, queuing_orders=orders, conversation_group_id=group),
        lambda: AdmitQueueRows(database=database, queue=queue, queuing_orders=orders),
        lambda: PutDepartedSession(database=database, session=session),
        lambda: DropDepartedSession(database=database, **side),
        lambda: DropDatabaseRows(database=STOCK),
    )
    return chance.choice(makers)()


def is_accepted(store: Store, changes: Sequence[StateChange]) -> bool:
    """Commit changes with one event; False when the store refuses them."""
    try:
        store.commit(changes, [taken(1)])
    except StoreFailed:
        return False
    return True


def remembered(commits: Iterable[Sequence[StateChange]]) -> MemoryStore:
    """What the store without a disk has after some commits."""
    store = MemoryStore(PARIS)
    for changes in commits:
        store.commit(changes, [taken(1)])
    return store


class ThoroughStoreContract(ReadingContract):
    """What is easily wrong in a store that does things together or in another order."""

    def test_events_of_several_commits_are_read_from_the_middle_of_one_to_the_middle_of_another(self, store: Store):
        events = [taken(n) for n in range(1, 31)]
        for at in range(0, 30, 10):
            store.commit([], events[at : at + 10])
        for after, limit in ((0, 5), (5, 10), (9, 1), (10, 1), (13, 16), (19, 11), (29, 9)):
            expected = [(number + 1, events[number]) for number in range(after, min(after + limit, 30))]
            assert self.numbered(store.events_after(EventSequence(after), limit)) == expected

    def test_any_characters_and_any_bytes_are_kept(self, store: Store):
        odd = ServiceName("a\\b\\0\0𝄞 %s ' \" é")
        asking = msgspec.structs.replace(endpoint(1), far_service=odd, asks_for=ServiceName("\\"))
        bodies = [b"", None, bytes(range(256)), b"\\x00"]
        database = DatabaseName("ventes\\0")
        store.commit(
            [
                PutEndpoint(database=database, endpoint=asking),
                *(AppendTransmission(database=database, row=waiting(1, n, body)) for n, body in enumerate(bodies)),
                *(AppendQueue(database=database, queue=QueueName("\\0"), row=queued(n)) for n in range(2)),
            ],
            [],
        )
        store.commit([RemoveQueue(database=database, queue=QueueName("\\0"), queuing_orders=(0,))], [])
        kept = rows(self.reopen(store), database)
        assert kept.endpoints == [asking]
        assert [row.message_body for row in kept.transmission] == bodies
        assert kept.queues == {QueueName("\\0"): [queued(1)]}
        store = self.reopen(store)
        store.commit([DropDatabaseRows(database=database)], [])
        assert rows(store, database) == DatabaseRows(name=database)

    def test_large_bodies_are_kept_in_one_commit(self, store: Store):
        bodies = [bytes([n]) * 3_000_000 for n in range(4)]
        large = [msgspec.structs.replace(queued(n), message_body=body) for n, body in enumerate(bodies)]
        store.commit(
            [
                *(AppendTransmission(database=VENTES, row=waiting(1, n, body)) for n, body in enumerate(bodies)),
                *(AppendQueue(database=VENTES, queue=QUEUE, row=row) for row in large),
            ],
            [],
        )
        kept = rows(self.reopen(store))
        assert [row.message_body for row in kept.transmission] == bodies
        assert kept.queues == {QUEUE: large}

    @pytest.mark.parametrize("seed", range(12))
    def test_mixed_changes_leave_what_they_leave_in_memory(self, store: Store, seed: int):
        """Whatever a store does together or in another order must look as if it had been done one by one."""
        chance = random.Random(seed)
        kept: list[Sequence[StateChange]] = []
        for number in range(40):
            changes = [any_change(chance, number) for _ in range(chance.randrange(1, 25))]
            if is_accepted(remembered(kept), changes):
                assert is_accepted(store, changes)
                kept.append(changes)
            if number % 8 == 7:
                model = remembered(kept)
                for database in (VENTES, STOCK):
                    assert rows(store, database) == rows(model, database)
        assert store.load().last_event == len(kept)
        twice = AppendQueue(database=VENTES, queue=QUEUE, row=queued(10_000_000))
        assert not is_accepted(store, [twice, twice])
