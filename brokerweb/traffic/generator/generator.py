"""`TrafficGenerator`: the loop of one run, from the claim until somebody stops it, or its lease is lost."""

from __future__ import annotations

import logging
from collections import deque
from threading import Event
from time import monotonic, sleep
from typing import Final

from django.db import Error as DatabaseFailed

from brokerweb.common.database import borrowed_connections
from brokerweb.topology.models import Estate
from brokerweb.topology.selectors.live_catalogs import live_catalogs
from brokerweb.traffic.figures import ENGINE_UNAVAILABLE
from brokerweb.traffic.generator.lines import Lines
from brokerweb.traffic.generator.pair import PairTraffic
from brokerweb.traffic.models import TrafficState
from brokerweb.traffic.services.holding import LEASE_SECONDS, HeldRun, run_release, run_renew
from engine import api as engine

TURN_SECONDS: Final = 0.1
BEAT_SECONDS: Final = 0.5
"""How often the run is renewed, and how soon a stop is heard of."""
DRAIN_SECONDS: Final = 3.0
"""How long dialogs may take to end properly when the run does; the others are cleaned up."""
RATE_SECONDS: Final = 5.0
"""Over which the achieved rate is taken."""

logger = logging.getLogger(__name__)


class TrafficGenerator:
    """Generates one held run on the thread that calls `run`."""

    def __init__(self, held: HeldRun, is_ending: Event) -> None:
        """`is_ending` is set when the worker stops: then the run is left to the next one."""
        self._held = held
        self._is_ending = is_ending
        self._lines = Lines(held.estate)
        self._pairs: list[PairTraffic] = []
        self._renewed_at = self._beat_at = monotonic()
        self._wanted: TrafficState | None = TrafficState.RUNNING
        self._sums: deque[tuple[float, int]] = deque()

    def run(self) -> None:
        """Until the run is stopped, the worker ends, or somebody else has the run."""
        try:
            self._prepare()
            self._generate()
            if self._wanted is None:
                logger.warning("The test traffic of estate %s is somebody else's now.", self._held.estate)
                return
            self._finish()
        finally:
            self._lines.close()

    def _prepare(self) -> None:
        """Find both ends of every pair; what a generator before has left is cleaned up."""
        with borrowed_connections():
            catalogs = live_catalogs(Estate.objects.get(name=self._held.estate))
        for pair, figures in zip(self._held.plan.pairs, self._held.figures.pairs, strict=True):
            try:
                ends = engine.diagnosis.dialog_ends(catalogs, pair.wanted)
            except engine.BrokerError as error:
                # It was there when the run was started, and has been dropped since.
                figures.fail(str(error.number), text=error.text, parameters=dict(error.parameters))
                continue
            self._pairs.append(PairTraffic(self._held.run_id, pair, self._held.plan, ends, figures, self._lines))
        if self._held.is_taken_over:
            self._clean_up()

    def _generate(self) -> None:
        before = monotonic()
        while not self._is_ending.is_set() and self._is_wanted():
            now = monotonic()
            self._turn(now, now - before, sends=True)
            before = now
            self._is_ending.wait(max(now + TURN_SECONDS - monotonic(), 0.0))

    def _is_wanted(self) -> bool:
        self._beat()
        return self._wanted is TrafficState.RUNNING

    def _turn(self, now: float, seconds: float, *, sends: bool) -> None:
        for pair in self._pairs:
            if not self._is_ours():
                return
            try:
                pair.turn(now, seconds, sends=sends)
            except engine.EngineUnavailable as error:
                pair.figures.fail(ENGINE_UNAVAILABLE, text=str(error))
        self._measure(now)

    def _measure(self, now: float) -> None:
        sent = sum(pair.sent for pair in self._held.figures.pairs)
        self._sums.append((now, sent))
        while len(self._sums) > 1 and now - self._sums[0][0] > RATE_SECONDS:
            self._sums.popleft()
        since, before = self._sums[0]
        self._held.figures.rate = round((sent - before) / (now - since), 2) if now > since else 0.0

    def _is_ours(self) -> bool:
        self._beat()
        return self._wanted is not None

    def _beat(self) -> None:
        """Renew the run where it is time; without an answer for as long as the lease lasts it is not ours any more."""
        now = monotonic()
        if now - self._renewed_at >= LEASE_SECONDS:
            self._wanted = None
        if self._wanted is None or now < self._beat_at:
            return
        self._beat_at = now + BEAT_SECONDS
        try:
            with borrowed_connections():
                self._wanted = run_renew(self._held)
            self._renewed_at = now
        except DatabaseFailed as error:
            logger.warning("The test traffic of estate %s cannot be renewed: %s", self._held.estate, error)

    # ── the end ──────────────────────────────────────────────────────────────────────────────────────────────────
    def _finish(self) -> None:
        """Let what is open end, clean up the rest, and tell."""
        is_over = self._wanted is TrafficState.STOPPING
        ends_at = monotonic() + DRAIN_SECONDS
        while monotonic() < ends_at and not all(pair.is_idle for pair in self._pairs):
            now = monotonic()
            self._turn(now, TURN_SECONDS, sends=False)
            if self._wanted is None:
                return
            sleep(TURN_SECONDS)
        self._clean_up()
        self._held.figures.rate = 0.0
        for figures in self._held.figures.pairs:
            figures.is_held, figures.waiting = False, 0
        if self._wanted is not None:
            with borrowed_connections():
                run_release(self._held, is_over=is_over)

    def _clean_up(self) -> None:
        left = 0
        for pair in self._pairs:
            if not self._is_ours():
                return
            try:
                left += pair.clean_up(self._is_ours)
            except engine.EngineUnavailable as error:
                logger.warning("Test traffic of estate %s is left open: %s", self._held.estate, error)
                left += 1
        self._held.figures.left_open = left
