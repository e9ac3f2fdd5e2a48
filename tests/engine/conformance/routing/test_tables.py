"""Which table is consulted, how the far id becomes known, and the two levels (routing.md 2)."""

import pytest

from engine.core.catalog.changes import RouteDropped
from engine.core.catalog.database import DatabaseState
from engine.core.routing.decision import Origin
from tests.support.routing_tables import (
    ALL,
    DELAYED,
    DROPPED,
    LOCAL,
    NOW,
    OWN,
    REMOTE,
    UNAVAILABLE,
    end,
    inside,
    outside,
    paris,
)
from tests.support.world import World, route

LOCAL_S, FAR_S = ("l", "S", None, "LOCAL"), ("n", "S", None, "lyon")


# ── which table ──
def test_what_leaves_an_endpoint_is_routed_by_the_table_of_its_own_database():
    decision = inside(paris([FAR_S], [LOCAL_S], hosts=["S"]))
    assert (decision.table, decision.origin, decision.classification) == ("Ventes", Origin.INSIDE, REMOTE)


@pytest.mark.parametrize("from_target", [False, True])
def test_origin_is_how_the_message_came_not_who_began_the_dialog(from_target):
    classifier = paris([FAR_S], [LOCAL_S], hosts=["S"])
    assert inside(classifier, from_target=from_target).table == "Ventes"
    decision = outside(classifier, from_target=from_target)
    assert (decision.table, decision.origin, decision.classification) == ("msdb", Origin.OUTSIDE, LOCAL)


def test_what_arrives_is_never_routed_by_the_table_of_a_database():
    assert end(outside(paris([LOCAL_S, ALL], hosts=["S"]))) == (DROPPED, 9793)


def test_what_starts_in_a_database_is_never_routed_by_msdb():
    assert end(inside(paris([], [LOCAL_S, ALL], hosts=["S"]))) == (DELAYED, 9750)


def test_a_table_is_private_to_its_database():
    assert end(inside(paris([LOCAL_S], hosts=["S"]), database="Autre")) == (DELAYED, 9750)


def test_a_conversation_that_lives_in_msdb_uses_the_table_of_msdb_for_both_levels():
    classifier = paris([], [("self", "S", None, "localhost")], hosts=["S"], forwards=True)
    decision = inside(classifier, database="msdb")
    assert (decision.table, decision.via.table) == ("msdb", "msdb")
    assert inside(paris([], [LOCAL_S], hosts=["S"]), database="msdb").database == "Ventes"


def test_an_address_that_is_this_very_instance_leads_on_to_the_table_of_msdb():
    decision = inside(paris([("self", "S", None, "paris")], [ALL], hosts=["S"]))
    assert (decision.classification, decision.table, decision.origin) == (LOCAL, "msdb", Origin.OUTSIDE)
    assert (decision.via.table, decision.via.origin, decision.via.route.name) == ("Ventes", Origin.INSIDE, "self")


# ── databases out of order ──
@pytest.mark.parametrize(
    ("fields", "number"),
    [
        ({"state": DatabaseState.OFFLINE}, 9788),
        ({"is_broker_enabled": False}, 9789),
        ({"state": DatabaseState.SINGLE_USER}, 9790),
    ],
)
def test_without_msdb_nothing_that_arrives_can_be_routed(fields, number):
    classifier = paris([ALL], [ALL], hosts=["S"], system=fields)
    assert end(outside(classifier)) == (DROPPED, number)
    assert end(outside(classifier, "Client", OWN, from_target=True)) == (DROPPED, number)
    assert inside(classifier).classification is LOCAL


def test_without_msdb_a_route_to_this_very_instance_is_a_wait():
    classifier = paris([("self", "S", None, "paris")], [ALL], hosts=["S"], system={"is_broker_enabled": False})
    assert end(inside(classifier)) == (DELAYED, 9789)


def test_where_nothing_is_matched_there_is_no_match_step_and_the_reply_rule_is_step_0():
    closed, shut = {"is_broker_enabled": False}, {"state": DatabaseState.SINGLE_USER}
    assert inside(paris([ALL], hosts=["S"], own=closed)).match_step is None
    assert outside(paris(msdb=[ALL], hosts=["S"], system=shut)).match_step is None
    assert outside(paris(hosts=["S"]), broker=OWN, from_target=True).match_step == 0


def test_a_disabled_or_single_user_sender_holds_everything():
    assert end(inside(paris([ALL], hosts=["S"], own={"is_broker_enabled": False}))) == (DELAYED, 9791)
    single = {"state": DatabaseState.SINGLE_USER}
    assert end(inside(paris([ALL], hosts=["S"], own=single))) == (DELAYED, 28075)
    assert end(inside(paris([ALL], hosts=["S"], own={**single, "is_broker_enabled": False}))) == (DELAYED, 9791)


