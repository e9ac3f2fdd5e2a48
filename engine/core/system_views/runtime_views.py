"""The broker's dynamic management views: connections, messages in transit, queue monitors, tasks (views.md 2)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final, TypeVar
from uuid import UUID

from engine.core.exchange.readers import ReaderStart
from engine.core.forwarding.transmitter import NextHop
from engine.core.handlers.counters import LinkActivity
from engine.core.queues.monitor import MonitorState, QueueMonitor
from engine.core.system_views.catalog_views import principal_of
from engine.core.system_views.definition import NULL, Column, Scope, SystemView, fixed
from engine.core.system_views.reading import ViewReader
from engine.core.trace.identifiers import connection_id, message_id
from engine.core.transmission.links import Link
from engine.core.vocabulary.identifiers import DatabaseName
from engine.core.vocabulary.messages import ForwardedMessage, LinkState, TcpAddress
from engine.core.vocabulary.moment import NEVER_SET, UtcTime

_STATES: Final = {state: number for number, state in enumerate(LinkState, start=1)}
"""1 NEW to 5 CLOSED: the order of the enumeration is the vendor's."""

_LOGIN_STATES: Final = {
    LinkState.NEW: (0, "INITIAL"),
    LinkState.CONNECTING: (0, "INITIAL"),
    LinkState.CONNECTED: (1, "WAIT LOGIN NEGOTIATE"),
    LinkState.LOGGED_IN: (12, "ONLINE"),
}

_NOT_STARTED: Final = LinkActivity()


class _Connection:
    """An open outgoing connection."""

    __slots__ = ("activity", "address", "link")

    def __init__(self, reader: ViewReader, address: TcpAddress, link: Link) -> None:
        self.address = address
        self.link = link
        self.activity = reader.broker.counters.links.get(address, _NOT_STARTED)


def _connections(reader: ViewReader) -> Iterable[_Connection]:
    for address, link in reader.broker.links.items():
        if link.state not in (LinkState.NEW, LinkState.CLOSED):
            yield _Connection(reader, address, link)


BROKER_CONNECTIONS: Final = SystemView[_Connection](
    name="sys.dm_broker_connections",
    about="Open network connections of the broker.",
    scope=Scope.INSTANCE,
    rows=_connections,
    columns=(
        Column("connection_id", "uniqueidentifier", "connection", lambda _, each: connection_id(each.address), NULL),
        Column("transport_stream_id", "uniqueidentifier", "network interface", fixed(None), NULL),
        Column(
            "state",
            "smallint",
            "1 new, 2 connecting, 3 connected, 4 logged in, 5 closed",
            lambda _, each: _STATES[each.link.state],
            NULL,
        ),
        Column("state_desc", "nvarchar(60)", "the state in words", lambda _, each: each.link.state.value, NULL),
        Column("connect_time", "datetime", "UTC, opened", lambda _, each: each.activity.connect_time, NULL),
        Column("login_time", "datetime", "UTC, login succeeded", lambda _, each: each.activity.login_time, NULL),
        Column("authentication_method", "nvarchar(128)", "text from Windows", fixed(None), NULL),
        Column("principal_name", "nvarchar(128)", "who was validated", lambda _, each: each.link.peer, NULL),
        Column("remote_user_name", "nvarchar(128)", "peer user of Windows", fixed(None), NULL),
        Column(
            "last_activity_time", "datetime", "UTC, last send", lambda _, each: each.activity.last_activity_time, NULL
        ),
        Column("is_accept", "bit", "1 opened by the peer, 0 by us", fixed(False), NULL),
        Column(
            "login_state",
            "smallint",
            "0 to 13 (protocol.md 7.2)",
            lambda _, each: _LOGIN_STATES[each.link.state][0],
            NULL,
        ),
        Column(
            "login_state_desc", "nvarchar(60)", "its words", lambda _, each: _LOGIN_STATES[each.link.state][1], NULL
        ),
        Column("peer_certificate_id", "int", "certificate of the peer", fixed(None), NULL),
        Column("encryption_algorithm", "smallint", "0 = none", fixed(0), NULL),
        Column("encryption_algorithm_desc", "nvarchar(60)", "NONE", fixed("NONE"), NULL),
        Column("receives_posted", "smallint", "outstanding receives", fixed(None), NULL),
        Column("is_receive_flow_controlled", "bit", "receiving is held back", fixed(None), NULL),
        Column("sends_posted", "smallint", "outstanding sends", fixed(None), NULL),
        Column("is_send_flow_controlled", "bit", "sending is held back", fixed(None), NULL),
        Column("total_bytes_sent", "bigint", "bytes sent", lambda _, each: each.activity.bytes_sent, NULL),
        Column("total_bytes_received", "bigint", "bytes received", fixed(0), NULL),
        Column("total_fragments_sent", "bigint", "fragments sent", lambda _, each: each.activity.fragments_sent, NULL),
        Column("total_fragments_received", "bigint", "fragments received", fixed(0), NULL),
        Column("total_sends", "bigint", "network requests to send", fixed(None), NULL),
        Column("total_receives", "bigint", "network requests to receive", fixed(None), NULL),
        Column("peer_arbitration_id", "uniqueidentifier", "internal", fixed(None), NULL),
    ),
    differs=(
        "Only connections that this instance opened are listed: each direction has one of its own, on which the other "
        "side sends nothing.",
        "`connection_id` is derived from the address and is the same for every connection to it, as in trace rows.",
        "`principal_name` is the name by which the peer has introduced itself; nobody is authenticated.",
        "Bytes are bodies and 512 bytes a message. What belongs to the network alone (flow control, requests) is NULL.",
    ),
)

