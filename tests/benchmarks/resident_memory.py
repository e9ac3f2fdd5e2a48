"""One instance on disk in a process of its own, and the resident memory of that process: run by `test_resident_memory`.

    python -m tests.benchmarks.resident_memory conversations|backlog|start FILE STEP [STEP ...]

Prints a line of JSON for each step. The store and the work table are those of a host; the network is absent.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from random import Random
from uuid import UUID

from engine.core.catalog.instance import InstanceCatalog
from engine.core.exchange.changes import PutCatalog
from engine.core.exchange.commands import BeginDialog, Send
from engine.core.exchange.inputs import Input
from engine.core.exchange.replies import Reply
from engine.core.instance import Instance
from engine.core.vocabulary.limits import COMMIT_INPUTS_MAX
from engine.core.vocabulary.moment import Instant, Now, UtcTime
from engine.core.vocabulary.settings import EngineSettings
from engine.storage.sqlite import SqliteStore
from engine.storage.work_table import SqliteWorkTable
from tests.support.world import EPOCH, SeededEntropy, World, route

DIALOGS_OF_BACKLOG = 1_000
BODY_BYTES = 1024
SAMPLE = 500
"""Conversations drawn at random that are brought back."""


class Measured:
    """PARIS on disk; nothing it sends ever leaves."""

    def __init__(self, path: Path) -> None:
        self.store = SqliteStore(path, "PARIS")
        state = self.store.load()
        catalog = state.catalog
        if not catalog.databases:
            catalog = _catalog()
            self.store.commit([PutCatalog(catalog=catalog)], [])
        self._commands = count(1)
        self._seconds = 0.0
        entropy = SeededEntropy(Random(path.name))
        self.instance = Instance(catalog, state.databases, EngineSettings(), entropy, SqliteWorkTable())

    def feed(self, inputs: Sequence[Input]) -> list[Reply | None]:
        """One batch, committed; the flusher may work before each."""
        self._seconds += 1.5
        self.instance.begin(Now(Instant(self._seconds), UtcTime(EPOCH + self._seconds)))
        replies = [self.instance.take(each) for each in inputs]
        self.store.commit(self.instance.finish().changes, [])
        return replies

    def begin(self, number: int) -> list[UUID]:
        """So many dialogs; answers their handles."""
        commands = [
            BeginDialog(command_id=self._id(), database="Ventes", from_service="Client", to_service="Nulle")
            for _ in range(number)
        ]
        return [reply.conversation_handle for reply in self.feed(commands)]

    def say(self, handles: Sequence[UUID]) -> None:
        """A message of its own on each conversation."""
        self.feed(
            [
                Send(command_id=self._id(), database="Ventes", conversation_handle=handle, body=_body(at))
                for at, handle in enumerate(handles)
            ]
        )

    def _id(self) -> UUID:
        return UUID(int=next(self._commands))


def _catalog() -> InstanceCatalog:
    world = World()
    return world.instance("PARIS", world.database("Ventes", ["Client"], route("Nulle", "nowhere"))).instance.catalog


def _body(number: int) -> bytes:
    return number.to_bytes(8, "big") * (BODY_BYTES // 8)


def resident_mebibytes() -> float:
    """What the process has in memory now."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * resource.getpagesize() / 2**20


def peak_mebibytes() -> float:
    """The most it has ever had; `ru_maxrss` would count what the parent had before it started this program."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def conversations(path: Path, steps: Sequence[int]) -> None:
    """Idle conversations up to each of the steps, and the time to get one back that rests."""
    measured, chance = Measured(path), Random(7)
    handles: list[UUID] = []
    done, start = 0, time.process_time()
    for step in steps:
        while done < step:
            begun = measured.begin(min(COMMIT_INPUTS_MAX, step - done))
            done += len(begun)
            handles.append(chance.choice(begun))
        resident = resident_mebibytes()
        drawn = chance.choices(handles, k=SAMPLE)
        table = measured.instance._broker.conversations
        began = time.perf_counter()
        for handle in drawn:
            table.get(("Ventes", handle))
        back = (time.perf_counter() - began) / SAMPLE
        _print(step=step, resident=resident, seconds=time.process_time() - start, back_us=back * 1e6)


def backlog(path: Path, steps: Sequence[int]) -> None:
    """Messages that wait for a connection, up to each of the steps."""
    measured = Measured(path)
    handles = [handle for _ in range(2) for handle in measured.begin(DIALOGS_OF_BACKLOG // 2)]
    done, start = 0, time.process_time()
    for step in steps:
        while done < step:
            number = min(COMMIT_INPUTS_MAX, step - done)
            measured.say([handles[(done + at) % len(handles)] for at in range(number)])
            done += number
        _print(step=step, resident=resident_mebibytes(), seconds=time.process_time() - start, back_us=0.0)


def start(path: Path, steps: Sequence[int]) -> None:
    """A start from what the others have left in the file."""
    began = time.process_time()
    Measured(path)
    _print(step=steps[-1], resident=peak_mebibytes(), seconds=time.process_time() - began, back_us=0.0)


def _print(**figures: float) -> None:
    sys.stdout.write(json.dumps(figures) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    what, file, *numbers = sys.argv[1:]
    {"conversations": conversations, "backlog": backlog, "start": start}[what](Path(file), [int(n) for n in numbers])
