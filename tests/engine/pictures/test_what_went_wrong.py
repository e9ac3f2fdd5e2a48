"""What pictures tell of what has gone wrong: drops by reason, changes of roles, readers that were aborted (ADR 25)."""

import pytest

from engine.core.catalog.changes import (
    ActivationPatch,
    EndpointAltered,
    QueueAltered,
    QueueCreated,
    QueueDropped,
    RouteCreated,
    ServiceDropped,
)
from engine.core.catalog.objects import Queue
from engine.core.exchange import pictures
from engine.core.exchange.events import MessageUndeliverable
from engine.core.exchange.readers import ReaderEnded
from engine.core.pictures.journal import PictureJournal
from engine.core.vocabulary.errors import text_of
from engine.core.vocabulary.settings import EngineSettings
from tests.support.mirrored import BERLIN, LYON, MirroredWorld, take_over
from tests.support.world import EPOCH, World, route

QUEUE = "dbo.Guichet"


def picture(node, query):
    journal = PictureJournal(0)
    journal.note(1, node.events)
    return node.instance.picture(query, journal, node.world.now())


def only_row(node, query):
    told = picture(node, query)
    [row] = told.rows
    return dict(zip([each.name for each in told.columns], row.cells, strict=True))


# ── messages in transit ──────────────────────────────────────────────────────────────────────────────────────────────
@pytest.fixture
def hub():
    """A forwarder that holds one megabyte, towards an instance that is not there, and who sends to it."""
    world = World()
    paris = world.instance("PARIS", world.database("Ventes", ["Client"], route("Entrepôt", "hub")))
    passing = [
        RouteCreated(database="msdb", route=each) for each in (route("Entrepôt", "lyon"), route("Client", "paris"))
    ]
    node = world.instance("HUB", passing, forwards=True)
    node.define(EndpointAltered(name="Broker", message_forward_size_megabytes=1))
    return node, paris


def send(paris, body):
    paris.say("Ventes", paris.begin("Ventes", "Client", "Entrepôt"), body)


def test_a_forwarder_that_dropped_nothing_says_so(hub):
    hub, paris = hub
    send(paris, "x")
    hub.world.run(3)
    told = picture(hub, pictures.ForwardedMessagesQuery())
    assert (told.messages, told.drops) == (1, ())
    assert told.messages < told.messages_max


def test_drops_are_told_by_reason_with_the_last_time_and_the_most_first(hub):
    hub, paris = hub
    send(paris, b"x" * 600_000)
    hub.world.run(1)
    for _ in range(2):
        send(paris, b"x" * 600_000)
    hub.world.run(61)
    drops = picture(hub, pictures.ForwardedMessagesQuery()).drops
    numbers = [each.number for each in drops]
    assert set(numbers) == {11288, 11289, 11290}, "the sender repeats what it has no acknowledgement of"
    assert [each.messages for each in drops] == sorted((each.messages for each in drops), reverse=True)
    over = next(each for each in drops if each.number == 11290)
    assert over.last_at > EPOCH + 50
    assert over.text == text_of(11290)
    summary = picture(hub, pictures.SummaryQuery())
    assert summary.counts.forwards_dropped == sum(each.messages for each in drops if each.number != 11288), (
        "a copy of what is in transit already is no trouble"
    )


def test_a_forwarder_that_restarts_begins_to_count_anew(hub):
    hub, paris = hub
    for _ in range(2):
        send(paris, b"x" * 600_000)
    hub.world.run(2)
    assert [each.number for each in picture(hub, pictures.ForwardedMessagesQuery()).drops] == [11289]
    hub.kill()
    hub.start()
    assert picture(hub, pictures.ForwardedMessagesQuery()).drops == ()


# ── copies ───────────────────────────────────────────────────────────────────────────────────────────────────────────
def numbers_of_undeliverable(node):
    return [each.number for each in node.told(MessageUndeliverable)]


def test_a_copy_that_arrives_is_counted_as_dropped_but_is_no_trouble():
    world = World(duplication=1.0)
    paris = world.instance("PARIS", world.database("Ventes", ["Client"], route("Entrepôt", "lyon")))
    lyon = world.instance("LYON", world.database("Stock", ["Entrepôt"], route("Client", "paris")))
    send(paris, "x")
    world.run(3)
    assert numbers_of_undeliverable(lyon) == [11218]
    assert picture(lyon, pictures.SummaryQuery()).counts.dropped == 0


