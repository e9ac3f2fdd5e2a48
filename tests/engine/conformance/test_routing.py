"""Routing as documented: the match steps, the choose steps, locate, and the gate (routing.md 3). One test a rule."""

from uuid import UUID

import pytest

from engine.core.catalog.database import DatabaseCatalog, DatabaseState
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.objects import Endpoint, EndpointState, Service
from engine.core.catalog.route import LocalAddress, NetworkAddress, Route, TransportAddress
from engine.core.routing.classifier import MessageClassifier
from engine.core.routing.decision import Classification, LossReason
from engine.core.vocabulary.messages import DialogTarget, TcpAddress

B1, B2, OWN, OTHER = (UUID(int=number) for number in (101, 102, 201, 202))
NOW = 1_000.0


def tcp(host):
    return NetworkAddress(f"TCP://{host}:4022", TcpAddress(host, 4022))


def routes(*described):
    """Routes from (name, service, broker id, address[, further fields])."""
    made = {}
    for name, service, broker, address, *rest in described:
        to = {"LOCAL": LocalAddress(), "TRANSPORT": TransportAddress()}.get(address) or tcp(address)
        fields = rest[0] if rest else {}
        made[name] = Route(name=name, service_name=service, broker_instance=broker, address=to, **fields)
    return made


def instance(database=(), msdb=(), hosts=(), forwards=False, other_hosts=(), **own):
    """PARIS with a database `Ventes` (id OWN) and `Autre` (id OTHER), each hosting the named services."""
    services = {name: Service(name, "dbo.q") for name in hosts}
    ventes = DatabaseCatalog(name="Ventes", broker_instance=OWN, services=services, routes=routes(*database), **own)
    autre = DatabaseCatalog(
        name="Autre", broker_instance=OTHER, services={name: Service(name, "dbo.q") for name in other_hosts}
    )
    system = DatabaseCatalog(name="msdb", broker_instance=UUID(int=1), routes=routes(*msdb))
    endpoint = Endpoint("e", 4022, EndpointState.STARTED, is_message_forwarding_enabled=forwards)
    databases = {each.name: each for each in (system, ventes, autre)}
    return MessageClassifier(InstanceCatalog(name="PARIS", databases=databases, endpoint=endpoint))


def inside(classifier, service="S", broker=None, **fields):
    return classifier.from_inside("Ventes", DialogTarget(service, broker), NOW, **fields)


def outside(classifier, service="S", broker=None, from_target=False):
    return classifier.from_outside(DialogTarget(service, broker), NOW, from_target=from_target)


ALL = ("all", None, None, "LOCAL")


def test_match_step_1_name_and_id_beat_everything():
    decision = inside(instance([ALL, ("n", "S", None, "x"), ("f", "S", B1, "y")]), broker=B1)
    assert (decision.match_step, decision.route.name, decision.address.host) == (1, "f", "y")


def test_match_step_2_a_name_only_route_serves_a_dialog_with_an_unknown_id():
    decision = inside(instance([ALL, ("n", "S", None, "x"), ("f", "S", B1, "y")]), broker=B2)
    assert (decision.match_step, decision.route.name) == (2, "n")


def test_match_step_2_without_an_id_a_name_only_route_beats_every_full_one():
    decision = inside(instance([ALL, ("f", "S", B1, "y"), ("n", "S", None, "x")]))
    assert (decision.match_step, decision.candidates) == (2, ("n",))


def test_match_step_3_without_an_id_one_of_the_ids_is_picked_in_turn():
    classifier = instance([ALL, ("f1", "S", B1, "x"), ("f2", "S", B2, "y")])
    decisions = [inside(classifier) for _ in range(4)]
    assert [decision.match_step for decision in decisions] == [3] * 4
    assert [decision.route.name for decision in decisions] == ["f1", "f2", "f1", "f2"]
    assert {loss.reason for loss in decisions[0].losses if loss.route == "f2"} == {
        LossReason.OTHER_BROKER_INSTANCE_PICKED
    }


def test_match_step_3_is_not_for_dialogs_with_an_id():
    decision = inside(instance([("f", "S", B1, "x")]), broker=B2)
    assert (decision.match_step, decision.classification, decision.status) == (7, Classification.DELAYED, 9750)


def test_match_step_4_a_dynamic_routing_service_outranks_the_catch_all():
    decision = inside(instance([ALL, ("b", "SQL/ServiceBroker/BrokerConfiguration", None, "LOCAL")], hosts=["S"]))
    assert (decision.match_step, decision.classification, decision.status) == (4, Classification.DELAYED, 9770)


def test_match_step_5_the_catch_all_is_for_whatever_is_left():
    decision = inside(instance([ALL], hosts=["S"]))
    assert (decision.match_step, decision.classification, decision.database) == (5, Classification.LOCAL, "Ventes")


def test_match_step_6_an_id_and_a_service_of_that_name_here_are_as_good_as_a_local_route():
    decision = inside(instance([], other_hosts=["S"]), broker=OTHER)
    assert (decision.match_step, decision.classification, decision.database) == (6, Classification.LOCAL, "Autre")


def test_match_step_6_with_an_id_from_elsewhere_ends_with_9795():
    decision = inside(instance([], hosts=["S"]), broker=B1)
    assert (decision.match_step, decision.classification, decision.status) == (6, Classification.DELAYED, 9795)


def test_match_step_7_nothing_fits():
    assert inside(instance([])).status == 9750


def test_names_are_compared_unit_by_unit():
    decision = inside(instance([("n", "s", None, "x"), ("m", "S ", None, "x")]))
    assert decision.match_step == 7
    assert {loss.reason for loss in decision.losses} == {LossReason.SERVICE_DIFFERS_IN_CASE}


