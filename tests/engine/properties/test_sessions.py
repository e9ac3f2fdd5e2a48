"""Whatever sessions do, and whenever the instance dies: each message is received once, in order (protocol.md 10)."""

from dataclasses import dataclass, field

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from engine.core.catalog.changes import QueueAltered
from engine.core.exchange.commands import (
    BeginConversationTimer,
    BeginTransaction,
    CommitTransaction,
    GetConversationGroup,
    MoveConversation,
    Receive,
    RollbackTransaction,
    Send,
    SetQueueStatus,
)
from engine.core.exchange.replies import MessageSent, MessagesReceived, Refusal
from engine.core.vocabulary.settings import TransmissionObjectSettings
from tests.support.thoroughness import examples
from tests.support.world import World

DATABASE, QUEUE = "Ventes", "dbo.Guichet"
CLIENTS, SESSIONS = 3, 3
STEPS = ("send", "receive", "begin", "commit", "roll back", "crash", "off", "on", "move", "group", "timer", "wait")
step = st.tuples(st.sampled_from(STEPS), st.integers(0, CLIENTS - 1), st.integers(0, SESSIONS), st.integers(1, 3))


@dataclass
class Session:
    """What one transaction has done so far; nothing of it counts before its commit."""

    transaction: object
    sent: list[tuple[int, int]] = field(default_factory=list)
    received: list[tuple[int, int]] = field(default_factory=list)


class Model:
    """The instance, and beside it what ought to be."""

    def __init__(self, *, retains, freezes):
        self.world = World()
        if freezes:
            self.world.settings = msgspec.structs.replace(
                self.world.settings,
                transmission_objects=TransmissionObjectSettings(bytes_kept=0, batch_rows=3, rest_seconds=0),
            )
        self.node = self.world.instance("PARIS", self.world.database(DATABASE, ["Client", "Guichet"]))
        changes = [QueueAltered(database=DATABASE, name=QUEUE, is_poison_message_handling_enabled=False)]
        if retains:
            changes.append(QueueAltered(database=DATABASE, name=QUEUE, is_retention_enabled=True))
        self.node.define(*changes)
        self.handles = [self.node.begin(DATABASE, "Client", "Guichet") for _ in range(CLIENTS)]
        self.sessions: list[Session | None] = [None] * SESSIONS
        self.sent: dict[int, list[int]] = {client: [] for client in range(CLIENTS)}
        self.received: dict[int, list[int]] = {client: [] for client in range(CLIENTS)}
        self.next_body = 0

    def do(self, command, **fields):
        return self.node.do(command, database=DATABASE, **fields)

    def session(self, number):
        """The transaction of a session, or None for a statement that commits at once."""
        return self.sessions[number] if number < SESSIONS else None

    def take(self, kind, client, number, top):
        """One step; the last number stands for a statement without a transaction."""
        session = self.session(number)
        transaction = session.transaction if session else None
        if kind == "send":
            self.send(client, session)
        elif kind == "receive":
            self.receive(session, top)
        elif kind == "begin" and number < SESSIONS and session is None:
            self.sessions[number] = Session(self.node.do(BeginTransaction).transaction)
        elif kind in ("commit", "roll back") and session is not None:
            self.finish(number, session, commits=kind == "commit")
        elif kind == "crash":
            self.node.kill()
            self.node.start()
            self.sessions = [None] * SESSIONS
        elif kind in ("off", "on"):
            self.do(SetQueueStatus, queue=QUEUE, is_enabled=kind == "on")
        elif kind == "move":
            self.move(client, transaction)
        elif kind == "group":
            self.do(GetConversationGroup, queue=QUEUE, transaction=transaction)
        elif kind == "timer":
            self.do(
                BeginConversationTimer,
                conversation_handle=self.handles[client],
                timeout_seconds=top,
                transaction=transaction,
            )
        elif kind == "wait":
            # All sessions are heard of within the minute after which they would be rolled back.
            self.world.run(1)

    def send(self, client, session):
        number = self.next_body
        self.next_body += 1
        body = f"{client} {number}".encode()
        reply = self.do(
            Send,
            conversation_handle=self.handles[client],
            body=body,
            transaction=session.transaction if session else None,
        )
        if isinstance(reply, MessageSent):
            session.sent.append((client, number)) if session else self.sent[client].append(number)
        else:
            assert reply.number == 1222

    def receive(self, session, top):
        reply = self.do(Receive, queue=QUEUE, top=top, transaction=session.transaction if session else None)
        if isinstance(reply, Refusal):
            assert reply.number == 9617
            return
        assert isinstance(reply, MessagesReceived)
        assert len({row.conversation_group_id for row in reply.messages}) <= 1
        for row in reply.messages:
            client, number = map(int, row.message_body.decode().split())
            session.received.append((client, number)) if session else self.received[client].append(number)

    def move(self, client, transaction):
        rows = self.node.view(DATABASE).conversation_endpoints
        targets = [row for row in rows if row.service_name == "Guichet"]
        if targets:
            self.do(
                MoveConversation,
                conversation_handle=targets[client % len(targets)].conversation_handle,
                conversation_group_id=targets[0].conversation_group_id,
                transaction=transaction,
            )

    def finish(self, number, session, *, commits):
        self.sessions[number] = None
        command = CommitTransaction if commits else RollbackTransaction
        reply = self.node.do(command, transaction=session.transaction)
        if commits and not isinstance(reply, Refusal):
            for client, body in session.sent:
                self.sent[client].append(body)
            for client, body in session.received:
                self.received[client].append(body)

    def drain(self):
        """Everybody rolls back, the queue is on, and one reader takes what is left."""
        for number, session in enumerate(self.sessions):
            if session is not None:
                self.finish(number, session, commits=False)
        self.do(SetQueueStatus, queue=QUEUE, is_enabled=True)
        before = None
        while before != self.received:
            before = {client: list(bodies) for client, bodies in self.received.items()}
            self.receive(None, 1000)


@examples(150)
@given(steps=st.lists(step, max_size=60), retains=st.booleans(), freezes=st.booleans())
def test_what_was_committed_is_received_once_and_in_order(steps, retains, freezes):
    """`freezes`: whoever rests is written to the work table at once."""
    model = Model(retains=retains, freezes=freezes)
    for each in steps:
        model.take(*each)
        for client in range(CLIENTS):
            taken = model.received[client]
            assert taken == model.sent[client][: len(taken)]
    model.drain()
    assert model.received == model.sent
    [queue] = [each for each in model.node.view(DATABASE).queues if each.name == QUEUE]
    total = sum(map(len, model.sent.values()))
    assert (queue.ready, queue.disabled, queue.awaiting) == (0, 0, 0)
    assert queue.retained == (total if retains else 0)
