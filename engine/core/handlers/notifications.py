"""Event notifications of queues: an EVENT_INSTANCE document to a service (protocol.md 14, 17.3; tsql.md 11).

The broker keeps one conversation for each database and service that is notified, and begins it at the first event.
When the other side ends it or it fails, the notifications that used it are dropped, as documented.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final
from uuid import UUID
from xml.sax.saxutils import escape

from engine.core.catalog.builtin import BROKER_SERVICE, EVENT_CONTRACT, EVENT_TYPE
from engine.core.catalog.event_notifications import notifications_of
from engine.core.catalog.objects import EventNotification, QueueEvent
from engine.core.dialog.endpoint import DialogEndpoint
from engine.core.handlers.broker import Broker
from engine.core.handlers.conversations import enqueue
from engine.core.handlers.planning import plan
from engine.core.queues.monitor import NotifiedKey
from engine.core.vocabulary.identifiers import (
    BrokerInstanceId,
    ConversationGroupId,
    ConversationHandle,
    ConversationId,
    DatabaseName,
    QueueName,
)
from engine.core.vocabulary.limits import LIFETIME_SECONDS_MAX
from engine.core.vocabulary.messages import MessageKind
from engine.core.vocabulary.moment import UtcTime
from engine.core.vocabulary.rows import ConversationEndpoint, ConversationState
from engine.core.vocabulary.subclasses import ConversationHappening

_NOBODY: Final = ConversationHandle(UUID(int=0))

QUEUE_DISABLED: Final = QueueEvent.BROKER_QUEUE_DISABLED
QUEUE_ACTIVATION: Final = QueueEvent.QUEUE_ACTIVATION


def notify(broker: Broker, database: DatabaseName, queue: QueueName, event: QueueEvent) -> int:
    """Send the event to every service that asked for it; answers how many did."""
    wanted = notifications_of(broker.catalog.databases[database], queue, event)
    for notification in wanted:
        endpoint = _conversation(broker, database, notification)
        enqueue(broker, endpoint, MessageKind.USER, EVENT_TYPE, event_body(broker, database, queue, event))
        if broker.knows(endpoint):
            plan(broker, endpoint)
    return len(wanted)


def event_body(broker: Broker, database: DatabaseName, queue: QueueName, event: QueueEvent) -> bytes:
    """An EVENT_INSTANCE document, UTF-16 with its mark; the time is UTC."""
    schema, _, name = queue.partition(".")
    at = datetime.fromtimestamp(broker.now.utc, UTC).isoformat(timespec="milliseconds").removesuffix("+00:00")
    fields = {
        "EventType": event.value,
        "PostTime": at,
        "ServerName": broker.catalog.name,
        "DatabaseName": database,
        "SchemaName": schema,
        "ObjectName": name,
        "ObjectType": "QUEUE",
    }
    inside = "".join(f"<{field}>{escape(value)}</{field}>" for field, value in fields.items())
    return f"<EVENT_INSTANCE>{inside}</EVENT_INSTANCE>".encode("utf-16")


def broken(broker: Broker, endpoint: DialogEndpoint) -> list[EventNotification]:
    """The notifications whose conversation the other side has just ended: they are to be dropped (tsql.md 11)."""
    if endpoint.row.contract != EVENT_CONTRACT:
        return []
    database = broker.catalog.databases[endpoint.database]
    return [
        each
        for each in database.event_notifications.values()
        if each.to_service == endpoint.row.far_service
        and _far_id(broker, endpoint.database, each) in (endpoint.row.far_broker_instance, None)
    ]


def _far_id(broker: Broker, database: DatabaseName, notification: EventNotification) -> BrokerInstanceId:
    return notification.broker_instance or broker.catalog.databases[database].broker_instance


def _conversation(broker: Broker, database: DatabaseName, notification: EventNotification) -> DialogEndpoint:
    """The conversation that is open already, or a new one."""
    far_id = _far_id(broker, database, notification)
    key = (database, notification.to_service, far_id)
    if key not in broker.activity.notified:
        # Once after a start: the conversations are stored, where they are is not.
        broker.activity.notified |= _open_conversations(broker)
    known = broker.conversations.get((database, broker.activity.notified.get(key, _NOBODY)))
    if known is not None and known.row.state is ConversationState.CONVERSING:
        return known
    endpoint = broker.endpoint(
        database,
        ConversationEndpoint(
            conversation_handle=ConversationHandle(broker.entropy.new_uuid()),
            conversation_id=ConversationId(broker.entropy.new_uuid()),
            is_initiator=True,
            conversation_group_id=ConversationGroupId(broker.entropy.new_uuid()),
            service=BROKER_SERVICE,
            contract=EVENT_CONTRACT,
            state=ConversationState.CONVERSING,
            far_service=notification.to_service,
            far_broker_instance=far_id,
            lifetime=UtcTime(broker.now.utc + LIFETIME_SECONDS_MAX),
        ),
    )
    broker.activity.notified[key] = endpoint.row.conversation_handle
    broker.add(endpoint)
    broker.touch(endpoint)
    broker.announce(endpoint, ConversationHappening.BEGIN_DIALOG)
    return endpoint


def _open_conversations(broker: Broker) -> dict[NotifiedKey, ConversationHandle]:
    """The conversations on which this instance notifies, by database, service and broker id of the far side."""
    found: dict[NotifiedKey, ConversationHandle] = {}
    for endpoint in broker.conversations.look():
        row = endpoint.row
        is_ours = row.service == BROKER_SERVICE and row.contract == EVENT_CONTRACT
        is_open = row.state is ConversationState.CONVERSING
        if is_ours and is_open and row.far_broker_instance is not None:
            found[endpoint.database, row.far_service, row.far_broker_instance] = row.conversation_handle
    return found
