"""LIFETIME: an instant after which a route is invisible, and what that does to those who use it (routing.md 8)."""

import pytest

from engine.core.catalog.changes import RouteAltered, RouteDropped
from engine.core.catalog.route_rules import make_route
from engine.core.exchange.events import MessageClassified
from engine.core.routing.decision import LossReason
from engine.core.vocabulary.errors import CatalogError
from tests.support.routing_tables import ALL, B1, NOW, change, inside, mirrored, outside, paris
from tests.support.world import EPOCH, World, route


def test_an_expired_route_is_invisible_in_every_step():
    past = {"expires_at": NOW - 1}
    table = [
        ("f", "S", B1, "x", past),
        ("n", "S", None, "x", past),
        ("b", "SQL/ServiceBroker/BrokerConfiguration", None, "x", past),
        ("all", None, None, "LOCAL", past),
    ]
    classifier = paris(table, table, forwards=True)
    for broker in (None, B1):
        assert inside(classifier, broker=broker).match_step == 7
        assert outside(classifier, broker=broker).match_step == 7
    assert {loss.reason for loss in inside(classifier).losses if loss.route != "b"} == {LossReason.EXPIRED}


def test_an_expired_route_leaves_the_way_to_the_next_step():
    table = [ALL, ("n", "S", None, "x", {"expires_at": NOW}), ("f", "S", B1, "y", {"expires_at": NOW + 10})]
    classifier = paris(table, hosts=["S"])
    steps = [inside(classifier, now=NOW + seconds).match_step for seconds in (-1, 0, 9, 10)]
    assert steps == [2, 3, 3, 5]


def test_the_dearer_of_two_that_count_as_one_may_expire_alone():
    """E43 with time: the mirrored one counts while it lives, then the other."""
    name, service, broker, address, fields = mirrored("m", "S", B1, "lyon")
    table = [(name, service, broker, address, {**fields, "expires_at": NOW}), ("t", "S", B1, "lyon")]
    classifier = paris(table)
    assert [inside(classifier, broker=B1, now=NOW + after).route.name for after in (-1, 0)] == ["m", "t"]


def test_e31_live_until_not_on_the_instant_of_expiry():
    classifier = paris([("n", "S", None, "x", {"expires_at": NOW})])
    assert [inside(classifier, now=NOW + after).match_step for after in (-0.001, 0, -0.001)] == [2, 7, 2]


def test_e31_holds_for_a_route_that_is_made_or_altered_at_that_very_instant():
    classifier = paris([("n", "S", None, "x", {"expires_at": NOW + 1})])
    assert inside(classifier).match_step == 2
    change(classifier, RouteAltered(database="Ventes", name="n", expires_at=NOW))
    assert inside(classifier).match_step == 7
    change(classifier, RouteAltered(database="Ventes", name="n", expires_at=NOW + 0.5))
    assert inside(classifier).match_step == 2


def test_lifetime_counts_from_the_statement_in_utc():
    made, _ = make_route(name="r", address="LOCAL", service_name="S", lifetime_seconds=30, now=NOW)
    assert made.expires_at == NOW + 30


# ── in the world ──
def world_of(lifetime):
    world = World()
    far = route("Entrepôt", "lyon", expires_at=EPOCH + lifetime)
    node = world.instance("PARIS", world.database("Ventes", ["Client"], far))
    node.define(RouteDropped(database="Ventes", name="AutoCreatedLocal"))
    lyon = world.instance("LYON", world.database("Stock", ["Entrepôt"], route("Client", "paris")))
    return world, node, lyon


def decisions(node):
    return [event.decision for event in node.told(MessageClassified)]


def test_the_row_of_an_expired_route_stays_and_alter_revives_it():
    world, node, lyon = world_of(lifetime=60)
    world.run(61)
    assert "to Entrepôt by lyon" in node.instance.catalog.databases["Ventes"].routes
    node.say("Ventes", node.begin("Ventes", "Client", "Entrepôt"), "x")
    world.run(1)
    assert node.statuses("Ventes") == {9750}
    node.define(RouteAltered(database="Ventes", name="to Entrepôt by lyon", expires_at=EPOCH + 3600))
    world.run(12)
    assert [row.message_body for row in lyon.receive("Stock", "Entrepôt")] == [b"x"]


def test_e44_messages_in_flight_are_not_touched_but_the_next_retry_is_classified_anew():
    """PARIS ──▶ LYON, every answer lost, the route expires after 10 s: afterwards nothing is sent any more."""
    world, node, _ = world_of(lifetime=10)
    world.run(1)
    world.loss = 1.0
    node.say("Ventes", node.begin("Ventes", "Client", "Entrepôt"), "x")
    world.run(8)
    sent = world.transmissions
    assert sent >= 2
    world.run(1.5)
    assert node.statuses("Ventes") == {9750}
    world.run(200)
    assert world.transmissions == sent


def test_a_conversation_is_classified_anew_at_the_instant_its_route_expires():
    world, node, _ = world_of(lifetime=30)
    world.nodes.clear()
    node.say("Ventes", node.begin("Ventes", "Client", "Entrepôt"), "x")
    world.run(29.9)
    assert node.statuses("Ventes") == {9754}
    world.run(0.2)
    assert node.statuses("Ventes") == {9750}


def test_a_conversation_at_rest_is_classified_anew_when_it_has_something_to_send():
    world, node, lyon = world_of(lifetime=30)
    dialog = node.begin("Ventes", "Client", "Entrepôt")
    node.say("Ventes", dialog, "0")
    world.run(40)
    assert node.view("Ventes").transmission_queue_total == 0
    node.say("Ventes", dialog, "1")
    world.run(5)
    assert node.statuses("Ventes") == {9750}
    assert len(lyon.receive("Stock", "Entrepôt")) == 1


def test_a_route_to_this_very_instance_that_expires_is_no_path_any_more():
    world = World()
    own = route("Facture", "paris", expires_at=EPOCH + 30)
    node = world.instance("PARIS", world.database("Ventes", ["Client", "Facture"], own))
    node.define(RouteDropped(database="Ventes", name="AutoCreatedLocal"))
    dialog = node.begin("Ventes", "Client", "Facture")
    node.say("Ventes", dialog, "0")
    node.say("Ventes", dialog, "1")
    assert decisions(node)[-1].via.route.name == "to Facture by paris"
    world.run(31)
    node.say("Ventes", dialog, "2")
    # The id is known by now and the service is here, so step 6 finds it; the expired route is no path any more.
    assert (decisions(node)[-1].match_step, decisions(node)[-1].via) == (6, None)


def test_e32_lifetime_0_is_refused_and_none_is_for_ever():
    with pytest.raises(CatalogError) as refused:
        make_route(name="r", address="LOCAL", lifetime_seconds=0, now=NOW)
    assert refused.value.number == 9746
    assert make_route(name="r", address="LOCAL", lifetime_seconds=None, now=NOW)[0].expires_at is None
