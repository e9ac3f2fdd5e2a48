"""The forwarder's memory: bounded, ageing, without duplicates (protocol.md 7.4)."""

from uuid import UUID

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core.forwarding.transmitter import TransmitterQueue
from engine.core.link.sending import wire_bytes
from engine.core.vocabulary.dialog_security import (
    CertificateReference,
    DialogSecurityHeader,
    KeySuite,
    MessageSecurity,
)
from engine.core.vocabulary.messages import (
    Acknowledgement,
    DialogMessage,
    DialogTarget,
    ForwardedMessage,
    MessageKind,
    TcpAddress,
)

BERLIN = TcpAddress("berlin", 4022)
HAMBURG = TcpAddress("hamburg", 4022)
MEGABYTE = 1024 * 1024


def transit(number=0, body=b"x", hops=16, lives=60.0, consumed=0.0, kind=MessageKind.USER, up_to=None):
    message = DialogMessage(
        conversation_id=UUID(int=1),
        from_initiator=True,
        source=DialogTarget("A", UUID(int=2)),
        target=DialogTarget("B"),
        kind=kind,
        sequence=number,
        contract="DEFAULT",
        body=body,
        acknowledgement=None if up_to is None else Acknowledgement(up_to, up_to, UUID(int=2)),
        expires_at=1e10,
    )
    return ForwardedMessage(message=message, hops_remaining=hops, time_to_live=lives, time_consumed=consumed)


def test_a_forward_costs_a_hop_and_the_time_spent_here():
    queue = TransmitterQueue()
    assert queue.offer(transit(consumed=3.0), BERLIN, MEGABYTE, 10.0) is None
    [sent], expired = queue.take(BERLIN, 12.0)
    assert (sent.hops_remaining, sent.time_consumed, expired) == (15, 5.0, [])
    assert (len(queue), queue.bytes) == (0, 0)


@given(
    hops=st.integers(0, 3),
    lives=st.sampled_from([0.0, 5.0, 60.0]),
    consumed=st.sampled_from([0.0, 5.0, 60.0]),
    bytes_max=st.integers(0, 700),
    length=st.integers(0, 500),
)
def test_what_passes_at_once_is_what_would_have_been_taken_at_that_instant(hops, lives, consumed, bytes_max, length):
    """One look less at the queue changes nothing that anybody can see."""
    message = transit(hops=hops, lives=lives, consumed=consumed, body=bytes(length))
    queue = TransmitterQueue()
    passing = queue.passes(message, bytes_max)
    refusal = queue.offer(message, BERLIN, bytes_max, 3.0)
    assert (passing is None) is (refusal is not None)
    assert queue.take(BERLIN, 3.0) == ([] if passing is None else [passing], [])


def test_nothing_passes_what_waits():
    """It would overtake it, or be a copy of it."""
    queue = TransmitterQueue()
    queue.offer(transit(0), BERLIN, MEGABYTE, 0.0)
    assert queue.passes(transit(1), MEGABYTE) is None
    queue.take(BERLIN, 0.0)
    assert queue.passes(transit(1), MEGABYTE) is not None


def test_each_reason_to_drop_has_its_number():
    queue = TransmitterQueue()
    assert queue.offer(transit(hops=0), BERLIN, MEGABYTE, 0.0) == 11285
    assert queue.offer(transit(consumed=60.0), BERLIN, MEGABYTE, 0.0) == 11291
    assert queue.offer(transit(body=bytes(11)), BERLIN, 10, 0.0) == 11289
    assert queue.offer(transit(), BERLIN, MEGABYTE, 0.0) is None
    assert queue.offer(transit(), BERLIN, MEGABYTE, 0.0) == 11288
    assert queue.offer(transit(), HAMBURG, MEGABYTE, 0.0) == 11288
    assert (len(queue), queue.hops()) == (1, [BERLIN])


