"""Sessions of programs with an instance: bulk over a socket of their own (engine/hosting/session)."""

import os
import socket
import threading
from uuid import uuid4

import pytest

from engine.core.exchange.commands import OutgoingMessage, Receive, Send, SendMany
from engine.core.exchange.replies import MessagesReceived, MessagesSent, Refusal
from engine.core.exchange.system_views import SystemViewQuery
from engine.core.vocabulary.errors import LocalProtocolError
from engine.core.vocabulary.identifiers import CommandId
from engine.core.vocabulary.limits import SESSION_FRAME_BYTES_MAX, SESSION_REQUESTS_MAX
from engine.hosting import client
from engine.hosting.embedded import EmbeddedEngine
from engine.hosting.errors import EngineUnavailable
from engine.hosting.session.protocol import (
    VERSION,
    FrameReader,
    Hello,
    Request,
    answer_decoder,
    framed,
    plate_decoder,
)
from engine.hosting.settings import HostingSettings
from engine.hosting.shelves import plate_of
from tests.engine.hosting.two_instances import (
    ESTATE,
    LYON,
    PARIS,
    QUEUE,
    STOCK,
    VENTES,
    begin_dialog,
    define,
    ready_at_lyon,
)
from tests.support.waiting import SECONDS_MAX, until


@pytest.fixture
def dialog(engine: EmbeddedEngine):
    define()
    return begin_dialog()


def outgoing(dialog, *bodies):
    return [OutgoingMessage(dialog, body.encode()) for body in bodies]


def receive(top=1000, **fields):
    return Receive(command_id=CommandId(uuid4()), database=STOCK, queue=QUEUE, top=top, **fields)


def test_thousands_of_messages_go_in_bulk_and_come_in_order_and_once(dialog):
    others = [begin_dialog() for _ in range(5)]
    conversations = [dialog, *others]
    with client.open_session(ESTATE, PARIS) as sender, client.open_session(ESTATE, LYON) as reader:
        pending = [sender.submit([send_of(conversations, part * 200, 200)]) for part in range(20)]
        assert all(isinstance(each.result()[0], MessagesSent) for each in pending)
        received: dict[object, list[int]] = {}
        count = 0
        while count < 4000:
            with reader.receive_many(STOCK, QUEUE, top=300, wait_seconds=20) as messages:
                assert messages, "all of them come within the wait"
                for row in messages:
                    received.setdefault(row.conversation_handle, []).append(int(row.message_body or b"-1"))
                count += len(messages)
    assert sorted(map(len, received.values())) == sorted(
        len(range(at, 4000, len(conversations))) for at in range(len(conversations))
    )
    assert all(numbers == sorted(set(numbers)) for numbers in received.values())


def send_of(conversations, first, count):
    return SendMany(
        command_id=CommandId(uuid4()),
        database=VENTES,
        messages=tuple(
            OutgoingMessage(conversations[number % len(conversations)], str(number).encode())
            for number in range(first, first + count)
        ),
    )


def test_a_block_that_raises_leaves_its_messages_in_the_queue(dialog):
    with client.open_session(ESTATE, PARIS) as sender:
        assert sender.send_many(VENTES, outgoing(dialog, "a", "b")) == (0, 1)
    until(lambda: ready_at_lyon() == 2, "both have arrived")
    with client.open_session(ESTATE, LYON) as reader:
        with pytest.raises(ZeroDivisionError), reader.receive_many(STOCK, QUEUE, top=10):
            raise ZeroDivisionError
        with reader.receive_many(STOCK, QUEUE, top=10) as messages:
            assert [row.message_body for row in messages] == [b"a", b"b"]
        with reader.receive_many(STOCK, QUEUE, top=10) as messages:
            assert messages == ()