_Transit = tuple[NextHop, ForwardedMessage]


def _in_transit(reader: ViewReader) -> Iterable[_Transit]:
    return reader.broker.transmitter.messages(reader.broker.now.monotonic)


def _adjacent(reader: ViewReader, hop: NextHop) -> str:
    """The next hop; of a mirrored pair the principal or, while it is not known, the address of the route."""
    if isinstance(hop, TcpAddress):
        return str(hop)
    monitor = reader.broker.mirrors.find(hop)
    principal = monitor.principal if monitor is not None else None
    return str(principal if principal is not None else hop.address)


def _text(value: UUID | None) -> str | None:
    return str(value).upper() if value is not None else None


BROKER_FORWARDED_MESSAGES: Final = SystemView[_Transit](
    name="sys.dm_broker_forwarded_messages",
    about="Messages in transit through this instance that wait for their connection.",
    scope=Scope.INSTANCE,
    rows=_in_transit,
    columns=(
        Column(
            "conversation_id", "uniqueidentifier", "both sides", lambda _, each: each[1].message.conversation_id, NULL
        ),
        Column(
            "is_initiator", "bit", "1 comes from the initiator", lambda _, each: each[1].message.from_initiator, NULL
        ),
        Column("to_service_name", "nvarchar(512)", "to", lambda _, each: each[1].message.target.service_name, NULL),
        Column(
            "to_broker_instance",
            "nvarchar(512)",
            "broker id of the destination",
            lambda _, each: _text(each[1].message.target.broker_instance),
            NULL,
        ),
        Column("from_service_name", "nvarchar(512)", "from", lambda _, each: each[1].message.source.service_name, NULL),
        Column(
            "from_broker_instance",
            "nvarchar(512)",
            "broker id of the sender",
            lambda _, each: _text(each[1].message.source.broker_instance),
            NULL,
        ),
        Column(
            "adjacent_broker_address",
            "nvarchar(512)",
            "next hop",
            lambda reader, each: _adjacent(reader, each[0]),
            NULL,
        ),
        Column("message_sequence_number", "bigint", "number", lambda _, each: each[1].message.sequence or 0, NULL),
        Column("message_fragment_number", "int", "fragment", fixed(0), NULL),
        Column("hops_remaining", "tinyint", "one less each time", lambda _, each: each[1].hops_remaining, NULL),
        Column("time_to_live", "int", "seconds it may be under way", lambda _, each: int(each[1].time_to_live), NULL),
        Column("time_consumed", "int", "seconds of these used", lambda _, each: int(each[1].time_consumed)),
        Column("message_id", "uniqueidentifier", "message", lambda _, each: message_id(each[1].message), NULL),
    ),
    differs=(
        "A message is one fragment, number 0. An unsequenced message has the number 0.",
        "`message_id` is derived from conversation, direction, number and kind: each repetition has it too.",
        "`time_consumed` is as of the instance's last input.",
    ),
)

