"""Where routing draws, every answer is a way with its share: shares add up, and what is not followed is said."""

from uuid import UUID

import pytest

from engine.core.catalog.objects import EndpointState
from engine.sim.estate_world import EstateWorld
from engine.whatif.disposition import LegKind
from engine.whatif.legs import round_trip
from engine.whatif.router import BRANCHES_MAX
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
    shop,
    store,
    to,
)

FLOW = FlowQuestion(instance="WEST", database="Shop", service="Till", to_service="Stock")
THIRD = UUID(int=0xD)
TWO = (to("TCP://east:4022"), to("TCP://north:4022"))


def two_stores(**fields):
    """EAST and NORTH with a copy of Stock each."""
    return store(), store(name="NORTH", broker=OTHER, **fields)


def test_two_equal_routes_share_the_messages():
    """WEST/Shop ──▶ EAST/Store or NORTH/Store."""
    legs = asked(estate(shop(*TWO), *two_stores()))
    assert sorted(ends(legs[0])) == [
        (0.5, "delivered", "EAST/Store", None),
        (0.5, "delivered", "NORTH/Store", None),
    ]
    assert lights(legs) == "green green green green"


def test_routes_that_differ_in_their_name_alone_count_as_one():
    legs = asked(estate(shop(to("TCP://east:4022"), to("TCP://EAST:4022"), to("TCP://north:4022")), *two_stores()))
    assert [way[0] for way in ends(legs[0])] == [0.5, 0.5]


def test_a_draw_at_the_sender_and_one_behind_it_multiply():
    """WEST/Shop ──▶ EAST/Store or HUB; HUB ──▶ NORTH/Store or nobody."""
    hub = instance("HUB", msdb=[to("TCP://north:4022"), to("TCP://atlantis:4022")], forwards=True)
    legs = asked(estate(shop(to("TCP://east:4022"), to("TCP://hub:4022")), hub, *two_stores()))
    assert sorted(ends(legs[0])) == [
        (0.25, "delivered", "NORTH/Store", None),
        (0.25, "nobody-there", "HUB", 9783),
        (0.5, "delivered", "EAST/Store", None),
    ]
    assert legs[0].arrives == pytest.approx(0.75)
    assert lights(legs).startswith("amber")


def test_a_sender_that_cannot_connect_takes_the_other_way_after_a_minute():
    legs = asked(estate(shop(*TWO), *two_stores()), down("NORTH"))
    assert ends(legs[0]) == [(1.0, "delivered", "EAST/Store", None)]


def test_a_sender_that_has_nowhere_to_go_tells_of_every_way():
    legs = asked(estate(shop(*TWO), *two_stores()), down("NORTH"), cut("WEST", "EAST"))
    assert [each[1:3] for each in ends(legs[0])] == [("unreachable", "WEST")] * 2
    assert {way.further for way in legs[0].ways} == {"EAST", "NORTH"}


def test_what_is_discarded_far_away_moves_no_sender():
    """WEST/Shop ──▶ EAST/Store, or NORTH, which does not have the service."""
    legs = asked(estate(shop(*TWO), store(), instance("NORTH")))
    assert sorted(ends(legs[0])) == [(0.5, "delivered", "EAST/Store", None), (0.5, "discarded", "NORTH", 9796)]


def test_its_own_endpoint_moves_no_sender_either():
    """WEST/Shop, its endpoint stopped: the id of Store in WEST, or that of NORTH."""
    west = instance(
        "WEST",
        database("Shop", "Till", broker=SHOP, routes=[to("LOCAL", broker=STOCK), to("TCP://north:4022", broker=OTHER)]),
        database("Store", "Stock", broker=STOCK),
        endpoint=EndpointState.STOPPED,
    )
    legs = asked(estate(west, store(name="NORTH", broker=OTHER)))
    assert sorted(ends(legs[0])) == [(0.5, "delivered", "WEST/Store", None), (0.5, "unreachable", "WEST", 9666)]


def test_two_databases_of_one_instance_share_what_names_no_id():
    east = instance(
        "EAST",
        database("Store", "Stock", broker=STOCK, routes=[to("TCP://west:4022", "Till")]),
        database("Attic", "Stock", broker=OTHER, routes=[to("TCP://west:4022", "Till")]),
    )
    legs = asked(estate(shop(to("TCP://east:4022")), east))
    assert sorted(ends(legs[0])) == [
        (0.5, "delivered", "EAST/Attic", None),
        (0.5, "delivered", "EAST/Store", None),
    ]


