"""Rows, filters and orders of pictures, and sums that are exact whatever is asked for (ADR 25; protocol.md 8.5)."""

from uuid import UUID

import msgspec
import pytest

from engine.core.catalog.changes import ActivationPatch, QueueAltered
from engine.core.exchange import pictures
from engine.core.exchange.commands import EndConversation
from engine.core.exchange.pictures import ClosedKind, ConversationOrder
from engine.core.pictures.journal import PictureJournal
from engine.core.vocabulary.errors import BrokerError
from engine.core.vocabulary.limits import PICTURE_ROWS_MAX
from engine.core.vocabulary.moment import Instant, Now, UtcTime
from engine.core.vocabulary.rows import ConversationState
from engine.core.vocabulary.settings import EngineSettings, TransmissionObjectSettings
from tests.engine.conformance.views.lively import lively_world
from tests.support.view_reading import rows_of
from tests.support.world import EPOCH, World, route

CD, CO, ER, SO = (
    ConversationState.CLOSED,
    ConversationState.CONVERSING,
    ConversationState.ERROR,
    ConversationState.STARTED_OUTBOUND,
)


def picture(node, query, seconds=0.0):
    """A picture, `seconds` later."""
    now = node.world.now()
    later = Now(Instant(now.monotonic + seconds), UtcTime(now.utc + seconds))
    journal = PictureJournal(0)
    journal.note(1, node.events)
    return node.instance.picture(query, journal, later)


def column(told, name):
    place = [each.name for each in told.columns].index(name)
    return [row.cells[place] for row in told.rows]


@pytest.fixture(params=[None, 0], ids=["in memory", "in the work table"])
def shop(request):
    """PARIS with ten conversations to nobody, the last three in error, and LYON with as many that have closed."""
    world = World()
    if request.param is not None:
        objects = TransmissionObjectSettings(bytes_kept=0, batch_rows=3, rest_seconds=0)
        world.settings = EngineSettings(transmission_objects=objects)
    routes = route("Entrepôt", "lyon")
    paris = world.instance("PARIS", world.database("Ventes", ["Client", "Caisse"], routes), world.database("Stock", []))
    lyon = world.instance("LYON", world.database("Magasin", ["Entrepôt"], route("Client", "paris")))
    handles = [paris.begin("Ventes", "Client", "Nulle") for _ in range(7)]
    handles += [paris.begin("Ventes", "Caisse", "Nulle", lifetime_seconds=5) for _ in range(3)]
    for _ in range(3):
        dialog = paris.begin("Ventes", "Client", "Entrepôt")
        paris.say("Ventes", dialog, "x")
        paris.end("Ventes", dialog)
    world.run(8)
    lyon.receive("Magasin", "Entrepôt")
    for row in rows_of(lyon, "sys.conversation_endpoints", "Magasin"):
        lyon.do(EndConversation, database="Magasin", conversation_handle=row["conversation_handle"])
    world.run(2)
    return paris, lyon, handles


# ── conversations ────────────────────────────────────────────────────────────────────────────────────────────────────
def test_conversations_are_told_from_either_end_and_no_more_than_are_asked_for(shop):
    paris, _, handles = shop
    names = [str(handle) for handle in handles]
    newest = picture(paris, pictures.ConversationsQuery(rows_max=4))
    eldest = picture(paris, pictures.ConversationsQuery(rows_max=4, order=ConversationOrder.ELDEST))
    assert column(newest, "conversation_handle") == names[:-5:-1]
    assert column(eldest, "conversation_handle") == names[:4]
    for each in (newest, eldest):
        assert (each.total, each.has_more, each.is_whole) == (10, True, True)
    [sums, _] = [each for each in newest.sums if each.database in ("Ventes", "Stock")]
    assert (sums.total, sums.by_state) == (10, {SO: 7, ER: 3})


