"""`Contestant`: a pair of brokers with a link between them, as the frame of the benchmark sees it.

A contestant only starts servers and names its clients. Everything that is measured, the frame measures: from outside,
in the same way for everybody.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.benchmarks.link.servers import Servers


@dataclass(frozen=True)
class ClientSpec:
    """A client that runs in a process of its own."""

    factory: str
    """`module:Class`, a `Producer`, `Consumer` or `Watcher` of clients.py."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Arguments of the class by name; values that JSON can carry."""


class Contestant(ABC):
    """Brokers A and B and what carries messages from A to B."""

    name: str
    """What the table calls it."""
    description: str
    """One line: the configuration that is measured."""
    conversations: int = 1
    """Which messages go round; each has one while the brokers warm up."""

    def missing(self) -> str:
        """What must be installed before it can take part, as a sentence; empty when nothing is missing."""
        return ""

    @abstractmethod
    def start(self, servers: Servers) -> None:
        """Start all servers, with the link open and the queues empty; `servers` stops whatever was started with it."""

    @abstractmethod
    def processes(self) -> Mapping[str, int]:
        """The processes whose CPU and memory are the brokers', by role; those that they start count with them."""

    @abstractmethod
    def producer(self) -> ClientSpec:
        """Who sends to A."""

    @abstractmethod
    def consumer(self) -> ClientSpec:
        """Who receives from B."""

    @abstractmethod
    def watcher(self) -> ClientSpec:
        """Who sees how many messages wait at B."""

    @abstractmethod
    def close_link(self) -> None:
        """Let nothing pass from A to B any more, while both go on; only asked of a link that is idle."""

    @abstractmethod
    def open_link(self) -> None:
        """Let pass what waits at A."""
