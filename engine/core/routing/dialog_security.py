"""Which kind of security a dialog gets, and why: the vendor's table as data, and the certificates it needs.

A pure question to the catalog of one database (protocol.md 9.1, 9.2). The live broker asks it before the first message
of a dialog leaves for the network, a proof shows the answer; nobody decides it a second time.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

import msgspec

from engine.core.catalog.database import DatabaseCatalog
from engine.core.catalog.names import same_name
from engine.core.catalog.security import DBO, NUMBER_OF, Certificate, RemoteServiceBinding, Unusable, flaw_of
from engine.core.catalog.security_rules import is_user
from engine.core.vocabulary.dialog_security import CertificateReference, SecurityKind
from engine.core.vocabulary.identifiers import CertificateName, RemoteServiceBindingName, ServiceName, UserName
from engine.core.vocabulary.moment import UtcTime

NO_BINDING, NO_CERTIFICATE, USER_DROPPED = 9727, 9731, 9768
NO_MASTER_KEY, CANNOT_SAVE_KEY, MASTER_KEY_CLOSED = 28050, 28051, 28054
CERTIFICATE_UNKNOWN, NO_CONTROL, CERTIFICATE_NOT_YET_VALID, CERTIFICATE_EXPIRED = 11229, 28056, 28024, 28025


class Binding(StrEnum):
    """What the remote service binding of the target service says."""

    NONE = "no remote service binding"
    ANONYMOUS = "binding with ANONYMOUS = ON"
    FULL = "binding with ANONYMOUS = OFF"


class Case(msgspec.Struct, frozen=True):
    """One line and column of the vendor's table."""

    has_certificate: bool
    """Whether the owner of the initiating service has a certificate that can be used now."""
    encryption: bool
    """ENCRYPTION of BEGIN DIALOG."""
    binding: Binding


class Fault(StrEnum):
    """Why a case of the table fails."""

    NO_BINDING = "no binding"
    NO_CERTIFICATE = "the owner of the service has no usable certificate"


_N, _A, _F = Binding.NONE, Binding.ANONYMOUS, Binding.FULL

SECURITY_TYPES: Final[Mapping[Case, SecurityKind | Fault]] = {
    Case(has_certificate=True, encryption=True, binding=_N): Fault.NO_BINDING,
    Case(has_certificate=True, encryption=True, binding=_A): SecurityKind.ANONYMOUS,
    Case(has_certificate=True, encryption=True, binding=_F): SecurityKind.FULL,
    Case(has_certificate=True, encryption=False, binding=_N): SecurityKind.NONE,
    Case(has_certificate=True, encryption=False, binding=_A): SecurityKind.ANONYMOUS,
    Case(has_certificate=True, encryption=False, binding=_F): SecurityKind.FULL,
    Case(has_certificate=False, encryption=True, binding=_N): Fault.NO_BINDING,
    Case(has_certificate=False, encryption=True, binding=_A): SecurityKind.ANONYMOUS,
    Case(has_certificate=False, encryption=True, binding=_F): Fault.NO_CERTIFICATE,
    Case(has_certificate=False, encryption=False, binding=_N): SecurityKind.NONE,
    Case(has_certificate=False, encryption=False, binding=_A): SecurityKind.ANONYMOUS,
    Case(has_certificate=False, encryption=False, binding=_F): Fault.NO_CERTIFICATE,
}
"""The kind of security, or why the messages wait: 9727, or the number of what is wrong with the certificate
(protocol.md 9.1)."""


class SecurityDecision(msgspec.Struct, frozen=True, kw_only=True):
    """How a dialog is secured, or why it cannot be; part of the explanation of its routing."""

    encryption: bool
    """What BEGIN DIALOG asked for."""
    owner: UserName
    """Owner of the initiating service, whose certificate signs."""
    binding: RemoteServiceBindingName | None = None
    user: UserName | None = None
    """User of the binding, whose certificate encrypts."""
    is_anonymous: bool = False
    owner_certificate: CertificateName | None = None
    user_certificate: CertificateName | None = None
    kind: SecurityKind | None = None
    """None while messages must wait."""
    status: int | None = None
    principal: UserName | None = None
    """Whom the status blames."""


def binding_of(database: DatabaseCatalog, service: ServiceName) -> RemoteServiceBinding | None:
    """The binding for a service; services are compared code unit by code unit."""
    return next((each for each in database.remote_service_bindings.values() if each.service_name == service), None)


def choose_certificate(
    database: DatabaseCatalog, owner: str, now: UtcTime, *, needs_private_key: bool
) -> Certificate | int:
    """The certificate of a user that new dialogs take, or the number of why there is none (protocol.md 9.2).

    Of several that serve the one that expires last wins. When none serves, that one tells why; those that were put
    aside on purpose tell only when there is no other.
    """
    owned = [each for each in database.certificates.values() if same_name(each.owner, owner)]
    if not owned:
        return NO_CERTIFICATE
    by_expiry = sorted(owned, key=lambda each: (each.is_active_for_begin_dialog, each.expires_at), reverse=True)
    flaws = [flaw_of(each, now, needs_private_key=needs_private_key) for each in by_expiry]
    for certificate, flaw in zip(by_expiry, flaws, strict=True):
        if flaw is None:
            return certificate
    first: Unusable | None = flaws[0]
    assert first is not None
    return NUMBER_OF[first]


