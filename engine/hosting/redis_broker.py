"""kombu's Redis transport, made to outlive the broker.

A broker that goes away while a task is under way leaves a message behind that can neither be given back nor be
acknowledged: the connection it came over is gone. kombu's channel then fails with an `AttributeError`
(celery/kombu#582), and Celery takes whatever is no connection error for the end of the worker: one short outage would
end all workers at once. Here it is a connection error, which is what has happened. The task comes again when whoever
asked for it asks again, or when Redis finds out that nobody has acknowledged it.
"""

from __future__ import annotations

from typing import Any

from kombu.transport import redis
from redis.exceptions import ConnectionError as RedisConnectionLost


class Channel(redis.Channel):
    """A channel that knows when its connection is gone."""

    def _connparams(self, asynchronous: bool = False) -> dict[str, Any]:
        """Where the next connection of the channel leads to."""
        if self.connection is None or self.connection.client is None:
            raise RedisConnectionLost("the connection over which the task came is lost")
        parent: Any = super()
        return dict(parent._connparams(asynchronous))


class Transport(redis.Transport):
    """A transport of such channels."""

    Channel = Channel
