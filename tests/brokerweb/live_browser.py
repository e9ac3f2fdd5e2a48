"""A browser that speaks the protocol of the live view, as the page does: subscribes, folds, acknowledges."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import msgspec
from channels.testing import WebsocketCommunicator
from django.conf import settings
from django.test import Client

from brokerweb.config.asgi import application
from brokerweb.live.protocol import Snapshot, table_of
from brokerweb.live.tables import Ops, Table, fold
from tests.support.waiting import SECONDS_MAX

ORIGIN = (b"origin", b"http://localhost")


class Fold:
    """What a subscription has come to."""

    def __init__(self) -> None:
        self.stream = ""
        self.seq = 0
        self.table = Table()
        self.deltas = 0

    def take(self, message: dict[str, Any]) -> None:
        """A snapshot or a delta of its stream; a gap is a failed assertion."""
        if message["type"] == "snapshot":
            snapshot = msgspec.convert({"facts": {}, **message}, Snapshot)
            self.table, self.seq = table_of(snapshot), snapshot.seq
        else:
            assert message["from"] == self.seq + 1, f"at {self.seq}, told from {message['from']}"
            self.table, self.seq = fold(self.table, msgspec.convert(message["ops"], Ops)), message["to"]
            self.deltas += 1

    def rows(self, **cells: Any) -> list[dict[str, Any]]:
        """Rows by the names of their columns, those that have these cells."""
        names = [column.name for column in self.table.columns]
        found = [dict(zip(names, row, strict=True)) for row in self.table.rows.values()]
        return [row for row in found if all(row[name] == value for name, value in cells.items())]


class Browser:
    """A websocket of somebody who is logged in (or nobody), and what it has heard."""

    def __init__(self, client: Client | None, origin: tuple[bytes, bytes] = ORIGIN) -> None:
        headers = [origin, (b"host", b"localhost")]
        if client is not None:
            key = client.cookies[settings.SESSION_COOKIE_NAME].value
            headers.append((b"cookie", f"{settings.SESSION_COOKIE_NAME}={key}".encode()))
        self.socket = WebsocketCommunicator(application, "/ws/live", headers=headers)
        self.heard: list[dict[str, Any]] = []
        self.folds: dict[int, Fold] = {}
        self.acks = True
        self._coming: list[dict[str, Any]] = []
        self._frames = 0

    async def __aenter__(self) -> Browser:
        await self.socket.connect(timeout=SECONDS_MAX)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.socket.disconnect(timeout=SECONDS_MAX)

    async def say(self, **message: Any) -> None:
        await self.socket.send_to(json.dumps(message))

    async def greet(self) -> dict[str, Any]:
        await self.say(type="hello", protocol=2)
        return await self.hear("welcome")

    async def closed(self) -> dict[str, Any]:
        """What the server ends the connection with; what it says before is passed over."""
        async with asyncio.timeout(SECONDS_MAX):
            while (told := await self.socket.receive_output(SECONDS_MAX))["type"] != "websocket.close":
                pass
        return told

    async def subscribe(
        self, sub: int, estate: str, topic: str, cursor: dict[str, Any] | None = None, **params: Any
    ) -> Fold:
        """Subscribe, and wait until the server has said to which stream."""
        await self.say(type="sub", sub=sub, estate=estate, topic=topic, params=params, cursor=cursor)
        message = await self.hear("subscribed", sub=sub)
        self.folds.setdefault(sub, Fold()).stream = message["stream"]
        return self.folds[sub]

    async def next(self, seconds: float = SECONDS_MAX) -> dict[str, Any]:
        """The next message; it is folded, and its frame acknowledged."""
        if not self._coming:
            self._coming = json.loads(await self.socket.receive_from(timeout=seconds))
            self._frames += 1
            if self.acks:
                await self.say(type="ack", frames=self._frames)
        message = self._coming.pop(0)
        self.heard.append(message)
        if message["type"] in ("snapshot", "delta"):
            for each in self.folds.values():
                if each.stream == message["stream"]:
                    each.take(message)
        return message

    async def hear(self, kind: str, seconds: float = SECONDS_MAX, **fields: Any) -> dict[str, Any]:
        """The next message of a kind whose fields are these; what comes before it is kept in `heard`."""
        async with asyncio.timeout(seconds):
            while True:
                message = await self.next(seconds)
                if message["type"] == kind and all(message[name] == value for name, value in fields.items()):
                    return message

    async def until(self, condition: Any, seconds: float = SECONDS_MAX) -> None:
        """Go on listening until something holds."""
        async with asyncio.timeout(seconds):
            while not condition():
                await self.next(seconds)
