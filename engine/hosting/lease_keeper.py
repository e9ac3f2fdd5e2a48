"""`LeaseKeeper`: the leases of one host, renewed from a thread of its own.

A disk that hangs keeps the loop busy for longer than a lease lasts, so renewing must not depend on it. But a loop that
says nothing at all for long has instances that nobody can reach: then their leases are left to others. Loading, which
may take longer still, is not the loop's work.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as WaitTimeout
from contextlib import suppress
from typing import Final, TypeVar
from uuid import uuid4

from engine.core.vocabulary.moment import Duration
from engine.hosting.clock import HostClock
from engine.hosting.leases import (
    HolderId,
    InstanceFigures,
    LeaseBook,
    LeaseEntry,
    LeasesUnavailable,
)
from engine.hosting.shelf import InstanceKey
from engine.hosting.tenure import Tenure

RENEWALS_A_LEASE: Final = 3
FIGURES_SECONDS: Final = 0.5
"""How long a renewal waits for the loop to say how the instances are."""
SILENCE_SECONDS_MAX: Final = 60.0
"""How long the loop may say nothing before its leases are not renewed any more."""

logger = logging.getLogger(__name__)

T = TypeVar("T")
FiguresOfAll = Callable[[], Mapping[InstanceKey, InstanceFigures]]
OnLost = Callable[[InstanceKey, str], None]


def new_holder(worker: str) -> HolderId:
    """The name of a new run of a worker in this process."""
    return HolderId(f"{worker or 'embedded@' + socket.gethostname()}/{os.getpid()}/{uuid4().hex[:8]}")


class LeaseKeeper:
    """Takes, renews and gives back. Its methods are called on the loop of its host."""

    def __init__(
        self,
        book: LeaseBook,
        holder: HolderId,
        seconds: Duration,
        clock: HostClock,
        *,
        figures: FiguresOfAll,
        on_lost: OnLost,
    ) -> None:
        """`figures` and `on_lost` are called on the loop; `on_lost` is told why, and that the lease is gone already."""
        self.fences: Final = book.fences
        self._book = book
        self._holder = holder
        self._seconds = seconds
        self._clock = clock
        self._figures = figures
        self._on_lost = on_lost
        self._tenures: dict[InstanceKey, Tenure] = {}
        self._clerk = ThreadPoolExecutor(1, thread_name_prefix="engine-leases")
        self._loop = asyncio.get_running_loop()
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._renew_until_the_end, name="engine-renewals", daemon=True)
        self._last_figures: Mapping[InstanceKey, InstanceFigures] = {}
        self._question: Future[None] | None = None
        """Asked of the loop and perhaps not answered yet."""
        self._heard_at = self._clock.lasting_seconds()

    def start(self) -> None:
        """Begin to renew."""
        self._thread.start()

    async def stop(self) -> None:
        """Give everything back and renew no more."""
        try:
            for key in list(self._tenures):
                await self.give_back(key)
        finally:
            self._ending.set()
            self._clerk.submit(self._book.rest)
            self._clerk.shutdown(wait=False)

    # ── on the loop ──────────────────────────────────────────────────────────────────────────────────────────────
    async def take(self, key: InstanceKey) -> Tenure | None:
        """The right to run an instance, the same as long as it lasts; None when another host has it, or may have it."""
        known = self._tenures.get(key)
        if known is not None and not known.is_over():
            return known
        asked_at = self._clock.lasting_seconds()
        try:
            lease = await self._ask(lambda: self._book.take(key, self._holder, self._seconds))
        except LeasesUnavailable as error:
            logger.warning("No lease on instance %s of estate %s: %s", key[1], key[0], error)
            lease = None
        if lease is None and self.fences:
            return None
        tenure = self._tenures[key] = Tenure(lease, self._clock)
        if self.fences:
            tenure.prolong(asked_at, self._seconds)
        return tenure

    async def give_back(self, key: InstanceKey, *, is_closed: bool = False) -> None:
        """Let another host have the instance, or nobody when it `is_closed`; harmless when it is not ours."""
        tenure = self._tenures.pop(key, None)
        if tenure is None or tenure.lease is None:
            return
        lease = tenure.lease
        try:
            await self._ask(lambda: self._book.give_back(lease, is_closed=is_closed))
        except LeasesUnavailable as error:
            # It ends by itself.
            logger.warning("The lease on instance %s of estate %s was not given back: %s", key[1], key[0], error)

    def is_held(self, key: InstanceKey, tenure: Tenure) -> bool:
        """Whether a tenure is still the one under which this host has the instance."""
        return self._tenures.get(key) is tenure and not tenure.is_over()

    def drop(self, key: InstanceKey) -> None:
        """It was lost: somebody else has it, or may take it."""
        self._tenures.pop(key, None)

    async def taken_elsewhere(self, keys: Sequence[InstanceKey]) -> set[InstanceKey]:
        """Which of these this host must leave alone: another one has them, or they are closed. Without a word from the
        book, all that are not ours.
        """
        if not self.fences:
            return set()
        try:
            entries = {entry.key: entry for entry in await self._ask(self._book.entries)}
        except LeasesUnavailable as error:
            logger.warning("Nobody can tell who hosts what: %s", error)
            return set(keys) - self._tenures.keys()
        return {key for key in keys if (entry := entries.get(key)) is not None and self._is_not_for_us(entry)}

    async def left_open(self) -> list[InstanceKey]:
        """Instances that were opened and not closed, none without a word from the book; where others may host, those
        that no other one has.
        """
        try:
            entries = await self._ask(self._book.entries)
        except LeasesUnavailable as error:
            logger.warning("Nobody can tell what was open: %s", error)
            return []
        is_shared = self.fences
        return [each.key for each in entries if not (self._is_not_for_us(each) if is_shared else each.is_closed)]

    def _is_not_for_us(self, entry: LeaseEntry) -> bool:
        if entry.holder == self._holder:
            return False
        return entry.is_closed or entry.is_held

    def lose_what_has_ended(self) -> None:
        """Leases that could not be renewed in time are over; called every now and then."""
        for key, tenure in list(self._tenures.items()):
            if tenure.is_over():
                self._lose(key, tenure, "its lease could not be renewed in time")

    def _lose(self, key: InstanceKey, tenure: Tenure, reason: str) -> None:
        if self._tenures.get(key) is tenure:
            del self._tenures[key]
            self._on_lost(key, reason)

    async def _ask(self, ask: Callable[[], T]) -> T:
        """The book may have to be asked over a network: never on the loop."""
        return await self._loop.run_in_executor(self._clerk, ask)

    # ── on the thread of renewals ────────────────────────────────────────────────────────────────────────────────
    def _renew_until_the_end(self) -> None:
        while not self._clock.wait(self._ending, self._seconds / RENEWALS_A_LEASE):
            try:
                self._renew()
            except LeasesUnavailable as error:
                logger.warning("Leases were not renewed: %s", error)
            except Exception:
                logger.exception("Leases were not renewed.")
        self._book.rest()

    def _renew(self) -> None:
        held = dict(self._tenures)
        figures = self._figures_now()
        asked_at = self._clock.lasting_seconds()
        if self._ending.is_set() or asked_at - self._heard_at > SILENCE_SECONDS_MAX or not held:
            return
        told = {key: figures.get(key, InstanceFigures()) for key in held}
        renewed = self._book.renew(self._holder, told, self._seconds)
        for key, tenure in held.items():
            if not self.fences:
                self._put_right(key, tenure, is_renewed=key in renewed)
            elif key in renewed:
                tenure.prolong(asked_at, self._seconds)
            elif not self._ending.is_set():
                self._loop.call_soon_threadsafe(self._lose, key, tenure, "another worker has taken its lease")

    def _put_right(self, key: InstanceKey, tenure: Tenure, *, is_renewed: bool) -> None:
        """The lock says that we are the owner, so the book must: an earlier process was killed and stands there yet."""
        if not is_renewed and self._tenures.get(key) is tenure:
            tenure.lease = self._book.take(key, self._holder, self._seconds)

    def _figures_now(self) -> Mapping[InstanceKey, InstanceFigures]:
        """What the loop says, or what it said last when it is busy; the question stands until it is answered."""
        if self._question is None or self._question.done():
            look = self._look()
            try:
                self._question = asyncio.run_coroutine_threadsafe(look, self._loop)
            except RuntimeError:
                # The loop was closed a moment ago: nobody runs these instances any more.
                look.close()
                self._ending.set()
                return {}
        with suppress(WaitTimeout, CancelledError):
            self._question.result(FIGURES_SECONDS)
        return self._last_figures

    async def _look(self) -> None:
        self._heard_at = self._clock.lasting_seconds()
        self._last_figures = self._figures()
