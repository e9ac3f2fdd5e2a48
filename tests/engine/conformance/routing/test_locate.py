"""LOCATE: the database inside this instance (routing.md 3.3), and the numbers of its failures."""

from uuid import UUID

import pytest

from engine.core.catalog.changes import BrokerSwitched, DatabaseCreated
from engine.core.catalog.database import DatabaseState
from engine.core.catalog.revision import apply_change
from engine.core.catalog.route_rules import make_route
from engine.core.routing.classifier import MessageClassifier
from engine.core.vocabulary.errors import CatalogError
from tests.support.routing_tables import (
    ALL,
    B1,
    DELAYED,
    DROPPED,
    LOCAL,
    NOW,
    OTHER,
    OWN,
    UNAVAILABLE,
    end,
    inside,
    outside,
    paris,
)
from tests.support.world import World, route

REASONS = {
    DatabaseState.READ_ONLY: 28014,
    DatabaseState.SINGLE_USER: 28015,
    DatabaseState.MIRROR: 28018,
    DatabaseState.OFFLINE: 28012,
}


# ── 1: an id decides alone ──
def test_1_the_id_of_the_conversation_decides_though_ones_own_database_has_the_service():
    assert inside(paris([ALL], hosts=["S"], other_hosts=["S"]), broker=OTHER).database == "Autre"


def test_1_the_id_of_the_chosen_route_decides_when_the_conversation_has_none():
    decision = inside(paris([("l", "S", OTHER, "LOCAL")], hosts=["S"], other_hosts=["S"]))
    assert (decision.database, decision.broker_instance) == ("Autre", OTHER)


def test_1_no_other_database_is_tried():
    decision = inside(paris([("l", "S", OTHER, "LOCAL")], hosts=["S"]), broker=OTHER)
    assert (*end(decision), decision.database) == (DELAYED, 9796, None)


def test_1_an_unknown_id_is_a_wait_inside_and_a_discard_outside():
    assert end(inside(paris([ALL], hosts=["S"]), broker=B1)) == (DELAYED, 9795)
    assert end(outside(paris(msdb=[ALL], hosts=["S"]), broker=B1)) == (DROPPED, 9795)


# ── 2: without id by name ──
def test_2_the_conversations_own_database_comes_first():
    classifier = paris([ALL], hosts=["S"], other_hosts=["S"])
    assert [inside(classifier).database for _ in range(3)] == ["Ventes"] * 3
    assert inside(classifier).alternatives == ()


def test_2_then_the_others_which_may_differ_between_conversations():
    classifier = paris(hosts=["S"], other_hosts=["S"], msdb=[ALL])
    found = [inside(classifier, database="msdb") for _ in range(2)]
    assert {decision.database for decision in found} == {"Ventes", "Autre"}
    assert sorted((each.database, each.weight) for each in found[0].alternatives) == [("Autre", 0.5), ("Ventes", 0.5)]


# ── 3: databases that are not available ──
@pytest.mark.parametrize("state", UNAVAILABLE)
def test_3_a_database_in_another_state_has_no_services(state):
    assert end(inside(paris([ALL], other_hosts=["S"], other={"state": state}))) == (DELAYED, 9796)
    assert end(outside(paris(msdb=[ALL], hosts=["S"], own={"state": state}))) == (DROPPED, 9796)


def test_3_a_disabled_broker_is_skipped_as_if_it_had_no_services():
    off = {"is_broker_enabled": False}
    assert end(inside(paris([ALL], other_hosts=["S"], other=off))) == (DELAYED, 9796)
    classifier = paris(msdb=[ALL], hosts=["S"], other_hosts=["S"], own=off)
    assert [outside(classifier).database for _ in range(3)] == ["Autre"] * 3


@pytest.mark.parametrize("state", UNAVAILABLE)
def test_3_an_id_that_leads_there_says_why_not(state):
    table, fields = [("l", "S", None, "LOCAL")], {"state": state}
    classifier = paris(table, table, ["S"], ["S"], other=fields)
    assert end(inside(classifier, broker=OTHER)) == (DELAYED, REASONS[state])
    assert end(outside(classifier, broker=OTHER)) == (DROPPED, REASONS[state])


