"""Secure dialogs over time: restarts, retries, rollover of keys and certificates, forwarders, ends (protocol.md 9)."""

import msgspec
import pytest

from engine.core.catalog.changes import RouteCreated
from engine.core.catalog.security_changes import CertificateAltered, RemoteServiceBindingAltered
from engine.core.exchange.events import ForwardedMessageSent, MessageCorrupted, MessageUndeliverable
from engine.core.vocabulary.dialog_security import KeySuite
from engine.core.vocabulary.messages import ForwardedMessage, MessageKind
from engine.core.vocabulary.rows import put_together
from tests.support.backups import attach, backup, detach, restore
from tests.support.certificates import certificate, certified, initiator, target
from tests.support.secure_world import SecureWorld, bodies, security_of
from tests.support.world import route

DAY = 86_400.0


def started(paris, body="x"):
    dialog = paris.begin("Ventes", "Client", "Entrepôt")
    paris.say("Ventes", dialog, body)
    return dialog


def first_headers(world, from_initiator=True):
    return [
        message.security.header
        for message in world.wire
        if message.from_initiator is from_initiator and message.sequence == 0
    ]


# ── forwarders ──
def test_7_4_forwarders_never_need_dialog_keys(world):
    """HUB passes a secured conversation on, both ways, without vault, master key, user or certificate."""
    paris = world.paris(initiator(), to="hub")
    lyon = world.lyon(target(), to="hub")
    passing = [
        RouteCreated(database="msdb", route=each) for each in (route("Entrepôt", "lyon"), route("Client", "paris"))
    ]
    world.vault = None
    hub = world.instance("HUB", passing, forwards=True)
    started(paris, "question")
    world.run(2)
    [row] = lyon.receive("Stock", "Entrepôt")
    lyon.say("Stock", row.conversation_handle, "réponse")
    world.run(2)
    assert (row.message_body, bodies(paris, "Ventes", "Client")) == (b"question", ["réponse".encode()])
    assert len(hub.told(ForwardedMessageSent)) == len(world.wire) >= 3
    for database in hub.instance.catalog.databases.values():
        kept = (
            database.master_key,
            dict(database.users),
            dict(database.certificates),
            dict(database.remote_service_bindings),
        )
        assert kept == (None, {}, {}, {})
    stored = put_together(hub.store.load().databases)
    assert [rows for rows in stored if rows.endpoints or rows.transmission or rows.queues] == []


def test_7_4_what_a_forwarder_changes_is_noticed_at_the_end(world):
    paris = world.paris(initiator(), to="hub")
    lyon = world.lyon(target(), to="hub")
    hub = world.instance("HUB", [RouteCreated(database="msdb", route=route("Entrepôt", "lyon"))], forwards=True)
    send = hub.send

    def alter(outbound):
        message = msgspec.structs.replace(outbound.message.message, contract="Autre")
        send(msgspec.structs.replace(outbound, message=msgspec.structs.replace(outbound.message, message=message)))

    hub.send = alter
    started(paris)
    world.run(2)
    assert [event.number for event in lyon.told(MessageCorrupted)] == [28062]


# ── restarts ──
@pytest.mark.parametrize("is_anonymous", [False, True])
def test_9_2_both_sides_go_on_after_a_restart_with_the_keys_they_stored(world, is_anonymous):
    paris, lyon = world.paris(initiator(is_anonymous=is_anonymous)), world.lyon(target())
    dialog = started(paris, "one")
    world.run(2)
    [row] = lyon.receive("Stock", "Entrepôt")
    lyon.say("Stock", row.conversation_handle, "1")
    world.run(2)
    for node in (paris, lyon):
        node.kill()
        node.start()
    world.run(20)
    paris.say("Ventes", dialog, "two")
    lyon.say("Stock", row.conversation_handle, "2")
    world.run(20)
    assert bodies(lyon, "Stock", "Entrepôt") == [b"two"]
    assert bodies(paris, "Ventes", "Client") == [b"1", b"2"]
    assert not paris.told(MessageUndeliverable) + lyon.told(MessageUndeliverable)


