"""Keys: what was protected opens again, everything else does not, and nothing shows a key."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core.vocabulary.dialog_security import KeySuite, SealedKey
from engine.core.vocabulary.keys import Protected
from engine.security import symmetric
from engine.security.vault import OPENED_KEYS_MAX, Vault
from tests.support.certificates import EPOCH, OTHER_VAULT, VAULT, certificate, master_key

SUITES = pytest.mark.parametrize("suite", list(KeySuite))


@SUITES
@given(header=st.binary(max_size=64), body=st.binary(max_size=100))
def test_what_was_protected_opens_again_and_looks_different_each_time(suite, header, body):
    key = VAULT.new_session_key(suite)
    first, second = key.protect(header, body), key.protect(header, body)
    assert key.open(header, first) == key.open(header, second) == body
    assert first != second
    assert key.suite is suite


@SUITES
@given(data=st.data())
def test_any_flipped_bit_is_noticed(suite, data):
    key = VAULT.new_session_key(suite)
    protected = key.protect(b"header", b"a body of some length")
    part = data.draw(st.sampled_from(("salt", "mic", "body", "header")))
    header = b"header"
    parts = {"salt": protected.salt, "mic": protected.mic, "body": protected.body}
    altered = bytearray(header if part == "header" else parts[part])
    altered[data.draw(st.integers(0, len(altered) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    if part == "header":
        header = bytes(altered)
    else:
        parts[part] = bytes(altered)
    assert key.open(header, Protected(**parts)) is None


@SUITES
@given(salt=st.binary(max_size=20), mic=st.binary(max_size=20), body=st.binary(max_size=40))
def test_rubbish_is_none_and_no_exception(suite, salt, mic, body):
    assert VAULT.new_session_key(suite).open(b"", Protected(salt, mic, body)) is None


@SUITES
def test_another_key_opens_nothing(suite):
    protected = VAULT.new_session_key(suite).protect(b"h", b"body")
    assert VAULT.new_session_key(suite).open(b"h", protected) is None


def test_header_and_body_are_not_one_text():
    """What ends the header does not begin the body."""
    key = VAULT.new_session_key(KeySuite.MD5)
    assert key.open(b"ab", key.protect(b"a", b"bc")) is None


@SUITES
def test_a_session_key_is_stored_under_the_master_key_of_one_server(suite):
    key = VAULT.new_session_key(suite)
    sealed = VAULT.seal(master_key(), key)
    again = VAULT.unseal(master_key(), suite, sealed)
    assert again.open(b"h", key.protect(b"h", b"body")) == b"body"
    assert symmetric.material_of(key) not in sealed.sealed
    assert OTHER_VAULT.unseal(master_key(), suite, sealed) is None
    assert VAULT.unseal(VAULT.new_master_key(), suite, sealed) is None
    assert VAULT.unseal(master_key(), suite, SealedKey(b"x")) is None
    assert OTHER_VAULT.seal(master_key(), key) is None


def test_a_key_of_one_suite_is_none_of_the_other():
    sealed = VAULT.seal(master_key(), VAULT.new_session_key(KeySuite.MD5))
    assert VAULT.unseal(master_key(), KeySuite.AES_256_GCM, sealed) is None


def test_one_kind_of_key_does_not_pass_for_another():
    """A private key is no session key, a master key no private key."""
    private_key = certificate("Vendeur", "Vendeur").private_key
    assert VAULT.unseal(master_key(), KeySuite.MD5, private_key) is None
    assert VAULT.sign(master_key(), VAULT.seal(master_key(), VAULT.new_session_key(KeySuite.MD5)), b"x") is None
    assert not VAULT.can_open(private_key)
    assert VAULT.can_open(master_key())


def test_a_key_exchange_key_opens_for_its_certificate_alone():
    own, other = certificate("Vendeur", "Vendeur"), certificate("Magasinier", "Magasinier")
    exchange = VAULT.new_key_exchange_key(own.certificate)
    key = VAULT.new_session_key(KeySuite.AES_256_GCM)
    wrapped = exchange.wrap(key)
    opened = VAULT.open_key_exchange_key(master_key(), own.private_key, exchange.wrapped)
    there = opened.unwrap(KeySuite.AES_256_GCM, wrapped)
    assert there.open(b"h", key.protect(b"h", b"body")) == b"body"
    assert opened.unwrap(KeySuite.MD5, wrapped) is None
    assert opened.unwrap(KeySuite.AES_256_GCM, wrapped[:-1] + bytes([wrapped[-1] ^ 1])) is None
    assert VAULT.open_key_exchange_key(master_key(), other.private_key, exchange.wrapped) is None
    assert VAULT.open_key_exchange_key(master_key(), own.private_key, b"short") is None


def test_a_signature_is_that_of_one_key_over_one_content():
    own, other = certificate("Vendeur", "Vendeur"), certificate("Magasinier", "Magasinier")
    signature = VAULT.sign(master_key(), own.private_key, b"content")
    assert VAULT.is_signed(own.certificate, b"content", signature)
    assert not VAULT.is_signed(own.certificate, b"other", signature)
    assert not VAULT.is_signed(other.certificate, b"content", signature)
    assert not VAULT.is_signed(b"rubbish", b"content", signature)


def test_a_certificate_says_what_was_asked_for():
    facts, _ = VAULT.new_certificate(master_key(), "Élan, Émile", EPOCH, EPOCH + 60)
    assert (facts.starts_at, facts.expires_at, facts.key_bits) == (EPOCH, EPOCH + 60, 2048)
    assert "Élan" in facts.subject
    assert VAULT.read_certificate(facts.certificate) == facts
    assert VAULT.read_certificate(b"rubbish") is None
    assert VAULT.new_key_exchange_key(b"rubbish") is None


def test_only_the_server_that_protects_a_master_key_makes_certificates_under_it():
    assert OTHER_VAULT.new_certificate(master_key(), "x", EPOCH, EPOCH + 60) is None


def test_a_service_key_has_32_bytes():
    with pytest.raises(ValueError, match="32 bytes"):
        Vault(b"short")


def test_the_vault_keeps_a_bounded_number_of_opened_keys():
    vault = Vault(bytes(32))
    masters = [vault.new_master_key() for _ in range(OPENED_KEYS_MAX + 10)]
    assert all(vault.can_open(master) for master in masters)
    assert len(vault._masters) == OPENED_KEYS_MAX
    assert vault.can_open(masters[0]), "one that was closed is opened again"


def test_nothing_shows_its_key_when_it_is_printed():
    key = VAULT.new_session_key(KeySuite.MD5)
    own = certificate("Vendeur", "Vendeur")
    shown = "".join(map(repr, (VAULT, key, own, master_key(), VAULT.new_key_exchange_key(own.certificate))))
    for secret in (bytes(range(32)), symmetric.material_of(key), own.private_key.sealed, master_key().sealed):
        assert repr(secret)[2:-1] not in shown
        assert secret.hex() not in shown


@pytest.mark.parametrize("suite", KeySuite)
@given(header=st.binary(max_size=20), body=st.binary(max_size=40), other=st.binary(max_size=40))
def test_what_is_protected_alike_is_the_same_each_time_and_opens_as_usual(suite, header, body, other):
    key, elsewhere = VAULT.new_session_key(suite), VAULT.new_session_key(suite)
    protected = key.protect_alike(header, body)
    assert protected == key.protect_alike(header, body)
    assert key.open(header, protected) == body
    assert protected.salt != elsewhere.protect_alike(header, body).salt
    if other != body:
        assert protected.salt != key.protect_alike(header, other).salt
        assert protected.salt != key.protect_alike(header + b"x", body).salt
