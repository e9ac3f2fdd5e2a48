"""Secure dialogs of databases that are backed up, restored, attached, switched over (identity.md 4, protocol.md 9)."""

import pytest

from engine.core.catalog.backup import AttachOption
from engine.core.catalog.changes import BrokerSwitched, RouteAltered
from engine.core.catalog.route import LocalAddress
from engine.core.catalog.security_changes import (
    CertificateDropped,
    MasterKeyAltered,
    RemoteServiceBindingCreated,
    RemoteServiceBindingDropped,
)
from engine.core.exchange.events import MessageUndeliverable
from engine.core.exchange.replies import DatabaseAttached
from engine.core.vocabulary.dialog_security import SecurityKind
from engine.core.vocabulary.rows import ConversationState, put_together
from engine.storage.sqlite import SqliteStore
from tests.support.backups import attach, backup, detach, restore
from tests.support.certificates import OTHER_VAULT, VAULT
from tests.support.secure_world import bodies, security_of
from tests.support.world import route


def begun(paris, body="one"):
    dialog = paris.begin("Ventes", "Client", "Entrepôt", encryption=True)
    paris.say("Ventes", dialog, body)
    return dialog


def there(lyon, database="Stock"):
    [row] = lyon.view(database).conversation_endpoints
    return row.conversation_handle


def refused(node):
    """Numbers of what was not taken in; a copy of what is there already says nothing here."""
    return {event.number for event in node.told(MessageUndeliverable)} - {11218}


def test_a_backup_has_users_keys_certificates_bindings_and_what_endpoints_know(world, paris, lyon, tmp_path):
    dialog = begun(paris)
    world.run(2)
    taken = backup(paris, "Ventes")
    paris.end("Ventes", dialog, with_cleanup=True)
    paris.define(CertificateDropped(database="Ventes", name="Vendeur"))
    stored = []
    commit = paris.store.commit
    paris.store.commit = lambda batch, events: (stored.extend(batch), commit(batch, events))[1]
    assert isinstance(restore(paris, "Ventes", taken), DatabaseAttached)
    assert paris.instance.catalog.databases["Ventes"] == taken.definition
    [row] = taken.rows.endpoints
    assert (row.is_encryption_wanted, row.security.kind) == (True, SecurityKind.FULL)
    assert security_of(paris, "Ventes", dialog) == row.security
    store = SqliteStore(tmp_path / "paris.db", "PARIS")
    store.commit(stored, [])
    assert {rows.name: rows for rows in put_together(store.load().databases)}["Ventes"].endpoints == [row]
    store.close()


def test_a_secure_dialog_goes_on_after_a_restore_and_a_restart(world, paris, lyon):
    dialog = begun(paris)
    world.run(2)
    restore(lyon, "Stock", backup(lyon, "Stock"))
    paris.say("Ventes", dialog, "two")
    world.run(80)
    lyon.kill()
    lyon.start()
    lyon.say("Stock", there(lyon), "réponse")
    paris.say("Ventes", dialog, "three")
    world.run(80)
    assert bodies(lyon, "Stock", "Entrepôt") == [b"one", b"two", b"three"]
    assert bodies(paris, "Ventes", "Client") == ["réponse".encode()]
    assert refused(paris) | refused(lyon) == set()


def test_a_dialog_that_an_older_backup_does_not_know_begins_again_as_secure_as_it_was(world, paris, lyon):
    """Message 0 comes again with its header, although the key of the lost conversation is still in memory."""
    taken = backup(lyon, "Stock")
    world.tamper = lambda message: message if message.from_initiator else None
    dialog = begun(paris)
    world.run(2)
    before = security_of(lyon, "Stock", there(lyon))
    restore(lyon, "Stock", taken)
    world.tamper = lambda message: message
    world.run(20)
    after = security_of(lyon, "Stock", there(lyon))
    assert (after.kind, after.principal, after.far_principal) == (before.kind, before.principal, before.far_principal)
    lyon.say("Stock", there(lyon), "réponse")
    paris.say("Ventes", dialog, "two")
    world.run(20)
    assert bodies(lyon, "Stock", "Entrepôt") == [b"one", b"two"]
    assert bodies(paris, "Ventes", "Client") == ["réponse".encode()]
    assert all(message.security for message in world.wire)


