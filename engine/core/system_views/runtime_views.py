"""The broker's dynamic management views: connections, messages in transit, queue monitors, tasks (views.md 2)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final, TypeVar
from uuid import UUID

from engine.core.exchange.readers import ReaderStart
from engine.core.exchange.system_views import Cell
from engine.core.forwarding.transmitter import NextHop
from engine.core.handlers.counters import LinkActivity
from engine.core.link.facts import LinkFacts, LinkTraffic
from engine.core.link.handshake import Peer
from engine.core.link.login import LoginState
from engine.core.link.negotiation import Method, Protection
from engine.core.queues.monitor import MonitorState, QueueMonitor
from engine.core.system_views.catalog_views import principal_of
from engine.core.system_views.definition import NULL, Column, Scope, SystemView, fixed
from engine.core.system_views.reading import ViewReader
from engine.core.trace.identifiers import accepted_connection_id, connection_id, message_id
from engine.core.transmission.links import Link
from engine.core.vocabulary.identifiers import DatabaseName
from engine.core.vocabulary.messages import ForwardedMessage, LinkState, TcpAddress
from engine.core.vocabulary.moment import NEVER_SET, UtcTime

_STATES: Final = {state: number for number, state in enumerate(LinkState, start=1)}
"""1 NEW to 5 CLOSED: the order of the enumeration is the vendor's."""

_LOGIN_STATES: Final = {
    LinkState.NEW: LoginState.INITIAL,
    LinkState.CONNECTING: LoginState.INITIAL,
    LinkState.CONNECTED: LoginState.WAIT_LOGIN_NEGOTIATE,
    LinkState.LOGGED_IN: LoginState.ONLINE,
    LinkState.CLOSED: LoginState.INITIAL,
}
"""As far as it can be told without a network."""

_LOGIN_WORDS: Final = {state: state.name.replace("_", " ") for state in LoginState} | {
    LoginState.WAIT_ISC_CONFIRM: "WAIT ISC Confirm",
    LoginState.WAIT_ASC_CONFIRM: "WAIT ASC Confirm",
    LoginState.WAIT_PRE_MASTER_SECRET: "WAIT PRE-MASTER SECRET",
}

_ENCRYPTIONS: Final = {
    Protection.NONE: (0, "NONE"),
    Protection.SIGNED: (1, "SIGNING ONLY"),
    Protection.AES: (3, "AES"),
}

_NOT_STARTED: Final = LinkActivity()


def _connections(reader: ViewReader) -> Iterable[LinkFacts]:
    """What the network tells of its connections or, without one, what the instance knows of those it has opened."""
    if reader.connections is not None:
        yield from (each for each in reader.connections if each.state is not LinkState.CLOSED)
        return
    for address, link in reader.broker.links.items():
        if link.state not in (LinkState.NEW, LinkState.CLOSED):
            yield _known(address, link, reader.broker.counters.links.get(address, _NOT_STARTED))


def connections_of(reader: ViewReader) -> Iterator[LinkFacts]:
    """Every connection, and every address that was called and to which there is none."""
    listed = list(_connections(reader))
    yield from listed
    called = {each.address for each in listed}
    for address, link in reader.broker.links.items():
        if address not in called and link.state is not LinkState.NEW:
            yield _known(address, link, _NOT_STARTED)


def _known(address: TcpAddress, link: Link, activity: LinkActivity) -> LinkFacts:
    peer = None
    if link.peer is not None:
        peer = Peer(
            instance=link.peer,
            arbitration_id=connection_id(address),
            principal=None,
            method=Method.NONE,
            protection=Protection.NONE,
            listening_port=None,
        )
    return LinkFacts(
        state=link.state,
        login_state=_LOGIN_STATES[link.state],
        is_accept=False,
        peer=peer,
        connect_time=activity.connect_time,
        login_time=activity.login_time,
        last_activity_time=activity.last_activity_time,
        is_receive_flow_controlled=False,
        is_send_flow_controlled=False,
        address=address,
        traffic=LinkTraffic(bytes_sent=activity.bytes_sent, fragments_sent=activity.fragments_sent),
    )


def connection_key(_: ViewReader, each: LinkFacts) -> UUID | None:
    """`connection_id`; None of somebody who has opened a connection and not said who it is."""
    if each.address is not None:
        return connection_id(each.address)
    return None if each.peer is None else accepted_connection_id(each.peer.arbitration_id)


def _of_peer(read: Callable[[Peer], Cell]) -> Callable[[ViewReader, LinkFacts], Cell]:
    """Of who is at the other end; NULL until that is known."""
    return lambda _, each: None if each.peer is None else read(each.peer)


def _peer_certificate_id(reader: ViewReader, each: LinkFacts) -> int | None:
    name = None if each.peer is None else each.peer.certificate
    return None if name is None else reader.certificate_id_in_master(name)


