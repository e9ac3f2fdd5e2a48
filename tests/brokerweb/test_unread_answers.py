"""Answers that clients do not read are bounded, and no further request of theirs is begun meanwhile."""

from __future__ import annotations

import socket
from pathlib import Path

import httpx
import pytest

from brokerweb.config.http.bounds import READ_BYTES_A_SECOND_MIN, READ_SECONDS_MAX
from brokerweb.config.http.connections import Unread
from brokerweb.config.http.request import BoundedRequest
from tests.support.http_wire import Stub, Wire
from tests.support.running import Running, Watched
from tests.support.waiting import SECONDS_MAX


def test_who_has_read_nothing_for_the_longest_time_is_given_up():
    unread = Unread(100)
    first, second, third = Stub(), Stub(), Stub()
    unread.add(first, 60)
    unread.add(second, 40)
    unread.is_read(first)
    unread.add(first, 60)
    assert second.is_open
    unread.add(third, 1)
    assert [each.is_open for each in (first, second, third)] == [True, False, True]
    unread.add(first, 100)
    assert [each.is_open for each in (first, third)] == [False, True]


def test_one_alone_may_leave_a_long_answer_unread():
    unread = Unread(100)
    only = Stub()
    unread.add(only, 1000)
    assert only.is_open


class LongAnswer(BoundedRequest):
    """Answered at once; the client stops reading in the middle."""

    answered: list[bytes]
    body = b"a" * 100_000

    def process(self) -> None:
        self.answered.append(self.uri)
        self.setHeader(b"content-length", str(len(self.body)).encode())
        self.channel.pauseProducing()
        self.write(self.body)
        self.finish()


@pytest.fixture
def unread() -> Wire:
    """A client that has sent three requests and does not read the first answer."""
    wire = Wire()
    wire.channel.requestFactory = type("Asked", (LongAnswer,), {"answered": []})
    wire.channel.dataReceived(b"".join(b"GET /%d HTTP/1.1\r\nHost: x\r\n\r\n" % number for number in range(3)))
    return wire


def test_the_next_request_waits_until_the_answer_before_it_is_read(unread: Wire):
    answered = unread.channel.requestFactory.answered
    assert answered == [b"/0"]
    unread.channel.resumeProducing()
    assert answered == [b"/0", b"/1"]
    unread.channel.resumeProducing()
    assert answered == [b"/0", b"/1", b"/2"]
    unread.channel.resumeProducing()
    unread.channel.dataReceived(b"GET /3 HTTP/1.1\r\nHost: x\r\n\r\n")
    assert answered == [b"/0", b"/1", b"/2", b"/3"]
    assert unread.transport.value().count(b"HTTP/1.1 200 ") == 4


def test_an_answer_that_is_not_read_is_given_up(unread: Wire):
    seconds = READ_SECONDS_MAX + len(LongAnswer.body) / READ_BYTES_A_SECOND_MIN
    unread.pass_seconds(seconds - 1)
    assert unread.is_open
    unread.pass_seconds(2)
    assert not unread.is_open


def test_a_client_that_reads_on_has_its_time_again(unread: Wire):
    for _ in range(2):
        unread.pass_seconds(READ_SECONDS_MAX - 1)
        unread.channel.resumeProducing()
    unread.pass_seconds(READ_SECONDS_MAX - 1)
    assert unread.is_open


def test_requests_whose_answers_are_not_read_wait_and_none_is_lost(tmp_path: Path):
    requests, address = 60, "/api/v1/openapi.json"
    product = Running(tmp_path / "data")
    product.start()
    try:
        length = len(httpx.get(f"http://127.0.0.1:{product.port}{address}", timeout=SECONDS_MAX).content)
        with socket.socket() as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.settimeout(SECONDS_MAX)
            connection.connect(("127.0.0.1", product.port))
            watched = Watched(product.pid)
            asked = f"GET {address} HTTP/1.1\r\nHost: 127.0.0.1:{product.port}\r\n"
            connection.sendall(f"{asked}\r\n".encode() * (requests - 1) + f"{asked}Connection: close\r\n\r\n".encode())
            # Others are answered meanwhile, one after the other: so would these be.
            for _ in range(requests // 2):
                assert httpx.get(f"http://127.0.0.1:{product.port}/login", timeout=SECONDS_MAX).status_code == 200
            assert watched.memory < length * requests / 2
            with connection.makefile("rb") as stream:
                assert stream.read().count(b"HTTP/1.1 200 ") == requests
    finally:
        product.stop()
