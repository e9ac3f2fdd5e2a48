"""Securing what leaves: the kind of security is decided once, a session key is made, every message goes under it.

Only messages for the network are secured, those included that come back to their own instance (routing.md 9); what is
delivered directly never is (protocol.md 9.1). Messages that cannot be secured stay in the transmission queue, with the
number of the reason.
"""

from __future__ import annotations

import msgspec

from engine.core.catalog.builtin import BROKER_SERVICE, service_of
from engine.core.catalog.database import DatabaseCatalog
from engine.core.catalog.names import same_name
from engine.core.catalog.route_rules import BROKER_CONFIGURATION_SERVICE
from engine.core.catalog.security import Certificate
from engine.core.dialog.endpoint import DialogEndpoint
from engine.core.dialog.session import DialogSession, OpenKey, protect, signed_content
from engine.core.handlers.broker import Broker
from engine.core.routing.decision import ClassifierDecision
from engine.core.routing.dialog_security import (
    MASTER_KEY_CLOSED,
    NO_MASTER_KEY,
    SecurityDecision,
    binding_of,
    certificate_by,
    decide_security,
    master_key_fault,
)
from engine.core.vocabulary.dialog_security import (
    UNSECURED,
    DialogSecurity,
    DialogSecurityHeader,
    SecurityKind,
    SessionKeyRow,
)
from engine.core.vocabulary.identifiers import ConversationId, DatabaseName
from engine.core.vocabulary.messages import DialogMessage
from engine.core.vocabulary.moment import Instant

CERTIFICATE_GONE, NO_PRIVATE_KEY, KEY_LENGTH, ASKED = 9728, 9733, 9730, 9770


def explained(broker: Broker, endpoint: DialogEndpoint, decision: ClassifierDecision) -> ClassifierDecision:
    """A decision that leads to the network, with how the dialog is secured on the way."""
    row = endpoint.row
    if decision.address is None or not row.is_initiator or row.service == BROKER_SERVICE:
        return decision
    if row.security is not None:
        before = endpoint.announced
        return broker.decisions.secured(decision, None if before is None else before.security)
    if _began_directly(endpoint) and (decision.database is not None or not row.is_encryption_wanted):
        return decision
    return broker.decisions.secured(decision, _decided(broker, endpoint))


def _began_directly(endpoint: DialogEndpoint) -> bool:
    """Whether the far end was reached within the instance first, and without a key: none can begin any more.

    Such a dialog goes on in clear: by an own address in any case, as everything within an instance may; wherever its
    ends move, unless it wants encryption. A binding that was made since changes nothing (protocol.md 9.1). What was
    to be secured when it began has a key (`securing_within`).
    """
    return endpoint.row.send_sequence > 0 and not endpoint.sender.holds(0)


def _decided(broker: Broker, endpoint: DialogEndpoint) -> SecurityDecision:
    database, row = broker.catalog.databases[endpoint.database], endpoint.row
    service = service_of(database, row.service)
    assert service is not None, "a service that is dropped takes its conversations along"
    return decide_security(
        database, service.owner, row.far_service, broker.now.utc, encryption=row.is_encryption_wanted
    )


def prepare(broker: Broker, endpoint: DialogEndpoint, decision: ClassifierDecision) -> bool:
    """Whether sequenced messages of an endpoint may leave for the network; when not, its status says why."""
    security, session = endpoint.row.security, endpoint.session
    if session is not None and session.outbound is not None:
        return True
    if security is None:
        if decision.security is None:
            return True
        # The last refusal stands until the dialog is classified again.
        return endpoint.reclassify_at is None and _begin(broker, endpoint, decision.security)
    if security.kind is SecurityKind.NONE:
        return True
    found = session_of(broker, endpoint)
    if isinstance(found, int):
        return _wait(broker, endpoint, found)
    if found.outbound is not None or not len(endpoint.sender):
        return True
    return _begin_reply(broker, endpoint, security, found)


