"""Clients of a contestant: who sends and hears that it is stored, who receives for good, who watches a queue."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence


class Producer(ABC):
    """Sends to broker A. Connects when it is made."""

    @abstractmethod
    def prepare(self, bodies: Sequence[bytes]) -> None:
        """Make ready what `send_prepared` will send, so that the clock does not run while frames are built."""

    @abstractmethod
    def send_prepared(self) -> None:
        """Send everything that was prepared; returns when A has confirmed that all of it is stored."""

    @abstractmethod
    def send(self, body: bytes) -> None:
        """Send one message; returns when A has confirmed that it is stored."""

    @abstractmethod
    def close(self) -> None:
        """Disconnect."""


class Consumer(ABC):
    """Receives from broker B. Connects when it is made."""

    @abstractmethod
    def receive(self, seconds_max: float) -> Sequence[bytes]:
        """Bodies that have arrived, in the order of arrival; waits for the first, empty when the time is over."""

    @abstractmethod
    def commit(self) -> None:
        """Take for good what `receive` gave; nothing to do where receiving itself is that."""

    @abstractmethod
    def close(self) -> None:
        """Take for good what is left to be taken, then disconnect."""


class Watcher(ABC):
    """Sees what waits at broker B. Connects when it is made, while the queue there is empty."""

    @abstractmethod
    def arrived(self) -> int:
        """Messages that have arrived since."""

    @abstractmethod
    def close(self) -> None:
        """Disconnect."""
