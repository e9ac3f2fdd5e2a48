"""Queue monitors: when a queue needs a reader, as a table that is the code path (protocol.md 17.1).

A monitor exists for a queue that is on and has activation, internal or by event, in a database whose broker is on.
It lives in memory, like the readers that it starts. Not responsible for starting anything: see `handlers.activation`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from engine.core.exchange.readers import ReaderStart
from engine.core.queues.waiters import QueueKey, Waiter, WaiterBook
from engine.core.vocabulary.identifiers import (
    ActivatedTaskId,
    BrokerInstanceId,
    ConversationHandle,
    DatabaseName,
    QueueName,
    ServiceName,
)
from engine.core.vocabulary.moment import NEVER_SET, Duration, Instant, UtcTime, earlier


class MonitorState(StrEnum):
    """`sys.dm_broker_queue_monitors.state`."""

    INACTIVE = "INACTIVE"
    """Nothing to receive, or nothing done about it yet."""
    NOTIFIED = "NOTIFIED"
    """A reader was started or notified, and none has received since: no further one."""
    RECEIVES_OCCURRING = "RECEIVES_OCCURRING"
    """Readers are at work."""


class MonitorInput(StrEnum):
    """What happens to a queue monitor."""

    ACTIVATED = "activated"
    """A reader was started, or the notification was sent."""
    RECEIVE = "receive"
    """Some session has executed RECEIVE or GET CONVERSATION GROUP."""
    DRAINED = "drained"
    """Nothing is left, and a RECEIVE has come back empty or no reader is running any more."""
    LOST = "lost"
    """The process of a reader has died: that says nothing of its procedure."""


_INACTIVE, _NOTIFIED, _OCCURRING = MonitorState.INACTIVE, MonitorState.NOTIFIED, MonitorState.RECEIVES_OCCURRING

TRANSITIONS: Final[Mapping[tuple[MonitorState, MonitorInput], MonitorState]] = {
    (_INACTIVE, MonitorInput.ACTIVATED): _NOTIFIED,
    # Somebody who was not started by the monitor reads the queue.
    (_INACTIVE, MonitorInput.RECEIVE): _INACTIVE,
    (_INACTIVE, MonitorInput.LOST): _INACTIVE,
    (_NOTIFIED, MonitorInput.RECEIVE): _OCCURRING,
    (_NOTIFIED, MonitorInput.LOST): _OCCURRING,
    (_OCCURRING, MonitorInput.RECEIVE): _OCCURRING,
    (_OCCURRING, MonitorInput.ACTIVATED): _NOTIFIED,
    (_OCCURRING, MonitorInput.DRAINED): _INACTIVE,
    (_OCCURRING, MonitorInput.LOST): _OCCURRING,
}
"""A missing pair cannot happen: a NOTIFIED monitor starts nobody, and waits for its reader whatever the queue holds."""


def next_state(state: MonitorState, happened: MonitorInput) -> MonitorState:
    """The state after an input; KeyError for a pair that cannot happen."""
    return TRANSITIONS[state, happened]


NotifiedKey = tuple[DatabaseName, ServiceName, BrokerInstanceId]
"""Our database, and the service that is notified."""


@dataclass(slots=True, frozen=True)
class ActivationFailure:
    """A reader that was aborted."""

    at: UtcTime
    number: int
    text: str


@dataclass(slots=True)
class QueueMonitor:
    """The monitor of one queue. `max_readers` is None when readers are called by event, so nobody counts them."""

    database: DatabaseName
    queue: QueueName
    max_readers: int | None
    state: MonitorState = MonitorState.INACTIVE
    last_empty_at: Instant | None = None
    last_activated_at: Instant | None = None
    last_empty_rowset_time: UtcTime = NEVER_SET
    last_activated_time: UtcTime = NEVER_SET
    was_aborted: bool = False
    """Whether the reader that ended last had failed: then the next one waits, or the two would chase each other."""
    missed_at: Instant | None = None
    """When a further reader was needed last and there were as many as may be."""
    has_come_back_empty: bool = False
    """Whether the last RECEIVE found nothing."""

    def step(self, happened: MonitorInput) -> None:
        """Go to the next state."""
        self.state = next_state(self.state, happened)

    def needs_reader_at(self, readers: int, now: Instant, check_seconds: Duration) -> Instant | None:
        """When one more reader is needed for messages that wait, `now` at the earliest; None for not now.

        The first one at once; a further one when no RECEIVE has come back empty, and none was started, for
        `check_seconds` (protocol.md 17.1 a and b).
        """
        return None if self._is_full(readers) else self._wish_at(readers, now, check_seconds)

    def misses_reader(self, readers: int, now: Instant, check_seconds: Duration) -> bool:
        """Whether one more reader is needed now and MAX_QUEUE_READERS forbids it; said once a `check_seconds`."""
        wish = self._wish_at(readers, now, check_seconds) if self._is_full(readers) else None
        is_told = self.missed_at is not None and now < self.missed_at + check_seconds
        if wish is None or wish > now or is_told:
            return False
        self.missed_at = now
        return True

    def _is_full(self, readers: int) -> bool:
        return self.max_readers is not None and readers >= self.max_readers

    def _wish_at(self, readers: int, now: Instant, check_seconds: Duration) -> Instant | None:
        """When a reader is needed, whether there may be one more or not."""
        if self.state is MonitorState.NOTIFIED:
            return None
        if self.state is MonitorState.INACTIVE and readers == 0:
            return now
        marks = [self.last_empty_at]
        if readers > 0 or self.max_readers is None or self.was_aborted:
            marks.append(self.last_activated_at)
        return max([now, *(Instant(mark + check_seconds) for mark in marks if mark is not None)])


@dataclass(slots=True)
class QueueActivity:
    """The monitors of an instance, the readers that run, and the sessions that wait."""

    monitors: dict[QueueKey, QueueMonitor] = field(default_factory=dict)
    readers: dict[ActivatedTaskId, ReaderStart] = field(default_factory=dict)
    stirred: dict[QueueKey, None] = field(default_factory=dict)
    """Queues in which something has happened since the monitors were looked at."""
    waiters: WaiterBook = field(default_factory=WaiterBook)
    checks: dict[QueueKey, Instant] = field(default_factory=dict)
    """When to look at a monitor again, although nothing happens."""
    watched: dict[QueueKey, None] = field(default_factory=dict)
    """Queues that have a monitor, or somebody who waits for them: only there anything stirs."""
    notified: dict[NotifiedKey, ConversationHandle] = field(default_factory=dict)
    """Conversations on which services are notified."""
    failures: dict[QueueKey, ActivationFailure] = field(default_factory=dict)
    """The last reader of each queue that was aborted; in memory, as the readers are."""
    last_task: int = 0

    def stir(self, database: DatabaseName, queue: QueueName) -> None:
        """Something happened in a queue; noted when somebody watches it."""
        if self.watched:
            key = (database, queue.casefold())
            if key in self.watched:
                self.stirred[key] = None

    def put(self, key: QueueKey, monitor: QueueMonitor) -> None:
        """A queue is monitored from now on, and looked at soon."""
        self.monitors[key] = monitor
        self.watched[key] = self.stirred[key] = None

    def monitor(self, database: DatabaseName, queue: QueueName) -> QueueMonitor | None:
        """The monitor of a queue, if it has one."""
        return self.monitors.get((database, queue.casefold())) if self.monitors else None

    def readers_of(self, key: QueueKey) -> int:
        """How many readers of a queue run."""
        return sum((each.database, each.queue.casefold()) == key for each in self.readers.values())

    def next_task(self) -> ActivatedTaskId:
        """A number for the next reader, never given before by this process."""
        self.last_task += 1
        return ActivatedTaskId(self.last_task)

    def drop(self, key: QueueKey) -> None:
        """A queue has no monitor any more; its readers run on."""
        self.monitors.pop(key, None)
        self.checks.pop(key, None)
        self._watch_no_more(key)

    def _watch_no_more(self, key: QueueKey) -> None:
        if key not in self.monitors and key not in self.waiters.queues():
            self.watched.pop(key, None)
            self.stirred.pop(key, None)

    def wait(self, waiter: Waiter) -> None:
        """One more session waits for a queue; its monitor looks at that."""
        self.waiters.add(waiter)
        self.watched[waiter.key] = self.stirred[waiter.key] = None

    def leave(self, waiter: Waiter) -> None:
        """A session has its reply; with one less that waits, the queue may need a reader."""
        self.waiters.remove(waiter)
        self.stirred[waiter.key] = None
        self._watch_no_more(waiter.key)

    def doubt(self, keys: Iterable[QueueKey]) -> None:
        """Sessions that wait for these queues may have to be refused."""
        for key in keys:
            self.waiters.doubt(key)
            self.stirred[key] = None

    def wake_at(self) -> Instant | None:
        """When the next look is due, or a session has waited long enough."""
        return earlier(self.waiters.wake_at(), min(self.checks.values()) if self.checks else None)
