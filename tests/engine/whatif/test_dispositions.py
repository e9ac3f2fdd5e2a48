"""Every end that a message may come to, each in the smallest estate that has it; the world takes the same way."""

import pytest

from engine.core.catalog.database import DatabaseState
from engine.core.catalog.objects import EndpointState
from engine.core.catalog.permissions import Securable
from engine.core.catalog.revision import apply_changes
from engine.core.catalog.security_changes import PermissionSet
from engine.core.catalog.server_changes import PermissionVerb
from engine.whatif.disposition import Disposition
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

CONFIGURATION = "SQL/ServiceBroker/BrokerConfiguration"


def closed_to_public(catalog, database_name="Store"):
    """Nobody but administrators may send to Stock."""
    change = PermissionSet(
        database=database_name, verb=PermissionVerb.REVOKE, securable=Securable.SERVICE, name="Stock", grantee="public"
    )
    return apply_changes(catalog, [change])


# ── arrival ──────────────────────────────────────────────────────────────────────────────────────────────────────────
def test_delivered_over_the_network_and_acknowledged():
    """WEST/Shop ──▶ EAST/Store, and back."""
    legs = asked(estate(shop(to("TCP://east:4022")), store()))
    assert end(legs) == ("delivered", "EAST/Store", None)
    assert lights(legs) == "green green green green"
    assert [leg.ways[0].instance for leg in legs] == ["EAST", "WEST", "WEST", "EAST"]


def test_delivered_within_the_instance_without_the_network():
    """WEST: Shop ──▶ Store, no endpoint at all."""
    west = instance(
        "WEST", database("Shop", "Till", broker=SHOP), database("Store", "Stock", broker=STOCK), endpoint=None
    )
    legs = asked(estate(west))
    assert end(legs) == ("delivered", "WEST/Store", None)
    assert all(leg.ways[0].is_local for leg in legs)
    assert legs[1].ways[0].hops == ()


def test_delivered_by_an_address_of_its_own_over_the_network_of_the_same_machine():
    """WEST/Shop ──▶ tcp://localhost:4022 ──▶ WEST: msdb ──▶ Store."""
    west = instance(
        "WEST",
        database("Shop", "Till", broker=SHOP, routes=[to("TCP://localhost:4022")]),
        database("Store", "Stock", broker=STOCK),
    )
    legs = asked(estate(west))
    assert end(legs) == ("delivered", "WEST/Store", None)
    way = legs[0].ways[0]
    assert not way.is_local
    assert [(hop.decision.table, hop.reached) for hop in way.hops] == [("Shop", "WEST"), ("msdb", None)]


def test_delivered_over_forwarders_that_keep_nothing():
    """WEST/Shop ──▶ HUB ──▶ EAST/Store, and straight back."""
    hub = instance("HUB", msdb=[to("TCP://east:4022")], forwards=True)
    legs = asked(estate(shop(to("TCP://hub:4022")), hub, store()))
    assert end(legs) == ("delivered", "EAST/Store", None)
    assert [hop.reached for hop in legs[0].ways[0].hops] == ["HUB", "EAST", None]


def test_transport_finds_the_address_at_the_start_of_the_name_of_the_service():
    """WEST/Shop ──▶ whatever address the service is called after: EAST/Store; and of one that is called after none."""
    named = "tcp://east:4022/Stock"
    east = store(services=(named,))
    sender = shop(to("TRANSPORT", None), has_catch_all=False)
    assert end(asked(estate(sender, east), to_service=named)) == ("delivered", "EAST/Store", None)
    assert end(asked(estate(sender, store()))) == ("delayed", "WEST", 9785)


def test_a_queue_that_is_off_holds_the_message_which_is_acknowledged_and_not_answered():
    """WEST/Shop ──▶ EAST/Store, whose queue is off."""
    legs = asked(estate(shop(to("TCP://east:4022")), store(queue_on=False)))
    assert end(legs) == ("held-queue-off", "EAST/Store", None)
    assert lights(legs) == "amber green grey grey"


