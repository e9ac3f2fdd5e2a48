"""`TrafficStep`: the part of a worker's life in which it generates test traffic.

Any worker that takes tasks of the web looks once a second whether a run is wanted that nobody has. So a start needs no
message that could be lost, and the run of a worker that has died is taken up by another one when its lease is over.
"""

from __future__ import annotations

import logging
from threading import Event, Thread
from typing import Any, Final
from uuid import uuid4

from celery import bootsteps

from brokerweb.common.database import borrowed_connections
from brokerweb.common.web_queue import WEB_QUEUE
from brokerweb.traffic.generator.generator import TrafficGenerator
from brokerweb.traffic.services.holding import HeldRun, runs_claim
from engine import api as engine

LOOK_SECONDS: Final = 1.0
STOP_SECONDS_MAX: Final = 8.0
"""How long a worker that stops waits for its runs to end their dialogs."""

logger = logging.getLogger(__name__)


class TrafficStep(bootsteps.StartStopStep):
    """Starts after the engine, and so stops before it: the last conversations can still be ended."""

    requires = (engine.worker.EngineBootstep,)

    def __init__(self, worker: Any, **options: Any) -> None:
        super().__init__(worker, **options)
        self._runs = RunKeeper()

    def include_if(self, worker: Any) -> bool:
        return WEB_QUEUE in engine.celery_app.amqp.queues.consume_from

    def start(self, worker: Any) -> None:
        self._runs.start()

    def stop(self, worker: Any) -> None:
        self._runs.stop()

    terminate = stop


class RunKeeper:
    """The runs that this worker generates, each on a thread of its own."""

    def __init__(self) -> None:
        self._holder = uuid4().hex
        self._is_ending = Event()
        self._looking = Thread(target=self._look, name="traffic", daemon=True)
        self._threads: list[Thread] = []

    def start(self) -> None:
        self._looking.start()

    def stop(self) -> None:
        """End the dialogs of every run and leave it to the next worker; harmless when stopped."""
        self._is_ending.set()
        if self._looking.is_alive():
            self._looking.join(LOOK_SECONDS)
        for thread in self._threads:
            thread.join(STOP_SECONDS_MAX)

    def _look(self) -> None:
        while not self._is_ending.wait(LOOK_SECONDS):
            self._threads = [thread for thread in self._threads if thread.is_alive()]
            try:
                with borrowed_connections():
                    found = runs_claim(self._holder)
            except Exception:
                logger.exception("Nobody could look for test traffic.")
                continue
            for held in found:
                thread = Thread(target=self._generate, args=(held,), name=f"traffic-{held.estate}", daemon=True)
                self._threads.append(thread)
                thread.start()

    def _generate(self, held: HeldRun) -> None:
        try:
            TrafficGenerator(held, self._is_ending).run()
        except Exception:
            # The lease runs out, and somebody tries again.
            logger.exception("The test traffic of estate %s has failed.", held.estate)


def register() -> None:
    """Make every worker of this process' application one that looks for runs."""
    engine.celery_app.steps["worker"].add(TrafficStep)
