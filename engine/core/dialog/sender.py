"""`DialogSender`: what one endpoint still owes the far end, and when each piece of it is due (protocol.md 3.3, 3.5).

A message travels whole or in fragments, and each piece is new, or in flight with a deadline of its own, or
acknowledged and gone. At most a window of pieces is in flight. A deadline that passes doubles the wait of that piece
alone; any progress starts the waits again. While nothing comes back only the first piece is repeated: nothing behind
it can be delivered before it, and whether the rest has to go again is known once it is acknowledged. When an
acknowledgement shows a gap, the piece at the gap is sent again, once; when the gap turns out to be wider than what was
sent again, twice as many follow. Where the far end no longer has what it has acknowledged of a message, because the
whole was not what it should be, everything starts over. What the far end has seen behind the gap does not go again on
its own account: it has arrived, or will be asked for when the gap moves. The sender is finished when nothing is
pending.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final, Protocol

import msgspec

from engine.core.vocabulary.entropy import Entropy
from engine.core.vocabulary.limits import SEND_WINDOW_BYTES, SEND_WINDOW_MESSAGES
from engine.core.vocabulary.messages import NOTHING_SEEN, Position
from engine.core.vocabulary.moment import Duration, Instant
from engine.core.vocabulary.rows import TransmissionRow


class Piece(msgspec.Struct, gc=False):
    """One piece in flight: a message, or a fragment of one."""

    row: TransmissionRow
    fragment: int
    size: int
    """Bytes of the piece."""
    attempts: int
    """Transmissions since the last `start_over` or progress."""
    deadline: Instant
    is_asked_for: bool = False
    """An acknowledgement has shown that it is missing; it has not gone again since."""
    is_late: bool = False
    """It was repeated because nothing had come back for long."""

    @property
    def position(self) -> Position:
        """Where the piece stands among all of its direction."""
        return self.row.message_sequence_number, self.fragment


class BodySource(Protocol):
    """Whoever secures the large messages of a dialog."""

    def secured_body(self, row: TransmissionRow) -> bytes | None:
        """What a large message is cut from, always the same bytes; None for the body as it is."""
        ...


class _InClear:
    """Large messages of a dialog that is not secured are cut as they are."""

    def secured_body(self, row: TransmissionRow) -> bytes | None:
        return None


IN_CLEAR: Final[BodySource] = _InClear()

# Most dialogs rest most of the time: they share these, which nobody ever writes to, and cost nothing for them.
_NO_ROWS: Final[dict[int, TransmissionRow]] = {}
_NONE_IN_FLIGHT: Final[list[Piece]] = []
_NONE_SECURED: Final[dict[int, bytes]] = {}


class DialogSender:
    """The unacknowledged messages of one direction, in order of their numbers, which have no holes."""

    __slots__ = (
        "_after_repaired",
        "_bytes_in_flight",
        "_entropy",
        "_first",
        "_has_progressed",
        "_has_repeated",
        "_highest_sent",
        "_in_flight",
        "_next_new",
        "_repaired",
        "_repairs",
        "_retry_seconds",
        "_rows",
        "_secured",
        "_seen",
        "bodies",
    )

    def __init__(self, retry_seconds: tuple[Duration, ...], entropy: Entropy, bodies: BodySource = IN_CLEAR) -> None:
        self.bodies = bodies
        self._secured = _NONE_SECURED
        """The secured bodies of large messages on their way, by number."""
        self._retry_seconds = retry_seconds
        self._entropy = entropy
        self._rows = _NO_ROWS
        self._first = 0
        """Lowest number pending; meaningless while nothing is."""
        self._in_flight = _NONE_IN_FLIGHT
        """In order of their positions, which have no holes; at most a window, so that a list will do."""
        self._bytes_in_flight = 0
        self._next_new: Position | None = None
        """The first piece that was not transmitted since the last `start_over`."""
        self._has_repeated = False
        self._has_progressed = False
        self._seen = NOTHING_SEEN
        """The furthest piece that the far end has seen since the last `start_over`."""
        self._repairs = 1
        """Pieces that were sent again for the last gap."""
        self._repaired = NOTHING_SEEN
        """The last of them."""
        self._after_repaired: Position | None = None
        self._highest_sent = -1

    def __len__(self) -> int:
        return len(self._rows)

    def holds(self, number: int) -> bool:
        """Whether the message of this number is not acknowledged yet."""
        return number in self._rows

    def is_untouched(self, number: int) -> bool:
        """Whether the message of this number is pending and no piece of it was ever transmitted."""
        return number in self._rows and number > self._highest_sent

    def fragment_count(self, number: int) -> int | None:
        """In how many pieces a pending message travels; None when it is not pending."""
        row = self._rows.get(number)
        return None if row is None else self._fragment_count(row)

    def travelling(self, row: TransmissionRow) -> bytes:
        """The bytes of a pending large message that are cut into fragments."""
        number = row.message_sequence_number
        secured = self._secured.get(number) or self.bodies.secured_body(row)
        if secured is None:
            return row.message_body or b""
        if not self._secured:
            self._secured = {}
        self._secured[number] = secured
        return secured

    def _fragment_count(self, row: TransmissionRow) -> int:
        return 1 if row.fragment_bytes is None else -(-len(self.travelling(row)) // row.fragment_bytes)

    def rows(self) -> Iterator[TransmissionRow]:
        """What the transmission queue holds for this endpoint, oldest first."""
        return iter(self._rows.values())

    def enqueue(self, row: TransmissionRow) -> None:
        """Take over a message; its number follows the last one's."""
        number = row.message_sequence_number
        if self._rows:
            self._rows[number] = row
        else:
            self._first = number
            self._rows = {number: row}
        if self._next_new is None:
            self._next_new = (number, 0)

    def restore(self, row: TransmissionRow) -> None:
        """Take over a stored message after a restart: nobody knows any more whether it was ever transmitted."""
        self.enqueue(row)
        self._highest_sent = row.message_sequence_number

    def clear(self) -> None:
        """Forget everything: the conversation ended or failed."""
        self._rows = _NO_ROWS
        self._secured = _NONE_SECURED
        self.start_over()

    def start_over(self) -> None:
        """A new connection or a new route: everything unacknowledged is new again, from its first fragment on."""
        self._next_new = (self._first, 0) if self._rows else None
        self._in_flight = _NONE_IN_FLIGHT
        self._bytes_in_flight = 0
        self._has_repeated = self._has_progressed = False
        self._seen = NOTHING_SEEN

    def acknowledge(self, up_to: int, fragments: int, seen: Position, now: Instant) -> bool:
        """Forget messages up to and including `up_to`, and so many fragments of the next; answer whether it is news."""
        edge = (up_to + 1, fragments)
        if self._was_given_up(edge):
            self.start_over()
        progress = self._forget_before(edge)
        while self._rows and self._first <= up_to:
            del self._rows[self._first]
            if self._secured:
                self._secured.pop(self._first, None)
            self._first += 1
            progress = True
        if self._next_new is not None and self._next_new < edge:
            self._next_new = edge if self._rows else None
        if progress:
            if not self._rows:
                self._rows = _NO_ROWS
            self._has_progressed = True
            if self._has_repeated:
                self._restart_waits(now)
        if seen > self._seen:
            self._seen = seen
        if seen > edge > self._repaired:
            self._repair(edge, now)
        return progress

    def _was_given_up(self, edge: Position) -> bool:
        """Whether the far end lacks fragments it has acknowledged; until waiting was in vain, it may be old news."""
        in_flight = self._in_flight
        return bool(in_flight) and in_flight[0].is_late and (self._first, 0) <= edge < in_flight[0].position

    def _repair(self, edge: Position, now: Instant) -> None:
        """A new gap shows, or an old one that is wider than what was sent again so far."""
        in_flight = self._in_flight
        if not in_flight or in_flight[0].position != edge:
            return
        self._repairs = 2 * self._repairs if self._after_repaired == edge else 1
        for piece in islice(in_flight, self._repairs):
            if piece.position < self._seen:
                piece.deadline, piece.is_asked_for = now, True
                self._repaired = piece.position
                self._after_repaired = self._after(piece)

    def _forget_before(self, edge: Position) -> bool:
        in_flight, (number, fragments) = self._in_flight, edge
        gone = 0
        for piece in in_flight:
            reached = piece.row.message_sequence_number
            if reached > number or (reached == number and piece.fragment >= fragments):
                break
            self._bytes_in_flight -= piece.size
            gone += 1
        if gone == len(in_flight):
            self._in_flight = _NONE_IN_FLIGHT
        else:
            del in_flight[:gone]
        return gone > 0

    def _restart_waits(self, now: Instant) -> None:
        soonest = Instant(now + self._retry_seconds[0])
        for piece in self._in_flight:
            piece.attempts, piece.is_late = 1, False
            piece.deadline = min(piece.deadline, soonest)
        self._has_repeated = False

    def due(self, now: Instant) -> list[Piece]:
        """What to transmit now: pieces past their deadline, then new ones as far as the window allows."""
        pieces = self._overdue(now) if self._in_flight else []
        for piece in pieces:
            self._repeat(piece, now)
        if self._next_new is not None:
            pieces.extend(self._new(now))
        return pieces

    def _new(self, now: Instant) -> list[Piece]:
        """New pieces as far as the window allows. Those that leave together are repeated together."""
        in_flight, rows, new = self._in_flight, self._rows, self._next_new
        wait = self._retry_seconds[0]
        deadline = Instant(now + wait + self._entropy.jitter(wait))
        pieces: list[Piece] = []
        while new is not None:
            number, fragment = new
            row = rows[number]
            is_whole = row.fragment_bytes is None
            size = len(row.message_body or b"") if is_whole else self._size(row, fragment)
            if in_flight and not self._fits(size):
                break
            piece = Piece(row, fragment, size, 1, deadline)
            pieces.append(piece)
            if not in_flight:
                in_flight = self._in_flight = []
            in_flight.append(piece)
            self._bytes_in_flight += size
            if not is_whole:
                new = self._after(piece)
            else:
                new = (number + 1, 0) if number + 1 in rows else None
        self._next_new = new
        if pieces:
            self._highest_sent = max(self._highest_sent, pieces[-1].row.message_sequence_number)
        return pieces

    def _overdue(self, now: Instant) -> list[Piece]:
        """The first piece; after progress also those behind it that repair a gap or that the far end has not seen."""
        first = self._in_flight[0]
        if not self._has_progressed:
            return [first] if first.deadline <= now else []
        self._has_progressed = False
        seen, repaired = self._seen, self._repaired
        return [
            piece
            for piece in self._in_flight
            if piece.deadline <= now and (piece is first or piece.position > seen or piece.position <= repaired)
        ]

    def _size(self, row: TransmissionRow, fragment: int) -> int:
        """Bytes of a fragment."""
        size = row.fragment_bytes or 0
        return min(size, len(self.travelling(row)) - fragment * size)

    def _fits(self, size: int) -> bool:
        return len(self._in_flight) < SEND_WINDOW_MESSAGES and self._bytes_in_flight + size <= SEND_WINDOW_BYTES

    def _after(self, piece: Piece) -> Position | None:
        number, following = piece.row.message_sequence_number, piece.fragment + 1
        if piece.row.fragment_bytes is not None and following < self._fragment_count(piece.row):
            return number, following
        return (number + 1, 0) if number + 1 in self._rows else None

    def _repeat(self, piece: Piece, now: Instant) -> None:
        waits = self._retry_seconds
        wait = waits[piece.attempts] if piece.attempts < len(waits) else waits[-1]
        piece.is_late, piece.is_asked_for = not piece.is_asked_for, False
        piece.attempts += 1
        piece.deadline = Instant(now + wait + self._entropy.jitter(wait))
        self._has_repeated = True

    @property
    def has_work(self) -> bool:
        """Whether the last acknowledgement may let something go."""
        return self._has_progressed or self._next_new is not None

    def wake_at(self) -> Instant | None:
        """When to repeat the first piece in flight."""
        return self._in_flight[0].deadline if self._in_flight else None
