"""An instance whose idle transmission objects leave memory at once behaves as one that keeps all (protocol.md 5).

What falls due in the same instant may happen in another order: messages in a queue are compared without their places.
"""

import random
from collections import Counter

import msgspec
import pytest

from engine.core.catalog.backup import AttachOption
from engine.core.catalog.changes import BrokerRenewed, BrokerSwitched, QueueAltered, RouteAltered, ServiceAltered
from engine.core.catalog.route import NetworkAddress
from engine.core.exchange.commands import (
    BeginConversationTimer,
    BeginDialog,
    BeginTransaction,
    CommitTransaction,
    EndConversation,
    MoveConversation,
    Receive,
    RollbackTransaction,
    Send,
)
from engine.core.exchange.replies import Refusal
from engine.core.transmission.work_table import MemoryWorkTable
from engine.core.vocabulary.messages import TcpAddress
from engine.core.vocabulary.rows import put_together
from engine.core.vocabulary.settings import TransmissionObjectSettings
from engine.storage.work_table import SqliteWorkTable
from tests.support.backups import backup, restore
from tests.support.each import for_each
from tests.support.thoroughness import share
from tests.support.view_reading import rows_of
from tests.support.world import Node, World, route

KEEPS_NOTHING = TransmissionObjectSettings(bytes_kept=0, batch_rows=3, rest_seconds=0)
ACTS = (
    *("begin", "begin", "say", "say", "say", "answer", "end", "error", "read", "define", "kill"),
    *("timer", "timer", "move", "session", "restore", "large"),
)
VIEWS = ("sys.conversation_endpoints", "sys.conversation_groups", "sys.transmission_queue")


def live_through(seed: int, settings: TransmissionObjectSettings, make_work_table=MemoryWorkTable, **others):
    """Some random days of two instances; answers what everybody could see, and how often objects were written."""
    world = World(seed=1)
    world.settings = msgspec.structs.replace(world.settings, transmission_objects=settings, **others)
    world.make_work_table = make_work_table
    paris = world.instance("PARIS", world.database("Ventes", ["Client", "Caisse"], route("Entrepôt", "lyon")))
    lyon = world.instance("LYON", world.database("Stock", ["Entrepôt"], route("Client", "paris")))
    dice = random.Random(seed)
    seen: list[object] = []
    handles: list[tuple[Node, str, object]] = []
    for _ in range(60):
        seen.append(_step(dice, world, paris, lyon, handles))
        if dice.random() < 0.3:
            world.run(dice.choice((0.1, 1.0, 6.0, 70.0)))
        for node in (paris, lyon):
            assert node.instance._broker.with_something_to_send() == _senders(node)
    world.run(5000)
    for node, database in ((paris, "Ventes"), (lyon, "Stock")):
        seen.append(node.view(database))
        seen.extend(rows_of(node, view, database, rows_max=1000) for view in VIEWS)
        for stored in put_together(node.store.load().databases):
            seen.append((stored.name, sorted(stored.endpoints, key=_handle), stored.transmission))
            rows = (row for queue in stored.queues.values() for row in queue)
            seen.append(Counter(msgspec.json.encode(_placeless(row)) for row in rows))
        seen.append(Counter(map(msgspec.json.encode, node.events)))
    written = [counter["cntr_value"] for counter in _writes(paris)]
    return seen, sum(written)


def _senders(node: Node):
    return [endpoint for endpoint in node.instance._broker.conversations.all_live() if len(endpoint.sender)]


def _received(node, top, **fields):
    reply = node.do(Receive, top=top, **fields)
    # Five sessions that rolled back have switched the queue off.
    return reply.number if isinstance(reply, Refusal) else list(map(_placeless, reply.messages))


def _placeless(row):
    return msgspec.structs.replace(row, queuing_order=0)


def _handle(endpoint):
    return endpoint.conversation_handle.bytes


def _writes(node: Node):
    return rows_of(
        node, "sys.dm_os_performance_counters", where={"counter_name": "Transmission Obj Writes/Sec"}, rows_max=1000
    )


