"""An instance that leaves its waiting messages in the store behaves as one that has all of them in memory (ADR 20)."""

import random

import msgspec
import pytest

from engine.core.exchange.commands import BeginTransaction, Receive, RollbackTransaction, SetQueueStatus
from engine.core.exchange.events import MessageDelivered
from engine.core.vocabulary.settings import TransmissionObjectSettings
from tests.engine.properties.test_work_tables_change_nothing import KEEPS_NOTHING, live_through
from tests.support.each import for_each
from tests.support.thoroughness import share
from tests.support.view_reading import rows_of
from tests.support.world import World, route

SOME_BYTES = 3_000


@for_each("objects", [TransmissionObjectSettings(), KEEPS_NOTHING])
@for_each("bound", [-1, SOME_BYTES])
@for_each("seed", share(range(30, 42), 4))
def test_what_is_seen_is_the_same_however_much_is_in_memory(seed, bound, objects):
    assert live_through(seed, objects, waiting_bytes_kept=bound)[0] == live_through(seed, objects)[0]


def backlog(seed: int, bound: int, *, loss: float = 0.0):
    """Messages small and large wait for LYON, which comes back, goes, and comes back; answers what everybody saw."""
    world, dice = World(seed, loss=loss), random.Random(seed)
    world.settings = msgspec.structs.replace(world.settings, waiting_bytes_kept=bound)
    paris = world.instance("PARIS", world.database("Ventes", ["Client"], route("Entrepôt", "lyon")))
    lyon = world.instance("LYON", world.database("Stock", ["Entrepôt"], route("Client", "paris")))
    lyon.kill()
    handles = [paris.begin("Ventes", "Client", "Entrepôt") for _ in range(3)]
    seen: list[object] = []
    sent: dict[object, list[bytes]] = {handle: [] for handle in handles}
    for number in range(700):
        handle = dice.choice(handles)
        body = b"%06d" % number * (1 if dice.random() < 0.98 else 30_000)
        sent[handle].append(body)
        paris.say("Ventes", handle, body)
        if number == 500:
            paris.kill()
            paris.start()
    left = paris.instance._broker.memory.bytes
    seen.append((paris.view("Ventes"), rows_of(paris, "sys.transmission_queue", "Ventes", rows_max=1000)))
    lyon.start()
    world.run(3.0)
    paris.lose(next(iter(paris.links), None))
    taken: dict[object, list[bytes]] = {}
    for day in range(60):
        world.run(200)
        if day == 1:
            world.run(2000)
            there = lyon.instance._broker.memory.bytes
            lyon.kill()
            lyon.start()
            seen.extend((lyon.view("Stock"), lyon.instance.peek("Stock", "dbo.Entrepôt", 100)))
        if day > 0:
            seen.append(_receive(dice, lyon, taken))
        if day > 3 and not paris.view("Ventes").transmission_queue_total:
            break
    while received := _receive(dice, lyon, taken):
        seen.append(received)
    assert sorted(taken.values()) == sorted(sent.values())
    assert [node.instance._broker.memory.bytes for node in (paris, lyon)] == [0, 0], "what has left takes no memory"
    return seen, (left, there)


def _receive(dice, lyon, taken):
    """Some messages, perhaps after a transaction that was rolled back."""
    top = dice.choice((1, 7, 100, 300))
    seen = ()
    if dice.random() < 0.3:
        own = lyon.do(BeginTransaction).transaction
        seen = lyon.do(Receive, database="Stock", queue="dbo.Entrepôt", top=top, transaction=own).messages
        lyon.do(RollbackTransaction, transaction=own)
    received = lyon.receive("Stock", "Entrepôt", top)
    assert received[: len(seen)] == seen
    for row in received:
        taken.setdefault(row.conversation_handle, []).append(row.message_body)
    return received


@pytest.mark.parametrize(("seed", "loss"), [(1, 0.0), (2, 0.2), (3, 0.3)])
def test_a_long_backlog_takes_the_memory_that_it_may_and_arrives_the_same(seed, loss):
    bounded, few = backlog(seed, SOME_BYTES, loss=loss)
    boundless, many = backlog(seed, 10**9, loss=loss)
    # What is lost makes the receiver hold messages that are early, and those stay.
    for bounded_bytes, all_of_them in list(zip(few, many, strict=True))[: 1 if loss else 2]:
        assert bounded_bytes < 4 * SOME_BYTES < all_of_them / 20
    assert bounded == boundless


@pytest.mark.parametrize("restarts", [False, True])
@pytest.mark.parametrize("off_from", [0, 4])
@pytest.mark.parametrize("bound", [-1, 10**9])
def test_what_comes_while_a_queue_is_off_follows_what_was_left_behind(bound, off_from, restarts):
    world = World()
    world.settings = msgspec.structs.replace(world.settings, waiting_bytes_kept=bound)
    paris = world.instance("PARIS", world.database("Ventes", ["Client", "Stock"], route("Stock")))
    handle = paris.begin("Ventes", "Client", "Stock")
    for number in range(9):
        if number in (off_from, 7):
            paris.do(SetQueueStatus, database="Ventes", queue="dbo.Stock", is_enabled=number == 7)
            if restarts:
                paris.kill()
                paris.start()
        paris.say("Ventes", handle, b"%d" % number)
    assert [row.message_body for row in paris.instance.peek("Ventes", "dbo.Stock", 9).messages] == _bodies(range(9))
    assert [row.message_body for row in paris.receive("Ventes", "Stock", 3)] == _bodies(range(3))
    assert [row.message_body for row in paris.receive("Ventes", "Stock")] == _bodies(range(3, 9))
    assert [event.message_sequence_number for event in paris.told(MessageDelivered)] == list(range(9))


def _bodies(numbers):
    return [b"%d" % number for number in numbers]
