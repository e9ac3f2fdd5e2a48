"""Sessions whose other end says nothing: a worker that is stopped, a stranger that never says the word."""

import asyncio
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from selectors import DefaultSelector, SelectorKey
from typing import ClassVar
from uuid import uuid4

import msgspec
import pytest

from engine.core.exchange.commands import Send
from engine.core.vocabulary.errors import LocalProtocolError
from engine.core.vocabulary.identifiers import CommandId
from engine.core.vocabulary.limits import (
    SESSION_HEARTBEAT_SECONDS,
    SESSION_HELLO_SECONDS,
    SESSION_SILENCE_SECONDS_MAX,
)
from engine.hosting.errors import EngineUnavailable
from engine.hosting.hold import Hold
from engine.hosting.reader_tasks.calls import ReaderPass
from engine.hosting.session import client, server
from engine.hosting.session.client import EngineSession
from engine.hosting.session.protocol import (
    VERSION,
    FrameReader,
    Hello,
    Plate,
    Request,
    answer_decoder,
    framed,
    plate_decoder,
)
from engine.hosting.session.server import SessionServer
from tests.support.hand_clock import LOOK_AGAIN_SECONDS, HandClock, HandTime, until


class HandSelector(DefaultSelector):
    """Waits for bytes until they are there, or until the test has let the time pass."""

    clock: ClassVar[HandClock]
    waits: ClassVar[int]
    """How often a session has begun to wait."""

    def select(self, timeout: float | None = None) -> list[tuple[SelectorKey, int]]:
        assert timeout is not None
        type(self).waits += 1
        return self.clock.poll(timeout, lambda: super(HandSelector, self).select(LOOK_AGAIN_SECONDS))


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> HandClock:
    """By which sessions wait that are opened from now on."""
    monkeypatch.setattr(client, "DefaultSelector", HandSelector)
    monkeypatch.setattr(HandSelector, "clock", HandClock(), raising=False)
    monkeypatch.setattr(HandSelector, "waits", 0, raising=False)
    return HandSelector.clock


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
    """A host that answers every request with nothing, its plate, and whether its instance is held."""
    plate, hold = tmp_path / "PARIS.session", Hold(lambda: None)
    receiving = SessionServer(plate, nothing, nothing, lambda _: None, no_views, hold)
    await receiving.start()
    yield receiving, plate, hold
    receiving.stop()


@pytest.mark.parametrize("turns", range(1, 6))
async def test_sessions_that_are_stopped_while_they_start_are_not_received(tmp_path: Path, turns: int):
    plate = tmp_path / "PARIS.session"
    receiving = SessionServer(plate, nothing, nothing, lambda _: None, no_views, Hold(lambda: None))
    starting = asyncio.create_task(receiving.start())
    for _ in range(turns):
        await asyncio.sleep(0)
    receiving.stop()
    await starting
    assert not plate.exists()
    await receiving.start()
    assert plate.exists()
    receiving.stop()


def send(body: bytes) -> Send:
    return Send(command_id=CommandId(uuid4()), database="d", conversation_handle=uuid4(), body=body)


def test_who_waits_for_a_stopped_worker_is_told_after_a_while(stopped_worker: Path, clock: HandClock):
    with EngineSession(stopped_worker, "PARIS") as session:
        answer = session.submit([])
        clock.advance(SESSION_SILENCE_SECONDS_MAX - 1, waits=1)
        assert not answer.done()
        clock.advance(1)
        with pytest.raises(EngineUnavailable, match="said nothing"):
            answer.result(60)


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
    closing.join(60)
    asking.join(60)
    assert not closing.is_alive()
    assert len(refused) == 1


