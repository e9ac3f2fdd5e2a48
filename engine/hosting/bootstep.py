"""The bootstep that makes a Celery worker a host: the engine starts with the worker and ends with it.

It starts before the worker takes its first task. When the worker is told to stop, it takes no further task, the
running ones are given a few seconds to end, and then the instances are closed. An instance's queue is consumed while
the instance is hosted here, whenever that begins.
"""

from __future__ import annotations

import logging
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final
from uuid import uuid4

from celery import bootsteps
from celery.result import _set_task_join_will_block
from celery.worker.control import control_command

from engine.core.vocabulary.identifiers import EstateName, EventSequence, InstanceName
from engine.hosting.app import CONTROL_QUEUE, celery_app, queue_of
from engine.hosting.envelope import text
from engine.hosting.errors import EngineUnavailable
from engine.hosting.garbage import GarbagePolicy
from engine.hosting.host import EngineHost
from engine.hosting.metrics.collector import HostMetrics
from engine.hosting.metrics.endpoint import MetricsEndpoint
from engine.hosting.metrics.reading import InstanceReading
from engine.hosting.reader_tasks.calls import READER_QUEUE, ReaderCall
from engine.hosting.reader_tasks.running import stop_readers
from engine.hosting.settings import HostingSettings
from engine.hosting.shelf import InstanceKey

WAKE_TASK: Final = "brokerweb.live.wake"
WAKE_QUEUE: Final = "live"
WAKE_SECONDS: Final = 10
"""A wake-up that is older is of no use: whoever listens has looked by himself."""

READER_TASK: Final = "engine.reader"

ORDER_PAUSES_SECONDS: Final = (0.5, 1.0, 2.0, 5.0, 10.0, 30.0)
"""Between attempts at an order; a worker that has lost its broker for longer connects anew, and knows its queues."""

_PROCESS: Final = uuid4().hex

SWITCH_SECONDS: Final = 0.0005
"""How long a thread that tasks run on may hold up the loop of the instances; Python's own five milliseconds are as long
as a message takes from end to end."""

TASKS_SECONDS_MAX: Final = 5.0
"""How long a worker that stops waits for running tasks; those that are late find the engine stopped."""

logger = logging.getLogger(__name__)

_running: list[EngineHost] = []


def running_host() -> EngineHost:
    """The host of this worker; `EngineUnavailable` in a process that is none."""
    if not _running:
        raise EngineUnavailable("This worker does not host the engine.")
    return _running[-1]


def running_host_readings() -> list[InstanceReading]:
    """What is measured of the instances of this process; `EngineUnavailable` where none are hosted."""
    return running_host().readings()


class EngineBootstep(bootsteps.StartStopStep):
    """Carries an `EngineHost` through the life of a worker that is asked to host: one that takes the queue for it."""

    requires = ("celery.worker.components:Pool",)

    def __init__(self, worker: Any, **options: Any) -> None:
        super().__init__(worker, **options)
        self._host: EngineHost | None = None
        self._garbage = GarbagePolicy()
        self._control = ThreadPoolExecutor(1, thread_name_prefix="engine-control")
        self._is_ending = threading.Event()
        self._metrics: MetricsEndpoint | None = None

    def include_if(self, worker: Any) -> bool:
        """Whether the worker hosts."""
        return CONTROL_QUEUE in celery_app.amqp.queues.consume_from

    def start(self, worker: Any) -> None:
        """Open all instances; the worker consumes their queues when it connects."""
        settings = celery_app.hosting
        if settings is None:
            raise RuntimeError("engine.hosting.app.configure was not called before the worker started")
        self._worker = worker
        tasks_may_ask()
        sys.setswitchinterval(SWITCH_SECONDS)
        wake = _wake_web if settings.wakes_web else None
        self._host = EngineHost(
            settings,
            wake=wake,
            on_hosted=self._follow,
            send_call=None if settings.is_embedded else self._send_call,
            name=worker.hostname,
        )
        self._host.start()
        self._garbage.start()
        _running.append(self._host)
        self._metrics = started_metrics(settings)

    def stop(self, worker: Any) -> None:
        """Let running tasks end, then drain and close all instances."""
        _end_tasks(worker.pool)
        self.terminate(worker)

    def terminate(self, worker: Any) -> None:
        """Drain and close all instances, whatever tasks are running."""
        try:
            if self._metrics is not None:
                self._metrics.stop()
                self._metrics = None
            if self._host is not None:
                _running.remove(self._host)
                self._host.stop()
                self._host = None
        finally:
            self._garbage.stop()
            self._is_ending.set()
            self._control.shutdown()

    def _send_call(self, key: InstanceKey, call: ReaderCall) -> None:
        self._control.submit(_call_reader, key, call)

    def _follow(self, estate: EstateName, instance: InstanceName, is_hosted: bool) -> None:
        """Consume the instance's queue, or no more: at once in a running worker, else when it connects."""
        queue = queue_of(estate, instance)
        if is_hosted:
            celery_app.amqp.queues.select_add(queue)
            self._control.submit(self._order, "engine_consume", queue)
        else:
            celery_app.amqp.queues.deselect(queue)
            self._control.submit(self._order, "engine_consume_no_more", queue)

    def _order(self, order: str, queue: str) -> None:
        """Give this worker an order, however often the broker refuses to carry it.

        The order names this process: workers of one machine may have the same name, and hear each other's orders.
        """
        arguments = {"queue": queue, "process": _PROCESS}
        for pause in ORDER_PAUSES_SECONDS:
            try:
                celery_app.control.broadcast(order, arguments, destination=[self._worker.hostname])
            except Exception as error:
                logger.warning("The broker does not carry the order %s of %s: %s", order, queue, error)
                if self._is_ending.wait(pause):
                    return
            else:
                return
        logger.error("Queue %s is not looked after before this worker connects anew.", queue)


