"""Opening what arrives secured: the key is found or comes with the message, then the message is judged as a whole.

Nothing of a message is believed, and nothing stored, before its integrity check fits. What cannot be opened is dropped
in silence: there is no key to answer under (protocol.md 9.3). Fragments are kept as they came, each in its place; where
the whole does not open, all of them are given up, as if they had never come.
"""

from __future__ import annotations

import msgspec

from engine.core.catalog.builtin import service_of
from engine.core.catalog.database import DatabaseCatalog
from engine.core.catalog.names import same_name
from engine.core.catalog.security import DBO, Certificate
from engine.core.dialog.endpoint import DialogEndpoint
from engine.core.dialog.session import ArrivedSession, DialogSession, OpenKey, open_message, signed_content
from engine.core.exchange.events import ConversationAudited
from engine.core.handlers.broker import Broker
from engine.core.handlers.discarding import discard
from engine.core.handlers.fault_texts import parameters_of
from engine.core.handlers.securing import departed_session, is_secured, session_of
from engine.core.routing.dialog_security import (
    CANNOT_SAVE_KEY,
    CERTIFICATE_UNKNOWN,
    MASTER_KEY_CLOSED,
    NO_CONTROL,
    certificate_by,
    header_fault,
    saving_fault,
)
from engine.core.vocabulary.dialog_security import (
    DialogSecurity,
    DialogSecurityHeader,
    MessageSecurity,
    SecurityKind,
    SessionKeyRow,
)
from engine.core.vocabulary.errors import text_of
from engine.core.vocabulary.identifiers import DatabaseName
from engine.core.vocabulary.keys import KeyExchangeKey
from engine.core.vocabulary.messages import DialogMessage
from engine.core.vocabulary.subclasses import AuditFailure

UNKNOWN_CONVERSATION, NOT_THE_FIRST = 11209, 11213
CANNOT_DECRYPT, IS_SECURED, IS_NOT_SECURED, OTHER_KEY = 11230, 11231, 11232, 11233
CORRUPTED, HEADER_INVALID = 28062, 28066


def opened(
    broker: Broker, database: DatabaseName, endpoint: DialogEndpoint | None, message: DialogMessage
) -> DialogMessage | int | None:
    """An arriving message in clear, the number of why it is dropped, or None when that was told already."""
    security = message.security if isinstance(message.security, MessageSecurity) else None
    if endpoint is None:
        if security is not None:
            return _without_endpoint(broker, database, message, security)
        is_gone = broker.departed.find(database, message.conversation_id, is_initiator=not message.from_initiator)
        return message if is_gone is None else IS_NOT_SECURED
    own = endpoint.row.security
    if security is None:
        return IS_NOT_SECURED if is_secured(endpoint) else message
    if own is None or not is_secured(endpoint):
        return IS_SECURED
    session = session_of(broker, endpoint)
    if isinstance(session, int):
        return session
    key = session.key_of(security)
    if key is not None:
        return _opened_by(broker, message, security, ArrivedSession(message.conversation_id, key))
    return _with_new_key(broker, endpoint, own, session, message, security)


def adopt(broker: Broker, endpoint: DialogEndpoint) -> None:
    """A new target endpoint takes over what its first message said about security."""
    arrival = broker.arrival
    if arrival is None or arrival.conversation_id != endpoint.row.conversation_id:
        # What one arriving message sets off inside the instance has nothing to do with its security.
        return
    if arrival.security is not None:
        endpoint.revise(security=arrival.security)
        is_full = arrival.security.kind is SecurityKind.FULL
        endpoint.session = arrival.session or DialogSession(None if is_full else arrival.key, arrival.key)


def opened_whole(broker: Broker, endpoint: DialogEndpoint, whole: DialogMessage) -> DialogMessage | None:
    """A large message that was put together, in clear; None, which is told, when it is not what was secured."""
    if not is_secured(endpoint):
        return whole
    session = session_of(broker, endpoint)
    body = None if isinstance(session, int) else session.opened_body(whole)
    if body is None:
        discard(broker, endpoint.database, whole, CORRUPTED)
        return None
    return msgspec.structs.replace(whole, body=body, security=msgspec.UNSET)


def _opened_by(
    broker: Broker, message: DialogMessage, security: MessageSecurity, arrival: ArrivedSession
) -> DialogMessage | None:
    plain = open_message(message, security, arrival.key)
    if plain is None:
        discard(broker, None, message, CORRUPTED)
        return None
    broker.arrival = arrival
    return plain


def _without_endpoint(
    broker: Broker, database: DatabaseName, message: DialogMessage, security: MessageSecurity
) -> DialogMessage | int | None:
    # A first message begins its dialog anew, with everything that its header says about it.
    begins = message.from_initiator and security.header is not None
    known = None if begins else _departed(broker, database, message, security)
    if known is not None:
        return _opened_by(broker, message, security, known)
    if security.header is None:
        if message.sequence == 0:
            audit(broker, database, message, AuditFailure.NO_SECURITY_HEADER, CANNOT_DECRYPT)
            return CANNOT_DECRYPT
        return NOT_THE_FIRST if message.from_initiator else UNKNOWN_CONVERSATION
    arrival = _unlocked(broker, database, message, security, security.header)
    if not isinstance(arrival, ArrivedSession):
        return arrival
    return _opened_by(broker, message, security, arrival)


def _departed(
    broker: Broker, database: DatabaseName, message: DialogMessage, security: MessageSecurity
) -> ArrivedSession | None:
    """The key of a message to a side that is gone; what ends there is as secured as the dialog was."""
    side = {"is_initiator": not message.from_initiator}
    gone = broker.departed.find(database, message.conversation_id, **side)
    session = departed_session(broker, database, message.conversation_id, **side)
    key = None if session is None else session.key_of(security)
    if gone is None or key is None:
        return None
    return ArrivedSession(message.conversation_id, key, gone.row.security, session)


