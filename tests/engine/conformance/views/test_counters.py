"""The performance counters under the vendor's names, and what they count (views.md 6)."""

import pytest

from engine.core.catalog.changes import ActivationPatch, QueueAltered
from engine.core.exchange.commands import BeginTransaction, RollbackTransaction, Send
from engine.core.exchange.readers import ReaderEnded
from engine.core.system_views.counter_views import CounterType
from tests.engine.conformance.views.lively import lively_world
from tests.support.view_reading import rows_of
from tests.support.world import World, route

TOTALS_AND_RATES = (
    ("Enqueued Local Messages Total", "Enqueued Local Messages/sec"),
    ("Enqueued Messages Total", "Enqueued Messages/sec"),
    ("Enqueued Transport Msg Frag Tot", "Enqueued Transport Msg Frags/sec"),
    ("Enqueued Transport Msgs Total", "Enqueued Transport Msgs/sec"),
    ("Forwarded Messages Total", "Forwarded Messages/sec"),
    ("Forwarded Msg Byte Total", "Forwarded Msg Bytes/sec"),
    ("Forwarded Msg Discarded Total", "Forwarded Msgs Discarded/sec"),
    ("SQL RECEIVE Total", "SQL RECEIVEs/sec"),
    ("SQL SEND Total", "SQL SENDs/sec"),
)

NAMES = {
    "SQLServer:Broker Statistics": {
        "Activation Errors Total",
        "Broker Transaction Rollbacks",
        "Corrupted Messages Total",
        "Dequeued TransmissionQ Msgs/sec",
        "Dialog Timer Event Count",
        "Dropped Messages Total",
        "Enqueued TransmissionQ Msgs/sec",
        "Forwarded Pending Msg Bytes",
        "Forwarded Pending Msg Count",
        *(f"Enqueued P{priority} Messages/sec" for priority in range(1, 11)),
        *(name for pair in TOTALS_AND_RATES for name in pair),
    },
    "SQLServer:Broker/DBM Transport": {
        "Current Bytes for Recv I/O",
        "Current Bytes for Send I/O",
        "Current Msg Frags for Send I/O",
        *(f"Message Fragment P{priority} Sends/sec" for priority in range(1, 11)),
        "Message Fragment Receives/sec",
        "Message Fragment Sends/sec",
        "Msg Fragment Recv Size Avg",
        "Msg Fragment Recv Size Avg Base",
        "Msg Fragment Send Size Avg",
        "Msg Fragment Send Size Avg Base",
        "Open Connection Count",
        "Pending Bytes for Recv I/O",
        "Pending Bytes for Send I/O",
        "Pending Msg Frags for Recv I/O",
        "Pending Msg Frags for Send I/O",
        "Receive I/O bytes/sec",
        "Receive I/O Bytes Total",
        "Receive I/O Len Avg",
        "Receive I/O Len Avg Base",
        "Receive I/Os/sec",
        "Recv I/O Buffer Copies bytes/sec",
        "Recv I/O Buffer Copies Count",
        "Send I/O bytes/sec",
        "Send I/O Bytes Total",
        "Send I/O Len Avg",
        "Send I/O Len Avg Base",
        "Send I/Os/sec",
    },
    "SQLServer:Broker TO Statistics": {
        "Avg. Length of Batched Writes",
        "Avg. Length of Batched Writes Base",
        "Avg. Time Between Batches (ms)",
        "Avg. Time Between Batches (ms) Base",
        "Avg. Time to Write Batch (ms)",
        "Avg. Time to Write Batch (ms) Base",
        "Transmission Obj Gets/Sec",
        "Transmission Obj Set Dirty/Sec",
        "Transmission Obj Writes/Sec",
    },
    "SQLServer:Broker Activation": {
        "Stored Procedures Invoked/sec",
        "Task Limit Reached",
        "Task Limit Reached/sec",
        "Tasks Aborted/sec",
        "Tasks Running",
        "Tasks Started/sec",
    },
}


