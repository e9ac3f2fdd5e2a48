"""Internal readers: Python callables that stand for activated procedures (protocol.md 17.2).

A callable is registered under the name of a procedure, in the process that runs readers, before messages come. It is
given a `ReaderSession`, receives until the queue is empty, and returns. Whatever it raises aborts this reader and
nothing else. Where one process does everything, each runs in a thread of it (`ReaderThreads`); where there are workers,
in a task (`engine.hosting.reader_tasks`).
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import CancelledError
from concurrent.futures import TimeoutError as FutureTimeout
from typing import Any, Final, TypeVar

from engine.core.exchange.commands import Command
from engine.core.exchange.readers import ReaderEnded, ReaderStart
from engine.core.exchange.replies import Reply
from engine.core.vocabulary.entropy import Entropy
from engine.core.vocabulary.rows import QueueRow
from engine.hosting.errors import EngineUnavailable
from engine.hosting.reader_session import ReaderSession

READER_FAILED: Final = 28088

Reader = Callable[[ReaderSession], object]
"""What it returns is ignored, as result sets of a procedure are."""

Execute = Callable[[Sequence[Command]], list[Reply]]
"""Carries out commands and waits for the replies; called on the reader's thread, raises `EngineUnavailable`."""

logger = logging.getLogger(__name__)

_registered: Final[dict[str, Reader]] = {}
_registering = threading.Lock()


def register_reader(procedure_name: str, reader: Reader) -> None:
    """Let `reader` stand for a procedure in this process, in any letter case; a later one replaces it."""
    with _registering:
        _registered[procedure_name.casefold()] = reader


def unregister_reader(procedure_name: str) -> None:
    """Nothing stands for the procedure any more; harmless when nothing did. Running readers go on."""
    with _registering:
        _registered.pop(procedure_name.casefold(), None)


def registered_reader(procedure_name: str) -> Reader | None:
    """What stands for a procedure."""
    with _registering:
        return _registered.get(procedure_name.casefold())


def receiving(
    handle: Callable[[ReaderSession, tuple[QueueRow, ...]], object], *, top: int = 1, wait_seconds: float = 0.0
) -> Reader:
    """A reader that hands at most `top` messages of one conversation group at a time to `handle`, until none comes.

    Each RECEIVE and what `handle` does with its session are one transaction: committed when it returns, rolled back
    when it raises or its process dies. `wait_seconds` is how long the reader waits for more before it returns.
    """

    def read(session: ReaderSession) -> None:
        rows: tuple[QueueRow, ...] | None = None
        while rows is None or rows:
            with session.transaction():
                rows = session.receive(top=top, wait_seconds=wait_seconds)
                if rows:
                    handle(session, rows)

    return read


def carry_out(reader: ReaderStart, session: ReaderSession) -> ReaderEnded:
    """Run the registered callable; how it has ended. Never raises."""
    try:
        call = registered_reader(reader.procedure_name)
        if call is None:
            raise LookupError(f"no reader is registered as '{reader.procedure_name}'")
        call(session)
    except EngineUnavailable as error:
        # Not the procedure's fault: as if its process had died.
        return ReaderEnded(task=reader.task, number=READER_FAILED, detail=str(error), is_lost=True)
    except Exception as error:
        logger.exception("The reader '%s' of queue '%s' has failed.", reader.procedure_name, reader.queue)
        return ReaderEnded(task=reader.task, number=READER_FAILED, detail=f"{type(error).__name__}: {error}")
    # A transaction that is still open is rolled back by the instance (8415).
    return ReaderEnded(task=reader.task)


T = TypeVar("T")


def answer_from_loop(answer: Coroutine[Any, Any, T], loop: asyncio.AbstractEventLoop, seconds: float | None) -> T:
    """Have a coroutine carried out on another thread's loop; `EngineUnavailable` when that does not answer in time."""
    try:
        future = asyncio.run_coroutine_threadsafe(answer, loop)
    except RuntimeError as error:
        answer.close()
        raise EngineUnavailable("The engine is stopped.") from error
    try:
        return future.result(seconds)
    except (CancelledError, FutureTimeout) as error:
        future.cancel()
        raise EngineUnavailable("The engine does not answer.") from error


class ReaderThreads:
    """The readers of one instance. It is the `Activator` of its driver; `start_reader` never waits."""

    def __init__(self, execute: Execute, tell: Callable[[ReaderEnded], None], entropy: Entropy) -> None:
        """`tell` is called on any thread."""
        self._execute = execute
        self._tell = tell
        self._entropy = entropy

    def start_reader(self, reader: ReaderStart) -> None:
        """Run the registered callable in a thread of its own."""
        name = f"reader-{reader.procedure_name}-{reader.task}"
        threading.Thread(target=self._run, args=(reader,), name=name, daemon=True).start()

    def _run(self, reader: ReaderStart) -> None:
        self._tell(carry_out(reader, ReaderSession(reader, self._execute, self._entropy)))
