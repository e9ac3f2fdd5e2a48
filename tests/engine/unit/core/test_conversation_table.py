"""Transmission objects leave memory when nobody needs them, in batches, and come back as they were (protocol.md 5)."""

from uuid import UUID

import msgspec
import pytest

from engine.core.catalog.revision import copy
from engine.core.dialog.endpoint import DialogEndpoint, TransmissionStatus
from engine.core.exchange.commands import BeginDialog, Send
from engine.core.exchange.events import ConversationGroupChanged
from engine.core.handlers import availability
from engine.core.handlers.broker import Broker
from engine.core.handlers.conversation_table import is_idle
from engine.core.handlers.conversations import begin_dialog, send
from engine.core.handlers.freezing import end_of_life
from engine.core.handlers.inbound import accept
from engine.core.transmission.work_table import MemoryWorkTable
from engine.core.vocabulary.limits import TRANSMISSION_OBJECT_BYTES
from engine.core.vocabulary.messages import Fragment
from engine.core.vocabulary.moment import Instant, Now, UtcTime
from engine.core.vocabulary.rows import ConversationState, QueueRow, QueueRowStatus
from engine.core.vocabulary.settings import DialogSettings, EngineSettings, TransmissionObjectSettings
from tests.support.view_reading import rows_of
from tests.support.world import EPOCH, World


def broker_that_keeps(kept: int, batch_rows: int = 1000) -> tuple[Broker, MemoryWorkTable]:
    world = World()
    node = world.instance("PARIS", world.database("Ventes", ["Client"]))
    objects = TransmissionObjectSettings(bytes_kept=kept * TRANSMISSION_OBJECT_BYTES, batch_rows=batch_rows)
    settings = msgspec.structs.replace(EngineSettings(), transmission_objects=objects)
    table = MemoryWorkTable()
    broker = Broker(node.instance.catalog, settings, world.entropy, accept, table)
    broker.begin(Now(Instant(0.0), UtcTime(EPOCH)))
    return broker, table


def begin(broker: Broker, count: int, **fields: object) -> list[UUID]:
    command = BeginDialog(
        command_id=UUID(int=1), database="Ventes", from_service="Client", to_service="Nulle", **fields
    )
    return [begin_dialog(broker, command).conversation_handle for _ in range(count)]


def say(broker: Broker, handle: UUID) -> None:
    send(broker, Send(command_id=UUID(int=1), database="Ventes", conversation_handle=handle, body=b"x"))


def written(count: int, **fields: object) -> tuple[Broker, MemoryWorkTable, list[UUID]]:
    """Conversations that have left memory."""
    broker, table = broker_that_keeps(0)
    handles = begin(broker, count, **fields)
    broker.conversations.flush_now()
    assert broker.conversations.live_count == 0
    return broker, table, handles


def test_no_more_stay_than_are_to_stay():
    broker, table = broker_that_keeps(10)
    begin(broker, 100)
    assert (broker.conversations.live_count, len(table)) == (100, 0)
    broker.conversations.flush(Instant(1.0))
    assert (broker.conversations.live_count, len(table), len(broker.conversations)) == (10, 90, 100)
    assert broker.conversations.total("Ventes") == 100


def test_nothing_is_written_while_there_is_room():
    broker, table = broker_that_keeps(10)
    begin(broker, 10)
    broker.conversations.flush(Instant(1.0))
    assert (broker.conversations.live_count, len(table)) == (10, 0)


def test_the_flusher_rests_between_two_rounds():
    broker, table = broker_that_keeps(0)
    begin(broker, 5)
    broker.conversations.flush(Instant(1.0))
    begin(broker, 5)
    broker.conversations.flush(Instant(1.9))
    assert len(table) == 5
    broker.conversations.flush(Instant(2.0))
    assert len(table) == 10


def test_objects_are_written_in_batches_and_counted():
    broker, _ = broker_that_keeps(0, batch_rows=4)
    begin(broker, 10)
    broker.conversations.flush(Instant(1.0))
    counters = broker.conversations.counters
    assert (counters.writes, counters.batches, counters.set_dirty) == (10, 3, 10)
    assert (counters.rounds, counters.seconds_between_rounds) == (0, 0.0)
    begin(broker, 1)
    broker.conversations.flush(Instant(3.5))
    assert (counters.writes, counters.batches, counters.set_dirty) == (11, 4, 11)
    assert (counters.rounds, counters.seconds_between_rounds) == (1, 2.5)


