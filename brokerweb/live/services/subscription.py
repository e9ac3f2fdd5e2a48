"""One browser's place in one stream: what it was told last, and what it is told next."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from brokerweb.live.protocol import Cursor, Mode, Resync, ResyncReason, encode
from brokerweb.live.services.follower import Follower, Told


class Subscription:
    """A subscriber of a follower, which posts encoded messages to one browser."""

    def __init__(self, follower: Follower, post: Callable[[str], None], mode: Mode) -> None:
        self._follower = follower
        self._post = post
        self._mode = mode
        self.seq = 0
        """Number of the last change that was told."""

    @property
    def estate(self) -> str:
        """Of which estate it is."""
        return self._follower.estate

    @property
    def stream(self) -> str:
        """The stream's name."""
        return self._follower.stream

    def begin(self, cursor: Cursor | None, resumed: Sequence[Told] | None) -> None:
        """Go on from a cursor with the deltas that lead on, or begin with a snapshot, as soon as there is one."""
        self._follower.join(self)
        if resumed is not None:
            self.seq = self._follower.seq
            for each in resumed:
                self._post(each.text)
            return
        if cursor is not None:
            is_old = cursor.stream == self._follower.stream
            self._tell_why(ResyncReason.CURSOR_TOO_OLD if is_old else ResyncReason.OTHER_STREAM)
        self.tell_whole()

    def end(self) -> None:
        """Hear no more."""
        self._follower.leave(self)

    def told(self, text: str, from_: int, to: int) -> None:
        """A delta; in reduced mode `tell_whole` makes up for it."""
        if self._mode is Mode.LIVE and self.seq == from_ - 1:
            self.seq = to
            self._post(text)

    def begun_anew(self, reason: ResyncReason) -> None:
        """The stream goes on with a snapshot."""
        if self._mode is Mode.REDUCED:
            return
        if self.seq > 0:
            self._tell_why(reason)
        self.tell_whole()

    def serve(self, mode: Mode) -> None:
        """Be told as the mode says from now on; who comes back to live is told what it missed."""
        self._mode = mode
        if mode is Mode.LIVE:
            self.tell_whole()

    def tell_whole(self) -> None:
        """A snapshot, if there is any, and any newer one."""
        if self._follower.seq != self.seq:
            self.seq = self._follower.seq
            self._post(self._follower.snapshot())

    def _tell_why(self, reason: ResyncReason) -> None:
        self._post(encode(Resync(self._follower.stream, reason)))
