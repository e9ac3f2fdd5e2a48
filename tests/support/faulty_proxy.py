"""A network that misbehaves, as a seed says: a TCP proxy that delays, throttles, corrupts, cuts and half-closes.

Each connection draws a plan: how slow it is, what goes wrong with it, and after how many bytes. `heal` ends all of
that for connections to come, and cuts those that are there, for they may be half dead.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Callable
from enum import StrEnum
from typing import Final

import msgspec

from tests.support.man_in_the_middle import Listening

_CHUNK_BYTES: Final = 64 * 1024
_BYTES_BEFORE_FAULT: Final = (1, 200_000)
"""Drawn evenly in magnitude: as often in the handshake as in the middle of the traffic."""

_SILENT_SECONDS: Final = 1.0


class Fault(StrEnum):
    """What ends a connection, or makes one of its ends believe so."""

    REFUSED = "refused"
    """Closed as soon as it is open."""
    CUT = "cut"
    """Both ends are reset."""
    HALF_CLOSED = "half-closed"
    """One end hears the end of the other, which goes on talking to nobody."""
    CORRUPTED = "corrupted"
    """One bit of one byte is another one."""
    SWALLOWED = "swallowed"
    """A piece is missing and what follows is there."""
    SILENT = "silent"
    """Nothing passes for a while, and nobody is told; then both ends are reset."""


class Plan(msgspec.Struct, frozen=True):
    """What becomes of one connection."""

    fault: Fault
    after_bytes: int
    """In the direction in which it happens."""
    inward: bool
    """Whether it happens to what the dialling end says."""
    delay_seconds: float
    """Of every chunk."""
    chunk_bytes: int
    """Read at once; small ones and a delay make a slow network."""


def drawn(dice: random.Random) -> Plan:
    """A plan by chance."""
    low, high = _BYTES_BEFORE_FAULT
    is_slow = dice.random() < 0.3
    return Plan(
        fault=dice.choice(tuple(Fault)),
        after_bytes=int(low * (high / low) ** dice.random()),
        inward=dice.random() < 0.5,
        delay_seconds=dice.uniform(0, 0.02) if is_slow else 0.0,
        chunk_bytes=dice.choice((100, 1500, 16_384)) if is_slow else _CHUNK_BYTES,
    )


class FaultyProxy(Listening):
    """Stands before a real listener. `happened` counts the faults that came to pass."""

    def __init__(self, real: Callable[[], tuple[str, int]], seed: str) -> None:
        super().__init__()
        self.happened: Counter[Fault] = Counter()
        self.connections = 0
        self.cut = 0
        """Connections that were whole when `heal` or `harm` ended them."""
        self._real = real
        self._dice = random.Random(seed)
        self._is_healthy = False
        self._open: set[asyncio.StreamWriter] = set()

    def heal(self) -> None:
        """From any thread: nothing goes wrong any more."""
        self._loop.call_soon_threadsafe(self._become, True)

    def harm(self) -> None:
        """From any thread: every connection is cut, and things go wrong with those to come, until `heal`."""
        self._loop.call_soon_threadsafe(self._become, False)

    def _become(self, is_healthy: bool) -> None:
        self._is_healthy = is_healthy
        self.cut += len(self._open) // 2
        for writer in self._open:
            writer.transport.abort()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        plan = None if self._is_healthy else drawn(self._dice)
        if plan is not None and plan.fault is Fault.REFUSED:
            self.happened[Fault.REFUSED] += 1
            writer.transport.abort()
            return
        try:
            far_reader, far_writer = await asyncio.open_connection(*self._real())
        except OSError:
            # Nobody is there: the caller finds a closed door.
            writer.transport.abort()
            return
        writers = {writer, far_writer}
        self._open |= writers
        try:
            await asyncio.gather(
                self._pump(reader, far_writer, plan if plan is not None and plan.inward else None),
                self._pump(far_reader, writer, plan if plan is not None and not plan.inward else None),
            )
        except (OSError, asyncio.CancelledError):
            # One end is gone, and so is the other; or the proxy ends.
            pass
        finally:
            self._open -= writers
            for each in writers:
                each.transport.abort()

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, plan: Plan | None) -> None:
        passed = 0
        while data := await reader.read(_CHUNK_BYTES if plan is None else plan.chunk_bytes):
            if plan is not None:
                await asyncio.sleep(plan.delay_seconds)
                before, passed = passed, passed + len(data)
                if before < plan.after_bytes <= passed:
                    data = await self._go_wrong(plan, data, plan.after_bytes - before - 1, writer)
            writer.write(data)
            await writer.drain()
        writer.write_eof()

    async def _go_wrong(self, plan: Plan, data: bytes, place: int, writer: asyncio.StreamWriter) -> bytes:
        """What of a chunk still passes; `ConnectionResetError` where nothing passes any more."""
        self.happened[plan.fault] += 1
        if plan.fault is Fault.CORRUPTED:
            return data[:place] + bytes([data[place] ^ 1 << self._dice.randrange(8)]) + data[place + 1 :]
        if plan.fault is Fault.SWALLOWED:
            return data[:place]
        writer.write(data[:place])
        if plan.fault is Fault.HALF_CLOSED:
            writer.write_eof()
        if plan.fault is not Fault.CUT:
            await asyncio.sleep(_SILENT_SECONDS)
        raise ConnectionResetError
