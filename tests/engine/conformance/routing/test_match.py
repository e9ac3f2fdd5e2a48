"""MATCH: the seven steps and the rule before them, one test for each sentence (routing.md 3.1)."""

import pytest

from engine.core.catalog.changes import RouteAltered, RouteDropped
from engine.core.routing.decision import LossReason
from tests.support.routing_tables import (
    ALL,
    ASKS,
    B1,
    B2,
    CONFIGURATION,
    DELAYED,
    DROPPED,
    LOCAL,
    NOW,
    OTHER,
    OWN,
    REMOTE,
    change,
    end,
    inside,
    mirrored,
    outside,
    paris,
    steps,
)


def test_step_1_name_and_id_beat_everything():
    decision = inside(paris([ALL, ("n", "S", None, "x"), ("f", "S", B1, "y")]), broker=B1)
    assert (decision.match_step, decision.route.name, decision.address.host) == (1, "f", "y")


def test_step_1_needs_both_the_name_and_the_id():
    assert inside(paris([ALL, ("f", "T", B1, "y")], hosts=["S"]), broker=B1).match_step == 5


def test_step_2_a_name_only_route_serves_a_dialog_with_an_unknown_id():
    decision = inside(paris([ALL, ("n", "S", None, "x"), ("f", "S", B1, "y")]), broker=B2)
    assert (decision.match_step, decision.route.name) == (2, "n")


def test_step_2_without_an_id_a_name_only_route_beats_every_full_one():
    decision = inside(paris([ALL, ("f", "S", B1, "y"), ("n", "S", None, "x")]))
    assert (decision.match_step, decision.candidates) == (2, ("n",))


def test_step_2_a_network_route_wins_even_when_the_service_lives_in_this_very_database():
    decision = inside(paris([ALL, ("n", "S", None, "x")], hosts=["S"]))
    assert (decision.match_step, decision.classification, decision.address.host) == (2, REMOTE, "x")


def test_step_3_without_an_id_one_of_the_ids_is_picked_in_turn():
    classifier = paris([ALL, ("f1", "S", B1, "x"), ("f2", "S", B2, "y")])
    decisions = [inside(classifier) for _ in range(4)]
    assert [decision.match_step for decision in decisions] == [3] * 4
    assert [decision.route.name for decision in decisions] == ["f1", "f2", "f1", "f2"]
    assert {loss.reason for loss in decisions[0].losses if loss.route == "f2"} == {
        LossReason.OTHER_BROKER_INSTANCE_PICKED
    }


def test_step_3_only_routes_with_the_picked_id_are_left():
    decision = inside(paris([("f1", "S", B1, "x"), ("f2", "S", B2, "y"), ("f3", "S", B1, "z")]))
    assert decision.candidates == ("f1", "f3")


def test_step_3_is_not_for_dialogs_with_an_id():
    decision = inside(paris([("f", "S", B1, "x")]), broker=B2)
    assert (decision.match_step, *end(decision)) == (7, DELAYED, 9750)


def test_step_4_a_dynamic_routing_service_outranks_the_catch_all():
    decision = inside(paris([ALL, ASKS], hosts=["S"]))
    assert (decision.match_step, *end(decision)) == (4, DELAYED, 9770)


@pytest.mark.parametrize("address", ["LOCAL", "lyon"])
def test_step_4_the_route_to_the_service_may_be_local_or_remote(address):
    assert inside(paris([ALL, ("b", CONFIGURATION, None, address)])).match_step == 4


def test_step_4_comes_after_steps_1_to_3():
    table = [ASKS, ("f", "S", B1, "x"), ("n", "T", None, "y")]
    found = [inside(paris(table), "S", B1), inside(paris(table), "T"), inside(paris(table), "S")]
    assert [decision.match_step for decision in found] == [1, 2, 3]


def test_step_4_does_not_apply_while_a_request_is_pending():
    classifier = paris([ALL, ASKS], hosts=["S"])
    classifier.pending.add(("Ventes", "S"))
    assert inside(classifier).match_step == 5


def test_step_4_asks_for_the_exact_name_of_the_service():
    assert inside(paris([ALL, ("b", CONFIGURATION.lower(), None, "LOCAL")])).match_step == 5


def test_step_4_a_service_of_that_name_without_a_route_changes_nothing():
    assert inside(paris([ALL], hosts=[CONFIGURATION])).match_step == 5


