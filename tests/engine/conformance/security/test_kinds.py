"""Which security a dialog gets, and that it holds on the wire (protocol.md 9.1, 9.2)."""

import pytest

from engine.core.catalog.changes import ServiceAltered
from engine.core.exchange.events import MessageClassified
from engine.core.routing.dialog_security import SECURITY_TYPES, Binding, Case, Fault
from engine.core.vocabulary.dialog_security import SecurityKind
from tests.support.certificates import bound, certificate, certified, initiator, keys, owned, target, users
from tests.support.secure_world import bodies, security_of

NUMBERS = {Fault.NO_BINDING: 9727, Fault.NO_CERTIFICATE: 9731}
SECRET = b"un secret de la maison"


def definitions(case):
    theirs = certificate("Magasinier", "Fournisseur", is_private=False)
    own = [certificate("Vendeur", "Vendeur")] if case.has_certificate else []
    found = [*keys("Ventes"), *users("Ventes", "Vendeur", "Fournisseur"), *certified("Ventes", theirs, *own)]
    found += owned("Ventes", "Client", "Vendeur")
    if case.binding is not Binding.NONE:
        found += bound("Ventes", "Entrepôt", "Fournisseur", is_anonymous=case.binding is Binding.ANONYMOUS)
    return found


@pytest.mark.parametrize(
    "case", SECURITY_TYPES, ids=lambda case: f"{case.has_certificate}-{case.encryption}-{case.binding.name}"
)
def test_9_1_every_case_of_the_table(world, case):
    """The table is the code path: what it says is what the wire and the transmission queue show."""
    paris = world.paris(definitions(case))
    lyon = world.lyon(target())
    dialog = paris.begin("Ventes", "Client", "Entrepôt", encryption=case.encryption)
    paris.say("Ventes", dialog, SECRET)
    world.run(2)
    expected = SECURITY_TYPES[case]
    if isinstance(expected, Fault):
        assert paris.statuses("Ventes") == {NUMBERS[expected]}
        assert world.wire == []
        return
    assert bodies(lyon, "Stock", "Entrepôt") == [SECRET]
    assert security_of(paris, "Ventes", dialog).kind is expected
    travelled = {bool(message.security) for message in world.wire}
    assert travelled == {expected is not SecurityKind.NONE}
    assert any(message.body == SECRET for message in world.wire) is (expected is SecurityKind.NONE)


def test_9_1_the_table_has_every_case():
    every = {
        Case(has_certificate=c, encryption=e, binding=b) for c in (True, False) for e in (True, False) for b in Binding
    }
    assert set(SECURITY_TYPES) == every


@pytest.mark.parametrize(
    ("is_anonymous", "principal", "far_principal"), [(False, "Magasinier", "Acheteur"), (True, "Magasinier", "")]
)
def test_9_2_the_target_knows_the_sender_by_its_certificate_or_as_public(world, is_anonymous, principal, far_principal):
    paris, lyon = world.paris(initiator(is_anonymous=is_anonymous)), world.lyon(target())
    paris.say("Ventes", paris.begin("Ventes", "Client", "Entrepôt"), SECRET)
    world.run(2)
    [handle] = [row.conversation_handle for row in lyon.receive("Stock", "Entrepôt")]
    [view] = lyon.view("Stock").conversation_endpoints
    assert (view.conversation_handle, view.principal, view.far_principal) == (handle, principal, far_principal)
    assert view.security is (SecurityKind.ANONYMOUS if is_anonymous else SecurityKind.FULL)
    [there] = paris.view("Ventes").conversation_endpoints
    assert view.inbound_session_key_identifier == there.outbound_session_key_identifier is not None


def test_9_2_a_full_dialog_has_a_key_for_each_direction_an_anonymous_one_for_both(world):
    for is_anonymous in (False, True):
        world.nodes.clear()
        paris, lyon = world.paris(initiator(is_anonymous=is_anonymous)), world.lyon(target())
        dialog = paris.begin("Ventes", "Client", "Entrepôt")
        paris.say("Ventes", dialog, "question")
        world.run(2)
        [row] = lyon.receive("Stock", "Entrepôt")
        lyon.say("Stock", row.conversation_handle, "réponse")
        world.run(2)
        assert bodies(paris, "Ventes", "Client") == ["réponse".encode()]
        here, there = security_of(paris, "Ventes", dialog), security_of(lyon, "Stock", row.conversation_handle)
        assert here.outbound.identifier == there.inbound.identifier
        assert here.inbound.identifier == there.outbound.identifier
        assert (here.outbound.identifier == here.inbound.identifier) is is_anonymous