def test_whoever_has_something_to_send_stays_however_many_there_are():
    broker, table = broker_that_keeps(0)
    handles = begin(broker, 20)
    for handle in handles[:7]:
        say(broker, handle)
    broker.conversations.flush(Instant(1.0))
    assert [endpoint.row.conversation_handle for endpoint in broker.conversations.all_live()] == handles[:7]
    assert len(table) == 13


def test_those_that_are_needed_do_not_stand_in_the_way_for_ever(monkeypatch):
    monkeypatch.setattr("engine.core.handlers.conversation_table.EXAMINED_MAX", 5)
    broker, table = broker_that_keeps(0)
    handles = begin(broker, 12)
    for handle in handles[:6]:
        say(broker, handle)
    for second in range(1, 6):
        broker.conversations.flush(Instant(float(second)))
    assert len(table) == 6
    assert [endpoint.row.conversation_handle for endpoint in broker.conversations.look("Ventes")] == handles


def early(endpoint: DialogEndpoint, number: int, fragment: Fragment | None = None) -> QueueRow:
    return QueueRow(
        queuing_order=1,
        status=QueueRowStatus.DISABLED,
        priority=5,
        conversation_group_id=endpoint.row.conversation_group_id,
        conversation_handle=endpoint.row.conversation_handle,
        message_sequence_number=number,
        service_name="Client",
        service_contract_name="DEFAULT",
        message_type_name="DEFAULT",
        message_body=b"x" * 10,
        message_enqueue_time=UtcTime(EPOCH),
        fragment_number=fragment.number if fragment else None,
        fragment_bytes=fragment.size if fragment else None,
        message_bytes=fragment.message_bytes if fragment else None,
    )


REASONS_TO_STAY = {
    "an acknowledgement is owed": lambda endpoint: setattr(endpoint.receiver, "acknowledge_at", Instant(9.0)),
    "it is classified again later": lambda endpoint: setattr(endpoint, "reclassify_at", Instant(9.0)),
    "its connection has failed": lambda endpoint: setattr(endpoint, "is_cut_off", True),
    "its status says something": lambda endpoint: setattr(endpoint, "status", TransmissionStatus(9750, "9750: x")),
    "a message came early": lambda endpoint: endpoint.receiver.hold(early(endpoint, 3)),
    "a fragment came": lambda endpoint: endpoint.receiver.hold(early(endpoint, 0, Fragment(0, 10, 100))),
    "room is reserved": lambda endpoint: endpoint.receiver.classify(0, Fragment(0, 10, 100), 10),
}


@pytest.mark.parametrize("reason", REASONS_TO_STAY)
def test_an_object_stays_while(reason):
    broker, table = broker_that_keeps(0)
    begin(broker, 1)
    (endpoint,) = broker.conversations.all_live()
    assert is_idle(endpoint)
    REASONS_TO_STAY[reason](endpoint)
    assert not is_idle(endpoint)
    broker.conversations.flush(Instant(1.0))
    assert len(table) == 0


def written_one() -> tuple[Broker, MemoryWorkTable, object]:
    broker, table = broker_that_keeps(0)
    begin(broker, 1, lifetime_seconds=60)
    (endpoint,) = broker.conversations.all_live()
    endpoint.first_acknowledged = True
    broker.conversations.flush(Instant(1.0))
    assert (broker.conversations.live_count, len(table)) == (0, 1)
    return broker, table, endpoint


def same(found, before) -> bool:
    names = ("row", "serial", "announced", "first_acknowledged", "database", "broker_instance", "key")
    return [getattr(found, name) for name in names] == [getattr(before, name) for name in names]


def test_it_comes_back_by_its_handle_as_it_was():
    broker, table, before = written_one()
    found = broker.conversations.get(before.key)
    assert same(found, before)
    assert (broker.conversations.live_count, len(table)) == (1, 0)
    assert broker.conversations.get(before.key) is found
    assert found.scheduled_at == 60.0, "its deadline is on the agenda again"


def test_it_comes_back_by_its_side_of_the_conversation():
    broker, _, before = written_one()
    assert broker.conversations.side_in("Ventes", before.row.conversation_id, False) is None
    found = broker.conversations.side_in("Ventes", before.row.conversation_id, True)
    assert same(found, before)
    assert broker.conversations.get(before.key) is found