# ── kept by the sender ───────────────────────────────────────────────────────────────────────────────────────────────
def test_delayed_without_any_route():
    legs = asked(estate(shop(has_catch_all=False)))
    assert end(legs) == ("delayed", "WEST", 9750)
    assert lights(legs) == "red grey grey grey"


def test_delayed_where_the_only_route_is_local_and_the_service_is_not():
    assert end(asked(estate(shop()))) == ("delayed", "WEST", 9796)


def test_an_expired_route_is_none():
    """WEST/Shop ──▶ EAST until ten seconds ago."""
    catalogs = estate(shop(to("TCP://east:4022", expires_at=NOW - 10.0), has_catch_all=False), store())
    assert end(asked(catalogs)) == ("delayed", "WEST", 9750)


def test_a_service_that_differs_in_case_is_another_service():
    """WEST/Shop ──▶ EAST/Store, which has STOCK."""
    assert end(asked(estate(shop(to("TCP://east:4022")), store(services=("STOCK",))))) == ("discarded", "EAST", 9796)


def test_the_configuration_service_is_asked_for_a_route_before_the_catch_all():
    """WEST/Shop: only a route to the configuration service, which nobody is."""
    legs = asked(estate(shop(to("TCP://east:4022", CONFIGURATION)), store()))
    assert end(legs) == ("asking", "WEST", 9770)


def test_the_configuration_service_is_asked_for_a_binding_before_anything_leaves():
    """WEST/Shop ──▶ EAST/Store, and a route to the configuration service beside it."""
    legs = asked(estate(shop(to("TCP://east:4022"), to("TCP://atlantis:4022", CONFIGURATION)), store()))
    assert end(legs) == ("asking", "WEST", 9770)


def test_within_the_instance_no_binding_is_asked_for():
    west = instance(
        "WEST",
        database("Shop", "Till", broker=SHOP, routes=[to("LOCAL"), to("TCP://atlantis:4022", CONFIGURATION)]),
        database("Store", "Stock", broker=STOCK),
    )
    assert end(asked(estate(west))) == ("delivered", "WEST/Store", None)


@pytest.mark.parametrize(
    ("fault", "number"), [(down("WEST"), None), (offline("WEST", "Shop"), 942)], ids=["server down", "database offline"]
)
def test_a_sender_that_is_down_sends_nothing(fault, number):
    legs = asked(estate(shop(to("TCP://east:4022")), store()), fault)
    assert end(legs) == ("sender-down", "WEST/Shop", number)


def test_of_a_server_that_is_down_its_offline_database_says_nothing():
    legs = asked(estate(shop(to("TCP://east:4022")), store()), down("WEST"), offline("WEST", "Shop"))
    assert end(legs) == ("sender-down", "WEST/Shop", None)


# ── nobody gets there ────────────────────────────────────────────────────────────────────────────────────────────────
def test_nobody_of_the_estate_has_the_host():
    assert end(asked(estate(shop(to("TCP://atlantis:4022"))))) == ("nobody-there", "WEST", 9783)


def test_a_known_host_with_the_wrong_port_is_somebody_who_does_not_listen():
    assert end(asked(estate(shop(to("TCP://east:4099")), store()))) == ("unreachable", "WEST", 9754)


@pytest.mark.parametrize(
    ("faults", "number"),
    [((down("EAST"),), 9754), ((cut("EAST", "WEST"),), 9754)],
    ids=["server down", "link cut"],
)
def test_unreachable(faults, number):
    assert end(asked(estate(shop(to("TCP://east:4022")), store()), *faults)) == ("unreachable", "WEST", number)


@pytest.mark.parametrize("state", [EndpointState.STOPPED, EndpointState.DISABLED])
def test_whoever_has_stopped_its_endpoint_neither_listens_nor_dials(state):
    assert end(asked(estate(shop(to("TCP://east:4022")), store(endpoint=state)))) == ("unreachable", "WEST", 9754)
    assert end(asked(estate(shop(to("TCP://east:4022"), endpoint=state), store()))) == ("unreachable", "WEST", 9666)


def test_without_an_endpoint_nothing_leaves():
    assert end(asked(estate(shop(to("TCP://east:4022"), endpoint=None), store()))) == ("unreachable", "WEST", 9748)


