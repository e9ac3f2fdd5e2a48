"""`CertificateStore`: the certificates of `master` for connections, and the ciphers, on `cryptography`.

It stands behind the core's `LinkSecurity`. Only validity dates are checked, no chain and no host name: what counts is
that the certificate was stored here, and who owns it (protocol.md 7.3).
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final, NamedTuple

from cryptography import x509
from cryptography.exceptions import InvalidTag, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from cryptography.hazmat.primitives.asymmetric.types import PublicKeyTypes
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from engine.core.catalog.security import PUBLIC
from engine.core.link.admission import judge_peer
from engine.core.link.keys import Cipher, KeyShare, Principal
from engine.core.vocabulary.errors import LocalProtocolError, RemoteProtocolError
from engine.core.vocabulary.identifiers import CertificateName, UserName
from engine.core.vocabulary.keys import Voucher
from engine.core.vocabulary.moment import UtcTime
from engine.transport.tls import TlsCredential

NOT_FOUND, NOT_VERIFIED = 28036, 28038

Signer = Callable[[bytes], bytes | None]
"""Signs under a private key that stays where it is: RSA-PSS or ECDSA with SHA-256, or Ed25519. None when it cannot."""

_SUBJECT_LENGTH_MAX: Final = 128
"""How much of a stranger's name is told: it is the stranger who chooses it."""
_PADDING: Final = padding.PSS(padding.MGF1(hashes.SHA256()), padding.PSS.DIGEST_LENGTH)


class _Own(NamedTuple):
    """A certificate of ours."""

    certificate: bytes
    sign: Signer


class _Stored(NamedTuple):
    """A certificate of a peer, and who that is."""

    certificate: bytes
    principal: Principal


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
    """Own certificates with their signers, those of peers by issuer and serial number, and who may connect.

    Own ones are found by name in any letter case.
    """

    def __init__(self, voucher: Voucher | None = None) -> None:
        """`voucher` is the host's; without one no instance can be vouched for."""
        self._voucher = voucher
        self._own: dict[str, _Own] = {}
        self._peers: dict[tuple[bytes, int], _Stored] = {}
        self._granted: set[str] = set()

    def add_own(self, name: str, certificate: bytes, sign: Signer) -> None:
        """Keep an own certificate, as DER, with what signs under its private key; one of that name is replaced."""
        self._own[name.casefold()] = _Own(certificate, sign)

    def add_peer(self, name: CertificateName, certificate: bytes, owner: UserName) -> None:
        """Keep a certificate, as DER, by which a peer is known; its owner is who the peer is here."""
        issue = _issue(x509.load_der_x509_certificate(certificate))
        self._peers[issue] = _Stored(certificate, Principal(owner, name))

    def grant_connect(self, owner: str) -> None:
        """Let an owner connect; `PUBLIC` lets strangers in."""
        self._granted.add(owner)

    # ── LinkSecurity ─────────────────────────────────────────────────────────────────────────────────────────────
    def new_key_share(self) -> KeyShare:
        """A fresh X25519 key."""
        return _X25519Share()

    def new_tunnel_credential(self) -> TlsCredential:
        """A fresh key and certificate for TLS 1.3."""
        return TlsCredential()

    def cipher(self, key: bytes) -> Cipher:
        """AES-256-GCM."""
        return _AesGcm(key)

    def certificate(self, name: str) -> bytes:
        """Own certificate as DER. `LocalProtocolError` 28036."""
        return self._find(name).certificate

    def sign(self, name: str, data: bytes) -> bytes:
        """A signature in the way of the key. `LocalProtocolError` 28036."""
        signature = self._find(name).sign(data)
        if signature is None:
            raise LocalProtocolError(NOT_FOUND, name=name)
        return signature

    def vouch(self, data: bytes) -> bytes:
        """The host's word. `LocalProtocolError` 28038."""
        if self._voucher is None:
            raise LocalProtocolError(NOT_VERIFIED)
        return self._voucher.vouch(data)

    def is_vouched(self, data: bytes, proof: bytes) -> bool:
        """Whether a host of this estate vouches for a peer."""
        return self._voucher is not None and self._voucher.is_vouched(data, proof)

    def _find(self, name: str) -> _Own:
        own = self._own.get(name.casefold())
        if own is None:
            raise LocalProtocolError(NOT_FOUND, name=name)
        return own

    def verify(self, certificate: bytes, data: bytes, signature: bytes, at: UtcTime) -> Principal:
        """Who has signed. `RemoteProtocolError` 28034, 28035, 28036, 28038 or 28045."""
        try:
            shown = x509.load_der_x509_certificate(certificate)
            _verify(shown.public_key(), signature, data)
            issue, subject = _issue(shown), shown.subject.rfc4514_string()
            moment = datetime.fromtimestamp(at, UTC)
            is_valid = shown.not_valid_before_utc <= moment <= shown.not_valid_after_utc
        except Exception as error:
            # A stranger's bytes: the library has a dozen ways of its own to say that they are no certificate.
            raise RemoteProtocolError(NOT_VERIFIED) from error
        stored = self._peers.get(issue)
        known = None if stored is None else (stored.certificate, stored.principal.owner)
        number = judge_peer(known, certificate, is_valid=is_valid, granted=self._granted)
        if number is not None:
            owner = "" if stored is None else stored.principal.owner
            raise RemoteProtocolError(number, name=subject[:_SUBJECT_LENGTH_MAX], value=owner)
        if stored is None:
            return Principal(PUBLIC)
        return stored.principal


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
