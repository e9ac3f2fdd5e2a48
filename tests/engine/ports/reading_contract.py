"""How every store reads back the messages that an instance has left behind."""

from itertools import chain
from typing import Any

import msgspec
import pytest

from engine.core.catalog.objects import DIALOG_TIMER_TYPE, ERROR_TYPE
from engine.core.exchange.changes import (
    AdmitQueueRows,
    AppendQueue,
    AppendTransmission,
    PutEndpoint,
    RemoveQueue,
    TrimTransmission,
)
from engine.core.vocabulary.identifiers import ConversationGroupId, ConversationHandle, QueueName
from engine.core.vocabulary.limits import MESSAGES_READ_AT_ONCE, MESSAGES_READ_BYTES
from engine.core.vocabulary.rows import QueueRow, QueueRowStatus, QueueSpan, TransmissionSpan, put_together
from engine.runtime.ports import Store
from engine.storage import loading as sqlite_loading
from engine.storage.errors import StoreFailed
from engine.storage.postgres import loading as postgres_loading
from tests.engine.ports.store_contract import (
    QUEUE,
    STOCK,
    TIME,
    VENTES,
    StoreContract,
    endpoint,
    handle,
    queued,
    waiting,
)

OTHER = QueueName("dbo.Autre")


class ReadingContract(StoreContract):
    """Beside the contract of a store."""

    def test_messages_of_a_conversation_are_read_from_a_number_on(self, store: Store):
        rows = [waiting(1, number) for number in range(3, 3 + MESSAGES_READ_AT_ONCE + 5)]
        others = [waiting(2, 3), waiting(0, 4)]
        store.commit([AppendTransmission(database=VENTES, row=row) for row in (*rows, *others)], [])
        store.commit([AppendTransmission(database=STOCK, row=waiting(1, 3, b"of another database"))], [])
        assert list(store.transmission_rows(VENTES, handle(1), 3)) == rows[:MESSAGES_READ_AT_ONCE]
        assert list(store.transmission_rows(VENTES, handle(1), 68)) == rows[65:]
        assert list(store.transmission_rows(STOCK, handle(1), 3)) == [waiting(1, 3, b"of another database")]

    def test_large_messages_are_read_one_by_one(self, store: Store):
        half = bytes(MESSAGES_READ_BYTES // 2)
        bodies = [half, half, b"x", bytes(3 * MESSAGES_READ_BYTES), None, half]
        rows = [waiting(1, number, body) for number, body in enumerate(bodies)]
        store.commit([AppendTransmission(database=VENTES, row=row) for row in rows], [])
        portions = [list(store.transmission_rows(VENTES, handle(1), first)) for first in (0, 2, 3, 4)]
        assert portions == [rows[:2], rows[2:3], rows[3:4], rows[4:]]

    def test_who_asks_for_a_message_that_is_not_there_fails(self, store: Store):
        store.commit([AppendTransmission(database=VENTES, row=waiting(1, number)) for number in (0, 1, 2)], [])
        store.commit([TrimTransmission(database=VENTES, conversation_handle=handle(1), through=0)], [])
        for database, number, first in ((VENTES, 1, 0), (VENTES, 1, 3), (VENTES, 2, 1), (STOCK, 1, 1)):
            with pytest.raises(StoreFailed, match=f"message {first} "):
                store.transmission_rows(database, handle(number), first)

    def test_messages_of_queues_are_read_by_their_places(self, store: Store):
        rows = {order: queued(order) for order in range(1, MESSAGES_READ_AT_ONCE + 20)}
        store.commit([AppendQueue(database=VENTES, queue=QUEUE, row=row) for row in rows.values()], [])
        assert list(store.queue_rows(VENTES, [7, 3, 70])) == [rows[7], rows[3], rows[70]]
        assert list(store.queue_rows(VENTES, list(rows))) == list(rows.values())[:MESSAGES_READ_AT_ONCE]
        assert list(store.queue_rows(VENTES, [5, 500, 6])) == [rows[5]]
        for database, order in ((VENTES, 500), (STOCK, 5)):
            with pytest.raises(StoreFailed, match=f"message {order} "):
                store.queue_rows(database, [order, 6])

    def test_what_waits_is_told_in_spans(self, store: Store):
        store.commit(
            [
                *(PutEndpoint(database=VENTES, endpoint=endpoint(number)) for number in (1, 2, 3)),
                PutEndpoint(database=STOCK, endpoint=endpoint(1)),
                *(AppendTransmission(database=VENTES, row=waiting(1, number)) for number in range(4, 9)),
                AppendTransmission(database=VENTES, row=waiting(3, 0)),
                AppendTransmission(database=STOCK, row=waiting(1, 2)),
            ],
            [],
        )
        pieces = list(self.reopen(store).load(in_spans=True).databases)
        assert not any(piece.transmission for piece in pieces)
        spans = [(piece.name, span) for piece in pieces for span in piece.spans]
        assert sorted(spans) == [
            (STOCK, TransmissionSpan(handle(1), 2, 3, TIME)),
            (VENTES, TransmissionSpan(handle(1), 4, 9, TIME)),
            (VENTES, TransmissionSpan(handle(3), 0, 1, TIME)),
        ]

    def test_what_waits_in_queues_is_told_by_places(self, store: Store):
        def on(order: int, number: int, sequence: int, **fields: Any) -> QueueRow:
            own = {"conversation_handle": handle(number), "message_sequence_number": sequence, **fields}
            return msgspec.structs.replace(queued(order), **own)

        plain = [on(2, 1, 0), on(3, 2, 7, priority=9), on(4, 1, 1), on(6, 1, 3), on(7, 1, 2), on(12, 2, 8, priority=9)]
        others = [
            on(1, 1, 5, status=QueueRowStatus.DISABLED, fragment_number=0, fragment_bytes=1, message_bytes=2),
            on(5, 2, -1, message_type_name=ERROR_TYPE),
            on(8, 2, -1, message_type_name=DIALOG_TIMER_TYPE),
            on(9, 1, 4, awaits_queue=True),
            on(10, 3, 0, status=QueueRowStatus.RECEIVED_RETAINED),
            on(11, 3, 0, status=QueueRowStatus.SENT_RETAINED),
        ]
        store.commit([AppendQueue(database=VENTES, queue=QUEUE, row=row) for row in (*others, *plain)], [])
        store.commit([AppendQueue(database=STOCK, queue=OTHER, row=on(1, 4, 0))], [])
        store.commit([AppendQueue(database=STOCK, queue=QUEUE, row=on(2, 5, 0))], [])
        store.commit([RemoveQueue(database=VENTES, queue=QUEUE, queuing_orders=(12,))], [])
        store.commit([AdmitQueueRows(database=VENTES, queue=QUEUE, queuing_orders=(9,))], [])

        pieces = list(self.reopen(store).load(in_spans=True).databases)

        told = {each.name: each for each in put_together(pieces)}
        group = queued(1).conversation_group_id
        assert {queue: sorted(map(_span, spans)) for queue, spans in told[VENTES].queue_spans.items()} == {
            QUEUE: [
                (handle(1), group, 5, 0, [2, 4]),
                (handle(1), group, 5, 2, [7]),
                (handle(1), group, 5, 3, [6]),
                (handle(1), group, 5, 4, [9]),
                (handle(2), group, 9, 7, [3]),
            ]
        }
        assert {queue: list(map(_span, spans)) for queue, spans in told[STOCK].queue_spans.items()} == {
            OTHER: [(handle(4), group, 5, 0, [1])],
            QUEUE: [(handle(5), group, 5, 0, [2])],
        }
        assert told[VENTES].queues == {QUEUE: [row for row in others if row.queuing_order != 9]}
        assert told[STOCK].queues == {}

    def test_places_are_told_in_pieces_and_in_order(self, store: Store, monkeypatch: pytest.MonkeyPatch):
        for room in (sqlite_loading, postgres_loading):
            monkeypatch.setattr(room, "PLACES_AT_ONCE", 7)
        rows = [
            msgspec.structs.replace(queued(order), conversation_handle=handle(order % 3)) for order in range(1, 101)
        ]
        databases = (VENTES, STOCK)
        store.commit([AppendQueue(database=name, queue=QUEUE, row=row) for name in databases for row in rows], [])
        pieces = list(self.reopen(store).load(in_spans=True).databases)
        for name in databases:
            told = [each.queue_spans[QUEUE] for each in pieces if each.name == name and each.queue_spans]
            assert len(told) > 1
            places = [sorted(place for span in spans for place in span.places) for spans in told]
            assert list(chain.from_iterable(places)) == list(range(1, 101))


def _span(span: QueueSpan) -> tuple[ConversationHandle, ConversationGroupId, int, int, list[int]]:
    return (*span[:4], list(span.places))
