"""`SimulatedLinkSecurity`: what a handshake needs of cryptography, in a world where nobody listens in.

Levels and algorithms are negotiated as everywhere (protocol.md 7.3), so that ends that do not agree do not connect.
What is agreed protects nothing here: bytes are only made to look other than in clear, and a key is what both ends have
said. Certificates are not simulated: an end that has to show one has none (28036).
"""

from __future__ import annotations

import hashlib
from typing import Final

from engine.core.link.keys import KEY_BYTES, TAG_BYTES, Principal
from engine.core.link.states import LinkRole
from engine.core.vocabulary.errors import LocalProtocolError, RemoteProtocolError
from engine.core.vocabulary.moment import UtcTime
from engine.sim.entropy import Dice

NO_CERTIFICATE: Final = 28036
_VEILED: Final = bytes(byte ^ 0xA5 for byte in range(256))


class SimulatedLinkSecurity:
    """The `LinkSecurity` of one instance."""

    def __init__(self, dice: Dice, *, is_stranger: bool = False) -> None:
        """A stranger has another key than the hosts of the world."""
        self._dice = dice
        self._vouching = b"a stranger's" if is_stranger else b"the hosts'"

    def new_key_share(self) -> _Share:
        """A fresh half of a key agreement."""
        return _Share(self._drawn())

    def new_tunnel_credential(self) -> _Credential:
        """What stands for a certificate of one connection."""
        return _Credential(self._drawn())

    def cipher(self, key: bytes) -> _Cipher:
        """The cipher under a key."""
        return _Cipher(key)

    def certificate(self, name: str) -> bytes:
        """Raises `LocalProtocolError` 28036: nobody has one."""
        raise LocalProtocolError(NO_CERTIFICATE, name=name)

    def sign(self, name: str, data: bytes) -> bytes:
        """Raises `LocalProtocolError` 28036."""
        raise LocalProtocolError(NO_CERTIFICATE, name=name)

    def vouch(self, data: bytes) -> bytes:
        """What stands for the word of a host: all of them have one key, which no stranger has."""
        return hashlib.sha256(self._vouching + data).digest()

    def is_vouched(self, data: bytes, proof: bytes) -> bool:
        """Whether it is the word of one of these hosts."""
        return proof == self.vouch(data)

    def verify(self, certificate: bytes, data: bytes, signature: bytes, at: UtcTime) -> Principal:
        """Raises `RemoteProtocolError` 28036."""
        raise RemoteProtocolError(NO_CERTIFICATE, name="")

    def _drawn(self) -> bytes:
        return self._dice.uuid().bytes + self._dice.uuid().bytes


class _Share:
    """Half of an agreement: the secret is what both halves are, in one order."""

    def __init__(self, public: bytes) -> None:
        assert len(public) == KEY_BYTES, "as long as a real one"
        self._public = public

    @property
    def public(self) -> bytes:
        return self._public

    def agree(self, public: bytes) -> bytes:
        return hashlib.sha256(b"".join(sorted((self._public, public)))).digest()


class _Cipher:
    """Leaves the data as it is and adds a tag under the key."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def seal(self, nonce: bytes, data: bytes, associated: bytes) -> bytes:
        return data + self._tag(nonce, data, associated)

    def open(self, nonce: bytes, sealed: bytes, associated: bytes) -> bytes:
        data, tag = sealed[:-TAG_BYTES], sealed[-TAG_BYTES:]
        if tag != self._tag(nonce, data, associated):
            raise ValueError("altered")
        return data

    def _tag(self, nonce: bytes, data: bytes, associated: bytes) -> bytes:
        return hashlib.sha256(self._key + nonce + associated + data).digest()[:TAG_BYTES]


class _Credential:
    """Stands for a certificate and its key."""

    def __init__(self, certificate: bytes) -> None:
        self._certificate = certificate

    @property
    def certificate(self) -> bytes:
        return self._certificate

    def tunnel(self, role: LinkRole, peer: bytes) -> _Tunnel:
        return _Tunnel()


class _Tunnel:
    """Bytes that look other than in clear, both ways."""

    def receive(self, data: bytes) -> bytes:
        return data.translate(_VEILED)

    def send(self, data: bytes) -> bytes:
        return data.translate(_VEILED)
