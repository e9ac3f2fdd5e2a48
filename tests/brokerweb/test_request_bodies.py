"""Bodies of requests are bounded before they are read: against the process that people start, by its own memory."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Iterator
from contextlib import closing, suppress
from typing import Any

import pytest

from brokerweb.common.api.body_bounds import BODY_BYTES
from brokerweb.config.api import api
from brokerweb.config.http.bounds import LINGER_BYTES_MAX, STRANGER_BODY_BYTES_MAX, UPLOAD
from tests.support.running import Client, Running, Watched, running
from tests.support.waiting import SECONDS_MAX, until

MEGABYTE = 1 << 20
ESTATE = "demo-fr-de"
TRACES = f"/api/v1/estates/{ESTATE}/lake/traces"
SENT_MAX = 48 * MEGABYTE
"""What a test sends to a server that should have said no long before."""
JSON_BYTES_MAX = 32 * MEGABYTE


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Running, Client]]:
    with running(tmp_path_factory.mktemp("bodies") / "data") as product:
        yield product


@pytest.fixture
def product(started: tuple[Running, Client]) -> Running:
    return started[0]


@pytest.fixture
def session(started: tuple[Running, Client]) -> dict[str, str]:
    """Headers of somebody who is logged in."""
    client = started[1]
    cookies = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
    return {"Cookie": cookies, **client.csrf}


@pytest.fixture
def token(started: tuple[Running, Client]) -> dict[str, str]:
    made = started[1].post_json("me/tokens", {"name": "bodies", "scopes": ["view"], "days": 1}).raise_for_status()
    return {"Authorization": f"Bearer {made.json()['token']}"}


class Answer:
    """What a server has said, and how much it let itself be sent."""

    def __init__(self, data: bytes, sent: int) -> None:
        head, _, body = data.partition(b"\r\n\r\n")
        lines = head.decode("latin1").split("\r\n")
        self.sent = sent
        self.status = int(lines[0].split()[1]) if head else 0
        self.headers = dict(line.lower().split(": ", 1) for line in lines[1:])
        self.body = body

    def problem(self) -> dict[str, Any]:
        assert self.headers["content-type"] == "application/problem+json", (self.status, self.body)
        return json.loads(self.body)


def ask(
    product: Running,
    target: str,
    headers: dict[str, str] | None = None,
    *,
    size: int,
    is_chunked: bool = False,
    announced: int | None = None,
    method: str = "POST",
) -> Answer:
    """Send a request with `size` bytes of blanks until the server hangs up, and read what it says till the end."""
    with closing(socket.create_connection(("127.0.0.1", product.port), timeout=SECONDS_MAX)) as connection:
        length = "Transfer-Encoding: chunked" if is_chunked else f"Content-Length: {announced or size}"
        lines = [f"{method} {target} HTTP/1.1", f"Host: 127.0.0.1:{product.port}", length]
        given = {"Content-Type": "application/json", **(headers or {})}
        lines += [f"{name}: {value}" for name, value in given.items()]
        connection.sendall("\r\n".join([*lines, "", ""]).encode())
        sent = _send(connection, size, is_chunked=is_chunked)
        data = b""
        try:
            # Whoever was let in hangs up himself: the connection stays.
            while not _is_whole(data) and (piece := connection.recv(65536)):
                data += piece
        except ConnectionResetError:
            pass
        return Answer(data, sent)


def _send(connection: socket.socket, size: int, *, is_chunked: bool) -> int:
    block, sent = b" " * 65536, 0
    try:
        while sent < size:
            piece = block[: size - sent]
            connection.sendall(b"%x\r\n%s\r\n" % (len(piece), piece) if is_chunked else piece)
            sent += len(piece)
        if is_chunked:
            connection.sendall(b"0\r\n\r\n")
    except (BrokenPipeError, ConnectionResetError):
        pass
    return sent


def _is_whole(data: bytes) -> bool:
    head, end, body = data.partition(b"\r\n\r\n")
    length = re.search(rb"content-length: (\d+)", head.lower())
    return bool(end) and b"connection: close" not in head.lower() and length is not None and len(body) >= int(length[1])


PLACES = ("/login", "/api/v1/login", f"/api/v1/estates/{ESTATE}/changes", TRACES, "/admin/login/", "/metrics", "/none")


@pytest.mark.parametrize("is_chunked", [True, False])
def test_a_stranger_may_send_what_a_form_holds_and_nothing_of_more_is_kept(product, is_chunked):
    watched = Watched(product.pid)
    for target in PLACES:
        answer = ask(product, target, size=SENT_MAX, is_chunked=is_chunked)
        assert answer.status == 413, target
        assert answer.headers["connection"] == "close"
        problem = answer.problem()
        assert (problem["code"], problem["status"]) == ("too-large", 413)
        assert "64 KB" in problem["detail"]
        assert "Log in" in problem["cure"]
        # What it drops, and what the kernel has taken for it.
        assert answer.sent < LINGER_BYTES_MAX + 16 * MEGABYTE, target
        assert watched.temporary == 0
    assert watched.memory < 24 * MEGABYTE


def test_a_length_that_is_announced_is_refused_before_a_byte_is_sent(product, session):
    for size in (STRANGER_BODY_BYTES_MAX + 1, 800 * MEGABYTE, 10**18):
        assert ask(product, "/login", size=0, announced=size).problem()["code"] == "too-large"
    assert ask(product, "/api/v1/estates", session, size=0, announced=BODY_BYTES + 1).status == 413


def test_the_bound_itself_is_let_through(product):
    for target in ("/login", "/api/v1/login", "/metrics"):
        for is_chunked in (False, True):
            within = ask(product, target, size=STRANGER_BODY_BYTES_MAX, is_chunked=is_chunked)
            beyond = ask(product, target, size=STRANGER_BODY_BYTES_MAX + 1, is_chunked=is_chunked)
            assert (within.status != 413, beyond.status) == (True, 413), (target, is_chunked, within.status)


@pytest.mark.parametrize(
    "headers",
    [
        {"Cookie": "brokerweb_session=abcdefghijklmnopqrstuvwxyz012345"},
        {"Cookie": "brokerweb_session="},
        {"Cookie": "brokerweb_session=\xe9\xff"},
        {"Authorization": "Bearer bwt_no-token-of-anybody"},
        {"Authorization": "Bearer "},
        {"Authorization": "Basic b3NjYXI6b3NjYXI="},
    ],
)
def test_what_only_looks_like_a_login_is_a_strangers(product, headers):
    watched = Watched(product.pid)
    for is_chunked in (True, False):
        answer = ask(product, "/api/v1/imports", headers, size=24 * MEGABYTE, is_chunked=is_chunked)
        assert answer.status == 413
        assert "64 KB" in answer.problem()["detail"]
    assert watched.memory < 24 * MEGABYTE


def test_the_words_are_those_of_the_language_that_is_asked_for(product):
    for language, word in (("fr", "requête"), ("de", "Anfrage")):
        answer = ask(product, "/login", {"Accept-Language": language}, size=0, announced=MEGABYTE)
        assert word in answer.problem()["detail"]


@pytest.mark.parametrize("who", ["session", "token"])
@pytest.mark.parametrize("is_chunked", [True, False])
def test_who_is_known_may_send_more_and_it_is_held_once(product, request, who, is_chunked):
    headers = request.getfixturevalue(who)
    size = 24 * MEGABYTE
    watched = Watched(product.pid)
    answer = ask(product, "/api/v1/imports", headers, size=size, is_chunked=is_chunked)
    # Blanks are no JSON; a token may not ask for this at all.
    assert answer.status in (400, 401, 403), answer.body
    assert answer.status != 400 or "no JSON" in answer.problem()["detail"]
    assert watched.memory < 3 * size
    for target, most, bound in (
        ("/api/v1/imports", JSON_BYTES_MAX, "32 MB"),
        ("/api/v1/me/tokens", BODY_BYTES, "0.25 MB"),
        (f"/api/v1/estates/{ESTATE}/what-if/answer", BODY_BYTES, "0.25 MB"),
    ):
        beyond = ask(product, target, headers, size=most + MEGABYTE, is_chunked=is_chunked)
        assert beyond.problem()["code"] == "too-large"
        assert bound in beyond.problem()["detail"]
    # The connection is not closed before the answer was read.
    assert ask(product, "/login", size=0, method="GET").status == 200


def test_no_file_of_the_server_holds_what_is_sent(product, session):
    """Looked at while the request is under way: the last byte is missing."""
    size = 16 * MEGABYTE
    watched = Watched(product.pid)
    with closing(socket.create_connection(("127.0.0.1", product.port), timeout=SECONDS_MAX)) as connection:
        lines = [f"POST {TRACES} HTTP/1.1", f"Host: 127.0.0.1:{product.port}", f"Content-Length: {size + 1}"]
        lines += [f"{name}: {value}" for name, value in session.items()]
        connection.sendall("\r\n".join([*lines, "Content-Type: application/json", "", ""]).encode())
        assert _send(connection, size, is_chunked=False) == size
        assert watched.temporary == 0
        connection.sendall(b" ")
        assert connection.recv(64).startswith(b"HTTP/1.1 4")


def multipart(size: int) -> tuple[dict[str, str], bytes, bytes]:
    head = (
        b'--x\r\nContent-Disposition: form-data; name="instance"\r\n\r\nPARIS\r\n'
        b'--x\r\nContent-Disposition: form-data; name="file"; filename="t.csv"\r\nContent-Type: text/csv\r\n\r\n'
    )
    tail = b"\r\n--x--\r\n"
    headers = {"Content-Type": "multipart/form-data; boundary=x", "Content-Length": str(len(head) + size + len(tail))}
    return headers, head, tail


def upload(product: Running, session: dict[str, str], size: int) -> tuple[Answer, int]:
    """The answer, and the most that nameless files held while it was awaited."""
    headers, head, tail = multipart(size)
    watched = Watched(product.pid)
    with closing(socket.create_connection(("127.0.0.1", product.port), timeout=SECONDS_MAX)) as connection:
        lines = [f"POST {TRACES} HTTP/1.1", f"Host: 127.0.0.1:{product.port}", "Connection: close"]
        lines += [f"{name}: {value}" for name, value in {**session, **headers}.items()]
        connection.sendall("\r\n".join([*lines, "", ""]).encode() + head)
        _send(connection, size, is_chunked=False)
        with suppress(BrokenPipeError, ConnectionResetError):
            connection.sendall(tail)
        connection.settimeout(0.01)
        data, temporary = b"", 0
        for _ in range(6000):
            temporary = max(temporary, watched.temporary)
            try:
                piece = connection.recv(65536)
            except TimeoutError:
                continue
            except ConnectionResetError:
                break
            if not piece:
                break
            data += piece
        return Answer(data, size), temporary


def _ended(client: Client, job: str) -> bool:
    return client.get(f"jobs/{job}").raise_for_status().json()["state"] in ("done", "failed")


def test_a_file_has_its_own_bound_and_is_written_where_its_worker_reads_it(started, product, session):
    # The bound of files is 64 MB, twice that of other requests.
    size = 40 * MEGABYTE
    answer, temporary = upload(product, session, size)
    assert answer.status in (202, 422), answer.body
    assert temporary == 0
    beyond, _ = upload(product, session, 66 * MEGABYTE)
    assert beyond.problem()["code"] == "too-large"
    assert "BROKERWEB_TRACE_BYTES" in beyond.problem()["cure"]
    uploads = product.data_directory / "pipeline" / "uploads"
    kept = [path.stat().st_size for path in uploads.iterdir()] if uploads.is_dir() else []
    assert kept in ([], [size])
    if answer.status == 202:
        # It reads the file in the process whose memory the other tests watch.
        job = json.loads(answer.body)["id"]
        until(lambda: _ended(started[1], job), "the import of the file has ended")


def test_all_bodies_together_have_a_bound(product, session):
    """Files that never come to their end: the server holds so many of them, and says no to the next."""
    watched = Watched(product.pid)
    connections, refused = [], 0
    size = 60 * MEGABYTE
    try:
        for _ in range(5):
            connection = socket.create_connection(("127.0.0.1", product.port), timeout=SECONDS_MAX)
            connections.append(connection)
            lines = [f"POST {TRACES} HTTP/1.1", f"Host: 127.0.0.1:{product.port}", f"Content-Length: {size}"]
            lines += [f"{name}: {value}" for name, value in session.items()]
            connection.sendall("\r\n".join([*lines, "Content-Type: application/json", "", ""]).encode())
            if _send(connection, size - 1, is_chunked=False) < size - 1:
                refused += 1
            else:
                connection.settimeout(0.05)
                try:
                    refused += b"server-busy" in connection.recv(65536)
                except TimeoutError:
                    continue
        assert refused >= 2
        assert watched.memory < 3 * size
        assert ask(product, "/login", size=0, method="GET").status == 200
    finally:
        for connection in connections:
            connection.close()


def test_addresses_that_take_files_are_those_of_the_api():
    taking = {
        path: "multipart/form-data" in operation.get("requestBody", {}).get("content", {})
        for path, methods in api.get_openapi_schema()["paths"].items()
        for operation in methods.values()
        if isinstance(operation, dict)
    }
    assert sum(taking.values()) == 2
    for path, takes_file in taking.items():
        address = re.sub(r"{\w+}", "%C3%A9t%C3%A9%20x", path).encode()
        assert bool(UPLOAD.fullmatch(address)) == takes_file, path