def test_what_is_refused_has_its_number_and_the_session_goes_on(dialog):
    with client.open_session(ESTATE, PARIS) as session:
        with pytest.raises(LocalProtocolError) as refused:
            session.send_many(VENTES, [OutgoingMessage(uuid4(), b"x")])
        assert refused.value.number == 8426
        command = Send(command_id=CommandId(uuid4()), database="nirgends", conversation_handle=dialog)
        [reply] = session.execute([command])
        assert isinstance(reply, Refusal)
        assert reply.number == 911
        assert session.send_many(VENTES, outgoing(dialog, "a")) == (0,)


def test_a_wait_does_not_hold_up_what_is_asked_after_it(dialog):
    with client.open_session(ESTATE, LYON) as reader, client.open_session(ESTATE, PARIS) as sender:
        waiting = reader.submit([receive(waitfor_milliseconds=30_000)])
        assert reader.execute([receive()]) == (MessagesReceived(messages=()),)
        assert not waiting.done()
        sender.send_many(VENTES, outgoing(dialog, "a"))
        [reply] = waiting.result(SECONDS_MAX)
        assert [row.message_body for row in reply.messages] == [b"a"]


def test_more_requests_than_may_run_at_once_are_all_answered(dialog):
    with client.open_session(ESTATE, LYON) as reader, client.open_session(ESTATE, PARIS) as sender:
        count = SESSION_REQUESTS_MAX + 20
        waits = [reader.submit([receive(top=1, waitfor_milliseconds=30_000)]) for _ in range(count)]
        sender.send_many(VENTES, outgoing(dialog, *map(str, range(count))))
        bodies = [row.message_body for wait in waits for row in wait.result(SECONDS_MAX)[0].messages]
        assert bodies == [str(number).encode() for number in range(count)]


def test_a_session_that_ends_gives_up_what_it_waits_for_and_nothing_is_lost(dialog):
    reader = client.open_session(ESTATE, LYON)
    waiting = reader.submit([receive(waitfor_milliseconds=-1)])
    assert reader.execute([receive()]) == (MessagesReceived(messages=()),), "what was asked before is known by then"
    reader.close()
    with pytest.raises(EngineUnavailable, match="The session is closed"):
        waiting.result(SECONDS_MAX)
    with client.open_session(ESTATE, PARIS) as sender:
        sender.send_many(VENTES, outgoing(dialog, "a"))
    until(lambda: ready_at_lyon() == 1, "it is there for the next")


# ── what breaks ──
def test_nobody_who_hosts_it_is_said_so(settings: HostingSettings, engine: EmbeddedEngine):
    with pytest.raises(EngineUnavailable, match="No worker of this machine hosts instance NOWHERE now"):
        client.open_session(ESTATE, "NOWHERE")


def test_the_end_of_the_instance_ends_its_sessions_and_takes_the_plate_down(dialog, settings: HostingSettings):
    session = client.open_session(ESTATE, LYON)
    waiting = session.submit([receive(waitfor_milliseconds=-1)])
    client.close_instance(ESTATE, LYON)
    with pytest.raises(EngineUnavailable, match="LYON"):
        waiting.result(SECONDS_MAX)
    with pytest.raises(EngineUnavailable):
        session.execute([receive()])
    session.close()
    assert not plate_of(settings.data_directory, (ESTATE, LYON)).exists()
    with pytest.raises(EngineUnavailable, match="No worker"):
        client.open_session(ESTATE, LYON)


def test_where_the_plate_cannot_be_put_up_the_instance_lives_and_receives_sessions_later(
    settings: HostingSettings, engine: EmbeddedEngine
):
    plate = plate_of(settings.data_directory, (ESTATE, PARIS))
    in_the_way = plate.with_name(f"{plate.name}.{os.getpid()}")
    in_the_way.mkdir(parents=True)
    define()
    handle = begin_dialog()
    with pytest.raises(EngineUnavailable, match="No worker"):
        client.open_session(ESTATE, PARIS)
    in_the_way.rmdir()
    until(plate.exists, "it is tried again")
    with client.open_session(ESTATE, PARIS) as session:
        assert session.send_many(VENTES, outgoing(handle, "a")) == (0,)