def test_step_5_the_catch_all_is_for_whatever_is_left():
    decision = inside(paris([ALL], hosts=["S"]))
    assert (decision.match_step, decision.classification, decision.database) == (5, LOCAL, "Ventes")


def test_step_5_serves_dialogs_with_and_without_an_id():
    assert [inside(paris([ALL]), broker=broker).match_step for broker in (None, B1)] == [5, 5]


def test_step_6_an_id_and_a_service_of_that_name_here_are_as_good_as_a_local_route():
    decision = inside(paris(other_hosts=["S"]), broker=OTHER)
    assert (decision.match_step, decision.classification, decision.database) == (6, LOCAL, "Autre")
    assert (decision.route, decision.choose_step) == (None, None)


def test_step_6_needs_an_id():
    assert inside(paris(other_hosts=["S"])).match_step == 7


def test_step_6_needs_a_service_of_that_name_here():
    assert inside(paris(), broker=OTHER).match_step == 7


def test_step_6_is_pre_empted_by_any_catch_all():
    assert inside(paris([ALL], hosts=["S"]), broker=OWN).match_step == 5
    decision = inside(paris([("all", None, None, "lyon")], hosts=["S"]), broker=OWN)
    assert (decision.match_step, decision.classification) == (5, REMOTE)


def test_step_7_nothing_fits_is_not_an_error_but_a_wait():
    assert end(inside(paris())) == (DELAYED, 9750)
    assert end(outside(paris())) == (DROPPED, 9793)


def test_a_full_route_that_names_another_id_never_matches_however_good_the_name():
    assert inside(paris([("f", "S", B1, "x")], hosts=["S"]), broker=OWN).match_step == 6


def test_address_kinds_and_mirror_addresses_count_for_nothing_while_matching():
    """A TCP route by name and id comes before LOCAL by name, and a mirrored one for another id stays out."""
    table = [("l", "S", None, "LOCAL"), ("f", "S", B1, "x"), mirrored("m", "S", B2)]
    assert steps(inside(paris(table, hosts=["S"]), broker=B1)) == (1, 3)
    assert steps(inside(paris(table, hosts=["S"]))) == (2, 2)


def test_names_are_compared_unit_by_unit():
    decision = inside(paris([("n", "s", None, "x"), ("m", "S ", None, "x"), ("k", "Ｓ", None, "x")]))
    assert decision.match_step == 7
    assert {loss.route: loss.reason for loss in decision.losses} == {
        "n": LossReason.SERVICE_DIFFERS_IN_CASE,
        "m": LossReason.SERVICE_DIFFERS_IN_CASE,
        "k": LossReason.SERVICE_DIFFERS,
    }


def test_a_composed_and_a_decomposed_letter_are_two_names():
    assert inside(paris([("n", "Entrepo\u0302t", None, "x")]), "Entrep\u00f4t").match_step == 7


# ── the rule before the steps ──
def test_reply_rule_a_reply_to_an_id_of_this_instance_needs_no_route():
    decision = outside(paris(), "Client", OWN, from_target=True)
    assert (decision.match_step, decision.classification, decision.database) == (0, LOCAL, "Ventes")


def test_reply_rule_precedes_every_route():
    table = [("n", "Client", None, "lyon"), ("f", "Client", OWN, "lyon")]
    assert outside(paris(msdb=table, forwards=True), "Client", OWN, from_target=True).database == "Ventes"


def test_reply_rule_is_not_for_what_an_initiator_sends():
    assert outside(paris(hosts=["Client"]), "Client", OWN).match_step == 6


def test_reply_rule_is_not_for_a_forwarder_that_passes_a_reply_on():
    decision = outside(paris(msdb=[("n", "Client", None, "lyon")], forwards=True), "Client", B1, from_target=True)
    assert (decision.match_step, decision.classification) == (2, REMOTE)


def test_reply_rule_is_not_for_what_starts_inside():
    assert inside(paris(), "Client", OTHER, from_target=True).match_step == 7


@pytest.mark.parametrize("broker", [None, B1])
def test_e40_every_draw_shows_all_its_ends_and_how_often_each_comes(broker):
    table = [("f1", "S", B1, "x"), ("f2", "S", B2, "y"), ("f3", "S", B1, "z")]
    ends = {each.route: each.weight for each in inside(paris(table), broker=broker).alternatives}
    assert ends == ({"f1": 0.25, "f3": 0.25, "f2": 0.5} if broker is None else {"f1": 0.5, "f3": 0.5})
    assert inside(paris([ALL], hosts=["S"])).alternatives == ()