def test_9_2_a_restart_before_the_first_acknowledgement_keeps_key_and_header(world):
    """The far end may have the first copy already: the second must be the same dialog under the same key."""
    paris, lyon = world.paris(initiator()), world.lyon(target())
    world.tamper = lambda message: message if message.from_initiator else None
    dialog = started(paris)
    world.run(2)
    before = security_of(paris, "Ventes", dialog)
    paris.kill()
    world.run(1)
    world.tamper = lambda message: message
    paris.start()
    world.run(70)
    assert security_of(paris, "Ventes", dialog).outbound == before.outbound
    headers = first_headers(world)
    assert len(headers) > 1
    assert set(map(repr, headers)) == {repr(headers[0])}
    assert bodies(lyon, "Stock", "Entrepôt") == [b"x"]
    assert paris.view("Ventes").transmission_queue_total == 0


def test_9_2_the_header_is_forgotten_with_the_first_acknowledgement(world, paris, lyon):
    dialog = started(paris)
    assert security_of(paris, "Ventes", dialog).header is not None
    world.run(2)
    assert security_of(paris, "Ventes", dialog).header is None


# ── rollover ──
def test_9_2_of_several_certificates_the_one_that_expires_last_is_chosen(world, paris):
    newer = certificate("Vendeur 2", "Vendeur", ends=400 * DAY)
    lyon = world.lyon(
        target(), certified("Stock", certificate("Vendeur 2", "Acheteur", is_private=False, ends=400 * DAY))
    )
    started(paris)
    world.run(2)
    paris.define(*certified("Ventes", newer))
    started(paris, "y")
    world.run(2)
    assert [header.signer.serial for header in first_headers(world)] == [
        certificate("Vendeur", "Vendeur").reference.serial,
        newer.reference.serial,
    ]
    assert [bodies(lyon, "Stock", "Entrepôt") for _ in range(2)] == [[b"x"], [b"y"]]


def test_9_2_active_off_rolls_back_to_the_older_one_and_a_target_finds_it_active_or_not(world, paris, lyon):
    paris.define(
        *certified("Ventes", certificate("Vendeur 2", "Vendeur", ends=400 * DAY)),
        CertificateAltered(database="Ventes", name="Vendeur 2", is_active_for_begin_dialog=False),
    )
    lyon.define(
        CertificateAltered(database="Stock", name="Magasinier", is_active_for_begin_dialog=False),
        CertificateAltered(database="Stock", name="Vendeur", is_active_for_begin_dialog=False),
    )
    started(paris)
    world.run(2)
    assert [header.signer.serial for header in first_headers(world)] == [
        certificate("Vendeur", "Vendeur").reference.serial
    ]
    assert bodies(lyon, "Stock", "Entrepôt") == [b"x"]


def test_20_the_key_exchange_key_serves_three_hours_each_dialog_has_its_own_session_key(world, paris, lyon):
    for _ in range(2):
        started(paris)
        world.run(2)
    world.run(3 * 3600 - 10)
    started(paris)
    world.run(10)
    started(paris)
    world.run(2)
    exchange_keys = [header.key_exchange_key for header in first_headers(world)]
    assert exchange_keys[0] == exchange_keys[1] == exchange_keys[2] != exchange_keys[3]
    assert len({header.session_key for header in first_headers(world)}) == 4


def test_a_certificate_that_expires_under_way_does_not_end_the_dialog(world):
    """Only what begins is checked; a session key does not expire."""
    short = certificate("bref", "Fournisseur", is_private=False, ends=DAY)
    own = certificate("bref", "Magasinier", ends=DAY)
    paris = world.paris(initiator(), certified("Ventes", short))
    paris.define(CertificateAltered(database="Ventes", name="Magasinier", is_active_for_begin_dialog=False))
    lyon = world.lyon(target(), certified("Stock", own))
    dialog = started(paris, "one")
    world.run(2 * DAY)
    paris.say("Ventes", dialog, "two")
    world.run(5)
    assert bodies(lyon, "Stock", "Entrepôt") == [b"one", b"two"]
    started(paris, "three")
    assert paris.statuses("Ventes") == {28025}


def test_a_binding_that_becomes_anonymous_changes_new_dialogs_only(world, paris, lyon):
    old = started(paris)
    world.run(2)
    paris.define(RemoteServiceBindingAltered(database="Ventes", name="to Entrepôt", is_anonymous=True))
    new = started(paris, "y")
    world.run(2)
    assert [security_of(paris, "Ventes", dialog).kind.value for dialog in (old, new)] == ["full", "anonymous"]


