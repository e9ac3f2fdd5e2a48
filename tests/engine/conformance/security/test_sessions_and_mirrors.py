"""Secure dialogs in transactions, by priority, and towards mirrored databases (protocol.md 9, 10, 11; mirroring.md)."""

import pytest

from engine.core.catalog.changes import (
    PartnerSet,
    PriorityCreated,
    PriorityHonoured,
    RouteAltered,
)
from engine.core.catalog.objects import BrokerPriority
from engine.core.catalog.route import NetworkAddress
from engine.core.catalog.security_changes import CertificateDropped
from engine.core.exchange.commands import (
    BeginDialog,
    BeginTransaction,
    CommitTransaction,
    RestoreDatabase,
    RollbackTransaction,
    Send,
    SetMirroringRole,
)
from engine.core.vocabulary.messages import TcpAddress
from engine.core.vocabulary.mirrors import MirroringRole
from tests.support.backups import backup
from tests.support.certificates import certificate, certified
from tests.support.secure_world import bodies, security_of


# ── transactions ──
def held_back(paris):
    """BEGIN DIALOG and two SENDs that wait for the end of their transaction."""
    transaction = paris.do(BeginTransaction).transaction
    began = {"database": "Ventes", "from_service": "Client", "to_service": "Entrepôt", "encryption": True}
    dialog = paris.do(BeginDialog, transaction=transaction, **began).conversation_handle
    for body in (b"one", b"two"):
        paris.do(Send, database="Ventes", conversation_handle=dialog, body=body, transaction=transaction)
    return transaction, dialog


def test_10_a_dialog_is_secured_when_its_transaction_commits(world, paris, lyon):
    transaction, dialog = held_back(paris)
    world.run(2)
    assert world.wire == []
    paris.do(CommitTransaction, transaction=transaction)
    world.run(2)
    assert bodies(lyon, "Stock", "Entrepôt") == [b"one", b"two"]
    assert security_of(paris, "Ventes", dialog).kind.value == "full"
    assert all(message.security for message in world.wire)


def test_10_a_dialog_that_is_rolled_back_makes_no_key(world, paris, lyon):
    transaction, _ = held_back(paris)
    paris.do(RollbackTransaction, transaction=transaction)
    world.run(10)
    assert world.wire == []
    assert paris.view("Ventes").conversation_endpoints_total == 0


# ── priorities ──
def test_11_what_is_secured_leaves_by_priority(world, paris, lyon):
    urgent = BrokerPriority("urgent", None, "Client", None, 9)
    slow = paris.begin("Ventes", "Client", "Entrepôt")
    paris.define(
        PriorityCreated(database="Ventes", priority=urgent), PriorityHonoured(database="Ventes", is_honoured=True)
    )
    quick = paris.begin("Ventes", "Client", "Entrepôt")
    ids = {}
    for handle in (slow, quick):
        [row] = [each for each in paris.view("Ventes").conversation_endpoints if each.conversation_handle == handle]
        ids[row.conversation_id] = row.priority
        paris.say("Ventes", handle, "x")
    world.run(2)
    first = [message for message in world.wire if message.from_initiator and message.sequence == 0]
    assert [ids[message.conversation_id] for message in first] == [9, 5]
    assert all(message.security for message in first)
    assert bodies(lyon, "Stock", "Entrepôt") + bodies(lyon, "Stock", "Entrepôt") == [b"x", b"x"]


# ── mirrored routes ──
@pytest.fixture
def berlin(world, paris, lyon):
    """LYON is the principal of Stock, BERLIN its copy; PARIS knows the pair by a mirrored route."""
    lyon.define(PartnerSet(database="Stock", partner_address="TCP://berlin:5022"))
    node = world.instance("BERLIN")
    copy_to(node, lyon)
    second = NetworkAddress("TCP://berlin:4022", TcpAddress("berlin", 4022))
    own_id = lyon.instance.catalog.databases["Stock"].broker_instance
    paris.define(
        RouteAltered(database="Ventes", name="to Entrepôt by lyon", mirror_address=second, broker_instance=own_id)
    )
    return node


