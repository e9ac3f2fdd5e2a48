"""Whether a message may open a dialog: its sender needs SEND, the owner of the service RECEIVE (protocol.md 9.3).

Asked once for each dialog, when its target endpoint is made. A permission that is withdrawn later ends no dialog.
"""

from __future__ import annotations

from engine.core.catalog.permission_rules import may_receive, may_send, sender_within
from engine.core.catalog.security import PUBLIC
from engine.core.handlers.broker import Broker
from engine.core.handlers.opening import audit
from engine.core.handlers.outbound import answer_with_error
from engine.core.vocabulary.identifiers import DatabaseName, UserName
from engine.core.vocabulary.messages import DialogMessage
from engine.core.vocabulary.subclasses import AuditFailure

MAY_NOT_SEND, DISCARDED, MAY_NOT_RECEIVE = 8494, 11215, 8401


def refused(broker: Broker, database: DatabaseName, message: DialogMessage, *, is_local: bool) -> int | None:
    """Why permissions keep a message from opening a dialog; None when they do not. Who may not send is answered."""
    if (database, message.target.service_name) not in broker.guarded:
        return None
    catalog = broker.catalog.databases[database]
    principal = _local_sender(broker, database, message) if is_local else _far_sender(broker, message)
    if not may_send(catalog, message.target.service_name, principal):
        answer_with_error(broker, database, message, MAY_NOT_SEND)
        return DISCARDED
    if may_receive(catalog, message.target.service_name):
        return None
    # The broker of this side is at fault, not the sender, so nobody is answered: the sender repeats the message.
    audit(broker, database, message, AuditFailure.RUN_AS_TARGET_FAILURE, MAY_NOT_RECEIVE)
    return MAY_NOT_RECEIVE


def may_open(broker: Broker, database: DatabaseName, message: DialogMessage, *, is_local: bool) -> bool:
    """Whether permissions let the sender of a message open a dialog; nobody is answered, nothing is told."""
    service = message.target.service_name
    if (database, service) not in broker.guarded:
        return True
    catalog = broker.catalog.databases[database]
    principal = _local_sender(broker, database, message) if is_local else _far_sender(broker, message)
    return may_send(catalog, service, principal) and may_receive(catalog, service)


def _far_sender(broker: Broker, message: DialogMessage) -> UserName:
    """As whom the sender of a message from the network counts (protocol.md 9.1)."""
    arrival = broker.arrival
    if arrival is None or arrival.security is None or arrival.conversation_id != message.conversation_id:
        return PUBLIC
    return UserName(arrival.security.far_principal or PUBLIC)


def _local_sender(broker: Broker, database: DatabaseName, message: DialogMessage) -> UserName:
    """As whom a service of this very instance counts."""
    initiator = broker.elsewhere(message.conversation_id, is_initiator=True)
    if initiator is None:
        return PUBLIC
    databases = broker.catalog.databases
    return sender_within(databases[initiator.database], initiator.row.service, databases[database])
