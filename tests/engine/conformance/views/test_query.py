"""Pages, columns and filters of a query, and the number of each mistake (views.md 1)."""

from itertools import count

import pytest

from engine.core.system_views.definition import Column
from engine.core.system_views.query import read_page
from engine.core.vocabulary.errors import BrokerError
from tests.engine.conformance.views.lively import lively_world
from tests.support.view_reading import page_of, rows_of
from tests.support.views_document import reader_of_an_empty_instance
from tests.support.world import World

ENDPOINTS = "sys.conversation_endpoints"


@pytest.fixture(scope="module")
def paris():
    return lively_world()[1]


@pytest.fixture
def many():
    """PARIS with ten conversations, the odd ones to `Caisse`, and their handles."""
    world = World()
    node = world.instance("PARIS", world.database("Ventes", ["Client", "Caisse"]), world.database("Stock", ["Client"]))
    handles = []
    for number in range(10):
        handles.append(node.begin("Ventes", "Client", "Caisse" if number % 2 else "Nulle"))
        node.begin("Stock", "Client", "Nulle")
    return node, handles


def handles_on(page):
    return [row[0] for row in page.rows]


def test_pages_follow_each_other_without_loss_or_repetition(many):
    node, handles = many
    offset, seen, pages = 0, [], 0
    while offset is not None:
        page = page_of(node, ENDPOINTS, "Ventes", offset=offset, rows_max=3, columns=("conversation_handle",))
        seen += handles_on(page)
        offset, pages = page.next_offset, pages + 1
    assert (seen, pages) == (handles, 4)


def test_a_page_that_ends_with_the_view_says_so(many):
    node, _ = many
    assert page_of(node, ENDPOINTS, "Ventes", rows_max=10).next_offset is None
    assert page_of(node, ENDPOINTS, "Ventes", rows_max=9).next_offset is not None
    assert page_of(node, "sys.services", "Ventes", rows_max=2).next_offset == 2
    beyond = page_of(node, ENDPOINTS, "Ventes", offset=2**70)
    assert (beyond.rows, beyond.next_offset) == ((), None)


def test_an_offset_counts_rows_before_the_filters(many):
    node, handles = many
    where = {"far_service": "Caisse"}
    first = page_of(node, ENDPOINTS, "Ventes", where=where, rows_max=2, columns=("conversation_handle",))
    assert handles_on(first) == [handles[1], handles[3]]
    rest = page_of(node, ENDPOINTS, "Ventes", where=where, offset=first.next_offset, columns=("conversation_handle",))
    assert handles_on(rest) == handles[5::2]


def test_a_query_examines_a_bounded_number_of_rows(many, monkeypatch):
    node, handles = many
    monkeypatch.setattr("engine.core.system_views.query.SYSTEM_VIEW_EXAMINED_MAX", 4)
    where = {"far_service": "Caisse"}
    page = page_of(node, ENDPOINTS, "Ventes", where=where, columns=("conversation_handle",))
    assert handles_on(page) == [handles[1], handles[3]]
    rest = page_of(node, ENDPOINTS, "Ventes", offset=page.next_offset, columns=("conversation_handle",), rows_max=1)
    assert handles_on(rest) == [handles[4]]


def test_a_page_is_bounded_however_much_is_asked_for(many, monkeypatch):
    node, _ = many
    monkeypatch.setattr("engine.core.system_views.query.SYSTEM_VIEW_ROWS_MAX", 3)
    page = page_of(node, ENDPOINTS, "Ventes", rows_max=1_000_000)
    assert (len(page.rows), page.next_offset is None) == (3, False)


