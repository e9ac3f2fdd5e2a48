"""Sessions whose other end says nothing: a worker that is stopped, a stranger that never says the word."""

import asyncio
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import msgspec
import pytest

from engine.core.exchange.commands import Send
from engine.core.vocabulary.errors import LocalProtocolError
from engine.core.vocabulary.identifiers import CommandId
from engine.hosting.errors import EngineUnavailable
from engine.hosting.session import client, server
from engine.hosting.session.client import EngineSession
from engine.hosting.session.protocol import VERSION, FrameReader, Hello, Plate, answer_decoder, framed, plate_decoder
from engine.hosting.session.server import SessionServer

BODY = bytes(64 * 1024 * 1024)
"""More than two systems keep between two programs."""


@pytest.fixture
def stopped_worker(tmp_path: Path) -> Iterator[Path]:
    """The plate of a worker that a signal has stopped: its system still takes connections and bytes."""
    listener = socket.create_server(("127.0.0.1", 0))
    plate = tmp_path / "PARIS.session"
    plate.write_bytes(msgspec.json.encode(Plate(host="127.0.0.1", port=listener.getsockname()[1], word="w")))
    yield plate
    listener.close()


async def nothing(*_):
    return []


def no_views(query):
    raise LocalProtocolError(208, name=query.view, database="master")


@pytest.fixture
async def host(tmp_path: Path):
    """A host that answers every request with nothing, and its plate."""
    plate = tmp_path / "PARIS.session"
    receiving = SessionServer(plate, nothing, nothing, lambda _: None, no_views)
    await receiving.start()
    yield receiving, plate
    receiving.stop()


def send(body: bytes) -> Send:
    return Send(command_id=CommandId(uuid4()), database="d", conversation_handle=uuid4(), body=body)


def test_who_waits_for_a_stopped_worker_is_told_after_a_while(stopped_worker: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(client, "SESSION_SILENCE_SECONDS_MAX", 0.5)
    with EngineSession(stopped_worker, "PARIS") as session, pytest.raises(EngineUnavailable, match="said nothing"):
        session.submit([]).result(20)


def test_a_session_with_a_stopped_worker_can_be_closed_while_somebody_sends(stopped_worker: Path):
    session = EngineSession(stopped_worker, "PARIS")
    refused = []

    def ask():
        with pytest.raises(EngineUnavailable) as error:
            session.submit([send(BODY)])
        refused.append(str(error.value))

    asking = threading.Thread(target=ask, daemon=True)
    asking.start()
    while not session._lock.locked():
        time.sleep(0.01)
    closing = threading.Thread(target=session.close, daemon=True)
    closing.start()
    closing.join(20)
    asking.join(20)
    assert not closing.is_alive()
    assert len(refused) == 1


async def test_a_session_in_which_nobody_asks_anything_lives_on(host, monkeypatch: pytest.MonkeyPatch):
    receiving, plate = host
    monkeypatch.setattr(server, "SESSION_HEARTBEAT_SECONDS", 0.1)
    monkeypatch.setattr(client, "SESSION_SILENCE_SECONDS_MAX", 1.0)
    receiving._beat()

    def ask():
        with EngineSession(plate, "PARIS") as session:
            time.sleep(2.5)
            return session.submit([]).result(20)

    assert await asyncio.to_thread(ask) == ()


def test_a_callback_may_close_its_session(stopped_worker: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(client, "SESSION_SILENCE_SECONDS_MAX", 0.2)
    session, closed = EngineSession(stopped_worker, "PARIS"), threading.Event()
    session.submit([]).add_done_callback(lambda _: (session.close(), closed.set()))
    assert closed.wait(20)


async def test_who_asks_hears_of_a_fault_that_nobody_expected(tmp_path: Path):
    async def faulty(_):
        raise ValueError("a fault of ours")

    receiving = SessionServer(tmp_path / "p", faulty, faulty, lambda _: None, no_views)
    await receiving.start()

    def ask():
        with (
            EngineSession(tmp_path / "p", "PARIS") as session,
            pytest.raises(EngineUnavailable, match="a fault of ours"),
        ):
            session.submit([]).result(20)

    await asyncio.to_thread(ask)
    receiving.stop()


async def connected(plate: Path) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    place = plate_decoder.decode(await asyncio.to_thread(plate.read_bytes))
    return await asyncio.open_connection(place.host, place.port)


async def test_strangers_that_say_nothing_keep_no_program_out(host, monkeypatch: pytest.MonkeyPatch):
    _, plate = host
    monkeypatch.setattr(server, "SESSION_STRANGERS_MAX", 2)
    strangers = [await connected(plate) for _ in range(5)]

    def ask():
        with EngineSession(plate, "PARIS") as session:
            return session.submit([]).result(20)

    assert await asyncio.to_thread(ask) == ()
    assert await asyncio.wait_for(strangers[0][0].read(), 20) == b""
    for _, writer in strangers:
        writer.close()


async def test_a_stranger_has_a_few_seconds_for_the_word(host, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(server, "SESSION_HELLO_SECONDS", 0.2)
    reader, writer = await connected(host[1])
    assert await asyncio.wait_for(reader.read(), 20) == b""
    writer.close()


@pytest.mark.parametrize("said", [framed(Hello(VERSION, "é")), (5000).to_bytes(4) + b"x"], ids=["no ASCII", "too long"])
async def test_a_word_that_cannot_be_right_is_refused_in_words(host, said: bytes):
    reader, writer = await connected(host[1])
    writer.write(said)
    heard = await asyncio.wait_for(reader.read(), 20)
    assert "This is no request" in answer_decoder.decode(next(FrameReader().feed(heard))).failure
    writer.close()
