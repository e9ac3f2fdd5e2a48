"""`Vault`: the keys of a server. One key seals the master keys of its databases, those seal everything else.

    service key ──▶ master key of a database ──▶ private keys of its certificates, session keys of its dialogs

What the vault has opened it keeps in memory, as objects; nothing it answers shows a key.
"""

from __future__ import annotations

import hashlib
import hmac
import os
from collections import OrderedDict
from typing import Final

from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

from engine.core.vocabulary.dialog_security import KeySuite, SealedKey
from engine.core.vocabulary.identifiers import EstateName
from engine.core.vocabulary.keys import CertificateFacts, KeyExchangeKey, SessionKey
from engine.core.vocabulary.moment import UtcTime
from engine.security import certificates, symmetric

OPENED_KEYS_MAX: Final = 1024
"""Opened master and private keys kept at once: opening one again costs a fraction of a millisecond."""

_VOUCHING: Final = b"adjacent broker login, instances of estate "
_MASTER, _PRIVATE, _SESSION, _EXCHANGE = b"master key", b"private key", b"session key", b"exchanged session key"
_FILE: Final = b"private key in a file"
PASSWORD_ROUNDS: Final = 100_000


class ExchangeKey:
    """A key-exchange key, in clear in this object only."""

    def __init__(self, material: bytes, wrapped: bytes) -> None:
        self._material = material
        self.wrapped: Final = wrapped

    def wrap(self, key: SessionKey) -> bytes:
        """A session key under this key."""
        return symmetric.seal(self._material, symmetric.material_of(key), _EXCHANGE)

    def unwrap(self, suite: KeySuite, wrapped: bytes) -> SessionKey | None:
        """The session key again."""
        material = symmetric.unseal(self._material, wrapped, _EXCHANGE)
        return None if material is None else symmetric.session_key(suite, material)