def _with_new_key(
    broker: Broker,
    endpoint: DialogEndpoint,
    own: DialogSecurity,
    session: DialogSession,
    message: DialogMessage,
    security: MessageSecurity,
) -> DialogMessage | int | None:
    """The target's first message brings its own key; only its first, and only from the user of the binding."""
    row, header = endpoint.row, security.header
    if header is None or not row.is_initiator or own.kind is not SecurityKind.FULL:
        return OTHER_KEY
    arrival = _unlocked(broker, endpoint.database, message, security, header)
    if not isinstance(arrival, ArrivedSession):
        return arrival
    found = arrival.security
    if found is None or not same_name(found.far_principal, own.far_principal):
        audit(broker, endpoint.database, message, AuditFailure.NO_CERTIFICATE, CERTIFICATE_UNKNOWN)
        return CERTIFICATE_UNKNOWN
    if session.inbound is not None and message.source.broker_instance == row.far_broker_instance:
        return OTHER_KEY
    plain = _opened_by(broker, message, security, ArrivedSession(message.conversation_id, arrival.key))
    # Another copy of the service is answered under its own key, and its key is not kept (protocol.md 8.6).
    if plain is not None and session.inbound is None:
        endpoint.revise(security=msgspec.structs.replace(own, inbound=found.inbound))
        endpoint.session = DialogSession(session.outbound, arrival.key, session.header)
        broker.touch(endpoint)
    return plain


# ── the security header ──────────────────────────────────────────────────────────────────────────────────────────────
def _unlocked(
    broker: Broker,
    database_name: DatabaseName,
    message: DialogMessage,
    security: MessageSecurity,
    header: DialogSecurityHeader,
) -> ArrivedSession | int | None:
    """The session key of a security header and whose it is; or why not (protocol.md 9.2, 9.3)."""
    database = broker.catalog.databases[database_name]
    service = service_of(database, message.target.service_name)
    owner = DBO if service is None else service.owner
    number = header_fault(database, owner, header.recipient, header.signer, broker.now.utc)
    if number is not None:
        if number != NO_CONTROL:
            audit(broker, database_name, message, AuditFailure.NO_CERTIFICATE, number)
        return number
    recipient, signer = certificate_by(database, header.recipient), certificate_by(database, header.signer)
    assert recipient is not None, "a message for a certificate that is not here was just dropped"
    if signer is not None and not _is_signed(broker, message, security, header, signer):
        audit(broker, database_name, message, AuditFailure.INVALID_SIGNATURE, HEADER_INVALID)
        discard(broker, database_name, message, HEADER_INVALID)
        return None
    return _session_key(broker, database, message, security, header, recipient, signer)


def _is_signed(
    broker: Broker,
    message: DialogMessage,
    security: MessageSecurity,
    header: DialogSecurityHeader,
    signer: Certificate,
) -> bool:
    content = signed_content(message, security.session_key_id, header)
    return broker.vault is not None and broker.vault.is_signed(signer.certificate, content, header.signature)


def _session_key(
    broker: Broker,
    database: DatabaseCatalog,
    message: DialogMessage,
    security: MessageSecurity,
    header: DialogSecurityHeader,
    recipient: Certificate,
    signer: Certificate | None,
) -> ArrivedSession | int:
    fault = saving_fault(database)
    if fault is not None or database.master_key is None:
        return fault or CANNOT_SAVE_KEY
    exchange = _exchange_key(broker, database, header, recipient)
    key = None if exchange is None else exchange.unwrap(security.suite, header.session_key)
    if key is None:
        return CANNOT_DECRYPT
    sealed = None if broker.vault is None else broker.vault.seal(database.master_key.key, key)
    if sealed is None:
        return MASTER_KEY_CLOSED
    stored = SessionKeyRow(security.session_key_id, security.suite, sealed)
    found = DialogSecurity(
        kind=SecurityKind.ANONYMOUS if signer is None else SecurityKind.FULL,
        principal=recipient.owner,
        far_principal="" if signer is None else signer.owner,
        own_certificate=recipient.reference,
        far_certificate=None if signer is None else signer.reference,
        outbound=stored if signer is None else None,
        inbound=stored,
    )
    return ArrivedSession(message.conversation_id, OpenKey(security.session_key_id, key), found)


def _exchange_key(
    broker: Broker, database: DatabaseCatalog, header: DialogSecurityHeader, recipient: Certificate
) -> KeyExchangeKey | None:
    if broker.vault is None or database.master_key is None or recipient.private_key is None:
        return None
    name = recipient.private_key.sealed
    found = broker.key_exchange.theirs(database.name, name, header.key_exchange_key)
    if found is None:
        found = broker.vault.open_key_exchange_key(
            database.master_key.key, recipient.private_key, header.key_exchange_key
        )
        if found is not None:
            broker.key_exchange.keep_theirs(database.name, name, header.key_exchange_key, found)
    return found


# ── what is told ─────────────────────────────────────────────────────────────────────────────────────────────────────
def audit(broker: Broker, database: DatabaseName, message: DialogMessage, failure: AuditFailure, number: int) -> None:
    """Tell that the sender of a message, or the user it is for, does not stand the test (views.md 4)."""
    broker.tell(
        ConversationAudited(
            at=broker.now.utc,
            conversation_id=message.conversation_id,
            from_initiator=message.from_initiator,
            to_service=message.target.service_name,
            message_sequence_number=message.sequence,
            failure=failure,
            number=number,
            text=text_of(number, **parameters_of(broker, database, message, number)),
        )
    )
