"""What the broker itself says: clients see its conversations, and cannot touch them (8426; routing.md 6, tsql.md 9)."""

from uuid import UUID

import msgspec
import pytest

from engine.core.catalog.builtin import BROKER_SERVICE
from engine.core.catalog.changes import EventNotificationCreated
from engine.core.catalog.objects import EventNotification, QueueEvent
from engine.core.exchange.changes import PutEndpoint
from engine.core.exchange.commands import (
    BeginConversationTimer,
    BeginDialog,
    BeginTransaction,
    EndConversation,
    GetConversationGroup,
    MoveConversation,
    Receive,
    Send,
)
from engine.core.vocabulary.rows import ConversationState
from tests.support.world import World, route

OWN_QUEUE = "dbo.ServiceBrokerQueue"


@pytest.fixture
def world():
    return World()


@pytest.fixture
def paris(world):
    """Its queue `dbo.Client` has called for a notification that cannot leave."""
    node = world.instance("PARIS", world.database("Ventes", ["Client"], route("Ailleurs", "lyon")))
    notification = EventNotification("n", "dbo.Client", (QueueEvent.QUEUE_ACTIVATION,), "Ailleurs", UUID(int=5))
    node.define(EventNotificationCreated(database="Ventes", notification=notification))
    node.say("Ventes", node.begin("Ventes", "Client", "Client"), "a")
    return node


def own(node):
    """The row of the one conversation that the broker holds, as it is on disk."""
    [ventes] = [each for each in node.store.load().databases if each.name == "Ventes"]
    [row] = [each for each in ventes.endpoints if each.service == BROKER_SERVICE]
    return row


@pytest.mark.parametrize("in_transaction", [False, True])
@pytest.mark.parametrize(
    ("command", "fields", "number"),
    [
        (Send, {"body": b"x"}, 8426),
        (EndConversation, {}, 8426),
        (EndConversation, {"error_code": 1, "error_description": "x"}, 8426),
        (EndConversation, {"with_cleanup": True}, 8426),
        (BeginConversationTimer, {"timeout_seconds": 1}, 8426),
        (MoveConversation, {"conversation_group_id": UUID(int=1)}, 8426),
        (Receive, {"queue": "dbo.Client"}, 8426),
        (Receive, {"queue": OWN_QUEUE}, 15151),
        (GetConversationGroup, {"queue": OWN_QUEUE}, 15151),
        (BeginDialog, {"from_service": BROKER_SERVICE, "to_service": "Client"}, 8423),
    ],
)
def test_no_statement_of_a_client_reaches_them(world, paris, command, fields, number, in_transaction):
    before = own(paris)
    if "conversation_handle" in command.__struct_fields__ and command is not GetConversationGroup:
        fields = {**fields, "conversation_handle": before.conversation_handle}
    if in_transaction:
        fields = {**fields, "transaction": paris.do(BeginTransaction).transaction}
    assert paris.do(command, database="Ventes", **fields).number == number
    world.run(10)
    assert own(paris).state is before.state is ConversationState.CONVERSING
    assert own(paris).send_sequence == before.send_sequence


def test_nobody_moves_a_conversation_into_their_group(paris):
    mine = paris.begin("Ventes", "Client", "Client")
    group = own(paris).conversation_group_id
    moved = paris.do(MoveConversation, database="Ventes", conversation_handle=mine, conversation_group_id=group)
    assert moved.number == 8439


def test_a_timer_that_an_older_store_has_kept_fires_harmlessly(world, paris):
    paris.kill()
    timed = msgspec.structs.replace(own(paris), dialog_timer=world.now().utc + 1)
    paris.store.commit([PutEndpoint(database="Ventes", endpoint=timed)], [])
    paris.start()
    world.run(5)
    assert own(paris).state is ConversationState.CONVERSING
    assert own(paris).dialog_timer < 0
    assert len(paris.view("Ventes").transmission_queue) >= 1, "what it has said still waits"
