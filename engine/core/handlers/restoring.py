"""Rebuilding conversations, queues and transmission queues from stored rows: at start, and from a backup."""

from __future__ import annotations

from engine.core.dialog.departed import Departed
from engine.core.handlers.broker import Broker
from engine.core.queues.queue import ServiceQueue
from engine.core.vocabulary.identifiers import ConversationHandle
from engine.core.vocabulary.rows import DatabaseRows, QueueRow


def restore(broker: Broker, rows: DatabaseRows) -> None:
    """Take over the stored rows of one database."""
    orders = [row.queuing_order for queue in rows.queues.values() for row in queue]
    broker.next_queuing_order[rows.name] = max(orders, default=0) + 1
    for row in rows.endpoints:
        broker.add(broker.endpoint(rows.name, row))
    for departed in rows.departed:
        broker.departed.keep(rows.name, Departed(departed))
    _restore_queues(broker, rows)
    for waiting in rows.transmission:
        endpoint = broker.conversations.get((rows.name, waiting.conversation_handle))
        if endpoint is not None:
            endpoint.sender.restore(waiting)
            endpoint.has_stored_rows = True
            broker.counters.transmission_restored += 1
    for endpoint in broker.conversations.all_live():
        if endpoint.database != rows.name:
            continue
        has_sent = endpoint.row.send_sequence > 0 and endpoint.row.far_broker_instance is not None
        endpoint.first_acknowledged = has_sent and not endpoint.sender.holds(0)


def _restore_queues(broker: Broker, rows: DatabaseRows) -> None:
    for name, messages in rows.queues.items():
        queue = ServiceQueue(messages)
        broker.put_queue(rows.name, name, queue)
        broker.counters.transmission_restored += queue.awaiting
        early: dict[ConversationHandle, list[QueueRow]] = {}
        for message in queue.early():
            early.setdefault(message.conversation_handle, []).append(message)
        for handle, held in early.items():
            endpoint = broker.conversations.get((rows.name, handle))
            if endpoint is not None:
                endpoint.receiver.restore(held)
