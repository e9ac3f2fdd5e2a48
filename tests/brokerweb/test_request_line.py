"""The line of requests: each client has its share of the places, and free ones go to the clients in turn."""

from __future__ import annotations

import asyncio
from ipaddress import ip_network
from typing import Any

import pytest

from brokerweb.common.request_line import in_line, place_is_of

PLACES = 16
"""Two for one client, eight for one address."""
ELSEWHERE = "192.0.2.7"
PROXY = "192.0.2.1"


class Server:
    """Requests that stay in the application until they are answered by the test."""

    def __init__(self, places: int = PLACES) -> None:
        self._application = in_line(self._answer, places)
        self._ends: dict[str, asyncio.Event] = {}
        self._persons: dict[str, str] = {}
        self.inside: list[str] = []
        """Names of the requests that have a place, in the order in which they came to it."""

    async def _answer(self, scope: Any, receive: Any, send: Any) -> None:
        name = scope["path"]
        self.inside.append(name)
        try:
            if name in self._persons:
                await asyncio.to_thread(place_is_of, self._persons[name])
            await self._ends[name].wait()
        finally:
            self.inside.remove(name)

    async def ask(
        self, name: str, *, token: str = "", address: str = "127.0.0.1", person: str = "", **headers: str
    ) -> asyncio.Task[None]:
        """A request that has come; `person` is to whom its token belongs."""
        shown = {**headers, **({"authorization": f"Bearer {token}"} if token else {})}
        encoded = [(each.replace("_", "-").encode(), value.encode()) for each, value in shown.items()]
        scope = {"type": "http", "path": name, "headers": encoded, "client": (address, 1)}
        self._ends[name] = asyncio.Event()
        if person:
            self._persons[name] = person
        task = asyncio.create_task(self._application(scope, None, None))  # type: ignore[arg-type]
        await settled()
        return task

    async def end(self, *names: str) -> None:
        """These requests are answered."""
        for name in names:
            self._ends[name].set()
        await settled()

    async def end_all(self) -> None:
        """All requests are answered."""
        await self.end(*self._ends)


async def settled() -> None:
    """Until nothing moves any more; a thread that hands a person over has had its time."""
    for _ in range(20):
        await asyncio.sleep(0)
    await asyncio.to_thread(lambda: None)
    for _ in range(20):
        await asyncio.sleep(0)


@pytest.fixture
async def server():
    """A line of sixteen places."""
    made = Server()
    yield made
    await made.end_all()


async def test_a_client_that_asks_a_hundred_times_keeps_no_other_waiting(server: Server):
    for number in range(100):
        await server.ask(f"v{number}", token="viewer")
    assert server.inside == ["v0", "v1"]
    await server.ask("admin", token="admin")
    await server.ask("login")
    assert server.inside == ["v0", "v1", "admin", "login"]
    await server.end("v0")
    assert server.inside == ["v1", "admin", "login", "v2"]


async def test_free_places_go_to_the_clients_in_turn():
    server = Server(places=1)
    await server.ask("first", token="a")
    for name in ("a1", "a2", "a3"):
        await server.ask(name, token="a")
    await server.ask("b1", token="b")
    order = []
    for _ in range(5):
        order += server.inside
        await server.end(*server.inside)
    assert order == ["first", "a1", "b1", "a2", "a3"]


async def test_all_tokens_and_sessions_of_a_person_count_together(server: Server):
    for number in range(4):
        await server.ask(f"first{number}", token=f"token{number}", person="vera")
    await server.end_all()
    for number in range(4):
        await server.ask(f"second{number}", token=f"token{number}")
    assert server.inside == ["second0", "second1"]


async def test_requests_in_line_become_those_of_the_person_too(server: Server):
    for token in ("t1", "t2"):
        for number in range(3):
            await server.ask(f"{token} {number}", token=token, person="vera" if number == 0 else "")
    assert server.inside == ["t1 0", "t1 1", "t2 0"] or server.inside == ["t1 0", "t2 0"]
    await server.end("t1 0", "t2 0")
    assert len(server.inside) == 2


async def test_a_request_that_is_given_up_in_line_leaves_it(server: Server):
    for number in range(3):
        await server.ask(f"before{number}", token="viewer")
    waiting = await server.ask("given up", token="viewer")
    await server.ask("after", token="viewer")
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    await server.end("before0", "before1", "before2")
    assert server.inside == ["after"]


async def test_a_request_that_is_given_up_as_its_turn_comes_hands_the_place_on():
    server = Server(places=1)
    await server.ask("first", token="a")
    waiting = await server.ask("given up", token="b")
    await server.ask("last", token="c")
    server._ends["first"].set()
    # In the turn of the loop in which the place is granted, before the request goes on.
    asyncio.get_running_loop().call_soon(waiting.cancel)
    await settled()
    assert server.inside == ["last"]
    await server.end_all()


@pytest.mark.parametrize("address", ["127.0.0.1", ELSEWHERE])
async def test_an_address_with_many_tokens_has_half_of_the_places(server: Server, address: str):
    for number in range(100):
        await server.ask(f"r{number}", token=f"invented{number}", address=address)
    assert len(server.inside) == PLACES / 2
    await server.ask("other", address="198.51.100.9")
    assert "other" in server.inside


async def test_clients_behind_a_trusted_proxy_are_told_apart(server: Server, settings: Any):
    settings.TRUSTED_PROXIES = [ip_network(PROXY)]
    for number in range(4):
        await server.ask(f"a{number}", address=PROXY, x_forwarded_for="203.0.113.5")
    assert len(server.inside) == 2
    await server.ask("b", address=PROXY, x_forwarded_for="203.0.113.6")
    for number in range(PLACES):
        await server.ask(f"c{number}", address=PROXY, token=f"t{number}")
    assert len(server.inside) == PLACES
