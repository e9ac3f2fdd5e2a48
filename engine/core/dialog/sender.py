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

from itertools import islice
from typing import Final

from engine.core.dialog.pending import IN_CLEAR, NO_ROWS, NOBODY_KNOWS, BodySource, PendingMessages
from engine.core.dialog.piece import Piece
from engine.core.vocabulary.entropy import Entropy
from engine.core.vocabulary.limits import SEND_WINDOW_BYTES, SEND_WINDOW_MESSAGES
from engine.core.vocabulary.message_memory import ROW_BYTES, MessageMemory
from engine.core.vocabulary.messages import NOTHING_SEEN, Position
from engine.core.vocabulary.moment import Duration, Instant
from engine.core.vocabulary.passage import Passage
from engine.core.vocabulary.rows import TransmissionRow, TransmissionSpan

# Most dialogs rest most of the time: they share these, which nobody ever writes to, and cost nothing for them.
_NONE_IN_FLIGHT: Final[list[Piece]] = []
_NONE_SECURED: Final[dict[int, bytes]] = {}


class DialogSender(PendingMessages):
    """The unacknowledged messages of one direction, in order of their numbers, which have no holes."""

    __slots__ = (
        "_after_repaired",
        "_bytes_in_flight",
        "_due_from",
        "_entropy",
        "_has_progressed",
        "_has_repeated",
        "_highest_sent",
        "_in_flight",
        "_next_new",
        "_repaired",
        "_repairs",
        "_retry_seconds",
        "_secured",
        "_seen",
        "passage",
    )

    def __init__(
        self,
        retry_seconds: tuple[Duration, ...],
        entropy: Entropy,
        bodies: BodySource = IN_CLEAR,
        memory: MessageMemory | None = None,
    ) -> None:
        """Without a `memory` to count in, everything stays."""
        super().__init__(bodies, memory or MessageMemory())
        self._secured = _NONE_SECURED
        """The secured bodies of large messages on their way, by number."""
        self._retry_seconds = retry_seconds
        self._entropy = entropy
        self._in_flight = _NONE_IN_FLIGHT
        """In order of their positions, which have no holes; at most a window, so that a list will do."""
        self._bytes_in_flight = 0
        self._due_from = Instant(0.0)
        """Nothing in flight that may be repeated is overdue before."""
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
        self.passage: Passage | None = None
        """Of the connection that pieces leave over; None where nothing is known of one."""

    def is_untouched(self, number: int) -> bool:
        """Whether the message of this number is pending and no piece of it was ever transmitted."""
        return self.holds(number) and number > self._highest_sent

    def fragment_count(self, number: int) -> int | None:
        """In how many pieces a pending message travels; None when it is not pending."""
        return self._fragment_count(self.row(number)) if self.holds(number) else None

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

    def enqueue(self, row: TransmissionRow) -> None:
        """Take over a message; its number follows the last one's."""
        number = row.message_sequence_number
        if self._first == self._end:
            self._first = number
            self.memory.senders[self.bodies] = None
        self._end = number + 1
        if self._rows:
            self._rows[number] = row
        else:
            self._rows = {number: row}
        self.memory.bytes += len(row.message_body or b"") + ROW_BYTES
        if self._next_new is None:
            self._next_new = (number, 0)

    def restore(self, row: TransmissionRow) -> None:
        """Take over a stored message after a restart: nobody knows any more whether it was ever transmitted."""
        self.enqueue(row)
        self._highest_sent = row.message_sequence_number

    def restore_span(self, span: TransmissionSpan) -> None:
        """As `restore`, for messages that stay in the store until they are needed; nothing else is pending."""
        self._restore_span(span)
        self._highest_sent = span.end - 1
        self.start_over()

    def leave_behind(self) -> None:
        """Memory is short: messages that are not under way leave it. All that is pending is committed."""
        kept = self._in_flight[-1].row.message_sequence_number + 1 if self._in_flight else self._first
        if self._next_new is not None and self._next_new[1]:
            kept = max(kept, self._next_new[0] + 1)
        self._leave_behind(kept)

    def clear(self) -> None:
        """Forget everything: the conversation ended or failed."""
        self._forget_all()
        self._secured = _NONE_SECURED
        self.start_over()

    def start_over(self) -> None:
        """A new connection or a new route: everything unacknowledged is new again, from its first fragment on."""
        self._next_new = (self._first, 0) if self._first < self._end else None
        self._in_flight = _NONE_IN_FLIGHT
        self._bytes_in_flight = 0
        self._has_repeated = self._has_progressed = False
        self._seen = NOTHING_SEEN

    def acknowledge(self, up_to: int, fragments: int, seen: Position, now: Instant) -> bool:
        """Forget messages up to and including `up_to`, and so many fragments of the next; answer whether it is news."""
        edge = (up_to + 1, fragments)
        if self._was_given_up(edge):
            self.start_over()
        progress = self._forget_before(edge, now)
        if self._first <= up_to and self._first < self._end:
            self._forget_through(min(up_to, self._end - 1))
            progress = True
        if self._next_new is not None and self._next_new < edge:
            self._next_new = edge if self._first < self._end else None
        if progress:
            if not self._rows:
                self._rows = NO_ROWS
            self._has_progressed = True
            if self._has_repeated:
                self._restart_waits(now)
        if seen > self._seen:
            self._seen = seen
        if seen > edge > self._repaired:
            self._repair(edge, now)
        return progress

    def _forget_through(self, last: int) -> None:
        rows, secured, freed = self._rows, self._secured, 0
        for number in range(self._first, last + 1):
            row = rows.pop(number, None)
            if row is not None:
                freed += len(row.message_body or b"") + ROW_BYTES
            else:
                # It was sent before a restart, and never read since.
                self._since = NOBODY_KNOWS
            if secured:
                secured.pop(number, None)
        self._first = last + 1
        if last + 1 == self._end:
            self.memory.senders.pop(self.bodies, None)
        self.memory.bytes -= freed

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
                self._due_from = now
                if self.passage is not None:
                    self.passage.was_lost(piece.left_at, now)
                self._repaired = piece.position
                self._after_repaired = self._after(piece)

    def _forget_before(self, edge: Position, now: Instant) -> bool:
        in_flight, (number, fragments) = self._in_flight, edge
        gone = 0
        for piece in in_flight:
            reached = piece.row.message_sequence_number
            if reached > number or (reached == number and piece.fragment >= fragments):
                break
            self._bytes_in_flight -= piece.size
            gone += 1
        if gone and self.passage is not None:
            self.passage.has_arrived(in_flight[gone - 1].left_at, now)
        if gone == len(in_flight):
            self._in_flight = _NONE_IN_FLIGHT
        elif gone:
            del in_flight[:gone]
            # The first one may be repeated whatever the far end has seen behind it.
            self._due_from = min(self._due_from, in_flight[0].deadline)
        return gone > 0

    def _restart_waits(self, now: Instant) -> None:
        soonest = Instant(now + self._retry_seconds[0])
        for piece in self._in_flight:
            piece.attempts, piece.is_late = 1, False
            piece.deadline = min(piece.deadline, soonest)
            self._due_from = min(self._due_from, piece.deadline)
        self._has_repeated = False

    def due(self, now: Instant, *, takes_new: bool = True) -> list[Piece]:
        """What to transmit now: pieces past their deadline, then, if there is room, new ones as the window allows."""
        pieces = self._missing(now) if self._in_flight else []
        for piece in pieces:
            self._repeat(piece, now)
        if takes_new and self._next_new is not None:
            pieces.extend(self._new(now))
        return pieces

    def _new(self, now: Instant) -> list[Piece]:
        """New pieces as far as the window allows. Those that leave together are repeated together."""
        in_flight, new = self._in_flight, self._next_new
        wait = self._retry_seconds[0]
        deadline = Instant(now + wait + self._entropy.jitter(wait))
        self._due_from = min(self._due_from, deadline) if in_flight else deadline
        pieces: list[Piece] = []
        while new is not None:
            number, fragment = new
            row = self._rows.get(number) or self._bring_back(number)
            is_whole = row.fragment_bytes is None
            size = len(row.message_body or b"") if is_whole else self._size(row, fragment)
            if in_flight and not self._fits(size):
                break
            piece = Piece(row, fragment, size, 1, now, deadline)
            pieces.append(piece)
            if not in_flight:
                in_flight = self._in_flight = []
            in_flight.append(piece)
            self._bytes_in_flight += size
            if not is_whole:
                new = self._after(piece)
            else:
                new = (number + 1, 0) if number + 1 < self._end else None
        self._next_new = new
        if pieces:
            self._highest_sent = max(self._highest_sent, pieces[-1].row.message_sequence_number)
        return pieces

    def _missing(self, now: Instant) -> list[Piece]:
        """Of the overdue pieces those that are not just behind others on their way, which get a later deadline."""
        pieces, passage = self._overdue(now), self.passage
        if not pieces or passage is None:
            return pieces
        missing = []
        for piece in pieces:
            until = None if piece.is_asked_for else passage.travels_until(piece.left_at, now, self._retry_seconds[0])
            if until is None:
                missing.append(piece)
            else:
                piece.deadline = until
                self._due_from = min(self._due_from, until)
        return missing

    def _overdue(self, now: Instant) -> list[Piece]:
        """The first piece; after progress also those behind it that repair a gap or that the far end has not seen."""
        first = self._in_flight[0]
        if not self._has_progressed:
            return [first] if first.deadline <= now else []
        self._has_progressed = False
        if now < self._due_from:
            return []
        seen, repaired = self._seen, self._repaired
        awaited = [
            piece for piece in self._in_flight if piece is first or piece.position > seen or piece.position <= repaired
        ]
        # Whoever is overdue is due again after the shortest wait at the earliest, or is given another deadline.
        soonest = Instant(now + self._retry_seconds[0])
        later = [piece.deadline for piece in awaited if piece.deadline > now]
        self._due_from = min(later, default=soonest) if len(later) == len(awaited) else min([*later, soonest])
        return [piece for piece in awaited if piece.deadline <= now]

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
        return (number + 1, 0) if number + 1 < self._end else None

    def _repeat(self, piece: Piece, now: Instant) -> None:
        waits = self._retry_seconds
        wait = waits[piece.attempts] if piece.attempts < len(waits) else waits[-1]
        piece.is_late, piece.is_asked_for = not piece.is_asked_for, False
        piece.attempts += 1
        piece.deadline = Instant(now + wait + self._entropy.jitter(wait))
        self._has_repeated = True

    @property
    def has_new(self) -> bool:
        """Whether something was not transmitted yet."""
        return self._next_new is not None

    @property
    def has_work(self) -> bool:
        """Whether the last acknowledgement may let something go."""
        return self._has_progressed or self._next_new is not None

    def wake_at(self) -> Instant | None:
        """When to repeat the first piece in flight."""
        return self._in_flight[0].deadline if self._in_flight else None
