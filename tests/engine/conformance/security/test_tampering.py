"""What somebody between the two brokers may try, and what comes of it (protocol.md 3.7, 9.3)."""

import msgspec
import pytest

from engine.core.catalog.security_changes import CertificateCreated, CertificateDropped
from engine.core.exchange.events import ConversationAudited, MessageCorrupted, MessageUndeliverable
from engine.core.vocabulary.dialog_security import KeySuite
from engine.core.vocabulary.messages import ForwardedMessage
from engine.core.vocabulary.subclasses import AuditFailure
from tests.support.certificates import certificate, initiator, target
from tests.support.secure_world import SecureWorld, bodies


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


def broken(message, **fields):
    return msgspec.structs.replace(message, security=msgspec.structs.replace(message.security, **fields))


ALTERATIONS = {
    "body": lambda m: msgspec.structs.replace(m, body=bytes([m.body[0] ^ 1]) + m.body[1:]),
    "body's end": lambda m: msgspec.structs.replace(m, body=m.body[:-1] + bytes([m.body[-1] ^ 1])),
    "shorter body": lambda m: msgspec.structs.replace(m, body=m.body[:-16]),
    "no body": lambda m: msgspec.structs.replace(m, body=None),
    "sequence": lambda m: msgspec.structs.replace(m, sequence=m.sequence + 1),
    "message type": lambda m: msgspec.structs.replace(m, message_type="Autre"),
    "contract": lambda m: msgspec.structs.replace(m, contract="Autre"),
    "lifetime": lambda m: msgspec.structs.replace(m, expires_at=m.expires_at + 1),
    "kind": lambda m: msgspec.structs.replace(m, kind="end-dialog", message_type=None),
    "flag": lambda m: msgspec.structs.replace(m, first_acknowledged=not m.first_acknowledged),
    "mic": lambda m: broken(m, mic=bytes(16)),
    "short mic": lambda m: broken(m, mic=b""),
    "salt": lambda m: broken(m, salt=bytes(len(m.security.salt))),
    "short salt": lambda m: broken(m, salt=b"x"),
}


@pytest.mark.parametrize("part", ALTERATIONS)
def test_3_7_a_corrupted_message_is_dropped_without_acknowledgement_and_told(world, paris, lyon, part):
    dialog = started(paris, "one")
    world.run(2)
    altered = []

    def tamper(message):
        if message.from_initiator and message.sequence == 1 and not altered:
            altered.append(message)
            return ALTERATIONS[part](message)
        return message

    world.tamper = tamper
    paris.say("Ventes", dialog, "two")
    world.run(3)
    assert corrupted(lyon) == [28062]
    assert paris.view("Ventes").transmission_queue_total == 1, "no acknowledgement"
    assert bodies(lyon, "Stock", "Entrepôt") == [b"one"]
    world.run(5)
    assert bodies(lyon, "Stock", "Entrepôt") == [b"two"], "the sender's own retry"
    assert paris.view("Ventes").transmission_queue_total == 0


def test_3_7_the_priority_is_no_part_of_it_forwarders_set_their_own(world, paris, lyon):
    world.tamper = lambda message: msgspec.structs.replace(message, priority=9)
    started(paris)
    world.run(2)
    assert bodies(lyon, "Stock", "Entrepôt") == [b"x"]


def test_9_3_a_forged_signature_is_an_invalid_signature(world, paris, lyon):
    def tamper(message):
        if not message.security or message.security.header is None:
            return message
        header = msgspec.structs.replace(message.security.header, signature=bytes(256))
        return broken(message, header=header)

    world.tamper = tamper
    started(paris)
    world.run(3)
    assert audits(lyon) == {(AuditFailure.INVALID_SIGNATURE, 28066)}
    assert corrupted(lyon) == [28066]
    assert bodies(lyon, "Stock", "Entrepôt") == []


def test_9_3_a_header_of_one_dialog_serves_no_other(world, paris, lyon):
    """The signature names the conversation: somebody on the way cannot begin a dialog of his own with it."""
    started(paris)
    world.run(2)
    [first] = [message for message in world.wire if message.sequence == 0 and message.from_initiator]
    forged = msgspec.structs.replace(first, conversation_id=world.entropy.new_uuid())
    lyon.feed(ForwardedMessage(message=forged, hops_remaining=1, time_to_live=60.0))
    assert audits(lyon) == {(AuditFailure.INVALID_SIGNATURE, 28066)}
    assert lyon.view("Stock").conversation_endpoints_total == 1


def test_9_3_a_first_message_without_header_is_told_as_such(world, paris, lyon):
    world.tamper = lambda message: broken(message, header=None) if message.security else message
    started(paris)
    world.run(2)
    assert audits(lyon) == {(AuditFailure.NO_SECURITY_HEADER, 11230)}


def test_9_3_11232_a_message_in_clear_on_a_secured_dialog(world, paris, lyon):
    dialog = started(paris, "one")
    world.run(2)
    world.tamper = lambda message: msgspec.structs.replace(message, security=msgspec.UNSET, body=b"forged")
    paris.say("Ventes", dialog, "two")
    world.run(1)
    assert numbers(lyon) == [11232]
    assert bodies(lyon, "Stock", "Entrepôt") == [b"one"]


def test_9_3_11231_a_secured_message_on_a_dialog_in_clear(world, lyon):
    paris = world.paris()
    dialog = started(paris, "one")
    world.run(2)
    secured = SecureWorld(suite=KeySuite.MD5)
    other = secured.paris(initiator())
    secured.lyon(target())
    started(other)
    secured.run(2)
    world.tamper = lambda message: msgspec.structs.replace(message, security=secured.wire[0].security)
    paris.say("Ventes", dialog, "two")
    world.run(1)
    assert numbers(lyon) == [11231]


def test_9_3_11233_another_session_key_than_the_one_of_the_dialog(world, paris, lyon):
    dialog = started(paris, "one")
    world.run(2)
    world.tamper = lambda message: (
        broken(message, session_key_id=world.entropy.new_uuid()) if message.security else message
    )
    paris.say("Ventes", dialog, "two")
    world.run(1)
    assert numbers(lyon) == [11233]


def test_9_2_only_the_user_of_the_binding_can_answer(world, paris, lyon):
    """The target signs with a certificate that the initiator knows, but as that of another user."""
    started(paris)
    world.run(2)
    [row] = lyon.receive("Stock", "Entrepôt")
    own = certificate("Magasinier", "Vendeur", is_private=False)
    paris.define(
        CertificateDropped(database="Ventes", name="Magasinier"), CertificateCreated(database="Ventes", certificate=own)
    )
    lyon.say("Stock", row.conversation_handle, "réponse")
    world.run(2)
    assert numbers(paris) == [11229]
    assert bodies(paris, "Ventes", "Client") == []
