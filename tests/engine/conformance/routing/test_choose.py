"""CHOOSE: four kinds of address in their order, routes that count as one, and the gate (routing.md 3.2)."""

import pytest

from engine.core.catalog.changes import RouteDropped
from engine.core.catalog.objects import EndpointState
from engine.core.catalog.route import NetworkAddress
from engine.core.routing.decision import LossReason
from engine.core.vocabulary.messages import TcpAddress
from tests.support.routing_tables import (
    ALL,
    B1,
    DELAYED,
    DROPPED,
    OTHER,
    OWN,
    REMOTE,
    UNAVAILABLE,
    change,
    end,
    inside,
    mirrored,
    outside,
    paris,
    steps,
    tcp,
)


def test_step_1_a_mirrored_route_comes_first():
    decision = inside(paris([("t", "S", B1, "x"), mirrored("m", "S", B1)]), broker=B1)
    assert (decision.choose_step, decision.route.name) == (1, "m")


def test_step_2_local_wins_when_the_service_is_here():
    decision = inside(paris([("t", "S", None, "x"), ("l", "S", None, "LOCAL")], hosts=["S"]))
    assert (decision.choose_step, decision.route.name) == (2, "l")


def test_step_2_local_wins_when_another_database_has_the_service():
    decision = inside(paris([("t", "S", None, "x"), ("l", "S", None, "LOCAL")], other_hosts=["S"]))
    assert (decision.choose_step, decision.database) == (2, "Autre")


def test_step_2_falls_through_when_the_service_is_not_here():
    decision = inside(paris([("l", "S", None, "LOCAL"), ("t", "S", None, "x")]))
    assert (decision.choose_step, decision.route.name) == (3, "t")
    assert {loss.route: loss.reason for loss in decision.losses} == {"l": LossReason.SERVICE_NOT_HERE}


def test_step_2_falls_through_to_transport_too():
    decision = inside(paris([ALL, ("t", None, None, "TRANSPORT")]), "tcp://lyon/S")
    assert (decision.choose_step, decision.address) == (4, TcpAddress("lyon", 4022))


def test_step_3_a_network_address_comes_before_transport():
    decision = inside(paris([("t", None, None, "TRANSPORT"), ("n", None, None, "x")]), "tcp://lyon/S")
    assert (decision.choose_step, decision.route.name) == (3, "n")
    assert [loss.reason for loss in decision.losses] == [LossReason.ADDRESS_KIND_LATER]


def test_step_4_transport_takes_the_address_from_the_service_name():
    decision = inside(paris([("t", None, None, "TRANSPORT")]), "tcp://Rushi.Example:4256/MyService")
    assert (decision.choose_step, decision.address) == (4, TcpAddress("rushi.example", 4256))


def test_e1_nothing_left_inside_is_a_wait_with_9796():
    decision = inside(paris([ALL]))
    assert (*end(decision), decision.candidates) == (DELAYED, 9796, ("all",))


def test_nothing_left_outside_is_a_discard():
    assert end(outside(paris(msdb=[ALL]))) == (DROPPED, 9796)


def test_routes_that_count_as_one_give_no_extra_weight():
    classifier = paris([("a", "S", None, "x"), ("b", "S", None, "x"), ("c", "S", None, "y")])
    decisions = [inside(classifier) for _ in range(4)]
    assert [decision.route.name for decision in decisions] == ["a", "c", "a", "c"]
    assert [(each.route, each.weight) for each in decisions[0].alternatives] == [("a", 0.5), ("c", 0.5)]
    assert next(loss for loss in decisions[0].losses if loss.route == "b").parameter == "a"


def test_when_the_first_of_those_that_count_as_one_goes_the_next_stands_for_them():
    classifier = paris([("a", "S", None, "x"), ("b", "S", None, "x"), ("c", "S", None, "y")])
    change(classifier, RouteDropped(database="Ventes", name="a"))
    assert [inside(classifier).route.name for _ in range(2)] == ["b", "c"]
    change(classifier, RouteDropped(database="Ventes", name="c"))
    assert inside(classifier).route.name == "b"
    change(classifier, RouteDropped(database="Ventes", name="b"))
    assert inside(classifier).match_step == 7


def test_e20_addresses_are_equal_without_regard_to_letter_case_leading_zeros_and_one_slash():
    texts = ("TCP://lyon:4022", "tcp://LYON:4022", "TCP://lyon:04022", "TCP://lyon:4022/")
    decision = inside(paris([(f"r{number}", "S", None, text) for number, text in enumerate(texts)]))
    assert [loss.reason for loss in decision.losses] == [LossReason.COUNTS_AS_ONE] * 3
    assert decision.alternatives == ()


def test_e20_names_of_hosts_are_not_resolved():
    table = [("a", "S", None, "lyon"), ("b", "S", None, "lyon.example"), ("c", "S", None, "10.0.0.7")]
    assert len(inside(paris(table)).alternatives) == 3


