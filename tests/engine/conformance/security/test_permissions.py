"""Who may open a dialog: SEND on the service, RECEIVE on its queue (protocol.md 9.1, 9.3, 18.1; routing.md 10)."""

import pytest

from engine.core.catalog.permissions import Securable
from engine.core.catalog.security import User
from engine.core.catalog.security_changes import PermissionSet, UserCreated
from engine.core.catalog.server_changes import PermissionVerb
from engine.core.exchange.events import ConversationAudited, MessageUndeliverable
from engine.core.vocabulary.rows import ConversationState
from engine.core.vocabulary.subclasses import AuditFailure
from engine.whatif.security_proof import what_if_secured
from tests.support.certificates import certificate, certified, initiator, owned, target, users
from tests.support.each import for_each
from tests.support.secure_world import SecureWorld, bodies
from tests.support.world import EPOCH

GRANT, DENY, REVOKE = PermissionVerb.GRANT, PermissionVerb.DENY, PermissionVerb.REVOKE


def send(verb, grantee, database="Stock", service="Entrepôt"):
    return PermissionSet(database=database, securable=Securable.SERVICE, name=service, verb=verb, grantee=grantee)


def receive(verb, grantee, database="Stock", queue="Entrepôt"):
    return PermissionSet(database=database, securable=Securable.QUEUE, name=queue, verb=verb, grantee=grantee)


CLOSED = send(REVOKE, "public")


def started(paris, **fields):
    dialog = paris.begin("Ventes", "Client", "Entrepôt", **fields)
    paris.say("Ventes", dialog, "x")
    return dialog


def state(node, database, dialog):
    return next(row.state for row in node.view(database).conversation_endpoints if row.conversation_handle == dialog)


def numbers(node):
    return [event.number for event in node.told(MessageUndeliverable)]


def is_refused(world, paris, lyon):
    """The first message is answered with -8494, which the initiator reads; nothing of the dialog is at the target."""
    dialog = started(paris, encryption=False)
    world.run(10)
    [error] = bodies(paris, "Ventes", "Client")
    assert "<Code>-8494</Code>" in error.decode("utf-16")
    assert state(paris, "Ventes", dialog) is ConversationState.ERROR
    assert set(numbers(lyon)) == {11215}
    assert lyon.view("Stock").conversation_endpoints == ()


def is_let_in(world, paris, lyon):
    dialog = started(paris, encryption=False)
    world.run(10)
    assert bodies(lyon, "Stock", "Entrepôt") == [b"x"]
    assert numbers(lyon) == []
    assert state(paris, "Ventes", dialog) is ConversationState.CONVERSING


FULL, ANONYMOUS, NONE = initiator(), initiator(is_anonymous=True), []


@for_each(
    ("security", "permissions", "outcome"),
    [
        # What a service is born with.
        (NONE, [], is_let_in),
        (ANONYMOUS, [], is_let_in),
        (FULL, [], is_let_in),
        # Unsecured and anonymous senders are public, whoever the certificate of the initiator belongs to.
        (NONE, [CLOSED], is_refused),
        (NONE, [CLOSED, send(GRANT, "Acheteur")], is_refused),
        (NONE, [send(DENY, "public")], is_refused),
        (ANONYMOUS, [CLOSED, send(GRANT, "Acheteur")], is_refused),
        (NONE, [CLOSED, send(GRANT, "public")], is_let_in),
        (ANONYMOUS, [send(DENY, "Acheteur")], is_let_in),
        # With full security the sender is the owner of its certificate at the target.
        (FULL, [CLOSED], is_refused),
        (FULL, [CLOSED, send(GRANT, "Acheteur")], is_let_in),
        (FULL, [CLOSED, send(GRANT, "acheteur")], is_let_in),
        (FULL, [CLOSED, send(GRANT, "guest")], is_refused),
        (FULL, [send(DENY, "Acheteur")], is_refused),
        (FULL, [CLOSED, send(GRANT, "Acheteur"), send(REVOKE, "Acheteur")], is_refused),
        (FULL, [send(DENY, "public"), send(GRANT, "Acheteur")], is_refused),
    ],
)
def test_9_3_who_lacks_send_is_answered_with_8494(security, permissions, outcome):
    world = SecureWorld()
    paris, lyon = world.paris(security), world.lyon(target(), permissions)
    outcome(world, paris, lyon)


