"""An intruder that dials an instance and says what it likes, over a socket of this machine."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from typing import Self
from uuid import uuid4

from engine.core.link.connection import AdjacentBrokerConnection
from engine.core.link.handshake import LinkIdentity, LoginTerms
from engine.core.link.states import LinkRole
from engine.core.vocabulary.errors import RemoteProtocolError
from engine.core.vocabulary.identifiers import EstateName, InstanceName
from engine.core.vocabulary.messages import DialogMessage, ForwardedMessage, LinkState
from engine.core.vocabulary.settings import LinkSettings
from engine.hosting.clock import SystemClock
from tests.support.waiting import SECONDS_MAX


class Intruder:
    """One connection, under a name of its choice."""

    def __init__(self, place: tuple[str, int], estate: str, name: str, terms: LoginTerms) -> None:
        self.heard = 0
        """Messages that the instance has handed over to it."""
        self._clock = SystemClock()
        identity = LinkIdentity(estate=EstateName(estate), instance=InstanceName(name), arbitration_id=uuid4())
        self.connection = AdjacentBrokerConnection(
            LinkRole.DIALLING, identity, LinkSettings(), self._clock.now(), terms=terms
        )
        self._socket = socket.create_connection(place, timeout=SECONDS_MAX)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def log_in(self) -> bool:
        """Try; whether it was let in."""
        self.connection.opened(self._clock.now())
        while self.connection.state is LinkState.CONNECTED:
            self._flush()
            if not self._hear():
                break
        self._flush()
        return self.connection.state is LinkState.LOGGED_IN

    def say(self, *messages: DialogMessage) -> None:
        """Hand over messages as if they had come a way."""
        self.connection.send(_in_transit(messages), self._clock.now())
        self._flush()

    @property
    def refused_with(self) -> int | None:
        """The number of why it was not let in."""
        return None if self.connection.closure is None else self.connection.closure.reason

    def _flush(self) -> None:
        if data := self.connection.data_to_send():
            self._socket.sendall(data)

    def _hear(self) -> bool:
        data = self._socket.recv(65536)
        if data:
            try:
                self.heard += len(self.connection.receive_data(data, self._clock.now()))
            except RemoteProtocolError:
                return False
        return bool(data)


def _in_transit(messages: Sequence[DialogMessage]) -> list[ForwardedMessage]:
    return [ForwardedMessage(message=each, hops_remaining=16, time_to_live=60.0) for each in messages]
