"""The bytes that the benchmark's own clients of RabbitMQ and PostgreSQL write and read."""

from __future__ import annotations

import struct

import pytest

from tests.benchmarks.link import amqp_wire, postgres_queue
from tests.benchmarks.link.amqp_wire import ACK, BODY, DELIVER, HEADER, METHOD, NACK, Confirms, Frame, Frames


def ack(tag: int, *, multiple: bool = False) -> Frame:
    return Frame(METHOD, struct.pack(">HHQB", *ACK, tag, multiple))


@pytest.mark.parametrize("piece_bytes", [1, 7, 8, 100, 10_000])
def test_frames_are_cut_wherever_the_network_cuts(piece_bytes: int) -> None:
    wire = amqp_wire.publish("link", b"x" * 1024) + amqp_wire.publish("link", b"")
    frames = Frames()
    found = [each for at in range(0, len(wire), piece_bytes) for each in frames.feed(wire[at : at + piece_bytes])]
    assert [each.type for each in found] == [METHOD, HEADER, BODY] * 2
    assert [each.payload for each in found if each.type == BODY] == [b"x" * 1024, b""]
    assert found[0].kind == (60, 40)


def test_a_message_is_persistent_and_says_its_length() -> None:
    _, header, _ = Frames().feed(amqp_wire.publish("link", b"x" * 1024))
    class_id, weight, size, flags, delivery_mode = struct.unpack(">HHQHB", header.payload)
    assert (class_id, weight, size, flags, delivery_mode) == (60, 0, 1024, 0x1000, 2)


def test_a_frame_that_does_not_end_is_a_fault() -> None:
    wire = amqp_wire.method((20, 10))[:-1] + b"\0"
    with pytest.raises(amqp_wire.ProtocolFailed):
        Frames().feed(wire)


def test_confirmations_come_in_any_order_and_for_many_at_once() -> None:
    confirms = Confirms()
    counts = []
    for each in (ack(2), ack(5), ack(1), ack(4, multiple=True), ack(6)):
        confirms.take(each)
        counts.append(confirms.count)
    assert counts == [1, 2, 3, 5, 6]


def test_a_message_that_the_broker_refuses_is_a_fault() -> None:
    with pytest.raises(amqp_wire.ProtocolFailed):
        Confirms().take(Frame(METHOD, struct.pack(">HHQB", *NACK, 1, 0)))


def test_the_number_of_a_delivery_stands_behind_the_name_of_the_consumer() -> None:
    payload = struct.pack(">HH", *DELIVER) + amqp_wire.short_string("bench") + struct.pack(">QB", 77, 0)
    assert amqp_wire.delivery_tag(Frame(METHOD, payload)) == 77


def test_rows_for_copy_are_in_its_binary_format() -> None:
    head = b"PGCOPY\n\xff\r\n\x00" + bytes(8)
    row = b"\x00\x02" + b"\x00\x00\x00\x08" + (5).to_bytes(8, "big") + b"\x00\x00\x00\x02" + b"ab"
    assert postgres_queue.rows_for_copy([(5, b"ab")]) == head + row + b"\xff\xff"
    assert postgres_queue.bodies_for_copy([b"ab"]) == head + b"\x00\x01\x00\x00\x00\x02ab\xff\xff"