@pytest.mark.parametrize("owner", ["dbo", "Magasinier"])
def test_12_dbo_and_the_owner_of_the_service_need_no_permission(owner):
    """LYON knows PARIS by a certificate that belongs to the owner of the service, or to dbo."""
    known = target(knows_initiator=False)
    theirs = certified("Stock", certificate("Vendeur", owner, is_private=False))
    world = SecureWorld()
    paris = world.paris(initiator())
    lyon = world.lyon(known, theirs, [send(DENY, "public")])
    is_let_in(world, paris, lyon)


@pytest.mark.parametrize("security", [NONE, ANONYMOUS, FULL])
def test_9_3_every_fragment_of_a_large_message_is_refused_alike(security):
    world = SecureWorld()
    paris, lyon = world.paris(security), world.lyon(target(), [CLOSED])
    dialog = paris.begin("Ventes", "Client", "Entrepôt", encryption=False)
    paris.say("Ventes", dialog, "x" * 200_000)
    world.run(10)
    assert state(paris, "Ventes", dialog) is ConversationState.ERROR
    assert set(numbers(lyon)) == {11215}
    assert lyon.view("Stock").conversation_endpoints == ()


def test_8_2_row_4_a_permission_that_is_withdrawn_ends_no_dialog():
    world = SecureWorld()
    paris, lyon = world.paris(), world.lyon(target())
    dialog = started(paris, encryption=False)
    world.run(5)
    lyon.define(CLOSED)
    paris.say("Ventes", dialog, "y")
    world.run(5)
    assert bodies(lyon, "Stock", "Entrepôt") == [b"x", b"y"]
    started(paris, encryption=False)
    world.run(5)
    assert set(numbers(lyon)) == {11215}


def test_9_3_what_was_granted_stays_granted_over_a_restart():
    world = SecureWorld()
    paris, lyon = world.paris(), world.lyon(target(), [CLOSED])
    lyon.kill()
    lyon.start()
    is_refused(world, paris, lyon)


def test_9_3_a_target_whose_owner_may_not_receive_drops_in_silence_8401_until_it_may():
    world = SecureWorld()
    paris, lyon = world.paris(FULL), world.lyon(target(), [receive(REVOKE, "public")])
    dialog = started(paris, encryption=False)
    world.run(3)
    assert set(numbers(lyon)) == {8401}
    audits = {(event.failure, event.number) for event in lyon.told(ConversationAudited)}
    assert audits == {(AuditFailure.RUN_AS_TARGET_FAILURE, 8401)}
    assert {event.text for event in lyon.told(ConversationAudited)} == {
        "The message could not be delivered: the target user may not receive from queue 'dbo.Entrepôt'"
    }
    [kept] = paris.view("Ventes").transmission_queue
    assert kept.transmission_status == ""
    assert state(paris, "Ventes", dialog) is ConversationState.CONVERSING
    lyon.define(receive(GRANT, "Magasinier"))
    world.run(20)
    assert bodies(lyon, "Stock", "Entrepôt") == [b"x"]


def test_9_3_dbo_may_receive_whatever_was_revoked():
    world = SecureWorld()
    paris, lyon = world.paris(), world.lyon([receive(DENY, "public")])
    is_let_in(world, paris, lyon)


# ── inside one instance ──


def one_instance(*definitions):
    """Ventes (Client, owned by Vendeur) and Stock (Entrepôt) in one instance; the login of Vendeur is V."""
    world = SecureWorld()
    ventes = world.database("Ventes", ["Client", "Intern"])
    stock = world.database("Stock", ["Entrepôt"])
    node = world.instance(
        "PARIS",
        ventes,
        stock,
        [UserCreated(database="Ventes", user=User("Vendeur", login="V"))],
        owned("Ventes", "Client", "Vendeur"),
        *definitions,
    )
    return world, node


