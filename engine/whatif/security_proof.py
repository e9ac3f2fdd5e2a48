"""How a dialog would be secured, and why, in sentences: bindings, certificates, master keys, at both ends.

The rules are those of `engine.core.routing.dialog_security`, by which the live broker goes; here they are asked about
catalogs that nobody runs, and worded.
"""

from __future__ import annotations

import msgspec

from engine.core.catalog.builtin import service_of
from engine.core.catalog.database import DatabaseCatalog
from engine.core.catalog.permission_rules import may_receive, may_send
from engine.core.catalog.security import DBO, PUBLIC, Certificate
from engine.core.routing.dialog_security import (
    SecurityDecision,
    certificate_by,
    decide_security,
    header_fault,
    saving_fault,
)
from engine.core.vocabulary.dialog_security import SecurityKind
from engine.core.vocabulary.errors import LocalProtocolError
from engine.core.vocabulary.identifiers import ServiceName, UserName
from engine.core.vocabulary.moment import UtcTime
from engine.whatif.words import ENGLISH, number_said, said

MAY_NOT_SEND, MAY_NOT_RECEIVE = 11215, 8401
CANNOT_DECRYPT, HEADER_INVALID = 11230, 28066


class SecurityAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """What would become of the first message of a dialog, as far as security is concerned."""

    decision: SecurityDecision
    arrival: int | None = None
    """Why the target does not take it in; None when it does, or when the message does not leave."""
    proof: tuple[str, ...]


def what_if_secured(
    initiator: DatabaseCatalog,
    from_service: ServiceName,
    to_service: ServiceName,
    now: UtcTime,
    *,
    encryption: bool,
    target: DatabaseCatalog | None = None,
    language: str = ENGLISH,
) -> SecurityAnswer:
    """How a dialog between two instances would be secured; with `target` also whether that database takes it in.

    Raises `LocalProtocolError` 8423 for a service that `initiator` does not have. Whether a route leads there is for
    routing to say.
    """
    service = service_of(initiator, from_service)
    if service is None:
        raise LocalProtocolError(8423, service=from_service, database=initiator.name)
    decision = decide_security(initiator, service.owner, to_service, now, encryption=encryption)
    lines = list(security_proof(decision, to_service, initiator.name, language=language))
    arrival = None
    if target is not None and decision.kind is not None:
        arrival = arrival_fault(initiator, decision, target, to_service, now)
        lines.append(_arrived(arrival, to_service, target, decision.kind, language))
    return SecurityAnswer(decision=decision, arrival=arrival, proof=tuple(lines))


def arrival_fault(
    initiator: DatabaseCatalog,
    decision: SecurityDecision,
    target: DatabaseCatalog,
    to_service: ServiceName,
    now: UtcTime,
) -> int | None:
    """Why the target does not take in what leaves with a security that was found; None when it does."""
    if decision.kind is not SecurityKind.NONE:
        fault = opening_fault(initiator, decision, target, to_service, now)
        if fault is not None:
            return fault
    if service_of(target, to_service) is None:
        return None
    if not may_send(target, to_service, principal_of(initiator, decision, target)):
        return MAY_NOT_SEND
    return None if may_receive(target, to_service) else MAY_NOT_RECEIVE


def principal_of(initiator: DatabaseCatalog, decision: SecurityDecision, target: DatabaseCatalog) -> UserName:
    """As whom the sender counts at the target: the owner of its certificate there, or `public`."""
    if decision.kind is not SecurityKind.FULL or decision.owner_certificate is None:
        return PUBLIC
    known = certificate_by(target, initiator.certificates[decision.owner_certificate].reference)
    return PUBLIC if known is None else known.owner


def opening_fault(
    initiator: DatabaseCatalog,
    decision: SecurityDecision,
    target: DatabaseCatalog,
    to_service: ServiceName,
    now: UtcTime,
) -> int | None:
    """Why the target drops a first message that is secured by `decision`; None when it opens it."""
    assert decision.user_certificate is not None, "whoever encrypts has a certificate to encrypt for"
    recipient = initiator.certificates[decision.user_certificate]
    own = decision.owner_certificate if decision.kind is SecurityKind.FULL else None
    signer = None if own is None else initiator.certificates[own]
    return sealed_fault(target, to_service, recipient, signer, now)