def test_e8_ids_are_taken_in_turn_for_each_database_and_service_in_order_of_creation():
    table = [("b", "S", B2, "x"), ("a", "S", B1, "y"), ("t2", "T", B2, "x"), ("t1", "T", B1, "y")]
    classifier = paris(table, msdb=table, forwards=True)
    found = [inside(classifier).route.name, inside(classifier, "T").route.name, outside(classifier).route.name]
    assert found == ["b", "t2", "b"]
    assert [inside(classifier).route.name, outside(classifier).route.name] == ["a", "a"]


def test_e8_two_ids_with_two_routes_each_are_four_ends_and_all_are_visited():
    """Counted together, the two ids would each meet the same one of their routes every time."""
    table = [(f"{broker.int}{host}", "S", broker, host) for broker in (B1, B2) for host in ("x", "y")]
    classifier = paris(table)
    assert len({inside(classifier).route.name for _ in range(4)}) == 4


def test_step_3_a_route_that_changes_its_id_takes_no_other_id_along():
    """Altered, a route keeps its place in the table: the place of the id it had is not the place of the id it has."""
    classifier = paris([("a", "S", B1, "x"), ("b", "S", B2, "y"), ("c", "S", B1, "z")])
    change(classifier, RouteAltered(database="Ventes", name="a", broker_instance=OTHER))
    assert {inside(classifier).route.name for _ in range(3)} == {"a", "b", "c"}
    change(classifier, RouteDropped(database="Ventes", name="c"))
    assert {inside(classifier).route.name for _ in range(3)} == {"a", "b"}


def test_e10_choose_goes_on_within_the_picked_id_only_and_the_next_time_another_is_picked():
    classifier = paris([("l", "S", OWN, "LOCAL"), ("f", "S", B1, "x")])
    first = inside(classifier)
    assert (first.match_step, *end(first)) == (3, DELAYED, 9796)
    assert inside(classifier, before=first, advances=True).route.name == "f"


def test_e45_choose_order_applies_among_several_routes_of_the_picked_id():
    table = [("t", "S", OWN, "x"), ("l", "S", OWN, "LOCAL")]
    assert inside(paris(table, hosts=["S"])).route.name == "l"
    assert inside(paris(table)).route.name == "t"


def test_e5_the_configuration_service_itself_is_never_asked_for():
    assert inside(paris([ALL, ASKS]), CONFIGURATION).match_step == 2
    expired = paris([ALL, (*ASKS, {"expires_at": NOW})])
    assert [inside(expired, CONFIGURATION).match_step, inside(expired).match_step] == [5, 5]


def test_e7_pending_is_by_database_and_service_whatever_the_id():
    classifier = paris([ALL, ASKS], msdb=[ASKS], hosts=["S"])
    classifier.pending.add(("Ventes", "S"))
    assert [inside(classifier, broker=broker).match_step for broker in (None, B1)] == [5, 5]
    assert inside(classifier, "T").match_step == 4
    assert outside(classifier).match_step == 4


def test_e15_step_6_with_an_id_from_elsewhere_ends_with_9795():
    decision = inside(paris(hosts=["S"]), broker=B1)
    assert (decision.match_step, *end(decision)) == (6, DELAYED, 9795)


def test_e19_blanks_at_the_end_of_a_name_count():
    assert inside(paris([("n", "S ", None, "x")])).match_step == 7
    assert inside(paris([("n", "S", None, "x")]), "S ").match_step == 7
    assert inside(paris([("n", "S ", None, "x")]), "S ").match_step == 2


def test_e36_master_has_no_catch_all_so_steps_6_and_7_are_left():
    assert inside(paris(), database="Autre").match_step == 7
    assert inside(paris(hosts=["S"]), broker=OWN, database="Autre").match_step == 6


def test_e46_from_a_target_is_what_the_message_says_whatever_its_kind():
    classifier = paris(msdb=[ALL])
    assert outside(classifier, "Client", OWN, from_target=True).match_step == 0
    assert outside(classifier, "Client", OWN, from_target=False).match_step == 5
