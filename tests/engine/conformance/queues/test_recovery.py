"""What of a queue survives the end of the process, in every store (protocol.md 4, 10, 11, 14, 15, 16)."""

import pytest

from engine.core.catalog.changes import PriorityCreated, QueueAltered
from engine.core.catalog.objects import BrokerPriority
from engine.core.catalog.revision import copy
from engine.core.exchange.changes import PutCatalog
from engine.core.exchange.commands import BeginConversationTimer, MoveConversation, SetQueueStatus
from engine.core.vocabulary.rows import QueueRowStatus
from engine.storage.sqlite import SqliteStore

TIMER = "http://schemas.microsoft.com/SQL/ServiceBroker/DialogTimer"


@pytest.fixture(params=["memory", "sqlite"])
def kept(request, desk, tmp_path):
    """A desk whose `crash` ends the process that has the store as well."""
    if request.param == "memory":
        yield desk
        return
    node, path = desk.node, tmp_path / "paris.sqlite3"

    def open_store():
        node.store = SqliteStore(path, node.name)

    def crash():
        node.kill()
        node.store.close()
        open_store()
        node.start()

    catalog = copy(node.instance.catalog)
    open_store()
    node.store.commit([PutCatalog(catalog=catalog)], [])
    node.start()
    desk.crash = crash
    yield desk
    node.store.close()


def test_open_transactions_are_rolled_back_and_committed_ones_stay(kept):
    client = kept.ask("a", "b", "c")
    done, open_one = kept.begin(), kept.begin()
    assert kept.read(done, top=1) == ["a"]
    kept.say(client, "d", transaction=done)
    kept.commit(done)
    [row] = kept.receive(open_one, top=1).messages
    kept.end(row.conversation_handle, transaction=open_one)
    kept.crash()
    assert kept.commit(open_one).number == 3902
    assert kept.read() == ["b", "c", "d"]


def test_retained_ready_and_waiting_messages_stay_what_they_are(kept):
    kept.define(QueueAltered(database="Ventes", name="dbo.Guichet", is_retention_enabled=True))
    kept.ask("received", "ready")
    assert kept.read(top=1) == ["received"]
    kept.do(SetQueueStatus, queue="dbo.Guichet", is_enabled=False)
    kept.ask("waiting")
    kept.crash()
    queue = kept.queue()
    assert (queue.is_enabled, queue.retained, queue.ready, queue.awaiting) == (False, 1, 1, 1)
    rows = {row.message_body: (row.status, row.awaits_queue) for row in kept.stored_rows()}
    assert rows == {
        b"received": (QueueRowStatus.RECEIVED_RETAINED, False),
        b"ready": (QueueRowStatus.READY, False),
        b"waiting": (QueueRowStatus.READY, True),
    }
    kept.do(SetQueueStatus, queue="dbo.Guichet", is_enabled=True)
    kept.crash()
    assert (kept.read(), kept.read()) == (["ready"], ["waiting"])


def test_timers_priorities_and_groups_stay(kept):
    priority = BrokerPriority("urgent", remote_service="Client", level=9)
    kept.ask("usual")
    kept.define(PriorityCreated(database="Ventes", priority=priority))
    client = kept.ask("urgent")
    usual, urgent = kept.node.instance.peek("Ventes", "dbo.Guichet", 2).messages
    kept.do(
        MoveConversation,
        conversation_handle=usual.conversation_handle,
        conversation_group_id=urgent.conversation_group_id,
    )
    kept.do(BeginConversationTimer, conversation_handle=client, timeout_seconds=60)
    kept.crash()
    assert kept.read() == ["urgent", "usual"]
    kept.world.run(61)
    assert [row.message_type_name for row in kept.receive(queue="Client").messages] == [TIMER]
    kept.crash()
    kept.world.run(61)
    assert kept.receive(queue="Client").messages == ()


def test_a_queue_that_poison_switched_off_stays_off(kept):
    kept.ask("poison")
    for _ in range(5):
        session = kept.begin()
        assert kept.read(session) == ["poison"]
        kept.roll_back(session)
    kept.crash()
    assert kept.receive().number == 9617
    kept.do(SetQueueStatus, queue="dbo.Guichet", is_enabled=True)
    assert kept.read() == ["poison"]


def a_day_at_the_counter(desk, crash):
    """Priorities, copies, moved groups, a queue that is off, transactions; answers what was seen, restarts or not."""
    seen = []

    def look():
        queue = desk.queue()
        rows = desk.node.instance.peek("Ventes", "dbo.Guichet", 100).messages
        seen.append((queue.ready, queue.disabled, queue.retained, queue.awaiting))
        seen.append([(row.message_body, row.status, row.priority, row.queuing_order) for row in rows])

    desk.define(QueueAltered(database="Ventes", name="dbo.Guichet", is_retention_enabled=True))
    clients = [desk.ask(f"{number} first", f"{number} second", f"{number} third") for number in range(4)]
    priority = BrokerPriority("urgent", remote_service="Client", level=9)
    desk.define(PriorityCreated(database="Ventes", priority=priority))
    clients += [desk.ask(f"{number} first", f"{number} second") for number in (4, 5)]
    crash()
    look()
    moved, target = [desk.node.instance.peek("Ventes", "dbo.Guichet", 100).messages[at] for at in (3, 9)]
    group = target.conversation_group_id
    desk.do(MoveConversation, conversation_handle=moved.conversation_handle, conversation_group_id=group)
    crash()
    seen.append(desk.read(top=2))
    desk.do(SetQueueStatus, queue="dbo.Guichet", is_enabled=False)
    for client in clients:
        desk.say(client, "while off")
    crash()
    look()
    desk.do(SetQueueStatus, queue="dbo.Guichet", is_enabled=True)
    desk.end(clients[3])
    desk.end(clients[0], error_code=50_000, error_description="no more")
    crash()
    look()
    session = desk.begin()
    seen.append(desk.read(session, top=3))
    desk.roll_back(session)
    while rows := desk.receive(top=4).messages:
        seen.append([row.message_body for row in rows])
        if len(seen) % 3 == 0:
            crash()
    look()
    return seen


def test_a_day_is_the_same_however_often_the_process_ends(kept):
    assert a_day_at_the_counter(kept, kept.crash) == a_day_at_the_counter(type(kept)(), lambda: None)