@pytest.mark.parametrize("factor", [1.0, 2.0, 10.0])
def test_at_every_pace_an_acknowledgement_is_back_before_the_message_is_repeated(factor):
    world = World()
    world.settings = EngineSettings().at_pace(factor)
    paris = world.instance("PARIS", world.database("Ventes", ["Client"], route("Entrepôt", "lyon")))
    lyon = world.instance("LYON", world.database("Stock", ["Entrepôt"], route("Client", "paris")))
    dialog = paris.begin("Ventes", "Client", "Entrepôt")
    for _ in range(5):
        paris.say("Ventes", dialog, "x")
        world.run(20 / factor)
    assert len(lyon.receive("Stock", "Entrepôt")) == 5
    assert numbers_of_undeliverable(lyon) == []


# ── mirrored routes ──────────────────────────────────────────────────────────────────────────────────────────────────
def test_a_pair_tells_since_when_its_principal_is_the_principal():
    world = MirroredWorld()
    world.settle()
    first = only_row(world.paris, pictures.MirroredRoutesQuery())
    assert first["principal"] == str(LYON)
    assert EPOCH <= first["principal_since"] <= first["changed_at"]
    world.run(500)
    world.say("again")
    world.run(2)
    again = only_row(world.paris, pictures.MirroredRoutesQuery())
    assert again["principal_since"] == first["principal_since"]
    assert again["changed_at"] > first["changed_at"]
    take_over(world.berlin)
    world.lyon.kill()
    world.run(100)
    after = only_row(world.paris, pictures.MirroredRoutesQuery())
    assert after["principal"] == str(BERLIN)
    assert after["principal_since"] > again["changed_at"]


def test_a_pair_without_a_principal_has_no_time_of_one():
    world = MirroredWorld()
    world.lyon.kill()
    world.say()
    world.run(60)
    told = only_row(world.paris, pictures.MirroredRoutesQuery())
    assert (told["principal"], told["principal_since"]) == (None, None)
    assert told["changed_at"] is not None


# ── activation ───────────────────────────────────────────────────────────────────────────────────────────────────────
@pytest.fixture
def desk():
    """PARIS with a queue that starts readers."""
    world = World()
    node = world.instance("PARIS", world.database("Ventes", ["Client", "Guichet"]))
    patch = ActivationPatch(procedure_name="dbo.lire", max_queue_readers=1, execute_as="SELF", is_enabled=True)
    node.define(QueueAltered(database="Ventes", name=QUEUE, activation=patch))
    node.say("Ventes", node.begin("Ventes", "Client", "Guichet"), "a")
    return node


def failure(node):
    told = picture(node, pictures.QueuesQuery(database="Ventes"))
    names = [each.name for each in told.columns]
    rows = [dict(zip(names, row.cells, strict=True)) for row in told.rows]
    [row] = [row for row in rows if row["queue_name"] == QUEUE]
    return row["activation_failed_at"], row["activation_error"], row["activation_error_text"]


def test_the_last_reader_that_was_aborted_stands_beside_its_queue(desk):
    assert failure(desk) == (None, None, None)
    desk.world.run(4)
    desk.feed(ReaderEnded(task=1, number=28088, detail="broken"))
    at, number, text = failure(desk)
    assert (at, number) == (EPOCH + 4, 28088)
    assert "broken" in text


def test_a_reader_that_ends_well_leaves_what_went_wrong_before(desk):
    desk.feed(ReaderEnded(task=1, number=28088, detail="broken"))
    desk.world.run(10)
    desk.receive("Ventes", "Guichet")
    desk.feed(ReaderEnded(task=2))
    assert failure(desk)[1] == 28088


def test_a_queue_of_the_same_name_begins_with_no_failure(desk):
    desk.feed(ReaderEnded(task=1, number=28088, detail="broken"))
    desk.world.run(10)
    desk.define(ServiceDropped(database="Ventes", name="Guichet"), QueueDropped(database="Ventes", name=QUEUE))
    desk.feed(ReaderEnded(task=2))
    desk.define(QueueCreated(database="Ventes", queue=Queue(name=QUEUE)))
    assert failure(desk) == (None, None, None)
