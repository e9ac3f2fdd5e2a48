"""RETENTION: what was sent and received stays in the queue until this side ends the conversation (protocol.md 15)."""

import pytest

from engine.core.catalog.changes import QueueAltered, QueueCreated, ServiceAltered
from engine.core.catalog.objects import Queue
from engine.core.exchange.commands import Send
from engine.core.vocabulary.rows import QueueRowStatus

RECEIVED, SENT = QueueRowStatus.RECEIVED_RETAINED, QueueRowStatus.SENT_RETAINED


@pytest.fixture
def retaining(desk):
    desk.define(
        *(
            QueueAltered(database="Ventes", name=name, is_retention_enabled=True)
            for name in ("dbo.Guichet", "dbo.Client")
        )
    )
    return desk


def statuses(desk, queue):
    return [(row.message_body, row.status) for row in desk.stored_rows(queue)]


def test_a_received_message_stays_with_status_0_and_is_not_received_again(retaining):
    """protocol.md 4: RECEIVE committed, RETENTION on: status 0."""
    retaining.ask("a", "b")
    assert retaining.read(top=1) == ["a"]
    assert statuses(retaining, "Guichet") == [(b"a", RECEIVED), (b"b", QueueRowStatus.READY)]
    assert retaining.read() == ["b"]
    assert retaining.read() == []
    assert (retaining.queue().ready, retaining.queue().retained) == (0, 2)


def test_a_sent_message_is_copied_into_the_senders_queue_with_status_3(retaining):
    """protocol.md 4: SEND: status 3 copy if RETENTION on."""
    retaining.ask("a")
    assert statuses(retaining, "Client") == [(b"a", SENT)]
    assert retaining.read(queue="Client") == []


def test_a_rolled_back_receive_retains_nothing(retaining):
    retaining.ask("a")
    session = retaining.begin()
    assert retaining.read(session) == ["a"]
    retaining.roll_back(session)
    assert statuses(retaining, "Guichet") == [(b"a", QueueRowStatus.READY)]
    session = retaining.begin()
    assert retaining.read(session) == ["a"]
    retaining.commit(session)
    assert statuses(retaining, "Guichet") == [(b"a", RECEIVED)]


def test_what_is_retained_waits_for_no_queue(retaining):
    """A service moves to a queue that is off: what was received stays retained, what was not waits (protocol.md 4)."""
    retaining.ask("a", "b")
    assert retaining.read(top=1) == ["a"]
    retaining.define(
        QueueCreated(database="Ventes", queue=Queue("dbo.Neu", is_enabled=False)),
        ServiceAltered(database="Ventes", name="Guichet", queue="dbo.Neu"),
    )
    queue = retaining.queue("Neu")
    assert (queue.retained, queue.awaiting, queue.ready) == (1, 1, 0)


@pytest.mark.parametrize("crashes", [False, True])
def test_end_deletes_what_was_retained_on_this_side(retaining, crashes):
    """protocol.md 12: END deletes all messages of the conversation, also retained ones."""
    client = retaining.ask("a", "b")
    [row, _] = retaining.receive().messages
    if crashes:
        retaining.crash()
        assert (retaining.queue().retained, retaining.read()) == (2, [])
    retaining.end(row.conversation_handle)
    assert statuses(retaining, "Guichet") == []
    assert len(statuses(retaining, "Client")) == 3
    retaining.end(client)
    assert statuses(retaining, "Client") == []


def test_a_queue_that_retains_and_is_off_sends_nothing(retaining):
    """protocol.md 12: sender queue disabled with RETENTION on: 9618."""
    client = retaining.ask()
    retaining.define(QueueAltered(database="Ventes", name="dbo.Client", is_enabled=False))
    assert retaining.do(Send, conversation_handle=client, body=b"x").number == 9618
    assert retaining.read() == []
    retaining.define(QueueAltered(database="Ventes", name="dbo.Client", is_retention_enabled=False))
    assert retaining.do(Send, conversation_handle=client, body=b"x").message_sequence_number == 0
