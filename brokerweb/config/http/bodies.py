"""`Bodies`: bytes of requests and messages that are in memory before they are complete, of a whole server."""

from __future__ import annotations


class Bodies:
    """Bytes of the bodies that are in memory, of all requests and websockets of a server."""

    def __init__(self, bytes_max: int) -> None:
        self._most = bytes_max
        self._held: dict[object, int] = {}
        self._all = 0

    def take(self, holder: object, count: int) -> bool:
        """Count more bytes of a holder; False where there is no room for them."""
        if self._all + count > self._most:
            return False
        self._all += count
        self._held[holder] = self._held.get(holder, 0) + count
        return True

    def release(self, holder: object) -> None:
        """Its bytes are not needed any more; harmless when it is not counted."""
        self._all -= self._held.pop(holder, 0)
