"""Arithmetic with keys as a port: the core says which key protects what, and never sees one.

The vault that stands behind it (`engine.security`) takes chance from the operating system and holds what opens the
master keys of databases. Keys that were opened are objects that can be used and not be read.
"""

from __future__ import annotations

from typing import Protocol

import msgspec

from engine.core.vocabulary.dialog_security import CertificateReference, KeySuite, SealedKey
from engine.core.vocabulary.identifiers import EstateName
from engine.core.vocabulary.moment import UtcTime


class Protected(msgspec.Struct, frozen=True):
    """A body as it travels, encrypted, with what the receiver needs to open it."""

    salt: bytes
    mic: bytes
    body: bytes


class CertificateFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What a certificate says of itself."""

    certificate: bytes
    """X.509, DER."""
    subject: str
    reference: CertificateReference
    starts_at: UtcTime
    expires_at: UtcTime
    key_bits: int
    """Length of the public key."""


class SessionKey(Protocol):
    """A session key that can be used and not be read."""

    @property
    def suite(self) -> KeySuite:
        """How it protects."""
        ...

    def protect(self, header: bytes, body: bytes) -> Protected:
        """Encrypt `body` and make the integrity check of `header` and `body`; different each time."""
        ...

    def protect_alike(self, header: bytes, body: bytes) -> Protected:
        """As `protect`, but the same bytes each time: what travels in pieces must not change between two of them."""
        ...

    def open(self, header: bytes, protected: Protected) -> bytes | None:
        """The body in clear; None when body or header are not what was protected."""
        ...


class KeyExchangeKey(Protocol):
    """A key that protects session keys on their way to one certificate."""

    @property
    def wrapped(self) -> bytes:
        """The key encrypted by the public key of the certificate."""
        ...

    def wrap(self, key: SessionKey) -> bytes:
        """A session key, encrypted."""
        ...

    def unwrap(self, suite: KeySuite, wrapped: bytes) -> SessionKey | None:
        """The session key again; None when it was not wrapped by this key."""
        ...


class Voucher(Protocol):
    """Vouches for the instances of one estate: whoever has the service key can, and nobody else (protocol.md 7.3)."""

    def vouch(self, said: bytes) -> bytes:
        """Proof that an instance of the estate has said this: 32 bytes."""
        ...

    def is_vouched(self, said: bytes, proof: bytes) -> bool:
        """Whether `proof` is what `vouch` makes of it."""
        ...


class KeyVault(Protocol):
    """Opens and uses sealed keys; None always means that a key could not be opened or does not fit."""

    def voucher(self, estate: EstateName) -> Voucher:
        """Who vouches for the instances of an estate."""
        ...

    def can_open(self, master: SealedKey) -> bool:
        """Whether the master key of a database is one that this server protects."""
        ...

    def new_session_key(self, suite: KeySuite) -> SessionKey:
        """A session key that was never there before."""
        ...

    def seal(self, master: SealedKey, key: SessionKey) -> SealedKey | None:
        """A session key for storage."""
        ...

    def unseal(self, master: SealedKey, suite: KeySuite, sealed: SealedKey) -> SessionKey | None:
        """A session key from storage."""
        ...

    def new_key_exchange_key(self, certificate: bytes) -> KeyExchangeKey | None:
        """A key-exchange key for the owner of a certificate (DER)."""
        ...

    def open_key_exchange_key(self, master: SealedKey, private_key: SealedKey, wrapped: bytes) -> KeyExchangeKey | None:
        """A key-exchange key that was made for the certificate of `private_key`."""
        ...

    def sign(self, master: SealedKey, private_key: SealedKey, content: bytes) -> bytes | None:
        """A signature by a private key."""
        ...

    def is_signed(self, certificate: bytes, content: bytes, signature: bytes) -> bool:
        """Whether the private key of a certificate (DER) has signed `content`."""
        ...


class KeySmith(Protocol):
    """Makes what statements ask for: master keys and certificates. Private keys leave it sealed only."""

    def new_master_key(self) -> SealedKey:
        """The master key of a database, sealed by the key of the server."""
        ...

    def new_certificate(
        self, master: SealedKey, subject: str, starts_at: UtcTime, expires_at: UtcTime
    ) -> tuple[CertificateFacts, SealedKey] | None:
        """A self-signed certificate and its private key under `master`; None when `master` cannot be opened."""
        ...

    def wrap_private_key(self, master: SealedKey, private_key: SealedKey, password: str) -> bytes | None:
        """A private key for a file, under the server and a password; None when `master` does not open it."""
        ...

    def unwrap_private_key(
        self, master: SealedKey, wrapped: bytes, password: str, certificate: bytes
    ) -> SealedKey | None:
        """The private key of a certificate (DER) from a file, under `master`; None when the password does not open it,
        or it belongs to another certificate.
        """
        ...

    def read_certificate(self, certificate: bytes) -> CertificateFacts | None:
        """What a certificate (DER) says; None when the bytes are none, or its key is no RSA key."""
        ...
