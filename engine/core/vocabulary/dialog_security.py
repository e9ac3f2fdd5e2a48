"""Dialog security as values: what travels with a secured message, and what an endpoint remembers (protocol.md 9).

A secured dialog has a session key for each direction, an anonymous one the same key for both. The key itself travels
once, in the security header of the first message of its direction: encrypted by a key-exchange key, which is encrypted
by the public key of the receiver's certificate. No value here holds a key in clear.
"""

from __future__ import annotations

from enum import StrEnum
from uuid import UUID

import msgspec


class SecurityKind(StrEnum):
    """How a dialog is secured on the network (protocol.md 9.1)."""

    NONE = "none"
    """In clear; the sender counts as `public` at the target."""
    ANONYMOUS = "anonymous"
    """Encrypted for the target; the sender counts as `public` there."""
    FULL = "full"
    """Encrypted for the target, signed by the owner of the initiating service, who counts as the mapped user there."""


class KeySuite(StrEnum):
    """How a session key protects a message: the integrity check and the encryption of the body."""

    MD5 = "md5"
    """As documented: an MD5 digest of the content, encrypted like the body with AES under a key of 128 bits."""
    AES_256_GCM = "aes-256-gcm"
    """AES-GCM under a key of 256 bits; the tag is the integrity check."""


class SealedKey(msgspec.Struct, frozen=True):
    """A key encrypted by another one that only a `KeyVault` can open. Does not show its bytes when printed."""

    sealed: bytes

    def __repr__(self) -> str:
        return "SealedKey(…)"


class CertificateReference(msgspec.Struct, frozen=True):
    """What names a certificate in every database that has it: who issued it, and its serial number in hexadecimal."""

    issuer: str
    serial: str


class DialogSecurityHeader(msgspec.Struct, frozen=True, kw_only=True):
    """The dialog security header; rides on the first message of each direction (protocol.md 9.2)."""

    recipient: CertificateReference
    """Whose private key opens the key-exchange key."""
    signer: CertificateReference | None = None
    """Whose private key has signed; None in an anonymous dialog."""
    key_exchange_key: bytes
    """Encrypted by the recipient's public key."""
    session_key: bytes
    """Encrypted by the key-exchange key."""
    signature: bytes = b""


class MessageSecurity(msgspec.Struct, frozen=True, kw_only=True):
    """What a secured message carries besides its content."""

    suite: KeySuite
    session_key_id: UUID
    salt: bytes
    """Chance that makes equal content look different each time it is sent."""
    mic: bytes
    """Message integrity check over everything that the broker at the other end reads."""
    header: DialogSecurityHeader | None = None

    @property
    def size(self) -> int:
        """Bytes of the parts whose length nobody has fixed; what is held back or passed on is counted with them."""
        size = len(self.salt) + len(self.mic)
        if self.header is not None:
            size += len(self.header.key_exchange_key) + len(self.header.session_key) + len(self.header.signature)
            for named in (self.header.recipient, self.header.signer):
                size += 0 if named is None else len(named.issuer) + len(named.serial)
        return size


class SessionKeyRow(msgspec.Struct, frozen=True):
    """A session key as an endpoint stores it: encrypted by the database master key."""

    identifier: UUID
    suite: KeySuite
    sealed: SealedKey


class DialogSecurity(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What an endpoint remembers of its dialog's security; decided once, before the first message leaves."""

    kind: SecurityKind
    principal: str = ""
    """The local user whose certificate stands for this side; empty where none does."""
    far_principal: str = ""
    """The local user whose certificate stands for the far side; empty where none does (`public`)."""
    own_certificate: CertificateReference | None = None
    far_certificate: CertificateReference | None = None
    outbound: SessionKeyRow | None = None
    inbound: SessionKeyRow | None = None
    header: DialogSecurityHeader | None = None
    """Of our first message, until that is acknowledged: every copy of the message carries it."""


UNSECURED = DialogSecurity(kind=SecurityKind.NONE)
"""A dialog of which was decided that it travels in clear."""
