"""Following the pictures of an instance turn by turn, as the web does, and counting anew what they say (ADR 25)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from engine.core.exchange import pictures
from engine.core.exchange.inputs import Input
from engine.core.exchange.pictures import Picture, Unchanged
from engine.core.exchange.replies import Reply
from engine.core.instance import Instance
from engine.core.pictures.journal import PictureJournal
from engine.core.vocabulary.moment import Now
from engine.core.vocabulary.rows import ConversationState
from engine.runtime.driver import InstanceDriver

EVERYTHING = 1_000
FOLLOWED = (
    pictures.SummaryQuery(),
    pictures.ConversationsQuery(rows_max=EVERYTHING),
    pictures.ConversationsQuery(rows_max=EVERYTHING, states=(ConversationState.CLOSED, ConversationState.ERROR)),
    pictures.TransmissionsQuery(rows_max=EVERYTHING),
    pictures.TransmissionsQuery(rows_max=EVERYTHING, numbers=(None,)),
    pictures.ForwardedMessagesQuery(rows_max=EVERYTHING),
    pictures.QueuesQuery(rows_max=EVERYTHING),
    pictures.MirroredRoutesQuery(rows_max=EVERYTHING),
)
"""Views that are told as changes; connections and counters are samples."""

_OF_ONE_ANSWER = ("sequence", "is_whole", "columns", "rows", "gone", "cleared")


class Held:
    """What a follower of a view holds: rows by key, and everything beside them."""

    def __init__(self, picture: Picture) -> None:
        self.rows: dict[str, tuple[object, ...]] = {}
        self.beside: dict[str, object] = {}
        self.sequence = picture.sequence
        self.fold(picture)

    def fold(self, answer: Picture) -> None:
        """Take over an answer."""
        self.sequence = answer.sequence
        if isinstance(answer, Unchanged):
            return
        told = msgspec.structs.asdict(answer)
        if told.get("is_whole", True):
            self.rows = {}
        cleared = set(told.get("cleared", ()))
        for key in [key for key in self.rows if key.partition(" ")[2] in cleared]:
            del self.rows[key]
        for key in told.get("gone", ()):
            self.rows.pop(key, None)
        rows = told.get("rows", ())
        assert len({row.key for row in rows}) == len(rows), "keys are unique"
        self.rows.update((row.key, row.cells) for row in rows)
        self.beside = {name: value for name, value in told.items() if name not in _OF_ONE_ANSWER}


class Follower:
    """Follows every view of one instance. `ask` is for whoever lets it live."""

    def __init__(self, instance: Instance, journal: PictureJournal) -> None:
        self._instance = instance
        self._journal = journal

    def whole(self, now: Now) -> list[Held]:
        """Every view as it is."""
        return [Held(self._instance.picture(query, self._journal, now)) for query in FOLLOWED]

    def check(self, before: Sequence[Held], now: Now) -> None:
        """What was held before and what is told of changes since make what is there now; the sums are a recount."""
        for query, held in zip(FOLLOWED, before, strict=True):
            asked = msgspec.structs.replace(query, since=held.sequence)
            answer = self._instance.picture(asked, self._journal, now)
            held.fold(answer)
            fresh = Held(self._instance.picture(query, self._journal, now))
            assert held.beside == fresh.beside, (type(query).__name__, answer, fresh.beside)
            assert held.rows == fresh.rows, (type(query).__name__, differences(held.rows, fresh.rows))
        self.recount(now)

    def recount(self, now: Now) -> None:
        """The sums are those of the rows."""
        conversations = self._instance.picture(FOLLOWED[1], self._journal, now)
        transmissions = self._instance.picture(FOLLOWED[3], self._journal, now)
        assert isinstance(conversations, pictures.ConversationsPicture)
        assert isinstance(transmissions, pictures.TransmissionsPicture)
        view = self._instance.view(EVERYTHING * 100)
        for database, sums in zip(view.databases, conversations.sums, strict=True):
            states = Counter(each.state for each in database.conversation_endpoints)
            assert (sums.database, sums.total, sums.by_state) == (database.name, states.total(), dict(states))
            assert sum(sums.closed.values()) == states[ConversationState.CLOSED]
        waiting = {
            (database.name, number): [
                row for row in database.transmission_queue if row.transmission_status_number == number
            ]
            for database in view.databases
            for number in {row.transmission_status_number for row in database.transmission_queue}
        }
        assert {(each.database, each.number) for each in transmissions.groups} == set(waiting)
        for group in transmissions.groups:
            rows = waiting[group.database, group.number]
            assert group.messages == len(rows)
            firsts = {row.conversation_handle: row.enqueue_time for row in reversed(rows)}
            # A database that was moved brings times of another machine's clock along, so the first may not be oldest.
            assert (group.conversations, group.oldest) == (len(firsts), min(firsts.values()))


def differences(one: dict[str, tuple[object, ...]], other: dict[str, tuple[object, ...]]) -> object:
    """Where two sets of rows differ."""
    keys = [key for key in {**one, **other} if one.get(key) != other.get(key)]
    return [(key, one.get(key), other.get(key)) for key in keys]


class WatchedDriver:
    """A driver in a simulated world, every turn of which is followed."""

    turns = 0
    """Of all of them."""

    def __init__(self, instance: Instance, *, sink, clock, **ports) -> None:
        self._clock = clock
        self._sink = sink
        self._journal = PictureJournal(0)
        self._last = 0
        self._follower = Follower(instance, self._journal)
        self._driver = InstanceDriver(instance, sink=self, clock=clock, **ports)

    def publish(self, first, events) -> None:
        """The journal numbers events from its own beginning: what was committed before is of no interest."""
        self._journal.note(self._last + 1, events)
        self._last += len(events)
        self._sink.publish(first, events)

    def process(self, inputs: Sequence[Input]) -> list[Reply | None]:
        """One turn."""
        WatchedDriver.turns += 1
        now = self._clock.now()
        before = self._follower.whole(now)
        replies = self._driver.process(inputs)
        self._driver.settle()
        self._follower.check(before, now)
        return replies
