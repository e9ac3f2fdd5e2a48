"""Internal readers whose process dies: protocol.md 17.2 knows none, since the vendor's die with their server only."""

import pytest

from engine.core.catalog.changes import ActivationPatch, QueueAltered
from engine.core.exchange.commands import BeginTransaction
from engine.core.exchange.readers import ReaderEnded

QUEUE = "dbo.Guichet"


@pytest.fixture
def active(desk):
    patch = ActivationPatch(procedure_name="dbo.lire", max_queue_readers=3, execute_as="SELF", is_enabled=True)
    desk.define(QueueAltered(database="Ventes", name=QUEUE, activation=patch))
    return desk


def lose(desk, task):
    desk.node.feed(ReaderEnded(task=task, number=28088, detail="its worker has gone", is_lost=True))


def started(desk):
    return [reader.task for reader in desk.node.readers]


def state(desk):
    monitor = desk.queue().monitor
    return None if monitor is None else monitor.state


def test_a_reader_that_is_lost_before_it_received_is_followed_by_another_one(active):
    """Its end says nothing of the procedure, so activation goes on, one reader per 5 s (17.1 b)."""
    active.ask("a")
    lose(active, 1)
    assert started(active) == [1]
    active.world.run(5)
    assert started(active) == [1, 2]
    assert state(active) == "NOTIFIED"


def test_a_reader_that_is_lost_at_work_is_rolled_back_and_counts_as_a_rollback(active):
    """protocol.md 14: five rollbacks in a row, whoever died."""
    active.ask("a")
    for task in range(1, 6):
        session = active.node.do(BeginTransaction, task=task).transaction
        active.receive(session)
        lose(active, task)
        assert active.commit(session).number == 3902
        active.world.run(5)
    assert started(active) == [1, 2, 3, 4, 5]
    assert state(active) is None, "the queue is off"


def test_a_reader_that_is_lost_after_the_queue_was_drained_changes_nothing(active):
    active.ask("a")
    active.read()
    active.read()
    lose(active, 1)
    assert (state(active), started(active)) == ("INACTIVE", [1])