def test_what_secures_a_message_counts_as_its_body_does():
    """A stranger's header may be as long as a frame: neither a forwarder nor a connection holds it for nothing."""
    plain = transit()
    named = CertificateReference("i" * 100, "s" * 20)
    header = DialogSecurityHeader(
        recipient=named, signer=named, key_exchange_key=bytes(256), session_key=bytes(48), signature=bytes(4096)
    )
    bare = MessageSecurity(suite=KeySuite.MD5, session_key_id=UUID(int=3), salt=bytes(16), mic=bytes(32))
    for security, more in ((bare, 48), (msgspec.structs.replace(bare, header=header), 48 + 2 * 120 + 256 + 48 + 4096)):
        secured = msgspec.structs.replace(plain, message=msgspec.structs.replace(plain.message, security=security))
        sizes = []
        for each in (plain, secured):
            queue = TransmitterQueue()
            queue.offer(each, BERLIN, MEGABYTE, 0.0)
            sizes.append(queue.bytes)
        assert sizes[1] - sizes[0] == wire_bytes(secured) - wire_bytes(plain) == more


def test_7_4_more_messages_than_the_memory_is_meant_for_are_11286(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("engine.core.forwarding.transmitter.FORWARDED_MESSAGES_MAX", 2)
    queue = TransmitterQueue()
    assert [queue.offer(transit(number), BERLIN, MEGABYTE, 0.0) for number in range(3)] == [None, None, 11286]
    queue.take(BERLIN, 1.0)
    assert queue.offer(transit(2), BERLIN, MEGABYTE, 0.0) is None


def test_7_4_the_priority_of_a_message_counts_for_nothing():
    queue = TransmitterQueue()
    for number, priority in enumerate((1, 10, 5)):
        forwarded = transit(number)
        message = msgspec.structs.replace(forwarded.message, priority=priority)
        queue.offer(msgspec.structs.replace(forwarded, message=message), BERLIN, MEGABYTE, 0.0)
    sent, _ = queue.take(BERLIN, 1.0)
    assert [(each.message.sequence, each.message.priority) for each in sent] == [(0, 1), (1, 10), (2, 5)]


def test_what_is_moved_keeps_its_age_and_what_has_nowhere_to_go_is_answered():
    queue = TransmitterQueue()
    for number in range(3):
        queue.offer(transit(number), BERLIN, MEGABYTE, 0.0)
    lost = queue.move(BERLIN, lambda each: {0: BERLIN, 1: HAMBURG, 2: None}[each.message.sequence], 5.0)
    assert [(each.message.sequence, each.time_consumed) for each in lost] == [(2, 5.0)]
    assert (len(queue), set(queue.hops())) == (2, {BERLIN, HAMBURG})
    [moved], _ = queue.take(HAMBURG, 7.0)
    assert (moved.message.sequence, moved.time_consumed) == (1, 7.0)
    queue.take(BERLIN, 7.0)
    assert (len(queue), queue.bytes) == (0, 0)


def test_clearing_forgets_everything():
    queue = TransmitterQueue()
    queue.offer(transit(), BERLIN, MEGABYTE, 0.0)
    assert [each.time_consumed for each in queue.clear(4.0)] == [4.0]
    assert (len(queue), queue.bytes, queue.wake_at(), queue.holds(BERLIN)) == (0, 0, None, False)


def test_what_outlives_its_time_while_the_link_is_down_is_dropped():
    queue = TransmitterQueue()
    queue.offer(transit(0, lives=5.0), BERLIN, MEGABYTE, 0.0)
    queue.offer(transit(1, lives=50.0), BERLIN, MEGABYTE, 0.0)
    assert queue.wake_at() == 5.0
    assert [each.message.sequence for each in queue.expire(6.0)] == [0]
    assert queue.wake_at() == 50.0
    assert len(queue) == 1


def test_a_later_acknowledgement_takes_the_place_of_the_one_that_waits():
    queue = TransmitterQueue()
    for up_to in (3, 9):
        waiting = transit(None, None, kind=MessageKind.ACKNOWLEDGEMENT, up_to=up_to)
        assert queue.offer(waiting, BERLIN, MEGABYTE, 0.0) is None
    sent, _ = queue.take(BERLIN, 1.0)
    assert [each.message.acknowledgement.up_to for each in sent] == [9]