def test_a_dialog_goes_on_in_the_copy_that_is_switched_on(world, paris, lyon):
    """Two databases of one instance have the conversation: whoever sends does so under its own keys."""
    dialog = begun(paris)
    world.run(2)
    attach(lyon, "Copie", backup(lyon, "Stock"))
    lyon.define(BrokerSwitched(database="Stock", is_enabled=False))
    lyon.define(BrokerSwitched(database="Copie", is_enabled=True))
    lyon.say("Copie", there(lyon, "Copie"), "réponse")
    paris.say("Ventes", dialog, "two")
    world.run(80)
    assert bodies(lyon, "Copie", "Entrepôt") == [b"one", b"two"]
    assert bodies(paris, "Ventes", "Client") == ["réponse".encode()]
    assert lyon.view("Stock").transmission_queue_total == lyon.view("Copie").transmission_queue_total == 0


def test_what_comes_for_a_database_that_is_out_of_reach_is_not_opened(world, paris, lyon):
    dialog = begun(paris)
    world.run(2)
    lyon.define(
        BrokerSwitched(database="Stock", is_enabled=False),
        MasterKeyAltered(database="Stock", is_encrypted_by_server=False),
    )
    paris.say("Ventes", dialog, "two")
    world.run(2)
    assert refused(lyon) == {28013}
    lyon.define(
        BrokerSwitched(database="Stock", is_enabled=True),
        MasterKeyAltered(database="Stock", is_encrypted_by_server=True),
    )
    world.run(80)
    assert bodies(lyon, "Stock", "Entrepôt") == [b"one", b"two"]


def test_a_conversation_of_a_database_that_is_switched_off_is_not_opened_for_its_older_copy(world, paris, lyon):
    """The copy takes what is addressed to the id, but the conversation is in the database that is off."""
    taken = backup(lyon, "Stock")
    dialog = begun(paris)
    world.run(5)
    lyon.define(BrokerSwitched(database="Stock", is_enabled=False))
    attach(lyon, "Copie", taken)
    paris.say("Ventes", dialog, "two")
    world.run(5)
    assert refused(lyon) == {28013}
    assert lyon.view("Copie").conversation_endpoints_total == 0
    lyon.define(BrokerSwitched(database="Copie", is_enabled=False))
    lyon.define(BrokerSwitched(database="Stock", is_enabled=True))
    world.run(80)
    assert bodies(lyon, "Stock", "Entrepôt") == [b"one", b"two"]


@pytest.mark.parametrize("kept", [True, False])
def test_error_broker_conversations_tells_the_peer_under_the_key_of_the_dialog(world, paris, lyon, kept):
    """At once, or, when that is lost, as soon as the peer talks again."""
    dialog = begun(paris)
    world.run(2)
    world.wire.clear()
    if not kept:
        world.tamper = lambda message: None
    restore(lyon, "Stock", backup(lyon, "Stock"), option=AttachOption.ERROR_BROKER_CONVERSATIONS)
    world.run(2)
    world.tamper = lambda message: message
    if not kept:
        paris.say("Ventes", dialog, "two")
        world.run(10)
    [error] = paris.receive("Ventes", "Client")
    assert "-9720" in error.message_body.decode("utf-16")
    assert world.wire
    assert all(message.security and b"9720" not in (message.body or b"") for message in world.wire)


def test_new_broker_ends_secure_dialogs_silently_for_the_peer(world, paris, lyon):
    begun(paris)
    world.run(2)
    world.wire.clear()
    restore(lyon, "Stock", backup(lyon, "Stock"), option=AttachOption.NEW_BROKER)
    world.run(2)
    assert world.wire == []
    assert [view.state for view in lyon.view("Stock").conversation_endpoints] == [ConversationState.ERROR]


def test_a_database_that_comes_to_another_deployment_waits_for_its_master_key(world, paris, lyon):
    """Its master key is under another service key: what goes out waits with 28054, what comes in is dropped with it."""
    dialog = begun(paris)
    world.run(2)
    taken = detach(lyon, "Stock").backup
    lyon.kill()
    world.vault = OTHER_VAULT
    lyon.start()
    attach(lyon, "Stock", taken)
    handle = there(lyon)
    lyon.say("Stock", handle, "réponse")
    paris.say("Ventes", dialog, "two")
    world.run(80)
    assert lyon.statuses("Stock") == {28054}
    assert 28054 in refused(lyon)
    assert bodies(lyon, "Stock", "Entrepôt") == [b"one"]


def test_a_database_that_was_dropped_leaves_no_key_exchange_key_behind(world, paris, lyon):
    begun(paris)
    world.run(2)
    taken = detach(paris, "Ventes").backup
    attach(paris, "Ventes", taken)
    begun(paris, "two")
    world.run(80)
    headers = [message.security.header for message in world.wire if message.from_initiator and message.sequence == 0]
    assert len({header.key_exchange_key for header in headers}) == 2
    assert {header.recipient for header in headers} == {headers[0].recipient}


