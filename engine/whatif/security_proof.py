"""How a dialog would be secured, and why, in sentences: bindings, certificates, master keys, at both ends.

The rules are those of `engine.core.routing.dialog_security`, by which the live broker goes; here they are asked about
catalogs that nobody runs, and worded.
"""

from __future__ import annotations

from typing import Final

import msgspec

from engine.core.catalog.builtin import service_of
from engine.core.catalog.database import DatabaseCatalog
from engine.core.catalog.permission_rules import may_receive, may_send
from engine.core.catalog.security import DBO, PUBLIC
from engine.core.routing.dialog_security import (
    CANNOT_SAVE_KEY,
    MASTER_KEY_CLOSED,
    SecurityDecision,
    certificate_by,
    decide_security,
    header_fault,
)
from engine.core.vocabulary.dialog_security import SecurityKind
from engine.core.vocabulary.errors import LocalProtocolError, text_of
from engine.core.vocabulary.identifiers import ServiceName, UserName
from engine.core.vocabulary.moment import UtcTime

MAY_NOT_SEND, MAY_NOT_RECEIVE = 11215, 8401

_KINDS: Final = {
    SecurityKind.NONE: "the dialog is not secured; its sender counts as public at the target",
    SecurityKind.ANONYMOUS: "anonymous security; messages are encrypted, their sender counts as public at the target",
    SecurityKind.FULL: "full security; messages are encrypted and signed, each side knows who the other one is",
}


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
) -> SecurityAnswer:
    """How a dialog between two instances would be secured; with `target` also whether that database takes it in.

    Raises `LocalProtocolError` 8423 for a service that `initiator` does not have. Whether a route leads there is for
    routing to say.
    """
    service = service_of(initiator, from_service)
    if service is None:
        raise LocalProtocolError(8423, service=from_service, database=initiator.name)
    decision = decide_security(initiator, service.owner, to_service, now, encryption=encryption)
    lines = list(security_proof(decision, to_service, initiator.name))
    arrival = None
    if target is not None and decision.kind is not None:
        arrival = arrival_fault(initiator, decision, target, to_service, now)
        lines.append(_arrived(arrival, to_service, target, decision.kind))
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
        fault = _header_fault(initiator, decision, target, to_service, now)
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


def _header_fault(
    initiator: DatabaseCatalog,
    decision: SecurityDecision,
    target: DatabaseCatalog,
    to_service: ServiceName,
    now: UtcTime,
) -> int | None:
    assert decision.user_certificate is not None, "whoever encrypts has a certificate to encrypt for"
    recipient = initiator.certificates[decision.user_certificate].reference
    own = decision.owner_certificate if decision.kind is SecurityKind.FULL else None
    signer = None if own is None else initiator.certificates[own].reference
    there = service_of(target, to_service)
    fault = header_fault(target, DBO if there is None else there.owner, recipient, signer, now)
    if fault is not None or target.master_key is None:
        return fault or CANNOT_SAVE_KEY
    return None if target.master_key.is_encrypted_by_server else MASTER_KEY_CLOSED


def _arrived(number: int | None, service: str, target: DatabaseCatalog, kind: SecurityKind) -> str:
    if number is None:
        knows = "" if kind is SecurityKind.NONE else "knows the certificates, "
        return f"At the target: database {target.name} {knows}lets the sender send and takes the message in."
    found = service_of(target, ServiceName(service))
    queue = None if found is None else found.queue
    text = text_of(number, service=service, database=target.name, value="of the certificate", queue=queue)
    if number == MAY_NOT_SEND:
        return f"At the target: database {target.name} answers with error -8494, and the dialog ends. {number}: {text}."
    return (
        f"At the target: database {target.name} drops the message in silence, the sender keeps it and sends it again. "
        f"{number}: {text}."
    )


def security_proof(decision: SecurityDecision, target: str, database: str = "the sender") -> tuple[str, ...]:
    """The decision at the sender step by step, a sentence a line."""
    encryption = "ON" if decision.encryption else "OFF"
    lines = [f"Dialog security: ENCRYPTION = {encryption}."]
    if decision.binding is None:
        lines.append(f"No remote service binding names the service '{target}'.")
    else:
        anonymous = "ON" if decision.is_anonymous else "OFF"
        lines.append(
            f"Remote service binding {decision.binding}: user {decision.user}, ANONYMOUS = {anonymous}. "
            "A binding secures the dialog whatever ENCRYPTION says."
        )
    lines.append(_whose("owner of the initiating service", decision.owner, decision.owner_certificate))
    if decision.user is not None and decision.user_certificate is not None:
        lines.append(_whose("user of the binding", decision.user, decision.user_certificate))
    if decision.kind is not None:
        lines.append(f"Security: {_KINDS[decision.kind]}.")
    elif decision.status is not None:
        text = text_of(decision.status, service=target, value=decision.principal, database=database)
        lines.append(f"Security: the messages wait. {decision.status}: {text}.")
    return tuple(lines)


def _whose(role: str, user: str, certificate: str | None) -> str:
    has = "has no certificate that serves now" if certificate is None else f"has certificate {certificate}"
    return f"The {role}, {user}, {has}."
