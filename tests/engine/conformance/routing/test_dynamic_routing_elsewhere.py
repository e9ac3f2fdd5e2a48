"""Dynamic routing beyond one database: after a restart, with a service elsewhere, for what arrives (routing.md 6)."""

import pytest

from engine.core.catalog.builtin import BROKER_SERVICE
from engine.core.catalog.changes import RouteAltered, RouteCreated
from engine.core.exchange.events import MessageUndeliverable, RouteRequestEnded
from tests.support.configuration_service import (
    CONFIGURATION,
    HOME,
    asked,
    asking,
    bodies,
    configuration_in,
    learn,
    requests,
    say,
)
from tests.support.world import EPOCH, World, route


@pytest.fixture
def world():
    return World()


@pytest.fixture
def paris(world):
    return asking(world)


@pytest.fixture
def lyon(world):
    return world.instance("LYON", world.database("Stock", ["Entrepôt"], route("Client", "paris")))


# ── a restart, a service elsewhere, arriving traffic ──
def test_a_request_survives_a_restart_of_the_instance(world, paris, lyon):
    say(paris)
    paris.kill()
    world.run(5)
    paris.start()
    world.run(100)
    assert asked(paris) == [("Ventes", "Entrepôt")], "it is still pending, nothing is asked again"
    [request] = requests(paris)
    learn(paris, request, route("Entrepôt", "lyon"))
    world.run(20)
    assert bodies(lyon, "Stock", "Entrepôt") == ["x"]
    assert len(paris.told(RouteRequestEnded)) == 1


def test_the_configuration_service_may_be_on_another_instance(world, lyon):
    paris = world.instance("PARIS", world.database("Ventes", ["Client"], route(CONFIGURATION, "hub")))
    hub = world.instance(
        "HUB", world.database("Annuaire", [], route(BROKER_SERVICE, "paris")), configuration_in("Annuaire")
    )
    say(paris)
    world.run(2)
    assert paris.statuses("Ventes") == {9770}
    [request] = requests(hub, "Annuaire")
    paris.define(RouteCreated(database="Ventes", route=route("Entrepôt", "lyon")))
    hub.end("Annuaire", request.conversation_handle)
    world.run(2)
    assert bodies(lyon, "Stock", "Entrepôt") == ["x"]
    assert [event.error for event in paris.told(RouteRequestEnded)] == [None]


def test_a_configuration_service_that_cannot_be_reached_is_asked_once_and_waited_for(world):
    paris = world.instance("PARIS", world.database("Ventes", ["Client"], route(CONFIGURATION, "hub")))
    say(paris)
    world.run(200)
    waiting = {row.to_service_name: row.transmission_status_number for row in paris.view("Ventes").transmission_queue}
    assert waiting[CONFIGURATION] == 9754
    assert asked(paris) == [("Ventes", "Entrepôt")]


def test_a_request_that_is_answered_by_an_error_of_a_broker_has_ended(world):
    """The far service does not accept the contract: its error is as good as an END WITH ERROR."""
    paris = world.instance("PARIS", world.database("Ventes", ["Client"], route(CONFIGURATION, "hub")))
    world.instance("HUB", world.database("Annuaire", [CONFIGURATION], route(BROKER_SERVICE, "paris")))
    say(paris)
    world.run(10)
    assert len(paris.told(RouteRequestEnded)) == 1
    assert paris.told(RouteRequestEnded)[0].error


def forwarding_hub(world, *routes):
    """HUB passes on what arrives; msdb asks the configuration service in Annuaire for what it does not know."""
    passing = [RouteCreated(database="msdb", route=each) for each in (route(CONFIGURATION), *routes)]
    hub = world.database("Annuaire", [])
    return world.instance("HUB", hub, configuration_in("Annuaire"), passing, forwards=True)


def test_e4_arriving_traffic_asks_from_msdb_and_a_later_retry_finds_the_route(world, lyon):
    paris = world.instance("PARIS", world.database("Ventes", ["Client"], route("Entrepôt", "hub")))
    hub = forwarding_hub(world)
    say(paris)
    world.run(1)
    assert asked(hub) == [("msdb", "Entrepôt")]
    assert [event.number for event in hub.told(MessageUndeliverable)] == [9770]
    assert paris.view("Ventes").transmission_queue_total == 1
    [request] = requests(hub, "Annuaire")
    hub.define(RouteCreated(database="msdb", route=route("Entrepôt", "lyon")))
    hub.end("Annuaire", request.conversation_handle)
    assert [event.database for event in hub.told(RouteRequestEnded)] == ["msdb"]
    world.run(6)
    assert bodies(lyon, "Stock", "Entrepôt") == ["x"]
    assert asked(hub) == [("msdb", "Entrepôt")]


def test_e4_many_retries_make_one_request(world):
    paris = world.instance("PARIS", world.database("Ventes", ["Client"], route("Entrepôt", "hub")))
    hub = forwarding_hub(world)
    say(paris)
    say(paris)
    world.run(100)
    assert asked(hub) == [("msdb", "Entrepôt")]
    assert {event.number for event in hub.told(MessageUndeliverable)} == {9770, 11210}


def test_e4_an_answer_to_msdb_also_wakes_whoever_came_through_an_address_of_its_own(world, lyon):
    """PARIS ──▶ tcp://paris ──▶ msdb asks: when it is answered, those who wait in Ventes are classified again."""
    home = world.database("Ventes", ["Client"], route("Entrepôt", "paris"))
    passing = [RouteCreated(database="msdb", route=route(CONFIGURATION))]
    paris = world.instance("PARIS", home, configuration_in("Ventes"), passing, forwards=True)
    say(paris)
    assert asked(paris) == [("msdb", "Entrepôt")]
    assert paris.statuses("Ventes") == {9770}
    [request] = requests(paris)
    paris.define(RouteCreated(database="msdb", route=route("Entrepôt", "lyon")))
    paris.end("Ventes", request.conversation_handle)
    world.run(1)
    assert bodies(lyon, "Stock", "Entrepôt") == ["x"]


def test_e5_nobody_is_asked_for_the_configuration_service_itself(world, paris):
    """Its route expires: step 4 is off, a request under way waits as any message does."""
    say(paris)
    expiring = RouteAltered(database="Ventes", name=route(CONFIGURATION).name, expires_at=EPOCH + 5)
    paris.define(expiring)
    world.run(10)
    say(paris, CONFIGURATION)
    assert asked(paris) == [("Ventes", "Entrepôt")]
    say(paris, "Prüfung")
    assert asked(paris) == [("Ventes", "Entrepôt")]


def test_e39_an_error_of_the_broker_asks_for_the_route_home_and_is_made_again_when_it_stands(world):
    """PARIS names the id of Stock, which has not the service; Stock's error needs a route that nobody has yet."""
    paris = world.instance("PARIS", world.database("Ventes", ["Client"], route("Absent", "lyon")))
    stock = world.database("Stock", ["Entrepôt"], route(CONFIGURATION), HOME)
    lyon = world.instance("LYON", stock, configuration_in("Stock"), world.database("Other", ["Absent"]))
    say(paris, "Absent", to_broker_instance=stock[0].broker_instance)
    world.run(20)
    assert asked(lyon) == [("Stock", "Client")]
    assert paris.receive("Ventes", "Client") == ()
    [request] = requests(lyon, "Stock")
    learn(lyon, request, route("Client", "paris"), database="Stock")
    world.run(100)
    [error] = paris.receive("Ventes", "Client")
    assert "<Code>-8490</Code>" in error.message_body.decode("utf-16")
