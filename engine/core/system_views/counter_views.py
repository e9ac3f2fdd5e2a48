"""`sys.dm_os_performance_counters`: the counters of the broker (views.md 6), those of rates as sums.

A counter "/sec" holds the sum since the start; whoever reads it twice divides the difference by the seconds between.
An average is a sum, and the counter "Base" of the same name is what to divide it by. That is how the vendor's view
shows them too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Final, Protocol

from engine.core.handlers.broker import Broker
from engine.core.handlers.counters import PRIORITIES, ActivationCounters, BrokerCounters, TransmissionObjectCounters
from engine.core.link.facts import LinkTraffic
from engine.core.system_views.definition import NULL, Column, Scope, SystemView
from engine.core.vocabulary.identifiers import DatabaseName


class CounterType(IntEnum):
    """`cntr_type`: how a value is to be read."""

    NUMBER = 65792
    SUM_OF_RATE = 272696576
    SUM_OF_AVERAGE = 1073874176
    BASE_OF_AVERAGE = 1073939712


class Counted(Protocol):
    """What counters are read from: a query's look at an instance, or the instance alone."""

    @property
    def broker(self) -> Broker: ...
    @property
    def traffic(self) -> LinkTraffic | None:
        """What went over all connections since the start; None without a network."""


@dataclass(frozen=True, slots=True)
class InstanceCounted:
    """An instance looked at from no database: it may have none yet."""

    broker: Broker
    traffic: LinkTraffic | None


Value = Callable[[Counted], int | None]


@dataclass(frozen=True, slots=True)
class CounterRow:
    """A counter with its value at a moment; `instance` as in `Counter`."""

    object: str
    name: str
    instance: str
    value: int


@dataclass(frozen=True, slots=True)
class Counter:
    """A counter of an object; `instance` is the database where there is one of each."""

    object: str
    name: str
    type: CounterType
    value: Value
    instance: str = ""


STATISTICS: Final = "SQLServer:Broker Statistics"
TRANSPORT: Final = "SQLServer:Broker/DBM Transport"
TRANSMISSION_OBJECTS: Final = "SQLServer:Broker TO Statistics"
ACTIVATION: Final = "SQLServer:Broker Activation"
TOTAL: Final = "_Total"
"""All databases."""

_NUMBER, _RATE = CounterType.NUMBER, CounterType.SUM_OF_RATE
_AVERAGE, _BASE = CounterType.SUM_OF_AVERAGE, CounterType.BASE_OF_AVERAGE


def _zero(_reader: Counted) -> int:
    """Of what this engine never does."""
    return 0


def _unknown(_reader: Counted) -> None:
    """Of what the operating system alone knows."""


def _sum(read: Callable[[BrokerCounters], int]) -> Value:
    return lambda reader: read(reader.broker.counters)


def _io(read: Callable[[LinkTraffic], int]) -> Value:
    """A sum over all connections; unknown without a network."""
    return lambda reader: None if reader.traffic is None else read(reader.traffic)


def _dialog_timers(reader: Counted) -> int:
    return sum(endpoint.scheduled_at is not None for endpoint in reader.broker.conversations.all_live())


def _dequeued(reader: Counted) -> int:
    """Rows that have left transmission queues: what came in and is not there any more."""
    counters = reader.broker.counters
    waiting = sum(len(endpoint.sender) for endpoint in reader.broker.with_something_to_send())
    waiting += sum(queue.awaiting for queue in reader.broker.queues.values())
    return counters.transmission_restored + counters.transmission_stored - waiting


def _open_connections(reader: Counted) -> int:
    return sum(link.is_up for _, link in reader.broker.links.items())


def _activation(read: Callable[[ActivationCounters], int], database: DatabaseName | None = None) -> Value:
    """A sum of a database or, without one, of all."""

    def value(reader: Counted) -> int:
        counted = reader.broker.counters.activation
        return sum(read(each) for name, each in counted.items() if database in (None, name))

    return value


def _tasks_running(database: DatabaseName | None) -> Value:
    return lambda reader: sum(database in (None, task.database) for task in reader.broker.activity.readers.values())


def _total_and_rate(total: str, rate: str, value: Value) -> tuple[Counter, Counter]:
    return Counter(STATISTICS, total, _NUMBER, value), Counter(STATISTICS, rate, _RATE, value)


def _by_priority(read: Callable[[BrokerCounters], list[int]], of: str, name: str) -> tuple[Counter, ...]:
    def value(priority: int) -> Value:
        return lambda reader: read(reader.broker.counters)[priority]

    return tuple(Counter(of, name.format(priority), _RATE, value(priority)) for priority in PRIORITIES)