def decide_security(
    database: DatabaseCatalog, owner: UserName, target: ServiceName, now: UtcTime, *, encryption: bool
) -> SecurityDecision:
    """How a dialog that a service of `owner` begins towards `target` outside the instance is secured."""
    binding = binding_of(database, target)
    own = choose_certificate(database, owner, now, needs_private_key=True)
    mode = Binding.NONE if binding is None else Binding.ANONYMOUS if binding.is_anonymous else Binding.FULL
    case = Case(has_certificate=isinstance(own, Certificate), encryption=encryption, binding=mode)
    decision = SecurityDecision(
        encryption=encryption,
        owner=owner,
        binding=None if binding is None else binding.name,
        user=None if binding is None else binding.user,
        is_anonymous=binding is not None and binding.is_anonymous,
        owner_certificate=own.name if isinstance(own, Certificate) else None,
    )
    found = SECURITY_TYPES[case]
    if isinstance(found, Fault):
        if found is Fault.NO_BINDING or not isinstance(own, int):
            return msgspec.structs.replace(decision, status=NO_BINDING)
        return msgspec.structs.replace(decision, status=own, principal=owner)
    if found is SecurityKind.NONE or binding is None:
        return msgspec.structs.replace(decision, kind=found)
    return _with_keys(database, decision, binding, found, now)


def _with_keys(
    database: DatabaseCatalog,
    decision: SecurityDecision,
    binding: RemoteServiceBinding,
    kind: SecurityKind,
    now: UtcTime,
) -> SecurityDecision:
    """A binding was found: the certificate of its user, and a master key to keep session keys under."""
    if not is_user(database, binding.user):
        return msgspec.structs.replace(decision, status=USER_DROPPED, principal=binding.user)
    theirs = choose_certificate(database, binding.user, now, needs_private_key=False)
    if isinstance(theirs, int):
        return msgspec.structs.replace(decision, status=theirs, principal=binding.user)
    decision = msgspec.structs.replace(decision, user_certificate=theirs.name)
    status = master_key_fault(database)
    if status is not None:
        return msgspec.structs.replace(decision, status=status)
    return msgspec.structs.replace(decision, kind=kind)


def master_key_fault(database: DatabaseCatalog) -> int | None:
    """Why session keys cannot be made in a database; None when they can."""
    if database.master_key is None:
        return NO_MASTER_KEY
    return None if database.master_key.is_encrypted_by_server else MASTER_KEY_CLOSED


def is_secured_within(here: DatabaseCatalog, there: DatabaseCatalog, service: ServiceName, *, encryption: bool) -> bool:
    """Whether a dialog to a database of the same instance would be secured if one of the two moved away."""
    return here.name != there.name and (encryption or binding_of(here, service) is not None)


def fault_within(here: DatabaseCatalog, there: DatabaseCatalog) -> int | None:
    """Why a secured dialog cannot cross to another database of the instance: both need a master key (9.1)."""
    fault = master_key_fault(here)
    if fault is None and master_key_fault(there) is not None:
        return CANNOT_SAVE_KEY
    return fault


def saving_fault(database: DatabaseCatalog) -> int | None:
    """Why the target of a secured dialog cannot keep the session key that has arrived; None when it can."""
    if database.master_key is None:
        return CANNOT_SAVE_KEY
    return None if database.master_key.is_encrypted_by_server else MASTER_KEY_CLOSED


def certificate_by(database: DatabaseCatalog, reference: CertificateReference | None) -> Certificate | None:
    """The certificate with this issuer and serial number, active or not (protocol.md 9.2)."""
    return next((each for each in database.certificates.values() if each.reference == reference), None)


def header_fault(
    database: DatabaseCatalog,
    service_owner: UserName,
    recipient: CertificateReference,
    signer: CertificateReference | None,
    now: UtcTime,
) -> int | None:
    """Why a database drops a message whose security header names these certificates; None when it does not.

    Its own certificate needs its private key, and an owner with CONTROL of the service: the owner of the service, or
    `dbo` (protocol.md 9.2, 9.3).
    """
    own, theirs = certificate_by(database, recipient), certificate_by(database, signer)
    if own is None or own.private_key is None:
        return CERTIFICATE_UNKNOWN
    if not same_name(own.owner, service_owner) and not same_name(own.owner, DBO):
        return NO_CONTROL
    if signer is not None and theirs is None:
        return CERTIFICATE_UNKNOWN
    for certificate in (own, theirs):
        if certificate is not None and certificate.expires_at <= now:
            return CERTIFICATE_EXPIRED
        if certificate is not None and certificate.starts_at > now:
            return CERTIFICATE_NOT_YET_VALID
    return None
