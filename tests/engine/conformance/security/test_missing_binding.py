"""MissingRemoteServiceBinding: the configuration service is asked for bindings too (routing.md 6.9)."""

from xml.etree import ElementTree

import pytest

from engine.core.catalog.builtin import MISSING_BINDING_TYPE, MISSING_ROUTE_TYPE, NOTICE_CONTRACT
from engine.core.catalog.changes import RouteCreated, RouteDropped
from engine.core.catalog.security_changes import RemoteServiceBindingCreated, RemoteServiceBindingDropped
from engine.core.exchange.events import BindingRequested, BindingRequestEnded
from tests.support.certificates import bound, initiator, target
from tests.support.configuration_service import CONFIGURATION, HOME, configuration_in
from tests.support.secure_world import SecureWorld, bodies, security_of
from tests.support.world import route


@pytest.fixture
def world():
    return SecureWorld()


@pytest.fixture
def lyon(world):
    return world.lyon(target())


@pytest.fixture
def paris(world):
    """PARIS has everything but the binding, and a configuration service to ask."""
    definitions = [each for each in initiator() if not isinstance(each, RemoteServiceBindingCreated)]
    service = [RouteCreated(database="Ventes", route=each) for each in (route(CONFIGURATION), HOME)]
    return world.paris(definitions, configuration_in("Ventes"), service)


def started(paris, body="x", **fields):
    dialog = paris.begin("Ventes", "Client", "Entrepôt", **fields)
    paris.say("Ventes", dialog, body)
    return dialog


def requests(node):
    rows = []
    while received := node.receive("Ventes", "Konfiguration"):
        rows += [row for row in received if row.service_contract_name == NOTICE_CONTRACT]
    return rows


@pytest.mark.parametrize("encryption", [True, False])
def test_6_9_the_request_names_the_service_whatever_encryption_says(paris, lyon, encryption):
    started(paris, encryption=encryption)
    assert paris.statuses("Ventes") == {9770}
    [request] = requests(paris)
    assert request.message_type_name == MISSING_BINDING_TYPE
    root = ElementTree.fromstring(request.message_body.decode("utf-16"))
    space = "{http://schemas.microsoft.com/SQL/ServiceBroker/BrokerConfigurationNotice/MissingRemoteServiceBinding}"
    assert root.tag == f"{space}MissingRemoteServiceBinding"
    assert [(child.tag, child.text) for child in root] == [(f"{space}SERVICE_NAME", "Entrepôt")]


@pytest.mark.parametrize("encryption", [True, False])
def test_6_9_with_a_binding_that_was_made_meanwhile_the_dialog_is_secured(world, paris, lyon, encryption):
    dialog = started(paris, encryption=encryption)
    [request] = requests(paris)
    paris.define(*bound("Ventes", "Entrepôt", "Fournisseur"))
    paris.end("Ventes", request.conversation_handle)
    world.run(2)
    assert bodies(lyon, "Stock", "Entrepôt") == [b"x"]
    assert security_of(paris, "Ventes", dialog).kind.value == "full"
    assert [event.error for event in paris.told(BindingRequestEnded)] == [None]


@pytest.mark.parametrize("with_error", [True, False])
def test_6_9_off_goes_on_in_clear_once_the_request_has_ended(world, paris, lyon, with_error):
    dialog = started(paris)
    [request] = requests(paris)
    world.run(100)
    assert bodies(lyon, "Stock", "Entrepôt") == [], "not before"
    words = {"error_code": 1, "error_description": "inconnu"} if with_error else {}
    paris.end("Ventes", request.conversation_handle, **words)
    world.run(2)
    assert bodies(lyon, "Stock", "Entrepôt") == [b"x"]
    assert security_of(paris, "Ventes", dialog).kind.value == "none"
    assert [event.error for event in paris.told(BindingRequestEnded)] == ["inconnu" if with_error else None]
    paris.say("Ventes", dialog, "y")
    world.run(2)
    assert len(paris.told(BindingRequested)) == 1, "a dialog that is under way asks no more"


