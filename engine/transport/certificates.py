"""`CertificateStore`: the certificates of `master` for connections, and the ciphers, on `cryptography`.

It stands behind the core's `LinkSecurity`. Only validity dates are checked, no chain and no host name: what counts is
that the certificate was stored here, and who owns it (protocol.md 7.3).
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from cryptography import x509
from cryptography.exceptions import InvalidTag, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from cryptography.hazmat.primitives.asymmetric.types import PublicKeyTypes
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.serialization import Encoding

from engine.core.link.keys import Cipher, KeyShare
from engine.core.vocabulary.errors import RemoteProtocolError
from engine.core.vocabulary.moment import UtcTime

PUBLIC: Final = "public"
"""Whose CONNECT counts for a certificate that is not stored here (protocol.md 7.3)."""

MAY_NOT_CONNECT, NOT_VALID_NOW, NOT_VERIFIED, DIFFERS_FROM_STORED = 28034, 28035, 28038, 28045

PrivateKey = rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey | ed25519.Ed25519PrivateKey
"""Keys that a certificate of an endpoint may have."""

_PADDING: Final = padding.PSS(padding.MGF1(hashes.SHA256()), padding.PSS.DIGEST_LENGTH)


class _AesGcm:
    def __init__(self, key: bytes) -> None:
        self._cipher = AESGCM(key)

    def seal(self, nonce: bytes, data: bytes, associated: bytes) -> bytes:
        return self._cipher.encrypt(nonce, data, associated)

    def open(self, nonce: bytes, sealed: bytes, associated: bytes) -> bytes:
        try:
            return self._cipher.decrypt(nonce, sealed, associated)
        except InvalidTag as error:
            raise ValueError("altered") from error


class _X25519Share:
    def __init__(self) -> None:
        self._private = X25519PrivateKey.generate()
        self._public = self._private.public_key().public_bytes_raw()

    @property
    def public(self) -> bytes:
        return self._public

    def agree(self, public: bytes) -> bytes:
        return self._private.exchange(X25519PublicKey.from_public_bytes(public))


class CertificateStore:
    """Own certificates with their keys by name, those of peers by issuer and serial number, and who may connect."""

    def __init__(self) -> None:
        self._own: dict[str, tuple[bytes, PrivateKey]] = {}
        self._peers: dict[tuple[bytes, int], tuple[bytes, str]] = {}
        self._granted: set[str] = set()

    def add_own(self, name: str, certificate: x509.Certificate, key: PrivateKey) -> None:
        """Keep an own certificate with its private key; another one of the name is replaced."""
        self._own[name] = (certificate.public_bytes(Encoding.DER), key)

    def add_peer(self, certificate: x509.Certificate, owner: str) -> None:
        """Keep the certificate of a peer; its owner is who the peer is here."""
        self._peers[_issue(certificate)] = (certificate.public_bytes(Encoding.DER), owner)

    def grant_connect(self, owner: str) -> None:
        """Let an owner connect, or with `PUBLIC` everybody."""
        self._granted.add(owner)

    def revoke_connect(self, owner: str) -> None:
        """Take CONNECT back; connections that exist stay."""
        self._granted.discard(owner)

    # ── LinkSecurity ─────────────────────────────────────────────────────────────────────────────────────────────
    def new_key_share(self) -> KeyShare:
        """A fresh X25519 key."""
        return _X25519Share()

    def cipher(self, key: bytes) -> Cipher:
        """AES-256-GCM."""
        return _AesGcm(key)

    def certificate(self, name: str) -> bytes | None:
        """Own certificate as DER."""
        return self._own[name][0] if name in self._own else None

    def sign(self, name: str, data: bytes) -> bytes:
        """A signature in the way of the key: RSA-PSS or ECDSA with SHA-256, or Ed25519."""
        key = self._own[name][1]
        if isinstance(key, rsa.RSAPrivateKey):
            return key.sign(data, _PADDING, hashes.SHA256())
        if isinstance(key, ec.EllipticCurvePrivateKey):
            return key.sign(data, ec.ECDSA(hashes.SHA256()))
        return key.sign(data)

    def verify(self, certificate: bytes, data: bytes, signature: bytes, at: UtcTime) -> str:
        """Who has signed. `RemoteProtocolError` 28034, 28035, 28038 or 28045."""
        try:
            shown = x509.load_der_x509_certificate(certificate)
            _verify(shown.public_key(), signature, data)
            issue = _issue(shown)
            moment = datetime.fromtimestamp(at, UTC)
            is_valid = shown.not_valid_before_utc <= moment <= shown.not_valid_after_utc
        except Exception as error:
            # A stranger's bytes: the library has a dozen ways of its own to say that they are no certificate.
            raise RemoteProtocolError(NOT_VERIFIED) from error
        if not is_valid:
            raise RemoteProtocolError(NOT_VALID_NOW)
        stored, owner = self._peers.get(issue, (certificate, PUBLIC))
        if stored != certificate:
            raise RemoteProtocolError(DIFFERS_FROM_STORED)
        if owner not in self._granted and PUBLIC not in self._granted:
            raise RemoteProtocolError(MAY_NOT_CONNECT, value=owner)
        return owner


def _issue(certificate: x509.Certificate) -> tuple[bytes, int]:
    return certificate.issuer.public_bytes(), certificate.serial_number


def _verify(key: PublicKeyTypes, signature: bytes, data: bytes) -> None:
    if isinstance(key, rsa.RSAPublicKey):
        key.verify(signature, data, _PADDING, hashes.SHA256())
    elif isinstance(key, ec.EllipticCurvePublicKey):
        key.verify(signature, data, ec.ECDSA(hashes.SHA256()))
    elif isinstance(key, ed25519.Ed25519PublicKey):
        key.verify(signature, data)
    else:
        raise UnsupportedAlgorithm("a certificate of an endpoint has an RSA, EC or Ed25519 key")
