"""Whether two endpoints let each other in: what the handshake decides, asked of two catalogs (protocol.md 7.3).

`judge_peer` is the rule by which a running connection judges the certificate of its peer; `login_fault` goes through
the handshake in its order, with the same agreement and the same rule.
"""

from __future__ import annotations

from collections.abc import Container
from functools import lru_cache
from typing import Final

import msgspec

from engine.core.catalog.endpoint_clauses import authentication_of
from engine.core.catalog.endpoint_rules import certificate_of, may_connect
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.link_trust import is_openable
from engine.core.catalog.objects import Endpoint
from engine.core.catalog.security import PUBLIC, Certificate
from engine.core.link.endings import status_of_refusal
from engine.core.link.negotiation import KEY_SHARE_BYTES, EncryptionLevel, Method, Offer, agreement, policy_of
from engine.core.vocabulary.errors import text_of
from engine.core.vocabulary.identifiers import MASTER
from engine.core.vocabulary.moment import UtcTime
from engine.core.vocabulary.settings import Authentication

MAY_NOT_CONNECT, NOT_VALID_NOW, NOT_FOUND, DIFFERS_FROM_STORED = 28034, 28035, 28036, 28045
CLOSED_BY_PEER: Final = 9755


class LoginFault(msgspec.Struct, frozen=True):
    """Why the handshake of two endpoints fails."""

    status: int
    """What those are shown who wait for the connection."""
    detail: str
    """The reason with its number, in English."""
    name: str = ""
    """The certificate or the owner that the reason names."""


def judge_peer(
    stored: tuple[bytes, str] | None, shown: bytes, *, is_valid: bool, granted: Container[str]
) -> int | None:
    """Why a peer that has proved to own the certificate `shown` is not let in; None when it is.

    `stored` is the certificate of `master` with the same issuer and serial number, and its owner; `granted` are the
    owners that have CONNECT, `public` for strangers.
    """
    if not is_valid:
        return NOT_VALID_NOW
    if stored is None:
        return None if PUBLIC in granted else NOT_FOUND
    certificate, owner = stored
    if certificate != shown:
        return DIFFERS_FROM_STORED
    return None if owner in granted else MAY_NOT_CONNECT


class Granted:
    """The owners of certificates that have CONNECT on the endpoint of a catalog."""

    def __init__(self, catalog: InstanceCatalog) -> None:
        self._catalog = catalog

    def __contains__(self, owner: object) -> bool:
        return isinstance(owner, str) and may_connect(self._catalog, owner)  # type: ignore[arg-type]


def login_fault(
    dialling: InstanceCatalog,
    accepting: InstanceCatalog,
    at: UtcTime,
    authentication: Authentication = Authentication.VOUCHED,
) -> LoginFault | None:
    """Why a connection that one instance opens to another does not log in at `at`; both have an endpoint."""
    assert dialling.endpoint is not None
    assert accepting.endpoint is not None
    agreed = agreement(_offer(accepting.endpoint, authentication), _offer(dialling.endpoint, authentication))
    if isinstance(agreed, int):
        return _by_peer(agreed)
    if agreed.method is not Method.CERTIFICATE:
        return None
    theirs, ours = shown_by(accepting), shown_by(dialling)
    if theirs is None:
        return _by_peer(NOT_FOUND, _named(accepting.endpoint))
    if ours is None:
        return _by_us(NOT_FOUND, _named(dialling.endpoint))
    refused = _judged(accepting, ours, at)
    if refused is not None:
        return _by_peer(refused, _blamed(accepting, ours))
    refused = _judged(dialling, theirs, at)
    return None if refused is None else _by_us(refused, _blamed(dialling, theirs))


def agreed_method(
    dialling: Endpoint, accepting: Endpoint, authentication: Authentication = Authentication.VOUCHED
) -> Method | None:
    """How the ends of a connection prove themselves; None where they agree on nothing."""
    agreed = agreement(_offer(accepting, authentication), _offer(dialling, authentication))
    return None if isinstance(agreed, int) else agreed.method


def shown_by(catalog: InstanceCatalog) -> Certificate | None:
    """The certificate that an endpoint can show and sign with; None when there is none."""
    certificate = certificate_of(catalog)
    return certificate if certificate is not None and is_openable(catalog, certificate) else None


def stored_at(catalog: InstanceCatalog, shown: Certificate) -> Certificate | None:
    """The certificate of `master` by which the owner of `shown` is known."""
    master = catalog.databases.get(MASTER)
    known = [] if master is None else master.certificates.values()
    return next((each for each in known if each.reference == shown.reference), None)


def _judged(catalog: InstanceCatalog, shown: Certificate, at: UtcTime) -> int | None:
    stored = stored_at(catalog, shown)
    return judge_peer(
        None if stored is None else (stored.certificate, stored.owner),
        shown.certificate,
        is_valid=shown.starts_at <= at <= shown.expires_at,
        granted=Granted(catalog),
    )


@lru_cache(maxsize=1024)
def _offer(endpoint: Endpoint, authentication: Authentication) -> Offer:
    """What an endpoint offers; keys are made for each connection, and count here only as being there."""
    policy = policy_of(endpoint, authentication)
    encrypts = policy.encryption is not EncryptionLevel.DISABLED
    return Offer(
        methods=policy.methods,
        encryption=policy.encryption,
        algorithms=policy.algorithms,
        key_share=bytes(KEY_SHARE_BYTES),
        tls_certificate=b"" if encrypts else None,
    )


def _by_peer(number: int, name: str = "") -> LoginFault:
    """The accepting end refuses: the dialling end hears the reason, and shows what kind it is."""
    status = status_of_refusal(number)
    return LoginFault(CLOSED_BY_PEER if status is None else status, f"{number}: {_text(number, name)}", name)


def _by_us(number: int, name: str) -> LoginFault:
    return LoginFault(number, _text(number, name), name)


def _text(number: int, name: str) -> str:
    return text_of(number, name=name, value=name, detail="there are no Windows accounts here")


def _named(endpoint: Endpoint) -> str:
    return authentication_of(endpoint.authentication).certificate or ""


def _blamed(catalog: InstanceCatalog, shown: Certificate) -> str:
    """The owner of a certificate that is known; of another one what it says of itself."""
    stored = stored_at(catalog, shown)
    return shown.subject if stored is None else stored.owner
