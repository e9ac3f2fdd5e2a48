"""Keys of a connection, and the port behind which its cryptography lives.

The core knows which key is for what and in which order frames are counted; ciphers, TLS, certificates and chance come
in through `LinkSecurity`. An encrypted connection is a `Tunnel` of TLS 1.3; in a clear one each frame is signed. What
is agreed and who is believed is the handshake's in both: the levels and the accepting end's order of protocol.md 7.3
have no counterpart in TLS, and certificates are looked up by issuer and serial number, without chain or host name.
"""

from __future__ import annotations

import hashlib
import hmac
from typing import Final, Protocol

import msgspec

from engine.core.link.states import LinkRole
from engine.core.vocabulary.errors import RemoteProtocolError
from engine.core.vocabulary.identifiers import CertificateName, UserName
from engine.core.vocabulary.moment import UtcTime

ALTERED: Final = 28044
"""A frame is not the next one that the peer has sent on this connection."""

KEY_BYTES: Final = 32
TAG_BYTES: Final = 16
"""What protection adds to a payload."""
_NONCE_BYTES: Final = 12


class Cipher(Protocol):
    """AES-256-GCM under one key."""

    def seal(self, nonce: bytes, data: bytes, associated: bytes) -> bytes:
        """The encrypted data and its tag of 16 bytes; `associated` is covered by the tag and stays outside."""
        ...

    def open(self, nonce: bytes, sealed: bytes, associated: bytes) -> bytes:
        """The data; `ValueError` when anything was altered."""
        ...


class KeyShare(Protocol):
    """One end's half of a key agreement; made for one connection."""

    @property
    def public(self) -> bytes:
        """What the peer gets, 32 bytes."""
        ...

    def agree(self, public: bytes) -> bytes:
        """The secret that only both ends know; `ValueError` for a share that no honest peer makes."""
        ...


class Tunnel(Protocol):
    """One end of TLS 1.3, between the bytes of frames and those of the network; it ends with its first error."""

    def receive(self, data: bytes) -> bytes:
        """What `data` opens. `RemoteProtocolError` 28038 when the peer is not who it has said, 28027, 28044."""
        ...

    def send(self, data: bytes) -> bytes:
        """Bytes for the network: what TLS itself has to say, and `data` as soon as its handshake is over."""
        ...


class TunnelCredential(Protocol):
    """What one end of TLS shows; made for one connection."""

    @property
    def certificate(self) -> bytes:
        """What the peer is told before, as DER."""
        ...

    def tunnel(self, role: LinkRole, peer: bytes) -> Tunnel:
        """TLS with whoever has the certificate `peer`, and nobody else; `ValueError` when that is no certificate."""
        ...


class Principal(msgspec.Struct, frozen=True):
    """Who has proved itself, as this end knows it."""

    owner: UserName
    """Owner of its certificate in `master`; `public` for a stranger who may connect."""
    certificate: CertificateName | None = None
    """Name in `master` of the certificate; None of a stranger's."""


class LinkSecurity(Protocol):
    """Certificates of `master` and the ciphers (protocol.md 7.3)."""

    def new_key_share(self) -> KeyShare:
        """A fresh half of a key agreement."""
        ...

    def new_tunnel_credential(self) -> TunnelCredential:
        """A fresh certificate and key for TLS."""
        ...

    def cipher(self, key: bytes) -> Cipher:
        """The cipher under a key of 32 bytes."""
        ...

    def certificate(self, name: str) -> bytes:
        """Own certificate as DER; `LocalProtocolError` 28036 when it is not there with its private key."""
        ...

    def sign(self, name: str, data: bytes) -> bytes:
        """A signature with the private key of an own certificate; `LocalProtocolError` 28036 without one."""
        ...

    def vouch(self, data: bytes) -> bytes:
        """The host's word for this end, for the method VOUCHED; `LocalProtocolError` 28038 where none vouches."""
        ...

    def is_vouched(self, data: bytes, proof: bytes) -> bool:
        """Whether a host of the same estate vouches for the peer."""
        ...

    def verify(self, certificate: bytes, data: bytes, signature: bytes, at: UtcTime) -> Principal:
        """Who has signed, as the owner of its certificate here.

        `RemoteProtocolError` 28035 when the certificate is not valid now, 28038 when the signature is not its,
        28045 when another one of that issuer and serial number is stored, 28036 when none is and strangers may not
        connect, 28034 when its owner may not.
        """
        ...


class FrameGuard:
    """Signs the frames of one direction, each under its place in the stream.

    A frame that is altered, left out, repeated or swapped does not open any more.
    """

    def __init__(self, cipher: Cipher) -> None:
        self._cipher = cipher
        self._count = 0

    def close(self, header: bytes, payload: bytes) -> bytes:
        """The payload as it travels behind `header`, 16 bytes longer."""
        return payload + self._cipher.seal(self._nonce(), b"", header + payload)

    def open(self, header: bytes, closed: bytes) -> bytes:
        """The payload; `RemoteProtocolError` 28044 when it is not the next one that was sent."""
        payload, tag = closed[:-TAG_BYTES], closed[-TAG_BYTES:]
        try:
            self._cipher.open(self._nonce(), tag, header + payload)
        except ValueError as error:
            raise RemoteProtocolError(ALTERED) from error
        return payload

    def _nonce(self) -> bytes:
        """Never twice under one key: a connection ends long before its count does."""
        nonce = self._count.to_bytes(_NONCE_BYTES, "big")
        self._count += 1
        return nonce


def derived_key(secret: bytes, transcript: bytes, purpose: str) -> bytes:
    """HKDF with SHA-256 (RFC 5869), one block: a key for one purpose, bound to what both ends have said."""
    extracted = hmac.digest(transcript, secret, hashlib.sha256)
    return hmac.digest(extracted, purpose.encode() + b"\x01", hashlib.sha256)