# ── both suites at once, loss, ends ──
def test_a_receiver_understands_the_suite_that_a_message_names():
    """One side has been set to the other suite meanwhile."""
    world = SecureWorld(suite=KeySuite.MD5)
    paris = world.paris(initiator())
    dialog = msgspec.structs.replace(world.settings.dialog, key_suite=KeySuite.AES_256_GCM)
    world.settings = msgspec.structs.replace(world.settings, dialog=dialog)
    lyon = world.lyon(target())
    started(paris, "question")
    world.run(2)
    [row] = lyon.receive("Stock", "Entrepôt")
    lyon.say("Stock", row.conversation_handle, "réponse")
    world.run(2)
    assert bodies(paris, "Ventes", "Client") == ["réponse".encode()]
    suites = {message.from_initiator: message.security.suite for message in world.wire if message.is_sequenced}
    assert suites == {True: KeySuite.MD5, False: KeySuite.AES_256_GCM}


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("suite", list(KeySuite))
def test_exactly_once_in_order_with_loss_duplicates_and_reordering(seed, suite):
    world = SecureWorld(seed, 0.2, suite=suite, duplication=0.1, reorders=True)
    paris, lyon = world.paris(initiator(is_anonymous=seed % 2 == 0)), world.lyon(target())
    wanted = [b"%d" % number for number in range(30)]
    dialog = paris.begin("Ventes", "Client", "Entrepôt")
    for body in wanted:
        paris.say("Ventes", dialog, body)
    world.run(600)
    rows = lyon.receive("Stock", "Entrepôt")
    assert [row.message_body for row in rows] == wanted
    for body in wanted:
        lyon.say("Stock", rows[0].conversation_handle, body)
    lyon.end("Stock", rows[0].conversation_handle)
    world.run(600)
    received = paris.receive("Ventes", "Client")
    assert [row.message_body for row in received[:-1]] == wanted
    paris.end("Ventes", dialog)
    world.run(600)
    assert paris.view("Ventes").conversation_endpoints_total == 0
    assert {view.state.value for view in lyon.view("Stock").conversation_endpoints} == {"CD"}
    assert paris.view("Ventes").transmission_queue_total + lyon.view("Stock").transmission_queue_total == 0
    assert not paris.told(MessageCorrupted) + lyon.told(MessageCorrupted)


@pytest.mark.parametrize("is_anonymous", [False, True])
def test_8_2_row_30_whoever_is_gone_still_answers_under_the_key_of_the_dialog(world, is_anonymous):
    """The initiator has ended and is gone; what the target sends, without any header, is answered and believed."""
    paris, lyon = world.paris(initiator(is_anonymous=is_anonymous)), world.lyon(target())
    dialog = started(paris)
    world.run(2)
    [row] = lyon.receive("Stock", "Entrepôt")
    lyon.say("Stock", row.conversation_handle, "un")
    world.run(2)
    paris.end("Ventes", dialog, with_cleanup=True)
    lyon.say("Stock", row.conversation_handle, "toujours là ?")
    world.run(10)
    [error] = lyon.receive("Stock", "Entrepôt")
    assert "-8462" in error.message_body.decode("utf-16")


def killed(node):
    node.kill()
    node.start()


def killed_twice(node):
    """The second time without any use of the keys in between."""
    killed(node)
    killed(node)


def restored(node):
    restore(node, "Ventes", backup(node, "Ventes"))


def detached(node):
    attach(node, "Ventes", detach(node, "Ventes").backup)


@pytest.mark.parametrize("happens", [killed, killed_twice, restored, detached])
@pytest.mark.parametrize("is_anonymous", [False, True])
def test_9_2_keys_of_what_is_gone_outlive_the_process_and_move_with_the_database(world, happens, is_anonymous):
    """The receipt for the end was lost: without an answer the far side would repeat itself for years."""
    paris, lyon = world.paris(initiator(is_anonymous=is_anonymous)), world.lyon(target())
    dialog = started(paris)
    world.run(2)
    [row] = lyon.receive("Stock", "Entrepôt")
    world.tamper = lambda message: message if message.from_initiator else None
    lyon.end("Stock", row.conversation_handle)
    world.run(2)
    paris.end("Ventes", dialog, with_cleanup=True)
    happens(paris)
    world.tamper = lambda message: message
    assert lyon.view("Stock").transmission_queue_total == 1
    world.run(90)
    assert lyon.view("Stock").transmission_queue_total == 0
    assert not paris.told(MessageCorrupted) + lyon.told(MessageCorrupted)


