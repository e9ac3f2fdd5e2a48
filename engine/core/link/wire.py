"""`Wire`: both directions of a connection between frames and bytes. It knows no states."""

from __future__ import annotations

from collections.abc import Iterator

from engine.core.link.codec import FrameReader, encode
from engine.core.link.frames import Frame
from engine.core.link.keys import FrameGuard
from engine.core.vocabulary.limits import HANDSHAKE_FRAME_BYTES_MAX


class Wire:
    """Frames in, bytes out, and back. Frames are protected in the order in which they are said."""

    def __init__(self) -> None:
        self._reader = FrameReader(HANDSHAKE_FRAME_BYTES_MAX)
        self._guard: FrameGuard | None = None
        self._output: list[bytes] = []
        self.unsent_bytes = 0
        """Bytes that were said and not yet handed out."""

    def say(self, frame: Frame) -> None:
        """Put a frame behind those said before."""
        data = encode(frame, self._guard)
        self._output.append(data)
        self.unsent_bytes += len(data)

    def hear(self, data: bytes) -> Iterator[Frame]:
        """The frames that `data` completes. `RemoteProtocolError` for what is no frame."""
        return self._reader.feed(data)

    def take(self) -> bytes:
        """The bytes of what was said; each is handed out once."""
        data = b"".join(self._output)
        self._output.clear()
        self.unsent_bytes = 0
        return data

    def protect(self, *, sending: FrameGuard, receiving: FrameGuard) -> None:
        """Protect every further frame."""
        self._guard, self._reader.guard = sending, receiving

    def lift_limit(self, bytes_max: int) -> None:
        """The peer is logged in: let it send large frames."""
        self._reader.bytes_max = bytes_max
