"""Activation: queues that have messages get readers, internal ones or by event (protocol.md 17).

The table of the queue monitor is in `queues.monitor`; here is what feeds it: messages, RECEIVEs, readers that end,
definitions that change, and time.
"""

from __future__ import annotations

from collections.abc import Iterable

from engine.core.catalog.changes import CatalogChange, QueueAltered
from engine.core.catalog.database import DatabaseCatalog
from engine.core.catalog.event_notifications import notifications_of
from engine.core.catalog.names import with_schema
from engine.core.catalog.objects import Queue
from engine.core.exchange.events import QueueActivation
from engine.core.exchange.readers import ReaderEnded, ReaderStart
from engine.core.handlers import notifications
from engine.core.handlers.broker import Broker
from engine.core.queues.monitor import ActivationFailure, MonitorInput, MonitorState, QueueMonitor
from engine.core.queues.waiters import QueueKey
from engine.core.vocabulary.errors import text_of
from engine.core.vocabulary.identifiers import DatabaseName, QueueName
from engine.core.vocabulary.subclasses import ActivationSubclass

TRANSACTION_LEFT_OPEN, QUEUE_DROPPED, SWITCHED_OFF, NEVER_RECEIVED = 8415, 28085, 28086, 28087


# ── definitions ──────────────────────────────────────────────────────────────────────────────────────────────────
def redefined(broker: Broker, changes: Iterable[CatalogChange]) -> None:
    """The catalog has changed: monitors come and go with it. One whose queue or activation was switched starts anew."""
    for change in changes:
        if isinstance(change, QueueAltered) and (change.activation is not None or change.is_enabled is not None):
            broker.activity.drop((change.database, with_schema(change.name).casefold()))
            broker.stir_queue(change.database, with_schema(change.name))
    wanted = dict(_wanted_monitors(broker))
    for key in [key for key in broker.activity.monitors if key not in wanted]:
        broker.stir_queue(key[0], broker.activity.monitors[key].queue)
        broker.activity.drop(key)
    for key, (queue, max_readers) in wanted.items():
        known = broker.activity.monitors.get(key)
        if known is None or known.max_readers != max_readers:
            broker.activity.put(key, QueueMonitor(key[0], queue.name, max_readers))
            broker.stir_queue(key[0], queue.name)


def _wanted_monitors(broker: Broker) -> Iterable[tuple[QueueKey, tuple[Queue, int | None]]]:
    """Queues that are on, with activation that is on and complete, in databases whose broker is on."""
    for database in broker.catalog.databases.values():
        if not database.can_deliver:
            continue
        for queue in database.queues.values():
            is_wanted, max_readers = _activation_of(database, queue)
            if queue.is_enabled and is_wanted:
                yield (database.name, queue.name.casefold()), (queue, max_readers)


def _activation_of(database: DatabaseCatalog, queue: Queue) -> tuple[bool, int | None]:
    """Whether a queue is to be watched, and how many readers it may have; None for readers called by event."""
    internal = queue.activation
    if internal is not None:
        return internal.is_enabled and internal.max_queue_readers > 0, internal.max_queue_readers
    return bool(notifications_of(database, queue.name, notifications.QUEUE_ACTIVATION)), None


# ── what happens in a queue ──────────────────────────────────────────────────────────────────────────────────────
def received(broker: Broker, database: DatabaseName, queue: QueueName, *, is_empty: bool, has_filter: bool) -> None:
    """Some session has executed RECEIVE or GET CONVERSATION GROUP; one with WHERE tells nothing of the whole queue."""
    monitor = broker.activity.monitor(database, queue)
    if monitor is None:
        return
    before = monitor.state
    monitor.step(MonitorInput.RECEIVE)
    if monitor.state is not before or (is_empty and not has_filter):
        broker.stir_queue(database, queue)
    if not has_filter:
        monitor.has_come_back_empty = is_empty
        if is_empty:
            monitor.last_empty_at = broker.now.monotonic
            monitor.last_empty_rowset_time = broker.now.utc
    broker.activity.stir(database, queue)


def waits(broker: Broker, database: DatabaseName, queue: QueueName) -> None:
    """Some session waits in RECEIVE or GET CONVERSATION GROUP: it has executed it, and nothing has come of it yet."""
    monitor = broker.activity.monitor(database, queue)
    if monitor is not None:
        monitor.step(MonitorInput.RECEIVE)
        broker.stir_queue(database, queue)


