"""Requests that are answered at once, and the lines in which further ones wait: one line for each client.

A client is a person, by session or token, or the address of a request without either. Each has a share of the places,
and so has each address. A free place goes to the clients in turn, so one that asks a thousand times keeps no other
waiting. To whom a session or token belongs is learned from the first request that is answered (`place_is_of`).
"""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict, deque
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from asgiref.typing import ASGI3Application, ASGIReceiveCallable, ASGISendCallable, HTTPScope, Scope
from django.conf import settings
from django.http import parse_cookie

from brokerweb.common.client_address import forwarded_for, is_trusted_proxy

CLIENT_SHARE: Final = 1 / 8
"""Of all places, for one client."""
ADDRESS_SHARE: Final = 1 / 2
"""Of all places, for one address that is no trusted proxy."""
KNOWN_MAX: Final = 10_000
"""Sessions and tokens of which it is remembered to whom they belong."""


class Place:
    """The place of one request: of which client and address, and how to wait for it."""

    def __init__(self, line: RequestLine, client: str, address: str) -> None:
        self.credential = self.client = client
        self.address = address
        self.is_taken = False
        self._line = line
        self._loop = asyncio.get_running_loop()
        self.granted: asyncio.Future[None] = self._loop.create_future()

    def is_of(self, person: str) -> None:
        """Its request is that of a person; called from any thread."""
        self._loop.call_soon_threadsafe(self._line.learn, self, person)


_place: ContextVar[Place | None] = ContextVar("place", default=None)


def place_is_of(person: str) -> None:
    """The current request is that of a person: the places of all their sessions and tokens count together."""
    if (place := _place.get()) is not None:
        place.is_of(person)


class RequestLine:
    """The places of one server and who waits for them. Lives on the loop of the server."""

    def __init__(self, places_max: int) -> None:
        self._most = places_max
        self._most_of_client = max(1, int(places_max * CLIENT_SHARE))
        self._most_of_address = max(1, int(places_max * ADDRESS_SHARE))
        self._taken = 0
        self._by_client: Counter[str] = Counter()
        self._by_address: Counter[str] = Counter()
        self._waiting: dict[str, deque[Place]] = {}
        """By client; the one whose turn is next stands first."""
        self._owners: OrderedDict[str, str] = OrderedDict()
        """The person of a session or token, the one not used for the longest time first."""

    async def enter(self, place: Place) -> None:
        """Wait until a place is free for this client."""
        place.client = self._owners.get(place.credential, place.credential)
        self._waiting.setdefault(place.client, deque()).append(place)
        self._grant()
        try:
            await place.granted
        except asyncio.CancelledError:
            if place.granted.done() and not place.granted.cancelled():
                self.leave(place)
            else:
                self._give_up(place)
            raise

    def leave(self, place: Place) -> None:
        """The request is answered."""
        self._count(place, -1)
        self._grant()

    def learn(self, place: Place, person: str) -> None:
        """The session or token of a request belongs to a person: its place is one of theirs from now on."""
        self._owners[place.credential] = person
        self._owners.move_to_end(place.credential)
        if len(self._owners) > KNOWN_MAX:
            self._owners.popitem(last=False)
        waiting = self._waiting.pop(place.credential, None)
        for each in waiting or ():
            each.client = person
        if waiting:
            self._waiting.setdefault(person, deque()).extend(waiting)
        if place.is_taken:
            self._count(place, -1)
            place.client = person
            self._count(place, 1)
        self._grant()

    def _grant(self) -> None:
        """Give free places to the clients in turn, as long as one of them may have another."""
        while self._taken < self._most and (client := next(self._eligible(), None)) is not None:
            line = self._waiting.pop(client)
            place = line.popleft()
            if line:
                # Behind the others.
                self._waiting[client] = line
            self._count(place, 1)
            place.granted.set_result(None)

    def _eligible(self) -> Iterator[str]:
        for client, line in self._waiting.items():
            address = line[0].address
            if self._by_client[client] < self._most_of_client and (
                not address or self._by_address[address] < self._most_of_address
            ):
                yield client

    def _count(self, place: Place, change: int) -> None:
        place.is_taken = change > 0
        self._taken += change
        for counter, key in ((self._by_client, place.client), (self._by_address, place.address)):
            counter[key] += change
            if not counter[key]:
                del counter[key]

    def _give_up(self, place: Place) -> None:
        line = self._waiting[place.client]
        line.remove(place)
        if not line:
            del self._waiting[place.client]


@contextmanager
def _current(place: Place) -> Iterator[None]:
    token = _place.set(place)
    try:
        yield
    finally:
        _place.reset(token)


def in_line(application: ASGI3Application, places_max: int) -> ASGI3Application:
    """ASGI middleware: at most `places_max` requests are in `application` at once; further ones wait for their turn.

    Each request in it has a thread and a connection to the database.
    """
    line = RequestLine(places_max)

    async def wait_and_answer(scope: Scope, receive: ASGIReceiveCallable, send: ASGISendCallable) -> None:
        assert scope["type"] == "http", "websockets have bounds of their own"
        place = Place(line, *_asker(scope))
        await line.enter(place)
        try:
            with _current(place):
                await application(scope, receive, send)
        finally:
            line.leave(place)

    return wait_and_answer


def _asker(scope: HTTPScope) -> tuple[str, str]:
    """The client of a request, by what it shows, and its address; that is empty where it may stand for many clients."""
    headers = {name: value.decode("latin1") for name, value in scope["headers"]}
    connected = (scope.get("client") or ("", 0))[0]
    address = forwarded_for(connected, headers.get(b"x-forwarded-for", ""), settings.TRUSTED_PROXIES)
    session = parse_cookie(headers.get(b"cookie", "")).get(settings.SESSION_COOKIE_NAME, "")
    shown = headers.get(b"authorization", "") or session
    # Neither the secret nor a text of any length is kept.
    client = f"shown {hash(shown)}" if shown else f"address {address}"
    return client, "" if is_trusted_proxy(address) else address