def test_e11_a_mirrored_route_wins_even_over_a_local_one_to_a_service_that_is_here():
    decision = inside(paris([("l", "S", OWN, "LOCAL"), mirrored("m", "S", OWN)], hosts=["S"]), broker=OWN)
    assert steps(decision) == (1, 1)


def test_e12_local_is_chosen_by_name_only_and_choose_does_not_go_back():
    """Ventes has the service, the id is Autre's: LOCATE fails, the network route is not tried."""
    table = [("l", "S", None, "LOCAL"), ("t", "S", None, "x")]
    assert end(inside(paris(table, hosts=["S"]), broker=OTHER)) == (DELAYED, 9796)
    assert end(inside(paris(table, hosts=["S"]), broker=B1)) == (DELAYED, 9795)
    arriving = outside(paris(msdb=table, hosts=["S"], forwards=True), broker=OTHER)
    assert (*end(arriving), arriving.database) == (DROPPED, 8490, "Autre")
    assert end(outside(paris(msdb=table, hosts=["S"], forwards=True), broker=B1)) == (DROPPED, 9795)


@pytest.mark.parametrize("fields", [{"is_broker_enabled": False}, *({"state": state} for state in UNAVAILABLE)])
def test_e13_services_of_databases_that_are_not_available_do_not_count_as_here(fields):
    table = [("l", "S", None, "LOCAL"), ("t", "S", None, "x")]
    assert inside(paris(table, other_hosts=["S"], other=fields)).route.name == "t"


def test_e42_a_full_local_route_with_an_id_from_elsewhere_ends_with_9795():
    table = [("l", "S", B1, "LOCAL"), ("t", "S", B1, "x")]
    decision = inside(paris(table, hosts=["S"]), broker=B1)
    assert (*steps(decision), *end(decision)) == (1, 2, DELAYED, 9795)


def test_e43_of_two_routes_that_count_as_one_the_mirrored_is_kept_whichever_came_first():
    plain, mirror = ("t", "S", B1, "lyon"), mirrored("m", "S", B1, "lyon", "berlin")
    for table in ([plain, mirror], [mirror, plain]):
        decision = inside(paris(table), broker=B1)
        assert (decision.choose_step, decision.route.name) == (1, "m")
        assert [(loss.route, loss.reason) for loss in decision.losses] == [("t", LossReason.COUNTS_AS_ONE)]


# ── the gate: what came from outside goes on only where forwarding is on ──
@pytest.mark.parametrize("table", [[("n", "S", None, "x")], [("n", None, None, "x")], [mirrored("m", "S", B1)]])
def test_gate_without_forwarding_what_arrived_is_discarded_with_9792(table):
    assert end(outside(paris(msdb=table), broker=B1)) == (DROPPED, 9792)
    assert outside(paris(msdb=table, forwards=True), broker=B1).classification is REMOTE


def test_gate_the_route_is_not_chosen_again():
    """LOCAL was never a candidate: the name-only route won MATCH."""
    assert end(outside(paris(msdb=[ALL, ("n", "S", None, "x")], hosts=["S"]))) == (DROPPED, 9792)


def test_gate_is_not_for_what_starts_inside():
    assert inside(paris([("n", "S", None, "x")])).classification is REMOTE


def test_e28_a_stopped_endpoint_forwards_nothing_and_local_delivery_goes_on():
    classifier = paris([ALL], [("n", "S", None, "x")], hosts=["T"], forwards=True, endpoint=EndpointState.STOPPED)
    assert end(outside(classifier)) == (DROPPED, 9792)
    assert inside(classifier, "T").database == "Ventes"


def test_e29_a_transport_route_forwards_as_a_network_route_does():
    table = [("t", None, None, "TRANSPORT")]
    decision = outside(paris(msdb=table, forwards=True), "tcp://lyon:4022/S")
    assert (decision.classification, decision.address) == (REMOTE, TcpAddress("lyon", 4022))
    assert end(outside(paris(msdb=table), "tcp://lyon:4022/S")) == (DROPPED, 9792)
    assert end(outside(paris(msdb=table), "S")) == (DROPPED, 9792)
    assert end(outside(paris(msdb=table, forwards=True), "S")) == (DROPPED, 9785)


def test_a_mirrored_route_in_msdb_is_a_network_route_even_when_the_service_is_here():
    """mirroring.md 2: for an arriving message it needs forwarding."""
    table = [mirrored("m", "S", OWN)]
    assert end(outside(paris(msdb=table, hosts=["S"]), broker=OWN)) == (DROPPED, 9792)


def test_what_the_next_hop_of_a_network_route_is():
    decision = inside(paris([("n", "S", None, "lyon")]))
    assert decision.address == TcpAddress("lyon", 4022)
    assert decision.route.address == NetworkAddress("TCP://lyon:4022", tcp("lyon").tcp)