def local(world, node, to):
    dialog = node.begin("Ventes", "Client", to, encryption=False)
    node.say("Ventes", dialog, "x")
    world.run(2)
    return state(node, "Ventes", dialog)


@pytest.mark.parametrize(
    ("permissions", "expected"),
    [
        ([], ConversationState.CONVERSING),
        ([send(REVOKE, "public", "Ventes", "Intern")], ConversationState.ERROR),
        (
            [send(REVOKE, "public", "Ventes", "Intern"), send(GRANT, "Vendeur", "Ventes", "Intern")],
            ConversationState.CONVERSING,
        ),
        ([send(DENY, "Vendeur", "Ventes", "Intern")], ConversationState.ERROR),
        (
            [send(DENY, "public", "Ventes", "Intern"), *owned("Ventes", "Client", "dbo")],
            ConversationState.CONVERSING,
        ),
        (
            [send(DENY, "public", "Ventes", "Intern"), *owned("Ventes", "Intern", "Vendeur")],
            ConversationState.CONVERSING,
        ),
    ],
)
def test_12_within_a_database_the_owner_of_the_initiating_service_sends(permissions, expected):
    world, node = one_instance(permissions)
    assert local(world, node, "Intern") is expected


@pytest.mark.parametrize(
    ("permissions", "expected"),
    [
        ([], ConversationState.CONVERSING),
        ([CLOSED], ConversationState.ERROR),
        ([CLOSED, *users("Stock", "Vendeur"), send(GRANT, "Vendeur")], ConversationState.ERROR),
        (
            [
                CLOSED,
                UserCreated(database="Stock", user=User("Acheteur", login="v")),
                send(GRANT, "Acheteur"),
            ],
            ConversationState.CONVERSING,
        ),
        ([CLOSED, *owned("Ventes", "Client", "dbo")], ConversationState.ERROR),
    ],
)
def test_9_1_in_another_database_the_owner_counts_as_the_user_of_its_login_or_as_public(permissions, expected):
    world, node = one_instance(permissions)
    assert local(world, node, "Entrepôt") is expected


def test_9_3_a_local_message_that_may_not_be_received_waits_and_goes_when_it_may():
    world, node = one_instance(
        users("Stock", "Magasinier"), owned("Stock", "Entrepôt", "Magasinier"), [receive(DENY, "Magasinier")]
    )
    assert local(world, node, "Entrepôt") is ConversationState.CONVERSING
    [row] = node.view("Ventes").transmission_queue
    assert "may not receive from queue" in row.transmission_status
    assert {event.failure for event in node.told(ConversationAudited)} == {AuditFailure.RUN_AS_TARGET_FAILURE}
    node.define(receive(REVOKE, "Magasinier"))
    world.run(15)
    assert node.view("Ventes").transmission_queue == ()
    assert bodies(node, "Stock", "Entrepôt") == [b"x"]


# ── what a proof says before anybody sends ──


@pytest.mark.parametrize(
    ("security", "permissions", "number", "said"),
    [
        (NONE, [], None, "lets the sender send and takes the message in"),
        (NONE, [CLOSED], 11215, "answers with error -8494, and the dialog ends"),
        (FULL, [CLOSED], 11215, "answers with error -8494, and the dialog ends"),
        (FULL, [CLOSED, send(GRANT, "Acheteur")], None, "knows the certificates, lets the sender send"),
        (FULL, [receive(DENY, "Magasinier")], 8401, "drops the message in silence"),
    ],
)
def test_the_proof_asks_the_same_rules(security, permissions, number, said):
    world = SecureWorld()
    paris, lyon = world.paris(security), world.lyon(target(), permissions)
    answer = what_if_secured(
        paris.instance.catalog.databases["Ventes"],
        "Client",
        "Entrepôt",
        EPOCH,
        encryption=False,
        target=lyon.instance.catalog.databases["Stock"],
    )
    assert answer.arrival == number
    assert said in answer.proof[-1]
    started(paris, encryption=False)
    world.run(3)
    assert set(numbers(lyon)) == ({number} - {None})
