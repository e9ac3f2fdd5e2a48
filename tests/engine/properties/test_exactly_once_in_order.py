"""Exactly once, in order, in random worlds: loss, repetition, crashes of anybody, and a network that heals at last."""

from engine.core.catalog.changes import RouteCreated
from engine.core.vocabulary.rows import put_together
from tests.support.each import for_each
from tests.support.thoroughness import share
from tests.support.world import World, route

MESSAGES = 60


def _world(seed):
    world = World(seed, loss=0.15 * (seed % 3), duplication=0.2 * (seed % 2), reorders=seed % 4 == 0)
    paris = world.instance("PARIS", world.database("Ventes", ["Client"], route("Prüfung", "hub")))
    passing = [
        RouteCreated(database="msdb", route=each) for each in (route("Prüfung", "berlin"), route("Client", "paris"))
    ]
    hub = world.instance("HUB", passing, forwards=True)
    berlin = world.instance("BERLIN", world.database("Werk", ["Prüfung"], route("Client", "hub")))
    return world, paris, hub, berlin


@for_each("seed", share(range(40), 8))
def test_every_message_arrives_once_and_in_order_whatever_happens_in_between(seed):
    world, paris, hub, berlin = _world(seed)
    dialog = paris.begin("Ventes", "Client", "Prüfung")
    sent, got = 0, []
    for _ in range(120):
        if paris.is_alive and sent < MESSAGES:
            paris.say("Ventes", dialog, str(sent))
            sent += 1
        world.run(0.2)
        victim = (paris, hub, berlin)[world.dice.randrange(3)]
        if world.dice.random() < 0.08 and victim.is_alive:
            victim.kill()
            world.at(world.seconds + world.dice.random() * 10, victim.start)
        if berlin.is_alive:
            got += berlin.receive("Werk", "Prüfung", world.dice.randrange(1, 9))
    world.run(20)
    world.loss = 0.0
    while sent < MESSAGES:
        paris.say("Ventes", dialog, str(sent))
        sent += 1
    world.run(600)
    while messages := berlin.receive("Werk", "Prüfung", 50):
        got += messages
    assert [row.message_body for row in got] == [b"%d" % number for number in range(MESSAGES)]
    assert paris.view("Ventes").transmission_queue_total == 0
    assert not put_together(paris.store.load().databases)[-1].transmission, "what memory forgot, the store forgot too"
    held = [row for queue in put_together(berlin.store.load().databases)[-1].queues.values() for row in queue]
    assert not held, "nothing is left behind in a queue"


@for_each("seed", share(range(0, 30, 3), 4))
def test_a_lossless_network_carries_each_message_once_and_few_acknowledgements(seed):
    world = World(seed)
    paris = world.instance("PARIS", world.database("Ventes", ["Client"], route("Entrepôt", "lyon")))
    lyon = world.instance("LYON", world.database("Stock", ["Entrepôt"], route("Client", "paris")))
    dialog = paris.begin("Ventes", "Client", "Entrepôt")
    for number in range(500):
        paris.say("Ventes", dialog, str(number))
    world.run(30)
    assert len(lyon.receive("Stock", "Entrepôt")) == 500
    acknowledgements = world.transmissions - 500
    assert 0 < acknowledgements <= 500 / 64 + 5
