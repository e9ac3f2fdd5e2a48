"""A peek carries a bounded part of bodies, and none that were not requested."""

import msgspec

from engine.core.exchange.views import QueuePeek
from engine.core.vocabulary.limits import PEEK_BODY_BYTES_MAX, PEEK_BYTES_MAX

QUEUE = "dbo.Guichet"
LARGE = "x" * (3 * PEEK_BODY_BYTES_MAX)


def test_bodies_are_cut_one_by_one_and_together(desk):
    messages = PEEK_BYTES_MAX // PEEK_BODY_BYTES_MAX + 6
    desk.ask("small", *[LARGE] * messages)
    peek = desk.node.instance.peek("Ventes", QUEUE, 1000)
    assert (len(peek.messages), peek.total) == (messages + 1, messages + 1)
    assert peek.body_bytes == (5, *[len(LARGE)] * messages)
    bodies = [row.message_body for row in peek.messages]
    assert bodies[:2] == [b"small", LARGE[:PEEK_BODY_BYTES_MAX].encode()]
    assert sum(map(len, bodies)) == PEEK_BYTES_MAX
    assert bodies[-1] == b""


def test_no_body_is_carried_that_was_not_requested(desk):
    desk.ask("small", LARGE)
    peek = desk.node.instance.peek("Ventes", QUEUE, 10, False)
    assert [row.message_body for row in peek.messages] == [b"", b""]
    assert peek.body_bytes == (5, len(LARGE))


def test_the_answer_of_an_earlier_version_is_read(desk):
    desk.ask("small")
    told = msgspec.to_builtins(desk.node.instance.peek("Ventes", QUEUE, 10))
    del told["body_bytes"]
    assert msgspec.convert(told, QueuePeek).body_bytes == ()
