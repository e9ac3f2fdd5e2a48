"""A follower: the one reader, in a process, of a topic with its parameters, for everybody who subscribes to it.

It sleeps until a wake-up says that an instance has news, or until it is time to look anyway; reads off the event loop;
compares with what it told last, and hands the difference, encoded once, to all its subscribers. It keeps what it told
lately, so that who was away for a moment goes on from where he stood.
"""

from __future__ import annotations

import asyncio
import logging
import random
import secrets
import time
from collections import deque
from collections.abc import Set
from functools import partial
from typing import Final, Protocol

import msgspec

from brokerweb.common.wakeups import instance_key
from brokerweb.live.protocol import Delta, ResyncReason, encode, snapshot_of
from brokerweb.live.services.asking import Asking
from brokerweb.live.services.book import EstateBook
from brokerweb.live.services.pace import due_at, multiple
from brokerweb.live.services.parts import Part, PartOf, PartState, joined
from brokerweb.live.services.reading import Reading, ReadingThreads
from brokerweb.live.tables import Ops, Table, compare
from brokerweb.live.topics import AnyTopic, EstateTopic

logger = logging.getLogger(__name__)

LOOK_SECONDS: Final = 5.0
"""How long a lost wake-up can go unnoticed, and what the clock alone changes stays untold."""
SILENT_LOOK_SECONDS: Final = 1.0
"""How long it takes to see that an instance answers again. It costs little: `Silence` lets one of all ask it."""
PRIVATE_LOOK_SECONDS: Final = 1.0
"""How often a private estate is read while its clock runs: its events wake nobody."""
PATIENCE_SECONDS: Final = 0.5
"""How long the news of one instance wait for those of another."""
OPS_MAX: Final = 5_000
"""Beyond so many changes a snapshot is cheaper."""
RING_BYTES_MAX: Final = 512 * 1024
RING_LENGTH_MAX: Final = 256


class Subscriber(Protocol):
    """One browser's subscription, as its follower sees it."""

    def told(self, text: str, from_: int, to: int) -> None:
        """A delta, encoded."""

    def begun_anew(self, reason: ResyncReason) -> None:
        """Deltas do not lead on: `snapshot` does."""


class Told(msgspec.Struct, frozen=True):
    """A delta that was told."""

    from_: int
    to: int
    text: str