def test_every_column_of_the_vendors_view_is_there_with_its_cells(shop):
    paris, _, handles = shop
    told = picture(paris, pictures.ConversationsQuery(order=ConversationOrder.ELDEST))
    vendors = [each.name for each in told.columns if each.is_vendors]
    [of_view] = rows_of(
        paris, "sys.conversation_endpoints", "Ventes", where={"conversation_handle": str(handles[0])}.items()
    )
    assert vendors == list(of_view)
    shown = dict(zip([each.name for each in told.columns], told.rows[0].cells, strict=True))
    assert shown["state"] == of_view["state"]
    assert shown["conversation_group_id"] == str(of_view["conversation_group_id"])
    assert shown["last_send_tran_id"] == "0x000000000000"
    assert (shown["database_name"], shown["service_name"]) == ("Ventes", "Client")


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({"states": (ER,)}, [9, 8, 7]),
        ({"states": (ER,), "order": ConversationOrder.ELDEST, "rows_max": 2}, [7, 8]),
        ({"states": (CO,)}, []),
        ({"service": "Caisse"}, [9, 8, 7]),
        ({"far_service": "Nulle", "rows_max": 1}, [9]),
        ({"text": "CAISSE"}, [9, 8, 7]),
        ({"database": "stock"}, []),
        ({"database": "VENTES", "states": (SO,), "rows_max": 2}, [6, 5]),
    ],
)
def test_conversations_are_filtered(shop, wanted, found):
    paris, _, handles = shop
    told = picture(paris, pictures.ConversationsQuery(**wanted))
    assert column(told, "conversation_handle") == [str(handles[each]) for each in found]


def test_one_conversation_is_found_by_its_handle(shop):
    paris, _, handles = shop
    told = picture(paris, pictures.ConversationsQuery(conversation_handle=handles[5]))
    assert [row.key for row in told.rows] == [f"{handles[5]} Ventes"]
    assert picture(paris, pictures.ConversationsQuery(conversation_handle=UUID(int=9))).rows == ()


def test_what_is_closed_is_told_by_what_it_waits_for(shop):
    """Fire and forget: nothing arms the guards of LYON's ends, so they stay for their lifetime (SBD-610)."""
    _, lyon, _ = shop
    told = picture(lyon, pictures.ConversationsQuery(states=(CD,)))
    [sums] = [each for each in told.sums if each.total]
    assert sums.by_state == {CD: 3}
    leaked = picture(lyon, pictures.ConversationsQuery(closed=ClosedKind.LEAKED))
    assert (len(leaked.rows), leaked.total, sums.closed[ClosedKind.LEAKED]) == (3, 3, 3)
    assert sum(sums.closed.values()) == 3


def test_a_closed_end_is_retained_and_then_overdue_while_its_database_is_out_of_reach():
    world = World()
    paris = world.instance("PARIS", world.database("Ventes", ["Client"], route("Entrepôt", "lyon")))
    lyon = world.instance("LYON", world.database("Stock", ["Entrepôt"], route("Client", "paris")))
    dialog = paris.begin("Ventes", "Client", "Entrepôt")
    paris.say("Ventes", dialog, "1")
    world.run(3)
    paris.say("Ventes", dialog, "2")
    world.run(3)
    [first, *_] = lyon.receive("Stock", "Entrepôt")
    lyon.end("Stock", first.conversation_handle)
    world.run(3)
    paris.receive("Ventes", "Client")
    paris.end("Ventes", dialog)
    world.run(3)

    def closed(seconds):
        told = picture(lyon, pictures.ConversationsQuery(database="Stock"), seconds)
        return {kind: number for kind, number in told.sums[0].closed.items() if number}

    assert closed(0) == {ClosedKind.RETAINED: 1}
    assert closed(1_700) == {ClosedKind.RETAINED: 1}
    assert closed(1_801) == {ClosedKind.OVERDUE: 1}


