"""A browser that speaks the protocol of the T-SQL console, as the page does: runs scripts, acknowledges, hears."""

from __future__ import annotations

import asyncio
import json
from itertools import count
from typing import Any

from channels.testing import WebsocketCommunicator
from django.conf import settings
from django.test import Client

from brokerweb.config.asgi import application
from tests.brokerweb.live_browser import ORIGIN
from tests.support.waiting import SECONDS_MAX


class SqlBrowser:
    """A websocket of somebody who is logged in (or nobody), and what it has heard."""

    def __init__(self, client: Client | None, origin: tuple[bytes, bytes] = ORIGIN) -> None:
        headers = [origin, (b"host", b"localhost"), (b"user-agent", b"Mozilla/5.0 (a test)")]
        if client is not None:
            key = client.cookies[settings.SESSION_COOKIE_NAME].value
            headers.append((b"cookie", f"{settings.SESSION_COOKIE_NAME}={key}".encode()))
        self.socket = WebsocketCommunicator(application, "/ws/console", headers=headers)
        self.acks = True
        self._coming: list[dict[str, Any]] = []
        self._frames = 0
        self._numbers = count(1)

    async def __aenter__(self) -> SqlBrowser:
        await self.socket.connect(timeout=SECONDS_MAX)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.socket.disconnect(timeout=SECONDS_MAX)

    async def say(self, **message: Any) -> None:
        await self.socket.send_to(json.dumps(message))

    async def hello(self, estate: str, instance: str, database: str, **more: Any) -> None:
        await self.say(type="hello", protocol=1, estate=estate, instance=instance, database=database, **more)

    async def next(self, seconds: float = SECONDS_MAX) -> dict[str, Any]:
        """The next message; its frame is acknowledged."""
        if not self._coming:
            self._coming = json.loads(await self.socket.receive_from(timeout=seconds))
            self._frames += 1
            if self.acks:
                await self.say(type="ack", frames=self._frames)
        return self._coming.pop(0)

    async def hear(self, *kinds: str, seconds: float = SECONDS_MAX) -> dict[str, Any]:
        """The next message of one of these kinds."""
        async with asyncio.timeout(seconds):
            while True:
                message = await self.next(seconds)
                if message["type"] in kinds:
                    return message

    async def start(self, script: str) -> int:
        """Have a script run, without waiting for what it answers."""
        number = next(self._numbers)
        await self.say(type="run", id=number, script=script)
        return number

    async def ending(self, number: int, seconds: float = SECONDS_MAX) -> list[dict[str, Any]]:
        """Everything that a script answers until it is done, that message included."""
        heard = []
        async with asyncio.timeout(seconds):
            while True:
                message = await self.next(seconds)
                if message.get("id") == number:
                    heard.append(message)
                if message["type"] in ("done", "denied", "refused"):
                    return heard

    async def run(self, script: str, seconds: float = SECONDS_MAX) -> list[dict[str, Any]]:
        """Run a script to its end."""
        return await self.ending(await self.start(script), seconds)

    async def rows(self, script: str) -> list[list[Any]]:
        """The rows of the first result set that a script answers."""
        for message in await self.run(script):
            assert message["type"] != "failed", message
            if message["type"] == "result-set":
                return list(message["rows"])
        raise AssertionError("The script has answered no result set.")
