"""The hub of a web process: its followers, its ear, and the clients whom it serves."""

from __future__ import annotations

import asyncio
import time
from typing import Any, Final, Protocol
from weakref import WeakKeyDictionary

from brokerweb.common.wakeups import INSTANCE_WOKE, PEOPLE_GROUP, RIGHTS_CHANGED, TOPOLOGY_WOKE, estate_group
from brokerweb.live.protocol import SOCKETS_OF_ONE_MAX
from brokerweb.live.services.asking import Asking
from brokerweb.live.services.book import EstateBook
from brokerweb.live.services.doorman import Doorman
from brokerweb.live.services.ear import Ear
from brokerweb.live.services.follower import Follower
from brokerweb.live.services.parts import PartOf, part_of
from brokerweb.live.services.reading import PRIVATE_READERS_MAX, ReadingThreads
from brokerweb.live.topics import AnyTopic

CLOCK_SECONDS: Final = 0.5
"""How often clients are looked at for lag."""
KEPT_SECONDS: Final = 120.0
"""How long a follower that nobody needs keeps what it told, for whoever comes back."""
KEPT_MAX: Final = 100
"""How many of them are kept: whoever types into a filter leaves one behind with every letter."""


class Served(Protocol):
    """A client, as the hub sees it."""

    def clock(self, now: float) -> None:
        """Look at the lag; `now` in monotonic seconds."""

    def rights_changed(self) -> None:
        """Somebody's rights have changed, perhaps this one's."""


class Hub:
    """Belongs to one event loop; a server process has one."""

    def __init__(self, make_part: PartOf = part_of) -> None:
        self.doorman = Doorman()
        self._make_part = make_part
        self._followers: dict[tuple[str, AnyTopic], Follower] = {}
        self._books: dict[str, EstateBook] = {}
        self._clients: dict[Served, int] = {}
        """Each with its person."""
        self._threads = ReadingThreads()
        self._private_threads = ReadingThreads(PRIVATE_READERS_MAX)
        self._asking = Asking()
        self._ear = Ear(self._groups, self._hear)
        self._clock: asyncio.Task[None] | None = None

    def add(self, client: Served, person: int) -> bool:
        """Serve a client until `remove`; False when its person has as many as one may have."""
        if sum(each == person for each in self._clients.values()) >= SOCKETS_OF_ONE_MAX:
            return False
        self._clients[client] = person
        self._ear.open()
        if self._clock is None or self._clock.done():
            self._clock = asyncio.create_task(self._tick())
        return True

    async def remove(self, client: Served) -> None:
        """Serve it no more; the last one leaves nothing running."""
        self._clients.pop(client, None)
        if not self._clients:
            if self._clock is not None:
                self._clock.cancel()
                self._clock = None
            await self._ear.close()

    def book(self, estate: str) -> EstateBook:
        """What is known of an estate."""
        return self._books.setdefault(estate, EstateBook(estate))

    async def follower(self, estate: str, topic: AnyTopic) -> Follower:
        """The follower of a topic, found or made; the ear hears of its estate from then on."""
        key = (estate, topic)
        found = self._followers.get(key)
        if found is None:
            book = self.book(estate)
            found = self._followers[key] = Follower(
                estate,
                topic,
                book=book,
                threads=self._private_threads if book.is_private else self._threads,
                asking=self._asking,
                make_part=self._make_part,
            )
            await self._ear.join()
        return found

    @property
    def followers(self) -> int:
        """How many there are, also those that are only kept."""
        return len(self._followers)

    def _groups(self) -> set[str]:
        return {PEOPLE_GROUP, *(estate_group(estate) for estate, _ in self._followers)}

    def _hear(self, message: dict[str, Any]) -> None:
        """A wake-up: who has news is read, by whom it concerns."""
        kind = message["type"]
        if kind == RIGHTS_CHANGED:
            for client in list(self._clients):
                client.rights_changed()
            return
        woken = [each for (name, _), each in self._followers.items() if estate_group(name) == message["estate"]]
        if kind == TOPOLOGY_WOKE:
            for estate in {follower.estate for follower in woken}:
                self.book(estate).forget()
            for follower in woken:
                follower.wake_estate()
        elif kind == INSTANCE_WOKE:
            for follower in woken:
                follower.wake(message["instance"], message["sequence"])

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(CLOCK_SECONDS)
            now = time.monotonic()
            for client in list(self._clients):
                client.clock(now)
            self._let_go(now)
            # Also those of estates that somebody has asked for and that are not there.
            followed = {estate for estate, _ in self._followers}
            for estate in self._books.keys() - followed:
                del self._books[estate]

    def _let_go(self, now: float) -> None:
        """Followers that nobody needs: those that were left long ago, and the longest left of too many."""
        idle = [(each.left_at, key) for key, each in self._followers.items() if not each.subscribers]
        idle.sort(key=lambda one: one[0], reverse=True)
        for place, (left_at, key) in enumerate(idle):
            if place >= KEPT_MAX or now - left_at > KEPT_SECONDS:
                del self._followers[key]


_hubs: WeakKeyDictionary[asyncio.AbstractEventLoop, Hub] = WeakKeyDictionary()


def shared_hub() -> Hub:
    """The hub of the running event loop; a server process has one loop, hence one hub."""
    return _hubs.setdefault(asyncio.get_running_loop(), Hub())