def reply_fault(
    initiator: DatabaseCatalog,
    decision: SecurityDecision,
    target: DatabaseCatalog,
    elsewhere: DatabaseCatalog,
    service: ServiceName,
    now: UtcTime,
) -> int | None:
    """Why a database that does not know the conversation drops the first reply; None when it opens it.

    A reply of a dialog with anonymous security has no security header: the key is at the initiator.
    """
    if decision.kind is not SecurityKind.FULL or decision.owner_certificate is None:
        return CANNOT_DECRYPT
    assert decision.user_certificate is not None, "full security encrypts for the user of the binding"
    recipient = initiator.certificates[decision.owner_certificate]
    signer = certificate_by(target, initiator.certificates[decision.user_certificate].reference)
    return sealed_fault(elsewhere, service, recipient, signer, now)


def sealed_fault(
    target: DatabaseCatalog, to_service: ServiceName, recipient: Certificate, signer: Certificate | None, now: UtcTime
) -> int | None:
    """Why a database drops what is encrypted for `recipient` and signed by `signer`; None when it opens it."""
    there, signed_by = service_of(target, to_service), None if signer is None else signer.reference
    fault = header_fault(target, DBO if there is None else there.owner, recipient.reference, signed_by, now)
    if fault is None and signer is not None and not _is_alike(target, signer):
        fault = HEADER_INVALID
    if fault is None:
        fault = saving_fault(target)
    return CANNOT_DECRYPT if fault is None and not _is_alike(target, recipient) else fault


def _is_alike(database: DatabaseCatalog, certificate: Certificate) -> bool:
    """Whether a database has this very certificate, not another one of the same issuer and serial number."""
    found = certificate_by(database, certificate.reference)
    return found is not None and found.certificate == certificate.certificate


def _arrived(number: int | None, service: str, target: DatabaseCatalog, kind: SecurityKind, language: str) -> str:
    if number is None:
        name = "taken_in" if kind is SecurityKind.NONE else "taken_in_secured"
        return said(language, "security", name, database=target.name)
    found = service_of(target, ServiceName(service))
    numbered = number_said(
        language,
        number,
        service=service,
        database=target.name,
        value=said(language, "security", "of_the_certificate"),
        queue=None if found is None else found.queue,
    )
    name = "may_not_send" if number == MAY_NOT_SEND else "dropped"
    return f"{said(language, 'security', name, database=target.name)} {numbered}"


def security_proof(
    decision: SecurityDecision, target: str, database: str | None = None, *, language: str = ENGLISH
) -> tuple[str, ...]:
    """The decision at the sender step by step, a sentence a line; without `database` "the sender" is named for it."""

    def line(name: str, **parameters: object) -> str:
        return said(language, "security", name, **parameters)

    lines = [line("encryption", state=_switch(decision.encryption))]
    if decision.binding is None:
        lines.append(line("no_binding", service=target))
    else:
        state = _switch(decision.is_anonymous)
        lines.append(line("binding", binding=decision.binding, user=decision.user, state=state))
    own = decision.owner_certificate
    lines.append(line("owner_without" if own is None else "owner", user=decision.owner, certificate=own))
    if decision.user is not None and decision.user_certificate is not None:
        lines.append(line("user", user=decision.user, certificate=decision.user_certificate))
    if decision.kind is not None:
        lines.append(said(language, "security_kinds", decision.kind.value))
    elif decision.status is not None:
        sender = line("the_sender") if database is None else database
        text = number_said(language, decision.status, service=target, value=decision.principal, database=sender)
        lines.append(f"{line('waits')} {text}")
    return tuple(lines)


def _switch(is_on: bool) -> str:
    return "ON" if is_on else "OFF"