def test_9_2_the_security_header_rides_on_the_first_message_of_each_direction_only(world, paris, lyon):
    dialog = paris.begin("Ventes", "Client", "Entrepôt")
    for number in range(3):
        paris.say("Ventes", dialog, str(number))
    world.run(2)
    handle = lyon.receive("Stock", "Entrepôt")[0].conversation_handle
    for number in range(3):
        lyon.say("Stock", handle, str(number))
    world.run(2)
    carried = {
        (message.from_initiator, message.sequence): message.security.header is not None for message in world.wire
    }
    assert {key for key, has_header in carried.items() if has_header} == {(True, 0), (False, 0)}
    assert len(bodies(paris, "Ventes", "Client")) == 3


def test_9_2_only_the_body_is_encrypted_everything_else_can_be_read(world, paris, lyon):
    paris.say("Ventes", paris.begin("Ventes", "Client", "Entrepôt"), SECRET)
    world.run(2)
    first = world.wire[0]
    assert (first.source.service_name, first.target.service_name, first.sequence) == ("Client", "Entrepôt", 0)
    assert SECRET not in first.body


def test_9_2_answers_of_the_broker_go_under_the_key_of_what_they_answer(world, paris, lyon):
    """An acknowledgement of the target, though it has no key of its own yet."""
    dialog = paris.begin("Ventes", "Client", "Entrepôt")
    paris.say("Ventes", dialog, SECRET)
    world.run(2)
    answers = [message for message in world.wire if not message.from_initiator]
    assert answers
    key = security_of(paris, "Ventes", dialog).outbound.identifier
    assert {message.security.session_key_id for message in answers} == {key}
    assert paris.view("Ventes").transmission_queue_total == 0


def test_9_2_an_error_of_the_target_reaches_the_initiator_under_the_same_key(world, paris):
    """The dialog is never opened there, yet the initiator must be able to believe the answer."""
    lyon = world.lyon(target())
    dialog = paris.begin(
        "Ventes", "Client", "Entrepôt", to_broker_instance=lyon.instance.catalog.databases["Stock"].broker_instance
    )
    lyon.define(ServiceAltered(database="Stock", name="Entrepôt", drops=("DEFAULT",)))
    paris.say("Ventes", dialog, "x")
    world.run(10)
    [row] = paris.receive("Ventes", "Client")
    assert "-8408" in row.message_body.decode("utf-16")


def test_9_1_messages_inside_the_instance_are_never_encrypted(world):
    paris = world.instance("PARIS", world.database("Ventes", ["Client", "Entrepôt"]), initiator())
    dialog = paris.begin("Ventes", "Client", "Entrepôt", encryption=True)
    paris.say("Ventes", dialog, SECRET)
    assert bodies(paris, "Ventes", "Entrepôt") == [SECRET]
    assert security_of(paris, "Ventes", dialog) is None


@pytest.mark.parametrize(("here", "there", "number"), [(True, True, None), (False, True, 28050), (True, False, 28051)])
def test_9_1_a_secure_dialog_across_databases_needs_a_master_key_in_both(world, here, there, number):
    paris = world.instance(
        "PARIS",
        world.database("Ventes", ["Client"]),
        world.database("Stock", ["Entrepôt"]),
        keys("Ventes") if here else [],
        keys("Stock") if there else [],
    )
    paris.say("Ventes", paris.begin("Ventes", "Client", "Entrepôt", encryption=True), SECRET)
    assert paris.statuses("Ventes") == ({number} if number else set())
    assert bodies(paris, "Stock", "Entrepôt") == ([] if number else [SECRET])
    plain = paris.begin("Ventes", "Client", "Entrepôt", encryption=False)
    paris.say("Ventes", plain, "y")
    assert bodies(paris, "Stock", "Entrepôt") == [b"y"]


def test_9_1_the_decision_is_part_of_the_explanation_of_the_route(world, paris, lyon):
    paris.say("Ventes", paris.begin("Ventes", "Client", "Entrepôt"), SECRET)
    world.run(2)
    security = paris.told(MessageClassified)[-1].decision.security
    assert (security.kind, security.binding, security.user) == (SecurityKind.FULL, "to Entrepôt", "Fournisseur")
    assert (security.owner_certificate, security.user_certificate) == ("Vendeur", "Magasinier")
