"""Questions that are worth asking, in the order in which one learns from them."""

from engine.api import what_if
from engine.core.catalog.changes import DatabaseStateSet
from engine.core.catalog.database import DatabaseState
from tests.support.diagnosed_estates import NOW, changed, sample_estate, sound_estate

Disposition, Light = what_if.Disposition, what_if.Light


def hops(estate, example):
    return len(what_if.ask(estate, example.question, at=NOW).legs[0].ways[0].hops)


def test_how_it_ought_to_be_comes_first_then_what_fails_and_dead_senders_last():
    dead = DatabaseStateSet(database="Entrepôt", state=DatabaseState.OFFLINE)
    estate = changed(sample_estate(), "LYON", dead)
    found = what_if.examples(estate, at=NOW)
    assert found[0].light is Light.GREEN
    farthest = max(hops(estate, each) for each in found if each.light is Light.GREEN)
    assert hops(estate, found[0]) == farthest > 2
    lights = [each.light for each in found[1:-1]]
    assert lights == sorted(lights, key=[Light.RED, Light.AMBER, Light.GREEN].index)
    assert set(lights) == {Light.RED, Light.AMBER, Light.GREEN}
    assert [each.disposition is Disposition.SENDER_DOWN for each in found] == [*[False] * (len(found) - 1), True]


def test_an_estate_in_order_has_an_example_of_what_arrives():
    assert [each.disposition for each in what_if.examples(sound_estate(), at=NOW)] == [Disposition.DELIVERED]


def test_an_empty_estate_has_none():
    assert what_if.examples({}, at=NOW) == ()
