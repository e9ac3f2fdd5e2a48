"""The configuration service is asked for missing routes (routing.md 6), in a world of instances.

The program of the configuration service is the test itself: it reads the request, makes a route or does not, and ends
the dialog.
"""

from xml.etree import ElementTree

import msgspec
import pytest

from engine.core.catalog.builtin import BROKER_SERVICE, MISSING_ROUTE_TYPE, NOTICE_CONTRACT
from engine.core.catalog.changes import RouteAltered, RouteCreated, RouteDropped
from engine.core.exchange.events import RouteRequestEnded
from engine.core.vocabulary.rows import put_together
from engine.core.vocabulary.settings import WhilePending
from tests.support.configuration_service import (
    CONFIGURATION,
    HOME,
    asked,
    asking,
    bodies,
    configuration_in,
    learn,
    refuse,
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


# ── 1 and 2: what switches it on, and what it outranks ──
def test_1_a_service_of_that_name_without_a_route_to_it_changes_nothing(world):
    node = world.instance("PARIS", world.database("Ventes", ["Client"]), configuration_in("Ventes"))
    say(node)
    assert node.statuses("Ventes") == {9796}
    assert asked(node) == []


def test_1_the_route_may_come_later_and_wakes_those_who_wait(world):
    node = world.instance("PARIS", world.database("Ventes", ["Client"]), configuration_in("Ventes"))
    say(node)
    node.define(
        RouteCreated(database="Ventes", route=route(CONFIGURATION)), RouteCreated(database="Ventes", route=HOME)
    )
    world.run(11)
    assert asked(node) == [("Ventes", "Entrepôt")]


def test_1_the_table_that_was_consulted_decides_who_asks(world):
    """A route in msdb is not for what starts in Ventes."""
    node = world.instance("PARIS", world.database("Ventes", ["Client"]), configuration_in("Ventes"))
    node.define(RouteCreated(database="msdb", route=route(CONFIGURATION)))
    say(node)
    assert asked(node) == []


def test_2_it_outranks_the_catch_all_for_services_that_were_reached_by_it(world, paris):
    paris.define(*world.database("Compta", ["Facture"]))
    say(paris, "Facture")
    assert paris.statuses("Ventes") == {9770}
    learn(paris, requests(paris)[0], route("Facture"))
    assert bodies(paris, "Compta", "Facture") == ["x"]


def test_2_it_outranks_the_catch_all_for_built_in_services_too(world):
    """Without a route for the broker's own service its answers do not come home: it is asked for itself."""
    node = asking(world)
    node.define(RouteDropped(database="Ventes", name=HOME.name))
    say(node)
    [request] = requests(node, ends_bindings=False)
    node.end("Ventes", request.conversation_handle)
    assert asked(node) == [("Ventes", "Entrepôt"), ("Ventes", BROKER_SERVICE)]
    assert node.told(RouteRequestEnded) == []
    assert {
        (row.to_service_name, row.transmission_status_number) for row in node.view("Ventes").transmission_queue
    } == {
        ("Entrepôt", 9770),
        (BROKER_SERVICE, 9770),
    }


# ── 3, 4, 5: the wait and the request ──
def test_3_the_conversation_waits_with_9770(paris):
    say(paris)
    assert paris.statuses("Ventes") == {9770}
    assert [
        row.state.value for row in paris.view("Ventes").conversation_endpoints if row.far_service == "Entrepôt"
    ] == ["CO"]


def test_the_request_names_the_service_and_no_id_when_there_is_none(paris):
    say(paris, "Entre<pôt>&Cie")
    [request] = requests(paris)
    assert (request.service_contract_name, request.message_type_name) == (NOTICE_CONTRACT, MISSING_ROUTE_TYPE)
    assert NOTICE_CONTRACT.startswith("http://schemas.microsoft.com/SQL/ServiceBroker/")
    root = ElementTree.fromstring(request.message_body.decode("utf-16"))
    space = "{http://schemas.microsoft.com/SQL/ServiceBroker/BrokerConfigurationNotice/MissingRoute}"
    assert root.tag == f"{space}MissingRoute"
    assert [(child.tag, child.text) for child in root] == [(f"{space}SERVICE_NAME", "Entre<pôt>&Cie")]


def test_the_request_names_the_id_when_the_conversation_has_one(world, paris):
    broker = world.entropy.new_uuid()
    say(paris, to_broker_instance=broker)
    [request] = requests(paris)
    texts = [child.text for child in ElementTree.fromstring(request.message_body.decode("utf-16"))]
    assert texts == ["Entrepôt", str(broker).upper()]


def test_the_request_comes_from_the_built_in_service_of_the_database(paris):
    say(paris)
    views = [view for view in paris.view("Ventes").conversation_endpoints if view.far_service == CONFIGURATION]
    assert [(view.service_name, view.is_initiator) for view in views] == [(BROKER_SERVICE, True)] * 2


def test_4_one_request_for_a_service_however_many_conversations_wait(world, paris):
    for _ in range(5):
        say(paris)
        world.run(30)
    say(paris, to_broker_instance=world.entropy.new_uuid())
    assert asked(paris) == [("Ventes", "Entrepôt")]


def test_4_each_service_and_each_database_has_a_request_of_its_own(world, paris):
    paris.define(*world.database("Achats", ["Acheteur"], route(CONFIGURATION), HOME))
    say(paris)
    say(paris, "Prüfung")
    dialog = paris.begin("Achats", "Acheteur", "Entrepôt")
    paris.say("Achats", dialog, "x")
    assert asked(paris) == [("Ventes", "Entrepôt"), ("Ventes", "Prüfung"), ("Achats", "Entrepôt")]


def test_5_the_request_has_the_longest_lifetime_and_blocks_further_ones_for_ever(world, paris):
    dialog = say(paris, lifetime_seconds=86_400)
    views = [view for view in paris.view("Ventes").conversation_endpoints if view.far_service == CONFIGURATION]
    assert {view.lifetime for view in views} == {EPOCH + 2_147_483_647}
    world.run(86_300)
    assert asked(paris) == [("Ventes", "Entrepôt")]
    assert len(paris.view("Ventes").transmission_queue) == 1
    world.run(200)
    assert paris.statuses("Ventes") == {9784}
    states = {view.conversation_handle: view.state.value for view in paris.view("Ventes").conversation_endpoints}
    assert states[dialog] == "ER"


# ── 6, 7, 8: the answer ──
def test_6_a_learned_route_lets_everything_go_at_once(world, paris, lyon):
    for number in range(3):
        say(paris, body=str(number))
    [request] = requests(paris)
    learn(paris, request, route("Entrepôt", "lyon"))
    world.run(1)
    assert [bodies(lyon, "Stock", "Entrepôt") for _ in range(3)] == [["0"], ["1"], ["2"]]
    assert [event.error for event in paris.told(RouteRequestEnded)] == [None]
    assert asked(paris) == [("Ventes", "Entrepôt")]


def test_6_the_request_leaves_nothing_behind(world, paris, lyon):
    say(paris)
    [request] = requests(paris)
    learn(paris, request, route("Entrepôt", "lyon"))
    world.run(2000)
    left = [view for view in paris.view("Ventes").conversation_endpoints if view.far_service != "Entrepôt"]
    assert left == []
    assert paris.view("Ventes").transmission_queue_total == 0
    stored = next(rows for rows in put_together(paris.store.load().databases) if rows.name == "Ventes")
    assert not any(stored.queues.values())


def test_7_an_end_with_error_is_told_with_its_words_and_the_wait_goes_on(paris):
    say(paris)
    refuse(paris, requests(paris)[0])
    assert [event.error for event in paris.told(RouteRequestEnded)] == ["inconnu"]
    assert paris.statuses("Ventes") == {9770}


@pytest.mark.parametrize("with_error", [False, True])
def test_7_e6_an_answer_that_did_not_help_is_followed_by_another_request_after_the_wait(world, paris, with_error):
    say(paris)
    for round_ in range(1, 4):
        [request] = requests(paris)
        (refuse if with_error else learn)(paris, request)
        assert paris.statuses("Ventes") == {9770}
        world.run(59)
        assert len(asked(paris)) == round_, "no second request before the time-out"
        world.run(2)
        assert len(asked(paris)) == round_ + 1


def test_7_e6_the_catch_all_is_not_reached_after_the_answer(world, paris):
    """No request is pending any more, so step 4 applies again."""
    paris.define(*world.database("Compta", ["Facture"]))
    say(paris, "Facture")
    refuse(paris, requests(paris)[0])
    world.run(30)
    assert paris.statuses("Ventes") == {9770}
    assert bodies(paris, "Compta", "Facture") == []


def test_7_e6_a_new_conversation_does_not_shorten_the_wait(world, paris):
    say(paris)
    refuse(paris, requests(paris)[0])
    world.run(5)
    say(paris)
    assert len(asked(paris)) == 1
    world.run(70)
    assert len(asked(paris)) == 2


def test_8_a_learned_route_with_lifetime_is_asked_for_again_after_its_expiry(world, paris, lyon):
    dialog = say(paris)
    lifetime = 300
    for number in range(1, 4):
        [request] = requests(paris)
        far = route("Entrepôt", "lyon", expires_at=EPOCH + world.seconds + lifetime)
        learn(paris, request, msgspec.structs.replace(far, name=f"appris {number}"))
        world.run(lifetime - 1)
        paris.say("Ventes", dialog, str(number))
        world.run(1.5)
        assert len(asked(paris)) == number
        paris.say("Ventes", dialog, "after expiry")
        assert len(asked(paris)) == number + 1
        assert paris.statuses("Ventes") == {9770}


def test_8_a_lifetime_shorter_than_the_wait_refreshes_itself_as_soon(world, paris, lyon):
    """An answer that helped holds no later request back."""
    dialog = say(paris)
    [request] = requests(paris)
    learn(paris, request, route("Entrepôt", "lyon", expires_at=EPOCH + world.seconds + 20))
    world.run(21)
    assert bodies(lyon, "Stock", "Entrepôt") == ["x"]
    paris.say("Ventes", dialog, "y")
    assert len(asked(paris)) == 2


def test_8_a_learned_route_may_be_refreshed_by_alter(world, paris, lyon):
    dialog = say(paris)
    learn(paris, requests(paris)[0], route("Entrepôt", "lyon", expires_at=EPOCH + 20))
    world.run(100)
    paris.say("Ventes", dialog, "y")
    [request] = requests(paris)
    change = RouteAltered(database="Ventes", name="to Entrepôt by lyon", expires_at=EPOCH + 1000)
    paris.define(change)
    paris.end("Ventes", request.conversation_handle)
    world.run(1)
    assert bodies(lyon, "Stock", "Entrepôt") == ["x", "y"]


# ── E3: while a request is pending ──
def test_e3_literal_while_pending_match_goes_on_with_step_5(world, paris):
    paris.define(*world.database("Compta", ["Facture"]))
    say(paris, "Facture", "first")
    say(paris, "Facture", "second")
    assert bodies(paris, "Compta", "Facture") == ["second"]
    world.run(61)
    assert bodies(paris, "Compta", "Facture") == ["first"]
    assert asked(paris) == [("Ventes", "Facture")]


def test_e3_wait_while_pending_everything_stays_delayed(world):
    world.settings = msgspec.structs.replace(world.settings, dynamic_routing_while_pending=WhilePending.WAIT)
    paris = asking(world)
    paris.define(*world.database("Compta", ["Facture"]))
    say(paris, "Facture", "first")
    say(paris, "Facture", "second")
    world.run(300)
    assert bodies(paris, "Compta", "Facture") == []
    assert paris.statuses("Ventes") == {9770}
    assert asked(paris) == [("Ventes", "Facture")]
