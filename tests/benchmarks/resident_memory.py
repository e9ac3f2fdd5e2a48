"""One instance on disk in a process of its own, and the resident memory of that process: run by `test_resident_memory`.

    python -m tests.benchmarks.resident_memory WHAT FILE STEP [STEP ...]

WHAT is conversations, backlog, start, drain, drain_memory, queue, stored, scattered, receive or receive_memory: a
function below. Prints a line of JSON for each step. The store and the work table are those of a host. The network is
absent, but when a backlog drains: then the far end acknowledges every message at once.
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

import msgspec

from engine.core.catalog.instance import InstanceCatalog
from engine.core.exchange.changes import AppendQueue, PutCatalog, PutEndpoint
from engine.core.exchange.commands import BeginDialog, Receive, Send
from engine.core.exchange.inputs import STARTED, Input
from engine.core.exchange.replies import Reply
from engine.core.instance import Instance
from engine.core.vocabulary.limits import COMMIT_INPUTS_MAX
from engine.core.vocabulary.messages import (
    Acknowledgement,
    DialogMessage,
    DialogTarget,
    ForwardedMessage,
    LinkChange,
    LinkHasRoom,
    LinkState,
    MessageKind,
    Outbound,
    TcpAddress,
)
from engine.core.vocabulary.moment import Duration, Instant, Now, UtcTime
from engine.core.vocabulary.rows import ConversationEndpoint, QueueRow, put_together
from engine.core.vocabulary.settings import EngineSettings
from engine.storage.sqlite import SqliteStore
from engine.storage.work_table import SqliteWorkTable
from tests.support.world import EPOCH, SeededEntropy, World, route

DIALOGS_OF_BACKLOG, DIALOGS_OF_STORED = 1_000, 100
BODY_BYTES = 1024
READERS, RECEIVED_AT_ONCE = 8, 64
ADDRESS = TcpAddress("nowhere", 4022)
FAR = UUID(int=99)
"""Broker id of the far end."""
SAMPLE = 500
"""Conversations drawn at random that are brought back."""


class Measured:
    """PARIS on disk; nothing it sends leaves before its connection is up."""

    def __init__(self, path: Path, *, all_in_memory: bool = False) -> None:
        self.store = SqliteStore(path, "PARIS")
        state = self.store.load(in_spans=not all_in_memory)
        catalog = state.catalog
        if not catalog.databases:
            catalog = _catalog()
            self.store.commit([PutCatalog(catalog=catalog)], [])
        self._commands = count(1)
        self._seconds = 0.0
        entropy = SeededEntropy(Random(path.name))
        messages = None if all_in_memory else self.store
        self.instance = Instance(
            catalog, state.databases, EngineSettings(), entropy, SqliteWorkTable(), messages=messages
        )
        self.sent: Sequence[Outbound] = ()
        """What the last batch has sent."""
        self.wants_room = False

    def feed(self, inputs: Sequence[Input], seconds: float = 1.5) -> list[Reply | None]:
        """One batch, committed; the flusher may work before each."""
        self._seconds += seconds
        self.instance.begin(Now(Instant(self._seconds), UtcTime(EPOCH + self._seconds)))
        replies = [self.instance.take(each) for each in inputs]
        outcome = self.instance.finish()
        self.store.commit(outcome.changes, [])
        self.sent, self.wants_room = outcome.sends, bool(outcome.fillings)
        return replies

    def acknowledge(self) -> int:
        """The far end has everything that was sent: its acknowledgements come; answers how many messages it got."""
        sent = [each.message.message for each in self.sent]
        room = [LinkHasRoom(ADDRESS)] if self.wants_room else []
        last = {message.conversation_id: message for message in sent}
        self.feed([*map(self._acknowledgement, last.values()), *room], seconds=0.001)
        return len(sent)

    def _acknowledgement(self, message: DialogMessage) -> ForwardedMessage:
        number = message.sequence or 0
        answer = DialogMessage(
            conversation_id=message.conversation_id,
            from_initiator=False,
            source=DialogTarget("Nulle", FAR),
            target=message.source,
            kind=MessageKind.ACKNOWLEDGEMENT,
            contract=message.contract,
            acknowledgement=Acknowledgement(number, number, FAR),
            expires_at=message.expires_at,
        )
        return ForwardedMessage(message=answer, hops_remaining=10, time_to_live=Duration(100))

    def begin(self, number: int, to_service: str = "Nulle") -> list[UUID]:
        """So many dialogs; answers their handles."""
        commands = [
            BeginDialog(command_id=self._id(), database="Ventes", from_service="Client", to_service=to_service)
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

    def receive(self) -> int:
        """A batch of RECEIVEs; answers how many messages they took."""
        commands = [
            Receive(command_id=self._id(), database="Ventes", queue="dbo.Stock", top=RECEIVED_AT_ONCE)
            for _ in range(READERS)
        ]
        return sum(len(reply.messages) for reply in self.feed(commands, seconds=0.001))

    def _id(self) -> UUID:
        return UUID(int=next(self._commands))


def _catalog() -> InstanceCatalog:
    world = World()
    database = world.database("Ventes", ["Client", "Stock"], route("Nulle", "nowhere"), route("Stock"))
    return world.instance("PARIS", database).instance.catalog


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


def queue(path: Path, steps: Sequence[int]) -> None:
    """Messages that wait in a queue, up to each of the steps."""
    backlog(path, steps, to_service="Stock")


def stored(path: Path, steps: Sequence[int]) -> None:
    """Messages on a hundred conversations in a queue, put into the store as if they had come in turns."""
    _put_into_store(path, steps[-1], DIALOGS_OF_STORED)


def scattered(path: Path, steps: Sequence[int]) -> None:
    """As `stored`, each message on a conversation of its own."""
    _put_into_store(path, steps[-1], steps[-1])


def _put_into_store(path: Path, messages: int, dialogs: int) -> None:
    """One message is sent; the others, and the conversations that they come on, are like it."""
    began, chance = time.process_time(), Random(7)
    measured = Measured(path)
    measured.say(measured.begin(1, "Stock"))
    measured.feed([])
    [rows] = [piece for piece in put_together(measured.store.load().databases) if piece.name == "Ventes"]
    [like] = rows.queues["dbo.Stock"]
    [target] = [row for row in rows.endpoints if not row.is_initiator]
    targets = [target] + [_another(target, chance) for _ in range(1, dialogs)]
    for start in range(1, dialogs, COMMIT_INPUTS_MAX):
        some = targets[start : start + COMMIT_INPUTS_MAX]
        measured.store.commit([PutEndpoint(database="Ventes", endpoint=each) for each in some], [])
    for start in range(1, messages, COMMIT_INPUTS_MAX):
        places = range(start, min(start + COMMIT_INPUTS_MAX, messages))
        new = [_message(like, targets[at % dialogs], like.queuing_order + at, at // dialogs) for at in places]
        measured.store.commit([AppendQueue(database="Ventes", queue="dbo.Stock", row=each) for each in new], [])
    measured.store.close()
    _print(step=messages, resident=resident_mebibytes(), seconds=time.process_time() - began, back_us=0.0)


def _another(target: ConversationEndpoint, chance: Random) -> ConversationEndpoint:
    handle, conversation, group = [UUID(int=chance.getrandbits(128)) for _ in range(3)]
    return msgspec.structs.replace(
        target, conversation_handle=handle, conversation_id=conversation, conversation_group_id=group
    )


def _message(like: QueueRow, target: ConversationEndpoint, order: int, number: int) -> QueueRow:
    return msgspec.structs.replace(
        like,
        queuing_order=order,
        conversation_group_id=target.conversation_group_id,
        conversation_handle=target.conversation_handle,
        message_sequence_number=number,
        message_body=_body(number),
    )


def backlog(path: Path, steps: Sequence[int], to_service: str = "Nulle") -> None:
    """Messages that wait for a connection, up to each of the steps."""
    measured = Measured(path)
    handles = [handle for _ in range(2) for handle in measured.begin(DIALOGS_OF_BACKLOG // 2, to_service)]
    done, start = 0, time.process_time()
    for step in steps:
        while done < step:
            number = min(COMMIT_INPUTS_MAX, step - done)
            measured.say([handles[(done + at) % len(handles)] for at in range(number)])
            done += number
        _print(step=step, resident=resident_mebibytes(), seconds=time.process_time() - start, back_us=0.0)


def start(path: Path, steps: Sequence[int]) -> None:
    """A start from what the others have left in the file."""
    began, wall = time.process_time(), time.perf_counter()
    Measured(path)
    _print(
        step=steps[-1],
        resident=peak_mebibytes(),
        seconds=time.process_time() - began,
        back_us=0.0,
        wall=time.perf_counter() - wall,
    )


def drain(path: Path, steps: Sequence[int], *, all_in_memory: bool = False) -> None:
    """The connection is up: all of it leaves and is acknowledged."""
    measured = Measured(path, all_in_memory=all_in_memory)
    started, began, done = time.process_time(), time.perf_counter(), 0
    measured.feed([STARTED])
    measured.feed([LinkChange(address=ADDRESS, state=LinkState.LOGGED_IN, peer=None)])
    while arrived := measured.acknowledge():
        done += arrived
    assert done >= steps[-1], f"{done} messages arrived"
    assert measured.instance.backlog().transmission == 0
    took = time.perf_counter() - began
    _print(
        step=done,
        resident=peak_mebibytes(),
        seconds=time.process_time() - started,
        back_us=0.0,
        wall=took,
        per_second=done / took,
    )


def receive(path: Path, steps: Sequence[int], *, all_in_memory: bool = False) -> None:
    """Readers take as many messages as the last step says; `first_ms` is their first batch."""
    measured = Measured(path, all_in_memory=all_in_memory)
    started, began = time.process_time(), time.perf_counter()
    done = measured.receive()
    first = time.perf_counter() - began
    while done < steps[-1]:
        taken = measured.receive()
        assert taken, f"{done} messages were received"
        done += taken
    took = time.perf_counter() - began
    _print(
        step=done,
        resident=peak_mebibytes(),
        seconds=time.process_time() - started,
        back_us=0.0,
        wall=took,
        per_second=done / took,
        first_ms=first * 1e3,
    )


def receive_memory(path: Path, steps: Sequence[int]) -> None:
    """As `receive`, with every message in memory from the start."""
    receive(path, steps, all_in_memory=True)


def drain_memory(path: Path, steps: Sequence[int]) -> None:
    """As `drain`, with every message in memory from the start."""
    drain(path, steps, all_in_memory=True)


def _print(**figures: float) -> None:
    sys.stdout.write(json.dumps(figures) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    what, file, *numbers = sys.argv[1:]
    steps_of = (conversations, backlog, start, drain, drain_memory, queue, stored, scattered, receive, receive_memory)
    {each.__name__: each for each in steps_of}[what](Path(file), [int(n) for n in numbers])