class Follower:
    """Follows one topic of one estate. Lives on the event loop of its process."""

    def __init__(
        self,
        estate: str,
        topic: AnyTopic,
        *,
        book: EstateBook,
        threads: ReadingThreads,
        asking: Asking,
        make_part: PartOf,
    ) -> None:
        self.estate = estate
        self.topic = topic
        self.stream = secrets.token_hex(6)
        self.seq = 0
        """Number of the last change; 0 before the first reading."""
        self.left_at = time.monotonic()
        """When the last subscriber left."""
        self._book = book
        self._threads = threads
        self._asking = asking
        self._make_part = make_part
        self._parts: dict[str, Part] = {}
        self._states: dict[str, PartState] = {}
        self._by_key: dict[str, str] = {}
        self._missing: list[str] = []
        self._knows_instances = False
        self._dirty: set[str] = set()
        self._reading: dict[str, Reading[PartState]] = {}
        self._shown: Set[str] = frozenset()
        self._looks_at = float("-inf")
        self._table = Table()
        self._at = 0.0
        self._told_events: dict[str, int] = {}
        self._snapshot: str | None = None
        self._ring: deque[Told] = deque()
        self._ring_bytes = 0
        self._woke = asyncio.Event()
        self._subscribers: set[Subscriber] = set()
        self._task: asyncio.Task[None] | None = None

    # ── subscribers ──────────────────────────────────────────────────────────────────────────────────────────────
    @property
    def subscribers(self) -> int:
        """How many there are."""
        return len(self._subscribers)

    def join(self, subscriber: Subscriber) -> None:
        """Tell somebody all that comes. What has come already is in `snapshot` and `since`."""
        self._subscribers.add(subscriber)
        if self._task is None:
            self._task = asyncio.create_task(self._run())

    def leave(self, subscriber: Subscriber) -> None:
        """Tell them no more. Who follows for nobody reads nothing, but keeps what it has for who comes back."""
        self._subscribers.discard(subscriber)
        if not self._subscribers:
            self.left_at = time.monotonic()
            self.close()

    def close(self) -> None:
        """Read no more. What has not begun never does: a process that stops waits for its threads."""
        if self._task is not None:
            self._task.cancel()
            self._task = None
        for name in [name for name, reading in self._reading.items() if reading.give_up()]:
            del self._reading[name]
            self._dirty.add(name)

    def snapshot(self) -> str:
        """All of it as it was told last; encoded once however many ask."""
        if self._snapshot is None:
            self._snapshot = encode(snapshot_of(self.stream, self.seq, self._at, self._told_events, self._table))
        return self._snapshot

    def since(self, seq: int) -> list[Told] | None:
        """The deltas that lead on from a number; None where they do not, or a snapshot is cheaper."""
        if seq == self.seq:
            return []
        if self.seq - seq > OPS_MAX:
            return None
        following = [each for each in self._ring if each.from_ > seq]
        return following if following and following[0].from_ == seq + 1 else None

    # ── news ─────────────────────────────────────────────────────────────────────────────────────────────────────
    def wake(self, key: str, sequence: int) -> None:
        """The instance of this key (`instance_key`) has events up to `sequence`."""
        instance = self._by_key.get(key)
        if instance is None:
            return
        state = self._states.get(instance)
        if state is None or state.sequence < sequence:
            self._dirty.add(instance)
            self._woke.set()

    def wake_estate(self) -> None:
        """The estate has changed: other instances perhaps; of a private one all may have, for its log is of all."""
        self._knows_instances = False
        if self._book.is_private:
            self._dirty.update(self._parts)
        self._woke.set()

    # ── the loop ─────────────────────────────────────────────────────────────────────────────────────────────────
    async def _run(self) -> None:
        self._looks_at = float("-inf")
        self._woke.set()
        while True:
            await self._rest_until_due()
            began = time.monotonic()
            sent = 0
            try:
                if (table := await self._read()) is not None:
                    sent = self.tell(table)
            except Exception:
                logger.exception("A topic of estate %s could not be read.", self.estate)
            seconds = time.monotonic() - began
            await asyncio.sleep(due_at(self.topic.seconds, began, seconds, sent) - time.monotonic())

    async def _rest_until_due(self) -> None:
        if self.topic.is_sampled:
            self._dirty.update(self._parts)
            self._woke.set()
        silent = {name for name, state in self._states.items() if "unavailable" in state.facts}
        # Whoever asks a silent instance asks for all: not all of them at the same time.
        again = SILENT_LOOK_SECONDS * random.uniform(0.9, 1.1) if silent else LOOK_SECONDS  # noqa: S311
        if self._book.goes_by_itself:
            # At beats of all followers together, so that the sandbox is brought on once for all of them.
            again = multiple(PRIVATE_LOOK_SECONDS, time.monotonic() + PRIVATE_LOOK_SECONDS / 10) - time.monotonic()
            silent = set(self._parts)
        try:
            async with asyncio.timeout(min(again, max(self._looks_at - time.monotonic(), 0.0))):
                await self._woke.wait()
        except TimeoutError:
            self._dirty |= silent
        self._woke.clear()

    async def _read(self) -> Table | None:
        """What there is now; None while no instance has answered anew."""
        looks_anew = time.monotonic() >= self._looks_at
        if looks_anew:
            # All followers together, so that an instance that is at rest is asked once for all of them.
            self._looks_at = multiple(LOOK_SECONDS, time.monotonic() + LOOK_SECONDS / 10)
        if isinstance(self.topic, EstateTopic):
            progress = await self._book.progress()
            return Table(facts={} if progress is None else msgspec.to_builtins(progress))
        if looks_anew or not self._knows_instances:
            self._knows_instances = True
            await self._follow_instances()
        if looks_anew:
            self._dirty.update(self._parts)
        for name in self._dirty - self._reading.keys():
            self._dirty.discard(name)
            part = self._parts.get(name)
            if part is not None:
                self._reading[name] = self._threads.run(partial(part.read, looks_anew=looks_anew))
        has_news = await self._read_by_now()
        if self._dirty:
            # Woken while it was being read.
            self._woke.set()
        is_shown = self._parts.keys() == self._shown
        if self._parts and not has_news and (is_shown or not self._states):
            return None
        self._shown = self._parts.keys() & self._states.keys()
        return joined({name: self._states[name] for name in self._parts if name in self._states}, self._missing)

    async def _read_by_now(self) -> bool:
        """Wait a moment for the readings that are under way; whether one has ended."""
        if not self._reading:
            return False
        await asyncio.wait([reading.ended for reading in self._reading.values()], timeout=PATIENCE_SECONDS)
        ended = [name for name, reading in self._reading.items() if reading.ended.done()]
        for name in ended:
            self._states[name] = self._reading.pop(name).ended.result()
        for reading in self._reading.values():
            reading.ended.add_done_callback(lambda _: self._woke.set())
        return bool(ended)

    async def _follow_instances(self) -> None:
        progress = await self._book.progress()
        there = () if progress is None else progress.instances
        wanted = (() if isinstance(self.topic, EstateTopic) else self.topic.instances) or there
        self._missing = [name for name in wanted if name not in there]
        followed = [name for name in wanted if name in there]
        self._dirty.update(name for name in followed if name not in self._parts)
        self._parts = {
            name: self._parts.get(name) or self._make_part(self.estate, name, self.topic, self._asking)
            for name in followed
        }
        self._states = {name: state for name, state in self._states.items() if name in self._parts}
        self._by_key = {instance_key(name): name for name in followed}

    # ── telling ──────────────────────────────────────────────────────────────────────────────────────────────────
    def tell(self, table: Table) -> int:
        """Tell what is new of what is there now; answers the bytes that went out to all together."""
        is_first = self.seq == 0
        ops = compare(self._table, table)
        if not is_first and ops.count == 0 and table.columns == self._table.columns:
            return self._tell_still_so()
        came_from, self._at, self._snapshot, self._told_events = self.seq, time.time(), None, self._events()
        leads_on = not is_first and table.columns == self._table.columns and ops.count <= OPS_MAX
        self._table = table
        self.seq += max(ops.count, 1)
        if leads_on:
            return self._tell_delta(came_from, ops)
        self._forget_told()
        for subscriber in list(self._subscribers):
            subscriber.begun_anew(ResyncReason.OTHER_STREAM if is_first else ResyncReason.TOO_MANY_CHANGES)
        return len(self.snapshot()) * len(self._subscribers)

    def _tell_still_so(self) -> int:
        """Events have come that change nothing here: what a browser holds is what a reading shows that includes them.

        Told as a delta of no changes, which needs no number; who missed it has missed nothing.
        """
        events = self._events()
        if events == self._told_events:
            return 0
        self._at, self._snapshot, self._told_events = time.time(), None, events
        text = encode(Delta(stream=self.stream, from_=self.seq + 1, to=self.seq, at=self._at, events=events, ops=Ops()))
        return self._hand_out(text, self.seq + 1)

    def _tell_delta(self, came_from: int, ops: Ops) -> int:
        text = encode(
            Delta(stream=self.stream, from_=came_from + 1, to=self.seq, at=self._at, events=self._told_events, ops=ops)
        )
        self._ring.append(Told(came_from + 1, self.seq, text))
        self._ring_bytes += len(text)
        while self._ring_bytes > RING_BYTES_MAX or len(self._ring) > RING_LENGTH_MAX:
            self._ring_bytes -= len(self._ring.popleft().text)
        return self._hand_out(text, came_from + 1)

    def _hand_out(self, text: str, from_: int) -> int:
        for subscriber in list(self._subscribers):
            subscriber.told(text, from_, self.seq)
        return len(text) * len(self._subscribers)

    def _events(self) -> dict[str, int]:
        return {name: self._states[name].sequence for name in self._parts if name in self._states}

    def _forget_told(self) -> None:
        self._ring.clear()
        self._ring_bytes = 0