def test_6_9_on_waits_with_9727_and_asks_again_after_the_wait(world, paris, lyon):
    started(paris, encryption=True)
    for round_ in range(1, 4):
        [request] = requests(paris)
        paris.end("Ventes", request.conversation_handle)
        assert paris.statuses("Ventes") == {9727}
        world.run(59)
        assert len(paris.told(BindingRequested)) == round_
        world.run(2)
        assert len(paris.told(BindingRequested)) == round_ + 1
    assert bodies(lyon, "Stock", "Entrepôt") == []


def test_6_9_every_new_dialog_asks_but_dialogs_share_a_request_that_is_under_way(world, paris, lyon):
    for _ in range(3):
        started(paris)
    assert len(paris.told(BindingRequested)) == 1
    [request] = requests(paris)
    paris.end("Ventes", request.conversation_handle)
    world.run(2)
    started(paris)
    assert len(paris.told(BindingRequested)) == 2
    assert paris.statuses("Ventes") == {9770}


def test_6_9_without_a_configuration_service_nobody_is_asked(world, paris, lyon):
    paris.define(RouteDropped(database="Ventes", name=route(CONFIGURATION).name))
    started(paris)
    world.run(2)
    assert paris.told(BindingRequested) == []
    assert bodies(lyon, "Stock", "Entrepôt") == [b"x"]


def test_6_9_with_a_binding_nobody_is_asked_and_without_one_again_for_new_dialogs(world, paris, lyon):
    paris.define(*bound("Ventes", "Entrepôt", "Fournisseur"))
    started(paris)
    world.run(2)
    assert paris.told(BindingRequested) == []
    paris.define(RemoteServiceBindingDropped(database="Ventes", name="to Entrepôt"))
    started(paris)
    assert len(paris.told(BindingRequested)) == 1


def test_6_9_route_and_binding_are_asked_for_together(paris, lyon):
    """Two messages, when neither is known."""
    paris.define(RouteDropped(database="Ventes", name=route("Entrepôt", "lyon").name))
    started(paris, encryption=True)
    assert {row.message_type_name for row in requests(paris)} == {MISSING_ROUTE_TYPE, MISSING_BINDING_TYPE}


def test_6_9_nobody_is_asked_for_services_of_the_same_instance(world, paris, lyon):
    paris.define(*world.database("Compta", ["Facture"]), RouteCreated(database="Ventes", route=route("Facture")))
    dialog = paris.begin("Ventes", "Client", "Facture")
    paris.say("Ventes", dialog, "x")
    assert bodies(paris, "Compta", "Facture") == [b"x"]
    assert paris.told(BindingRequested) == []


def test_6_9_a_request_survives_a_restart(world, paris, lyon):
    started(paris)
    paris.kill()
    paris.start()
    world.run(100)
    assert len(paris.told(BindingRequested)) == 1
    [request] = requests(paris)
    paris.end("Ventes", request.conversation_handle)
    world.run(2)
    assert bodies(lyon, "Stock", "Entrepôt") == [b"x"]


def test_9_1_what_a_secured_message_sets_off_inside_is_not_secured(world):
    """LYON has no way back to Client and asks for one, in the same breath in which the first message comes in."""
    paris = world.paris(initiator())
    lyon = world.lyon(
        target(),
        [RouteDropped(database="Stock", name=route("Client", "paris").name)],
        configuration_in("Stock"),
        [RouteCreated(database="Stock", route=each) for each in (route(CONFIGURATION), HOME)],
    )
    started(paris)
    world.run(2)
    kinds = {view.service_name: view.security for view in lyon.view("Stock").conversation_endpoints}
    assert kinds["Entrepôt"].value == "full"
    assert kinds[CONFIGURATION] is None
