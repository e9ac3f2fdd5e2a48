"""What an idle conversation costs in memory, by where its transmission object is, and what it costs to wake it."""

from __future__ import annotations

import gc
import time
import tracemalloc
from collections import deque
from collections.abc import Callable, Sequence
from random import Random
from uuid import UUID

import msgspec
import pytest

from engine.core.catalog.instance import InstanceCatalog
from engine.core.exchange.commands import BeginDialog, Receive, Send
from engine.core.exchange.inputs import TIMER_FIRED, Input
from engine.core.exchange.replies import Reply
from engine.core.exchange.system_views import SystemViewQuery
from engine.core.instance import Instance
from engine.core.transmission.work_table import MemoryWorkTable, WorkTable
from engine.core.vocabulary.limits import TRANSMISSION_OBJECT_BYTES
from engine.core.vocabulary.messages import LinkChange, LinkState, TcpAddress
from engine.core.vocabulary.moment import Instant, Now, UtcTime
from engine.core.vocabulary.settings import EngineSettings, TransmissionObjectSettings
from engine.storage.work_table import SqliteWorkTable
from tests.support.world import EPOCH, World, route

CONVERSATIONS = 5_000
BATCH = 500
"""Conversations begun in one batch, after which both sides rest."""
EVERYTHING = TransmissionObjectSettings(bytes_kept=10 * CONVERSATIONS * TRANSMISSION_OBJECT_BYTES)
NOTHING = TransmissionObjectSettings(bytes_kept=0)


class Pair:
    """PARIS and LYON without disks and sockets: what one sends the other gets at once."""

    def __init__(self, settings: TransmissionObjectSettings, make_work_table: Callable[[], WorkTable]) -> None:
        world = World()
        self.entropy = world.entropy
        self.seconds = 1.0
        self.settings = msgspec.structs.replace(EngineSettings(), transmission_objects=settings)
        self.work_tables: list[WorkTable] = []
        paris = world.instance("PARIS", world.database("Ventes", ["Client"], route("Entrepôt", "lyon")))
        lyon = world.instance("LYON", world.database("Stock", ["Entrepôt"], route("Client", "paris")))
        self.paris = self._instance(paris.instance.catalog, make_work_table)
        self.lyon = self._instance(lyon.instance.catalog, make_work_table)
        self.at = {TcpAddress("paris", 4022): self.paris, TcpAddress("lyon", 4022): self.lyon}

    def _instance(self, catalog: InstanceCatalog, make_work_table: Callable[[], WorkTable]) -> Instance:
        self.work_tables.append(make_work_table())
        return Instance(catalog, [], self.settings, self.entropy, self.work_tables[-1])

    def now(self) -> Now:
        return Now(Instant(self.seconds), UtcTime(EPOCH + self.seconds))

    def feed(self, instance: Instance, *inputs: Input) -> list[Reply | None]:
        """Feed inputs as one batch and obey what follows from them; answers the replies."""
        replies: list[Reply | None] = []
        todo: deque[tuple[Instance, Sequence[Input]]] = deque([(instance, inputs)])
        while todo:
            whose, each = todo.popleft()
            whose.begin(self.now())
            answers = [whose.take(one) for one in each]
            replies = replies or answers
            outcome = whose.finish()
            for address in outcome.dials:
                change = LinkChange(address=address, state=LinkState.LOGGED_IN, peer="peer")
                todo.append((whose, [change]))
            carried: dict[TcpAddress, list[Input]] = {}
            for outbound in outcome.sends:
                carried.setdefault(outbound.address, []).append(outbound.message)
            todo.extend((self.at[address], messages) for address, messages in carried.items())
        return replies

    def begin(self, count: int) -> list[UUID]:
        command = BeginDialog(command_id=UUID(int=0), database="Ventes", from_service="Client", to_service="Entrepôt")
        return [reply.conversation_handle for reply in self.feed(self.paris, *[command] * count)]

    def say(self, *handles: UUID) -> None:
        self.feed(
            self.paris,
            *(Send(command_id=UUID(int=0), database="Ventes", conversation_handle=each, body=b"x") for each in handles),
        )

    def rest(self) -> None:
        """Acknowledgements leave, queues are read, whoever is idle may go."""
        self.seconds += 2
        for instance in (self.lyon, self.paris, self.lyon, self.paris):
            self.feed(instance, TIMER_FIRED)
        command = Receive(command_id=UUID(int=0), database="Stock", queue="dbo.Entrepôt", top=10_000)
        while self.feed(self.lyon, command)[0].messages:
            pass

    def close(self) -> None:
        for table in self.work_tables:
            table.close()


def idle_pair(settings: TransmissionObjectSettings, make: Callable[[], WorkTable], talks: bool) -> Pair:
    pair = Pair(settings, make)
    for _ in range(CONVERSATIONS // BATCH):
        handles = pair.begin(BATCH)
        if talks:
            pair.say(*handles)
        pair.rest()
    for _ in range(3):
        pair.rest()
    return pair


def bytes_a_side(settings: TransmissionObjectSettings, make: Callable[[], WorkTable], talks: bool) -> float:
    """Bytes of Python's memory for each endpoint, of which there are two a conversation that has talked."""
    gc.collect()
    tracemalloc.start()
    pair = idle_pair(settings, make, talks)
    gc.collect()
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    pair.close()
    return held / (CONVERSATIONS * (2 if talks else 1))


@pytest.mark.timeout(900)
def test_memory_of_an_idle_conversation(show: Callable[[str, list[list[str]]], None]) -> None:
    places: dict[str, tuple[TransmissionObjectSettings, Callable[[], WorkTable]]] = {
        "in memory": (EVERYTHING, MemoryWorkTable),
        "work table in memory": (NOTHING, MemoryWorkTable),
        "work table on disk": (NOTHING, SqliteWorkTable),
    }
    table = [["transmission object", "begun, bytes", "has talked, bytes"]]
    for name, place in places.items():
        table.append([name, *(f"{bytes_a_side(*place, talks):.0f}" for talks in (False, True))])
    show(f"Memory of an idle endpoint, {CONVERSATIONS:,} conversations", table)


@pytest.mark.timeout(900)
def test_needing_an_idle_conversation_again(show: Callable[[str, list[list[str]]], None]) -> None:
    chance = Random(5)
    table = [["transmission object", "SEND, us"]]
    for name, settings, make in (
        ("in memory", EVERYTHING, MemoryWorkTable),
        ("work table in memory", NOTHING, MemoryWorkTable),
        ("work table on disk", NOTHING, SqliteWorkTable),
    ):
        pair = idle_pair(settings, make, talks=True)
        query = SystemViewQuery(
            view="sys.conversation_endpoints", database="Ventes", columns=("conversation_handle",), rows_max=10_000
        )
        page = pair.paris.system_view(query)
        handles = chance.sample([row[0] for row in page.rows], CONVERSATIONS // 5)
        start = time.perf_counter()
        for handle in handles:
            pair.say(handle)
        seconds = time.perf_counter() - start
        table.append([name, f"{seconds / len(handles) * 1e6:.1f}"])
        pair.close()
    show("SEND on an idle conversation, delivered to the other instance", table)