@pytest.mark.parametrize(
    ("ours", "theirs", "is_open"),
    [
        ("REQUIRED ALGORITHM AES", "DISABLED", False),
        ("SUPPORTED ALGORITHM AES", "DISABLED", True),
        ("REQUIRED ALGORITHM AES", "SUPPORTED ALGORITHM RC4", False),
        ("REQUIRED ALGORITHM RC4", "REQUIRED ALGORITHM RC4", False),
        ("DISABLED", "DISABLED", True),
    ],
)
def test_endpoints_connect_where_their_clauses_leave_a_way(ours, theirs, is_open):
    catalogs = estate(shop(to("TCP://east:4022"), encryption=ours), store(encryption=theirs))
    assert end(asked(catalogs)) == (("delivered", "EAST/Store", None) if is_open else ("unreachable", "WEST", 9758))


# ── thrown away on the way ───────────────────────────────────────────────────────────────────────────────────────────
def test_a_forwarder_that_may_not_forward_discards():
    """WEST/Shop ──▶ HUB ─╳▶ EAST/Store."""
    hub = instance("HUB", msdb=[to("TCP://east:4022")])
    assert end(asked(estate(shop(to("TCP://hub:4022")), hub, store()))) == ("discarded", "HUB", 9792)


def test_an_instance_without_a_route_for_the_service_discards():
    east = instance("EAST", database("Store", broker=STOCK), has_catch_all=False)
    assert end(asked(estate(shop(to("TCP://east:4022")), east), broker=STOCK)) == ("discarded", "EAST", 9793)


def test_an_instance_that_does_not_have_the_id_discards():
    assert end(asked(estate(shop(to("TCP://east:4022")), store()), broker=OTHER)) == ("discarded", "EAST", 9795)


def test_a_forwarder_waits_for_whom_it_cannot_reach():
    """WEST/Shop ──▶ HUB ──▶ EAST, which is down."""
    hub = instance("HUB", msdb=[to("TCP://east:4022")], forwards=True)
    legs = asked(estate(shop(to("TCP://hub:4022")), hub, store()), down("EAST"))
    assert end(legs) == ("unreachable", "HUB", 9754)
    assert legs[0].ways[0].further == "EAST"


@pytest.mark.parametrize(
    ("state", "number"), [(DatabaseState.OFFLINE, 28012), (DatabaseState.READ_ONLY, 28014)], ids=str
)
def test_a_database_that_is_out_of_reach_takes_nothing_and_its_number_says_why(state, number):
    """WEST/Shop ──▶ EAST: by its id to Store, which is out of reach; Attic beside it has the service, too."""
    attic = database("Attic", "Stock", broker=OTHER)
    east = instance("EAST", database("Store", "Stock", broker=STOCK, state=state), attic)
    legs = asked(estate(shop(to("TCP://east:4022")), east), broker=STOCK)
    assert end(legs) == ("discarded", "EAST", number)


def test_where_nothing_else_has_the_service_a_database_out_of_reach_is_as_good_as_none():
    legs = asked(estate(shop(to("TCP://east:4022")), store()), offline("EAST"), broker=STOCK)
    assert end(legs) == ("discarded", "EAST", 9796)


# ── refused ──────────────────────────────────────────────────────────────────────────────────────────────────────────
def test_refused_where_the_id_is_there_and_the_service_is_not():
    """WEST/Shop ──▶ EAST: Store has the id, Attic has the service."""
    east = instance(
        "EAST",
        database("Store", broker=STOCK, routes=[to("TCP://west:4022", "Till")]),
        database("Attic", "Stock", broker=OTHER),
    )
    legs = asked(estate(shop(to("TCP://east:4022")), east), broker=STOCK)
    assert end(legs) == ("refused", "EAST/Store", 8490)


def test_refused_where_nobody_may_send():
    legs = asked(estate(shop(to("TCP://east:4022")), closed_to_public(store())))
    assert end(legs) == ("refused", "EAST/Store", 8494)
    assert lights(legs) == "red grey grey grey"


