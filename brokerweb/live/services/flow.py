"""How fast one browser takes what it is told: frames that were sent and not acknowledged, and what follows."""

from __future__ import annotations

from collections import deque
from typing import Final

LAG_SECONDS_MAX: Final = 3.0
"""How old the oldest frame may be that the browser has not acknowledged."""
LAG_BYTES_MAX: Final = 1_000_000
"""How much may be on its way to one browser."""
CALM_SECONDS: Final = 5.0
"""How long a browser must keep up before it is served live again."""
REDUCED_SECONDS: Final = 1.0
"""Time between two snapshots for one that does not keep up."""


class Flow:
    """Times are monotonic seconds, given by whoever asks."""

    def __init__(self) -> None:
        self.is_reduced = False
        self._sent = 0
        self._bytes = 0
        self._unacked: deque[tuple[int, float, int]] = deque()
        self._lagged_at = 0.0
        self._served_at = 0.0

    def sent(self, size: int, now: float) -> None:
        """A frame goes out."""
        self._sent += 1
        self._bytes += size
        self._unacked.append((self._sent, now, size))

    def acked(self, frames: int) -> bool:
        """The browser has folded so many frames; False when it claims more than it was sent."""
        if frames > self._sent:
            return False
        while self._unacked and self._unacked[0][0] <= frames:
            self._bytes -= self._unacked.popleft()[2]
        return True

    def lag_seconds(self, now: float) -> float:
        """How long the oldest frame has been on its way."""
        return now - self._unacked[0][1] if self._unacked else 0.0

    def lag_bytes(self) -> int:
        """How much is on its way."""
        return self._bytes

    def change(self, now: float) -> bool:
        """Look at the lag; whether the browser is to be served the other way from now on."""
        if self.lag_seconds(now) > LAG_SECONDS_MAX or self._bytes > LAG_BYTES_MAX:
            self._lagged_at = now
        lags = now - self._lagged_at < CALM_SECONDS and self._lagged_at > 0
        has_changed = lags != self.is_reduced
        self.is_reduced = lags
        return has_changed

    def takes_snapshots(self, now: float) -> bool:
        """Whether a browser that does not keep up may be sent more: it has all that it was sent, a second ago."""
        if self._unacked or now - self._served_at < REDUCED_SECONDS:
            return False
        self._served_at = now
        return True
