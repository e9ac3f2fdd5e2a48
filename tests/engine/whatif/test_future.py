"""What time alone makes of an estate: told exactly at the instants at which a route expires."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.api import what_if
from engine.core.catalog.changes import RouteAltered, RouteCreated
from engine.whatif import future as module
from tests.support.diagnosed_estates import NOW, broken, changed, route, sample_estate, sound_estate
from tests.support.thoroughness import examples

Change, Disposition = what_if.FlowChange, what_if.Disposition
HOUR = 3600.0


def told(estate, until=NOW + 24 * HOUR, **given):
    return what_if.future(estate, what_if.possible_flows(estate), at=NOW, until=until, **given)


def expiring(at, name="There", database="Shop", instance="WEST", estate=None):
    return changed(estate or sound_estate(), instance, RouteAltered(database=database, name=name, expires_at=at))


def test_the_way_there_is_lost_when_its_route_expires():
    (event,) = told(expiring(NOW + HOUR)).events
    assert (event.at, event.route.route) == (NOW + HOUR, "There")
    lost = next(row for row in event.changes if row.question.to_service == "Stock")
    assert (lost.change, lost.before, lost.after) == (Change.LOST, Disposition.DELIVERED, Disposition.DELAYED)
    assert lost.before_route == "There"


def test_the_way_back_counts_as_much():
    estate = expiring(NOW + HOUR, name="Back", database="Store", instance="EAST")
    (event,) = told(estate).events
    changes = {(row.question.instance, row.change) for row in event.changes}
    assert ("WEST", Change.LOST) in changes


def test_an_instant_belongs_to_the_time_asked_about_if_it_is_after_now_and_not_after_its_end():
    estate = expiring(NOW + HOUR)
    assert told(estate, until=NOW + HOUR).events
    assert not told(estate, until=NOW + HOUR - 1).events
    assert not told(expiring(NOW)).events


def test_a_route_that_expires_unnoticed_is_an_event_without_changes():
    estate = broken("WEST", RouteCreated(database="Shop", route=route("Spare", "Nobody", "north", expires_at=NOW + 1)))
    (event,) = told(estate).events
    assert [row.question.to_service for row in event.changes] == ["Nobody"]
    twin = route("Twin", "Stock", "east", expires_at=NOW + 1)
    (event,) = told(broken("WEST", RouteCreated(database="Shop", route=twin))).events
    assert event.changes == ()


def test_of_several_routes_at_one_instant_the_one_that_was_in_use_bears_the_change():
    estate = broken("WEST", RouteCreated(database="Shop", route=route("Aside", "Nobody", "north", expires_at=NOW + 5)))
    estate = expiring(NOW + 5, estate=estate)
    events = {event.route.route: event for event in told(estate).events}
    assert list(events) == ["Aside", "There"]
    assert {row.question.to_service for row in events["There"].changes} == {"Stock"}
    assert [row.question.to_service for row in events["Aside"].changes] == ["Nobody"]


def test_what_comes_after_is_told_against_what_was_just_before():
    """First the route by name expires and the mail takes another way; then that one expires too."""
    estate = broken("WEST", RouteCreated(database="Shop", route=route("Any", None, "east", expires_at=NOW + 20)))
    estate = expiring(NOW + 10, estate=estate)
    first, second = told(estate).events
    rows = [next(row for row in each.changes if row.question.to_service == "Stock") for each in (first, second)]
    assert [(row.change, row.before_route, row.after_route) for row in rows] == [
        (Change.MOVED, "There", "Any"),
        (Change.LOST, "Any", None),
    ]


def test_faults_are_supposed_all_along():
    down = what_if.Fault(kind=what_if.FaultKind.INSTANCE, instance="EAST")
    (event,) = told(expiring(NOW + HOUR), faults=[down]).events
    (row,) = [row for row in event.changes if row.question.instance == "WEST"]
    assert (row.change, row.before) == (Change.MOVED, Disposition.UNREACHABLE)


def test_beyond_the_cap_it_is_said_how_many_were_not_looked_at(monkeypatch):
    monkeypatch.setattr(module, "EVENTS_MAX", 1)
    estate = broken("WEST", RouteCreated(database="Shop", route=route("Aside", "Nobody", "north", expires_at=NOW + 5)))
    found = told(expiring(NOW + 9, estate=estate))
    assert ([event.route.route for event in found.events], found.not_looked_at) == (["Aside"], 1)


def test_an_estate_in_which_nothing_expires():
    assert told(sound_estate()) == what_if.Future(events=(), not_looked_at=0)


ROUTES = [
    (catalog.name, database.name, name)
    for catalog in sample_estate().values()
    for database in catalog.databases.values()
    for name in database.routes
]


@pytest.mark.parametrize("faults", [(), (what_if.Fault(kind=what_if.FaultKind.INSTANCE, instance="HUB"),)])
@examples(25)
@given(st.dictionaries(st.sampled_from(ROUTES), st.integers(1, 12), min_size=1, max_size=8))
def test_between_events_nothing_changes_and_at_events_what_was_told(faults, expiries):
    """Held against the questions themselves, asked just before and at every instant of a grid."""
    estate = sample_estate()
    for (instance, database, name), step in expiries.items():
        estate = changed(estate, instance, RouteAltered(database=database, name=name, expires_at=NOW + step * HOUR))
    flows = list(what_if.possible_flows(estate))
    events = what_if.future(estate, flows, at=NOW, until=NOW + 12 * HOUR, faults=faults).events
    assert sorted((event.route.instance, event.route.database, event.route.route) for event in events) == sorted(
        expiries
    )
    told_then = {}
    for event in events:
        for row in event.changes:
            told_then[event.at, row.question] = (row.before, row.after)
    before = {flow: _end(estate, flow, NOW, faults) for flow in flows}
    for step in range(1, 13):
        at = NOW + step * HOUR
        for flow in flows:
            after = _end(estate, flow, at, faults)
            seen = told_then.get((at, flow))
            if after != before[flow]:
                assert seen is not None, (flow, step)
            if seen is not None:
                assert seen == (before[flow][0], after[0])
            before[flow] = after


def _end(estate, flow, at, faults):
    answer = what_if.ask(estate, flow, at=at, faults=faults)
    way = answer.legs[0].ways[0]
    return (answer.disposition, tuple((hop.instance, hop.route) for hop in way.hops))


def test_events_are_values_that_can_be_told():
    assert msgspec.json.decode(msgspec.json.encode(told(expiring(NOW + HOUR))))["events"][0]["changes"]
