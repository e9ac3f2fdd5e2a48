"""Which metric each counter of the vendor becomes (views.md 6). docs/operations/metrics.md shows this table.

The vendor counts some things twice, as a total and as a rate, and an average as a sum and what to divide it by. A
metric holds such a sum once: `rate()` makes the rate of it, and one metric divided by another the average.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Final

import msgspec

from engine.core.handlers.counters import PRIORITIES
from engine.core.system_views.counter_views import ACTIVATION, STATISTICS, TOTAL, TRANSMISSION_OBJECTS, TRANSPORT

MILLISECOND: Final = 0.001


class Kind(StrEnum):
    """How a metric moves."""

    COUNTER = "counter"
    """Only up, from 0 at the start of the instance in its worker."""
    GAUGE = "gauge"


class VendorMetric(msgspec.Struct, frozen=True, kw_only=True):
    """A metric that is read from the vendor's counters of one object."""

    name: str
    """Without the `_total` that a counter is exposed with."""
    kind: Kind
    meaning: str
    object: str
    counters: tuple[str, ...]
    """Names of the vendor that hold this number; the first one is read, the others say the same."""
    label: str = ""
    """What tells several numbers of this name apart, besides estate and instance."""
    by_value: tuple[str, ...] = ()
    """With a label whose values are not databases: the values, each for the counter at its place."""
    scale: float = 1.0
    """From the vendor's unit to that of the metric."""

    @property
    def exposed_name(self) -> str:
        """As Prometheus knows it."""
        return f"{self.name}_total" if self.kind is Kind.COUNTER else self.name

    @property
    def help(self) -> str:
        """The meaning, with the vendor's names."""
        return f"{self.meaning} {self.object}: {', '.join(self.counters)}."


def _metrics(prefix: str, of: str, rows: Iterable[tuple[str, Kind, str, tuple[str, ...]]]) -> Iterator[VendorMetric]:
    for name, kind, meaning, counters in rows:
        yield VendorMetric(name=f"{prefix}_{name}", kind=kind, meaning=meaning, object=of, counters=counters)


def _by_priority(name: str, meaning: str, of: str, counter: str) -> VendorMetric:
    return VendorMetric(
        name=name,
        kind=Kind.COUNTER,
        meaning=meaning,
        object=of,
        counters=tuple(counter.format(priority) for priority in PRIORITIES),
        label="priority",
        by_value=tuple(map(str, PRIORITIES)),
    )


_COUNTER, _GAUGE = Kind.COUNTER, Kind.GAUGE

_STATISTICS = (
    ("activation_errors", _COUNTER, "Activated procedures that ended with an error.", ("Activation Errors Total",)),
    (
        "transaction_rollbacks",
        _COUNTER,
        "Transactions that had done something and were rolled back.",
        ("Broker Transaction Rollbacks",),
    ),
    (
        "corrupted_messages",
        _COUNTER,
        "Messages that arrived and were not what a broker sends.",
        ("Corrupted Messages Total",),
    ),
    (
        "transmission_queue_dequeued",
        _COUNTER,
        "Messages that have left transmission queues.",
        ("Dequeued TransmissionQ Msgs/sec",),
    ),
    ("dialog_timers", _GAUGE, "Timers of dialogs that run.", ("Dialog Timer Event Count",)),
    (
        "dropped_messages",
        _COUNTER,
        "Messages that arrived and could not be delivered to a queue.",
        ("Dropped Messages Total",),
    ),
    (
        "enqueued_local_messages",
        _COUNTER,
        "Messages put into service queues that did not come by the network.",
        ("Enqueued Local Messages Total", "Enqueued Local Messages/sec"),
    ),
    (
        "enqueued_messages",
        _COUNTER,
        "Messages put into service queues.",
        ("Enqueued Messages Total", "Enqueued Messages/sec"),
    ),
    (
        "transmission_queue_enqueued",
        _COUNTER,
        "Messages put into transmission queues.",
        ("Enqueued TransmissionQ Msgs/sec",),
    ),
    (
        "enqueued_transport_fragments",
        _COUNTER,
        "Fragments put into service queues that came by the network.",
        ("Enqueued Transport Msg Frag Tot", "Enqueued Transport Msg Frags/sec"),
    ),
    (
        "enqueued_transport_messages",
        _COUNTER,
        "Messages put into service queues that came by the network.",
        ("Enqueued Transport Msgs Total", "Enqueued Transport Msgs/sec"),
    ),
    (
        "forwarded_messages",
        _COUNTER,
        "Messages for other instances that were passed on.",
        ("Forwarded Messages Total", "Forwarded Messages/sec"),
    ),
    (
        "forwarded_bytes",
        _COUNTER,
        "Bytes of them, bodies and 512 a message.",
        ("Forwarded Msg Byte Total", "Forwarded Msg Bytes/sec"),
    ),
    (
        "forwarded_discarded",
        _COUNTER,
        "Messages for other instances that were not passed on.",
        ("Forwarded Msg Discarded Total", "Forwarded Msgs Discarded/sec"),
    ),
    (
        "forwarded_pending_bytes",
        _GAUGE,
        "Bytes of messages that wait to be passed on.",
        ("Forwarded Pending Msg Bytes",),
    ),
    ("forwarded_pending_messages", _GAUGE, "Messages that wait to be passed on.", ("Forwarded Pending Msg Count",)),
    ("sql_receives", _COUNTER, "RECEIVE statements.", ("SQL RECEIVE Total", "SQL RECEIVEs/sec")),
    ("sql_sends", _COUNTER, "SEND statements.", ("SQL SEND Total", "SQL SENDs/sec")),
)

