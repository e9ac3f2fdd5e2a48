"""`ConversationPlaces`: where in a queue the messages of one conversation are, and which of them may be received."""

from __future__ import annotations

from array import array
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import accumulate, chain, islice
from typing import Final

from engine.core.catalog.objects import DIALOG_TIMER_TYPE, ERROR_TYPE
from engine.core.vocabulary.identifiers import ConversationGroupId, ConversationHandle
from engine.core.vocabulary.no_entries import NO_ENTRIES
from engine.core.vocabulary.rows import QueueRow, QueueRowStatus

AHEAD: Final = frozenset({DIALOG_TIMER_TYPE, ERROR_TYPE})
"""System messages that RECEIVE hands out before the numbered ones of their conversation."""


def is_plain(row: QueueRow) -> bool:
    """Whether a message is in the queue, ready, and has its turn by its number: a start needs its place alone."""
    return row.status is QueueRowStatus.READY and not row.awaits_queue and row.message_type_name not in AHEAD


class PlacesBeyond:
    """Places of ready messages behind those that RECEIVE hands out next; eight bytes each (ADR 20).

    They ascend, but for messages that were early: their places are older than the one whose gap they waited for.
    """

    __slots__ = ("_gone", "_next", "_places", "_strays", "early")

    def __init__(self, places: Iterable[int] = ()) -> None:
        self._places = array("q", places)
        self._gone = 0
        """How many at the front were taken out already."""
        self.early: AbstractSet[int] = frozenset()
        """Those that were early, or came while the queue was off: they stay in memory, or come there with the first."""
        self._next = 0
        """While a start tells them: the number that should come next."""
        self._strays: list[tuple[int, array[int]]] = []
        """Told in another order than that of their numbers: the first number of each run, and its places."""

    def __len__(self) -> int:
        return len(self._places) - self._gone + sum(len(places) for _, places in self._strays)

    def __iter__(self) -> Iterator[int]:
        self.settle()
        return islice(self._places, self._gone, None)

    def append(self, place: int) -> None:
        """Behind all others."""
        if self._strays:
            self.settle()
        self._places.append(place)

    def extend(self, first: int, places: Sequence[int]) -> None:
        """A start tells of messages whose numbers follow one another from `first` on."""
        # An array takes a whole list at once, but extends itself by any but another array item by item.
        told = array("q", places)
        if self._strays or (self._places and first != self._next):
            self._strays.append((first, told))
        else:
            self._places.extend(told)
            self._next = first + len(places)

    def settle(self) -> None:
        """The start is over: all of them in order of their numbers, of which each is there once."""
        if not self._strays:
            return
        runs = sorted([(self._next - len(self._places), self._places), *self._strays], key=_first_number)
        self._strays = []
        self._places = array("q", chain.from_iterable(places for _, places in runs))
        self.find_early()

    def find_early(self) -> None:
        """Those are early that are older than one before them."""
        highest = accumulate(self._places, max)
        self.mark_early(place for place, so_far in zip(self._places, highest, strict=True) if place < so_far)

    def mark_early(self, places: Iterable[int]) -> None:
        """These are older than one before them, or came while the queue was off."""
        if isinstance(self.early, set):
            self.early.update(places)
        else:
            self.early = set(places)

    def eldest(self) -> int:
        """The oldest place; there is one."""
        self.settle()
        first = self._places[self._gone]
        return min(first, *self.early) if self.early else first

    def ascending(self) -> Iterable[int]:
        """All of them from the oldest on."""
        self.settle()
        return sorted(self) if self.early else self

    def first(self, number: int) -> list[int]:
        """The next ones."""
        self.settle()
        return self._places[self._gone : self._gone + number].tolist()

    def take_out(self, number: int) -> None:
        """The next ones leave."""
        if self.early:
            self.early -= frozenset(self.first(number))
        self._gone += number
        if 2 * self._gone > len(self._places):
            del self._places[: self._gone]
            self._gone = 0


