"""`Wire`: both directions of a connection between frames and bytes. It knows no states."""

from __future__ import annotations

from collections.abc import Iterator

from engine.core.link.codec import MAGIC, NOT_PROTECTED, FrameReader, encode
from engine.core.link.frames import Frame, Refuse
from engine.core.link.keys import FrameGuard, Tunnel
from engine.core.vocabulary.errors import RemoteProtocolError
from engine.core.vocabulary.limits import HANDSHAKE_FRAME_BYTES_MAX
from engine.core.vocabulary.moment import Duration, Instant


class Wire:
    """Frames in, bytes out, and back. Frames are protected in the order in which they are said."""

    def __init__(self, frame_seconds: Duration) -> None:
        self._reader = FrameReader(HANDSHAKE_FRAME_BYTES_MAX)
        self._guard: FrameGuard | None = None
        self._tunnel: Tunnel | None = None
        self._awaits_tls = False
        """Whether TLS is to be the peer's next word."""
        self._before_tls = b""
        """Said in clear and not yet handed out."""
        self._output: list[bytes] = []
        self.unsent_bytes = 0
        """Bytes that were said and not yet handed out."""
        self.frame_due: Instant | None = None
        """When the frame that the peer has begun must be complete, whatever else is said: its length may be false."""
        self._frame_seconds = frame_seconds
        self._is_held = False

    def say(self, frame: Frame) -> None:
        """Put a frame behind those said before."""
        data = encode(frame, self._guard)
        self._output.append(data)
        self.unsent_bytes += len(data)

    def hear(self, data: bytes, now: Instant) -> Iterator[Frame]:
        """The frames that `data` completes. `RemoteProtocolError` for what is no frame."""
        if self._tunnel is not None:
            data = self._received(self._tunnel, data)
        reader, has_ended = self._reader, False
        frames = reader.feed(data)
        for frame in frames:
            has_ended = True
            if self._awaits_tls and not isinstance(frame, Refuse):
                raise RemoteProtocolError(NOT_PROTECTED)
            yield frame
            if reader is not self._reader:
                frames.close()
                if reader.is_amid_frame:
                    # Said in clear, to be taken for what comes out of TLS.
                    raise RemoteProtocolError(NOT_PROTECTED)
        self._watch(now, begins=has_ended)

    def _received(self, tunnel: Tunnel, data: bytes) -> bytes:
        """What the peer has said inside of TLS, or that it refuses to begin with it, which it can say in clear only."""
        if self._awaits_tls and data.startswith(MAGIC[:1]):
            self._tunnel = None
            return data
        self._awaits_tls = False
        return tunnel.receive(data)

    def hold(self, now: Instant, *, is_held: bool) -> None:
        """We do not read now, or read again: what is not complete has the whole time once more."""
        self._is_held = is_held
        self._watch(now, begins=True)

    def _watch(self, now: Instant, *, begins: bool) -> None:
        if self._is_held or not self._reader.is_amid_frame:
            self.frame_due = None
        elif begins or self.frame_due is None:
            self.frame_due = Instant(now + self._frame_seconds)

    def take(self) -> bytes:
        """The bytes of what was said; each is handed out once."""
        data = b"".join(self._output)
        self._output.clear()
        self.unsent_bytes = 0
        if self._tunnel is None:
            return data
        before, self._before_tls = self._before_tls, b""
        return before + self._tunnel.send(data)

    def sign(self, *, sending: FrameGuard, receiving: FrameGuard) -> None:
        """Sign every further frame."""
        self._guard, self._reader.guard = sending, receiving

    def enter(self, tunnel: Tunnel) -> None:
        """Say and hear every further frame through TLS; what is in clear behind the peer's last one is refused."""
        self._before_tls = self.take()
        self._tunnel, self._awaits_tls = tunnel, True
        self._reader = FrameReader(HANDSHAKE_FRAME_BYTES_MAX)

    def lift_limit(self, bytes_max: int) -> None:
        """The peer is logged in: let it send large frames."""
        self._reader.bytes_max = bytes_max
