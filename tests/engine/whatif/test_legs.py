"""Four legs as one answer: the message, its acknowledgement, the reply, and the acknowledgement of that."""

import pytest

from engine.core.catalog.changes import ServiceAltered
from engine.core.catalog.permissions import Securable
from engine.core.catalog.revision import apply_changes
from engine.core.catalog.security import User
from engine.core.catalog.security_changes import PermissionSet, UserCreated
from engine.core.catalog.server_changes import PermissionVerb
from engine.whatif.disposition import LegKind
from engine.whatif.legs import courses, round_trip
from engine.whatif.snapshot import Snapshot
from engine.whatif.telling import FlowQuestion
from tests.support.random_estates import NOW
from tests.support.small_estates import (
    OTHER,
    SHOP,
    STOCK,
    asked,
    cut,
    database,
    down,
    end,
    ends,
    estate,
    instance,
    lights,
    offline,
    shop,
    store,
    to,
)

FLOW = FlowQuestion(instance="WEST", database="Shop", service="Till", to_service="Stock")
THERE = to("TCP://east:4022")


def test_a_pair_that_is_one_way_delivers_and_is_never_acknowledged():
    """WEST/Shop ──▶ EAST/Store, which knows no way back: the message stays in the transmission queue of WEST."""
    legs = asked(estate(shop(THERE), store(back=None, has_catch_all=False)))
    assert end(legs) == ("delivered", "EAST/Store", None)
    assert lights(legs) == "green red red grey"
    assert ends(legs[1]) == [(1.0, "delayed", "EAST", 9750)]


def test_the_catch_all_of_the_target_keeps_the_acknowledgement_at_home():
    """Born with AutoCreatedLocal, a database looks for Till in its own instance."""
    legs = asked(estate(shop(THERE), store(back=None)))
    assert ends(legs[1]) == [(1.0, "delayed", "EAST", 9796)]


def test_the_way_back_is_looked_up_with_the_broker_id_of_the_sender():
    """EAST has two routes to Till: by its id to WEST, by its name to nobody."""
    back = (to("TCP://west:4022", "Till", SHOP), to("TCP://atlantis:4022", "Till"))
    legs = asked(estate(shop(THERE), store(*back, back=None)))
    assert lights(legs) == "green green green green"


def test_a_reply_needs_no_route_at_home():
    """msdb of WEST has no route at all: what a target sends to an id that is here is delivered (routing.md 3)."""
    home = database("Shop", "Till", broker=SHOP, routes=[THERE])
    legs = asked(estate(instance("WEST", home, has_catch_all=False), store()))
    assert lights(legs) == "green green green green"


def test_the_way_back_goes_over_a_forwarder_that_may_not_forward():
    """WEST/Shop ──▶ EAST/Store, and back over HUB ─╳."""
    hub = instance("HUB", msdb=[to("TCP://west:4022", "Till")])
    legs = asked(estate(shop(THERE), hub, store(back="TCP://hub:4022")))
    assert lights(legs) == "green red red grey"
    assert ends(legs[1]) == [(1.0, "discarded", "HUB", 9792)]


def test_a_link_that_is_cut_cuts_all_legs():
    assert lights(asked(estate(shop(THERE), store()), cut("WEST", "EAST"))) == "red grey grey grey"


def test_the_acknowledgement_of_the_reply_goes_to_the_copy_that_has_acknowledged_and_by_its_own_route():
    """WEST/Shop: Stock by name to EAST, and by the id of EAST's Store to nobody (routing.md E34)."""
    legs = asked(estate(shop(THERE, to("TCP://atlantis:4022", broker=STOCK)), store()))
    assert lights(legs) == "green green green red"
    assert ends(legs[3]) == [(1.0, "nobody-there", "WEST", 9783)]


def test_what_msdb_has_drawn_for_an_address_of_its_own_stands_for_the_whole_conversation():
    """WEST/Shop ──▶ its own address; msdb of WEST ──▶ EAST/Store, or NORTH, which does not have the service."""
    home = database("Shop", "Till", broker=SHOP, routes=[to("TCP://west:4022")])
    west = instance("WEST", home, msdb=[THERE, to("TCP://north:4022")], forwards=True)
    legs = asked(estate(west, store(), instance("NORTH")))
    assert sorted(ends(legs[0])) == [(0.5, "delivered", "EAST/Store", None), (0.5, "discarded", "NORTH", 9796)]
    assert ends(legs[3]) == [(1.0, "delivered", "EAST/Store", None)]


def test_of_two_copies_each_is_answered_by_itself():
    """WEST/Shop ──▶ EAST/Store or NORTH/Store; the acknowledgement of the reply never goes to the other one."""
    copies = (store(), store(name="NORTH", broker=OTHER))
    by_id = (to("TCP://east:4022", broker=STOCK), to("TCP://north:4022", broker=OTHER))
    legs = asked(estate(shop(*by_id), *copies))
    assert lights(legs) == "green green green green"
    assert sorted(place for _, _, place, _ in ends(legs[3])) == ["EAST/Store", "NORTH/Store"]