def test_a_refusal_that_does_not_find_its_way_back_is_not_heard():
    """WEST/Shop ──▶ EAST/Store, which knows no way back."""
    east = closed_to_public(store(back=None, has_catch_all=False))
    assert end(asked(estate(shop(to("TCP://east:4022")), east))) == ("refused-unheard", "EAST/Store", 8494)


def test_of_two_ways_back_for_the_error_one_is_heard():
    """WEST/Shop ──▶ EAST/Store; the error goes to WEST or to nobody."""
    east = closed_to_public(store(to("TCP://atlantis:4022", "Till")))
    legs = asked(estate(shop(to("TCP://east:4022")), east))
    assert sorted(ends(legs[0])) == [
        (0.5, "refused", "EAST/Store", 8494),
        (0.5, "refused-unheard", "EAST/Store", 8494),
    ]


# ── round and round ──────────────────────────────────────────────────────────────────────────────────────────────────
def test_a_loop_is_proven_where_the_way_comes_back_and_not_hop_by_hop():
    """WEST/Shop ──▶ HUB ⇄ FORK."""
    hub = instance("HUB", msdb=[to("TCP://fork:4022")], forwards=True)
    fork = instance("FORK", msdb=[to("TCP://hub:4022")], forwards=True)
    legs = asked(estate(shop(to("TCP://hub:4022")), hub, fork))
    assert end(legs) == ("loop", "HUB", 11285)
    assert [hop.instance for hop in legs[0].ways[0].hops] == ["WEST", "HUB", "FORK", "HUB"]


def test_a_forwarder_that_leads_to_itself_is_the_shortest_loop():
    """WEST/Shop ──▶ HUB ↺"""
    hub = instance("HUB", msdb=[to("TCP://localhost:4022")], forwards=True)
    legs = asked(estate(shop(to("TCP://hub:4022")), hub))
    assert end(legs) == ("loop", "HUB", 11285)
    assert legs[0].ways[0].further == "HUB"


def test_a_sender_that_leads_to_itself_is_in_a_loop_only_where_msdb_leads_there_again():
    """WEST/Shop ──▶ WEST: msdb ──▶ WEST again, or nobody: drawn anew by each copy that arrives."""
    home = database("Shop", "Till", broker=SHOP, routes=[to("TCP://localhost:4022")])
    once = instance("WEST", home, msdb=[to("TCP://west:4022")], forwards=True)
    assert end(asked(estate(once))) == ("loop", "WEST", 11285)
    twice = instance("WEST", home, msdb=[to("TCP://west:4022"), to("TCP://atlantis:4022")], forwards=True)
    found = {way.disposition.value for way in asked(estate(twice))[0].ways}
    assert found == {"nobody-there", "hops-used-up"}


@pytest.mark.parametrize(("forwarders", "arrives"), [(15, True), (16, True), (17, False)])
def test_hops_are_used_up_after_sixteen_forwarders(forwarders, arrives):
    """WEST/Shop ──▶ N1 ──▶ N2 ──▶ … ──▶ EAST/Store."""
    chain = [
        instance(
            f"N{number}",
            msdb=[to("TCP://east:4022" if number == forwarders else f"TCP://n{number + 1}:4022")],
            forwards=True,
        )
        for number in range(1, forwarders + 1)
    ]
    legs = asked(estate(shop(to("TCP://n1:4022")), *chain, store()))
    assert end(legs) == (("delivered", "EAST/Store", None) if arrives else ("hops-used-up", "N17", 11285))


def test_the_ends_of_these_sentences_are_all_that_there_are():
    """Whoever adds one writes a sentence for it; of two partners without a principal `test_mirrored_routes` tells."""
    assert set(Disposition) == {
        Disposition.DELIVERED,
        Disposition.HELD_QUEUE_OFF,
        Disposition.DELAYED,
        Disposition.ASKING,
        Disposition.SENDER_DOWN,
        Disposition.NOT_BEGUN,
        Disposition.NOBODY_THERE,
        Disposition.UNREACHABLE,
        Disposition.NOBODY_CLAIMS,
        Disposition.DISCARDED,
        Disposition.REFUSED,
        Disposition.REFUSED_UNHEARD,
        Disposition.LOOP,
        Disposition.HOPS_USED_UP,
    }
