"""Jobs and the outbox, looked up in the database whenever somebody reads the metrics."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator

from django.db import Error as DatabaseFailed
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from brokerweb.common.outbox.selectors import OutboxState, outbox_state
from brokerweb.config.metrics.registry import REGISTRY
from brokerweb.jobs.models import JobState
from brokerweb.jobs.selectors import jobs_by_state

logger = logging.getLogger(__name__)


class StoredMetrics(Collector):
    """What every web process reads in the same database, and therefore tells alike."""

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """While the database does not answer, only that."""
        try:
            jobs, outbox = jobs_by_state(), outbox_state()
        except DatabaseFailed as error:
            logger.warning("Jobs and outbox cannot be measured: %s", error)
            yield _database_up(0)
            return
        yield _database_up(1)
        yield from _families(jobs, outbox)

    def describe(self) -> Iterable[GaugeMetricFamily]:
        """What there is to be told, without asking the database."""
        yield _database_up(0)
        yield from _families({}, OutboxState(waiting=0, oldest_seconds=0.0, attempts_max=0))


def _database_up(value: int) -> GaugeMetricFamily:
    return GaugeMetricFamily(
        "brokerweb_web_database_up", "1 while the dashboard's database answers, else 0.", value=value
    )


def _families(jobs: dict[JobState, int], outbox: OutboxState) -> Iterator[GaugeMetricFamily]:
    by_state = GaugeMetricFamily("brokerweb_web_jobs", "Jobs that are kept, by state.", labels=("state",))
    for state in JobState:
        by_state.add_metric((state.value,), jobs.get(state, 0))
    yield by_state
    yield GaugeMetricFamily(
        "brokerweb_web_outbox_messages", "Changes that instances have not taken yet.", value=outbox.waiting
    )
    yield GaugeMetricFamily(
        "brokerweb_web_outbox_oldest_seconds",
        "Age of the oldest of them; 0 when there is none.",
        value=outbox.oldest_seconds,
    )
    yield GaugeMetricFamily(
        "brokerweb_web_outbox_attempts_max",
        "Attempts at the one that was tried most often.",
        value=outbox.attempts_max,
    )


REGISTRY.register(StoredMetrics())
