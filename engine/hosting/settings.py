"""What hosting is told from outside: where data is, which broker carries commands. Values, never names of variables."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import msgspec

from engine.core.vocabulary.limits import FRAGMENT_BYTES_DEFAULT, HOSTED_EVENTS_KEPT, OBJECT_BYTES_KEPT
from engine.core.vocabulary.moment import Duration
from engine.hosting.leases import LeaseBook

MEMORY_BROKER: Final = "engine-memory://localhost/"
MEMORY_RESULTS: Final = "cache+memory://"
LEASE_SECONDS: Final = Duration(8.0)
"""Long enough to outlast two renewals that fail, short enough to replace a dead worker within 15 seconds."""


class HostingSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How instances are hosted. The defaults need no server: web and worker share one process."""

    data_directory: Path
    """Stores in SQLite and the directory of the instances' real ports. Every worker of a deployment sees the same."""
    broker_url: str = MEMORY_BROKER
    """Celery broker: memory, Redis or RabbitMQ."""
    store_url: str | None = None
    """PostgreSQL database for the stores of the instances; None keeps each in a SQLite file of the data directory."""
    result_backend: str | None = None
    """Celery result backend; None picks the one that fits the broker."""
    listen_host: str = "127.0.0.1"
    """Real address on which the instances of this worker listen for each other."""
    worker_threads: int = 16
    """Commands and reads that are waited for at once; the instances themselves share one thread."""
    wakes_web: bool = True
    """Whether a task tells the web of new events; off where no web listens."""
    fragment_bytes: int = FRAGMENT_BYTES_DEFAULT
    """Bytes of a message body that travel as one fragment (protocol.md 3.3)."""
    object_bytes_kept: int = OBJECT_BYTES_KEPT
    """Bytes of memory that an instance keeps for conversations at rest; others rest in a file (protocol.md 5)."""
    events_kept: int = HOSTED_EVENTS_KEPT
    """Events that each instance keeps in its log, the newest: what live views, audit and trace can look back on."""
    retry_seconds: Duration = Duration(5.0)
    """Wait before an instance that could not be opened or whose store failed is tried again."""

    leases: LeaseBook | None = None
    """Who may host which instance; None where each host keeps to what it can lock."""
    lease_seconds: Duration = LEASE_SECONDS
    """How long a lease lasts unless it is renewed; the same for all workers of a deployment."""

    reader_modules: tuple[str, ...] = ()
    """Modules that register readers; workers import them when they start."""

    service_key: str | None = None
    """Key that protects the master keys of all databases, 32 bytes in base64; None keeps it in the data directory."""

    metrics_port: int | None = None
    """Port of `GET /metrics` of a worker that hosts; None answers nobody."""
    metrics_host: str = "127.0.0.1"
    metrics_token: str | None = None
    """What whoever reads metrics has to show; None shows them to everybody who reaches the address."""

    def __repr__(self) -> str:
        return f"HostingSettings(data_directory={str(self.data_directory)!r}, …)"

    @property
    def is_embedded(self) -> bool:
        """Whether the broker lives in this process."""
        return self.broker_url == MEMORY_BROKER

    @property
    def result_backend_url(self) -> str:
        """Where results go: given, or the broker itself."""
        if self.result_backend is not None:
            return self.result_backend
        if self.is_embedded:
            return MEMORY_RESULTS
        return "rpc://" if self.broker_url.startswith(("amqp", "pyamqp")) else self.broker_url
