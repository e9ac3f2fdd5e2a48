"""One browser's live view: from its hello to its end.

Each instance has a watcher that sleeps until a wake-up (or, since wake-ups may be lost, until it is time to look
anyway), reads the shared snapshot and sends it if it is not what the browser has. Another watcher follows the
topology and keeps the set of instance watchers in step with it.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Coroutine

import msgspec
from asgiref.sync import sync_to_async
from django.contrib.auth.models import AnonymousUser

from brokerweb.accounts.models import User
from brokerweb.accounts.rights import Right
from brokerweb.live.protocol import (
    CLOSE_CODES,
    PROTOCOL,
    Behind,
    DraftTag,
    Heartbeat,
    Hello,
    Reason,
    Refused,
    ServerMessage,
    Subscribe,
    TopologyMessage,
    Welcome,
    decode,
    encode,
)
from brokerweb.live.services.snapshots import SnapshotCache
from brokerweb.topology.selectors.estates import EstateProgress, estate_progress

logger = logging.getLogger(__name__)

HEARTBEAT_SECONDS = 10.0
INSTANCE_SECONDS_MIN = 0.25
"""At most four views of one instance a second: a person cannot read faster."""
TOPOLOGY_SECONDS_MIN = 0.25
"""While a revision goes out to many instances, each of them moves the topology."""
LOOK_SECONDS = 5.0
"""How long a lost wake-up can go unnoticed."""
SHARED_AGE_SECONDS_MAX = 4.0
"""A look without a wake-up may be answered by a read of another browser that is this young."""


class LiveSession:
    """The state of one connection. Not responsible for the socket: it sends through the functions it is given."""

    def __init__(
        self,
        *,
        user: Callable[[], Awaitable[User | AnonymousUser]],
        send: Callable[[str], Awaitable[None]],
        close: Callable[[int], Awaitable[None]],
        follow: Callable[[str], Awaitable[None]],
        cache: SnapshotCache,
    ) -> None:
        self._user = user
        self._send_text = send
        self._close = close
        self._follow = follow
        self._cache = cache
        self._greeted = False
        self._estate: str | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._instances: dict[str, _InstanceWatch] = {}
        self._topology_woke = asyncio.Event()

    async def opened(self) -> None:
        """The socket is open; it stays so only for somebody who may look."""
        if await self._may_look():
            self._start(self._beat())

    async def received(self, text: str) -> None:
        """A message of the browser."""
        try:
            message = decode(text)
        except msgspec.DecodeError:
            await self._refuse(Reason.MALFORMED)
            return
        match message:
            case Hello(protocol=protocol):
                await self._greet(protocol)
            case Subscribe(estate=estate):
                await self._subscribe(estate)

    def instance_woke(self, instance: str, sequence: int) -> None:
        """An instance has events up to `sequence`."""
        watch = self._instances.get(instance)
        if watch is not None:
            watch.wake(sequence)

    def topology_woke(self) -> None:
        """Wanted or applied revisions, or drafts, changed."""
        self._topology_woke.set()

    async def closed(self) -> None:
        """The socket is gone: let go of everything, and wait until it is let go."""
        tasks = [task for task in self._tasks if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _greet(self, protocol: int) -> None:
        if protocol != PROTOCOL:
            await self._refuse(Reason.PROTOCOL)
            return
        self._greeted = True
        await self._send(Welcome(server_time=time.time(), heartbeat_seconds=HEARTBEAT_SECONDS))

    async def _subscribe(self, estate: str) -> None:
        if not self._greeted or self._estate is not None:
            await self._refuse(Reason.MALFORMED)
        elif await sync_to_async(estate_progress)(estate) is None:
            await self._refuse(Reason.UNKNOWN_ESTATE)
        else:
            self._estate = estate
            await self._follow(estate)
            self._start(self._watch_topology(estate))

    async def _beat(self) -> None:
        """Show the browser that we are there, and look whether its user still may look."""
        while True:
            await asyncio.sleep(HEARTBEAT_SECONDS)
            if not await self._may_look():
                return
            await self._send(Heartbeat(server_time=time.time()))

    async def _may_look(self) -> bool:
        user = await self._user()
        if not isinstance(user, User):
            await self._refuse(Reason.UNAUTHENTICATED)
            return False
        if Right.VIEW not in user.rights:
            await self._refuse(Reason.FORBIDDEN)
            return False
        return True

    async def _watch_topology(self, estate: str) -> None:
        told: object = None
        while True:
            self._topology_woke.clear()
            progress = await sync_to_async(estate_progress)(estate)
            if progress is None:
                await self._refuse(Reason.UNKNOWN_ESTATE)
                return
            if progress != told:
                self._watch_instances(estate, set(progress.instances))
                await self._send(_topology_message(progress))
                told = progress
            await asyncio.sleep(TOPOLOGY_SECONDS_MIN)
            await _wait(self._topology_woke, LOOK_SECONDS)

    def _watch_instances(self, estate: str, names: set[str]) -> None:
        for name in names - self._instances.keys():
            watch = _InstanceWatch(estate, name, self._cache, self._send_text)
            self._instances[name] = watch
            watch.task = self._start(watch.run())
        for name in self._instances.keys() - names:
            watch = self._instances.pop(name)
            if watch.task is not None:
                watch.task.cancel()

    def _start(self, work: Coroutine[None, None, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._finished)
        return task

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("A live view stopped following.", exc_info=error)

    async def _refuse(self, reason: Reason) -> None:
        await self._send(Refused(reason=reason))
        await self._close(CLOSE_CODES[reason])

    async def _send(self, message: ServerMessage) -> None:
        await self._send_text(encode(message))


class _InstanceWatch:
    """Sends one instance to one browser whenever it differs from what was sent last."""

    def __init__(self, estate: str, name: str, cache: SnapshotCache, send: Callable[[str], Awaitable[None]]) -> None:
        self.task: asyncio.Task[None] | None = None
        self._estate = estate
        self._name = name
        self._cache = cache
        self._send = send
        self._woke = asyncio.Event()
        self._sequence = 0

    def wake(self, sequence: int) -> None:
        """There are events up to `sequence`."""
        self._sequence = max(self._sequence, sequence)
        self._woke.set()

    async def run(self) -> None:
        told = ""
        while True:
            self._woke.clear()
            snapshot = await self._cache.read(
                self._estate, self._name, at_least=self._sequence, age_seconds_max=SHARED_AGE_SECONDS_MAX
            )
            if snapshot.text != told:
                await self._send(snapshot.text)
                told = snapshot.text
            await asyncio.sleep(INSTANCE_SECONDS_MIN)
            await _wait(self._woke, LOOK_SECONDS)


def _topology_message(progress: EstateProgress) -> TopologyMessage:
    return TopologyMessage(
        revision=progress.revision,
        state=progress.state,
        behind=tuple(Behind(*instance) for instance in progress.behind),
        change_sets=tuple(DraftTag(*draft) for draft in progress.change_sets),
    )


async def _wait(event: asyncio.Event, seconds: float) -> None:
    """Until the event is set, or so long."""
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        return
