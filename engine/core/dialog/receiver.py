"""`DialogReceiver`: order, duplicates and the bounded holding area of one direction (protocol.md 3.1, 3.3, 3.4, 3.6).

The next message or fragment is taken, an old one is a duplicate, a later one is held until the gap closes. What was
received is acknowledged after a delay, or at once when a gap opens, much is outstanding, or the sender repeats itself.
"""

from __future__ import annotations

from enum import Enum, auto
from typing import Final, NamedTuple

from engine.core.dialog.reassembly import Reassembly
from engine.core.vocabulary.enumerations import plain_members
from engine.core.vocabulary.limits import (
    ACKNOWLEDGE_AFTER_BYTES,
    ACKNOWLEDGE_AFTER_MESSAGES,
    ACKNOWLEDGEMENT_TICKS,
    HELD_BYTES_MAX,
    HELD_MESSAGES_MAX,
)
from engine.core.vocabulary.messages import NOTHING_SEEN, Fragment, Position
from engine.core.vocabulary.moment import Duration, Instant
from engine.core.vocabulary.rows import QueueRow


@plain_members
class Arrival(Enum):
    """What an arriving message or fragment means."""

    NEXT = auto()
    EARLY = auto()
    DUPLICATE = auto()
    TOO_EARLY = auto()
    """Beyond the holding area; the sender will repeat it."""
    NO_ROOM = auto()
    """The first fragment of a message for which there is no memory now (701); the sender will repeat it."""
    UNFITTING = auto()
    """It does not fit the fragments of its message that are here (11298)."""


class _Held(NamedTuple):
    queuing_order: int
    size: int
    """In bytes."""


NO_MESSAGE: Final = Fragment(-1, 1, 0)
"""Stands for no message at all where None stands for a whole one."""


# Messages hardly ever come early: receivers share these, which nobody ever writes to.
_NONE_HELD: Final[dict[Position, _Held]] = {}
_NO_SHAPES: Final[dict[int, Fragment | None]] = {}


