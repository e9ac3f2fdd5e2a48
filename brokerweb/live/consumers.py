"""The websocket of the live view: wires a `LiveSession` to channels, decides nothing."""

from __future__ import annotations

from typing import Any

from channels.generic.websocket import AsyncWebsocketConsumer

from brokerweb.accounts.selectors import session_user
from brokerweb.common.wakeups import estate_group
from brokerweb.live.services.session import LiveSession
from brokerweb.live.services.snapshots import shared_cache


class LiveConsumer(AsyncWebsocketConsumer):
    """One browser."""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self._session = LiveSession(
            user=lambda: session_user(scope["session"].session_key),
            send=lambda text: self.send(text_data=text),
            close=lambda code: self.close(code=code),
            follow=self._follow,
            cache=shared_cache(),
        )
        self._groups: list[str] = []
        try:
            await super().__call__(scope, receive, send)
        finally:
            # Also when the server stops and cancels us: then nobody says `disconnect`.
            await self._session.closed()

    async def connect(self) -> None:
        await self.accept()
        await self._session.opened()

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        await self._session.received(text_data or "")

    async def disconnect(self, code: int) -> None:
        for group in self._groups:
            await self.channel_layer.group_discard(group, self.channel_name)

    async def live_instance_woke(self, message: dict[str, Any]) -> None:
        self._session.instance_woke(message["instance"], message["sequence"])

    async def live_topology_woke(self, message: dict[str, Any]) -> None:
        self._session.topology_woke()

    async def _follow(self, estate: str) -> None:
        group = estate_group(estate)
        self._groups.append(group)
        await self.channel_layer.group_add(group, self.channel_name)