def reader_ended(broker: Broker, ended: ReaderEnded) -> None:
    """A reader has returned, or was aborted. One that never received is not followed by another (28087).

    One that is lost is: the vendor's readers die with their server only, ours may run in a process of their own.
    """
    reader = broker.activity.readers.pop(ended.task, None)
    if reader is None:
        return
    monitor = broker.activity.monitor(reader.database, reader.queue)
    number = ended.number
    left = broker.activity.readers_of((reader.database, reader.queue.casefold()))
    if monitor is not None:
        monitor.was_aborted = number is not None
        if ended.is_lost:
            monitor.step(MonitorInput.LOST)
    if number is None and monitor is None:
        number = _why_unwatched(broker, reader)
    elif number is None and monitor is not None and monitor.state is MonitorState.NOTIFIED and left == 0:
        number = NEVER_RECEIVED
    subclass = ActivationSubclass.ENDED if number is None else ActivationSubclass.ABORTED
    broker.counters.activation[reader.database].aborted += number is not None
    text = "" if number is None else text_of(number, queue=reader.queue, detail=ended.detail)
    if number is not None and number != QUEUE_DROPPED:
        failure = ActivationFailure(broker.now.utc, number, text)
        broker.activity.failures[reader.database, reader.queue.casefold()] = failure
    broker.tell(
        QueueActivation(
            at=broker.now.utc,
            database=reader.database,
            queue=reader.queue,
            subclass=subclass,
            procedure_name=reader.procedure_name,
            active_tasks=left,
            number=number,
            text=text,
        )
    )
    broker.activity.stir(reader.database, reader.queue)


def _why_unwatched(broker: Broker, reader: ReaderStart) -> int | None:
    database = broker.catalog.databases.get(reader.database)
    return QUEUE_DROPPED if database is None or reader.queue not in database.queues else SWITCHED_OFF


# ── readers ──────────────────────────────────────────────────────────────────────────────────────────────────────
def attend(broker: Broker) -> None:
    """Look at the monitors of queues in which something happened, and at those whose time has come."""
    activity = broker.activity
    if not activity.monitors:
        activity.stirred.clear()
        return
    now = broker.now.monotonic
    keys = dict.fromkeys([*activity.stirred, *(key for key, at in activity.checks.items() if at <= now)])
    activity.stirred.clear()
    for key in keys:
        monitor = activity.monitors.get(key)
        if monitor is not None:
            _look(broker, key, monitor)


def _look(broker: Broker, key: QueueKey, monitor: QueueMonitor) -> None:
    """Start a reader if one is needed now, or note when that is to be asked again."""
    activity, now = broker.activity, broker.now.monotonic
    activity.checks.pop(key, None)
    readers = activity.readers_of(key)
    is_awaited = activity.waiters.watches(key)
    if broker.queue(monitor.database, monitor.queue).unread == 0:
        is_over = monitor.has_come_back_empty or is_awaited or (monitor.max_readers is not None and readers == 0)
        if monitor.state is MonitorState.RECEIVES_OCCURRING and is_over:
            monitor.step(MonitorInput.DRAINED)
            broker.stir_queue(monitor.database, monitor.queue)
        return
    if is_awaited:
        # What whoever waits may not have, a further reader may not have either (protocol.md 17.1 b).
        return
    check_seconds = broker.settings.activation_check_seconds
    if monitor.misses_reader(readers, now, check_seconds):
        broker.counters.activation[monitor.database].limit_reached += 1
    at = monitor.needs_reader_at(readers, now, check_seconds)
    if at is not None and at <= now:
        monitor.step(MonitorInput.ACTIVATED)
        monitor.last_activated_at = now
        monitor.last_activated_time = broker.now.utc
        monitor.has_come_back_empty = False
        _activate(broker, monitor)
    elif at is not None:
        activity.checks[key] = at


def _activate(broker: Broker, monitor: QueueMonitor) -> None:
    """Ask the host for a reader, or send the notification."""
    database, queue = monitor.database, monitor.queue
    activation = broker.definition_of(database, queue).activation
    reader: ReaderStart | None = None
    if activation is None:
        notifications.notify(broker, database, queue, notifications.QUEUE_ACTIVATION)
    else:
        reader = ReaderStart(
            task=broker.activity.next_task(),
            database=database,
            queue=queue,
            procedure_name=activation.procedure_name,
            execute_as=activation.execute_as,
        )
        broker.activity.readers[reader.task] = reader
        broker.start_reader(reader)
        broker.counters.activation[database].started += 1
    broker.tell(
        QueueActivation(
            at=broker.now.utc,
            database=database,
            queue=queue,
            subclass=ActivationSubclass.NOTIFIED if reader is None else ActivationSubclass.STARTED,
            procedure_name=None if reader is None else reader.procedure_name,
            active_tasks=broker.activity.readers_of((database, queue.casefold())),
        )
    )