def copy_to(berlin, lyon):
    base = berlin.instance.catalog.revision
    taken = backup(lyon, "Stock")
    berlin.do(
        RestoreDatabase, database="Stock", backup=taken, base=base, revision=base + 1, replaces=True, is_recovered=False
    )
    berlin.define(PartnerSet(database="Stock", partner_address="TCP://lyon:5022"))


def fail_over(lyon, berlin):
    lyon.do(SetMirroringRole, database="Stock", role=MirroringRole.MIRROR)
    berlin.do(SetMirroringRole, database="Stock", role=MirroringRole.PRINCIPAL)


def test_a_secure_dialog_begins_at_whoever_is_the_principal(world, paris, lyon, berlin):
    fail_over(lyon, berlin)
    dialog = paris.begin("Ventes", "Client", "Entrepôt", encryption=True)
    paris.say("Ventes", dialog, "x")
    world.run(200)
    assert bodies(berlin, "Stock", "Entrepôt") == [b"x"]
    assert lyon.view("Stock").conversation_endpoints_total == 0
    assert security_of(berlin, "Stock", berlin.view("Stock").conversation_endpoints[0].conversation_handle)


def test_a_dialog_that_cannot_be_secured_says_so_while_nobody_claims_to_be_the_principal(world, paris, lyon, berlin):
    lyon.kill()
    berlin.kill()
    paris.define(CertificateDropped(database="Ventes", name="Magasinier"))
    dialog = paris.begin("Ventes", "Client", "Entrepôt", encryption=True)
    paris.say("Ventes", dialog, "x")
    world.run(70)
    assert paris.statuses("Ventes") == {9731}
    lyon.start()
    paris.define(*certified("Ventes", certificate("Magasinier", "Fournisseur", is_private=False)))
    world.run(200)
    assert bodies(lyon, "Stock", "Entrepôt") == [b"x"]


def test_an_acknowledgement_that_nobody_can_have_does_not_hide_why_the_reply_cannot_be_secured(world, paris, lyon):
    """LYON owes PARIS an acknowledgement and asks the pair for the principal; its reply waits for a certificate."""
    dialog = paris.begin("Ventes", "Client", "Entrepôt")
    paris.say("Ventes", dialog, "x")
    world.run(0.2)
    [row] = lyon.receive("Stock", "Entrepôt")
    paris.kill()
    second = NetworkAddress("TCP://rome:4022", TcpAddress("rome", 4022))
    own_id = paris.instance.catalog.databases["Ventes"].broker_instance
    lyon.define(
        RouteAltered(database="Stock", name="to Client by paris", mirror_address=second, broker_instance=own_id),
        CertificateDropped(database="Stock", name="Magasinier"),
    )
    lyon.say("Stock", row.conversation_handle, "réponse")
    world.run(30)
    assert [known.broker_instance for known in lyon.instance.view(10).mirrored_routes] == [own_id]
    assert lyon.statuses("Stock") == {9728}


def test_8_2_row_30_an_error_for_a_mirrored_database_goes_to_the_principal_under_the_key(world, paris, lyon, berlin):
    dialog = paris.begin("Ventes", "Client", "Entrepôt")
    paris.say("Ventes", dialog, "x")
    world.run(10)
    [row] = lyon.receive("Stock", "Entrepôt")
    paris.end("Ventes", dialog, with_cleanup=True)
    lyon.say("Stock", row.conversation_handle, "toujours là ?")
    world.run(10)
    [error] = lyon.receive("Stock", "Entrepôt")
    assert "-8462" in error.message_body.decode("utf-16")
    assert all(message.security for message in world.wire)


def test_an_acknowledgement_that_leaves_does_not_clear_why_the_reply_waits(world, paris, lyon):
    dialog = paris.begin("Ventes", "Client", "Entrepôt")
    paris.say("Ventes", dialog, "x")
    world.run(0.2)
    [row] = lyon.receive("Stock", "Entrepôt")
    lyon.define(CertificateDropped(database="Stock", name="Magasinier"))
    lyon.say("Stock", row.conversation_handle, "réponse")
    world.run(3)
    assert paris.view("Ventes").transmission_queue_total == 0
    assert lyon.statuses("Stock") == {9728}
