"""Loading takes place in a thread beside the loop: a million conversations take a minute, and others live meanwhile."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple, TypeVar

from engine.core.instance import Instance
from engine.core.vocabulary.identifiers import EventSequence
from engine.core.vocabulary.rows import DatabaseRows
from engine.hosting.shelf import HostedStore, InstanceNote, settings_of
from engine.hosting.surroundings import Surroundings
from engine.storage.work_table import SqliteWorkTable

T = TypeVar("T")

IsGivenUp = Callable[[], bool]
"""Whether nobody waits for the result any more."""


class GivenUp(Exception):
    """Nobody waits for the instance any more: it is not loaded to its end."""


class LoadedInstance(NamedTuple):
    """An instance as its store has it, which nobody drives yet."""

    note: InstanceNote
    store: HostedStore
    instance: Instance
    work_table: SqliteWorkTable
    last_event: EventSequence

    def close(self) -> None:
        """Nobody is going to drive it."""
        self.store.close()
        self.work_table.close()


def load_instance(
    note: InstanceNote, store: HostedStore, around: Surroundings, is_given_up: IsGivenUp
) -> LoadedInstance:
    """Read everything that an instance has. `StoreFailed`; `GivenUp` between two pieces."""
    state = store.load(in_spans=True)
    table = SqliteWorkTable()
    try:
        pieces = _while_wanted(state.databases, is_given_up)
        settings = settings_of(note, around.settings)
        instance = Instance(state.catalog, pieces, settings, around.entropy, table, around.vault, store)
    except BaseException:
        table.close()
        raise
    return LoadedInstance(note, store, instance, table, state.last_event)


def _while_wanted(pieces: Iterable[DatabaseRows], is_given_up: IsGivenUp) -> Iterator[DatabaseRows]:
    for piece in pieces:
        if is_given_up():
            raise GivenUp
        yield piece


class BesideTheLoop:
    """One thread for work of a loop that takes long."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(1, thread_name_prefix="engine-loading")

    async def run(self, work: Callable[[IsGivenUp], T], undo: Callable[[T], None]) -> T:
        """Do it there. Who is cancelled meanwhile waits until it has ended; what it made all the same is undone."""
        is_given_up = threading.Event()
        working = asyncio.get_running_loop().run_in_executor(self._threads, work, is_given_up.is_set)
        try:
            return await asyncio.shield(working)
        except asyncio.CancelledError:
            is_given_up.set()
            [made] = await asyncio.gather(working, return_exceptions=True)
            if not isinstance(made, BaseException):
                undo(made)
            raise

    def close(self) -> None:
        """Begin nothing more."""
        self._threads.shutdown(wait=False)
