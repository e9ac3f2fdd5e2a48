"""ALTER SERVICE … ON QUEUE: messages go along with their service, in the order in which they are to be received."""

import pytest

from engine.core.catalog.changes import QueueAltered, QueueCreated, ServiceAltered
from engine.core.catalog.objects import Queue
from engine.core.exchange.commands import BeginConversationTimer
from tests.support.world import World, route


def bodies(rows):
    return [row.message_body for row in rows]


@pytest.fixture
def world():
    return World()


@pytest.fixture
def ends(world):
    """PARIS has sent three messages; the second was lost at first, so that the third waited for it at LYON."""
    paris = world.instance("PARIS", world.database("Ventes", ["Client"], route("Entrepôt", "lyon")))
    lyon = world.instance("LYON", world.database("Stock", ["Entrepôt"], route("Client", "paris")))
    handle = paris.begin("Ventes", "Client", "Entrepôt")
    world.loses = lambda message: message.sequence == 1
    for body in ("a", "b", "c"):
        paris.say("Ventes", handle, body)
        world.run(2)
    return paris, lyon, handle


def move(lyon, *, is_enabled=True):
    queue = Queue("dbo.Neu", is_enabled=is_enabled)
    lyon.define(QueueCreated(database="Stock", queue=queue))
    lyon.define(ServiceAltered(database="Stock", name="Entrepôt", queue="dbo.Neu"))


@pytest.mark.parametrize("closes_after", [False, True])
def test_what_was_early_keeps_its_turn(world, ends, closes_after):
    """tsql.md 3, protocol.md 12: its place is older than that of the message whose gap it waited for."""
    _, lyon, _ = ends
    if closes_after:
        move(lyon)
    world.loses = lambda message: False
    world.run(20)
    if not closes_after:
        move(lyon)
    assert bodies(lyon.receive("Stock", "Neu")) == [b"a", b"b", b"c"]


def test_what_waits_for_its_queue_keeps_its_turn_too(world, ends):
    """To a queue that is off, and on again (protocol.md 4)."""
    _, lyon, _ = ends
    world.loses = lambda message: False
    world.run(20)
    move(lyon, is_enabled=False)
    lyon.kill()
    lyon.start()
    lyon.define(QueueAltered(database="Stock", name="dbo.Neu", is_enabled=True))
    assert bodies(lyon.receive("Stock", "Neu")) == [b"a", b"b", b"c"]


def test_a_dialog_timer_is_still_received_first(world, ends):
    _, lyon, _ = ends
    world.loses = lambda message: False
    world.run(20)
    [endpoint] = lyon.view("Stock").conversation_endpoints
    timer = {"database": "Stock", "conversation_handle": endpoint.conversation_handle, "timeout_seconds": 1}
    lyon.do(BeginConversationTimer, **timer)
    world.run(2)
    move(lyon)
    assert bodies(lyon.receive("Stock", "Neu")) == [None, b"a", b"b", b"c"]
