"""One instance with a client and a counter in one database, and sessions that work on the counter's queue."""

from uuid import UUID

import pytest

from engine.core.exchange.commands import (
    BeginTransaction,
    CommitTransaction,
    EndConversation,
    Receive,
    RollbackTransaction,
    Send,
)
from engine.core.vocabulary.rows import put_together
from tests.support.world import World

DATABASE = "Ventes"


class Desk:
    """PARIS with the services Client and Guichet, and what sessions do there."""

    def __init__(self):
        self.world = World()
        self.node = self.world.instance("PARIS", self.world.database(DATABASE, ["Client", "Guichet"]))

    def do(self, command, **fields):
        return self.node.do(command, database=DATABASE, **fields)

    def define(self, *changes):
        return self.node.define(*changes)

    def ask(self, *bodies, **fields) -> UUID:
        """A dialog from Client to Guichet with these messages; answers the client's handle."""
        handle = self.node.begin(DATABASE, "Client", "Guichet", **fields)
        for body in bodies:
            self.say(handle, body)
        return handle

    def say(self, handle, body, **fields):
        return self.do(Send, conversation_handle=handle, body=body.encode(), **fields)

    def begin(self) -> UUID:
        return self.node.do(BeginTransaction).transaction

    def commit(self, transaction):
        return self.node.do(CommitTransaction, transaction=transaction)

    def roll_back(self, transaction):
        return self.node.do(RollbackTransaction, transaction=transaction)

    def receive(self, transaction=None, top=100, queue="Guichet", **fields):
        return self.do(Receive, queue=f"dbo.{queue}", top=top, transaction=transaction, **fields)

    def read(self, transaction=None, top=100, queue="Guichet", **fields) -> list[str]:
        """The bodies of what a RECEIVE hands out."""
        rows = self.receive(transaction, top, queue, **fields).messages
        return [(row.message_body or b"").decode() for row in rows]

    def end(self, handle, **fields):
        return self.do(EndConversation, conversation_handle=handle, **fields)

    def crash(self):
        self.node.kill()
        self.node.start()

    def queue(self, name="Guichet"):
        return next(queue for queue in self.node.view(DATABASE).queues if queue.name == f"dbo.{name}")

    def endpoint(self, handle):
        rows = self.node.view(DATABASE).conversation_endpoints
        return next((row for row in rows if row.conversation_handle == handle), None)

    def stored_rows(self, queue="Guichet"):
        """What the disk holds of a queue."""
        [rows] = [each for each in put_together(self.node.store.load().databases) if each.name == DATABASE]
        return rows.queues.get(f"dbo.{queue}", [])


@pytest.fixture
def desk() -> Desk:
    return Desk()
