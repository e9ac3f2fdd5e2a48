"""Websockets: those of strangers keep nobody out, and what a message holds is bounded before it is read."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections import Counter
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from typing import BinaryIO

from brokerweb.config.http.bounds import FRAGMENTS_MAX, STRANGER_BODY_BYTES_MAX
from brokerweb.console.protocol import PROTOCOL
from tests.support.running import REPOSITORY, Client, Running
from tests.support.waiting import SECONDS_MAX, until

DESCRIPTORS = 512
"""Of the process under attack; usual is 1,024."""
STRANGERS = 600
RESULTS = 5_000
"""More than the frames that a person has at once."""
CLOSING = """
import django
django.setup()
from daphne.server import Server
from daphne.ws_protocol import WebSocketFactory
from brokerweb.config.http.factory import BoundedFactory
server = Server(application=None, endpoints=["tcp:0"])
server.ws_factory = WebSocketFactory(server)
BoundedFactory(server).startFactory()
print(server.ws_factory.closeHandshakeTimeout)
"""
"""Prints for how many seconds a server waits for the answer of a client whose websocket it closes."""


def test_a_browser_has_time_to_read_why_its_websocket_is_closed():
    """Of Daphne's default, a second, a slow page sees a reset connection (1006) and no reason.

    In a process of its own: to import Daphne's server binds all websockets of a process to Twisted.
    """
    command = [sys.executable, "-c", CLOSING]
    printed = subprocess.run(command, capture_output=True, text=True, check=True, cwd=REPOSITORY)
    assert float(printed.stdout) == 10


def websocket(port: int, cookies: str = "") -> socket.socket:
    """The websocket of the live view, open."""
    connection, answer = asked(port, "/ws/live", cookies)
    assert answer.startswith(b"HTTP/1.1 101 ")
    return connection


def asked(port: int, address: str, cookies: str = "", subprotocol: str = "") -> tuple[socket.socket, bytes]:
    """What is answered to who asks for a websocket."""
    connection = socket.create_connection(("127.0.0.1", port), timeout=SECONDS_MAX)
    host = f"127.0.0.1:{port}"
    asked = {
        "Host": host,
        "Origin": f"http://{host}",
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Protocol": subprotocol,
        "Cookie": cookies,
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in asked.items() if value)
    connection.sendall(f"GET {address} HTTP/1.1\r\n{head}\r\n".encode())
    return connection, connection.recv(4096)


def _is_cut(connection: socket.socket) -> bool:
    """Whether the server has cut a websocket off, without waiting; what it says is read."""
    connection.setblocking(False)
    try:
        while said := connection.recv(65536):
            del said
    except BlockingIOError:
        return False
    except ConnectionResetError:
        return True
    return True


def test_websockets_of_strangers_make_room_and_one_of_a_person_stays(tmp_path: Path):
    product = Running(tmp_path / "data", descriptors=DESCRIPTORS)
    link = product.start()
    held: list[socket.socket] = []
    try:
        with Client.logged_in(link) as client:
            cookies = "; ".join(f"{each.name}={each.value}" for each in client.cookies.jar)
            persons = websocket(product.port, cookies)
            held.append(persons)
            # Until the server has looked up whose it is.
            until(lambda: client.get("me").status_code == 200, "it serves")
            # Strangers never answer the close of their websockets, so that each stays open for seconds.
            for _ in range(STRANGERS):
                held.append(websocket(product.port))
            assert sum(_is_cut(each) for each in held[1:]) > STRANGERS / 2
            assert client.get("me").status_code == 200
            assert not _is_cut(persons)
            # A stranger may say little: the connection is cut at the length, before a byte of the message.
            for length in (STRANGER_BODY_BYTES_MAX + 1, 1 << 40):
                stranger = websocket(product.port)
                held.append(stranger)
                stranger.sendall(beginning_of_message(length))
                until(lambda: _is_cut(stranger), "it is cut off")  # noqa: B023 - in its turn
            # Nor may it say little very often, or in very many parts; the dashboard answers meanwhile.
            for flood in (frames(PONG, 1000), frames(TEXT, 1, is_last=False) + frames(CONTINUED, 1000, is_last=False)):
                stranger = websocket(product.port)
                held.append(stranger)
                stranger.sendall(flood)
                until(lambda: _is_cut(stranger), "it is cut off")  # noqa: B023 - in its turn
            nothing, denied = asked(product.port, "/ws/nothing")
            held.append(nothing)
            assert denied.startswith(b"HTTP/1.1 403 ")
            for subprotocol, answer in (("é", b"400"), ("%E9", b"101"), ("a, b", b"101")):
                connection, denied = asked(product.port, "/ws/live", subprotocol=subprotocol)
                held.append(connection)
                assert denied.startswith(b"HTTP/1.1 " + answer), (subprotocol, denied)
            # A person may say more, and is answered where it is no message of the protocol.
            persons.setblocking(True)
            persons.sendall(beginning_of_message(900_000) + b"a" * 900_000)
            assert b'"refused"' in persons.recv(65536)
            in_parts = websocket(product.port, cookies)
            held.append(in_parts)
            part = frames(CONTINUED, 1, is_last=False) + frames(PONG, 1)
            in_parts.sendall(frames(TEXT, 1, is_last=False) + part * (FRAGMENTS_MAX + 1))
            until(lambda: _is_cut(in_parts), "it is cut off")
            assert client.get("me").status_code == 200
    finally:
        for each in held:
            each.close()
        product.stop()


def test_a_script_of_thousands_of_results_is_read_to_its_end(tmp_path: Path):
    """A page acknowledges each frame, as fast as they come; that is no flood."""
    product = Running(tmp_path / "data")
    link = product.start()
    try:
        with Client.logged_in(link) as client, ExitStack() as closing:
            cookies = "; ".join(f"{each.name}={each.value}" for each in client.cookies.jar)
            console, answer = asked(product.port, "/ws/console", cookies)
            closing.callback(console.close)
            assert answer.startswith(b"HTTP/1.1 101 ")
            stream = console.makefile("rb")
            say(console, type="hello", protocol=PROTOCOL, estate="demo-fr-de", instance="PARIS", database="Ventes")
            script = f"DECLARE @i int = 0; WHILE @i < {RESULTS} BEGIN PRINT @i; SET @i += 1 END"
            say(console, type="run", id=1, script=script)
            kinds = Counter[str]()
            for heard in count(1):
                kinds.update(message["type"] for message in json.loads(frame_of(stream)))
                say(console, type="ack", frames=heard)
                if kinds["done"]:
                    break
            assert kinds["printed"] == RESULTS
    finally:
        product.stop()


def say(connection: socket.socket, **message: object) -> None:
    """A text message in one frame, masked with zeros."""
    payload = json.dumps(message).encode()
    size = len(payload)
    length = bytes([0x80 | size]) if size < 126 else b"\xfe" + size.to_bytes(2, "big")
    connection.sendall(b"\x81" + length + bytes(4) + payload)


def frame_of(stream: BinaryIO) -> bytes:
    """What the next frame of the server holds."""
    _, length = stream.read(2)
    if length >= 126:
        length = int.from_bytes(stream.read(2 if length == 126 else 8), "big")
    return stream.read(length)


CONTINUED, TEXT, PONG = 0, 1, 10
"""Kinds of frames (RFC 6455, 5.2)."""


def frames(kind: int, count: int, *, is_last: bool = True) -> bytes:
    """Empty frames, masked with zeros."""
    return bytes([0x80 * is_last | kind, 0x80, 0, 0, 0, 0]) * count


def beginning_of_message(length: int) -> bytes:
    """The header of a text message in one frame, masked with zeros (RFC 6455, 5.2)."""
    return b"\x81\xff" + length.to_bytes(8, "big") + bytes(4)
