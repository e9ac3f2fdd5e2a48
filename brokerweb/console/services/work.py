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
from brokerweb.console.services.showing import from_utf16, messages_of, statements_text, to_utf16
from brokerweb.console.services.target import ScriptCancelled, WatchedTarget
from brokerweb.topology.deeds import Deed
from brokerweb.topology.selectors.places import DatabasePlace, database_place
from brokerweb.topology.services.deeds import deeds_note
from brokerweb.topology.summaries import saying
from engine import api as engine

CANCELLING_SECONDS: Final = 0.5
"""How often what waits is told that nobody wants it any more, until it has ended."""

R = TypeVar("R")


class _Opened(NamedTuple):
    place: DatabasePlace
    target: WatchedTarget
    session: engine.console.ConsoleSession


class Work:
    """One session of one person on one database."""

    def __init__(self, hello: protocol.Hello, origin: Origin) -> None:
        self._hello = hello
        self._origin = origin
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="console")
        self._opened: _Opened | None = None

    async def open(self, user: User) -> DatabasePlace:
        """Begin the session. Raises `ObjectNotFound`."""
        return await self._there(lambda: self._open(user))

    def _open(self, user: User) -> DatabasePlace:
        place = database_place(self._hello.estate, self._hello.instance, self._hello.database)
        target = WatchedTarget(place.instance_place, user)
        self._opened = _Opened(place, target, engine.console.ConsoleSession(target, place.database))
        return place

    @property
    def _parts(self) -> _Opened:
        assert self._opened is not None, "it was opened"
        return self._opened

    def messages(self, number: int, script: str, user: User) -> AsyncMessages:
        """Run a script, in the name of somebody whose rights are as they are now."""
        self._parts.target.user = user
        self._parts.target.begin()
        return AsyncMessages(self, self._run(number, script))

    def _run(self, number: int, script: str) -> Iterator[protocol.ServerMessage]:
        """What a script answers, to its end; it goes on only as far as it is read."""
        _, target, session = self._parts
        begun_at = time.monotonic()
        outputs = session.run(script)
        try:
            for output in outputs:
                yield from messages_of(output, number)
                if target.is_cancelled:
                    raise ScriptCancelled
        except ScriptCancelled:
            # What was answered until then counts.
            pass
        finally:
            outputs.close()
            self._note()
        yield protocol.Done(
            id=number,
            outcome="cancelled" if target.is_cancelled else "finished",
            elapsed_seconds=round(time.monotonic() - begun_at, 3),
            transaction_count=session.transaction_count,
            database=session.database,
        )

    def _note(self) -> None:
        """One row of the log for what a script has done to what runs."""
        place, target, session = self._parts
        done, target.done = target.done, {}
        if not done:
            return
        deed = Deed(
            instance=place.instance,
            database=session.database,
            kind="database",
            name=session.database,
            field="statements",
            before=None,
            after=statements_text(done),
        )
        summary = saying(
            "run-statements",
            statements=statements_text(done),
            database=session.database,
            instance=place.instance,
        )
        deeds_note(place.estate, [deed], user=target.user, summary=summary)

    async def completion(self, asked: protocol.Complete) -> protocol.Completion:
        """What may stand at a place of a script that is being written."""
        return await self._there(lambda: self._completion(asked))

    def _completion(self, asked: protocol.Complete) -> protocol.Completion:
        _, target, session = self._parts
        target.begin()
        found = engine.console.complete(
            asked.script, from_utf16(asked.script, asked.position), target, session.database
        )
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
                await loop.run_in_executor(None, self._parts.target.cancel)
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
        if self._opened is not None:
            self._opened.target.begin()
            self._opened.session.close()

    async def _there(self, work: Callable[[], R]) -> R:
        """Do something in the session's thread."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, lambda: self._dressed(work))

    def _dressed(self, work: Callable[[], R]) -> R:
        with borrowed_connections(), acts_for(self._origin), override(self._hello.language):
            return work()

    async def next_of(self, messages: Iterator[protocol.ServerMessage]) -> protocol.ServerMessage | None:
        """The next message of a script; None when there is no more."""
        return await self._there(lambda: next(messages, None))


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