# ── transmissions ────────────────────────────────────────────────────────────────────────────────────────────────────
@pytest.fixture
def backlog():
    """PARIS with three messages for nobody, two for a service whose queue is off, and one that is on its way."""
    world = World()
    routes = route("Nulle", "nulle-part"), route("Entrepôt", "lyon")
    paris = world.instance("PARIS", world.database("Ventes", ["Client", "Caisse"], *routes))
    world.instance("LYON", world.database("Stock", ["Entrepôt"], route("Client", "paris")))
    world.loses = lambda message: message.target.service_name == "Entrepôt"
    lost, way = paris.begin("Ventes", "Client", "Nulle"), paris.begin("Ventes", "Client", "Entrepôt")
    paris.say("Ventes", lost, "first")
    world.run(1)
    paris.say("Ventes", way, "second")
    world.run(1)
    paris.say("Ventes", lost, "third")
    world.run(1)
    paris.say("Ventes", lost, "fourth")
    paris.define(QueueAltered(database="Ventes", name="dbo.Caisse", is_enabled=False))
    inside = paris.begin("Ventes", "Client", "Caisse")
    for body in ("fifth", "sixth"):
        world.run(1)
        paris.say("Ventes", inside, body)
    world.run(1)
    return paris, lost, way


def test_messages_are_told_the_oldest_first_and_grouped_by_reason(backlog):
    paris, _, _ = backlog
    told = picture(paris, pictures.TransmissionsQuery())
    assert column(told, "message_body_bytes") == [5, 6, 5, 6, 5, 5]
    assert column(told, "transmission_status_number") == [9754, None, 9754, 9754, 9617, 9617]
    assert column(told, "enqueue_time") == sorted(column(told, "enqueue_time"))
    groups = {group.number: (group.messages, group.conversations, group.oldest) for group in told.groups}
    assert groups == {9754: (3, 1, EPOCH), None: (1, 1, EPOCH + 1), 9617: (2, 1, EPOCH + 4)}
    assert told.groups[0].text.startswith("9754")
    assert (told.total, told.has_more) == (6, False)


def test_messages_are_filtered_and_sums_stay_those_of_all(backlog):
    paris, lost, way = backlog
    for query, number in (
        ({"numbers": (9754,)}, 3),
        ({"numbers": (None, 9617)}, 3),
        ({"to_service": "Entrepôt"}, 1),
        ({"from_service": "Client", "rows_max": 2}, 2),
        ({"conversation_handle": lost}, 3),
        ({"text": str(way)[:13]}, 1),
        ({"text": "nulle-PART"}, 3),
    ):
        told = picture(paris, pictures.TransmissionsQuery(**query))
        assert len(told.rows) == number, query
        assert sum(group.messages for group in told.groups) == 6


def test_sums_are_the_same_after_a_restart(backlog):
    paris, _, _ = backlog
    conversations, queues = pictures.ConversationsQuery(), pictures.QueuesQuery()
    before = [picture(paris, conversations).sums, picture(paris, queues).rows]
    waiting = sum(group.messages for group in picture(paris, pictures.TransmissionsQuery()).groups)
    paris.kill()
    paris.start()
    assert [picture(paris, conversations).sums, picture(paris, queues).rows] == before
    told = picture(paris, pictures.TransmissionsQuery())
    assert (told.total, sum(group.messages for group in told.groups)) == (waiting, waiting)
    assert min(group.oldest for group in told.groups) == EPOCH


def test_a_long_conversation_is_cut_and_says_that_there_is_more(backlog):
    paris, lost, _ = backlog
    for _ in range(20):
        paris.say("Ventes", lost, "more")
    told = picture(paris, pictures.TransmissionsQuery(rows_max=5))
    assert (len(told.rows), told.total, told.has_more) == (5, 26, True)


# ── the rest ─────────────────────────────────────────────────────────────────────────────────────────────────────────
def test_messages_in_transit_are_told_with_their_memory():
    hub = lively_world()[2]
    told = picture(hub, pictures.ForwardedMessagesQuery())
    assert told.is_enabled
    assert told.messages == len(told.rows) == told.total > 0
    assert told.bytes == sum(column(told, "bytes_held"))
    assert told.bytes < told.bytes_max


def test_a_queue_is_told_with_its_monitor():
    hub = lively_world()[2]
    told = picture(hub, pictures.QueuesQuery(database="Halle"))
    assert column(told, "queue_name") == ["dbo.Tor"]
    assert column(told, "state") == [row["state"] for row in rows_of(hub, "sys.dm_broker_queue_monitors")]
    assert column(told, "active_tasks") == [1]
    assert {"max_readers", "last_empty_rowset_time", "tasks_waiting"} <= {each.name for each in told.columns}


