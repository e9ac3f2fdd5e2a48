"""What an idle conversation costs (protocol.md 5: about 1 KB), and that those which share nothing share nothing."""

import gc
import tracemalloc
from uuid import UUID

import msgspec
import pytest

from engine.core.exchange.commands import BeginDialog
from engine.core.handlers.broker import Broker
from engine.core.handlers.conversations import begin_dialog
from engine.core.handlers.inbound import accept
from engine.core.routing.decision import Classification, ClassifierDecision, Origin
from engine.core.routing.shared_decisions import SHARED_MAX, SharedDecisions
from engine.core.transmission.work_table import MemoryWorkTable
from engine.core.vocabulary.moment import Instant, Now, UtcTime
from engine.core.vocabulary.settings import EngineSettings
from tests.engine.unit.core.test_conversation_table import begin, broker_that_keeps
from tests.engine.unit.core.test_sender_and_receiver import held, receiving, row, sender
from tests.support.world import EPOCH, World

BYTES_MAX = 1_300
"""Three UUIDs of 100 bytes each and all indexes included; what Python's objects cost differs a little by version."""

WAY = ("Ventes", "Stock", True)
ANYWHERE = ClassifierDecision(
    classification=Classification.DELAYED, origin=Origin.INSIDE, table="Ventes", match_step=None
)


@pytest.mark.slow
def test_an_idle_endpoint_with_its_indexes_takes_about_a_kilobyte():
    world = World()
    node = world.instance("PARIS", world.database("Ventes", ["Client"]))
    broker = Broker(node.instance.catalog, EngineSettings(), world.entropy, accept, MemoryWorkTable())
    broker.begin(Now(Instant(0.0), UtcTime(EPOCH)))
    command = BeginDialog(command_id=UUID(int=1), database="Ventes", from_service="Client", to_service="Nulle")
    begin_dialog(broker, command)
    broker.outcome()
    gc.collect()
    tracemalloc.start()
    for _ in range(2_000):
        begin_dialog(broker, command)
    broker.outcome()
    gc.collect()
    held_bytes, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert held_bytes / 2_000 < BYTES_MAX


def test_a_written_endpoint_is_gone_at_once_without_the_garbage_collector():
    broker, _ = broker_that_keeps(0)
    begin(broker, 1)
    broker.outcome()
    gc.collect()
    gc.disable()
    try:
        [endpoint] = broker.conversations.all_live()
        before = len(gc.get_referrers(endpoint.sender))
        sender_of_it = endpoint.sender
        del endpoint
        broker.conversations.flush_now()
        left = len(gc.get_referrers(sender_of_it))
    finally:
        gc.enable()
    assert (before, left) == (1, 0)


def test_what_one_sender_has_no_other_has():
    busy, idle = sender(3), sender(0)
    assert len(busy.due(0.0)) == 3
    assert (len(busy), len(idle), idle.wake_at(), idle.has_work) == (3, 0, None, False)
    busy.acknowledge(2, 0, (2, 0), 1.0)
    assert (len(busy), busy.wake_at()) == (0, None)
    busy.enqueue(row(3))
    assert [piece.position for piece in busy.due(2.0)] == [(3, 0)]
    assert (len(sender(0)), sender(0).wake_at()) == (0, None)


def test_what_one_receiver_holds_no_other_holds():
    busy, idle = receiving(0), receiving(0)
    busy.hold(held(1, 7))
    assert (busy.has_held, idle.has_held, idle.out_of_order()) == (True, False, [])
    busy.forget_held()
    idle.hold(held(2, 8))
    assert (busy.has_held, idle.out_of_order(), receiving(0).has_held) == (False, [(2, 0)], False)


def test_equal_decisions_of_one_way_are_one_object():
    decisions = SharedDecisions()
    first = decisions.shared(WAY, ANYWHERE)
    alike = msgspec.structs.replace(ANYWHERE)
    assert alike is not first
    assert decisions.shared(WAY, alike) is first
    other = msgspec.structs.replace(ANYWHERE, others=1)
    assert decisions.shared(WAY, other) is other
    assert decisions.shared(("Ventes", "Stock", False), alike) is alike


def test_ways_in_any_number_are_bounded():
    decisions = SharedDecisions()
    for number in range(SHARED_MAX + 1):
        decisions.shared(("Ventes", f"Service{number}", True), ANYWHERE)
    assert len(decisions) == 1
