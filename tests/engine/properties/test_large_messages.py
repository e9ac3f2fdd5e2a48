"""Messages of every size, exactly once and in order, in random worlds: loss, repetition, disorder, crashes."""

from engine.core.catalog.changes import RouteCreated
from engine.core.vocabulary.rows import put_together
from engine.core.vocabulary.settings import DialogSettings, EngineSettings
from tests.support.each import for_each
from tests.support.thoroughness import share
from tests.support.world import World, route

MESSAGES = 25
FRAGMENT = 1024


def _world(seed):
    world = World(seed, loss=0.15 * (seed % 3), duplication=0.2 * (seed % 2), reorders=seed % 4 == 0)
    world.settings = EngineSettings(dialog=DialogSettings(fragment_bytes=FRAGMENT, reassembly_bytes_max=50_000))
    paris = world.instance("PARIS", world.database("Ventes", ["Client"], route("Prüfung", "hub")))
    passing = [
        RouteCreated(database="msdb", route=each) for each in (route("Prüfung", "berlin"), route("Client", "paris"))
    ]
    hub = world.instance("HUB", passing, forwards=True)
    berlin = world.instance("BERLIN", world.database("Werk", ["Prüfung"], route("Client", "hub")))
    return world, paris, hub, berlin


def _body(world, number):
    """Half of them small, the others up to a hundred fragments."""
    size = world.dice.choice((10, 100, FRAGMENT, FRAGMENT + 1, world.dice.randrange(100 * FRAGMENT)))
    return b"%d " % number + world.dice.randbytes(size)


@for_each("seed", share(range(24), 5))
def test_every_message_arrives_whole_once_and_in_order_whatever_its_size(seed):
    world, paris, hub, berlin = _world(seed)
    dialogs = [paris.begin("Ventes", "Client", "Prüfung") for _ in range(2)]
    sent = {dialog: [] for dialog in dialogs}
    got = {}
    for _ in range(60):
        dialog = world.dice.choice(dialogs)
        if paris.is_alive and len(sent[dialog]) < MESSAGES:
            sent[dialog].append(_body(world, len(sent[dialog])))
            paris.say("Ventes", dialog, sent[dialog][-1])
        world.run(0.3)
        victim = (paris, hub, berlin)[world.dice.randrange(3)]
        if world.dice.random() < 0.1 and victim.is_alive:
            victim.kill()
            world.at(world.seconds + world.dice.random() * 10, victim.start)
        if berlin.is_alive:
            _read(berlin, got)
    world.run(20)
    world.loss = 0.0
    world.run(900)
    _read(berlin, got)
    assert sorted(got.values()) == sorted(bodies for bodies in sent.values() if bodies)
    assert paris.view("Ventes").transmission_queue_total == 0
    held = [row for queue in put_together(berlin.store.load().databases)[-1].queues.values() for row in queue]
    assert not held, "no fragment is left behind in a queue"


def _read(node, got):
    while messages := node.receive("Werk", "Prüfung", 100):
        for row in messages:
            got.setdefault(row.conversation_handle, []).append(row.message_body)