def _statistics() -> Iterator[Counter]:
    yield Counter(STATISTICS, "Activation Errors Total", _NUMBER, _activation(lambda each: each.aborted))
    yield Counter(STATISTICS, "Broker Transaction Rollbacks", _NUMBER, _sum(lambda counters: counters.rollbacks))
    yield Counter(STATISTICS, "Corrupted Messages Total", _NUMBER, _sum(lambda counters: counters.corrupted))
    yield Counter(STATISTICS, "Dequeued TransmissionQ Msgs/sec", _RATE, _dequeued)
    yield Counter(STATISTICS, "Dialog Timer Event Count", _NUMBER, _dialog_timers)
    yield Counter(STATISTICS, "Dropped Messages Total", _NUMBER, _sum(lambda counters: counters.dropped))
    local = _sum(lambda counters: counters.enqueued - counters.enqueued_from_transport)
    yield from _total_and_rate("Enqueued Local Messages Total", "Enqueued Local Messages/sec", local)
    every = _sum(lambda counters: counters.enqueued)
    yield from _total_and_rate("Enqueued Messages Total", "Enqueued Messages/sec", every)
    yield from _by_priority(lambda counters: counters.enqueued_by_priority, STATISTICS, "Enqueued P{} Messages/sec")
    stored = _sum(lambda counters: counters.transmission_stored)
    yield Counter(STATISTICS, "Enqueued TransmissionQ Msgs/sec", _RATE, stored)
    arrived = _sum(lambda counters: counters.enqueued_from_transport)
    yield from _total_and_rate("Enqueued Transport Msg Frag Tot", "Enqueued Transport Msg Frags/sec", arrived)
    yield from _total_and_rate("Enqueued Transport Msgs Total", "Enqueued Transport Msgs/sec", arrived)
    forwarded = _sum(lambda counters: counters.forwarded)
    yield from _total_and_rate("Forwarded Messages Total", "Forwarded Messages/sec", forwarded)
    forwarded_bytes = _sum(lambda counters: counters.forwarded_bytes)
    yield from _total_and_rate("Forwarded Msg Byte Total", "Forwarded Msg Bytes/sec", forwarded_bytes)
    discarded = _sum(lambda counters: counters.forwards_discarded)
    yield from _total_and_rate("Forwarded Msg Discarded Total", "Forwarded Msgs Discarded/sec", discarded)
    yield Counter(STATISTICS, "Forwarded Pending Msg Bytes", _NUMBER, lambda reader: reader.broker.transmitter.bytes)
    yield Counter(STATISTICS, "Forwarded Pending Msg Count", _NUMBER, lambda reader: len(reader.broker.transmitter))
    received = _sum(lambda counters: counters.sql_receives)
    yield from _total_and_rate("SQL RECEIVE Total", "SQL RECEIVEs/sec", received)
    yield from _total_and_rate("SQL SEND Total", "SQL SENDs/sec", _sum(lambda counters: counters.sql_sends))


def _transport() -> Iterator[Counter]:
    for name in ("Current Bytes for Recv I/O", "Current Bytes for Send I/O", "Current Msg Frags for Send I/O"):
        yield Counter(TRANSPORT, name, _NUMBER, _unknown)
    yield from _by_priority(
        lambda counters: counters.fragments_sent_by_priority, TRANSPORT, "Message Fragment P{} Sends/sec"
    )
    received = _sum(lambda counters: counters.fragments_received)
    sent = _sum(lambda counters: counters.fragments_sent)
    yield Counter(TRANSPORT, "Message Fragment Receives/sec", _RATE, received)
    yield Counter(TRANSPORT, "Message Fragment Sends/sec", _RATE, sent)
    received_bytes = _sum(lambda counters: counters.fragment_bytes_received)
    yield Counter(TRANSPORT, "Msg Fragment Recv Size Avg", _AVERAGE, received_bytes)
    yield Counter(TRANSPORT, "Msg Fragment Recv Size Avg Base", _BASE, received)
    yield Counter(
        TRANSPORT, "Msg Fragment Send Size Avg", _AVERAGE, _sum(lambda counters: counters.fragment_bytes_sent)
    )
    yield Counter(TRANSPORT, "Msg Fragment Send Size Avg Base", _BASE, sent)
    yield Counter(TRANSPORT, "Open Connection Count", _NUMBER, _open_connections)
    for name in (
        "Pending Bytes for Recv I/O",
        "Pending Bytes for Send I/O",
        "Pending Msg Frags for Recv I/O",
        "Pending Msg Frags for Send I/O",
    ):
        yield Counter(TRANSPORT, name, _NUMBER, _unknown)
    for direction, size, portions in (
        ("Receive", _io(lambda each: each.bytes_received), _io(lambda each: each.receives)),
        ("Send", _io(lambda each: each.bytes_sent), _io(lambda each: each.sends)),
    ):
        yield Counter(TRANSPORT, f"{direction} I/O bytes/sec", _RATE, size)
        yield Counter(TRANSPORT, f"{direction} I/O Bytes Total", _NUMBER, size)
        yield Counter(TRANSPORT, f"{direction} I/O Len Avg", _AVERAGE, size)
        yield Counter(TRANSPORT, f"{direction} I/O Len Avg Base", _BASE, portions)
        yield Counter(TRANSPORT, f"{direction} I/Os/sec", _RATE, portions)
    yield Counter(TRANSPORT, "Recv I/O Buffer Copies bytes/sec", _RATE, _unknown)
    yield Counter(TRANSPORT, "Recv I/O Buffer Copies Count", _NUMBER, _unknown)


