"""Scenarios 6XX: an instance is woken for what is due, and for nothing else."""

import pytest

from engine.core.exchange.inputs import TIMER_FIRED
from tests.support.world import World, route


def paris_and_lyon():
    world = World()
    paris = world.instance("PARIS", world.database("Ventes", ["Client"], route("Entrepôt", "lyon")))
    lyon = world.instance("LYON", world.database("Stock", ["Entrepôt"], route("Client", "paris")))
    return world, paris, lyon


def test_601_a_message_that_has_arrived_is_not_woken_for_again():
    """PARIS ── LYON: what was sent has a retry after some 4 s; once it is acknowledged nothing is due for long."""
    world, paris, _ = paris_and_lyon()
    handle = paris.begin("Ventes", "Client", "Entrepôt")
    paris.say("Ventes", handle, "x")
    world.run(0.5)
    sent_at = world.seconds
    paris.say("Ventes", handle, "y")
    assert paris.instance.wake_at() <= sent_at + 6.0, "a retry is due"
    world.run(3.0)
    assert paris.view("Ventes").transmission_queue_total == 0
    assert paris.instance.wake_at() > world.seconds + 600.0


def test_602_a_lifetime_is_kept_by_an_end_whose_messages_have_arrived():
    """As 601, on a dialog that lives for two minutes: taking a retry back takes nothing else back."""
    world, paris, _ = paris_and_lyon()
    handle = paris.begin("Ventes", "Client", "Entrepôt", lifetime_seconds=120)
    paris.say("Ventes", handle, "x")
    world.run(20.0)
    assert paris.instance.wake_at() == pytest.approx(120.0, abs=1.0)
    assert paris.view("Ventes").queues[0].ready == 0
    world.run(120.0)
    assert paris.view("Ventes").queues[0].ready == 1, "the error of the end of its lifetime"


def test_603_a_timer_that_rings_too_early_changes_nothing():
    _, paris, _ = paris_and_lyon()
    handle = paris.begin("Ventes", "Client", "Entrepôt")
    paris.say("Ventes", handle, "x")
    before = paris.instance.wake_at()
    paris.feed(TIMER_FIRED)
    assert paris.instance.wake_at() == before
    assert paris.view("Ventes").transmission_queue_total == 1