def _step(dice, world, paris, lyon, handles):
    act = dice.choice(ACTS)
    if act == "begin" or not handles:
        related = dice.choice(handles)[2] if handles and dice.random() < 0.3 else None
        group = _group_of(paris, related)
        fields = {} if group is None else {"conversation_group_id": group}
        service = dice.choice(("Entrepôt", "Caisse", "Nulle"))
        lifetime = dice.choice((None, None, 40, 2000))
        handle = paris.begin("Ventes", "Client", service, lifetime_seconds=lifetime, **fields)
        handles.append((paris, "Ventes", handle))
        return handle
    node, database, handle = dice.choice(handles)
    if act == "say":
        return node.say(database, handle, f"{dice.random()}")
    if act == "large":
        return node.say(database, handle, "groß" * 60_000)
    if act == "answer":
        targets = rows_of(lyon, "sys.conversation_endpoints", "Stock")
        return lyon.say("Stock", dice.choice(targets)["conversation_handle"], "answer") if targets else None
    if act == "end":
        return node.end(database, handle, with_cleanup=dice.random() < 0.2)
    if act == "error":
        return node.end(database, handle, error_code=1, error_description="assez")
    if act == "read":
        queues = ((lyon, "Stock", "dbo.Entrepôt"), (paris, "Ventes", "dbo.Client"), (paris, "Ventes", "dbo.Caisse"))
        return [_received(node, 1000, database=name, queue=queue) for node, name, queue in queues]
    if act == "define":
        return paris.define(_definition(dice, world))
    if act == "timer":
        seconds = dice.choice((1, 30, 500))
        return node.do(BeginConversationTimer, database=database, conversation_handle=handle, timeout_seconds=seconds)
    if act == "move":
        group = _group_of(paris, dice.choice(handles)[2]) or handle
        return node.do(MoveConversation, database=database, conversation_handle=handle, conversation_group_id=group)
    if act == "session":
        return _session(dice, world, paris, handle)
    if act == "restore":
        return _restore_copy(dice, world, lyon)
    node = dice.choice((paris, lyon))
    node.kill()
    node.start()
    return None


def _session(dice, world, paris, handle):
    """A transaction that reads, sends and begins, and ends one way or the other after a while."""
    own = {"database": "Ventes", "transaction": paris.do(BeginTransaction).transaction}
    seen = [
        _received(paris, 3, queue="dbo.Caisse", **own),
        paris.do(Send, conversation_handle=handle, body=b"held back", **own),
        paris.do(BeginDialog, from_service="Client", to_service="Caisse", **own),
        paris.do(EndConversation, conversation_handle=handle, **own) if dice.random() < 0.2 else None,
    ]
    world.run(dice.choice((0.1, 20.0, 70.0)))
    seen.append(paris.say("Ventes", handle, "beside the transaction"))
    ends = dice.choice((CommitTransaction, RollbackTransaction))
    return [*seen, paris.do(ends, transaction=own["transaction"])]


def _restore_copy(dice, world, lyon):
    """The target is backed up and, somewhat later, restored; or a copy comes beside it."""
    taken = backup(lyon, "Stock")
    world.run(dice.choice((0.1, 6.0)))
    option = dice.choice((None, *AttachOption))
    return restore(lyon, dice.choice(("Copie", "Stock")), taken, option=option, replaces=True)


def _group_of(node, handle):
    found = (
        rows_of(node, "sys.conversation_endpoints", "Ventes", where={"conversation_handle": str(handle)})
        if handle
        else []
    )
    return found[0]["conversation_group_id"] if found else None


def _definition(dice, world):
    return dice.choice(
        (
            QueueAltered(database="Ventes", name="dbo.Client", is_enabled=True),
            RouteAltered(
                database="Ventes",
                name="to Entrepôt by lyon",
                address=NetworkAddress("TCP://lyon:4022", TcpAddress("lyon", 4022)),
            ),
            ServiceAltered(database="Ventes", name="Caisse", queue="dbo.Caisse"),
            BrokerSwitched(database="Ventes", is_enabled=dice.random() < 0.6),
            BrokerRenewed(database="Ventes", broker_instance=world.entropy.new_uuid()),
        )
    )


@for_each("seed", share(range(25), 6))
def test_what_is_seen_is_the_same_with_and_without_a_work_table(seed):
    kept, no_writes = live_through(seed, TransmissionObjectSettings())
    frozen, writes = live_through(seed, KEEPS_NOTHING)
    assert no_writes == 0
    assert writes > 0
    assert frozen == kept


@pytest.mark.parametrize("seed", range(25, 30))
def test_a_table_on_disk_is_as_good_as_one_in_memory(seed):
    assert live_through(seed, KEEPS_NOTHING, SqliteWorkTable) == live_through(seed, KEEPS_NOTHING)