BROKER_CONNECTIONS: Final = SystemView[LinkFacts](
    name="sys.dm_broker_connections",
    about="Open network connections of the broker.",
    scope=Scope.INSTANCE,
    rows=_connections,
    columns=(
        Column("connection_id", "uniqueidentifier", "connection", connection_key, NULL),
        Column("transport_stream_id", "uniqueidentifier", "network interface", fixed(None), NULL),
        Column(
            "state",
            "smallint",
            "1 new, 2 connecting, 3 connected, 4 logged in, 5 closed",
            lambda _, each: _STATES[each.state],
            NULL,
        ),
        Column("state_desc", "nvarchar(60)", "the state in words", lambda _, each: each.state.value, NULL),
        Column("connect_time", "datetime", "UTC, opened", lambda _, each: each.connect_time, NULL),
        Column("login_time", "datetime", "UTC, login succeeded", lambda _, each: each.login_time, NULL),
        Column(
            "authentication_method",
            "nvarchar(128)",
            "how the peer has proved itself",
            _of_peer(lambda peer: peer.method.value),
            NULL,
        ),
        Column(
            "principal_name",
            "nvarchar(128)",
            "owner of the peer's certificate",
            _of_peer(lambda peer: peer.principal or peer.instance),
            NULL,
        ),
        Column("remote_user_name", "nvarchar(128)", "peer user of Windows", fixed(None), NULL),
        Column("last_activity_time", "datetime", "UTC, last traffic", lambda _, each: each.last_activity_time, NULL),
        Column("is_accept", "bit", "1 opened by the peer, 0 by us", lambda _, each: each.is_accept, NULL),
        Column("login_state", "smallint", "0 to 13 (protocol.md 7.2)", lambda _, each: each.login_state.value, NULL),
        Column("login_state_desc", "nvarchar(60)", "its words", lambda _, each: _LOGIN_WORDS[each.login_state], NULL),
        Column("peer_certificate_id", "int", "certificate of the peer in master", _peer_certificate_id, NULL),
        Column(
            "encryption_algorithm",
            "smallint",
            "0 none, 1 signing only, 3 AES",
            _of_peer(lambda peer: _ENCRYPTIONS[peer.protection][0]),
            NULL,
        ),
        Column(
            "encryption_algorithm_desc",
            "nvarchar(60)",
            "its words",
            _of_peer(lambda peer: _ENCRYPTIONS[peer.protection][1]),
            NULL,
        ),
        Column("receives_posted", "smallint", "outstanding receives", fixed(None), NULL),
        Column(
            "is_receive_flow_controlled",
            "bit",
            "receiving is held back",
            lambda _, each: each.is_receive_flow_controlled,
            NULL,
        ),
        Column("sends_posted", "smallint", "outstanding sends", fixed(None), NULL),
        Column(
            "is_send_flow_controlled",
            "bit",
            "sending is held back",
            lambda _, each: each.is_send_flow_controlled,
            NULL,
        ),
        Column("total_bytes_sent", "bigint", "bytes sent", lambda _, each: each.traffic.bytes_sent, NULL),
        Column("total_bytes_received", "bigint", "bytes received", lambda _, each: each.traffic.bytes_received, NULL),
        Column("total_fragments_sent", "bigint", "messages sent", lambda _, each: each.traffic.fragments_sent, NULL),
        Column(
            "total_fragments_received",
            "bigint",
            "messages received",
            lambda _, each: each.traffic.fragments_received,
            NULL,
        ),
        Column("total_sends", "bigint", "portions given to the socket", lambda _, each: each.traffic.sends, NULL),
        Column(
            "total_receives", "bigint", "portions taken from the socket", lambda _, each: each.traffic.receives, NULL
        ),
        Column(
            "peer_arbitration_id",
            "uniqueidentifier",
            "by which one of two connections is chosen",
            _of_peer(lambda peer: peer.arbitration_id),
            NULL,
        ),
    ),
    differs=(
        "`connection_id` is derived from the address or, of a connection that the peer has opened, from its "
        "arbitration id: each connection that follows has it too, as in trace rows.",
        "`principal_name` of a peer that a host vouches for (`authentication_method` VOUCHED) is its instance's name.",
        "`peer_certificate_id` is NULL of a peer that has proved nothing, or is let in by CONNECT for public.",
        "Nobody counts what the operating system has under way: these are NULL.",
        "In a simulated world without a network only connections that the instance has opened are listed; nothing is "
        "encrypted, and bytes are bodies and 512 bytes a message.",
    ),
)

_Transit = tuple[NextHop, ForwardedMessage]


def _in_transit(reader: ViewReader) -> Iterable[_Transit]:
    return reader.broker.transmitter.messages(reader.broker.now.monotonic)


def _fragment(transit: ForwardedMessage) -> int:
    fragment = transit.message.fragment
    return fragment.number if fragment is not None else 0


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
        Column("message_fragment_number", "int", "fragment", lambda _, each: _fragment(each[1]), NULL),
        Column("hops_remaining", "tinyint", "one less each time", lambda _, each: each[1].hops_remaining, NULL),
        Column("time_to_live", "int", "seconds it may be under way", lambda _, each: int(each[1].time_to_live), NULL),
        Column("time_consumed", "int", "seconds of these used", lambda _, each: int(each[1].time_consumed)),
        Column("message_id", "uniqueidentifier", "message", lambda _, each: message_id(each[1].message), NULL),
    ),
    differs=(
        "A message that travels whole is fragment 0. An unsequenced message has the number 0.",
        "`message_id` is derived from conversation, direction, number and kind: repetitions and fragments share it.",
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


def _tasks_waiting(reader: ViewReader, each: _Monitor) -> int:
    """Whoever started them, and whatever they wait for there."""
    monitor = each[1]
    return len(reader.broker.activity.waiters.of_queue((monitor.database, monitor.queue.casefold())))


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
        Column("tasks_waiting", "int", "sessions that wait in RECEIVE", _tasks_waiting, NULL),
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
