"""A store with many conversations is read piece by piece, and an instance keeps no more of it than it needs."""

from pathlib import Path
from uuid import uuid4

import msgspec
import pytest

from engine.core.exchange.changes import AppendQueue, AppendTransmission, PutCatalog, PutEndpoint
from engine.core.instance import Instance
from engine.core.transmission.work_table import MemoryWorkTable
from engine.core.vocabulary.identifiers import EstateName, FencingNumber
from engine.core.vocabulary.limits import TRANSMISSION_OBJECT_BYTES
from engine.core.vocabulary.rows import ConversationState, QueueRowStatus, put_together
from engine.core.vocabulary.settings import EngineSettings, TransmissionObjectSettings
from engine.storage.loading import ENDPOINTS_AT_ONCE
from engine.storage.memory import MemoryStore
from engine.storage.postgres import PostgresStore
from engine.storage.sqlite import SqliteStore
from tests.engine.ports.store_contract import PARIS, QUEUE, STOCK, VENTES, endpoint, handle, queued, waiting
from tests.support.world import World

CONVERSATIONS = 2 * ENDPOINTS_AT_ONCE + 500


@pytest.fixture(params=["sqlite", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path):
    if request.param == "sqlite":
        opened = SqliteStore(tmp_path / "PARIS.sqlite3", PARIS)
    else:
        url = request.getfixturevalue("postgres").url
        opened = PostgresStore(url, EstateName(str(uuid4())), PARIS, FencingNumber(1))
    yield opened
    opened.close()


def owner(number):
    return (VENTES, STOCK)[number % 2]


def filled(*stores):
    """Conversations of two databases in turns, some with messages, and a message that belongs to none of them."""
    changes = [
        *(
            PutEndpoint(database=(VENTES, STOCK)[number % 2], endpoint=endpoint(number))
            for number in range(CONVERSATIONS)
        ),
        *(
            AppendTransmission(database=owner(number), row=waiting(number, sequence))
            for number in range(0, CONVERSATIONS, 1001)
            for sequence in (1, 0)
        ),
        AppendTransmission(database=VENTES, row=waiting(CONVERSATIONS + 1, 0)),
        *(AppendQueue(database=STOCK, queue=QUEUE, row=queued(order)) for order in (2, 1)),
    ]
    for each in stores:
        each.commit(changes, [])


def test_pieces_are_small_complete_and_in_order(store):
    memory = MemoryStore(PARIS)
    filled(store, memory)
    pieces = list(store.load().databases)
    assert max(len(piece.endpoints) for piece in pieces) <= ENDPOINTS_AT_ONCE
    assert len([piece for piece in pieces if piece.endpoints]) == 6
    for piece in pieces[:-1]:
        own = {each.conversation_handle for each in piece.endpoints}
        assert {row.conversation_handle for row in piece.transmission} <= own
    assert [piece.name for piece in pieces if piece.queues] == [STOCK]
    whole = {each.name: each for each in put_together(pieces)}
    expected = {each.name: each for each in memory.load().databases}
    for name in (VENTES, STOCK):
        for field in ("endpoints", "transmission", "queues"):
            assert getattr(whole[name], field) == getattr(expected[name], field)


def conversing(number):
    row = endpoint(number, ConversationState.CONVERSING)
    return msgspec.structs.replace(row, service="Client", far_service="Nulle", send_sequence=2, lifetime=4e9)


def test_what_nobody_needs_leaves_memory_before_the_next_piece_comes(store):
    world = World()
    node = world.instance(PARIS, world.database(VENTES, ["Client"]))
    early = msgspec.structs.replace(
        queued(7, QueueRowStatus.DISABLED), conversation_handle=handle(5), message_sequence_number=9
    )
    store.commit(
        [
            PutCatalog(catalog=node.instance.catalog),
            *(PutEndpoint(database=VENTES, endpoint=conversing(number)) for number in range(CONVERSATIONS)),
            *(AppendTransmission(database=VENTES, row=waiting(3, sequence)) for sequence in (0, 1)),
            AppendQueue(database=VENTES, queue="dbo.Client", row=early),
        ],
        [],
    )
    kept, table, written = 100, MemoryWorkTable(), []

    def watched(pieces):
        for piece in pieces:
            written.append(len(table))
            yield piece

    settings = msgspec.structs.replace(
        EngineSettings(), transmission_objects=TransmissionObjectSettings(bytes_kept=kept * TRANSMISSION_OBJECT_BYTES)
    )
    state = store.load()
    instance = Instance(state.catalog, watched(state.databases), settings, world.entropy, table)
    assert written[-2:] == [ENDPOINTS_AT_ONCE - kept, 2 * ENDPOINTS_AT_ONCE - kept]
    assert len(table) == CONVERSATIONS - kept
    at_once = Instance(state.catalog, put_together(store.load().databases), EngineSettings(), world.entropy)
    both = ([each.row for each in one._broker.conversations.look()] for one in (instance, at_once))
    assert next(both) == next(both)
    sender = instance._broker.conversations.live((VENTES, handle(3))).sender
    assert [row.message_sequence_number for row in sender.rows()] == [0, 1]
    receiver = instance._broker.conversations.live((VENTES, handle(5))).receiver
    assert receiver.out_of_order() == [(9, 0)]
    assert instance._broker.next_queuing_order[VENTES] == 8