def test_what_comes_in_clear_for_a_secured_conversation_that_is_gone_is_not_answered(world):
    """9.3: dialog secured, message not. An answer in clear could only be read by who has stripped the message."""
    paris, lyon = world.paris(initiator()), world.lyon(target())
    dialog = started(paris)
    world.run(2)
    [row] = lyon.receive("Stock", "Entrepôt")
    paris.end("Ventes", dialog, with_cleanup=True)
    world.tamper = lambda message: msgspec.structs.replace(message, security=msgspec.UNSET)
    lyon.say("Stock", row.conversation_handle, "toujours là ?")
    world.run(1)
    assert [event.number for event in paris.told(MessageUndeliverable)] == [11232]
    assert all(message.security for message in world.wire)


@pytest.mark.interpreted
def test_keys_of_the_last_conversations_are_kept_and_no_more(world, monkeypatch):
    monkeypatch.setattr("engine.core.dialog.departed.DEPARTED_SESSIONS_MAX", 2)
    paris = world.paris(initiator())
    world.lyon(target())
    ids = []
    for _ in range(4):
        dialog = started(paris)
        ids.append(paris.view("Ventes").conversation_endpoints[0].conversation_id)
        world.run(2)
        paris.end("Ventes", dialog, with_cleanup=True)
    [kept] = [rows.departed for rows in paris.store.load().databases if rows.name == "Ventes"]
    assert [session.conversation_id for session in kept] == ids[2:]


def test_8_6_a_second_copy_of_the_service_is_told_under_its_own_key(world, paris):
    """An early retry reaches another copy with the same certificate: it hears -8495 and believes it."""
    lyon = world.lyon(target())
    started(paris)
    held = []

    def tamper(message):
        if message.from_initiator and message.sequence == 0:
            held.append(message)
        return message

    world.tamper = tamper
    world.run(2)
    stock = world.database("Stock", ["Entrepôt"], route("Client", "paris"))
    nice = world.instance("NICE", stock, target())
    back = route("Entrepôt", "nice", broker_instance=nice.instance.catalog.databases["Stock"].broker_instance)
    paris.define(RouteCreated(database="Ventes", route=back))
    nice.feed(ForwardedMessage(message=held[0], hops_remaining=1, time_to_live=60.0))
    world.run(5)
    [row] = nice.receive("Stock", "Entrepôt")
    nice.say("Stock", row.conversation_handle, "moi aussi")
    world.run(10)
    rows = [row for row in nice.receive("Stock", "Entrepôt") if row.message_type_name.endswith("/Error")]
    assert ["-8495" in row.message_body.decode("utf-16") for row in rows] == [True]
    assert bodies(lyon, "Stock", "Entrepôt") == [b"x"]


@pytest.mark.parametrize("is_anonymous", [False, True])
@pytest.mark.parametrize("who", ["target", "initiator"])
def test_8_2_row_9_an_error_that_takes_message_0_away_brings_the_key_itself(world, who, is_anonymous):
    """END WITH ERROR deletes everything that was not acknowledged, message 0 with the security header among it."""
    paris, lyon = world.paris(initiator(is_anonymous=is_anonymous)), world.lyon(target())
    dialog = started(paris)
    world.run(2)
    [row] = lyon.receive("Stock", "Entrepôt")
    speaker, database, handle = (lyon, "Stock", row.conversation_handle) if who == "target" else (paris, "Ventes", None)
    lost = []
    world.tamper = lambda message: lost.append(message) if message.kind is MessageKind.USER else message
    if handle is None:
        handle = started(paris, "neu")
    else:
        lyon.say("Stock", handle, "réponse")
    world.run(1)
    assert lost, "message 0 of its direction never arrives"
    speaker.end(database, handle, error_code=7, error_description="assez")
    world.run(100)
    assert speaker.view(database).transmission_queue_total == 0, "the Error was read and acknowledged"
    if who == "target":
        [error] = paris.receive("Ventes", "Client")
        assert "<Code>7</Code>" in error.message_body.decode("utf-16")
        assert error.conversation_handle == dialog
