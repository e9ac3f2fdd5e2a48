"""One browser: from its hello to its end.

What its topics tell is put into an outbox and leaves as one frame a moment later, by a task of its own: nobody waits
for a browser that reads slowly. Such a one is served in reduced mode, and its outbox stays empty.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Callable, Coroutine
from typing import Any

import msgspec

from brokerweb.accounts.models import User
from brokerweb.accounts.rights import Right
from brokerweb.common.errors import ObjectNotFound
from brokerweb.live import protocol
from brokerweb.live.protocol import (
    Ack,
    ClientHeartbeat,
    ClientMessage,
    Code,
    Denied,
    Heartbeat,
    Hello,
    Mode,
    ModeMessage,
    Refused,
    RightsChanged,
    ServerMessage,
    Sub,
    Subscribed,
    Unsub,
    Welcome,
    decode,
    encode,
    frame,
)
from brokerweb.live.services.flow import Flow
from brokerweb.live.services.hub import Hub
from brokerweb.live.services.pace import multiple
from brokerweb.live.services.subscription import Subscription
from brokerweb.live.topics import TopicRefused, topic_of
from engine import api as engine

logger = logging.getLogger(__name__)

GATHER_SECONDS = 0.02
"""How long what is told is gathered into one frame."""
FRAME_CHARACTERS = 1_000_000
"""A frame is ended when it has so many."""
UNTAKEN_CHARACTERS_MAX = 12_000_000
"""What may wait for one browser, or be on its way and not acknowledged, when it asks for another snapshot."""


class LiveClient:
    """The state of one connection. Not responsible for the socket: it sends through the functions it is given."""

    def __init__(
        self,
        hub: Hub,
        *,
        session_key: str | None,
        send: Callable[[str], Coroutine[Any, Any, None]],
        close: Callable[[int], Coroutine[Any, Any, None]],
    ) -> None:
        self._hub = hub
        self._session_key = session_key
        self._user: User | None = None
        self._rights: frozenset[Right] | None = None
        self._send_frame = send
        self._close = close
        self._subscriptions: dict[int, Subscription] = {}
        self._flow = Flow()
        self._outbox: list[str] = []
        self._outbox_characters = 0
        self._has_mail = asyncio.Event()
        self._heard_at = time.monotonic()
        self._is_greeted = False
        self._is_over = False
        self._recheck = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()

    # ── the socket ───────────────────────────────────────────────────────────────────────────────────────────────
    async def opened(self) -> None:
        """The socket is open; it stays so only for somebody who may look."""
        self._start(self._write())
        if not await self._may_look() or self._user is None:
            return
        if not self._hub.add(self, self._user.pk):
            await self.refuse(Code.TOO_MANY)
            return
        self._start(self._beat())

    async def received(self, text: str) -> None:
        """A message of the browser."""
        self._heard_at = time.monotonic()
        if self._is_over:
            return
        try:
            message = decode(text)
        except msgspec.DecodeError:
            await self.refuse(Code.MALFORMED)
            return
        if not self._is_greeted and not isinstance(message, Hello):
            await self.refuse(Code.MALFORMED)
            return
        await self._obey(message)

    async def closed(self) -> None:
        """The socket is gone: let go of everything, and wait until it is let go."""
        self._is_over = True
        try:
            for subscription in self._subscriptions.values():
                subscription.end()
            self._subscriptions.clear()
            tasks = [task for task in self._tasks if task is not asyncio.current_task()]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        finally:
            await self._hub.remove(self)

    async def failed(self, error: Exception) -> None:
        """Something has raised that should not have. The browser hears so, and comes again."""
        logger.error("A live view has stopped.", exc_info=error)
        if not self._is_over:
            # Nobody would look after its rights any more, nor tell it that it is there.
            self._is_over = True
            await self._close(Code.FAILED)

    async def refuse(self, code: Code) -> None:
        """Say why, and end."""
        if self._is_over:
            return
        self._is_over = True
        refused = encode(Refused(code=code, reason=code.reason))
        self._outbox.append(refused)
        self._outbox_characters += len(refused)
        while self._outbox:
            await self._send_frame(frame(self._taken()))
        await self._close(code)

    # ── the hub ──────────────────────────────────────────────────────────────────────────────────────────────────
    def clock(self, now: float) -> None:
        """Twice a second: does it keep up? Raises nothing: others are asked after it."""
        try:
            self._keep_up(now)
        except Exception as error:
            self._start(self.failed(error))

    def _keep_up(self, now: float) -> None:
        if self._flow.change(now):
            mode = Mode.REDUCED if self._flow.is_reduced else Mode.LIVE
            self.post(ModeMessage(mode, reason="slow" if self._flow.is_reduced else ""))
            for subscription in self._subscriptions.values():
                subscription.serve(mode)
        elif self._flow.is_reduced and not self._outbox and self._flow.takes_snapshots(now):
            for subscription in self._subscriptions.values():
                subscription.tell_whole()

    def rights_changed(self) -> None:
        """Look again who this is, soon."""
        self._recheck.set()

    # ── what is told ─────────────────────────────────────────────────────────────────────────────────────────────
    def post(self, message: ServerMessage) -> None:
        """Send a message of this browser's own."""
        self.post_text(encode(message))

    def post_text(self, text: str) -> None:
        """Send an encoded message, which may be shared with others; it leaves with the next frame."""
        if self._is_over:
            return
        if not self._outbox:
            asyncio.get_running_loop().call_later(GATHER_SECONDS, self._has_mail.set)
        self._outbox.append(text)
        self._outbox_characters += len(text)

    async def _write(self) -> None:
        while True:
            await self._has_mail.wait()
            self._has_mail.clear()
            while self._outbox:
                text = frame(self._taken())
                self._flow.sent(len(text), time.monotonic())
                await self._send_frame(text)

    def _taken(self) -> list[str]:
        """What goes into the next frame: the oldest messages, at least one of them."""
        count = characters = 0
        while count < len(self._outbox) and characters < FRAME_CHARACTERS:
            characters += len(self._outbox[count])
            count += 1
        taken, self._outbox = self._outbox[:count], self._outbox[count:]
        self._outbox_characters -= characters
        return taken

    # ── what is asked ────────────────────────────────────────────────────────────────────────────────────────────
    async def _obey(self, message: ClientMessage) -> None:
        match message:
            case Hello(protocol=spoken):
                await self._greet(spoken)
            case Sub():
                await self._subscribe(message)
            case Unsub(sub=number):
                self._drop(number)
            case Ack(frames=frames):
                if not self._flow.acked(frames):
                    await self.refuse(Code.MALFORMED)
            case ClientHeartbeat():
                pass

    async def _greet(self, spoken: int) -> None:
        if spoken != protocol.PROTOCOL:
            await self.refuse(Code.PROTOCOL)
            return
        self._is_greeted = True
        self.post(Welcome(connection=secrets.token_hex(6), server_time=time.time()))

    async def _subscribe(self, asked: Sub) -> None:
        known = self._subscriptions.get(asked.sub)
        if known is None and len(self._subscriptions) >= protocol.SUBSCRIPTIONS_MAX:
            most = protocol.SUBSCRIPTIONS_MAX
            self._deny(
                asked.sub, Code.TOO_MANY, f"There are {most} subscriptions on this connection, which is the most."
            )
            return
        if self._flow.lag_bytes() + self._outbox_characters > UNTAKEN_CHARACTERS_MAX:
            detail = "This connection has not acknowledged what it was sent. Acknowledge it, and subscribe again."
            self._deny(asked.sub, Code.TOO_MANY, detail)
            return
        try:
            topic = topic_of(asked.topic, asked.params)
        except TopicRefused as error:
            self._deny(asked.sub, Code(error.code), error.detail)
            return
        if await self._is_kept_out(asked.sub, asked.estate):
            return
        if await self._hub.book(asked.estate).progress() is None:
            self._deny(asked.sub, Code.UNKNOWN_ESTATE, f"There is no estate {asked.estate}.")
            return
        follower = await self._hub.follower(asked.estate, topic)
        if self._is_over:
            return
        before = self._subscriptions.get(asked.sub)
        mode = Mode.REDUCED if self._flow.is_reduced else Mode.LIVE
        subscription = Subscription(follower, self.post_text, mode)
        self._subscriptions[asked.sub] = subscription
        cursor = asked.cursor
        resumed = None if cursor is None or cursor.stream != follower.stream else follower.since(cursor.seq)
        self.post(Subscribed(asked.sub, follower.stream, resumes=resumed is not None))
        subscription.begin(cursor, resumed)
        if before is not None:
            # Only now: a follower that nobody needs for a moment begins its reading anew.
            before.end()

    async def _is_kept_out(self, number: int, estate: str) -> bool:
        """Whether this person may not look at an estate, which the subscription is told then."""
        problem = None if self._user is None else await self._hub.doorman.keeps_out(estate, self._user)
        if isinstance(problem, ObjectNotFound):
            self._deny(number, Code.UNKNOWN_ESTATE, f"There is no estate {estate}.")
        elif problem is not None:
            self._deny(number, Code.SANDBOX_OVER, problem.detail)
        return problem is not None

    def _drop(self, number: int) -> None:
        subscription = self._subscriptions.pop(number, None)
        if subscription is not None:
            subscription.end()

    def _deny(self, number: int, code: Code, detail: str) -> None:
        self._drop(number)
        self.post(Denied(number, code, code.reason, engine.errors.shortened(detail)))

    # ── who is there ─────────────────────────────────────────────────────────────────────────────────────────────
    async def _beat(self) -> None:
        """Show the browser that we are there, and look whether its user still may look."""
        beats_at = self._next_beat()
        while True:
            try:
                async with asyncio.timeout_at(asyncio.get_running_loop().time() + beats_at - time.monotonic()):
                    await self._recheck.wait()
            except TimeoutError:
                pass
            self._recheck.clear()
            if not await self._may_look():
                return
            for number, subscription in list(self._subscriptions.items()):
                await self._is_kept_out(number, subscription.estate)
            now = time.monotonic()
            if now - self._heard_at > protocol.SILENCE_SECONDS_MAX:
                await self.refuse(Code.SILENT)
                return
            if now >= beats_at:
                beats_at = self._next_beat()
                told = {each.stream: each.seq for each in self._subscriptions.values()}
                self.post(Heartbeat(server_time=time.time(), streams=told))

    @staticmethod
    def _next_beat() -> float:
        """Brought to the tenths of the interval, so that many browsers are looked after together."""
        return multiple(protocol.HEARTBEAT_SECONDS / 10, time.monotonic() + protocol.HEARTBEAT_SECONDS)

    async def _may_look(self) -> bool:
        user = await self._hub.doorman.user(self._session_key)
        if user is None:
            await self.refuse(Code.UNAUTHENTICATED)
            return False
        if Right.VIEW not in user.rights:
            await self.refuse(Code.FORBIDDEN)
            return False
        if self._rights not in (None, user.rights):
            self.post(RightsChanged())
        self._user, self._rights = user, user.rights
        return True

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._finished)

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        error = None if task.cancelled() else task.exception()
        if isinstance(error, Exception):
            self._start(self.failed(error))