def _first_number(run: tuple[int, array[int]]) -> int:
    return run[0]


NO_PLACES: Final = NO_ENTRIES
"""Stands for a lane that nothing has been in: those of a million conversations would take a gigabyte."""


class ConversationPlaces:
    """Places of one conversation's messages. Ordered dictionaries find their first entry at once, however many went.

    It is dormant while its next message is in the store alone. A lane that nothing has been in is `NO_PLACES`: `unfold`
    before anything is put into one, but for a plain message of a conversation that is not dormant.
    """

    __slots__ = (
        "ahead",
        "beyond",
        "disabled",
        "group",
        "handle",
        "in_order",
        "loaded",
        "priority",
        "retained",
        "taken",
    )

    def __init__(
        self,
        handle: ConversationHandle,
        group: ConversationGroupId,
        priority: int,
        in_order: OrderedDict[int, None] | None = None,
    ) -> None:
        """`in_order` is `NO_PLACES` for a conversation of which the store alone has messages."""
        self.handle = handle
        self.group = group
        self.priority = priority
        self.ahead: OrderedDict[int, None] = NO_PLACES
        self.in_order = OrderedDict() if in_order is None else in_order
        """Ready messages, in order of their numbers."""
        self.beyond: PlacesBeyond | None = None
        """The ready messages behind them."""
        self.loaded = -1
        """Number of the last message that a start has read."""
        self.disabled: OrderedDict[int, None] = NO_PLACES
        """Of early messages and of fragments, in order of arrival."""
        self.taken: OrderedDict[int, None] = NO_PLACES
        """Of messages that a transaction which is still open has received."""
        self.retained: OrderedDict[int, None] = NO_PLACES
        """Of copies that RETENTION keeps; nobody receives them."""

    @property
    def is_dormant(self) -> bool:
        """Whether its next message is in the store alone."""
        return self.beyond is not None and not self.in_order

    def unfold(self) -> None:
        """Make the lanes that are not there yet."""
        if self.in_order is NO_PLACES:
            self.in_order = OrderedDict()
        if self.ahead is NO_PLACES:
            self.ahead, self.disabled, self.taken, self.retained = [OrderedDict() for _ in range(4)]

    def fold(self) -> None:
        """All that it has is beyond."""
        self.ahead = self.in_order = self.disabled = self.taken = self.retained = NO_PLACES

    def lanes(self) -> tuple[OrderedDict[int, None], ...]:
        """All places but those beyond."""
        return self.ahead, self.in_order, self.disabled, self.taken, self.retained

    def all(self) -> list[int]:
        """All places."""
        return list(chain(*self.lanes(), self.beyond or ()))

    def out_of_reach(self) -> tuple[OrderedDict[int, None], ...]:
        """Places of messages that no RECEIVE hands out."""
        return self.disabled, self.taken, self.retained

    def lane(self, row: QueueRow) -> OrderedDict[int, None]:
        """Where a ready message belongs."""
        return self.ahead if row.message_type_name in AHEAD else self.in_order

    def join(self, row: QueueRow) -> None:
        """A message that is not simply the next one is ready."""
        lane, beyond = self.lane(row), self.beyond
        if beyond is not None and lane is self.in_order:
            beyond.append(row.queuing_order)
            beyond.mark_early((row.queuing_order,))
        else:
            lane[row.queuing_order] = None

    def is_unread(self, row: QueueRow) -> bool:
        """Whether a RECEIVE could hand out a message that is in memory."""
        order, beyond = row.queuing_order, self.beyond
        return order in self.lane(row) or (beyond is not None and order in beyond.early)

    def eldest(self) -> int:
        """The oldest place of a message that can be received."""
        in_order: Iterable[int] = self.in_order
        if self.beyond is not None and not self.in_order:
            in_order = self.beyond.first(1)
        return min(chain(islice(self.ahead, 1), islice(in_order, 1)))

    @property
    def has_ready(self) -> bool:
        """Whether there is one."""
        return bool(self.ahead or self.in_order or self.beyond)
