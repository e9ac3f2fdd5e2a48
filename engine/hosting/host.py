"""`EngineHost`: all instances of one worker, on one event loop in one thread.

It opens what it finds on its shelf of stores and nobody else has, keeps it running until it is stopped, and answers
from any thread. An instance that fails does not touch the others; it is loaded anew from its store after a while.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import CancelledError, Future
from concurrent.futures import TimeoutError as WaitTimeout
from functools import partial
from typing import Any, Final, TypeVar

from engine.core.exchange.commands import Command
from engine.core.exchange.events import BrokerEvent
from engine.core.exchange.explaining import TransmissionExplanation
from engine.core.exchange.pictures import Picture, PictureQuery
from engine.core.exchange.readers import ReaderEnded
from engine.core.exchange.replies import Reply
from engine.core.exchange.system_views import SystemViewQuery, SystemViewRows
from engine.core.exchange.views import InstanceView, QueuePeek
from engine.core.vocabulary.dialog_security import KeySuite
from engine.core.vocabulary.errors import BrokerError
from engine.core.vocabulary.identifiers import (
    CommandId,
    ConversationHandle,
    DatabaseName,
    EstateName,
    EventSequence,
    InstanceName,
    QueueName,
)
from engine.core.vocabulary.settings import DialogSettings, EngineSettings, TransmissionObjectSettings
from engine.hosting.clock import SYSTEM_CLOCK, HostClock
from engine.hosting.directory import PortDirectory
from engine.hosting.entropy import OperatingSystemEntropy
from engine.hosting.errors import EngineUnavailable
from engine.hosting.hosted import HostedInstance
from engine.hosting.keys import vault_of
from engine.hosting.late_replies import ANSWER_SECONDS_MAX, answer_seconds_max
from engine.hosting.lease_keeper import new_holder
from engine.hosting.leases import MemoryLeaseBook
from engine.hosting.metrics.reading import InstanceReading
from engine.hosting.reader_tasks.calls import ReaderPass, SendCall
from engine.hosting.roster import OnHosted, Roster
from engine.hosting.settings import HostingSettings
from engine.hosting.shelf import InstanceNote
from engine.hosting.shelves import plate_of, shelf_of
from engine.hosting.surroundings import Surroundings
from engine.hosting.wakeups import Wake, WakeUps

STOP_SECONDS_MAX: Final = 30.0
LOOK_SECONDS: Final = 1.0
"""How soon a worker takes up what another one has given back."""

_STOPPED: Final = "The engine is stopped."

logger = logging.getLogger(__name__)

T = TypeVar("T")


class EngineHost:
    """Starts with `start`, ends with `stop`; between them every method may be called from any thread.

    Raises `EngineUnavailable` whenever an instance cannot be asked, with a sentence that says why.
    """

    def __init__(
        self,
        settings: HostingSettings,
        *,
        wake: Wake | None,
        on_hosted: OnHosted,
        send_call: SendCall | None = None,
        name: str = "",
        clock: HostClock = SYSTEM_CLOCK,
    ) -> None:
        """`wake` tells the web of events; `on_hosted` is called on the loop's thread and must not block.

        `send_call` lets workers hear that a reader is called for; without it readers are threads of this process.
        `name` is that of the worker, by which people know the host.
        """
        self._settings = settings
        self._name = name
        self._clock = clock
        self._wake = wake
        self._shelf = shelf_of(settings)
        self._on_hosted = on_hosted
        self._send_call = send_call
        self._asked: set[Future[Any]] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    # ── life ─────────────────────────────────────────────────────────────────────────────────────────────────────
    def start(self) -> None:
        """Open every instance of the data directory; returns when all of them listen and work.

        Raises `OSError` when the data directory cannot be used.
        """
        runner = asyncio.Runner(loop_factory=asyncio.new_event_loop)
        self._loop = runner.get_loop()
        self._thread = threading.Thread(target=_run, args=(runner,), name="engine-host", daemon=True)
        self._thread.start()
        try:
            # However long it takes to load them.
            self._ask(self._begin(), None)
        except BaseException:
            self._end_thread()
            raise

    def stop(self) -> None:
        """Take in what has arrived, tell the neighbours, close the stores. Harmless when stopped."""
        if self._loop is None:
            return
        try:
            self._ask(self._end(), STOP_SECONDS_MAX)
        finally:
            self._end_thread()

    def _end_thread(self) -> None:
        loop, thread = self._loop, self._thread
        assert loop is not None
        assert thread is not None
        self._loop = None
        loop.call_soon_threadsafe(loop.stop)
        thread.join(STOP_SECONDS_MAX)
        for future in list(self._asked):
            # It was asked too late to be heard.
            if not future.done():
                future.set_exception(EngineUnavailable(_STOPPED))

    async def _begin(self) -> None:
        self._wakeups = None if self._wake is None else WakeUps(self._wake)
        self._around = Surroundings(
            clock=self._clock,
            entropy=OperatingSystemEntropy(),
            directory=PortDirectory(self._settings.data_directory / "directory.sqlite3"),
            wakeups=self._wakeups,
            listen_host=self._settings.listen_host,
            vault=vault_of(self._settings),
            settings=EngineSettings(
                dialog=DialogSettings(
                    fragment_bytes=self._settings.fragment_bytes, message_bytes_max=self._shelf.body_bytes_max
                ),
                transmission_objects=TransmissionObjectSettings(bytes_kept=self._settings.object_bytes_kept),
            ),
            plate_of=partial(plate_of, self._settings.data_directory),
            send_call=self._send_call,
        )
        holder = new_holder(self._name)
        self._roster = Roster(
            self._settings,
            self._shelf,
            self._around,
            self._settings.leases or MemoryLeaseBook(clock=self._clock),
            holder,
            self._on_hosted,
        )
        await self._roster.begin()
        self._caring = asyncio.get_running_loop().create_task(self._look_after())

    async def _end(self) -> None:
        self._caring.cancel()
        try:
            await self._roster.end()
        finally:
            if self._wakeups is not None:
                self._wakeups.close()
            self._around.directory.close()
            self._shelf.close()
        # One more turn, in which the goodbyes reach their sockets.
        await asyncio.sleep(0)

    # ── from any thread ──────────────────────────────────────────────────────────────────────────────────────────
    def open_instance(
        self,
        estate: EstateName,
        instance: InstanceName,
        *,
        pace: float = 1.0,
        key_suite: KeySuite = KeySuite.MD5,
        makes: bool = True,
    ) -> bool:
        """Host an instance, made when it does not exist; one that is open takes over a new pace or suite.

        Without `makes` a store that was open and is not there is gone (5120), and none is made in its place.
        False when another worker hosts it: then nothing was done here.
        """
        note = InstanceNote(pace=pace, key_suite=key_suite)
        return self._ask(self._roster.open((estate, instance), note, makes=makes))

    def close_instance(self, estate: EstateName, instance: InstanceName, *, forgets: bool = False) -> bool:
        """Host an instance no more, also after a restart; with `forgets` its store is deleted.

        False when another worker hosts it: then nothing was done here.
        """
        return self._ask(self._roster.close((estate, instance), forgets))

    def execute(self, estate: EstateName, instance: InstanceName, commands: Sequence[Command]) -> list[Reply]:
        """Carry out commands in their order; each reply stands for what is durable."""
        return self._answer(self.execute_later(estate, instance, commands), answer_seconds_max(commands))

    def execute_later(
        self, estate: EstateName, instance: InstanceName, commands: Sequence[Command]
    ) -> Future[list[Reply]]:
        """As `execute`, without waiting. Who cancels the answer gives up what its WAITFORs wait for."""

        async def ask() -> list[Reply]:
            return await self._roster.hosted((estate, instance)).execute(commands)

        return self._begin_asking(ask())

    def execute_for_reader_later(
        self, estate: EstateName, instance: InstanceName, whose: ReaderPass, commands: Sequence[Command]
    ) -> Future[list[Reply]]:
        """As `execute_later`, for a reader that runs somewhere else; no commands at all show that it lives.

        `ReaderNotExpected` when it is not to run any more.
        """

        async def ask() -> list[Reply]:
            return await self._roster.hosted((estate, instance)).execute_for_reader(whose, commands)

        return self._begin_asking(ask())

    def end_reader(self, estate: EstateName, instance: InstanceName, whose: ReaderPass, ended: ReaderEnded) -> None:
        """A reader that runs somewhere else tells how it has ended; `ReaderNotExpected` when that is known already."""
        self._read(estate, instance, lambda hosted: hosted.end_reader(whose, ended))

    def cancel_wait(self, estate: EstateName, instance: InstanceName, command_id: CommandId) -> None:
        """Whoever waits with this WAITFOR is answered with the empty set; harmless when nobody does."""
        self._read(estate, instance, lambda hosted: hosted.cancel_wait(command_id))

    def read_view(self, estate: EstateName, instance: InstanceName, rows_max: int) -> InstanceView:
        """The live rows of an instance."""
        return self._read(estate, instance, lambda hosted: hosted.view(rows_max))

    def peek_queue(
        self,
        estate: EstateName,
        instance: InstanceName,
        database: DatabaseName,
        queue: QueueName,
        top: int,
        with_bodies: bool = True,
    ) -> QueuePeek:
        """The first messages of a queue; `BrokerError` when there is none of that name."""
        return self._read(estate, instance, lambda hosted: hosted.peek(database, queue, top, with_bodies))

    def read_system_view(self, estate: EstateName, instance: InstanceName, query: SystemViewQuery) -> SystemViewRows:
        """One page of a system view; `BrokerError` when the query names what is not there."""
        return self._read(estate, instance, lambda hosted: hosted.system_view(query))

    def readings(self) -> list[InstanceReading]:
        """What is measured of every instance of this worker."""

        async def ask() -> list[InstanceReading]:
            return self._roster.readings()

        return self._ask(ask())

    def read_pictures(
        self, estate: EstateName, instance: InstanceName, queries: Sequence[PictureQuery]
    ) -> list[Picture | BrokerError]:
        """Pictures of the same moment; a `BrokerError` in the place of one whose query names what is not there."""
        return self._read(estate, instance, lambda hosted: hosted.pictures(queries))

    def explain_transmission(
        self, estate: EstateName, instance: InstanceName, database: DatabaseName, handle: ConversationHandle
    ) -> TransmissionExplanation:
        """What a conversation waits for; `BrokerError` when there is none."""
        return self._read(estate, instance, lambda hosted: hosted.explain(database, handle))

    def events_after(
        self, estate: EstateName, instance: InstanceName, sequence: EventSequence, limit: int
    ) -> Sequence[tuple[EventSequence, BrokerEvent]]:
        """Events of an instance's log, oldest first."""
        return self._read(estate, instance, lambda hosted: hosted.events_after(sequence, limit))

    def _read(self, estate: EstateName, instance: InstanceName, read: Callable[[HostedInstance], T]) -> T:
        async def ask() -> T:
            return read(self._roster.hosted((estate, instance)))

        return self._ask(ask())

    def _ask(self, answer: Coroutine[Any, Any, T], seconds: float | None = ANSWER_SECONDS_MAX) -> T:
        return self._answer(self._begin_asking(answer), seconds)

    def _begin_asking(self, answer: Coroutine[Any, Any, T]) -> Future[T]:
        loop = self._loop
        if loop is None:
            answer.close()
            raise EngineUnavailable(_STOPPED)
        try:
            future = asyncio.run_coroutine_threadsafe(answer, loop)
        except RuntimeError as error:
            # The loop was closed a moment ago.
            answer.close()
            raise EngineUnavailable(_STOPPED) from error
        self._asked.add(future)
        future.add_done_callback(self._asked.discard)
        return future

    def _answer(self, future: Future[T], seconds: float | None) -> T:
        try:
            return future.result(seconds)
        except CancelledError as error:
            raise EngineUnavailable(_STOPPED) from error
        except WaitTimeout:
            if future.done():
                # Not our patience has ended: it is the answer.
                raise
            future.cancel()
            raise EngineUnavailable(f"The engine did not answer within {seconds:g} seconds.") from None

    # ── on the loop ──────────────────────────────────────────────────────────────────────────────────────────────
    async def _look_after(self) -> None:
        """Take up what another worker has left; more seldom, what has failed here and ports that were taken."""
        mends_at = self._clock.lasting_seconds() + self._settings.retry_seconds
        while True:
            await asyncio.sleep(min(LOOK_SECONDS, self._settings.retry_seconds))
            mends = self._clock.lasting_seconds() >= mends_at
            if mends:
                mends_at = self._clock.lasting_seconds() + self._settings.retry_seconds
            await self._roster.look(mends=mends)


def _run(runner: asyncio.Runner) -> None:
    """The life of the host's thread."""
    with runner:
        runner.get_loop().run_forever()