def test_3_an_id_of_a_disabled_broker_says_28013():
    classifier = paris([ALL], [ALL], ["S"], ["S"], other={"is_broker_enabled": False})
    assert end(inside(classifier, broker=OTHER)) == (DELAYED, 28013)
    assert end(outside(classifier, broker=OTHER)) == (DROPPED, 28013)


# ── 4 and 5 ──
@pytest.mark.parametrize("almost", ["s", "S ", " S", "Ｓ"])
def test_4_names_of_services_are_compared_unit_by_unit(almost):
    assert end(inside(paris([ALL], hosts=[almost]))) == (DELAYED, 9796)


def test_5_for_what_arrives_all_databases_are_equal():
    classifier = paris(msdb=[ALL], hosts=["S"], other_hosts=["S"])
    assert [outside(classifier).database for _ in range(4)] == ["Ventes", "Autre", "Ventes", "Autre"]


# ── the edge cases ──
def test_e12_an_id_of_a_database_without_the_service_inside_a_wait_outside_an_error():
    inner = inside(paris([ALL], hosts=["S"]), broker=OTHER)
    assert (*end(inner), inner.database) == (DELAYED, 9796, None)
    outer = outside(paris(msdb=[ALL], hosts=["S"]), broker=OTHER)
    assert (*end(outer), outer.database) == (DROPPED, 8490, "Autre")


@pytest.mark.parametrize("fields", [{"is_broker_enabled": False}, *({"state": state} for state in UNAVAILABLE)])
def test_e14_step_6_knows_the_services_of_available_databases_only(fields):
    assert inside(paris(other_hosts=["S"], other=fields), broker=OTHER).match_step == 7


@pytest.mark.parametrize("fields", [{"is_broker_enabled": False}, *({"state": state} for state in UNAVAILABLE)])
def test_e16_a_reply_to_an_id_that_is_here_but_not_available_is_discarded_with_28016(fields):
    """Nor is it matched: a route that leads elsewhere is not taken."""
    classifier = paris(msdb=[("n", "Client", None, "lyon")], forwards=True, own=fields)
    assert end(outside(classifier, "Client", OWN, from_target=True)) == (DROPPED, 28016)


def test_e35_two_databases_with_one_id_are_not_both_enabled():
    catalog = paris().catalog
    apply_change(catalog, DatabaseCreated(database="Kopie", broker_instance=OWN))
    assert not catalog.databases["Kopie"].is_broker_enabled
    with pytest.raises(CatalogError) as refused:
        apply_change(catalog, BrokerSwitched(database="Kopie", is_enabled=True))
    assert refused.value.number == 9772


def test_e35_the_enabled_one_of_two_databases_with_one_id_is_the_owner():
    catalog = paris([ALL], hosts=["S"]).catalog
    apply_change(catalog, DatabaseCreated(database="Kopie", broker_instance=OWN))
    catalog.databases = {"Kopie": catalog.databases["Kopie"], **catalog.databases}
    assert inside(MessageClassifier(catalog), broker=OWN).database == "Ventes"


def test_e41_a_hidden_service_is_reached_by_a_dialog_that_names_an_id_and_a_caution_says_so():
    hardened = paris(msdb=[("exposed", "T", None, "LOCAL")], hosts=["S", "T"])
    decision = outside(hardened, broker=OWN)
    assert (decision.match_step, decision.classification, decision.database) == (6, LOCAL, "Ventes")
    assert decision.caution == "hardening-bypassed"
    assert end(outside(hardened)) == (DROPPED, 9793)
    assert outside(hardened, "T").caution is None
    assert inside(hardened, broker=OWN).caution is None


def test_identity_1_the_id_of_zeros_alone_is_none():
    nobody = str(UUID(int=0))
    assert (
        make_route(name="r", address="LOCAL", service_name="S", broker_instance=nobody, now=NOW)[0].broker_instance
        is None
    )
    world = World()
    lyon = world.instance("LYON", world.database("Stock", ["Entrepôt"], route("Client", "paris")))
    paris = world.instance("PARIS", world.database("Ventes", ["Client"], route("Entrepôt", "lyon")))
    dialog = paris.begin("Ventes", "Client", "Entrepôt", to_broker_instance=UUID(nobody))
    paris.say("Ventes", dialog, "x")
    world.run(1)
    assert [row.message_body for row in lyon.receive("Stock", "Entrepôt")] == [b"x"]
