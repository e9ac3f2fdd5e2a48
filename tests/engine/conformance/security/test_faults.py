"""What goes wrong with dialog security, each with its number (protocol.md 9.3, 3.7; views.md 3; routing.md 10)."""

import msgspec
import pytest

from engine.core.catalog.security import MasterKey
from engine.core.catalog.security_changes import (
    CertificateAltered,
    CertificateCreated,
    CertificateDropped,
    MasterKeyAltered,
    MasterKeyCreated,
    MasterKeyDropped,
    MasterKeyRegenerated,
    RemoteServiceBindingDropped,
    UserDropped,
)
from engine.core.exchange.events import ConversationAudited, MessageCorrupted, MessageUndeliverable
from engine.core.vocabulary.subclasses import AuditFailure
from tests.support.certificates import (
    OTHER_VAULT,
    VAULT,
    bound,
    certificate,
    certified,
    initiator,
    keys,
    owned,
    target,
    users,
)
from tests.support.secure_world import SecureWorld, bodies, security_of

HOUR = 3600.0


def started(paris, body="x", **fields):
    dialog = paris.begin("Ventes", "Client", "Entrepôt", **fields)
    paris.say("Ventes", dialog, body)
    return dialog


def numbers(node):
    return [event.number for event in node.told(MessageUndeliverable)]


def audits(node):
    return {(event.failure, event.number) for event in node.told(ConversationAudited)}


def corrupted(node):
    return [event.number for event in node.told(MessageCorrupted)]


# ── at the sender: a numbered status, and the message stays ──
THEIRS = certificate("Magasinier", "Fournisseur", is_private=False)
OWN = certificate("Vendeur", "Vendeur")
change = msgspec.structs.replace


@pytest.mark.parametrize(
    ("own", "theirs", "number"),
    [
        ([OWN], [], 9731),
        ([OWN], [certificate("m2", "Fournisseur", is_private=False, starts=-HOUR, ends=-1.0)], 28025),
        ([OWN], [certificate("m3", "Fournisseur", is_private=False, starts=HOUR, ends=2 * HOUR)], 28024),
        ([OWN], [change(THEIRS, is_active_for_begin_dialog=False)], 9735),
        ([OWN], [change(THEIRS, key_bits=1000)], 9730),
        ([OWN], [change(THEIRS, key_bits=4160)], 9730),
        ([OWN], [change(THEIRS, certificate=bytes(32 * 1024))], 9734),
        ([change(OWN, private_key=None)], [THEIRS], 9733),
        ([change(OWN, private_key=None, is_password_protected=True)], [THEIRS], 9737),
        ([certificate("v2", "Vendeur", starts=-HOUR, ends=-1.0)], [THEIRS], 28025),
        ([certificate("v3", "Vendeur", starts=HOUR, ends=2 * HOUR)], [THEIRS], 28024),
        ([change(OWN, is_active_for_begin_dialog=False)], [THEIRS], 9735),
        ([], [THEIRS], 9731),
    ],
)
def test_views_3_a_certificate_that_cannot_be_used_is_a_numbered_status(own, theirs, number):
    world = SecureWorld()
    paris = world.paris(
        keys("Ventes"),
        users("Ventes", "Vendeur", "Fournisseur"),
        certified("Ventes", *own, *theirs),
        owned("Ventes", "Client", "Vendeur"),
        bound("Ventes", "Entrepôt", "Fournisseur"),
    )
    world.lyon(target())
    started(paris)
    world.run(5)
    assert paris.statuses("Ventes") == {number}
    [row] = paris.view("Ventes").transmission_queue
    assert row.transmission_status.startswith(f"{number}: ")
    assert "{" not in row.transmission_status
    assert world.wire == []


def test_views_3_9768_the_user_of_the_binding_was_dropped(world, lyon):
    paris = world.paris(initiator())
    paris.define(
        CertificateDropped(database="Ventes", name="Magasinier"), UserDropped(database="Ventes", name="Fournisseur")
    )
    started(paris)
    assert paris.statuses("Ventes") == {9768}


