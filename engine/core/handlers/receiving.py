"""RECEIVE: the messages of one conversation group leave their queue (protocol.md 12)."""

from __future__ import annotations

from collections.abc import Mapping

from engine.core.catalog.names import spelling_in, with_schema
from engine.core.catalog.objects import Service
from engine.core.exchange.commands import Receive
from engine.core.exchange.events import MessagesTaken
from engine.core.exchange.replies import MessagesReceived
from engine.core.handlers.broker import Broker
from engine.core.handlers.conversations import database_of, endpoint_of
from engine.core.vocabulary.errors import LimitExceeded, LocalProtocolError
from engine.core.vocabulary.identifiers import DatabaseName, QueueName, ServiceName
from engine.core.vocabulary.limits import RECEIVE_MESSAGES_MAX


def receive(broker: Broker, command: Receive) -> MessagesReceived:
    """Take up to `top` messages of the best group, or of the group or conversation asked for."""
    name = queue_name_of(broker, command.database, command.queue)
    if not broker.catalog.databases[command.database].queues[name].is_enabled:
        raise LocalProtocolError(9617, queue=name, database=command.database)
    if not 0 < command.top <= RECEIVE_MESSAGES_MAX:
        raise LimitExceeded(1060, value=command.top, limit=RECEIVE_MESSAGES_MAX)
    _check_filter(broker, command, name)
    rows = broker.queue(command.database, name).next_messages(
        command.top, command.conversation_handle, command.conversation_group_id
    )
    broker.counters.sql_receives += 1
    broker.remove_queue(command.database, name, [row.queuing_order for row in rows])
    if rows:
        broker.tell(MessagesTaken(at=broker.now.utc, database=command.database, queue=name, count=len(rows)))
    return MessagesReceived(messages=tuple(rows))


def _check_filter(broker: Broker, command: Receive, queue: QueueName) -> None:
    services = broker.catalog.databases[command.database].services
    if command.conversation_handle is not None:
        endpoint = endpoint_of(broker, command.database, command.conversation_handle)
        if not _reads(services, endpoint.row.service, queue):
            raise LocalProtocolError(8426, conversation_handle=str(command.conversation_handle))
    group = command.conversation_group_id
    if group is not None and not any(
        _reads(services, endpoint.row.service, queue)
        for endpoint in broker.conversations.of_group(command.database, group)
    ):
        raise LocalProtocolError(8436, value=str(group), queue=queue)


def _reads(services: Mapping[ServiceName, Service], service: ServiceName, queue: QueueName) -> bool:
    """Whether the messages of a service are in a queue; those of the broker's own service are in none of the user's."""
    return service in services and services[service].queue == queue


def queue_name_of(broker: Broker, database: DatabaseName, name: QueueName) -> QueueName:
    """A queue as the catalog spells it, in any letter case, `dbo` where no schema is named; 15151 without one."""
    queues = database_of(broker, database).queues
    spelled = spelling_in(queues, name) or spelling_in(queues, with_schema(name))
    if spelled is not None:
        return spelled
    raise LocalProtocolError(15151, value="queue", name=name, database=database)
