"""`ReaderRoll`: the readers of one instance that run somewhere else, as their host knows them.

A reader begins to run with the first request of a run that took up its call, and ends when that run says so, when its
session breaks, or when it has been silent for too long. Until it ends it is counted; after that nothing it says is
heard, so there are never more than MAX_QUEUE_READERS that can do anything.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

from engine.core.exchange.commands import Command
from engine.core.exchange.readers import ReaderEnded, ReaderStart
from engine.core.exchange.replies import Reply
from engine.core.vocabulary.entropy import Entropy
from engine.core.vocabulary.identifiers import ActivatedTaskId
from engine.hosting.errors import ReaderNotExpected
from engine.hosting.reader_tasks.calls import ReaderCall, ReaderPass, SendCall
from engine.hosting.readers import READER_FAILED
from engine.hosting.shelf import InstanceKey

LOOK_SECONDS: Final = 1.0
SILENT_LOOKS_MAX: Final = 8
"""Looks at which a reader was silent before it counts as dead. Looks, not seconds: a host that was itself held up does
not blame its readers for it."""

REPEAT_LOOKS: Final = 5
REPEAT_LOOKS_MAX: Final = 300
"""How soon a call that nobody has taken up is repeated, twice as late each time: the broker may have lost it, or a busy
worker may have put it aside."""

LOST: Final = "its worker has gone"


@dataclass(slots=True)
class _Expected:
    """A reader from its call to its end."""

    start: ReaderStart
    run: UUID | None = None
    looks: int = 0
    """Looks since it was called for last, or heard last."""
    patience: int = REPEAT_LOOKS
    requests: set[asyncio.Task[Any]] = field(default_factory=set)


class ReaderRoll:
    """The `Activator` of a driver, on the loop of its instance. `close` when the instance falls silent."""

    def __init__(
        self,
        key: InstanceKey,
        send: SendCall,
        execute: Callable[[Sequence[Command]], Awaitable[list[Reply]]],
        tell: Callable[[ReaderEnded], None],
        entropy: Entropy,
    ) -> None:
        self._key = key
        self._send = send
        self._execute = execute
        self._tell = tell
        self._life = entropy.new_uuid()
        self._expected: dict[ActivatedTaskId, _Expected] = {}
        self._timer: asyncio.TimerHandle | None = None

    def start_reader(self, reader: ReaderStart) -> None:
        """Call for a reader, again and again until some worker runs it."""
        self._expected[reader.task] = _Expected(reader)
        self._call(reader)
        self._look_later()

    async def execute(self, whose: ReaderPass, commands: Sequence[Command]) -> list[Reply]:
        """Carry out commands of a reader; none at all only shows that it lives. What it waits for ends with it.

        `ReaderNotExpected` for a reader that has ended, is run by somebody else or belongs to an earlier life.
        """
        reader = self._heard(whose)
        request = asyncio.current_task()
        assert request is not None, "requests are tasks of the loop"
        reader.requests.add(request)
        try:
            return await self._execute(commands)
        except asyncio.CancelledError:
            if self._expected.get(whose.task) is reader:
                raise
            raise ReaderNotExpected(f"Reader {whose.task} of instance {self._key[1]} has ended.") from None
        finally:
            reader.requests.discard(request)

    def end(self, whose: ReaderPass, ended: ReaderEnded) -> None:
        """A run tells how it has ended. `ReaderNotExpected` as above: then that is known already."""
        self._heard(whose)
        self._strike_off(ended)

    def lost(self, whose: ReaderPass) -> None:
        """The session of a run has broken; harmless when the reader had ended."""
        reader = self._expected.get(whose.task)
        if whose.life == self._life and reader is not None and reader.run == whose.run:
            self._strike_off(_lost(whose.task))

    def look(self) -> None:
        """Repeat calls that nobody takes up, and strike off who is silent; done every second while readers run."""
        self._timer = None
        for reader in list(self._expected.values()):
            reader.looks += 1
            if reader.run is not None:
                if reader.looks > SILENT_LOOKS_MAX:
                    self._strike_off(_lost(reader.start.task))
            elif reader.looks >= reader.patience:
                reader.looks, reader.patience = 0, min(2 * reader.patience, REPEAT_LOOKS_MAX)
                self._call(reader.start)
        self._look_later()

    def close(self) -> None:
        """No reader is heard any more; harmless when closed."""
        expected, self._expected = self._expected, {}
        for reader in expected.values():
            _give_up(reader)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _call(self, reader: ReaderStart) -> None:
        self._send(self._key, ReaderCall(life=self._life, start=reader))

    def _heard(self, whose: ReaderPass) -> _Expected:
        reader = self._expected.get(whose.task) if whose.life == self._life else None
        if reader is None:
            raise ReaderNotExpected(f"Instance {self._key[1]} expects no reader {whose.task} any more.")
        if reader.run not in (None, whose.run):
            raise ReaderNotExpected(f"Reader {whose.task} of instance {self._key[1]} is run by another task.")
        reader.run, reader.looks = whose.run, 0
        return reader

    def _strike_off(self, ended: ReaderEnded) -> None:
        """Told before its requests are given up: its transaction ends first, and hands nothing out to them."""
        reader = self._expected.pop(ended.task)
        self._tell(ended)
        _give_up(reader)

    def _look_later(self) -> None:
        if self._timer is None and self._expected:
            self._timer = asyncio.get_running_loop().call_later(LOOK_SECONDS, self.look)


def _lost(task: ActivatedTaskId) -> ReaderEnded:
    return ReaderEnded(task=task, number=READER_FAILED, detail=LOST, is_lost=True)


def _give_up(reader: _Expected) -> None:
    for request in reader.requests:
        request.cancel()