def test_a_page_ends_behind_the_bodies_that_fill_it(monkeypatch):
    monkeypatch.setattr("engine.core.system_views.query.SYSTEM_VIEW_BODY_BYTES_MAX", 100)
    world = World()
    node = world.instance("PARIS", world.database("Ventes", ["Client"]))
    handle = node.begin("Ventes", "Client", "Nulle")
    for _ in range(3):
        node.say("Ventes", handle, bytes(60))
    page = page_of(node, "sys.transmission_queue", "Ventes")
    assert (len(page.rows), page.next_offset) == (2, 2)
    assert len(page_of(node, "sys.transmission_queue", "Ventes", offset=2).rows) == 1
    light = page_of(node, "sys.transmission_queue", "Ventes", columns=("message_sequence_number",))
    assert (light.rows, light.next_offset) == (((0,), (1,), (2,)), None)


def test_a_page_takes_no_more_rows_than_it_shows():
    """Top N without making the others: a view that never ends has a first page."""
    endless = count()
    column = Column("number", "int", "a number", lambda _, row: row)
    found = read_page(reader_of_an_empty_instance(), ((row + 1, row) for row in endless), 3, [column], [])
    assert found == (((0,), (1,), (2,)), 3)
    assert next(endless) == 4


def test_a_place_stays_when_what_is_before_it_is_dropped(many):
    node, handles = many
    page = page_of(node, ENDPOINTS, "Ventes", rows_max=4, columns=("conversation_handle",))
    for handle in handles[:3]:
        node.end("Ventes", handle)
    rest = page_of(node, ENDPOINTS, "Ventes", offset=page.next_offset, columns=("conversation_handle",))
    assert handles_on(page) + handles_on(rest) == handles


def test_groups_are_paged_through_once_each(many):
    node, handles = many
    group = rows_of(node, ENDPOINTS, "Ventes")[0]["conversation_group_id"]
    for _ in range(3):
        node.begin("Ventes", "Client", "Caisse", conversation_group_id=group)
    offset, seen = 0, []
    while offset is not None:
        page = page_of(node, "sys.conversation_groups", "Ventes", offset=offset, rows_max=3)
        seen += [row[0] for row in page.rows]
        offset = page.next_offset
    assert (len(seen), len(set(seen)), seen[0]) == (len(handles), len(handles), group)


def test_columns_come_in_the_order_asked_for_in_any_letter_case(paris):
    page = page_of(paris, "SYS.ROUTES", "Ventes", columns=("Address", "name"))
    assert page.view == "sys.routes"
    assert [column.name for column in page.columns] == ["address", "name"]
    assert ("TCP://hub:4022", "to Prüfung by hub") in page.rows


def test_a_queue_is_found_with_and_without_its_schema(paris):
    for name in ("Caisse", "dbo.caisse", "DBO.Caisse"):
        assert page_of(paris, name, "ventes").view == "dbo.Caisse"
    assert page_of(paris, "dbo.ServiceBrokerQueue", "Ventes").view == "dbo.ServiceBrokerQueue"


@pytest.mark.parametrize(
    ("view", "column", "value", "found"),
    [
        (ENDPOINTS, "is_initiator", "0", 1),
        (ENDPOINTS, "is_system", "false", 4),
        (ENDPOINTS, "is_system", "1", 0),
        (ENDPOINTS, "state", "CO ", 4),
        (ENDPOINTS, "state", "co", 0),
        (ENDPOINTS, "send_sequence", "2", 1),
        (ENDPOINTS, "dialog_timer", "1900-01-01T00:00:00", 4),
        (ENDPOINTS, "dialog_timer", "1900-01-01T01:00:00+01:00", 4),
        (ENDPOINTS, "last_send_tran_id", "0x000000000000", 4),
        (ENDPOINTS, "far_broker_instance", None, 1),
        ("sys.transmission_queue", "message_body", "0x717561747265", 1),
        ("sys.service_message_types", "validation", "E", 2),
        ("sys.service_queues", "is_receive_enabled", "0", 0),
    ],
)
def test_a_filter_holds_a_column_against_a_value_of_its_type(paris, view, column, value, found):
    rows = rows_of(paris, view, "Ventes", where={column: value})
    assert len(rows) == found


