"""Certificates for tests, signed by themselves, as those of broker endpoints are."""

from datetime import UTC, datetime

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID

from engine.transport.certificates import Signer

PrivateKey = rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey | ed25519.Ed25519PrivateKey

FROM, UNTIL = datetime(2020, 1, 1, tzinfo=UTC), datetime(2040, 1, 1, tzinfo=UTC)


def self_signed(
    name: str, serial: int = 1, *, kind: str = "ec", valid_from: datetime = FROM, valid_until: datetime = UNTIL
) -> tuple[bytes, Signer]:
    """A certificate, as DER, and what signs under its private key."""
    key: PrivateKey
    if kind == "rsa":
        key = rsa.generate_private_key(65537, 2048)
    elif kind == "ed25519":
        key = ed25519.Ed25519PrivateKey.generate()
    else:
        key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    unsigned = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(serial)
        .not_valid_before(valid_from)
        .not_valid_after(valid_until)
    )
    certificate = unsigned.sign(key, None if kind == "ed25519" else hashes.SHA256())
    return certificate.public_bytes(Encoding.DER), lambda data: _signature(key, data)


def _signature(key: PrivateKey, data: bytes) -> bytes:
    if isinstance(key, rsa.RSAPrivateKey):
        pss = padding.PSS(padding.MGF1(hashes.SHA256()), padding.PSS.DIGEST_LENGTH)
        return key.sign(data, pss, hashes.SHA256())
    if isinstance(key, ec.EllipticCurvePrivateKey):
        return key.sign(data, ec.ECDSA(hashes.SHA256()))
    return key.sign(data)
