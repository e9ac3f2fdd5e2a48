"""The connections of the server: how many there may be, how much they leave unread, and which one is given up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Final, Protocol

ADDRESS_SHARE: Final = 1 / 2
"""Of all connections, for one address that is no trusted proxy."""


class Connection(Protocol):
    """A connection, as the bounds see it."""

    address: str

    def give_up(self) -> None:
        """Close it at once."""


class Connections:
    """Bounds of one server. A connection *waits* while no request of it is complete, or as the websocket of a stranger.

    Only a waiting one is given up: a client that holds many half requests loses the oldest of them to the next client.
    """

    def __init__(self, connections_max: int, is_proxy: Callable[[str], bool]) -> None:
        """`is_proxy` says whether an address speaks for many clients."""
        self._most = connections_max
        self._most_of_one = max(1, int(connections_max * ADDRESS_SHARE))
        self._is_proxy = is_proxy
        self._open: set[Connection] = set()
        self._by_address: Counter[str] = Counter()
        self._waiting: dict[Connection, None] = {}
        """The longest first."""

    def __len__(self) -> int:
        return len(self._open)

    def admit(self, connection: Connection) -> bool:
        """Count a new connection, which waits; False where no other can be given up for it, then it is not counted."""
        if self._is_of_one_too_many(connection.address) and not self._give_up(connection.address):
            return False
        if len(self._open) >= self._most and not self._give_up(None):
            return False
        self._open.add(connection)
        self._by_address[connection.address] += 1
        self._waiting[connection] = None
        return True

    def is_busy(self, connection: Connection) -> None:
        """A request of it is complete, or its websocket belongs to a person."""
        self._waiting.pop(connection, None)

    def waits(self, connection: Connection) -> None:
        """Its request is answered, or it has become a websocket of which it is not known yet whose it is."""
        if connection in self._open:
            self._waiting[connection] = None

    def gone(self, connection: Connection) -> None:
        """It is closed; harmless when it was."""
        if connection in self._open:
            self._open.remove(connection)
            self._waiting.pop(connection, None)
            self._by_address[connection.address] -= 1
            if not self._by_address[connection.address]:
                del self._by_address[connection.address]

    def _is_of_one_too_many(self, address: str) -> bool:
        return self._by_address[address] >= self._most_of_one and not self._is_proxy(address)

    def _give_up(self, address: str | None) -> bool:
        """Close what has waited longest, of one address or of all; whether there was one."""
        oldest = next((each for each in self._waiting if address in (None, each.address)), None)
        if oldest is None:
            return False
        self.gone(oldest)
        oldest.give_up()
        return True


class Unread:
    """Bytes of answers that clients have not read yet, of all connections of a server.

    Beyond the bound the connection is given up whose client has read nothing for the longest time.
    """

    def __init__(self, bytes_max: int) -> None:
        self._most = bytes_max
        self._all = 0
        self._held: dict[Connection, int] = {}
        """The longest first."""

    def add(self, connection: Connection, count: int) -> None:
        """Count bytes that are kept until the client reads on."""
        self._held[connection] = self._held.get(connection, 0) + count
        self._all += count
        # One alone holds one answer, as large as that may be.
        while self._all > self._most and len(self._held) > 1:
            oldest = next(iter(self._held))
            self.is_read(oldest)
            oldest.give_up()

    def is_read(self, connection: Connection) -> None:
        """The client has read everything, or is gone; harmless when nothing is counted."""
        self._all -= self._held.pop(connection, 0)
