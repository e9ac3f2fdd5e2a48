"""A world of given catalogs: what becomes of a message and its reply, with the faults that somebody supposes."""

from uuid import UUID

import pytest

from engine.core.catalog.changes import (
    EndpointAltered,
    RouteCreated,
    RouteDropped,
)
from engine.core.vocabulary.errors import CatalogError
from engine.sim.delivery import Place, Stop, deliver
from engine.sim.network import LinkProfile
from engine.whatif.faults import Fault, FaultKind
from engine.whatif.telling import FlowQuestion
from tests.support.diagnosed_estates import NOW, STORE, broken, changed, mirrored_estate, route, sound_estate

TILL = FlowQuestion(instance="WEST", database="Shop", service="Till", to_service="Stock")
STOCK_QUEUE = Place("EAST", "Store", "dbo.Inbox", False)


def delivery(estate=None, flow=TILL, *faults, seed=1, **fields):
    return deliver(estate or sound_estate(), flow, at=NOW, seed=seed, faults=faults, **fields)


def west_to_east(**fields):
    return delivery(None, TILL, Fault(**fields))


def test_a_message_arrives_is_acknowledged_and_answered():
    found = delivery()
    assert found.arrived == (STOCK_QUEUE,)
    assert 0.0 < found.arrived_after < found.acknowledged_after < 2.0
    assert (found.replied, found.reply_arrived, found.reply_acknowledged) == (True, True, True)
    assert (found.status, found.error, found.copies, found.stops) == (None, None, 1, ())


def test_one_seed_takes_one_course_and_another_seed_another():
    assert delivery(seed=5) == delivery(seed=5)
    assert delivery(seed=5).arrived_after != delivery(seed=6).arrived_after


def test_messages_that_are_lost_on_the_way_are_sent_again():
    found = [delivery(seed=seed, link=LinkProfile(loss=0.4)) for seed in range(12)]
    assert all(each.arrived == (STOCK_QUEUE,) and each.acknowledged_after is not None for each in found)
    assert max(each.copies for each in found) > 1


@pytest.mark.parametrize(
    ("fields", "number"),
    [
        ({"kind": FaultKind.INSTANCE, "instance": "EAST"}, 9754),
        ({"kind": FaultKind.LINK, "instance": "EAST", "other": "WEST"}, 9754),
        ({"kind": FaultKind.ENDPOINT, "instance": "EAST"}, 9754),
        ({"kind": FaultKind.ENDPOINT, "instance": "WEST"}, 9666),
    ],
)
def test_what_cannot_get_there_stays_in_the_transmission_queue_with_its_number(fields, number):
    found = west_to_east(**fields)
    assert found.is_sent
    assert (found.arrived, found.copies, found.status) == ((), 0, number)


def test_a_sender_whose_server_is_down_is_not_answered_at_all():
    found = west_to_east(kind=FaultKind.INSTANCE, instance="WEST")
    assert (found.is_sent, found.refused) == (False, None)


def test_a_sender_whose_database_is_offline_is_refused():
    found = west_to_east(kind=FaultKind.DATABASE, instance="WEST", database="Shop")
    assert (found.is_sent, found.refused) == (False, 942)


def test_a_target_whose_database_is_offline_discards_and_the_message_stays_with_its_sender():
    found = west_to_east(kind=FaultKind.DATABASE, instance="EAST", database="Store")
    assert found.arrived == ()
    assert found.acknowledged_after is None
    assert [(stop.instance, stop.number) for stop in found.stops] == [("EAST", 11210)]
    assert found.copies == found.stops[0].copies > 3


def test_a_queue_that_is_off_has_the_message_parked_and_acknowledged_and_nobody_answers():
    found = west_to_east(kind=FaultKind.QUEUE, instance="EAST", database="Store", queue="dbo.Inbox")
    assert found.arrived == (Place("EAST", "Store", "dbo.Inbox", True),)
    assert found.acknowledged_after is not None
    assert not found.replied


def test_endpoints_that_demand_what_the_other_refuses_do_not_connect():
    estate = broken("EAST", EndpointAltered(name="Broker", encryption="DISABLED"))
    found = delivery(estate)
    assert (found.arrived, found.status) == ((), 9758)


def test_a_message_to_nobody_of_the_estate_waits_with_9783():
    estate = broken(
        "WEST",
        RouteDropped(database="Shop", name="There"),
        RouteCreated(database="Shop", route=route("There", "Stock", "atlantis")),
    )
    assert delivery(estate).status == 9783


def test_over_a_mirrored_route_a_message_goes_to_the_principal_and_after_a_failover_to_the_other_one():
    estate = mirrored_estate()
    named = FlowQuestion(instance="WEST", database="Shop", service="Till", to_service="Stock", broker_instance=STORE)
    assert [each.instance for each in delivery(estate, named).arrived] == ["EAST"]
    failover = Fault(kind=FaultKind.PARTNER, instance="EAST", database="Store")
    assert [each.instance for each in delivery(estate, named, failover).arrived] == ["NORTH"]
    down = Fault(kind=FaultKind.INSTANCE, instance="EAST")
    assert delivery(estate, named, down).status == 9787


def test_copies_that_a_forwarder_drops_are_told_with_their_place_and_number():
    """WEST ─▶ NORTH, which does not forward."""
    estate = broken(
        "WEST",
        RouteDropped(database="Shop", name="There"),
        RouteCreated(database="Shop", route=route("There", "Stock", "north")),
    )
    estate = changed(
        estate,
        "NORTH",
        RouteCreated(database="msdb", route=route("On", "Stock", "east")),
    )
    found = delivery(estate)
    assert found.stops == (Stop("NORTH", 9792, found.copies),)


def test_a_fault_of_what_the_estate_does_not_have_is_refused():
    with pytest.raises(CatalogError) as caught:
        west_to_east(kind=FaultKind.DATABASE, instance="EAST", database="Cellar")
    assert caught.value.number == 15151


def test_a_message_to_an_id_that_nobody_has_waits_for_ever():
    named = FlowQuestion(
        instance="WEST", database="Shop", service="Till", to_service="Stock", broker_instance=UUID(int=77)
    )
    found = delivery(None, named)
    assert found.arrived == ()
    assert found.stops
