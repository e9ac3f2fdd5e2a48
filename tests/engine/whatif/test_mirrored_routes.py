"""A mirrored route in each of its states: who is the principal, who cannot be asked, what is told while one waits."""

import pytest

from engine.core.catalog.objects import EndpointState
from tests.support.small_estates import (
    MIRROR,
    STOCK,
    asked,
    cut,
    down,
    end,
    ends,
    estate,
    failed_over,
    instance,
    lights,
    offline,
    shop,
    store,
    to,
)

PAIR = to("TCP://east:4022", broker=STOCK, mirror="TCP://north:4022")


def mirrored(*, east_is_copy=False, north_is_copy=True, **fields):
    """
    WEST/Shop ── Shop 1 ──▶ EAST/Store   (the principal)
                       └──▶ NORTH/Store  (its copy)
    """
    one = store(partner="TCP://north:5022", state=MIRROR if east_is_copy else None)
    other = store(name="NORTH", partner="TCP://east:5022", state=MIRROR if north_is_copy else None)
    return estate(shop(PAIR, **fields), one, other)


def test_as_it_is_the_principal_gets_the_message_whichever_address_is_its():
    assert end(asked(mirrored())) == ("delivered", "EAST/Store", None)
    legs = asked(mirrored(east_is_copy=True, north_is_copy=False))
    assert end(legs) == ("delivered", "NORTH/Store", None)
    assert str(legs[0].ways[0].hops[0].address) == "TCP://north:4022"
    assert lights(legs) == "green green green green"


@pytest.mark.parametrize("named", ["EAST", "NORTH"])
def test_failed_over_the_other_one_gets_it_whichever_partner_is_named(named):
    assert end(asked(mirrored(), failed_over(named))) == ("delivered", "NORTH/Store", None)


def test_a_pair_that_is_named_by_both_partners_has_failed_over_once():
    assert end(asked(mirrored(), failed_over("EAST"), failed_over("NORTH"))) == ("delivered", "NORTH/Store", None)


def test_with_the_principal_gone_the_copy_gets_nothing():
    legs = asked(mirrored(), down("EAST"))
    assert end(legs) == ("nobody-claims", "WEST", 9787)
    assert legs[0].ways[0].further == "EAST"


def test_with_the_principal_cut_off_from_the_sender_alone_the_copy_gets_nothing():
    assert end(asked(mirrored(), cut("WEST", "EAST"))) == ("nobody-claims", "WEST", 9787)


def test_two_copies_claim_nothing():
    assert end(asked(mirrored(east_is_copy=True))) == ("nobody-claims", "WEST", 9787)


def test_with_both_databases_offline_nobody_claims():
    legs = asked(mirrored(), offline("EAST"), offline("NORTH"))
    assert end(legs) == ("nobody-claims", "WEST", 9787)


def test_with_both_servers_down_the_connection_is_what_fails():
    assert end(asked(mirrored(), down("EAST"), down("NORTH"))) == ("unreachable", "WEST", 9754)


def test_of_two_partners_that_cannot_be_reached_the_slower_failure_is_told():
    """EAST refuses at once, NORTH is never heard of."""
    legs = asked(mirrored(), down("EAST"), cut("WEST", "NORTH"))
    assert end(legs) == ("unreachable", "WEST", 9754)
    assert (legs[0].ways[0].further, legs[0].ways[0].why) == ("NORTH", "network_cut")


def test_a_sender_whose_own_endpoint_is_stopped_asks_nobody():
    assert end(asked(mirrored(endpoint=EndpointState.STOPPED))) == ("unreachable", "WEST", 9666)


def test_where_both_claim_to_be_the_principal_either_may_get_it():
    """Service was forced while the old principal lived on: the claim that is heard last is believed."""
    legs = asked(mirrored(north_is_copy=False), is_race=True)
    assert sorted(ends(legs[0])) == [
        (0.5, "delivered", "EAST/Store", None),
        (0.5, "delivered", "NORTH/Store", None),
    ]


def test_a_forwarder_asks_for_the_principal_itself():
    """WEST/Shop ──▶ HUB ──▶ EAST or NORTH."""
    principal, copy = (mirrored()[name] for name in ("EAST", "NORTH"))
    hub = instance("HUB", msdb=[PAIR], forwards=True)
    catalogs = estate(shop(to("TCP://hub:4022")), hub, principal, copy)
    assert end(asked(catalogs)) == ("delivered", "EAST/Store", None)
    assert end(asked(catalogs, failed_over("EAST"))) == ("delivered", "NORTH/Store", None)
    assert end(asked(catalogs, down("EAST"))) == ("nobody-claims", "HUB", 9787)


def test_a_forwarder_that_is_itself_one_partner_is_no_loop():
    """WEST/Shop ──▶ NORTH ──▶ NORTH (the copy) or EAST (the principal)."""
    catalogs = mirrored()
    route = to("TCP://localhost:4022", broker=STOCK, mirror="TCP://east:4022")
    north = store(name="NORTH", partner="TCP://east:5022", state=MIRROR, msdb=[route], forwards=True)
    catalogs = estate(shop(to("TCP://north:4022")), catalogs["EAST"], north)
    legs = asked(catalogs)
    assert end(legs) == ("delivered", "EAST/Store", None)
    assert [hop.reached for hop in legs[0].ways[0].hops] == ["NORTH", "EAST", None]