def fault_of(broker: Broker, endpoint: DialogEndpoint, decision: ClassifierDecision) -> tuple[int, str] | None:
    """Why `prepare` would keep messages by a decision, and whom it blames; changes nothing and looks nothing up."""
    security, session, decided = endpoint.row.security, endpoint.session, decision.security
    if session is not None and session.outbound is not None:
        return None
    if security is None:
        return None if decided is None else _begin_fault(broker, endpoint, decided)
    if security.kind is SecurityKind.NONE:
        return None
    found = session_of(broker, endpoint)
    if isinstance(found, int):
        return found, ""
    database = broker.catalog.databases[endpoint.database]
    if found.outbound is None and certificate_by(database, security.far_certificate) is None:
        return CERTIFICATE_GONE, security.far_principal
    own = None if found.outbound is not None else certificate_by(database, security.own_certificate)
    if found.outbound is not None or (own is not None and own.private_key is not None):
        return None
    return CERTIFICATE_GONE if own is None else NO_PRIVATE_KEY, security.principal


def _begin_fault(broker: Broker, endpoint: DialogEndpoint, decided: SecurityDecision) -> tuple[int, str] | None:
    if decided.binding is None and (endpoint.database, endpoint.row.far_service) in broker.pending_bindings:
        return ASKED, ""
    if decided.status is not None:
        return decided.status, decided.principal or ""
    master, vault = broker.catalog.databases[endpoint.database].master_key, broker.vault
    if decided.kind in (None, SecurityKind.NONE) or master is None:
        return None
    return None if vault is not None and vault.can_open(master.key) else (MASTER_KEY_CLOSED, "")


def _wait(broker: Broker, endpoint: DialogEndpoint, number: int, principal: str | None = None) -> bool:
    broker.set_status(
        endpoint, number, service=endpoint.row.far_service, database=endpoint.database, value=principal or ""
    )
    if endpoint.sender.wake_at() is not None:
        # Deadlines of what was sent before cannot be kept now; they would wake us for nothing.
        endpoint.sender.start_over()
    if endpoint.reclassify_at is None:
        endpoint.reclassify_at = Instant(broker.now.monotonic + broker.settings.dialog.reclassify_seconds)
    return False


# ── the first message of an initiator ────────────────────────────────────────────────────────────────────────────────
def _begin(broker: Broker, endpoint: DialogEndpoint, decision: SecurityDecision) -> bool:
    if decision.binding is None and asks_for_binding(broker, endpoint):
        return _wait(broker, endpoint, ASKED)
    if decision.status is not None or decision.kind is None:
        return _wait(broker, endpoint, decision.status or CERTIFICATE_GONE, decision.principal)
    if decision.kind is SecurityKind.NONE:
        endpoint.revise(security=UNSECURED)
        broker.touch(endpoint)
        return True
    database = broker.catalog.databases[endpoint.database]
    theirs = None if decision.user_certificate is None else database.certificates.get(decision.user_certificate)
    own = None if decision.owner_certificate is None else database.certificates.get(decision.owner_certificate)
    is_full = decision.kind is SecurityKind.FULL
    if theirs is None or (is_full and own is None):
        # Dropped since the decision was made; the next one, soon after the change, looks for another certificate.
        return _wait(broker, endpoint, CERTIFICATE_GONE, decision.user if theirs is None else decision.owner)
    begun = _begun(broker, endpoint, database, theirs, own if is_full else None)
    if isinstance(begun, int):
        return _wait(broker, endpoint, begun, decision.owner if begun == NO_PRIVATE_KEY else decision.user)
    key, stored, header = begun
    security = DialogSecurity(
        kind=decision.kind,
        principal=decision.owner if is_full else "",
        far_principal=decision.user or "",
        own_certificate=own.reference if is_full and own is not None else None,
        far_certificate=theirs.reference,
        outbound=stored,
        inbound=None if is_full else stored,
        header=header,
    )
    _adopt(broker, endpoint, security, DialogSession(key, None if is_full else key, header))
    return True


