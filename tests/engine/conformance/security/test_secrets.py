"""No private key and no session key leaves the vault: not in a view, an event, a log, a reply or on the wire."""

import base64
import logging

import msgspec

from engine.contracts.codec import json_encoder
from engine.core.exchange.commands import Receive
from engine.security import certificates, symmetric
from tests.support.certificates import VAULT, initiator, master_key, target
from tests.support.secure_world import SecureWorld


class ListeningVault:
    """The vault, and a note of every secret that it has had in clear or sealed."""

    def __init__(self):
        self.secrets = [VAULT._master(master_key()), VAULT._service_key, master_key().sealed]

    def __getattr__(self, name):
        return getattr(VAULT, name)

    def new_session_key(self, suite):
        key = VAULT.new_session_key(suite)
        self.secrets.append(symmetric.material_of(key))
        return key

    def new_key_exchange_key(self, certificate):
        key = VAULT.new_key_exchange_key(certificate)
        self.secrets.append(key._material)
        return key

    def seal(self, master, key):
        sealed = VAULT.seal(master, key)
        self.secrets.append(sealed.sealed)
        return sealed

    def sign(self, master, private_key, content):
        clear = symmetric.unseal(VAULT._master(master), private_key.sealed, b"private key")
        numbers = certificates.private_key_from(clear).private_numbers()
        self.secrets += [clear, private_key.sealed, numbers.d.to_bytes(256, "big"), numbers.p.to_bytes(128, "big")]
        return VAULT.sign(master, private_key, content)


def spellings(secret):
    """The ways in which bytes get into texts. A part is enough: whoever shows a half shows too much."""
    part = secret[:16]
    aligned = secret[: len(part) // 3 * 3]
    digits = part.hex().encode()
    return (part, digits, digits.upper(), base64.b64encode(aligned), repr(part)[2:-1].encode())


def test_no_key_is_shown_anywhere(caplog):
    caplog.set_level(logging.DEBUG)
    vault = ListeningVault()
    world = SecureWorld()
    world.vault = vault
    paris, lyon = world.paris(initiator()), world.lyon(target())
    dialog = paris.begin("Ventes", "Client", "Entrepôt", encryption=True)
    paris.say("Ventes", dialog, "question")
    world.run(2)
    received = lyon.do(Receive, database="Stock", queue="dbo.Entrepôt", top=10)
    lyon.say("Stock", received.messages[0].conversation_handle, "réponse")
    world.run(2)
    shown = [json_encoder.encode(received), caplog.text.encode()]
    for node in (paris, lyon):
        shown += [json_encoder.encode(event) for event in node.events]
        shown += [json_encoder.encode(node.instance.view(1000)), repr(node.instance.view(1000)).encode()]
        shown += [repr(node.events).encode(), repr(node.instance.catalog).encode()]
        shown += [repr(list(node.instance._broker.conversations.all_live())).encode()]
        shown += [repr([each.row for each in node.instance._broker.conversations.all_live()]).encode()]
        shown += [repr([each.session for each in node.instance._broker.conversations.all_live()]).encode()]
    shown += [msgspec.msgpack.encode(message) for message in world.wire]
    everything = b"\n".join(shown)
    assert len(vault.secrets) > 8
    assert len(everything) > 10_000
    found = [secret for secret in vault.secrets for text in spellings(secret) if text in everything]
    assert found == []


def test_the_search_would_find_a_key():
    secret = bytes(range(40, 80))
    for text in (secret, secret.hex().encode(), base64.b64encode(secret), repr(secret).encode()):
        assert any(spelling in text for spelling in spellings(secret))


def test_the_store_keeps_keys_sealed_only():
    """What a store writes down is no key in clear."""
    vault = ListeningVault()
    world = SecureWorld()
    world.vault = vault
    paris = world.paris(initiator())
    world.lyon(target())
    paris.say("Ventes", paris.begin("Ventes", "Client", "Entrepôt"), "x")
    world.run(2)
    state = paris.store.load()
    kept = msgspec.msgpack.encode([state.catalog, [rows.endpoints for rows in state.databases]])
    clear = [secret for secret in vault.secrets if secret in kept]
    sealed = [rows.security.outbound.sealed.sealed for rows in state.databases[-1].endpoints]
    assert len(sealed) == 1
    assert set(clear) <= {master_key().sealed, *sealed, *(each.private_key.sealed for each in _own(state))}


def _own(state):
    found = state.catalog.databases["Ventes"].certificates.values()
    return [each for each in found if each.private_key is not None]
