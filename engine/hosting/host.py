"""`EngineHost`: all instances of one worker, on one event loop in one thread.

It opens what it finds in the data directory, keeps it running until it is stopped, and answers from any thread. An
instance that fails does not touch the others; it is loaded anew from its store after a while.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import CancelledError, Future
from concurrent.futures import TimeoutError as WaitTimeout
from contextlib import closing
from typing import Any, Final, TypeVar

import msgspec

from engine.core.exchange.commands import Command
from engine.core.exchange.events import BrokerEvent
from engine.core.exchange.replies import Reply
from engine.core.exchange.system_views import SystemViewQuery, SystemViewRows
from engine.core.exchange.views import InstanceView, QueuePeek
from engine.core.vocabulary.dialog_security import KeySuite
from engine.core.vocabulary.identifiers import (
    CommandId,
    DatabaseName,
    EstateName,
    EventSequence,
    InstanceName,
    QueueName,
)
from engine.core.vocabulary.settings import DialogSettings
from engine.hosting.clock import SystemClock
from engine.hosting.directory import PortDirectory
from engine.hosting.entropy import OperatingSystemEntropy
from engine.hosting.errors import EngineUnavailable
from engine.hosting.hosted import HostedInstance
from engine.hosting.keys import vault_of
from engine.hosting.late_replies import ANSWER_SECONDS_MAX, answer_seconds_max
from engine.hosting.settings import HostingSettings
from engine.hosting.shelf import FileStamp, InstanceKey, InstanceNote, StoreShelf, read_note, write_note
from engine.hosting.surroundings import Surroundings
from engine.hosting.wakeups import Wake, WakeUps
from engine.storage.errors import StoreFailed, StoreInUse
from engine.storage.sqlite import SqliteStore

STOP_SECONDS_MAX: Final = 30.0

_STOPPED: Final = "The engine is stopped."

logger = logging.getLogger(__name__)

T = TypeVar("T")
OnHosted = Callable[[EstateName, InstanceName, bool], None]
"""Told when this host begins (True) or ceases (False) to answer for an instance."""


class EngineHost:
    """Starts with `start`, ends with `stop`; between them every method may be called from any thread.

    Raises `EngineUnavailable` whenever an instance cannot be asked, with a sentence that says why.
    """

    def __init__(self, settings: HostingSettings, *, wake: Wake | None, on_hosted: OnHosted) -> None:
        """`wake` tells the web of events; `on_hosted` is called on the loop's thread and must not block."""
        self._settings = settings
        self._wake = wake
        self._shelf = StoreShelf(settings.data_directory)
        self._on_hosted = on_hosted
        self._instances: dict[InstanceKey, HostedInstance] = {}
        self._failures: dict[InstanceKey, str] = {}
        self._put_away: dict[InstanceKey, FileStamp] = {}
        """Files that were seen to be of closed instances; as long as they do not change, nobody opens them."""
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
            self._ask(self._begin())
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
        self._opening = asyncio.Lock()
        self._wakeups = None if self._wake is None else WakeUps(self._wake)
        self._around = Surroundings(
            clock=SystemClock(),
            entropy=OperatingSystemEntropy(),
            directory=PortDirectory(self._settings.data_directory / "directory.sqlite3"),
            wakeups=self._wakeups,
            listen_host=self._settings.listen_host,
            vault=vault_of(self._settings),
            dialog=DialogSettings(
                fragment_bytes=self._settings.fragment_bytes, message_bytes_max=SqliteStore.BODY_BYTES_MAX
            ),
        )
        await self._open_what_is_not_alive()
        self._mending = asyncio.get_running_loop().create_task(self._mend())

    async def _end(self) -> None:
        self._mending.cancel()
        async with self._opening:
            for hosted in self._instances.values():
                await hosted.close()
        if self._wakeups is not None:
            self._wakeups.close()
        self._around.directory.close()
        # One more turn, in which the goodbyes reach their sockets.
        await asyncio.sleep(0)

    # ── from any thread ──────────────────────────────────────────────────────────────────────────────────────────
    def open_instance(
        self, estate: EstateName, instance: InstanceName, *, pace: float = 1.0, key_suite: KeySuite = KeySuite.MD5
    ) -> bool:
        """Host an instance, made when it does not exist; one that is open takes over a new pace or suite.

        False when another worker hosts it: then nothing was done here.
        """
        return self._ask(self._open((estate, instance), InstanceNote(pace=pace, key_suite=key_suite)))

    def close_instance(self, estate: EstateName, instance: InstanceName, *, forgets: bool = False) -> bool:
        """Host an instance no more, also after a restart; with `forgets` its store is deleted.

        False when another worker hosts it: then nothing was done here.
        """
        return self._ask(self._close((estate, instance), forgets))

    def execute(self, estate: EstateName, instance: InstanceName, commands: Sequence[Command]) -> list[Reply]:
        """Carry out commands in their order; each reply stands for what is durable."""
        return self._answer(self.execute_later(estate, instance, commands), answer_seconds_max(commands))

    def execute_later(
        self, estate: EstateName, instance: InstanceName, commands: Sequence[Command]
    ) -> Future[list[Reply]]:
        """As `execute`, without waiting. Who cancels the answer gives up what its WAITFORs wait for."""

        async def ask() -> list[Reply]:
            return await self._hosted(estate, instance).execute(commands)

        return self._begin_asking(ask())

    def cancel_wait(self, estate: EstateName, instance: InstanceName, command_id: CommandId) -> None:
        """Whoever waits with this WAITFOR is answered with the empty set; harmless when nobody does."""
        self._read(estate, instance, lambda hosted: hosted.cancel_wait(command_id))

    def read_view(self, estate: EstateName, instance: InstanceName, rows_max: int) -> InstanceView:
        """The live rows of an instance."""
        return self._read(estate, instance, lambda hosted: hosted.view(rows_max))

    def peek_queue(
        self, estate: EstateName, instance: InstanceName, database: DatabaseName, queue: QueueName, top: int
    ) -> QueuePeek:
        """The first messages of a queue; `BrokerError` when there is none of that name."""
        return self._read(estate, instance, lambda hosted: hosted.peek(database, queue, top))

    def read_system_view(self, estate: EstateName, instance: InstanceName, query: SystemViewQuery) -> SystemViewRows:
        """One page of a system view; `BrokerError` when the query names what is not there."""
        return self._read(estate, instance, lambda hosted: hosted.system_view(query))

    def events_after(
        self, estate: EstateName, instance: InstanceName, sequence: EventSequence, limit: int
    ) -> Sequence[tuple[EventSequence, BrokerEvent]]:
        """Events of an instance's log, oldest first."""
        return self._read(estate, instance, lambda hosted: hosted.events_after(sequence, limit))

    def _read(self, estate: EstateName, instance: InstanceName, read: Callable[[HostedInstance], T]) -> T:
        async def ask() -> T:
            return read(self._hosted(estate, instance))

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

    def _hosted(self, estate: EstateName, instance: InstanceName) -> HostedInstance:
        hosted = self._instances.get((estate, instance))
        if hosted is None:
            reason = self._failures.get((estate, instance), "is not open in this engine")
            raise EngineUnavailable(f"Instance {instance} of estate {estate} {reason}.")
        return hosted

    # ── opening and closing, on the loop ─────────────────────────────────────────────────────────────────────────
    async def _open(self, key: InstanceKey, note: InstanceNote) -> bool:
        async with self._opening:
            known = self._instances.get(key)
            if known is not None:
                if not known.failure and known.note == note:
                    return True
                await known.close()
            try:
                hosted = self._load(key, note)
            except StoreInUse:
                self._release(key)
                return False
            except StoreFailed as error:
                self._note_failure(key, error)
                raise EngineUnavailable(f"Instance {key[1]} of estate {key[0]} cannot be opened: {error}.") from error
            await self._begin_together([hosted])
            return True

    async def _close(self, key: InstanceKey, forgets: bool) -> bool:
        async with self._opening:
            known = self._instances.get(key)
            try:
                # First of all what must not be lost: whatever fails later, nobody opens it again.
                if known is not None and not known.failure:
                    known.remember_closed()
                elif self._shelf.exists(key):
                    self._write_closed(key)
                self._release(key)
                if known is not None:
                    await known.close()
                self._around.directory.remove(*key)
                if forgets:
                    self._shelf.delete(key)
            except StoreInUse:
                # Another worker has it.
                self._release(key)
                return False
            except (StoreFailed, OSError) as error:
                raise EngineUnavailable(f"Instance {key[1]} of estate {key[0]} cannot be closed: {error}.") from error
            return True

    def _write_closed(self, key: InstanceKey) -> None:
        """Write into the file of an instance that does not live here that nobody hosts it."""
        with closing(self._shelf.open(key)) as store:
            write_note(store, msgspec.structs.replace(read_note(store), is_open=False))

    def _release(self, key: InstanceKey) -> None:
        """Answer for an instance no more, not even with why it failed; harmless when it is not ours."""
        known = self._instances.pop(key, None)
        failure = self._failures.pop(key, None)
        if known is not None or failure is not None:
            self._on_hosted(*key, False)

    def _note_failure(self, key: InstanceKey, error: Exception) -> None:
        """Say to everybody who asks why an instance cannot be opened."""
        self._instances.pop(key, None)
        if key not in self._failures:
            logger.error("Instance %s of estate %s cannot be opened.", key[1], key[0], exc_info=error)
            self._on_hosted(*key, True)
        self._failures[key] = f"cannot be opened: {error}"

    def _load(self, key: InstanceKey, note: InstanceNote) -> HostedInstance:
        """Bring an instance to life; its note is written before anything happens to it. `StoreFailed`."""
        store = self._shelf.open(key)
        try:
            if read_note(store) != note:
                write_note(store, note)
            hosted = HostedInstance(key, note, store, self._around)
        except BaseException:
            store.close()
            raise
        self._instances[key] = hosted
        self._failures.pop(key, None)
        self._put_away.pop(key, None)
        self._on_hosted(*key, True)
        return hosted

    async def _mend(self) -> None:
        """Now and then, take up what has failed, what another worker had and has left, and ports that were taken."""
        while True:
            await asyncio.sleep(self._settings.retry_seconds)
            async with self._opening:
                try:
                    await self._open_what_is_not_alive()
                    for hosted in self._instances.values():
                        await hosted.mend_listener()
                except Exception:
                    logger.exception("What is not alive could not be looked after.")

    async def _open_what_is_not_alive(self) -> None:
        keys = list(self._shelf.find())
        for key in self._instances.keys() - set(keys):
            if self._instances[key].failure:
                # Another worker has forgotten it meanwhile.
                self._release(key)
        found = [self._try_to_load(key) for key in keys]
        await self._begin_together([hosted for hosted in found if hosted is not None])

    async def _begin_together(self, opened: Sequence[HostedInstance]) -> None:
        """Everybody listens before anybody begins to send, or the first calls between them would fail."""
        for hosted in opened:
            await hosted.listen()
        for hosted in opened:
            hosted.begin()

    def _try_to_load(self, key: InstanceKey) -> HostedInstance | None:
        """An instance that is not alive and should be; None for every other, and for one that cannot be opened."""
        known = self._instances.get(key)
        if known is not None and not known.failure:
            return None
        if self._put_away.get(key) == self._shelf.stamp(key):
            return None
        try:
            with closing(self._shelf.open(key)) as store:
                note = read_note(store)
            if note.is_open:
                return self._load(key, note)
            self._put_away[key] = self._shelf.stamp(key)
            self._release(key)
        except StoreInUse:
            # Another worker hosts it.
            self._release(key)
        except Exception as error:
            # Whatever is wrong with one instance, the others must come up.
            self._note_failure(key, error)
        return None


def _run(runner: asyncio.Runner) -> None:
    """The life of the host's thread."""
    with runner:
        runner.get_loop().run_forever()
