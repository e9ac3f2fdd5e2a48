"""Every single failure of an estate, once each: what can fail, and what cannot."""

from collections import Counter

from engine.api import what_if
from engine.core.catalog.changes import (
    DatabaseStateSet,
    EndpointAltered,
    QueueAltered,
    QueueCreated,
    RouteCreated,
    ServiceCreated,
)
from engine.core.catalog.database import DatabaseState
from engine.core.catalog.objects import EndpointState, Queue, Service
from engine.core.catalog.route import TransportAddress
from tests.support.diagnosed_estates import NOW, broken, changed, route, sample_estate, sound_estate

Kind = what_if.FaultKind


def failures(estate, kind, **given):
    """The failures of a kind, as the names in them."""
    return [
        tuple(name for name in (each.instance, each.other, each.database, each.queue) if name is not None)
        for each in what_if.single_failures(estate, **given)
        if each.kind is kind
    ]


def test_everything_in_the_sample():
    found = what_if.single_failures(sample_estate())
    assert Counter(each.kind for each in found) == {
        Kind.INSTANCE: 4,
        Kind.LINK: 4,
        Kind.ENDPOINT: 4,
        Kind.DATABASE: 7,
        Kind.QUEUE: 10,
        Kind.PARTNER: 1,
    }
    assert len(set(found)) == len(found)
    assert failures(sample_estate(), Kind.PARTNER) == [("BERLIN", "Buchhaltung")]


def test_each_of_them_can_be_supposed():
    estate = sample_estate()
    flow = next(what_if.possible_flows(estate))
    for fault in what_if.single_failures(estate):
        assert what_if.ask(estate, flow, at=NOW, faults=[fault]).faults == (fault,)


def test_a_link_is_told_once_whoever_has_a_route():
    assert failures(sound_estate(), Kind.LINK) == [("WEST", "EAST")]


def test_routes_that_have_expired_and_routes_that_lead_to_nobody_use_no_link():
    late = route("Late", "Stock", "north", expires_at=NOW)
    nobody = route("Nobody", "Stock", "nowhere.example")
    estate = broken("WEST", RouteCreated(database="Shop", route=late), RouteCreated(database="Shop", route=nobody))
    assert failures(estate, Kind.LINK) == [("WEST", "EAST"), ("WEST", "NORTH")]
    assert failures(estate, Kind.LINK, at=NOW - 1) == [("WEST", "EAST"), ("WEST", "NORTH")]
    assert failures(estate, Kind.LINK, at=NOW) == [("WEST", "EAST")]


def test_a_transport_route_uses_links_to_services_whose_names_begin_with_an_address():
    named = "tcp://north:4022/Stock"
    estate = broken("WEST", RouteCreated(database="Shop", route=route("Any", None, TransportAddress())))
    assert failures(estate, Kind.LINK) == [("WEST", "EAST")]
    estate = changed(
        estate,
        "EAST",
        QueueCreated(database="Store", queue=Queue("dbo.Other")),
        ServiceCreated(database="Store", service=Service(named, "dbo.Other")),
    )
    assert failures(estate, Kind.LINK) == [("WEST", "EAST"), ("WEST", "NORTH")]


def test_both_addresses_of_a_mirrored_route_are_links():
    assert ("PARIS", "BERLIN") in failures(sample_estate(), Kind.LINK)
    assert ("PARIS", "LYON") in failures(sample_estate(), Kind.LINK)


def test_what_is_down_already_cannot_fail():
    stopped = broken("WEST", EndpointAltered(name="Broker", state=EndpointState.STOPPED))
    assert failures(stopped, Kind.ENDPOINT) == [("EAST",), ("NORTH",)]
    offline = broken("EAST", DatabaseStateSet(database="Store", state=DatabaseState.OFFLINE))
    assert failures(offline, Kind.DATABASE) == [("WEST", "Shop")]
    off = broken("EAST", QueueAltered(database="Store", name="dbo.Inbox", is_enabled=False))
    assert failures(off, Kind.QUEUE) == [("WEST", "Shop", "dbo.Inbox")]


def test_a_queue_without_a_service_is_nobody_s_loss():
    estate = broken("EAST", QueueCreated(database="Store", queue=Queue("dbo.Spare")))
    assert failures(estate, Kind.QUEUE) == failures(sound_estate(), Kind.QUEUE)


def test_an_estate_without_anything():
    assert what_if.single_failures({}) == ()