def test_views_3_no_master_key_28050_one_that_the_server_may_not_open_28054(world, lyon):
    definitions = [
        each
        for each in initiator(is_anonymous=True, has_certificate=False)
        if type(each).__name__ != "MasterKeyCreated"
    ]
    paris = world.paris(definitions)
    started(paris)
    assert paris.statuses("Ventes") == {28050}
    paris.define(*keys("Ventes"), MasterKeyAltered(database="Ventes", is_encrypted_by_server=False))
    world.run(11)
    assert paris.statuses("Ventes") == {28054}
    paris.define(MasterKeyAltered(database="Ventes", is_encrypted_by_server=True))
    world.run(12)
    assert bodies(lyon, "Stock", "Entrepôt") == [b"x"]


@pytest.mark.parametrize("vault", [None, OTHER_VAULT])
def test_views_3_28054_where_the_key_of_the_server_is_another_one_or_missing(world, lyon, vault):
    world.vault = vault
    paris = world.paris(initiator())
    started(paris)
    assert paris.statuses("Ventes") == {28054}


def test_9_1_a_waiting_message_goes_when_the_binding_comes(world, lyon):
    """9727 is a status, not an error: the message is kept."""
    definitions = [each for each in initiator() if type(each).__name__ != "RemoteServiceBindingCreated"]
    paris = world.paris(definitions)
    started(paris, encryption=True)
    assert paris.statuses("Ventes") == {9727}
    paris.define(*bound("Ventes", "Entrepôt", "Fournisseur"))
    world.run(12)
    assert bodies(lyon, "Stock", "Entrepôt") == [b"x"]
    assert paris.statuses("Ventes") == set()


# ── at the target: silence, an event, and the sender keeps the message ──
def is_kept_by_the_sender(world, paris):
    world.run(30)
    assert paris.statuses("Ventes") == {None}
    assert paris.view("Ventes").transmission_queue_total == 1


def test_routing_10_arriving_certificate_unknown_is_discarded_in_silence(world, paris):
    """The row of routing.md 10: the sender keeps and retries, the copy is discarded, event Undeliverable 11229."""
    lyon = world.lyon(target(knows_initiator=False))
    started(paris)
    is_kept_by_the_sender(world, paris)
    assert set(numbers(lyon)) == {11229}
    assert audits(lyon) == {(AuditFailure.NO_CERTIFICATE, 11229)}
    assert not [message for message in world.wire if not message.from_initiator]
    lyon.define(*certified("Stock", certificate("Vendeur", "Acheteur", is_private=False)))
    world.run(70)
    assert bodies(lyon, "Stock", "Entrepôt") == [b"x"]


def test_9_3_the_wrong_certificate_of_the_target_in_the_binding_is_11229_there(world):
    """A key that the target does not have."""
    wrong = certificate("Magasinier", "Fournisseur", is_private=False, subject="Quelqu'un")
    definitions = [
        CertificateCreated(database="Ventes", certificate=wrong)
        if isinstance(each, CertificateCreated) and each.certificate.name == "Magasinier"
        else each
        for each in initiator()
    ]
    paris, lyon = world.paris(definitions), world.lyon(target())
    started(paris)
    is_kept_by_the_sender(world, paris)
    assert set(numbers(lyon)) == {11229}


def test_9_3_a_private_key_that_does_not_fit_is_11230(world, paris):
    """The certificate is there, with the private key of another one."""
    other = certificate("Magasinier", "Magasinier", subject="Quelqu'un")
    mixed = msgspec.structs.replace(certificate("Magasinier", "Magasinier"), private_key=other.private_key)
    definitions = [
        CertificateCreated(database="Stock", certificate=mixed)
        if isinstance(each, CertificateCreated) and each.certificate.name == "Magasinier"
        else each
        for each in target()
    ]
    lyon = world.lyon(definitions)
    started(paris)
    is_kept_by_the_sender(world, paris)
    assert set(numbers(lyon)) == {11230}


def test_9_3_the_owner_of_the_encrypting_certificate_needs_control_of_the_service_28056(world, paris):
    lyon = world.lyon(target(), users("Stock", "Autre"), owned("Stock", "Entrepôt", "Autre"))
    started(paris)
    is_kept_by_the_sender(world, paris)
    assert set(numbers(lyon)) == {28056}


