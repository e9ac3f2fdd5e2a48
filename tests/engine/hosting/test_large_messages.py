"""Large messages over real TCP between real files: in fragments, past small ones, and across a restart."""

from functools import cache
from uuid import uuid4

from engine.core.exchange.commands import Receive, Send
from engine.core.exchange.replies import MessageSent, MessagesReceived
from engine.core.vocabulary.identifiers import CommandId, ConversationHandle
from engine.hosting import client
from engine.hosting.embedded import EmbeddedEngine
from tests.engine.hosting.two_instances import (
    ESTATE,
    LYON,
    PARIS,
    QUEUE,
    STOCK,
    VENTES,
    ask,
    begin_dialog,
    database,
    define,
    ready_at_lyon,
    waiting_at_paris,
)
from tests.support.waiting import until


@cache
def large() -> bytes:
    """12 MB in which every eight bytes differ."""
    return b"".join(b"%07d\n" % line for line in range(1_500_000))


def send_body(handle: ConversationHandle, body: bytes) -> None:
    command = Send(command_id=CommandId(uuid4()), database=VENTES, conversation_handle=handle, body=body)
    assert isinstance(ask(PARIS, command), MessageSent)


def take() -> list[bytes | None]:
    bodies: list[bytes | None] = []
    while True:
        reply = ask(LYON, Receive(command_id=CommandId(uuid4()), database=STOCK, queue=QUEUE, top=10))
        assert isinstance(reply, MessagesReceived)
        if not reply.messages:
            return bodies
        bodies += [row.message_body for row in reply.messages]


def test_a_message_far_larger_than_a_frame_arrives_whole(engine: EmbeddedEngine):
    define()
    slow, quick = begin_dialog(), begin_dialog()
    send_body(slow, large())
    send_body(quick, b"petit")
    until(lambda: waiting_at_paris() == 0, "both are acknowledged")
    assert sorted(take(), key=lambda body: len(body or b"")) == [b"petit", large()]


def test_a_target_that_is_closed_in_the_middle_goes_on_where_its_file_ends(engine: EmbeddedEngine):
    define()
    send_body(begin_dialog(), large())
    until(lambda: database(LYON).queues[0].disabled > 0 or ready_at_lyon() == 1, "some fragments are there")
    client.close_instance(ESTATE, LYON)
    client.open_instance(ESTATE, LYON)
    until(lambda: ready_at_lyon() == 1, "the message is whole")
    until(lambda: waiting_at_paris() == 0, "it is acknowledged")
    assert take() == [large()]
    assert database(LYON).queues[0].disabled == 0