class HostVoucher:
    """`Voucher` under a key that all hosts of an estate have."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def vouch(self, said: bytes) -> bytes:
        """HMAC-SHA-256."""
        return hmac.digest(self._key, said, hashlib.sha256)

    def is_vouched(self, said: bytes, proof: bytes) -> bool:
        """Takes as long for a wrong proof as for the right one."""
        return hmac.compare_digest(self.vouch(said), proof)


class Vault:
    """`KeyVault` and `KeySmith` of one server or one deployment. `service_key` are 32 bytes (AES-256)."""

    def __init__(self, service_key: bytes) -> None:
        if len(service_key) != symmetric.SEALING_KEY_BYTES:
            raise ValueError(f"a service key has {symmetric.SEALING_KEY_BYTES} bytes, not {len(service_key)}")
        self._service_key = service_key
        self._masters: OrderedDict[bytes, bytes] = OrderedDict()
        self._private_keys: OrderedDict[bytes, RSAPrivateKey] = OrderedDict()

    def __repr__(self) -> str:
        return "Vault(…)"

    def voucher(self, estate: EstateName) -> HostVoucher:
        """Who vouches for the instances of an estate, under a key of its own that follows from the service key."""
        return HostVoucher(hmac.digest(self._service_key, _VOUCHING + estate.encode(), hashlib.sha256))

    # ── master keys ──────────────────────────────────────────────────────────────────────────────────────────────
    def new_master_key(self) -> SealedKey:
        """The master key of a database."""
        material = os.urandom(symmetric.SEALING_KEY_BYTES)
        return SealedKey(symmetric.seal(self._service_key, material, _MASTER))

    def can_open(self, master: SealedKey) -> bool:
        """Whether this server protects the master key."""
        return self._master(master) is not None

    def _master(self, master: SealedKey) -> bytes | None:
        found = self._masters.get(master.sealed)
        if found is None:
            found = symmetric.unseal(self._service_key, master.sealed, _MASTER)
            if found is not None:
                self._masters[master.sealed] = found
                _bound(self._masters)
        return found

    # ── session keys ─────────────────────────────────────────────────────────────────────────────────────────────
    def new_session_key(self, suite: KeySuite) -> SessionKey:
        """A session key from chance."""
        return symmetric.new_session_key(suite)

    def seal(self, master: SealedKey, key: SessionKey) -> SealedKey | None:
        """A session key for storage."""
        opened = self._master(master)
        if opened is None:
            return None
        return SealedKey(symmetric.seal(opened, symmetric.material_of(key), _SESSION))

    def unseal(self, master: SealedKey, suite: KeySuite, sealed: SealedKey) -> SessionKey | None:
        """A session key from storage."""
        opened = self._master(master)
        material = None if opened is None else symmetric.unseal(opened, sealed.sealed, _SESSION)
        return None if material is None else symmetric.session_key(suite, material)

    # ── certificates ─────────────────────────────────────────────────────────────────────────────────────────────
    def new_certificate(
        self, master: SealedKey, subject: str, starts_at: UtcTime, expires_at: UtcTime
    ) -> tuple[CertificateFacts, SealedKey] | None:
        """A self-signed certificate with its sealed private key."""
        opened = self._master(master)
        if opened is None:
            return None
        facts, private_key = certificates.new_certificate(subject, starts_at, expires_at)
        return facts, SealedKey(symmetric.seal(opened, private_key, _PRIVATE))

    def wrap_private_key(self, master: SealedKey, private_key: SealedKey, password: str) -> bytes | None:
        """A private key under the service key and a password: neither opens it alone."""
        opened = self._master(master)
        material = None if opened is None else symmetric.unseal(opened, private_key.sealed, _PRIVATE)
        return None if material is None else symmetric.seal(self._password_key(password), material, _FILE)

    def unwrap_private_key(
        self, master: SealedKey, wrapped: bytes, password: str, certificate: bytes
    ) -> SealedKey | None:
        """A private key from a file; None for a wrong password, and for the key of another certificate."""
        opened = self._master(master)
        material = symmetric.unseal(self._password_key(password), wrapped, _FILE)
        key = None if opened is None or material is None else certificates.private_key_from(material)
        public_key = certificates.public_key_of(certificate)
        if opened is None or material is None or key is None or public_key is None:
            return None
        if key.public_key().public_numbers() != public_key.public_numbers():
            return None
        return SealedKey(symmetric.seal(opened, material, _PRIVATE))

    def _password_key(self, password: str) -> bytes:
        salt = hmac.digest(self._service_key, _FILE, hashlib.sha256)
        return hashlib.pbkdf2_hmac("sha256", password.encode("utf-8", "surrogatepass"), salt, PASSWORD_ROUNDS)

    def read_certificate(self, certificate: bytes) -> CertificateFacts | None:
        """What a certificate says of itself."""
        return certificates.read_certificate(certificate)

    def new_key_exchange_key(self, certificate: bytes) -> KeyExchangeKey | None:
        """A key-exchange key that only the owner of the certificate can open."""
        public_key = certificates.public_key_of(certificate)
        material = os.urandom(symmetric.SEALING_KEY_BYTES)
        wrapped = None if public_key is None else certificates.encrypt(public_key, material)
        return None if wrapped is None else ExchangeKey(material, wrapped)

    def open_key_exchange_key(self, master: SealedKey, private_key: SealedKey, wrapped: bytes) -> KeyExchangeKey | None:
        """A key-exchange key that came over the network."""
        key = self._private_key(master, private_key)
        material = None if key is None else certificates.decrypt(key, wrapped)
        if material is None or len(material) != symmetric.SEALING_KEY_BYTES:
            return None
        return ExchangeKey(material, wrapped)

    def sign(self, master: SealedKey, private_key: SealedKey, content: bytes) -> bytes | None:
        """A signature by a private key."""
        key = self._private_key(master, private_key)
        return None if key is None else certificates.sign(key, content)

    def is_signed(self, certificate: bytes, content: bytes, signature: bytes) -> bool:
        """Whether the owner of the certificate has signed."""
        public_key = certificates.public_key_of(certificate)
        return public_key is not None and certificates.is_signed(public_key, content, signature)

    def _private_key(self, master: SealedKey, private_key: SealedKey) -> RSAPrivateKey | None:
        # Under the master key that is asked for: a key that was opened once does not outlive a new master key.
        name = master.sealed + private_key.sealed
        found = self._private_keys.get(name)
        if found is None and (opened := self._master(master)) is not None:
            clear = symmetric.unseal(opened, private_key.sealed, _PRIVATE)
            found = None if clear is None else certificates.private_key_from(clear)
            if found is not None:
                self._private_keys[name] = found
                _bound(self._private_keys)
        return found


def _bound(opened: OrderedDict[bytes, bytes] | OrderedDict[bytes, RSAPrivateKey]) -> None:
    while len(opened) > OPENED_KEYS_MAX:
        opened.popitem(last=False)
