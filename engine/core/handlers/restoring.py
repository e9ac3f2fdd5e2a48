"""Rebuilding conversations, queues and transmission queues from stored rows: at start, and from a backup."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from engine.core.catalog.builtin import service_of
from engine.core.dialog.departed import Departed
from engine.core.dialog.endpoint import DialogEndpoint
from engine.core.handlers.broker import Broker
from engine.core.vocabulary.identifiers import ConversationHandle
from engine.core.vocabulary.rows import DatabaseRows, TransmissionRow, TransmissionSpan


def restore(broker: Broker, rows: DatabaseRows) -> None:
    """Take over the stored rows of one database, or the next piece of them."""
    for departed in rows.departed:
        broker.departed.keep(rows.name, Departed(departed))
    _restore_queues(broker, rows)
    waiting: dict[ConversationHandle, list[TransmissionRow]] = {}
    for message in rows.transmission:
        waiting.setdefault(message.conversation_handle, []).append(message)
    spans = {span.conversation_handle: span for span in rows.spans}
    for row in rows.endpoints:
        endpoint = broker.endpoint(rows.name, row)
        broker.add(endpoint)
        span = spans.get(row.conversation_handle)
        _restore_sender(broker, endpoint, waiting.get(row.conversation_handle, ()), span)
        _restore_receiver(broker, endpoint)


def _restore_queues(broker: Broker, rows: DatabaseRows) -> None:
    spans = (span.places[-1] for told in rows.queue_spans.values() for span in told)
    orders = (row.queuing_order for queue in rows.queues.values() for row in queue)
    highest = max(chain(spans, orders), default=0)
    broker.next_queuing_order[rows.name] = max(broker.next_queuing_order.get(rows.name, 1), highest + 1)
    for name, told in rows.queue_spans.items():
        broker.queue(rows.name, name).load_spans(told)
    for name, messages in rows.queues.items():
        queue = broker.queue(rows.name, name)
        broker.counters.transmission_restored -= queue.awaiting
        queue.load(messages)
        if broker.memory.bytes > broker.memory.bytes_max:
            broker.arrived[rows.name, name] = [row.queuing_order for row in messages]
        broker.counters.transmission_restored += queue.awaiting


def _restore_sender(
    broker: Broker, endpoint: DialogEndpoint, waiting: Sequence[TransmissionRow], span: TransmissionSpan | None
) -> None:
    if span is not None:
        endpoint.sender.restore_span(span)
    for message in waiting:
        endpoint.sender.restore(message)
    endpoint.has_stored_rows = len(endpoint.sender) > 0
    if endpoint.has_stored_rows:
        broker.shifted[endpoint] = None
    broker.counters.transmission_restored += len(endpoint.sender)
    if broker.memory.bytes > broker.memory.bytes_max:
        broker.crowded[endpoint] = None
    has_sent = endpoint.row.send_sequence > 0 and endpoint.row.far_broker_instance is not None
    endpoint.first_acknowledged = has_sent and not endpoint.sender.holds(0)


def _restore_receiver(broker: Broker, endpoint: DialogEndpoint) -> None:
    if service_of(broker.catalog.databases[endpoint.database], endpoint.row.service) is None:
        return
    _, queue = broker.queue_of(endpoint)
    early = queue.early_of(endpoint.row.conversation_handle)
    if early:
        endpoint.receiver.restore(queue.rows_at(sorted(early)))