async def test_a_session_in_which_nobody_asks_anything_lives_on(clock: HandClock, tmp_path: Path):
    time_of_host = HandTime()
    receiving = SessionServer(tmp_path / "p", nothing, nothing, lambda _: None, no_views, Hold(lambda: None))
    await receiving.start()
    session = await asyncio.to_thread(EngineSession, tmp_path / "p", "PARIS")
    await until(lambda: receiving.sessions == 1 and HandSelector.waits == 1, "the session is open")
    for beat in range(int(3 * SESSION_SILENCE_SECONDS_MAX / SESSION_HEARTBEAT_SECONDS)):
        clock.advance(SESSION_HEARTBEAT_SECONDS)
        await time_of_host.advance(SESSION_HEARTBEAT_SECONDS)
        await until(lambda beat=beat: HandSelector.waits == beat + 2, "the session has heard it, and waits again")
    assert await asyncio.wrap_future(session.submit([])) == ()
    await asyncio.to_thread(session.close)
    receiving.stop()


def test_a_callback_may_close_its_session(stopped_worker: Path, clock: HandClock):
    session, closed = EngineSession(stopped_worker, "PARIS"), threading.Event()
    session.submit([]).add_done_callback(lambda _: (session.close(), closed.set()))
    clock.advance(SESSION_SILENCE_SECONDS_MAX, waits=1)
    assert closed.wait(60)


async def test_who_asks_hears_of_a_fault_that_nobody_expected(tmp_path: Path):
    async def faulty(_):
        raise ValueError("a fault of ours")

    receiving = SessionServer(tmp_path / "p", faulty, faulty, lambda _: None, no_views, Hold(lambda: None))
    await receiving.start()

    def ask():
        with (
            EngineSession(tmp_path / "p", "PARIS") as session,
            pytest.raises(EngineUnavailable, match="a fault of ours"),
        ):
            session.submit([]).result(60)

    await asyncio.to_thread(ask)
    receiving.stop()


async def connected(plate: Path) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    place = plate_decoder.decode(await asyncio.to_thread(plate.read_bytes))
    return await asyncio.open_connection(place.host, place.port)


async def test_strangers_that_say_nothing_keep_no_program_out(host, monkeypatch: pytest.MonkeyPatch):
    _, plate, _ = host
    monkeypatch.setattr(server, "SESSION_STRANGERS_MAX", 2)
    strangers = [await connected(plate) for _ in range(5)]

    def ask():
        with EngineSession(plate, "PARIS") as session:
            return session.submit([]).result(60)

    assert await asyncio.to_thread(ask) == ()
    assert await asyncio.wait_for(strangers[0][0].read(), 20) == b""
    for _, writer in strangers:
        writer.close()


async def test_a_stranger_has_a_few_seconds_for_the_word(host):
    receiving, plate, _ = host
    time_of_host = HandTime()
    reader, writer = await connected(plate)
    await until(lambda: len(receiving._strangers) == 1, "the stranger is there")
    await time_of_host.advance(SESSION_HELLO_SECONDS - 1)
    assert len(receiving._strangers) == 1
    await time_of_host.advance(1)
    assert await reader.read() == b""
    writer.close()


@pytest.mark.parametrize("said", [framed(Hello(VERSION, "é")), (5000).to_bytes(4) + b"x"], ids=["no ASCII", "too long"])
async def test_a_word_that_cannot_be_right_is_refused_in_words(host, said: bytes):
    reader, writer = await connected(host[1])
    writer.write(said)
    heard = await asyncio.wait_for(reader.read(), 20)
    assert "This is no request" in answer_decoder.decode(next(FrameReader().feed(heard))).failure
    writer.close()


async def test_without_the_word_nothing_is_held(host):
    reader, writer = await connected(host[1])
    writer.write(framed(Request(1, (), holds=True)))
    await asyncio.wait_for(reader.read(), 20)
    assert not host[2].is_held
    writer.close()


async def test_a_reader_holds_nothing(host):
    caller = ReaderPass(life=uuid4(), task=1, run=uuid4())
    with await asyncio.to_thread(EngineSession, host[1], "PARIS", caller) as session:
        with pytest.raises(EngineUnavailable):
            await asyncio.to_thread(session.hold)
        assert not host[2].is_held
    with await asyncio.to_thread(EngineSession, host[1], "PARIS") as session:
        await asyncio.to_thread(session.hold)
        assert host[2].is_held
    await until(lambda: not host[2].is_held, "its holder has gone")