def counters(node):
    rows = rows_of(node, "sys.dm_os_performance_counters", rows_max=1000)
    return {row["counter_name"]: row["cntr_value"] for row in rows if not row["instance_name"]}


def test_the_names_are_the_vendors():
    rows = rows_of(World().instance("PARIS"), "sys.dm_os_performance_counters", rows_max=1000)
    found = {name: {row["counter_name"] for row in rows if row["object_name"] == name} for name in NAMES}
    assert found == NAMES
    assert {row["object_name"] for row in rows} == set(NAMES)


def test_activation_is_counted_for_each_database_and_for_all():
    world = World()
    node = world.instance("PARIS", world.database("Ventes", []))
    rows = rows_of(node, "sys.dm_os_performance_counters", rows_max=1000, where={"counter_name": "Tasks Running"})
    assert [row["instance_name"] for row in rows] == ["_Total", "master", "msdb", "Ventes"]


def test_the_type_says_how_to_read_a_value():
    for row in rows_of(World().instance("PARIS"), "sys.dm_os_performance_counters", rows_max=1000):
        kind = CounterType(row["cntr_type"])
        name = row["counter_name"].lower()
        assert (kind is CounterType.SUM_OF_RATE) == name.endswith("/sec"), name
        assert (kind is CounterType.BASE_OF_AVERAGE) == name.endswith(" base"), name


@pytest.fixture(scope="module")
def nodes():
    return lively_world()[1:]


def test_sends_and_rows_of_the_transmission_queue_are_counted(nodes):
    paris, berlin = counters(nodes[0]), counters(nodes[2])
    assert paris["SQL SEND Total"] == 4
    assert (paris["Enqueued Messages Total"], paris["Enqueued Local Messages Total"]) == (1, 1)
    assert (berlin["Enqueued Messages Total"], berlin["Enqueued Transport Msgs Total"]) == (1, 1)
    assert berlin["Enqueued P5 Messages/sec"] == 1
    in_queue = len(rows_of(nodes[0], "sys.transmission_queue", "Ventes"))
    assert in_queue == 2
    assert paris["Enqueued TransmissionQ Msgs/sec"] - paris["Dequeued TransmissionQ Msgs/sec"] == in_queue


def test_a_forwarder_counts_what_it_passes_on_and_what_waits(nodes):
    hub = counters(nodes[1])
    assert (hub["Forwarded Messages Total"], hub["Forwarded Pending Msg Count"]) == (1, 1)
    assert hub["Forwarded Msg Byte Total"] == 512 + len("un")
    assert hub["Forwarded Pending Msg Bytes"] == 512 + len("trois")


def test_fragments_are_counted_on_both_ends(nodes):
    paris, hub = counters(nodes[0]), counters(nodes[1])
    assert paris["Message Fragment Sends/sec"] == hub["Message Fragment Receives/sec"]
    assert paris["Msg Fragment Send Size Avg"] == hub["Msg Fragment Recv Size Avg"]
    assert paris["Msg Fragment Send Size Avg Base"] == paris["Message Fragment Sends/sec"]
    assert (paris["Open Connection Count"], hub["Open Connection Count"]) == (1, 0)


def test_what_the_operating_system_alone_knows_is_null(nodes):
    assert counters(nodes[0])["Pending Bytes for Send I/O"] is None


def test_without_a_network_there_is_no_io(nodes):
    assert counters(nodes[0])["Send I/Os/sec"] is None


@pytest.mark.parametrize(("total", "rate"), TOTALS_AND_RATES)
def test_a_rate_is_the_sum_that_its_total_shows(nodes, total, rate):
    for node in nodes:
        found = counters(node)
        assert found[total] == found[rate]