class DialogReceiver:
    """Position and holding area of one direction; held messages live in the queue, here are their places."""

    __slots__ = (
        "_begun",
        "_delay",
        "_early_bytes",
        "_held",
        "_highest_held",
        "_reassembly",
        "_shapes",
        "_unacknowledged",
        "_unacknowledged_bytes",
        "acknowledge_at",
        "next_fragment",
        "next_number",
    )

    def __init__(self, next_number: int, acknowledgement_delay_seconds: Duration, reassembly: Reassembly) -> None:
        self.next_number = next_number
        self.next_fragment = 0
        """How many fragments of the next message are here without a hole."""
        self._delay = acknowledgement_delay_seconds
        self._reassembly = reassembly
        self._begun: Fragment | None = None
        """Any fragment of the next message, once room is reserved for the whole of it."""
        self._held = _NONE_HELD
        """Early messages, and all fragments of the next one that are here."""
        self._shapes = _NO_SHAPES
        """By number of a held message: any fragment of it, or None for one that came whole."""
        self._early_bytes = 0
        self._highest_held: Position = NOTHING_SEEN
        self._unacknowledged = 0
        self._unacknowledged_bytes = 0
        self.acknowledge_at: Instant | None = None
        """When the acknowledgement must leave on its own; None when nothing is owed."""

    @property
    def up_to(self) -> int:
        """Highest number received in order; -1 when none."""
        return self.next_number - 1

    @property
    def highest_seen(self) -> Position:
        """The furthest message or fragment received at all."""
        return max((self.next_number - 1, 0), self._highest_held)

    @property
    def has_held(self) -> bool:
        """Whether anything is held at all."""
        return bool(self._held)

    @property
    def has_begun(self) -> bool:
        """Whether room is reserved for the next message."""
        return self._begun is not None

    @property
    def has_gap(self) -> bool:
        """Whether something is here that came after what is missing."""
        return len(self._held) > self.next_fragment

    def out_of_order(self) -> list[Position]:
        """What is here after a gap, in order (`first_` and `last_out_of_order_…` of `sys.conversation_endpoints`)."""
        return sorted(position for position in self._held if position >= (self.next_number, self.next_fragment))

    # ── what arrives ─────────────────────────────────────────────────────────────────────────────────────────────
    def classify(self, number: int, fragment: Fragment | None = None, size: int = 0) -> Arrival:
        """What to do with a message of this number, or a fragment of it. `size` is in bytes."""
        if not self._held and fragment is None and number == self.next_number:
            return Arrival.NEXT
        if number < self.next_number:
            return Arrival.DUPLICATE
        if number in self._shapes and not _same_shape(self._shapes[number], fragment):
            return Arrival.UNFITTING
        if number == self.next_number and fragment is not None and not self._begin(fragment):
            return Arrival.NO_ROOM
        position = (number, fragment.number if fragment is not None else 0)
        if position in self._held:
            return Arrival.DUPLICATE
        if position == (self.next_number, self.next_fragment):
            return Arrival.NEXT
        early = len(self._held) - self.next_fragment
        room = early < HELD_MESSAGES_MAX and number - self.next_number <= HELD_MESSAGES_MAX
        return Arrival.EARLY if room and self._early_bytes + size <= HELD_BYTES_MAX else Arrival.TOO_EARLY

    def lacks_only(self, fragment: Fragment) -> bool:
        """Whether this fragment completes the next message together with what is held."""
        lacking = fragment.count - 1
        # Most messages lack more than what is held altogether; then nothing need be counted.
        if len(self._held) < lacking:
            return False
        return sum(1 for number, _ in self._held if number == self.next_number) == lacking

    def hold(self, row: QueueRow) -> None:
        """Remember an early message, or a fragment, that was put into the queue with status 2."""
        number = row.message_sequence_number
        position = (number, row.fragment_number or 0)
        if position < (self.next_number, self.next_fragment):
            return
        size = len(row.message_body or b"")
        if not self._held:
            self._held = {}
        if not self._shapes:
            self._shapes = {}
        self._held[position] = _Held(row.queuing_order, size)
        self._shapes[number] = row.fragment
        self._early_bytes += size
        self._highest_held = max(self._highest_held, position)
        self._join()

    # ── fragments of the next message ────────────────────────────────────────────────────────────────────────────
    def restore(self, rows: list[QueueRow]) -> None:
        """Take over what is in the queue with status 2 after a restart; what was begun goes on, room or not."""
        for row in rows:
            self.hold(row)
        self._begun = self._shapes.get(self.next_number)
        if self._begun is not None:
            self._reassembly.restore(self._begun.message_bytes)
            self._join()

    def resume(self) -> bool:
        """Begin the next message if fragments of it came early; answers whether all of them are here."""
        fragment = self._shapes.get(self.next_number)
        return fragment is not None and self._begin(fragment) and self.next_fragment == fragment.count

    def _begin(self, fragment: Fragment) -> bool:
        """Reserve room for the whole message before its first fragment counts; answers whether there is any."""
        if self._begun is None:
            if not self._reassembly.reserve(fragment.message_bytes):
                return False
            self._begun = fragment
            self._join()
        return True

    def _join(self) -> None:
        """Count the fragments of the next message that follow each other."""
        if self._begun is None:
            return
        while (held := self._held.get((self.next_number, self.next_fragment))) is not None:
            self._early_bytes -= held.size
            self.next_fragment += 1

    def has_fragments_of_next(self, number: int) -> bool:
        """Whether this is the next number and some of its fragments are here."""
        return bool(self._held) and number == self.next_number and self._shapes.get(number) is not None

    def places_of_fragments(self) -> list[int]:
        """The places in the queue of all fragments of the next message that are here, in their order."""
        mine = sorted(position for position in self._held if position[0] == self.next_number)
        return [self._held[position].queuing_order for position in mine]

    def forget_fragments(self) -> None:
        """The fragments of the next message are not in the queue any more: it is complete, or given up."""
        if self._begun is not None:
            self._reassembly.release(self._begun.message_bytes)
            self._begun = None
        for position in [position for position in self._held if position[0] == self.next_number]:
            held = self._held.pop(position)
            if position[1] >= self.next_fragment:
                self._early_bytes -= held.size
        self._shapes.pop(self.next_number, None)
        self.next_fragment = 0

    # ── order ────────────────────────────────────────────────────────────────────────────────────────────────────
    def forget_held(self) -> None:
        """Nothing is held any more: the sequence ended before the gap closed."""
        self.forget_fragments()
        self._held = _NONE_HELD
        self._shapes = _NO_SHAPES
        self._early_bytes = 0
        self._highest_held = NOTHING_SEEN

    def took(self, now: Instant, size: int) -> int:
        """The next message, of `size` bytes, was delivered and is owed for; answers the number of the one after it."""
        self._unacknowledged += 1
        self._unacknowledged_bytes += size
        if self._unacknowledged >= ACKNOWLEDGE_AFTER_MESSAGES or self._unacknowledged_bytes >= ACKNOWLEDGE_AFTER_BYTES:
            self.acknowledge_at = now
        elif self.acknowledge_at is None:
            self.acknowledge_at = self._on_tick(now)
        self.next_number += 1
        return self.next_number

    def advance(self) -> int:
        """The next message was delivered, or discarded; answers the number of the one after it."""
        self.next_number += 1
        return self.next_number

    def skip_to(self, number: int) -> None:
        """Expect `number` next: an error ended the sequence and nothing before it will come (row 11)."""
        self.next_number = max(self.next_number, number)

    def release(self) -> int | None:
        """The place of the held whole message whose turn has come, or None; call `advance` after delivering it."""
        if not self._held or self._shapes.get(self.next_number, NO_MESSAGE) is not None:
            return None
        held = self._held.pop((self.next_number, 0))
        del self._shapes[self.next_number]
        self._early_bytes -= held.size
        return held.queuing_order

    # ── acknowledgements ─────────────────────────────────────────────────────────────────────────────────────────
    def owe(self, now: Instant, size: int = 0, *, at_once: bool = False) -> None:
        """Something of `size` bytes was received (again) and must be acknowledged."""
        self._unacknowledged += 1
        self._unacknowledged_bytes += size
        much = self._unacknowledged >= ACKNOWLEDGE_AFTER_MESSAGES
        if at_once or much or self._unacknowledged_bytes >= ACKNOWLEDGE_AFTER_BYTES:
            self.acknowledge_at = now
        elif self.acknowledge_at is None:
            self.acknowledge_at = self._on_tick(now)

    def _on_tick(self, now: Instant) -> Instant:
        """When the delay is over, or up to a fifth of it earlier: at a tick that all dialogs share.

        What many dialogs owe leaves together then, and is one commit where it arrives.
        """
        due = now + self._delay
        return Instant(due - due % (self._delay / ACKNOWLEDGEMENT_TICKS)) if self._delay else now

    def acknowledged(self) -> None:
        """An acknowledgement has left, alone or on another message."""
        self._unacknowledged = self._unacknowledged_bytes = 0
        self.acknowledge_at = None


def _same_shape(one: Fragment | None, other: Fragment | None) -> bool:
    if one is None or other is None:
        return one is other
    return (one.size, one.message_bytes) == (other.size, other.message_bytes)