def test_it_comes_back_when_its_time_has_come():
    broker, table, before = written_one()
    assert broker.conversations.next_wake() == EPOCH + 60
    assert broker.conversations.take_due(UtcTime(EPOCH + 59)) == []
    (found,) = broker.conversations.take_due(UtcTime(EPOCH + 60))
    assert same(found, before)
    assert (len(table), broker.conversations.next_wake()) == (0, None)


def test_looking_at_it_leaves_it_where_it_is():
    broker, table, before = written_one()
    looked_at = [
        broker.conversations.look_at(before.key),
        broker.conversations.look_at_side("Ventes", before.row.conversation_id, True),
        *broker.conversations.look("Ventes"),
        *broker.conversations.look(),
        *broker.conversations.of_group("Ventes", before.row.conversation_group_id),
    ]
    assert len(looked_at) == 5
    assert all(same(found, before) for found in looked_at)
    assert (len(table), broker.conversations.live_count) == (1, 0)
    assert list(broker.conversations.look("Stock")) == []


def test_everything_of_a_database_can_be_brought_back():
    broker, table = broker_that_keeps(2)
    handles = begin(broker, 6)
    broker.conversations.flush(Instant(1.0))
    assert [endpoint.row.conversation_handle for endpoint in broker.conversations.all_of("Ventes")] == handles
    assert len(table) == 0


def test_order_is_that_of_making_whoever_is_where():
    broker, _ = broker_that_keeps(3)
    handles = begin(broker, 8)
    broker.conversations.flush(Instant(1.0))
    broker.conversations.get(("Ventes", handles[2]))
    broker.conversations.get(("Ventes", handles[0]))
    handles += begin(broker, 1)
    assert [endpoint.row.conversation_handle for endpoint in broker.conversations.look("Ventes")] == handles
    assert [endpoint.row.conversation_handle for endpoint in broker.conversations.all_live()] == [
        handles[0],
        handles[2],
        *handles[5:],
    ]


def test_what_is_gone_is_found_nowhere():
    broker, table, before = written_one()
    found = broker.conversations.get(before.key)
    broker.forget(found)
    assert not broker.knows(found)
    assert broker.conversations.get(before.key) is None
    assert broker.conversations.of_group("Ventes", before.row.conversation_group_id) == []
    assert (len(broker.conversations), broker.conversations.total("Ventes"), len(table)) == (0, 0, 0)
    assert not broker.conversations.remove(found)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, 100.0),
        ({"state": ConversationState.ERROR}, None),
        ({"state": ConversationState.CLOSED}, 1900.0),
        ({"state": ConversationState.CLOSED, "security_timestamp": 70.0}, 70.0),
    ],
)
def test_the_end_of_a_life(fields, expected):
    """protocol.md 8.4, 8.5"""
    _, _, endpoint = written_one()
    row = msgspec.structs.replace(endpoint.row, lifetime=100.0, **fields)
    assert end_of_life(row, DialogSettings()) == expected


def test_memory_stays_bounded_while_conversations_come_and_rest():
    """Through the whole instance, with its agenda: what rests is written, what is written still ends in time."""
    world = World()
    objects = TransmissionObjectSettings(bytes_kept=20 * TRANSMISSION_OBJECT_BYTES)
    world.settings = msgspec.structs.replace(world.settings, transmission_objects=objects)
    tables = []

    def make() -> MemoryWorkTable:
        tables.append(MemoryWorkTable())
        return tables[-1]

    world.make_work_table = make
    paris = world.instance("PARIS", world.database("Ventes", ["Client"]))
    for number in range(300):
        paris.begin("Ventes", "Client", "Nulle", lifetime_seconds=100 + number)
        world.run(0.1)
    paris.begin("Ventes", "Client", "Nulle", lifetime_seconds=5000)
    assert 300 - 20 - 10 <= len(tables[0]) <= 300 - 20 + 1
    assert paris.view("Ventes").conversation_endpoints_total == 301
    assert len(paris.view("Ventes").conversation_endpoints) == 301
    world.run(1000)
    states = [row["state"] for row in rows_of(paris, "sys.conversation_endpoints", "Ventes", rows_max=1000)]
    assert states == ["ER"] * 300 + ["SO"]


def test_an_instance_that_starts_with_many_keeps_as_many_as_another():
    world = World()
    objects = TransmissionObjectSettings(bytes_kept=20 * TRANSMISSION_OBJECT_BYTES)
    world.settings = msgspec.structs.replace(world.settings, transmission_objects=objects)
    tables = []
    world.make_work_table = lambda: tables.append(MemoryWorkTable()) or tables[-1]
    paris = world.instance("PARIS", world.database("Ventes", ["Client"]))
    handles = [paris.begin("Ventes", "Client", "Nulle") for _ in range(50)]
    paris.kill()
    paris.start()
    assert len(tables[-1]) == 30
    assert [row["conversation_handle"] for row in rows_of(paris, "sys.conversation_endpoints", "Ventes")] == handles


