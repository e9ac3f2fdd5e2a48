"""Ctrl-C while a statement of a trainee waits, or computes: the server answers others, and does not wait with it."""

import socket
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import httpx
import pytest

from brokerweb.config.process import serving
from engine.api import sandboxes
from tests.support.running import Client, running

WAITS = "WAITFOR DELAY '20:00:00';"
COMPUTES = """DECLARE @a nvarchar(max) = REPLICATE(N'a', 8000000), @n int;
WHILE 1 = 1 SELECT @n = CASE WHEN @a LIKE N'%a%a%a%a%a%_b' THEN 1 END;"""


def waits(client: Client, run: str, statement: str) -> str:
    """How a script that waits, or computes, for most of a day was answered."""
    script = {"instance": "PARIS", "database": "Ventes", "script": f"CREATE QUEUE dbo.Begun; {statement}"}
    try:
        answer = client.post_json(f"training/sessions/{run}/run", script)
    except httpx.TransportError:
        return "the connection is closed"
    return f"{answer.status_code}"


def has_begun(client: Client, estate: str) -> bool:
    return "Begun" in client.get(f"estates/{estate}").raise_for_status().text


@pytest.mark.slow
@pytest.mark.parametrize("statement", [WAITS, COMPUTES])
def test_a_statement_of_a_sandbox_does_not_hold_up_others_nor_the_end(tmp_path: Path, statement: str) -> None:
    with ThreadPoolExecutor(1) as pool, running(tmp_path) as (product, client):
        session = client.post_json("training/sessions", {"scenario": "first-route", "mode": "learn"}).json()
        run, estate = session["run"]["id"], session["estate"]
        waiting = pool.submit(waits, client, run, statement)
        while not has_begun(client, estate):
            assert not waiting.done(), waiting.result()
        assert httpx.get(f"http://127.0.0.1:{product.port}/login", timeout=30).status_code == 200
        assert product.stop() == 0
        # 200 would be the answer of a script that was let wait until its time was up.
        assert waiting.result() in ("the connection is closed", "503")


def test_sandboxes_are_let_go_before_the_server_waits_for_its_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """The order alone, with a server that does nothing: `make test-all` stops a real one."""
    happened: list[str] = []
    before_shutdown: list[Callable[[], object]] = []

    def add_trigger(phase: str, event: str, called: Callable[[], object]) -> None:
        assert (phase, event) == ("before", "shutdown")
        before_shutdown.append(called)

    class Server:
        def __init__(self, **_: object) -> None:
            pass

        def run(self) -> None:
            for called in before_shutdown:
                called()
            happened.append("the server waits for its answers")

    monkeypatch.setitem(sys.modules, "daphne.server", SimpleNamespace(Server=Server))
    reactor = SimpleNamespace(addSystemEventTrigger=add_trigger)
    monkeypatch.setitem(sys.modules, "twisted.internet", SimpleNamespace(reactor=reactor))
    monkeypatch.setattr(sandboxes, "let_sandboxes_go", lambda: happened.append("sandboxes are let go"))
    monkeypatch.setattr(serving, "leave_at_once_on_signals", lambda: None)
    # The server takes the socket over: it is given one that this test can close.
    listener, other_end = socket.socketpair()
    descriptor = listener.fileno()
    try:
        serving._serve_http(listener, lambda: None)
    finally:
        other_end.close()
        socket.close(descriptor)
    assert happened == ["sandboxes are let go", "the server waits for its answers"]