_Of = TypeVar("_Of")


def _each_with_its_reader(reader: ViewReader, each: Iterable[_Of], database: Callable[[_Of], DatabaseName]) -> Any:
    """Things of several databases, each with the look at its own, which knows the numbers there."""
    readers: dict[DatabaseName, ViewReader] = {}
    for one in each:
        name = database(one)
        found = reader.broker.catalog.databases.get(name)
        if found is not None:
            yield readers.setdefault(name, ViewReader(reader.broker, found)), one


_Monitor = tuple[ViewReader, QueueMonitor]
_Task = tuple[ViewReader, ReaderStart]


def _monitors(reader: ViewReader) -> Iterable[_Monitor]:
    monitors: Iterable[_Monitor] = _each_with_its_reader(
        reader, reader.broker.activity.monitors.values(), lambda monitor: monitor.database
    )
    return monitors


def _tasks(reader: ViewReader) -> Iterable[_Task]:
    tasks: Iterable[_Task] = _each_with_its_reader(
        reader, reader.broker.activity.readers.values(), lambda task: task.database
    )
    return tasks


def _unless_never(at: UtcTime) -> UtcTime | None:
    return at if at != NEVER_SET else None


BROKER_QUEUE_MONITORS: Final = SystemView[_Monitor](
    name="sys.dm_broker_queue_monitors",
    about="Queue monitors: one a queue that is on and has activation.",
    scope=Scope.INSTANCE,
    rows=_monitors,
    columns=(
        Column("database_id", "int", "database", lambda reader, each: reader.database_id(each[1].database), NULL),
        Column("queue_id", "int", "queue", lambda _, each: each[0].queue_id(each[1].queue), NULL),
        Column("state", "nvarchar(32)", ", ".join(MonitorState), lambda _, each: each[1].state.value, NULL),
        Column(
            "last_empty_rowset_time",
            "datetime",
            "UTC, a RECEIVE found nothing",
            lambda _, each: _unless_never(each[1].last_empty_rowset_time),
            NULL,
        ),
        Column(
            "last_activated_time",
            "datetime",
            "UTC, a reader was started or the notification sent",
            lambda _, each: _unless_never(each[1].last_activated_time),
            NULL,
        ),
        Column("tasks_waiting", "int", "sessions that wait in RECEIVE", fixed(None), NULL),
    ),
    differs=(
        "`tasks_waiting` is NULL: a session that waits does so outside the instance, which it asks again and again.",
    ),
)

BROKER_ACTIVATED_TASKS: Final = SystemView[_Task](
    name="sys.dm_broker_activated_tasks",
    about="Readers that were started by activation and run.",
    scope=Scope.INSTANCE,
    rows=_tasks,
    columns=(
        Column("spid", "int", "session", lambda _, each: each[1].task, NULL),
        Column("database_id", "smallint", "database", lambda reader, each: reader.database_id(each[1].database), NULL),
        Column("queue_id", "int", "queue", lambda _, each: each[0].queue_id(each[1].queue), NULL),
        Column("procedure_name", "nvarchar(650)", "procedure", lambda _, each: each[1].procedure_name, NULL),
        Column("execute_as", "int", "user", lambda _, each: principal_of(each[1].execute_as), NULL),
    ),
    differs=(
        "`spid` is the number of the reader, given from 1 on since the start of the instance.",
        "`procedure_name` is the name as it was written in the clause.",
    ),
)

VIEWS: Final[tuple[SystemView[Any], ...]] = (
    BROKER_CONNECTIONS,
    BROKER_FORWARDED_MESSAGES,
    BROKER_QUEUE_MONITORS,
    BROKER_ACTIVATED_TASKS,
)