def _begin_reply(broker: Broker, endpoint: DialogEndpoint, security: DialogSecurity, session: DialogSession) -> bool:
    """The first message of the target of a dialog with full security: a key of its own, for the initiator's eyes."""
    database = broker.catalog.databases[endpoint.database]
    theirs = certificate_by(database, security.far_certificate)
    own = certificate_by(database, security.own_certificate)
    if theirs is None or own is None:
        return _wait(
            broker, endpoint, CERTIFICATE_GONE, security.far_principal if theirs is None else security.principal
        )
    begun = _begun(broker, endpoint, database, theirs, own)
    if isinstance(begun, int):
        return _wait(broker, endpoint, begun, security.principal)
    key, stored, header = begun
    security = msgspec.structs.replace(security, outbound=stored, header=header)
    _adopt(broker, endpoint, security, DialogSession(key, session.inbound, header))
    return True


def _adopt(broker: Broker, endpoint: DialogEndpoint, security: DialogSecurity, session: DialogSession) -> None:
    endpoint.revise(security=security)
    endpoint.session = session
    broker.touch(endpoint)


def _begun(
    broker: Broker, endpoint: DialogEndpoint, database: DatabaseCatalog, theirs: Certificate, own: Certificate | None
) -> tuple[OpenKey, SessionKeyRow, DialogSecurityHeader] | int:
    """A new session key in use, as it is stored, and as it travels; or the number of why there is none."""
    vault = broker.vault
    fault = master_key_fault(database)
    if fault is not None or database.master_key is None:
        return fault or NO_MASTER_KEY
    master = database.master_key.key
    if vault is None or not vault.can_open(master):
        return MASTER_KEY_CLOSED
    suite = broker.settings.dialog.key_suite
    key = OpenKey(broker.entropy.new_uuid(), vault.new_session_key(suite))
    sealed = vault.seal(master, key.key)
    assert sealed is not None, "the master key was just opened"
    exchange = broker.key_exchange.ours(database.name, theirs.certificate, broker.now.monotonic)
    if exchange is None:
        exchange = vault.new_key_exchange_key(theirs.certificate)
        if exchange is None:
            return KEY_LENGTH
        broker.key_exchange.keep_ours(database.name, theirs.certificate, exchange, broker.now.monotonic)
    header = DialogSecurityHeader(
        recipient=theirs.reference,
        signer=None if own is None else own.reference,
        key_exchange_key=exchange.wrapped,
        session_key=exchange.wrap(key.key),
    )
    if own is not None:
        content = signed_content(endpoint.acknowledgement_message(), key.identifier, header)
        signature = None if own.private_key is None else vault.sign(master, own.private_key, content)
        if signature is None:
            return NO_PRIVATE_KEY
        header = msgspec.structs.replace(header, signature=signature)
    return key, SessionKeyRow(key.identifier, suite, sealed), header


# ── bindings that are asked for ──────────────────────────────────────────────────────────────────────────────────────
def asks_for_binding(broker: Broker, endpoint: DialogEndpoint) -> bool:
    """Ask the configuration service for a missing binding, once for each new dialog (routing.md 6.9).

    Answers whether the dialog has to wait for the answer: with ENCRYPTION = OFF it goes on unsecured after it.
    """
    row, key = endpoint.row, (endpoint.database, endpoint.row.far_service)
    is_own = row.service == BROKER_SERVICE or row.far_service == BROKER_CONFIGURATION_SERVICE
    if is_own or not row.is_initiator or row.security is not None:
        return False
    if binding_of(broker.catalog.databases[endpoint.database], row.far_service) is not None:
        return False
    if not broker.classifier.names(endpoint.database, BROKER_CONFIGURATION_SERVICE, broker.now.utc):
        return False
    if endpoint.binding_was_asked and key not in broker.pending_bindings:
        # Encrypted or not at all: such a dialog asks again after the usual wait.
        endpoint.binding_was_asked = not row.is_encryption_wanted
        return False
    if key not in broker.pending_bindings:
        broker.missing_bindings[key] = endpoint.target
    return True