def test_a_reply_that_finds_a_copy_of_the_senders_database_is_refused_there():
    """WEST/Shop ──▶ EAST/Store; NORTH has a copy of Shop, id and all, and Till leads there."""
    north = instance("NORTH", database("Shop", "Till", broker=SHOP, routes=[THERE]))
    legs = asked(estate(shop(THERE), north, store(back="TCP://north:4022")))
    assert lights(legs) == "green red red grey"
    assert ends(legs[1]) == [(1.0, "discarded", "NORTH/Shop", 11209)]
    assert ends(legs[2]) == [(1.0, "refused", "NORTH/Shop", 8462)]


def test_a_reply_waits_beside_the_queue_of_its_sender_when_that_is_off():
    home = database("Shop", "Till", broker=SHOP, routes=[THERE], queue_on=False)
    legs = asked(estate(instance("WEST", home), store()))
    assert ends(legs[2]) == [(1.0, "held-queue-off", "WEST/Shop", None)]
    assert lights(legs) == "green green amber green"


def test_within_an_instance_a_reply_may_still_leave_by_the_network():
    """WEST: Shop ──▶ Store, whose route to Till names the address of WEST itself."""
    west = instance(
        "WEST",
        database("Shop", "Till", broker=SHOP),
        database("Store", "Stock", broker=STOCK, routes=[to("TCP://west:4022", "Till")]),
    )
    legs = asked(estate(west))
    assert lights(legs) == "green green green green"
    assert [leg.ways[0].is_local for leg in legs] == [True, True, False, True]


def test_who_may_not_receive_makes_the_message_come_again_and_again():
    """The owner of Stock has no RECEIVE on its queue: nobody is answered (protocol.md 9.3)."""
    east = _without_receive(store())
    legs = asked(estate(shop(THERE), east))
    assert end(legs) == ("discarded", "EAST/Store", 8401)


def test_within_an_instance_who_may_not_receive_keeps_the_message_with_its_sender():
    west = instance("WEST", database("Shop", "Till", broker=SHOP), database("Store", "Stock", broker=STOCK))
    assert end(asked(estate(_without_receive(west)))) == ("delayed", "WEST/Store", 8401)


def _without_receive(catalog):
    return apply_changes(
        catalog,
        [
            UserCreated(database="Store", user=User("clerk")),
            ServiceAltered(database="Store", name="Stock", owner="clerk"),
            PermissionSet(
                database="Store",
                verb=PermissionVerb.DENY,
                securable=Securable.QUEUE,
                name="dbo.Stock",
                grantee="public",
            ),
        ],
    )


@pytest.mark.parametrize("fault", [down("EAST"), offline("EAST")], ids=["server down", "database offline"])
def test_a_leg_that_is_not_reached_is_grey_and_empty(fault):
    legs = asked(estate(shop(THERE), store()), fault)
    assert [leg.kind for leg in legs] == list(LegKind)
    assert [len(leg.ways) for leg in legs] == [1, 0, 0, 0]
    assert lights(legs) == "red grey grey grey"


def test_shares_of_a_leg_are_of_what_sets_out_on_it():
    """WEST/Shop ──▶ EAST/Store or nobody behind HUB; all that arrives is acknowledged."""
    hub = instance("HUB", msdb=[to("TCP://atlantis:4022")], forwards=True)
    legs = asked(estate(shop(THERE, to("TCP://hub:4022")), hub, store()))
    assert legs[0].arrives == pytest.approx(0.5)
    assert ends(legs[1]) == [(1.0, "delivered", "WEST/Shop", None)]
    assert [leg.followed for leg in legs] == [pytest.approx(1.0)] * 4


def test_courses_are_all_combinations_and_their_shares_are_one_together():
    copies = (store(), store(to("TCP://atlantis:4022", "Till"), name="NORTH", broker=OTHER))
    snapshot = Snapshot(estate(shop(THERE, to("TCP://north:4022")), *copies), at=NOW)
    found = courses(snapshot, FLOW)
    assert sum(course.share for course in found) == pytest.approx(1.0)
    assert {len(course.ways) for course in found} == {4}
    assert all(course.ways[3].database == course.ways[0].database for course in found)


def test_asking_for_fewer_legs_changes_nothing_about_them():
    snapshot = Snapshot(estate(shop(THERE), store()), at=NOW)
    assert [ends(leg) for leg in round_trip(snapshot, FLOW, legs=2)] == [
        ends(leg) for leg in round_trip(snapshot, FLOW)[:2]
    ]
