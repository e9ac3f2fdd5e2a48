"""Session keys of both suites, and the wrapping of one key by another.

`md5`, as documented (protocol.md 3.7): the MD5 digest of header and body, then the body, in one AES-128-CBC stream
whose initialisation vector is the salt. `aes-256-gcm`: the header is the associated data, the salt the nonce, the tag
the check. MD5 is there because the product documents it, not because it is good.
"""

from __future__ import annotations

import hashlib
import hmac
import os
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import CBC

from engine.core.vocabulary.dialog_security import KeySuite
from engine.core.vocabulary.keys import Protected, SessionKey

BLOCK: Final = 16
NONCE: Final = 12
KEY_BYTES: Final = {KeySuite.MD5: 16, KeySuite.AES_256_GCM: 32}
SEALING_KEY_BYTES: Final = 32


class Md5SessionKey:
    """A key of 128 bits under the documented suite."""

    suite: Final = KeySuite.MD5

    def __init__(self, material: bytes) -> None:
        self.material: Final = material
        self._algorithm = AES(material)

    def protect(self, header: bytes, body: bytes) -> Protected:
        """Digest and body in one stream."""
        return self._protect(os.urandom(BLOCK), header, body)

    def protect_alike(self, header: bytes, body: bytes) -> Protected:
        """The same under a salt that follows from key, header and body."""
        return self._protect(_derived(self.material, header, body)[:BLOCK], header, body)

    def _protect(self, salt: bytes, header: bytes, body: bytes) -> Protected:
        padding = BLOCK - len(body) % BLOCK
        encryptor = Cipher(self._algorithm, CBC(salt)).encryptor()
        stream = encryptor.update(_digest(header, body) + body + bytes((padding,)) * padding)
        return Protected(salt, stream[:BLOCK], stream[BLOCK:])

    def open(self, header: bytes, protected: Protected) -> bytes | None:
        """The body, if digest and padding fit."""
        if len(protected.salt) != BLOCK or len(protected.mic) != BLOCK:
            return None
        if not protected.body or len(protected.body) % BLOCK:
            return None
        decryptor = Cipher(self._algorithm, CBC(protected.salt)).decryptor()
        stream = decryptor.update(protected.mic + protected.body)
        padding = stream[-1]
        body = stream[BLOCK : len(stream) - padding]
        fits = 1 <= padding <= BLOCK and stream.endswith(bytes((padding,)) * padding)
        # Digest and padding are judged together: which of the two was wrong is nobody's business.
        return body if hmac.compare_digest(stream[:BLOCK], _digest(header, body)) and fits else None


def _derived(material: bytes, header: bytes, body: bytes) -> bytes:
    """What looks like chance to whoever lacks the key: another header or body has another salt, even in a copy."""
    keyed = hmac.new(material, b"salt" + len(header).to_bytes(4, "big") + header, hashlib.sha256)
    keyed.update(body)
    return keyed.digest()


def _digest(header: bytes, body: bytes) -> bytes:
    return hashlib.md5(len(header).to_bytes(4, "big") + header + body, usedforsecurity=False).digest()


class GcmSessionKey:
    """A key of 256 bits under AES-GCM."""

    suite: Final = KeySuite.AES_256_GCM

    def __init__(self, material: bytes) -> None:
        self.material: Final = material
        self._cipher = AESGCM(material)

    def protect(self, header: bytes, body: bytes) -> Protected:
        """Body encrypted, header and body authenticated."""
        return self._protect(os.urandom(NONCE), header, body)

    def protect_alike(self, header: bytes, body: bytes) -> Protected:
        """The same under a nonce that follows from key, header and body."""
        return self._protect(_derived(self.material, header, body)[:NONCE], header, body)

    def _protect(self, nonce: bytes, header: bytes, body: bytes) -> Protected:
        sealed = self._cipher.encrypt(nonce, body, header)
        return Protected(nonce, sealed[-BLOCK:], sealed[:-BLOCK])

    def open(self, header: bytes, protected: Protected) -> bytes | None:
        """The body, if the tag fits."""
        if len(protected.salt) != NONCE or len(protected.mic) != BLOCK:
            return None
        try:
            return self._cipher.decrypt(protected.salt, protected.body + protected.mic, header)
        except InvalidTag:
            return None


def session_key(suite: KeySuite, material: bytes) -> SessionKey | None:
    """The key object over its bytes; None when there are not as many as the suite wants."""
    if len(material) != KEY_BYTES[suite]:
        return None
    return Md5SessionKey(material) if suite is KeySuite.MD5 else GcmSessionKey(material)


def new_session_key(suite: KeySuite) -> SessionKey:
    """A session key from chance."""
    key = session_key(suite, os.urandom(KEY_BYTES[suite]))
    assert key is not None
    return key


def material_of(key: SessionKey) -> bytes:
    """The bytes of a key that was made here."""
    assert isinstance(key, Md5SessionKey | GcmSessionKey), "keys come from this room"
    return key.material


def seal(key: bytes, secret: bytes, purpose: bytes) -> bytes:
    """`secret` under `key`; the same `purpose` opens it, so that one kind of key never passes for another."""
    nonce = os.urandom(NONCE)
    return nonce + AESGCM(key).encrypt(nonce, secret, purpose)


def unseal(key: bytes, sealed: bytes, purpose: bytes) -> bytes | None:
    """What was sealed; None for another key, another purpose, or damage."""
    if len(sealed) < NONCE + BLOCK:
        return None
    try:
        return AESGCM(key).decrypt(sealed[:NONCE], sealed[NONCE:], purpose)
    except InvalidTag:
        return None
