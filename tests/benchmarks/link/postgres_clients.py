"""Clients of the PostgreSQL pair: one transaction a batch at either end."""

from __future__ import annotations

from collections.abc import Sequence

from tests.benchmarks.link.clients import Consumer, Producer, Watcher
from tests.benchmarks.link.postgres_queue import TableQueue, bodies_for_copy, connect


class PostgresProducer(Producer):
    """Writes into the outbox, with COPY what was prepared."""

    def __init__(self, dsn: str, batch: int) -> None:
        self._connection = connect(dsn)
        self._batch = batch

    def prepare(self, bodies: Sequence[bytes]) -> None:
        self._pieces = [bodies_for_copy(bodies[at : at + self._batch]) for at in range(0, len(bodies), self._batch)]

    def send_prepared(self) -> None:
        with self._connection.cursor() as cursor:
            for piece in self._pieces:
                with cursor.copy("COPY outbox (body) FROM STDIN (FORMAT binary)") as copy:
                    copy.write(piece)

    def send(self, body: bytes) -> None:
        self._connection.execute("INSERT INTO outbox (body) VALUES (%b)", (body,))

    def close(self) -> None:
        self._connection.close()


class PostgresConsumer(Consumer):
    """Takes from the inbox, a batch a transaction."""

    def __init__(self, dsn: str, batch: int) -> None:
        self._queue = TableQueue(dsn, "inbox", batch)

    def receive(self, seconds_max: float) -> Sequence[bytes]:
        return [body for _, body in self._queue.take(seconds_max)]

    def commit(self) -> None:
        self._queue.commit()

    def close(self) -> None:
        self._queue.commit()
        self._queue.connection.close()


class PostgresWatcher(Watcher):
    """Reads the watermark: numbers have no gaps, since no transaction of the producer is rolled back."""

    def __init__(self, dsn: str) -> None:
        self._connection = connect(dsn)
        self._before = self._last()

    def arrived(self) -> int:
        return self._last() - self._before

    def _last(self) -> int:
        row = self._connection.execute("SELECT last FROM watermark").fetchone()
        assert row is not None
        return int(row[0])

    def close(self) -> None:
        self._connection.close()
