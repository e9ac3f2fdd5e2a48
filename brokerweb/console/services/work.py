"""`Work`: a session in a thread of its own, where everything that it does happens: it may wait, and it has a database.

The thread does one thing at a time. Whoever asks is on the event loop and awaits the answers.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Final, NamedTuple, TypeVar

from django.utils.translation import override

from brokerweb.accounts.models import User
from brokerweb.common.database import borrowed_connections
from brokerweb.common.origin import Origin, acts_for
from brokerweb.console import protocol
from brokerweb.console.services.ground import Ground
from brokerweb.console.services.grounds import ground_at
from brokerweb.console.services.showing import from_utf16, messages_of, to_utf16
from brokerweb.console.services.target import ScriptCancelled
from engine import api as engine

CANCELLING_SECONDS: Final = 0.5
"""How often what waits is told that nobody wants it any more, until it has ended."""

R = TypeVar("R")

_numbers: Final = engine.console.SessionNumbers()
"""Those of the sessions of this process."""


class _Opened(NamedTuple):
    ground: Ground
    session: engine.console.ConsoleSession
    number: int
    """@@SPID."""


class Work:
    """One session of one person on one database."""

    def __init__(self, hello: protocol.Hello, origin: Origin) -> None:
        self._hello = hello
        self._origin = origin
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="console")
        self._opened: _Opened | None = None

    async def open(self, user: User) -> Ground:
        """Begin the session. Raises `ObjectNotFound`; of a sandbox `TrainingOver` and `ScenarioChanged` too."""
        return await self._there(lambda: self._open(user))

    def _open(self, user: User) -> Ground:
        ground = ground_at(self._hello, user)
        number = _numbers.take()
        try:
            session = engine.console.ConsoleSession(
                ground.target, ground.database, watch=lambda: _go_on(ground), number=number
            )
        except BaseException:
            _numbers.give_back(number)
            raise
        self._opened = _Opened(ground, session, number)
        return ground

    @property
    def _parts(self) -> _Opened:
        assert self._opened is not None, "it was opened"
        return self._opened

    def messages(self, number: int, script: str, user: User) -> AsyncMessages:
        """Run a script, in the name of somebody whose rights are as they are now."""
        self._parts.ground.begin(user)
        return AsyncMessages(self, self._run(number, script))

    def _run(self, number: int, script: str) -> Iterator[protocol.ServerMessage]:
        """What a script answers, to its end; it goes on only as far as it is read."""
        ground, session, _ = self._parts
        begun_at = time.monotonic()
        outputs = ground.run(session, script)
        try:
            for output in outputs:
                yield from messages_of(output, number)
                _go_on(ground)
        except ScriptCancelled:
            # What was answered until then counts.
            pass
        finally:
            outputs.close()
        yield protocol.Done(
            id=number,
            outcome="cancelled" if ground.is_cancelled else "finished",
            elapsed_seconds=round(time.monotonic() - begun_at, 3),
            transaction_count=session.transaction_count,
            database=session.database,
        )

    async def over(self) -> str | None:
        """Why there can be no session on this ground any more; None as long as there can. Also while a script runs."""
        if self._opened is None:
            return None
        ground = self._opened.ground
        return await asyncio.get_running_loop().run_in_executor(None, lambda: self._dressed(ground.over))

    async def completion(self, asked: protocol.Complete, user: User) -> protocol.Completion:
        """What may stand at a place of a script that is being written."""
        return await self._there(lambda: self._completion(asked, user))

    def _completion(self, asked: protocol.Complete, user: User) -> protocol.Completion:
        ground, session, _ = self._parts
        ground.begin(user)
        position = from_utf16(asked.script, asked.position)
        found = engine.console.complete(asked.script, position, ground.target, session.database)
        return protocol.Completion(
            id=asked.id,
            begins_at=to_utf16(asked.script, found.start),
            options=[protocol.Option(each.label, each.insert, each.kind, each.detail) for each in found.items],
        )

    async def cancel(self, ended: asyncio.Event) -> None:
        """Have the script that runs end, and see to it until it has."""
        loop = asyncio.get_running_loop()
        while not ended.is_set():
            # An instance that is gone has forgotten who waited.
            with suppress(engine.console.TargetUnavailable):
                await loop.run_in_executor(None, self._parts.ground.cancel)
            try:
                async with asyncio.timeout(CANCELLING_SECONDS):
                    await ended.wait()
            except TimeoutError:
                continue

    async def close(self) -> None:
        """Roll back what is open and let go of the thread. No script runs any more."""
        try:
            await self._there(self._close)
        finally:
            self._thread.shutdown(wait=False)

    def _close(self) -> None:
        if self._opened is None:
            return
        try:
            self._opened.ground.close(self._opened.session)
        finally:
            _numbers.give_back(self._opened.number)

    async def _there(self, work: Callable[[], R]) -> R:
        """Do something in the session's thread."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, lambda: self._dressed(work))

    def _dressed(self, work: Callable[[], R]) -> R:
        with borrowed_connections(), acts_for(self._origin), override(self._hello.language):
            return work()

    async def next_of(self, messages: Iterator[protocol.ServerMessage]) -> protocol.ServerMessage | None:
        """The next message of a script; None when there is no more."""
        return await self._there(lambda: next(messages, None))


def _go_on(ground: Ground) -> None:
    if ground.is_cancelled:
        raise ScriptCancelled


class AsyncMessages:
    """What a script answers, read on the event loop, message by message."""

    def __init__(self, work: Work, messages: Iterator[protocol.ServerMessage]) -> None:
        self._work = work
        self._messages = messages

    def __aiter__(self) -> AsyncMessages:
        return self

    async def __anext__(self) -> protocol.ServerMessage:
        message = await self._work.next_of(self._messages)
        if message is None:
            raise StopAsyncIteration
        return message
