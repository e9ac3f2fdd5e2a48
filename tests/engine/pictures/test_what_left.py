"""When a message last left a transmission queue because it had arrived: known since the start, and no longer."""

from engine.core.catalog.changes import DatabaseDropped, QueueAltered, RouteCreated
from engine.core.exchange.commands import EndConversation
from engine.core.exchange.pictures import TransmissionsQuery, Unchanged
from engine.core.pictures.journal import PictureJournal
from tests.support.world import EPOCH, World, route


def shop():
    """PARIS, which sends to LYON and to nobody, with a second database that sends nothing."""
    world = World()
    routes = route("Entrepôt", "lyon"), route("Nulle", "nulle-part")
    paris = world.instance(
        "PARIS", world.database("Ventes", ["Client", "Caisse"], *routes), world.database("Stock", ["Réserve"])
    )
    world.instance("LYON", world.database("Magasin", ["Entrepôt"], route("Client", "paris")))
    return world, paris


def told(node, database=None):
    picture = node.instance.picture(
        TransmissionsQuery(database=database), PictureJournal(len(node.events)), node.world.now()
    )
    return {each.database: each.at for each in picture.left}, picture.started_at


def test_nothing_is_known_before_a_message_was_acknowledged_and_then_when():
    world, paris = shop()
    assert told(paris) == ({}, EPOCH)
    world.run(5)
    paris.say("Ventes", paris.begin("Ventes", "Client", "Entrepôt"), "x")
    assert told(paris)[0] == {}
    world.run(3)
    left, started_at = told(paris)
    assert started_at == EPOCH
    assert set(left) == {"Ventes"}
    assert EPOCH + 5 <= left["Ventes"] <= EPOCH + 8
    assert told(paris, "Stock") == ({}, EPOCH)
    assert told(paris, "ventes") == (left, EPOCH)


def test_what_is_thrown_away_has_not_arrived():
    world, paris = shop()
    lost = paris.begin("Ventes", "Client", "Nulle")
    paris.say("Ventes", lost, "x")
    world.run(2)
    paris.do(EndConversation, database="Ventes", conversation_handle=lost, with_cleanup=True)
    world.run(2)
    assert told(paris)[0] == {}


def test_what_waited_for_a_queue_that_was_off_leaves_when_it_is_on():
    world, paris = shop()
    lille = world.instance("LILLE", world.database("Dépôt", ["Quai"], route("Client", "paris")))
    paris.define(RouteCreated(database="Ventes", route=route("Quai", "lille")))
    lille.define(QueueAltered(database="Dépôt", name="dbo.Quai", is_enabled=False))
    paris.say("Ventes", paris.begin("Ventes", "Client", "Quai"), "x")
    world.run(4)
    assert told(lille)[0] == {}
    lille.define(QueueAltered(database="Dépôt", name="dbo.Quai", is_enabled=True))
    assert told(lille)[0] == {"Dépôt": EPOCH + 4}


def test_whoever_holds_the_picture_from_before_is_told():
    world, paris = shop()
    paris.say("Ventes", paris.begin("Ventes", "Client", "Entrepôt"), "x")
    before = len(paris.events)
    world.run(3)
    journal = PictureJournal(0)
    journal.note(1, paris.events)
    later = paris.instance.picture(TransmissionsQuery(since=before), journal, world.now())
    assert not isinstance(later, Unchanged)
    assert [each.database for each in later.left] == ["Ventes"]


def test_a_start_begins_anew_and_a_database_that_is_dropped_is_forgotten():
    world, paris = shop()
    paris.say("Ventes", paris.begin("Ventes", "Client", "Entrepôt"), "x")
    world.run(3)
    paris.kill()
    world.run(1)
    paris.start()
    assert told(paris) == ({}, EPOCH + 4)
    paris.say("Ventes", paris.begin("Ventes", "Client", "Entrepôt"), "y")
    world.run(30)
    assert set(told(paris)[0]) == {"Ventes"}
    paris.define(DatabaseDropped(database="Ventes"))
    paris.define(*world.database("Ventes", ["Client"], route("Entrepôt", "lyon")))
    assert told(paris)[0] == {}