def test_receives_and_dropped_messages_are_counted():
    world = World()
    paris = world.instance("PARIS", world.database("Ventes", ["Client"], route("Nulle", "lyon")))
    lyon = world.instance("LYON")
    paris.say("Ventes", paris.begin("Ventes", "Client", "Nulle"), "x")
    world.run(1)
    paris.receive("Ventes", "Client")
    assert counters(paris)["SQL RECEIVE Total"] == 1
    assert counters(lyon)["Dropped Messages Total"] == 1


def test_what_was_counted_is_gone_after_a_restart_but_the_queue_is_not():
    paris = lively_world()[1]
    paris.kill()
    paris.start()
    found = counters(paris)
    assert found["SQL SEND Total"] == 0
    assert found["Enqueued TransmissionQ Msgs/sec"] == found["Dequeued TransmissionQ Msgs/sec"] == 0
    assert len(rows_of(paris, "sys.transmission_queue", "Ventes")) == 2


def of_activation(node, database):
    rows = rows_of(node, "sys.dm_os_performance_counters", rows_max=1000, where={"instance_name": database})
    return {row["counter_name"]: row["cntr_value"] for row in rows}


def test_readers_are_counted_in_their_database_and_in_all():
    world = World()
    node = world.instance("PARIS", world.database("Ventes", ["Client", "Caisse"]))
    once = ActivationPatch(procedure_name="dbo.lire", is_enabled=True, max_queue_readers=1, execute_as="OWNER")
    node.define(QueueAltered(database="Ventes", name="dbo.Caisse", activation=once))
    node.say("Ventes", node.begin("Ventes", "Client", "Caisse"), "1")
    for name in ("Ventes", "_Total"):
        assert of_activation(node, name) == {
            "Stored Procedures Invoked/sec": 1,
            "Task Limit Reached": 0,
            "Task Limit Reached/sec": 0,
            "Tasks Aborted/sec": 0,
            "Tasks Running": 1,
            "Tasks Started/sec": 1,
        }
    assert of_activation(node, "msdb")["Tasks Running"] == 0
    node.receive("Ventes", "Caisse")
    world.run(6)
    assert of_activation(node, "Ventes")["Task Limit Reached"] == 0
    for number in range(3):
        node.say("Ventes", node.begin("Ventes", "Client", "Caisse"), f"{number}")
        world.run(0.1)
    assert of_activation(node, "Ventes")["Task Limit Reached"] == 1
    node.feed(ReaderEnded(task=1, number=28088, detail="broken"))
    found = of_activation(node, "Ventes")
    assert [found[name] for name in ("Tasks Aborted/sec", "Tasks Started/sec", "Tasks Running")] == [1, 2, 1]
    assert counters(node)["Activation Errors Total"] == 1


def test_a_rollback_of_what_did_something_is_counted():
    world = World()
    node = world.instance("PARIS", world.database("Ventes", ["Client", "Caisse"]))
    handle = node.begin("Ventes", "Client", "Caisse")
    for does_something in (False, True):
        own = node.do(BeginTransaction).transaction
        if does_something:
            node.do(Send, database="Ventes", conversation_handle=handle, body=b"x", transaction=own)
        node.do(RollbackTransaction, transaction=own)
    assert counters(node)["Broker Transaction Rollbacks"] == 1


def test_what_waits_for_its_queue_is_counted_in_the_transmission_queue_until_it_is_let_in():
    world = World()
    node = world.instance("PARIS", world.database("Ventes", ["Client", "Caisse"]))
    node.define(QueueAltered(database="Ventes", name="dbo.Caisse", is_enabled=False))
    node.say("Ventes", node.begin("Ventes", "Client", "Caisse"), "1")
    names = ("Enqueued TransmissionQ Msgs/sec", "Dequeued TransmissionQ Msgs/sec", "Enqueued Messages Total")
    assert [counters(node)[name] for name in names] == [1, 0, 0]
    node.define(QueueAltered(database="Ventes", name="dbo.Caisse", is_enabled=True))
    assert [counters(node)[name] for name in names] == [1, 1, 1]
