"""Whom an endpoint shows itself as, and whom it lets in: a catalog's certificates and permissions told together."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from engine.core.catalog.endpoint_clauses import authentication_of
from engine.core.catalog.endpoint_rules import certificate_of, login_of, may_connect
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.security import PUBLIC, Certificate, Validity, validity_of
from engine.core.vocabulary.identifiers import MASTER, CertificateName, LoginName, UserName
from engine.core.vocabulary.moment import UtcTime


class Hindrance(StrEnum):
    """Why an endpoint cannot prove itself, whatever the time (28036)."""

    MISSING = "missing"
    """There is no such certificate in `master`."""
    NO_PRIVATE_KEY = "no-private-key"
    """It has no private key that the server can open."""


class ShownCertificate(msgspec.Struct, frozen=True, kw_only=True):
    """The certificate that an endpoint names; dates are None when it is missing."""

    name: CertificateName
    hindrance: Hindrance | None = None
    validity: Validity | None = None
    starts_at: UtcTime | None = None
    expires_at: UtcTime | None = None


class KnownPeer(msgspec.Struct, frozen=True, kw_only=True):
    """A certificate of `master` without private key: somebody else's, by which a peer is known."""

    certificate: CertificateName
    subject: str
    owner: UserName
    login: LoginName | None
    """Who gets permissions in its place; None for a user without login."""
    may_connect: bool
    validity: Validity
    expires_at: UtcTime


class LinkTrust(msgspec.Struct, frozen=True, kw_only=True):
    """What an instance brings to connections that prove themselves."""

    shown: ShownCertificate | None
    """None when AUTHENTICATION names no certificate, or there is no endpoint."""
    usable: tuple[CertificateName, ...]
    """Certificates that the endpoint could show now."""
    peers: tuple[KnownPeer, ...]
    lets_strangers_in: bool
    """CONNECT is granted to `public`."""


def trust_of(catalog: InstanceCatalog, at: UtcTime) -> LinkTrust:
    """What `catalog` says at an instant."""
    master = catalog.databases.get(MASTER)
    certificates = [] if master is None else list(master.certificates.values())
    return LinkTrust(
        shown=_shown(catalog, at),
        usable=tuple(each.name for each in certificates if _is_usable(catalog, each, at)),
        peers=tuple(_peer(catalog, each, at) for each in certificates if _is_foreign(each)),
        lets_strangers_in=may_connect(catalog, PUBLIC),
    )


def _is_foreign(certificate: Certificate) -> bool:
    return certificate.private_key is None and not certificate.is_password_protected


def is_openable(catalog: InstanceCatalog, certificate: Certificate) -> bool:
    """Whether the server can open the private key of a certificate of `master`."""
    key = catalog.databases[MASTER].master_key
    return certificate.private_key is not None and key is not None and key.is_encrypted_by_server


def _is_usable(catalog: InstanceCatalog, certificate: Certificate, at: UtcTime) -> bool:
    is_valid = validity_of(certificate, at) in (Validity.VALID, Validity.EXPIRES_SOON)
    return is_valid and is_openable(catalog, certificate)


def _shown(catalog: InstanceCatalog, at: UtcTime) -> ShownCertificate | None:
    if catalog.endpoint is None:
        return None
    name = authentication_of(catalog.endpoint.authentication).certificate
    if name is None:
        return None
    certificate = certificate_of(catalog)
    if certificate is None:
        return ShownCertificate(name=name, hindrance=Hindrance.MISSING)
    return ShownCertificate(
        name=certificate.name,
        hindrance=None if is_openable(catalog, certificate) else Hindrance.NO_PRIVATE_KEY,
        validity=validity_of(certificate, at),
        starts_at=certificate.starts_at,
        expires_at=certificate.expires_at,
    )


def _peer(catalog: InstanceCatalog, certificate: Certificate, at: UtcTime) -> KnownPeer:
    return KnownPeer(
        certificate=certificate.name,
        subject=certificate.subject,
        owner=certificate.owner,
        login=login_of(catalog, certificate.owner),
        may_connect=may_connect(catalog, certificate.owner),
        validity=validity_of(certificate, at),
        expires_at=certificate.expires_at,
    )