def is_secured(endpoint: DialogEndpoint) -> bool:
    """Whether messages of an endpoint travel under a session key."""
    return endpoint.row.security is not None and endpoint.row.security.kind is not SecurityKind.NONE


# ── sessions ─────────────────────────────────────────────────────────────────────────────────────────────────────────
def session_of(broker: Broker, endpoint: DialogEndpoint) -> DialogSession | int:
    """The keys of a secured endpoint, opened when they are first needed; or the number of why they cannot be."""
    if endpoint.session is not None:
        return endpoint.session
    security = endpoint.row.security
    assert security is not None, "only secured dialogs have keys"
    opened = _opened(broker, endpoint.database, security)
    if isinstance(opened, DialogSession):
        endpoint.session = opened
    return opened


def departed_session(
    broker: Broker, database: DatabaseName, conversation_id: ConversationId, *, is_initiator: bool
) -> DialogSession | None:
    """The keys of a side that is gone, opened when they are first needed; None when they are not to be had."""
    departed = broker.departed.find(database, conversation_id, is_initiator=is_initiator)
    if departed is None:
        return None
    if departed.session is None:
        opened = _opened(broker, database, departed.row.security)
        departed.session = opened if isinstance(opened, DialogSession) else None
    return departed.session


def _opened(broker: Broker, name: DatabaseName, security: DialogSecurity) -> DialogSession | int:
    """Stored keys in use; or the number of why they cannot be opened."""
    database, vault = broker.catalog.databases[name], broker.vault
    fault = master_key_fault(database)
    if fault is not None or database.master_key is None:
        return fault or NO_MASTER_KEY
    keys: list[OpenKey | None] = []
    for stored in (security.outbound, security.inbound):
        opened = None
        if stored is not None and vault is not None:
            opened = vault.unseal(database.master_key.key, stored.suite, stored.sealed)
        if stored is not None and opened is None:
            return MASTER_KEY_CLOSED
        keys.append(None if stored is None or opened is None else OpenKey(stored.identifier, opened))
    outbound, inbound = keys
    return DialogSession(outbound, inbound, security.header)


def secured(broker: Broker, database: DatabaseName, message: DialogMessage) -> DialogMessage | None:
    """A message as it leaves for the network; None when it may not leave, because its key cannot be had."""
    arrival = broker.arrival
    if arrival is not None and not message.is_sequenced and arrival.conversation_id == message.conversation_id:
        return protect(message, arrival.key)
    endpoint = broker.endpoint_in(database, message.conversation_id, is_initiator=message.from_initiator)
    if endpoint is None:
        return message
    if endpoint.session is not None:
        return endpoint.session.secured(message, endpoint.sender.first)
    security = endpoint.row.security
    if security is None or security.kind is SecurityKind.NONE:
        return message
    session = session_of(broker, endpoint)
    return None if isinstance(session, int) else session.secured(message, endpoint.sender.first)


def first_arrived(broker: Broker, endpoint: DialogEndpoint) -> None:
    """The first message that travelled is acknowledged: its security header is not needed any more."""
    security = endpoint.row.security
    if security is not None and security.header is not None:
        endpoint.revise(security=msgspec.structs.replace(security, header=None))
        broker.touch(endpoint)
        if endpoint.session is not None:
            endpoint.session = DialogSession(endpoint.session.outbound, endpoint.session.inbound)


def close_sessions(broker: Broker, database: DatabaseName) -> None:
    """The master key of a database changed: what was opened under it is opened again, or not."""
    broker.key_exchange.forget(database)
    for endpoint in broker.conversations.all_live():
        if same_name(endpoint.database, database):
            endpoint.session = None
