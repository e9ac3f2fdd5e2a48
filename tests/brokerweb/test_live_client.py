"""One browser of the live view: frames of a bounded size, and no snapshots for one that takes none."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any

from brokerweb.live.protocol import Code, Sub
from brokerweb.live.services.client import FRAME_CHARACTERS, UNTAKEN_CHARACTERS_MAX, LiveClient


class Browser:
    """What a client of the server says to it; the hub is never asked."""

    def __init__(self) -> None:
        self.frames: list[str] = []
        self._comes = asyncio.Event()
        self.client = LiveClient(object(), session_key=None, send=self._hear, close=self._hear_the_end)

    async def _hear(self, text: str) -> None:
        self.frames.append(text)
        self._comes.set()

    async def heard(self, count: int) -> None:
        """Wait for so many messages."""
        while len(self.messages) < count:
            self._comes.clear()
            await self._comes.wait()

    async def _hear_the_end(self, code: int) -> None:
        raise AssertionError(code)

    @property
    def messages(self) -> list[Any]:
        return [message for frame in self.frames for message in json.loads(frame)]


def test_what_is_told_leaves_in_order_in_frames_of_a_bounded_size():
    """A page of many large tables was cut off, for all of them were one frame."""
    told = [{"number": number, "text": "a" * (FRAME_CHARACTERS // 3)} for number in range(10)]

    async def tell() -> Browser:
        browser = Browser()
        writing = asyncio.create_task(browser.client._write())
        for each in told:
            browser.client.post_text(json.dumps(each))
        await browser.heard(len(told))
        writing.cancel()
        return browser

    browser = asyncio.run(tell())
    assert browser.messages == told
    assert len(browser.frames) == 4
    assert max(map(len, browser.frames)) < 2 * FRAME_CHARACTERS


def test_a_browser_that_acknowledges_nothing_gets_no_further_snapshots():
    async def ask() -> Browser:
        browser = Browser()
        client = browser.client
        client._flow.sent(UNTAKEN_CHARACTERS_MAX + 1, time.monotonic())
        await client._subscribe(Sub(sub=7, estate="demo", topic="trace"))
        await browser._hear(f"[{','.join(client._outbox)}]")
        return browser

    [denied] = asyncio.run(ask()).messages
    assert (denied["type"], denied["sub"], denied["code"]) == ("denied", 7, Code.TOO_MANY)
    assert "has not acknowledged" in denied["detail"]