def copied(broker: Broker, handle: UUID) -> None:
    """The conversations of a database stand in a copy of it as well (identity.md 5)."""
    broker.catalog.databases["Copie"] = msgspec.structs.replace(broker.catalog.databases["Ventes"], name="Copie")
    original = broker.conversations.look_at(("Ventes", handle))
    broker.add(broker.endpoint("Copie", original.row))


def switch(broker, database, *, is_on):
    """The broker of a database is on or off from now on."""
    after = copy(broker.catalog)
    after.databases[database].is_broker_enabled = is_on
    broker.catalog = after


@pytest.mark.parametrize("in_memory", ["", "Ventes", "Copie", "both"])
def test_a_side_is_found_in_each_database_that_has_it_wherever_it_is(in_memory):
    broker, _, (handle,) = written(1)
    copied(broker, handle)
    broker.conversations.flush_now()
    for name in ("Ventes", "Copie"):
        if in_memory in (name, "both"):
            broker.conversations.get((name, handle))
    side = broker.conversations.look_at(("Ventes", handle)).row.conversation_id
    assert broker.conversations.databases_of(side, True) == ["Ventes", "Copie"]
    assert broker.conversations.databases_of(side, False) == []
    assert broker.conversations.look_at_side("Copie", side, True).database == "Copie"
    assert broker.endpoint_in("Copie", side, is_initiator=True).database == "Copie"
    assert broker.endpoint_in("master", side, is_initiator=True) is None
    assert broker.elsewhere(side, is_initiator=False) is None


@pytest.mark.parametrize(("is_on", "found"), [(True, "Ventes"), (False, "Copie")])
def test_of_copies_elsewhere_one_within_reach_is_preferred_then_the_eldest(is_on, found):
    broker, _, (handle,) = written(1)
    side = broker.conversations.look_at(("Ventes", handle)).row.conversation_id
    copied(broker, handle)
    broker.conversations.flush_now()
    switch(broker, "Ventes", is_on=is_on)
    assert broker.elsewhere(side, is_initiator=True).database == found
    assert broker.conversations.live_count == 1


def test_a_group_is_found_after_a_conversation_has_moved():
    broker, _, (first, second) = written(2)
    group = broker.conversations.look_at(("Ventes", second)).row.conversation_group_id
    left = broker.conversations.look_at(("Ventes", first)).row.conversation_group_id
    broker.regroup(broker.conversations.get(("Ventes", first)), group)
    for _ in range(2):
        members = broker.conversations.of_group("Ventes", group)
        assert [endpoint.row.conversation_handle for endpoint in members] == [first, second]
        assert broker.conversations.of_group("Ventes", left) == []
        broker.conversations.flush_now()
    told = [event for event in broker.outcome().events if isinstance(event, ConversationGroupChanged)]
    assert (told[-1].conversation_group_id, told[-1].is_created) == (left, False)


def test_the_timer_and_the_priority_of_what_waits_go_along():
    broker, table, (handle,) = written(1)
    endpoint = broker.conversations.get(("Ventes", handle))
    endpoint.revise(dialog_timer=UtcTime(EPOCH + 30))
    endpoint.send_priority = 8
    broker.conversations.flush_now()
    assert table.next_wake() == EPOCH + 30
    broker.begin(Now(Instant(40.0), UtcTime(EPOCH + 40)))
    (back,) = broker.conversations.take_due(broker.now.utc)
    assert (back.row.dialog_timer, back.send_priority) == (EPOCH + 30, 8)


def test_nothing_falls_due_while_the_database_is_out_of_reach():
    broker, table, (handle,) = written(1, lifetime_seconds=60)
    assert table.next_wake() == EPOCH + 60
    switch(broker, "Ventes", is_on=False)
    broker.conversations.get(("Ventes", handle))
    broker.conversations.flush_now()
    assert table.next_wake() is None
    availability.changed(broker, "Ventes")
    broker.conversations.flush_now()
    switch(broker, "Ventes", is_on=True)
    availability.changed(broker, "Ventes")
    broker.conversations.flush_now()
    assert table.next_wake() == EPOCH + 60