def test_a_broker_id_is_found_in_any_letter_case(paris):
    (row,) = rows_of(paris, ENDPOINTS, "Ventes", where={"far_service": "Prüfung"})
    wanted = row["far_broker_instance"].lower()
    assert row in rows_of(paris, ENDPOINTS, "Ventes", where={"far_broker_instance": wanted})


def test_every_filter_must_hold(many):
    node, handles = many
    rows = rows_of(node, ENDPOINTS, "Ventes", where={"far_service": "Caisse", "conversation_handle": str(handles[0])})
    assert rows == []


def test_a_conversation_is_found_by_its_keys_in_its_database_alone(many):
    node, handles = many
    (row,) = rows_of(node, ENDPOINTS, "Ventes", where={"conversation_handle": str(handles[7]).upper()})
    assert row["conversation_handle"] == handles[7]
    by_id = {"conversation_id": str(row["conversation_id"])}
    assert rows_of(node, ENDPOINTS, "Ventes", where=by_id) == [row]
    assert rows_of(node, ENDPOINTS, "Stock", where=by_id) == []
    assert rows_of(node, ENDPOINTS, "Stock", where={"conversation_handle": str(handles[7])}) == []
    assert rows_of(node, ENDPOINTS, "Ventes", where={"conversation_handle": None}) == []


@pytest.mark.parametrize(
    ("number", "query"),
    [
        (911, {"view": "sys.routes", "database": "Nulle"}),
        (208, {"view": "sys.nothing", "database": "Ventes"}),
        (208, {"view": "", "database": "Ventes"}),
        (208, {"view": "routes", "database": "Ventes"}),
        (208, {"view": "dbo.Caisse", "database": None}),
        (207, {"view": "sys.routes", "database": "Ventes", "columns": ("name", "nothing")}),
        (207, {"view": "sys.routes", "database": "Ventes", "where": {"nothing": "1"}}),
        (207, {"view": "sys.routes", "database": "Ventes", "where": {"nothing": None}}),
        (10742, {"view": "sys.routes", "database": "Ventes", "offset": -1}),
        (10744, {"view": "sys.routes", "database": "Ventes", "rows_max": 0}),
        (10744, {"view": "sys.routes", "database": "Ventes", "rows_max": -5}),
    ],
)
def test_a_mistake_has_its_number(paris, number, query):
    with pytest.raises(BrokerError) as caught:
        page_of(paris, **query)
    assert caught.value.number == number


@pytest.mark.parametrize(
    ("view", "column", "value"),
    [
        (ENDPOINTS, "conversation_handle", "not-an-id"),
        (ENDPOINTS, "is_initiator", "256"),
        (ENDPOINTS, "is_initiator", "-1"),
        (ENDPOINTS, "service_id", "2147483648"),
        (ENDPOINTS, "send_sequence", "1_0"),
        (ENDPOINTS, "send_sequence", "9223372036854775808"),
        (ENDPOINTS, "is_system", "yes"),
        (ENDPOINTS, "lifetime", "tomorrow"),
        (ENDPOINTS, "last_send_tran_id", "000000000000"),
        (ENDPOINTS, "last_send_tran_id", "0xZZ"),
        ("sys.dm_broker_connections", "state", "32768"),
    ],
)
def test_a_value_that_is_not_of_its_columns_type_is_245(paris, view, column, value):
    with pytest.raises(BrokerError) as caught:
        page_of(paris, view, "Ventes", where={column: value})
    assert caught.value.number == 245


def test_a_query_changes_nothing(paris):
    before = paris.instance.view(1000)
    events = list(paris.events)
    for name in (ENDPOINTS, "sys.transmission_queue", "dbo.Caisse", "sys.dm_os_performance_counters"):
        page_of(paris, name, "Ventes")
    assert paris.instance.view(1000) == before
    assert paris.events == events