_TRANSPORT = (
    (
        "fragment_receives",
        _COUNTER,
        "Fragments that came by the network.",
        ("Message Fragment Receives/sec", "Msg Fragment Recv Size Avg Base"),
    ),
    (
        "fragment_sends",
        _COUNTER,
        "Fragments given to the network.",
        ("Message Fragment Sends/sec", "Msg Fragment Send Size Avg Base"),
    ),
    (
        "fragment_received_bytes",
        _COUNTER,
        "Bytes of fragments that came, bodies and 512 a fragment.",
        ("Msg Fragment Recv Size Avg",),
    ),
    (
        "fragment_sent_bytes",
        _COUNTER,
        "Bytes of fragments that were sent, bodies and 512 a fragment.",
        ("Msg Fragment Send Size Avg",),
    ),
    (
        "open_connections",
        _GAUGE,
        "Connections that this instance opened and that are open.",
        ("Open Connection Count",),
    ),
    (
        "receive_io_bytes",
        _COUNTER,
        "Bytes taken from sockets.",
        ("Receive I/O Bytes Total", "Receive I/O bytes/sec", "Receive I/O Len Avg"),
    ),
    (
        "receive_ios",
        _COUNTER,
        "Portions taken from sockets.",
        ("Receive I/Os/sec", "Receive I/O Len Avg Base"),
    ),
    (
        "send_io_bytes",
        _COUNTER,
        "Bytes given to sockets.",
        ("Send I/O Bytes Total", "Send I/O bytes/sec", "Send I/O Len Avg"),
    ),
    ("send_ios", _COUNTER, "Portions given to sockets.", ("Send I/Os/sec", "Send I/O Len Avg Base")),
)

_OBJECTS = (
    (
        "writes",
        _COUNTER,
        "Transmission objects written to their table.",
        ("Transmission Obj Writes/Sec", "Avg. Length of Batched Writes"),
    ),
    ("batches", _COUNTER, "Batches in which they were written.", ("Avg. Length of Batched Writes Base",)),
    ("batch_intervals", _COUNTER, "Pauses between two batches.", ("Avg. Time Between Batches (ms) Base",)),
    ("gets", _COUNTER, "Transmission objects that were asked for.", ("Transmission Obj Gets/Sec",)),
    ("set_dirty", _COUNTER, "Changes of transmission objects.", ("Transmission Obj Set Dirty/Sec",)),
)

_ACTIVATION = (
    ("procedures_invoked", _COUNTER, "Activated procedures that were called.", ("Stored Procedures Invoked/sec",)),
    (
        "task_limit_reached",
        _COUNTER,
        "Readers that were needed while as many ran as may.",
        ("Task Limit Reached", "Task Limit Reached/sec"),
    ),
    ("tasks_aborted", _COUNTER, "Readers that ended with an error.", ("Tasks Aborted/sec",)),
    ("tasks_running", _GAUGE, "Readers that run.", ("Tasks Running",)),
    ("tasks_started", _COUNTER, "Readers that were started.", ("Tasks Started/sec",)),
)

VENDOR_METRICS: Final = (
    *_metrics("brokerweb_broker_statistics", STATISTICS, _STATISTICS),
    _by_priority(
        "brokerweb_broker_statistics_enqueued_priority_messages",
        "Messages put into service queues, by priority.",
        STATISTICS,
        "Enqueued P{} Messages/sec",
    ),
    *_metrics("brokerweb_broker_transport", TRANSPORT, _TRANSPORT),
    _by_priority(
        "brokerweb_broker_transport_fragment_priority_sends",
        "Fragments given to the network, by priority.",
        TRANSPORT,
        "Message Fragment P{} Sends/sec",
    ),
    *_metrics("brokerweb_broker_transmission_object", TRANSMISSION_OBJECTS, _OBJECTS),
    VendorMetric(
        name="brokerweb_broker_transmission_object_batch_interval_seconds",
        kind=Kind.COUNTER,
        meaning="Seconds between batches, all together.",
        object=TRANSMISSION_OBJECTS,
        counters=("Avg. Time Between Batches (ms)",),
        scale=MILLISECOND,
    ),
    *(
        msgspec.structs.replace(metric, label="database")
        for metric in _metrics("brokerweb_broker_activation", ACTIVATION, _ACTIVATION)
    ),
)

NOT_EXPOSED: Final = {
    TRANSPORT: (
        "Current Bytes for Recv I/O",
        "Current Bytes for Send I/O",
        "Current Msg Frags for Send I/O",
        "Pending Bytes for Recv I/O",
        "Pending Bytes for Send I/O",
        "Pending Msg Frags for Recv I/O",
        "Pending Msg Frags for Send I/O",
        "Recv I/O Buffer Copies bytes/sec",
        "Recv I/O Buffer Copies Count",
    ),
    TRANSMISSION_OBJECTS: ("Avg. Time to Write Batch (ms)", "Avg. Time to Write Batch (ms) Base"),
}
"""Counters whose value nobody knows here: buffers of the operating system, and the time that a write takes."""

ALL_DATABASES: Final = TOTAL
"""Rows of this name are sums over databases, which Prometheus makes by itself."""
