"""`ReaderLine`: how a reader that runs speaks with its instance, and how both notice that the other has gone.

Where the host is on this machine, over a session, whose end says at once that the reader is dead. From anywhere else
by tasks on the instance's queue: slower, and a dead reader is noticed by its silence.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import TimeoutError as FutureTimeout
from typing import Final, Protocol, Self

from engine.core.exchange.commands import Command
from engine.core.exchange.readers import ReaderEnded
from engine.core.exchange.replies import Reply
from engine.core.vocabulary.identifiers import EstateName, InstanceName
from engine.hosting import client
from engine.hosting.clock import SYSTEM_CLOCK
from engine.hosting.errors import EngineUnavailable, ReaderNotExpected
from engine.hosting.late_replies import answer_seconds_max
from engine.hosting.reader_tasks.calls import BEAT_SECONDS, SILENCE_SECONDS, ReaderPass

OPEN_SECONDS: Final = 2.0
"""How long a session that is open may take to answer; then it is not our instance that listens there."""

END_SECONDS: Final = 5.0


class _Way(Protocol):
    def ask(self, commands: Sequence[Command], seconds: float | None) -> list[Reply]: ...

    def is_broken_by(self, error: EngineUnavailable) -> bool: ...

    def close(self) -> None: ...


class _SessionWay:
    """A session of the reader's own."""

    def __init__(self, estate: EstateName, instance: InstanceName, whose: ReaderPass) -> None:
        self._session = client.open_reader_session(estate, instance, whose)

    def ask(self, commands: Sequence[Command], seconds: float | None) -> list[Reply]:
        answers = self._session.submit(commands)
        try:
            return list(answers.result(seconds))
        except FutureTimeout:
            raise EngineUnavailable(f"The instance did not answer within {seconds:g} seconds.") from None

    def is_broken_by(self, _error: EngineUnavailable) -> bool:
        return True

    def close(self) -> None:
        self._session.close()


class _TaskWay:
    """A task for each request."""

    def __init__(self, estate: EstateName, instance: InstanceName, whose: ReaderPass) -> None:
        self._place = (estate, instance)
        self._whose = whose
        self._is_closed = threading.Event()

    def ask(self, commands: Sequence[Command], seconds: float | None) -> list[Reply]:
        return client.execute_for_reader(
            *self._place, self._whose, commands, timeout_seconds=seconds, is_given_up=self._is_closed.is_set
        )

    def is_broken_by(self, error: EngineUnavailable) -> bool:
        return isinstance(error, ReaderNotExpected)

    def close(self) -> None:
        self._is_closed.set()


class ReaderLine:
    """From its making, which claims the call for this run, to `close`; a context manager.

    Raises `EngineUnavailable` when the instance cannot be reached, and `ReaderNotExpected` when it does not want this
    run: another one was first, or the instance lives a new life.
    """

    def __init__(self, estate: EstateName, instance: InstanceName, whose: ReaderPass) -> None:
        self._place = (estate, instance)
        self._whose = whose
        self._heard_at = SYSTEM_CLOCK.lasting_seconds()
        self._way = _opened(estate, instance, whose)
        self._is_closed = threading.Event()
        self._beating = threading.Thread(target=self._beat, name=f"reader-beat-{whose.task}", daemon=True)
        self._beating.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def execute(self, commands: Sequence[Command]) -> list[Reply]:
        """Have commands carried out; on the reader's thread."""
        if self._is_silent():
            # It was stopped for a while, or nothing of the instance was heard: there is another reader by now.
            self.close()
        if self._is_closed.is_set():
            raise EngineUnavailable(f"Instance {self._place[1]} expects nothing of this reader any more.")
        return self._way.ask(commands, answer_seconds_max(commands))

    def end(self, ended: ReaderEnded) -> None:
        """Tell how the reader has ended. Where that cannot be said, the instance notices by itself."""
        try:
            client.end_reader(*self._place, self._whose, ended, timeout_seconds=END_SECONDS)
        except EngineUnavailable:
            return

    def close(self) -> None:
        """Say nothing more; a request under way ends with `EngineUnavailable`. Harmless when closed."""
        if not self._is_closed.is_set():
            self._is_closed.set()
            self._way.close()

    def _beat(self) -> None:
        while not self._is_closed.wait(BEAT_SECONDS):
            asked_at = SYSTEM_CLOCK.lasting_seconds()
            try:
                self._way.ask((), SILENCE_SECONDS)
            except EngineUnavailable as error:
                if self._way.is_broken_by(error) or self._is_silent():
                    self.close()
            else:
                self._heard_at = asked_at

    def _is_silent(self) -> bool:
        return SYSTEM_CLOCK.lasting_seconds() - self._heard_at >= SILENCE_SECONDS


def _opened(estate: EstateName, instance: InstanceName, whose: ReaderPass) -> _Way:
    ways: tuple[tuple[Callable[..., _Way], float], ...] = ((_SessionWay, OPEN_SECONDS), (_TaskWay, SILENCE_SECONDS))
    refusal = EngineUnavailable()
    for kind, seconds in ways:
        try:
            way = kind(estate, instance, whose)
        except EngineUnavailable as error:
            refusal = error
            continue
        try:
            way.ask((), seconds)
        except EngineUnavailable as error:
            refusal = error
            way.close()
        else:
            return way
    raise refusal