def test_connections_are_told_with_those_that_failed():
    paris = lively_world()[1]
    told = picture(paris, pictures.ConnectionsQuery())
    by_address = dict(zip(column(told, "address"), column(told, "error"), strict=True))
    assert by_address == {"TCP://hub:4022": None, "TCP://nulle-part:4022": 9754}


def test_the_summary_tells_the_worst_of_everything(backlog):
    paris, _, _ = backlog
    told = picture(paris, pictures.SummaryQuery())
    [ventes] = [each for each in told.databases if each.name == "Ventes"]
    assert (ventes.transmission, ventes.blocked, ventes.oldest) == (6, 5, EPOCH)
    assert ventes.disabled_queues == ("dbo.Caisse",)
    assert ventes.conversations.total == 4
    assert told.failing_connections == ("TCP://nulle-part:4022",)


def test_an_address_fails_no_more_once_no_route_and_no_message_uses_it(backlog):
    paris, _, _ = backlog
    broker = paris.instance._broker
    [link] = [link for address, link in broker.links.items() if str(address) == "TCP://nulle-part:4022"]
    ventes = broker.catalog.databases["Ventes"]
    led = [name for name, route in ventes.routes.items() if str(route.address) == "TCP://nulle-part:4022"]
    assert led
    assert link.conversations
    for name in led:
        del ventes.routes[name]
    assert picture(paris, pictures.SummaryQuery()).failing_connections == ("TCP://nulle-part:4022",), "messages wait"
    link.conversations.clear()
    assert picture(paris, pictures.SummaryQuery()).failing_connections == ()


def test_the_summary_names_queues_that_wait_for_a_reader_and_may_have_no_further_one():
    hub = lively_world()[2]

    def halle():
        [found] = [each for each in picture(hub, pictures.SummaryQuery()).databases if each.name == "Halle"]
        return found.readers, found.ready, found.busy_queues

    assert halle() == (1, 1, ())
    fewer = ActivationPatch(max_queue_readers=1)
    hub.define(QueueAltered(database="Halle", name="dbo.Tor", activation=fewer))
    assert halle() == (1, 1, ("dbo.Tor",))


QUERIES = [
    pictures.SummaryQuery(),
    *(
        query(rows_max=3)
        for query in (
            pictures.ConversationsQuery,
            pictures.TransmissionsQuery,
            pictures.ForwardedMessagesQuery,
            pictures.QueuesQuery,
            pictures.ConnectionsQuery,
            pictures.MirroredRoutesQuery,
            pictures.CountersQuery,
        )
    ),
]


@pytest.mark.parametrize("query", QUERIES, ids=lambda query: type(query).__name__)
def test_queries_and_pictures_travel_as_json(query, backlog):
    encode = msgspec.json.Encoder(uuid_format="canonical").encode
    assert msgspec.json.decode(encode(query), type=pictures.PictureQuery) == query
    told = picture(backlog[0], query)
    assert msgspec.json.decode(encode(told), type=pictures.Picture) == told


@pytest.mark.parametrize("query", QUERIES[1:], ids=lambda query: type(query).__name__)
def test_no_picture_is_endless_and_none_is_of_no_rows(query, backlog):
    told = picture(backlog[0], msgspec.structs.replace(query, rows_max=10**9))
    assert len(told.rows) <= PICTURE_ROWS_MAX
    with pytest.raises(BrokerError) as raised:
        picture(backlog[0], msgspec.structs.replace(query, rows_max=0))
    assert raised.value.number == 10744


@pytest.mark.parametrize(
    "query",
    [
        query(database="Nulle")
        for query in (pictures.ConversationsQuery, pictures.TransmissionsQuery, pictures.QueuesQuery)
    ],
)
def test_a_database_that_is_not_there_is_refused(query, backlog):
    with pytest.raises(BrokerError) as raised:
        picture(backlog[0], query)
    assert raised.value.number == 911
