"""X.509: self-signed certificates made and read. Only RSA keys, as Service Broker's own certificates have."""

from __future__ import annotations

import warnings
from datetime import UTC, datetime
from typing import Final

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.padding import MGF1, OAEP, PSS
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, RSAPublicKey, generate_private_key
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_der_private_key,
)
from cryptography.x509.oid import NameOID

from engine.core.vocabulary.dialog_security import CertificateReference
from engine.core.vocabulary.keys import CertificateFacts
from engine.core.vocabulary.moment import UtcTime

NEW_KEY_BITS: Final = 2048
# A long subject is meant, here and in the certificates of real servers; nobody has to be warned of each.
warnings.filterwarnings("ignore", "Attribute's length must be", UserWarning, __name__)
_PUBLIC_EXPONENT: Final = 65537
_OAEP: Final = OAEP(MGF1(SHA256()), SHA256(), None)
_PSS: Final = PSS(MGF1(SHA256()), PSS.DIGEST_LENGTH)


def new_certificate(subject: str, starts_at: UtcTime, expires_at: UtcTime) -> tuple[CertificateFacts, bytes]:
    """A self-signed certificate, and its private key in clear (PKCS #8, DER) for the vault to seal."""
    key = generate_private_key(_PUBLIC_EXPONENT, NEW_KEY_BITS)
    # SQL Server takes a subject of any length, where X.520 ends a common name after 64 characters.
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, subject, _validate=False)])
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(datetime.fromtimestamp(starts_at, UTC))
        .not_valid_after(datetime.fromtimestamp(expires_at, UTC))
        .sign(key, SHA256())
    )
    facts = read_certificate(certificate.public_bytes(Encoding.DER))
    assert facts is not None
    return facts, key.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())


def read_certificate(der: bytes) -> CertificateFacts | None:
    """What a certificate says of itself; None when the bytes are no certificate or its key is not RSA."""
    try:
        certificate = x509.load_der_x509_certificate(der)
        key = certificate.public_key()
        subject, issuer = certificate.subject.rfc4514_string(), certificate.issuer.rfc4514_string()
    except (ValueError, UnsupportedAlgorithm, x509.InvalidVersion):
        return None
    if not isinstance(key, RSAPublicKey):
        return None
    return CertificateFacts(
        certificate=der,
        subject=subject,
        reference=CertificateReference(issuer, f"{certificate.serial_number:x}"),
        starts_at=UtcTime(certificate.not_valid_before_utc.timestamp()),
        expires_at=UtcTime(certificate.not_valid_after_utc.timestamp()),
        key_bits=key.key_size,
    )


def public_key_of(der: bytes) -> RSAPublicKey | None:
    """The public key of a certificate; None as in `read_certificate`."""
    try:
        key = x509.load_der_x509_certificate(der).public_key()
    except (ValueError, UnsupportedAlgorithm, x509.InvalidVersion):
        return None
    return key if isinstance(key, RSAPublicKey) else None


def private_key_from(pkcs8: bytes) -> RSAPrivateKey | None:
    """A private key from its bytes in clear."""
    try:
        key = load_der_private_key(pkcs8, None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        return None
    return key if isinstance(key, RSAPrivateKey) else None


def encrypt(key: RSAPublicKey, secret: bytes) -> bytes | None:
    """`secret` for the owner of the private key; None when the key is too short for it."""
    try:
        return key.encrypt(secret, _OAEP)
    except ValueError:
        return None


def decrypt(key: RSAPrivateKey, secret: bytes) -> bytes | None:
    """What was encrypted for this key; None when it was not."""
    try:
        return key.decrypt(secret, _OAEP)
    except ValueError:
        return None


def sign(key: RSAPrivateKey, content: bytes) -> bytes | None:
    """A signature; None when the key is too short for one."""
    try:
        return key.sign(content, _PSS, SHA256())
    except ValueError:
        return None


def is_signed(key: RSAPublicKey, content: bytes, signature: bytes) -> bool:
    """Whether the private half of `key` has signed `content`."""
    try:
        key.verify(signature, content, _PSS, SHA256())
    except InvalidSignature:
        return False
    return True
