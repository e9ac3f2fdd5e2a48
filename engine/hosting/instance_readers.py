"""`InstanceReaders`: the internal readers of a hosted instance, threads of its process or tasks of workers."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress

from engine.core.exchange.commands import Command
from engine.core.exchange.readers import ReaderEnded, ReaderStart
from engine.core.exchange.replies import Reply
from engine.hosting.errors import ReaderNotExpected
from engine.hosting.late_replies import answer_seconds_max
from engine.hosting.reader_tasks.calls import ReaderPass
from engine.hosting.reader_tasks.roll import ReaderRoll
from engine.hosting.readers import ReaderThreads, answer_from_loop
from engine.hosting.shelf import InstanceKey
from engine.hosting.surroundings import Surroundings


class InstanceReaders:
    """The `Activator` of a driver, on the loop of its instance, on which it is made."""

    def __init__(
        self,
        key: InstanceKey,
        around: Surroundings,
        execute: Callable[[Sequence[Command]], Awaitable[list[Reply]]],
        tell: Callable[[ReaderEnded], None],
    ) -> None:
        self._key = key
        self._execute = execute
        self._tell = tell
        self._loop = asyncio.get_running_loop()
        self._threads = ReaderThreads(self._execute_from_thread, self._tell_from_thread, around.entropy)
        self._roll: ReaderRoll | None = None
        if around.send_call is not None:
            self._roll = ReaderRoll(key, around.send_call, execute, tell, around.entropy)

    def start_reader(self, reader: ReaderStart) -> None:
        """The driver asks for a reader."""
        (self._roll or self._threads).start_reader(reader)

    async def execute(self, whose: ReaderPass, commands: Sequence[Command]) -> list[Reply]:
        """Carry out commands of a reader that is a task; `ReaderNotExpected` when it is not to run any more."""
        return await self._called().execute(whose, commands)

    def end(self, whose: ReaderPass, ended: ReaderEnded) -> None:
        """A reader that is a task tells how it has ended; `ReaderNotExpected` when that is known."""
        self._called().end(whose, ended)

    def gone(self, whose: ReaderPass) -> None:
        """The session of a reader that is a task has broken."""
        if self._roll is not None:
            self._roll.lost(whose)

    def close(self) -> None:
        """The instance falls silent; harmless when it is."""
        if self._roll is not None:
            self._roll.close()

    def _called(self) -> ReaderRoll:
        if self._roll is None:
            raise ReaderNotExpected(f"Readers of instance {self._key[1]} are threads of its own process.")
        return self._roll

    # ── on the threads of readers ────────────────────────────────────────────────────────────────────────────────
    def _execute_from_thread(self, commands: Sequence[Command]) -> list[Reply]:
        async def ask() -> list[Reply]:
            return await self._execute(commands)

        return answer_from_loop(ask(), self._loop, answer_seconds_max(commands))

    def _tell_from_thread(self, ended: ReaderEnded) -> None:
        # A loop that is closed has nobody left to tell.
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._tell, ended)