def test_ways_that_meet_again_keep_their_own_acknowledgement():
    """Of the two copies of Stock only that in EAST knows a way back."""
    legs = asked(estate(shop(*TWO), *two_stores(back=None, has_catch_all=False)))
    assert sorted(ends(legs[1])) == [(0.5, "delayed", "NORTH", 9750), (0.5, "delivered", "WEST/Shop", None)]
    assert lights(legs) == "green amber amber green"


@pytest.mark.slow
def test_a_loop_that_is_left_by_chance_ends_everywhere_with_its_share():
    """WEST/Shop ──▶ HUB ──▶ EAST/Store, or FORK ──▶ HUB again: eight rounds, then the hops are used up."""
    hub = instance("HUB", msdb=[to("TCP://east:4022"), to("TCP://fork:4022")], forwards=True)
    fork = instance("FORK", msdb=[to("TCP://hub:4022")], forwards=True)
    legs = asked(estate(shop(to("TCP://hub:4022")), hub, fork, store()))
    sums = {}
    for way in legs[0].ways:
        sums[way.disposition.value] = sums.get(way.disposition.value, 0.0) + way.share
    assert sums == {"delivered": pytest.approx(1 - 2**-8), "hops-used-up": pytest.approx(2**-8)}
    assert legs[0].followed == pytest.approx(1.0)


def test_unlikely_ways_are_followed_together_and_none_is_lost():
    """Five forwarders, each with a route to each of the others and one to EAST: some billions of ways."""
    names = [f"F{number}" for number in range(5)]
    forwarders = [
        instance(
            name,
            msdb=[to("TCP://east:4022"), *(to(f"TCP://{other.lower()}:4022") for other in names if other != name)],
            forwards=True,
        )
        for name in names
    ]
    catalogs = estate(shop(*(to(f"TCP://{name.lower()}:4022") for name in names)), *forwarders, store())
    first = round_trip(Snapshot(catalogs, at=NOW), FLOW, legs=1)[0]
    assert first.followed == pytest.approx(1.0)
    assert first.arrives == pytest.approx(1 - 0.8**16, abs=1e-6)
    assert len(first.ways) < 200


def test_more_answers_than_are_followed_are_said_to_be_left_out():
    """WEST/Shop with more equally good routes than a decision has branches."""
    routes = [to(f"TCP://east:{5000 + number}") for number in range(2 * BRANCHES_MAX - 1)]
    catalogs = estate(shop(*routes, to("TCP://east:4022")), store())
    first = round_trip(Snapshot(catalogs, at=NOW), FLOW, legs=1)[0]
    assert first.followed == pytest.approx(0.5)
    assert first.light.value == "amber"


def test_explained_or_not_the_ways_are_the_same():
    hub = instance("HUB", msdb=[to("TCP://north:4022"), to("TCP://atlantis:4022")], forwards=True)
    catalogs = estate(shop(to("TCP://east:4022"), to("TCP://hub:4022")), hub, *two_stores())
    plain, explained = (round_trip(Snapshot(catalogs, at=NOW, explain=explain), FLOW) for explain in (False, True))
    assert [ends(leg) for leg in plain] == [ends(leg) for leg in explained]
    assert all(hop.decision.candidates == () for way in plain[0].ways for hop in way.hops)
    assert any(hop.decision.candidates for way in explained[0].ways for hop in way.hops)


def test_a_single_way_is_whole():
    assert end(asked(estate(shop(to("TCP://east:4022")), store()))) == ("delivered", "EAST/Store", None)


def test_dialogs_that_take_turns_arrive_as_often_as_the_shares_say():
    """WEST/Shop ──▶ NORTH/Store, or EAST with two databases that have Stock: a half, and twice a quarter."""
    east = instance(
        "EAST",
        database("Store", "Stock", broker=STOCK, routes=[to("TCP://west:4022", "Till")]),
        database("Attic", "Stock", broker=OTHER, routes=[to("TCP://west:4022", "Till")]),
    )
    catalogs = estate(shop(*TWO), east, store(name="NORTH", broker=THIRD))
    shares = {place: share for share, _, place, _ in ends(asked(catalogs)[0])}
    world = EstateWorld(catalogs, at=NOW, seed=1)
    dialogs = 0
    arrived = dict.fromkeys(shares, 0)
    while dialogs < 16:
        # One after another, so that nothing is sent twice.
        conversation = world.begin(FLOW)
        assert world.run(30.0, lambda conversation=conversation: conversation.is_acknowledged)
        (taken,) = conversation.tracks[LegKind.MESSAGE].taken
        arrived[f"{taken.instance}/{taken.database}"] += 1
        dialogs += 1
    assert arrived == {place: share * dialogs for place, share in shares.items()}