@pytest.mark.parametrize(
    "said",
    [
        b"\xff\xff\xff\xff",
        b"\x00\x00\x00\x01\xc1",
        framed(Hello(1, "not the word")),
        framed(Hello(99, "")),
        (SESSION_FRAME_BYTES_MAX + 1).to_bytes(4),
        b"GET / HTTP/1.1\r\n\r\n",
    ],
)
def test_who_does_not_know_the_word_or_the_language_is_told_and_let_go(dialog, settings: HostingSettings, said: bytes):
    heard = talk(settings, said)
    assert heard == b"" or "This is no request" in answer_decoder.decode(next(FrameReader().feed(heard))).failure
    with client.open_session(ESTATE, PARIS) as session:
        assert session.send_many(VENTES, outgoing(dialog, "a")) == (0,)


def test_nothing_is_done_for_who_has_not_said_the_word(dialog, settings: HostingSettings):
    heard = talk(settings, framed(Request(1, (send_of([dialog], 0, 1),))))
    assert "This is no request" in answer_decoder.decode(next(FrameReader().feed(heard))).failure
    with client.open_session(ESTATE, PARIS) as session:
        assert session.send_many(VENTES, outgoing(dialog, "a")) == (0,)


def talk(settings: HostingSettings, said: bytes) -> bytes:
    path = plate_of(settings.data_directory, (ESTATE, PARIS))
    assert path.stat().st_mode & 0o077 == 0, "for the owner's eyes only"
    plate = plate_decoder.decode(path.read_bytes())
    with socket.create_connection((plate.host, plate.port), 5) as connection:
        connection.sendall(said)
        connection.shutdown(socket.SHUT_WR)
        heard = b""
        while data := connection.recv(65536):
            heard += data
        return heard


def test_a_program_that_does_not_read_its_answers_holds_up_only_itself(dialog, settings: HostingSettings):
    with client.open_session(ESTATE, PARIS) as session:
        session.send_many(VENTES, [OutgoingMessage(dialog, bytes(1_000_000)) for _ in range(20)])
    until(lambda: ready_at_lyon() == 20, "all have arrived")
    plate = plate_decoder.decode(plate_of(settings.data_directory, (ESTATE, LYON)).read_bytes())
    with socket.socket() as deaf:
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 64 * 1024)
        deaf.connect((plate.host, plate.port))
        deaf.sendall(framed(Hello(VERSION, plate.word)))
        for number in range(20):
            deaf.sendall(framed(Request(number, (receive(top=1),))))
        until(lambda: ready_at_lyon() < 20, "some are handed out")
        with client.open_session(ESTATE, LYON) as reader:
            until(lambda: reader.execute([receive(top=1)]) == (MessagesReceived(messages=()),), "the others are had")
        assert ready_at_lyon() == 0


def test_threads_share_a_session(dialog):
    with client.open_session(ESTATE, PARIS) as session:

        def send_some() -> None:
            for _ in range(20):
                session.send_many(VENTES, outgoing(dialog, "a", "b"))

        threads = [threading.Thread(target=send_some) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert session.send_many(VENTES, outgoing(dialog, "z")) == (160,)


def test_system_views_are_read_in_a_session(engine: EmbeddedEngine, dialog):
    with client.open_session(ESTATE, LYON) as session:
        query = SystemViewQuery(view="sys.service_queues", database=STOCK, columns=("name", "is_receive_enabled"))
        page = session.read(query)
        assert page == client.read_system_view(ESTATE, LYON, query)
        assert page.rows[-1][1] is True
        with pytest.raises(LocalProtocolError) as refused:
            session.read(SystemViewQuery(view="sys.nothing", database=STOCK))
        assert refused.value.number == 208