# ── from one instance to two (protocol.md 9.1) ───────────────────────────────────────────────────────────────────────
def together(world, paris, lyon):
    """LYON's database is with PARIS for now, where its messages need no network."""
    attach(paris, "Stock", detach(lyon, "Stock").backup)
    for database, service, host in (("Ventes", "Entrepôt", "lyon"), ("Stock", "Client", "paris")):
        paris.define(RouteAltered(database=database, name=f"to {service} by {host}", address=LocalAddress()))


def apart(paris, lyon, mover):
    """One of the two databases moves to LYON, and both learn where the other one is."""
    attach(lyon, mover, detach(paris, mover).backup)
    home = {"Ventes": paris, "Stock": paris} | {mover: lyon}
    for database, service, host, far in (
        ("Ventes", "Entrepôt", "lyon", "Stock"),
        ("Stock", "Client", "paris", "Ventes"),
    ):
        address = route(service, home[far].name.lower()).address
        home[database].define(RouteAltered(database=database, name=f"to {service} by {host}", address=address))
    return home["Ventes"], home["Stock"]


@pytest.mark.parametrize("mover", ["Ventes", "Stock"])
@pytest.mark.parametrize("speaks_first", ["initiator", "target"])
def test_9_1_a_secure_dialog_that_began_within_one_instance_survives_a_move(world, paris, lyon, mover, speaks_first):
    together(world, paris, lyon)
    dialog = begun(paris)
    handle = there(paris)
    paris.say("Stock", handle, "un")
    assert bodies(paris, "Stock", "Entrepôt") == [b"one"]
    assert world.wire == []
    client, store = apart(paris, lyon, mover)
    if speaks_first == "initiator":
        client.say("Ventes", dialog, "two")
        world.run(20)
    store.say("Stock", handle, "deux" * 50)
    world.run(20)
    if speaks_first == "target":
        client.say("Ventes", dialog, "two")
        world.run(80)
    assert bodies(store, "Stock", "Entrepôt") == [b"two"]
    assert bodies(client, "Ventes", "Client") == [b"un", b"deux" * 50]
    assert refused(client) | refused(store) == set()
    assert all(message.security for message in world.wire)
    assert not any(b"deux" in (message.body or b"") or message.body == b"two" for message in world.wire)


def test_9_1_both_ends_keep_the_key_under_their_own_master_key_and_nothing_else_is_kept(world, paris, lyon):
    together(world, paris, lyon)
    dialog = begun(paris)
    ours, theirs = security_of(paris, "Ventes", dialog), security_of(paris, "Stock", there(paris))
    assert ours.outbound.identifier == ours.inbound.identifier == theirs.outbound.identifier
    assert (ours.header, theirs.header, ours.kind) == (None, None, SecurityKind.ANONYMOUS)
    assert ours.outbound.sealed != theirs.outbound.sealed


def test_9_1_what_began_in_clear_goes_on_in_clear_though_a_binding_came_later(world, paris, lyon):
    """How a dialog is secured is settled when it begins: its target knows no key, and 11231 would drop one."""
    binding = paris.instance.catalog.databases["Ventes"].remote_service_bindings["to Entrepôt"]
    paris.define(RemoteServiceBindingDropped(database="Ventes", name="to Entrepôt"))
    together(world, paris, lyon)
    dialog = paris.begin("Ventes", "Client", "Entrepôt", encryption=False)
    paris.say("Ventes", dialog, "one")
    handle = there(paris)
    paris.define(RemoteServiceBindingCreated(database="Ventes", binding=binding))
    client, store = apart(paris, lyon, "Stock")
    client.say("Ventes", dialog, "two")
    world.run(20)
    store.say("Stock", handle, "deux")
    world.run(20)
    assert bodies(store, "Stock", "Entrepôt") == [b"one", b"two"]
    assert bodies(client, "Ventes", "Client") == [b"deux"]
    assert refused(client) | refused(store) == set()


def test_9_3_a_secure_dialog_within_one_instance_waits_while_a_master_key_cannot_be_opened(world, paris, lyon):
    """28054, before the first message is taken: afterwards there would be no key for the day of the move."""
    together(world, paris, lyon)
    world.vault = OTHER_VAULT
    paris.kill()
    paris.start()
    dialog = begun(paris)
    assert paris.statuses("Ventes") == {28054}
    assert paris.view("Stock").conversation_endpoints_total == 0
    world.vault = VAULT
    paris.kill()
    paris.start()
    world.run(20)
    assert bodies(paris, "Stock", "Entrepôt") == [b"one"]
    assert security_of(paris, "Ventes", dialog) is not None
