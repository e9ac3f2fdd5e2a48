"""A wire between a browser and the product that can be cut or go silent: passes every byte on until then."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from tests.support.man_in_the_middle import Listening


class Relay(Listening):
    """Passes connections on to a port of this machine.

    While it is cut, each is reset, whether old or new. While it is silent, all stay open and nothing passes: what a
    browser whose network is gone is not told.
    """

    def __init__(self, port: int) -> None:
        super().__init__()
        self._port = port
        self._is_cut = False
        self._passes = asyncio.Event()
        self._passes.set()
        self._open: set[asyncio.StreamWriter] = set()

    def cut(self) -> None:
        """Reset every connection, and each that comes, until `mend`."""
        self._do(self._cut)

    def silence(self) -> None:
        """Pass nothing on, until `mend`."""
        self._do(self._passes.clear)

    def mend(self) -> None:
        """Pass on again; what was on its way while it was silent is lost, and so are those connections."""
        self._do(self._mend)

    def _do(self, deed: Callable[[], None]) -> None:
        """On the loop's own thread, and at its end it is done."""

        async def done() -> None:
            deed()

        asyncio.run_coroutine_threadsafe(done(), self._loop).result()

    def _mend(self) -> None:
        if not self._passes.is_set():
            self._cut()
        self._is_cut = False
        self._passes.set()

    def _cut(self) -> None:
        self._is_cut = True
        for each in self._open:
            each.transport.abort()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, both ways."""
        if self._is_cut:
            writer.transport.abort()
            return
        inward, outward = await asyncio.open_connection("127.0.0.1", self._port)
        ends = {writer, outward}
        self._open |= ends
        try:
            await asyncio.gather(self._pass(reader, outward), self._pass(inward, writer))
        except asyncio.CancelledError:
            # The relay ends; whoever made the connection would report it as a failure.
            pass
        finally:
            self._open -= ends
            for each in ends:
                each.transport.abort()

    async def _pass(self, source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        """Until the source ends or either is reset; the target hears of the end."""
        try:
            while data := await source.read(64 * 1024):
                await self._passes.wait()
                target.write(data)
                await target.drain()
            target.write_eof()
        except (OSError, RuntimeError):
            target.transport.abort()