def test_9_3_no_master_key_at_the_target(world, paris):
    """The private key cannot be opened, and the session key could not be saved."""
    lyon = world.lyon(target())
    lyon.define(MasterKeyAltered(database="Stock", is_encrypted_by_server=False))
    started(paris)
    is_kept_by_the_sender(world, paris)
    assert set(numbers(lyon)) == {28054}


@pytest.mark.parametrize(("starts", "ends", "number"), [(-HOUR, -1.0, 28025), (HOUR, 2 * HOUR, 28024)])
def test_9_3_a_certificate_that_the_clock_of_the_target_does_not_accept(world, starts, ends, number):
    """The sender's clock is another one: what it sends is valid to it."""
    own = certificate("Vendeur", "Vendeur", subject="pendule", starts=starts, ends=ends)
    at_home = msgspec.structs.replace(own, starts_at=0.0, expires_at=2e9)
    there = certificate("Vendeur", "Acheteur", is_private=False, subject="pendule", starts=starts, ends=ends)
    definitions = [
        CertificateCreated(database="Ventes", certificate=at_home)
        if isinstance(each, CertificateCreated) and each.certificate.name == "Vendeur"
        else each
        for each in initiator()
    ]
    paris = world.paris(definitions)
    lyon = world.lyon(target(knows_initiator=False), certified("Stock", there))
    started(paris)
    is_kept_by_the_sender(world, paris)
    assert set(numbers(lyon)) == {number}
    assert audits(lyon) == {(AuditFailure.NO_CERTIFICATE, number)}


# ── master keys and sessions that are lost ──
def test_8_2_row_26_a_master_key_regenerated_by_force_ends_secure_dialogs_with_28052(world, paris, lyon):
    dialog = started(paris)
    world.run(2)
    paris.define(MasterKeyRegenerated(database="Ventes", master_key=MasterKey(VAULT.new_master_key())))
    [row] = paris.receive("Ventes", "Client")
    assert "-28052" in row.message_body.decode("utf-16")
    world.run(2)
    lyon.receive("Stock", "Entrepôt")
    states = {view.conversation_handle: view.state.value for view in paris.view("Ventes").conversation_endpoints}
    assert states[dialog] == "ER"
    assert {view.state.value for view in lyon.view("Stock").conversation_endpoints} == {"ER"}
    assert paris.instance.catalog.databases["Ventes"].certificates["Vendeur"].private_key is None


@pytest.mark.interpreted
def test_28050_a_master_key_dropped_under_way_stops_a_dialog_without_stirring(world, paris, lyon):
    """What was sent and not acknowledged does not wake the broker again and again; the key of old opens no new door."""
    dialog = started(paris, "one")
    world.run(2)
    world.tamper = lambda message: None if message.sequence == 1 else message
    paris.say("Ventes", dialog, "two")
    key = paris.instance.catalog.databases["Ventes"].master_key
    private_key_goes = CertificateAltered(database="Ventes", name="Vendeur", drops_private_key=True)
    paris.define(private_key_goes, MasterKeyDropped(database="Ventes"))
    paris.say("Ventes", dialog, "three")
    assert paris.statuses("Ventes") == {28050}
    travelled = len(world.wire)
    stirs = []
    begin = paris.instance.begin
    paris.instance.begin = lambda now: stirs.append(now) or begin(now)
    world.run(600)
    assert len(world.wire) == travelled
    assert len(stirs) < 30
    world.tamper = lambda message: message
    paris.define(MasterKeyCreated(database="Ventes", master_key=key))
    world.run(70)
    assert bodies(lyon, "Stock", "Entrepôt") == [b"one", b"two", b"three"]


def test_a_binding_dropped_under_way_does_not_matter_to_a_dialog_that_has_its_key(world, paris, lyon):
    dialog = started(paris, "one")
    world.run(2)
    paris.define(RemoteServiceBindingDropped(database="Ventes", name="to Entrepôt"))
    paris.say("Ventes", dialog, "two")
    world.run(2)
    assert bodies(lyon, "Stock", "Entrepôt") == [b"one", b"two"]
    assert security_of(paris, "Ventes", dialog) is not None