def test_an_expired_route_is_invisible_from_its_very_instant():
    classifier = instance([("n", "S", None, "x", {"expires_at": NOW})])
    decision = inside(classifier)
    assert decision.match_step == 7
    assert decision.losses[0].reason is LossReason.EXPIRED
    earlier = classifier.from_inside("Ventes", DialogTarget("S"), NOW - 0.001)
    assert earlier.match_step == 2


def test_choose_step_1_a_mirrored_route_wins_even_over_a_local_one():
    mirrored = ("m", "S", OWN, "x", {"mirror_address": tcp("y")})
    decision = inside(instance([("l", "S", OWN, "LOCAL"), mirrored], hosts=["S"]), broker=OWN)
    assert (decision.choose_step, decision.route.name) == (1, "m")


def test_choose_step_2_local_wins_when_the_service_is_here():
    decision = inside(instance([("t", "S", None, "x"), ("l", "S", None, "LOCAL")], hosts=["S"]))
    assert (decision.choose_step, decision.route.name) == (2, "l")


def test_choose_step_2_falls_through_when_the_service_is_not_here():
    decision = inside(instance([("l", "S", None, "LOCAL"), ("t", "S", None, "x")]))
    assert (decision.choose_step, decision.route.name) == (3, "t")
    assert {loss.route: loss.reason for loss in decision.losses} == {"l": LossReason.SERVICE_NOT_HERE}


def test_choose_falls_through_to_nothing_with_9796():
    decision = inside(instance([ALL]))
    assert (decision.classification, decision.status, decision.candidates) == (Classification.DELAYED, 9796, ("all",))


def test_choose_step_4_transport_takes_the_address_from_the_service_name():
    classifier = instance([("t", None, None, "TRANSPORT")])
    decision = inside(classifier, "tcp://Rushi.Example:4256/MyService")
    assert (decision.choose_step, decision.address) == (4, TcpAddress("rushi.example", 4256))
    assert inside(classifier, "MyService").status == 9785


def test_routes_that_count_as_one_give_no_extra_weight():
    classifier = instance([("a", "S", None, "x"), ("b", "S", None, "x"), ("c", "S", None, "y")])
    picked = [inside(classifier).route.name for _ in range(4)]
    assert picked == ["a", "c", "a", "c"]
    assert [(each.route, each.weight) for each in inside(classifier).alternatives] == [("a", 0.5), ("c", 0.5)]


def test_locate_by_id_does_not_try_another_database():
    decision = inside(instance([("l", "S", OTHER, "LOCAL")], hosts=["S"]), broker=OTHER)
    assert (decision.classification, decision.status) == (Classification.DELAYED, 9796)


def test_locate_without_id_looks_in_the_conversations_own_database_first():
    assert inside(instance([ALL], hosts=["S"], other_hosts=["S"])).database == "Ventes"
    assert outside(instance(msdb=[ALL], other_hosts=["S"])).database == "Autre"


@pytest.mark.parametrize(
    "state", [DatabaseState.READ_ONLY, DatabaseState.SINGLE_USER, DatabaseState.MIRROR, DatabaseState.OFFLINE]
)
def test_databases_that_are_not_available_host_nothing(state):
    assert outside(instance(msdb=[ALL], hosts=["S"], state=state)).classification is Classification.DROPPED


def test_a_disabled_broker_holds_its_own_and_hosts_nothing():
    assert inside(instance([ALL], hosts=["S"], is_broker_enabled=False)).status == 9791
    assert outside(instance(msdb=[ALL], hosts=["S"], is_broker_enabled=False)).classification is Classification.DROPPED


def test_what_arrives_is_routed_by_msdb_and_needs_forwarding_to_go_on():
    without = outside(instance(database=[ALL], msdb=[("n", "S", None, "x")], hosts=["S"]))
    assert (without.classification, without.status) == (Classification.DROPPED, 9792)
    on = outside(instance(msdb=[("n", "S", None, "x")], forwards=True))
    assert (on.classification, on.address.host) == (Classification.REMOTE, "x")


def test_a_reply_to_an_id_of_this_instance_needs_no_route():
    decision = outside(instance(), "Client", OWN, from_target=True)
    assert (decision.match_step, decision.classification, decision.database) == (0, Classification.LOCAL, "Ventes")
    held = outside(instance(is_broker_enabled=False), "Client", OWN, from_target=True)
    assert (held.classification, held.status) == (Classification.DROPPED, 28016)


def test_an_address_of_ones_own_goes_on_through_msdb_and_the_proof_holds_both_decisions():
    decision = inside(instance([("self", "S", None, "paris")], msdb=[ALL], hosts=["S"]))
    assert (decision.classification, decision.table) == (Classification.LOCAL, "msdb")
    assert decision.via.route.name == "self"
    nowhere = inside(instance([("self", "S", None, "localhost")]))
    assert nowhere.classification is Classification.DELAYED


def test_every_route_of_the_table_is_accounted_for_exactly_once():
    table = [ALL, ("n", "S", None, "x"), ("n2", "S", None, "x"), ("f", "S", B1, "y"), ("o", "T", None, "x")]
    decision = inside(instance(table))
    accounted = [loss.route for loss in decision.losses] + [decision.route.name]
    assert sorted(accounted) == sorted(name for name, *_ in table)


def test_the_fast_path_decides_as_the_explained_one():
    for broker in (None, B1, B2, OWN):
        one, two = (instance([ALL, ("n", "S", None, "x"), ("f", "S", B1, "y")]) for _ in range(2))
        explained, fast = inside(one, broker=broker), inside(two, broker=broker, explain=False)
        assert (explained.route, explained.status, explained.address) == (fast.route, fast.status, fast.address)
        assert fast.losses == ()