def _objects(read: Callable[[TransmissionObjectCounters], int]) -> Value:
    return lambda reader: read(reader.broker.conversations.counters)


def _transmission_objects() -> Iterator[Counter]:
    length, between, writing = (
        "Avg. Length of Batched Writes",
        "Avg. Time Between Batches (ms)",
        "Avg. Time to Write Batch (ms)",
    )
    yield Counter(TRANSMISSION_OBJECTS, length, _AVERAGE, _objects(lambda each: each.writes))
    yield Counter(TRANSMISSION_OBJECTS, f"{length} Base", _BASE, _objects(lambda each: each.batches))
    milliseconds = _objects(lambda each: round(each.seconds_between_rounds * 1000))
    yield Counter(TRANSMISSION_OBJECTS, between, _AVERAGE, milliseconds)
    yield Counter(TRANSMISSION_OBJECTS, f"{between} Base", _BASE, _objects(lambda each: each.rounds))
    yield Counter(TRANSMISSION_OBJECTS, writing, _AVERAGE, _unknown)
    yield Counter(TRANSMISSION_OBJECTS, f"{writing} Base", _BASE, _unknown)
    yield Counter(TRANSMISSION_OBJECTS, "Transmission Obj Gets/Sec", _RATE, _objects(lambda each: each.gets))
    yield Counter(TRANSMISSION_OBJECTS, "Transmission Obj Set Dirty/Sec", _RATE, _objects(lambda each: each.set_dirty))
    yield Counter(TRANSMISSION_OBJECTS, "Transmission Obj Writes/Sec", _RATE, _objects(lambda each: each.writes))


_ACTIVATION_COUNTERS: Final = (
    ("Stored Procedures Invoked/sec", _RATE, lambda each: each.started),
    ("Task Limit Reached", _NUMBER, lambda each: each.limit_reached),
    ("Task Limit Reached/sec", _RATE, lambda each: each.limit_reached),
    ("Tasks Aborted/sec", _RATE, lambda each: each.aborted),
    ("Tasks Running", _NUMBER, None),
    ("Tasks Started/sec", _RATE, lambda each: each.started),
)

_OF_THE_INSTANCE: Final = (*_statistics(), *_transport(), *_transmission_objects())


def counters_of(reader: Counted) -> Iterable[Counter]:
    """Every counter of an instance; those of activation once a database and once for all, `_Total`."""
    yield from _OF_THE_INSTANCE
    for database in (None, *reader.broker.catalog.databases):
        for name, kind, read in _ACTIVATION_COUNTERS:
            value = _tasks_running(database) if read is None else _activation(read, database)
            yield Counter(ACTIVATION, name, kind, value, TOTAL if database is None else database)


def counter_rows(broker: Broker, traffic: LinkTraffic | None) -> tuple[CounterRow, ...]:
    """Every counter whose value is known, for whoever measures an instance."""
    counted = InstanceCounted(broker, traffic)
    values = ((each, each.value(counted)) for each in counters_of(counted))
    return tuple(
        CounterRow(each.object, each.name, each.instance, value) for each, value in values if value is not None
    )


PERFORMANCE_COUNTERS: Final = SystemView[Counter](
    name="sys.dm_os_performance_counters",
    about="The performance counters of the broker.",
    scope=Scope.INSTANCE,
    rows=counters_of,
    columns=(
        Column("object_name", "nchar(128)", "performance object", lambda _, counter: counter.object),
        Column("counter_name", "nchar(128)", "counter", lambda _, counter: counter.name),
        Column(
            "instance_name", "nchar(128)", "database, where there is one of each", lambda _, each: each.instance, NULL
        ),
        Column(
            "cntr_value",
            "bigint",
            "value; of a rate the sum since the start",
            lambda reader, each: each.value(reader),
            NULL,
        ),
        Column(
            "cntr_type",
            "int",
            "; ".join(f"{each.value} {each.name.lower().replace('_', ' ')}" for each in CounterType),
            lambda _, each: each.type.value,
        ),
    ),
    differs=(
        "Sums begin at the start of the instance in its worker. Names are not filled up with blanks.",
        "`cntr_value` is NULL for what the operating system alone knows, its buffers and what waits in them, and for "
        "the time that a batch takes, since the engine does not look at a clock while it works.",
        "An I/O is a portion given to a socket or taken from it, with its bytes on the wire. Other sizes are bodies "
        "and 512 bytes a message. `Open Connection Count` counts connections that this side opened.",
        "A corrupted frame ends its connection and is not counted; a corrupted message inside of a sound one is.",
        "Of a database that was dropped the sums of activation stay in `_Total`.",
    ),
)

VIEWS: Final[tuple[SystemView[Any], ...]] = (PERFORMANCE_COUNTERS,)