@pytest.mark.parametrize("state", [state for state in UNAVAILABLE if state is not DatabaseState.SINGLE_USER])
def test_a_sender_in_another_state_says_why(state):
    reasons = {DatabaseState.READ_ONLY: 28014, DatabaseState.MIRROR: 28018, DatabaseState.OFFLINE: 28012}
    assert end(inside(paris([ALL], hosts=["S"], own={"state": state}))) == (DELAYED, reasons[state])


# ── how the far id becomes known ──
@pytest.fixture
def pair():
    world = World()
    paris = world.instance("PARIS", world.database("Ventes", ["Client"], route("Entrepôt", "lyon")))
    lyon = world.instance("LYON", world.database("Stock", ["Entrepôt"], route("Client", "paris")))
    return world, paris, lyon


def far_id(node, database):
    [endpoint] = node.view(database).conversation_endpoints
    return endpoint.far_broker_instance


def test_an_initiator_that_begins_with_an_id_has_it_from_the_start(pair):
    _, paris, lyon = pair
    broker = lyon.instance.catalog.databases["Stock"].broker_instance
    paris.begin("Ventes", "Client", "Entrepôt", to_broker_instance=broker)
    assert far_id(paris, "Ventes") == broker


def test_current_database_is_the_own_id_resolved_when_the_dialog_begins(pair):
    _, paris, _ = pair
    paris.begin("Ventes", "Client", "Entrepôt", to_current_database=True)
    assert far_id(paris, "Ventes") == paris.instance.catalog.databases["Ventes"].broker_instance


def test_without_an_id_it_is_unknown_until_the_first_acknowledgement_and_then_permanent(pair):
    world, paris, lyon = pair
    paris.say("Ventes", paris.begin("Ventes", "Client", "Entrepôt"), "x")
    assert far_id(paris, "Ventes") is None
    world.run(2)
    broker = lyon.instance.catalog.databases["Stock"].broker_instance
    assert far_id(paris, "Ventes") == broker
    paris.kill()
    paris.start()
    assert far_id(paris, "Ventes") == broker


def test_a_target_always_knows_the_id_of_its_initiator_and_looks_the_way_back_up_by_name_and_id(pair):
    """The way home names an id, so without any route it ends in step 6 or 7, never in step 3."""
    world, paris, lyon = pair
    lyon.define(
        RouteDropped(database="Stock", name="to Client by paris"),
        RouteDropped(database="Stock", name="AutoCreatedLocal"),
    )
    paris.say("Ventes", paris.begin("Ventes", "Client", "Entrepôt"), "x")
    world.run(2)
    assert far_id(lyon, "Stock") == paris.instance.catalog.databases["Ventes"].broker_instance
    [message] = lyon.receive("Stock", "Entrepôt")
    lyon.say("Stock", message.conversation_handle, "réponse")
    [waiting] = lyon.view("Stock").transmission_queue
    assert waiting.transmission_status_number == 9750
    assert waiting.to_broker_instance == paris.instance.catalog.databases["Ventes"].broker_instance


# ── the explanation of what was read ──
def test_every_route_of_the_table_is_accounted_for_exactly_once():
    table = [ALL, FAR_S, ("n2", "S", None, "lyon"), ("f", "S", OWN, "x"), ("o", "T", None, "x")]
    decision = inside(paris([*table, ("e", "S", None, "x", {"expires_at": NOW})]))
    accounted = [loss.route for loss in decision.losses] + [decision.route.name]
    assert sorted(accounted) == sorted([*(name for name, *_ in table), "e"])


@pytest.mark.parametrize("size", [64, 65, 500])
def test_of_a_large_table_routes_to_quite_other_services_are_counted_not_listed(size):
    table = [("hit", "S", None, "x"), ("near", "s ", None, "x"), ALL]
    table += [(f"r{number}", f"T{number}", None, "x") for number in range(size - len(table))]
    decision = inside(paris(table))
    listed = {loss.route for loss in decision.losses} | {decision.route.name}
    assert len(listed) + decision.others == size
    assert {"hit", "near", "all"} <= listed
    assert decision.others == (0 if size <= 64 else size - 3)


def test_the_fast_path_decides_as_the_explained_one():
    for broker in (None, OWN):
        one, two = (inside(paris([ALL, FAR_S, ("f", "S", OWN, "y")]), broker=broker, explain=e) for e in (True, False))
        assert (one.route, one.status, one.address, one.match_step) == (
            two.route,
            two.status,
            two.address,
            two.match_step,
        )
        assert (two.losses, two.candidates, two.alternatives) == ((), (), ())
