"""Clients of RabbitMQ on raw sockets: pipelined, with publisher confirms and acknowledgements of many at once."""

from __future__ import annotations

from collections.abc import Sequence

from tests.benchmarks.link import amqp_wire
from tests.benchmarks.link.amqp_wire import BODY, DELIVER, METHOD, Confirms, Connection, delivery_tag
from tests.benchmarks.link.clients import Consumer, Producer, Watcher

QUIET_SECONDS = 0.001
"""When nothing comes for so long, what was received is acknowledged, however little it is."""


class RabbitProducer(Producer):
    """Publishes persistent messages, at most a window of them unconfirmed."""

    def __init__(self, port: int, queue: str, window: int, chunk: int) -> None:
        """`chunk` messages are written to the socket at once."""
        self._queue, self._window, self._chunk = queue, window, chunk
        self._connection = Connection(port)
        self._connection.select_confirms()
        self._confirms = Confirms()
        self._published = 0

    def prepare(self, bodies: Sequence[bytes]) -> None:
        frames = [amqp_wire.publish(self._queue, body) for body in bodies]
        self._pieces = [
            (len(frames[at : at + self._chunk]), b"".join(frames[at : at + self._chunk]))
            for at in range(0, len(frames), self._chunk)
        ]

    def send_prepared(self) -> None:
        for count, piece in self._pieces:
            self._wait_until_unconfirmed(self._window - count)
            self._connection.socket.sendall(piece)
            self._published += count
        self._wait_until_unconfirmed(0)

    def send(self, body: bytes) -> None:
        self._connection.socket.sendall(amqp_wire.publish(self._queue, body))
        self._published += 1
        self._wait_until_unconfirmed(0)

    def _wait_until_unconfirmed(self, most: int) -> None:
        while self._published - self._confirms.count > most:
            found = self._connection.read(amqp_wire.ANSWER_SECONDS_MAX)
            if not found:
                raise amqp_wire.ProtocolFailed("messages are not confirmed")
            for each in found:
                self._confirms.take(each)

    def close(self) -> None:
        self._connection.close()


class RabbitConsumer(Consumer):
    """Has messages delivered and acknowledges them, many at once while many come."""

    def __init__(self, port: int, queue: str, prefetch: int, acknowledge_every: int) -> None:
        self._connection = Connection(port)
        self._every = acknowledge_every
        self._delivered = self._acknowledged = 0
        self._connection.consume(queue, prefetch)

    def receive(self, seconds_max: float) -> Sequence[bytes]:
        if self._delivered > self._acknowledged:
            if found := self._connection.read(QUIET_SECONDS):
                return self._bodies(found)
            self._acknowledge()
        return self._bodies(self._connection.read(seconds_max))

    def _bodies(self, found: Sequence[amqp_wire.Frame]) -> list[bytes]:
        bodies = []
        for each in found:
            if each.type == BODY:
                bodies.append(each.payload)
            elif each.type == METHOD and each.kind == DELIVER:
                self._announced = delivery_tag(each)
        if bodies:
            # The last delivery that was announced may still be without its body.
            self._delivered += len(bodies)
            assert self._announced - self._delivered in (0, 1)
        return bodies

    def commit(self) -> None:
        if self._delivered - self._acknowledged >= self._every:
            self._acknowledge()

    def _acknowledge(self) -> None:
        self._connection.socket.sendall(amqp_wire.acknowledge(self._delivered))
        self._acknowledged = self._delivered

    def close(self) -> None:
        if self._delivered > self._acknowledged:
            self._acknowledge()
        self._connection.close()


class RabbitWatcher(Watcher):
    """Asks how long the queue is."""

    def __init__(self, port: int, queue: str) -> None:
        self._connection, self._queue = Connection(port), queue

    def arrived(self) -> int:
        return self._connection.waiting(self._queue)

    def close(self) -> None:
        self._connection.close()
