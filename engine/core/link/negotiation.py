"""What the two ends of a connection agree on: how they prove who they are, and what protects their frames.

Each end makes an `Offer` out of its endpoint's AUTHENTICATION and ENCRYPTION. Both ends compute the `Agreement` from
both offers, so that nobody is told one that it has not worked out itself (protocol.md 7.3).
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

import msgspec

from engine.core.catalog.endpoint_clauses import CERTIFICATE, authentication_of, encryption_of
from engine.core.catalog.objects import Endpoint
from engine.core.vocabulary.settings import Authentication

NOTHING_IN_COMMON: Final = 28027
WINDOWS_REFUSED: Final = 28039
WRONG_SECRET_SIZE: Final = 28059
KEY_SHARE_BYTES: Final = 32
"""An X25519 public key."""


class Method(StrEnum):
    """How an end proves who it is."""

    CERTIFICATE = "CERTIFICATE"
    """It signs the handshake with the private key of a certificate."""
    WINDOWS = "WINDOWS"
    """Spoken of, so that its refusal has a reason; there is no Windows here to ask."""
    VOUCHED = "VOUCHED"
    """Its host vouches for it, as Windows would: it signs the handshake under the service key (`Voucher`)."""
    NONE = "NONE"
    """It proves nothing: for networks that exist in memory only."""


class EncryptionLevel(StrEnum):
    """ENCRYPTION of an endpoint (tsql.md 8)."""

    DISABLED = "DISABLED"
    SUPPORTED = "SUPPORTED"
    REQUIRED = "REQUIRED"


class Algorithm(StrEnum):
    """ALGORITHM of an endpoint. RC4 can be named; it is broken and therefore never chosen."""

    AES = "AES"
    RC4 = "RC4"


class Encryption(StrEnum):
    """What follows from two levels."""

    CLEAR = "clear"
    ENCRYPTED = "encrypted"
    REFUSED = "refused"


class Protection(StrEnum):
    """What protects the frames of a connection; `sys.dm_broker_connections.encryption_algorithm`."""

    NONE = "NONE"
    """Only the checksum, which keeps accidents away and nobody else."""
    SIGNED = "SIGNED"
    """Readable, but an altered, left out or repeated frame is noticed."""
    AES = "AES"
    """TLS 1.3 with AES-256-GCM: not readable either."""


_D, _S, _R = EncryptionLevel.DISABLED, EncryptionLevel.SUPPORTED, EncryptionLevel.REQUIRED

ENCRYPTION_OF: Final[Mapping[tuple[EncryptionLevel, EncryptionLevel], Encryption]] = {
    (_D, _D): Encryption.CLEAR,
    (_D, _S): Encryption.CLEAR,
    (_D, _R): Encryption.REFUSED,
    (_S, _D): Encryption.CLEAR,
    (_S, _S): Encryption.ENCRYPTED,
    (_S, _R): Encryption.ENCRYPTED,
    (_R, _D): Encryption.REFUSED,
    (_R, _S): Encryption.ENCRYPTED,
    (_R, _R): Encryption.ENCRYPTED,
}
"""The table of protocol.md 7.3: our level, the peer's level."""


class LinkPolicy(msgspec.Struct, frozen=True, kw_only=True):
    """What an endpoint demands of its connections."""

    methods: tuple[Method, ...] = (Method.NONE,)
    """In the order in which they are to be tried."""
    certificate: str | None = None
    """Name in `master` of the certificate that this end shows."""
    encryption: EncryptionLevel = EncryptionLevel.DISABLED
    algorithms: tuple[Algorithm, ...] = ()


OPEN_POLICY: Final = LinkPolicy()
"""No proof and no encryption: for networks that exist in memory only."""


class Offer(msgspec.Struct, frozen=True, kw_only=True):
    """What an end can do and wants, as it travels."""

    methods: tuple[Method, ...] = ()
    encryption: EncryptionLevel = EncryptionLevel.DISABLED
    algorithms: tuple[Algorithm, ...] = ()
    key_share: bytes | None = None
    """X25519 public key made for this connection alone; None when this end has no cryptography."""
    tls_certificate: bytes | None = None
    """Certificate (DER) made for TLS on this connection alone; None when this end does not encrypt."""


class Agreement(msgspec.Struct, frozen=True):
    """What both ends do."""

    method: Method
    protection: Protection


def agreement(accepting: Offer, dialling: Offer) -> Agreement | int:
    """What two offers amount to, or the number of why they amount to nothing. Both ends get the same answer."""
    for share in (accepting.key_share, dialling.key_share):
        if share is not None and len(share) != KEY_SHARE_BYTES:
            return WRONG_SECRET_SIZE
    method = _method(accepting, dialling)
    if isinstance(method, int):
        return method
    protection = _protection(accepting, dialling)
    if isinstance(protection, int):
        return protection
    if method is Method.VOUCHED and protection is Protection.NONE:
        # Whoever stands between could go on in the name of an end that has proved itself.
        return NOTHING_IN_COMMON
    return Agreement(method, protection)


def _method(accepting: Offer, dialling: Offer) -> Method | int:
    """The accepting end's order counts; Windows is passed over, and when nothing else is left, that is the reason."""
    common = [method for method in accepting.methods if method in dialling.methods]
    if not common:
        return NOTHING_IN_COMMON
    return next((method for method in common if method is not Method.WINDOWS), WINDOWS_REFUSED)


def _protection(accepting: Offer, dialling: Offer) -> Protection | int:
    outcome = ENCRYPTION_OF[accepting.encryption, dialling.encryption]
    if outcome is Encryption.CLEAR:
        has_keys = accepting.key_share is not None and dialling.key_share is not None
        return Protection.SIGNED if has_keys else Protection.NONE
    shared = Algorithm.AES in accepting.algorithms and Algorithm.AES in dialling.algorithms
    has_tls = accepting.tls_certificate is not None and dialling.tls_certificate is not None
    if outcome is Encryption.REFUSED or not shared or not has_tls:
        return NOTHING_IN_COMMON
    return Protection.AES


def policy_of(endpoint: Endpoint | None, authentication: Authentication) -> LinkPolicy:
    """What the clauses of an endpoint demand; an instance without endpoint neither dials nor accepts."""
    if endpoint is None:
        return OPEN_POLICY
    encryption = encryption_of(endpoint.encryption)
    clause = authentication_of(endpoint.authentication)
    windows = Method.VOUCHED if authentication is Authentication.VOUCHED else Method.WINDOWS
    return LinkPolicy(
        methods=tuple(Method.CERTIFICATE if word == CERTIFICATE else windows for word in clause.methods),
        certificate=clause.certificate,
        encryption=EncryptionLevel(encryption.level),
        algorithms=tuple(Algorithm(word) for word in encryption.algorithms),
    )
