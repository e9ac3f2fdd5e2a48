"""What the views show to an open transaction is what they show to everyone once it has committed (protocol.md 10)."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core.catalog.changes import QueueAltered
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
from engine.core.exchange.replies import DialogBegun, Refusal
from engine.core.vocabulary.errors import LocalProtocolError
from engine.core.vocabulary.settings import TransmissionObjectSettings
from tests.support.thoroughness import examples
from tests.support.view_reading import page_of, rows_of
from tests.support.world import World, route

DATABASE = "Ventes"
QUEUE = "dbo.Client"
VIEWS = ("sys.conversation_endpoints", "sys.conversation_groups", "sys.transmission_queue", QUEUE)
# Times are those of the commit afterwards; until it nothing has tried to send; places of copies are given by it.
OPEN_UNTIL_THE_COMMIT = {"enqueue_time", "message_enqueue_time", "transmission_status", "queuing_order"}

STATEMENTS = ("send", "end", "end with error", "clean up", "move", "timer", "receive", "begin")
statement = st.tuples(st.sampled_from(STATEMENTS), st.integers(0, 7))


class Estate:
    """PARIS with conversations in every state, begun by it and by LYON, which it reaches no longer."""

    def __init__(self, *, retains, freezes):
        world = World()
        if freezes:
            world.settings = msgspec.structs.replace(
                world.settings,
                transmission_objects=TransmissionObjectSettings(bytes_kept=0, batch_rows=3, rest_seconds=0),
            )
        self.node = world.instance("PARIS", world.database(DATABASE, ["Client"], route("Guichet", "lyon")))
        lyon = world.instance("LYON", world.database(DATABASE, ["Guichet"], route("Client", "paris")))
        if retains:
            self.node.define(QueueAltered(database=DATABASE, name=QUEUE, is_retention_enabled=True))
        for node, near, far in ((self.node, "Client", "Guichet"), (lyon, "Guichet", "Client")):
            handles = [node.begin(DATABASE, near, far) for _ in range(4)]
            for handle in handles[:3]:
                node.say(DATABASE, handle, b"one")
                node.say(DATABASE, handle, b"two")
        world.run(5)
        # LYON ends one that it has begun, plainly, and of those that PARIS has begun one plainly and one with an error.
        answers = [row for row in lyon.view(DATABASE).conversation_endpoints if not row.is_initiator]
        lyon.end(DATABASE, handles[0])
        lyon.end(DATABASE, answers[0].conversation_handle)
        lyon.end(DATABASE, answers[1].conversation_handle, error_code=1, error_description="wrong")
        world.run(5)
        world.cut(self.node, "lyon")
        world.cut(lyon, "paris")
        self.handles = [row["conversation_handle"] for row in self.rows("sys.conversation_endpoints")]

    def do(self, command, **fields):
        return self.node.do(command, database=DATABASE, **fields)

    def rows(self, view, transaction=None):
        return [
            {column: cell for column, cell in row.items() if column not in OPEN_UNTIL_THE_COMMIT}
            for row in rows_of(self.node, view, DATABASE, transaction=transaction, rows_max=1000)
        ]

    def seen(self, transaction=None):
        """Everything that the views show, by view; a queue in any order, since copies get places at the commit."""
        seen = {view: self.rows(view, transaction) for view in VIEWS}
        seen[QUEUE].sort(key=repr)
        return seen

    def take(self, kind, number, transaction):
        handle = self.handles[number % len(self.handles)]
        about = {"conversation_handle": handle, "transaction": transaction}
        if kind == "send":
            self.do(Send, body=b"later", **about)
        elif kind in ("end", "clean up"):
            self.do(EndConversation, with_cleanup=kind == "clean up", **about)
        elif kind == "end with error":
            self.do(EndConversation, error_code=7, error_description="wrong", **about)
        elif kind == "move":
            groups = [row["conversation_group_id"] for row in self.rows("sys.conversation_groups", transaction)]
            if groups:
                self.do(MoveConversation, conversation_group_id=groups[number % len(groups)], **about)
        elif kind == "timer":
            self.do(BeginConversationTimer, timeout_seconds=600, **about)
        elif kind == "receive":
            self.do(Receive, queue=QUEUE, top=1 + number // 3, transaction=transaction)
        elif kind == "begin":
            begun = self.do(BeginDialog, from_service="Client", to_service="Guichet", transaction=transaction)
            assert isinstance(begun, DialogBegun)
            self.handles.append(begun.conversation_handle)


@examples(60)
@given(statements=st.lists(statement, max_size=25), retains=st.booleans(), freezes=st.booleans())
def test_what_a_transaction_sees_is_what_its_commit_makes(statements, retains, freezes):
    estate = Estate(retains=retains, freezes=freezes)
    before = estate.seen()
    transaction = estate.node.do(BeginTransaction).transaction
    assert estate.seen(transaction) == before
    for each in statements:
        estate.take(*each, transaction)
    assert estate.seen() == before, "another session sees what is committed"
    promised = estate.seen(transaction)
    assert not isinstance(estate.node.do(CommitTransaction, transaction=transaction), Refusal)
    assert estate.seen() == promised


@examples(20)
@given(statements=st.lists(statement, max_size=25))
def test_every_conversation_that_is_seen_is_found_by_its_ids_and_page_by_page(statements):
    estate = Estate(retains=False, freezes=False)
    transaction = estate.node.do(BeginTransaction).transaction
    for each in statements:
        estate.take(*each, transaction)
    whole = estate.rows("sys.conversation_endpoints", transaction)
    for column in ("conversation_handle", "conversation_id"):
        for row in whole:
            found = rows_of(
                estate.node,
                "sys.conversation_endpoints",
                DATABASE,
                transaction=transaction,
                where={column: str(row[column])},
            )
            assert [each for each in whole if each[column] == row[column]] == found
    offset, paged = 0, []
    while offset is not None:
        page = page_of(
            estate.node,
            "sys.conversation_endpoints",
            DATABASE,
            columns=("conversation_handle",),
            transaction=transaction,
            offset=offset,
            rows_max=2,
        )
        paged += [handle for (handle,) in page.rows]
        offset = page.next_offset
    assert paged == [row["conversation_handle"] for row in whole]


def test_a_transaction_that_is_over_is_refused():
    estate = Estate(retains=False, freezes=False)
    transaction = estate.node.do(BeginTransaction).transaction
    estate.node.do(RollbackTransaction, transaction=transaction)
    with pytest.raises(LocalProtocolError) as refused:
        estate.seen(transaction)
    assert refused.value.number == 3971