@control_command(args=[("queue", str), ("process", str)])
def engine_consume(state: Any, queue: str, process: str) -> None:
    """Take the tasks of an instance: an order of this process to itself."""
    if process == _PROCESS:
        state.consumer.call_soon(state.consumer.add_task_queue, queue, None, "direct", None)


@control_command(args=[("queue", str), ("process", str)])
def engine_consume_no_more(state: Any, queue: str, process: str) -> None:
    """Take the tasks of an instance no more."""
    if process == _PROCESS:
        state.consumer.call_soon(state.consumer.cancel_task_queue, queue)


class ReaderBootstep(bootsteps.StartStopStep):
    """Ends the readers of a worker that stops, which else would wait for as long as they do."""

    requires = ("celery.worker.components:Pool",)

    def include_if(self, worker: Any) -> bool:
        """Whether the worker runs readers."""
        return READER_QUEUE in celery_app.amqp.queues.consume_from

    def start(self, worker: Any) -> None:
        """Readers come as tasks, and ask by tasks."""
        tasks_may_ask()

    def stop(self, worker: Any) -> None:
        """They are heard no more; what they have not committed is rolled back."""
        stop_readers()

    terminate = stop


def started_metrics(settings: HostingSettings) -> MetricsEndpoint | None:
    """The endpoint that is wanted; a worker whose port is taken works without, and says so."""
    if settings.metrics_port is None:
        return None
    endpoint = MetricsEndpoint(
        HostMetrics(running_host_readings), settings.metrics_host, settings.metrics_port, settings.metrics_token
    )
    try:
        endpoint.start()
    except OSError as error:
        logger.warning("Metrics are not served on %s:%d: %s.", settings.metrics_host, settings.metrics_port, error)
        return None
    return endpoint


def tasks_may_ask() -> None:
    """Tasks of this worker wait for answers of instances, from threads of their own.

    Celery takes it that tasks do not, and then spares itself the queue on which RabbitMQ brings a thread its answers:
    the first one would come too early for it and be lost.
    """
    _set_task_join_will_block(False)


def _end_tasks(pool: Any) -> None:
    """Wait for the tasks of a pool. Celery stops it only after this step, and then once more, which is harmless."""
    ending = threading.Thread(target=pool.stop, name="engine-last-tasks", daemon=True)
    ending.start()
    ending.join(TASKS_SECONDS_MAX)
    if ending.is_alive():
        logger.warning("Tasks still run after %g seconds; the engine stops without them.", TASKS_SECONDS_MAX)


def _call_reader(key: InstanceKey, call: ReaderCall) -> None:
    try:
        celery_app.send_task(READER_TASK, (*key, text(call)), queue=READER_QUEUE, ignore_result=True)
    except Exception as error:
        logger.warning("The broker takes no call for a reader of '%s' now: %s", call.start.queue, error)


def _wake_web(estate: EstateName, instance: InstanceName, sequence: EventSequence) -> None:
    """By name: the engine knows nothing of the web. A worker that takes such tasks spares itself the way through the
    broker, which costs it as much as several messages.
    """
    if WAKE_QUEUE in celery_app.amqp.queues.consume_from and WAKE_TASK in celery_app.tasks:
        celery_app.tasks[WAKE_TASK](estate, instance, sequence)
        return
    celery_app.send_task(
        WAKE_TASK, (estate, instance, sequence), queue=WAKE_QUEUE, ignore_result=True, expires=WAKE_SECONDS
    )


celery_app.steps["worker"].update((EngineBootstep, ReaderBootstep))
