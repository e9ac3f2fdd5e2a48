"""Pictures of what passes through or connects: messages in transit, connections, mirrored routes, and counters."""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Iterable
from itertools import islice
from typing import Any, Final

from engine.core.exchange.events import (
    ForwardedMessageDropped,
    ForwardedMessageSent,
    MirroredRouteStateChanged,
)
from engine.core.exchange.pictures import (
    ConnectionsPicture,
    ConnectionsQuery,
    CountersPicture,
    CountersQuery,
    ForwardDrops,
    ForwardedMessagesPicture,
    ForwardedMessagesQuery,
    MirroredRoutesPicture,
    MirroredRoutesQuery,
    PictureRow,
    Unchanged,
)
from engine.core.exchange.silent_events import ForwardedMessagesWait
from engine.core.handlers.counters import wire_size
from engine.core.handlers.views import mirrored_route_view
from engine.core.link.facts import LinkFacts
from engine.core.pictures.asked import Asked
from engine.core.pictures.table import Table, rows_max_of, table
from engine.core.system_views.counter_views import PERFORMANCE_COUNTERS, Counter, counters_of
from engine.core.system_views.definition import NULL, Column
from engine.core.system_views.reading import ViewReader
from engine.core.system_views.runtime_views import (
    BROKER_CONNECTIONS,
    BROKER_FORWARDED_MESSAGES,
    connection_key,
    connections_of,
)
from engine.core.transmission.links import Link
from engine.core.vocabulary.limits import FORWARDED_MESSAGES_MAX
from engine.core.vocabulary.moment import UtcTime

_MEGABYTE: Final = 1024 * 1024
_BESIDE_MONITORS: Final = frozenset({MirroredRouteStateChanged})
_IN_TRANSIT: Final = frozenset(
    {ForwardedMessagesWait, ForwardedMessageSent, ForwardedMessageDropped, MirroredRouteStateChanged}
)

# ── messages in transit ──────────────────────────────────────────────────────────────────────────────────────────────
_TRANSIT: Final[Table[Any]] = table(
    BROKER_FORWARDED_MESSAGES,
    Column[Any]("message_kind", "sysname", "what it is", lambda _, each: each[1].message.kind.value),
    Column[Any]("message_bytes", "bigint", "size of the body", lambda _, each: len(each[1].message.body or b"")),
    Column[Any](
        "bytes_held", "bigint", "of the memory for messages in transit", lambda _, each: wire_size(each[1].message)
    ),
)


def forwarded_messages_picture(asked: Asked, query: ForwardedMessagesQuery) -> ForwardedMessagesPicture | Unchanged:
    """What waits for its connection; 10744."""
    rows_max = rows_max_of(query.rows_max)
    if asked.is_unchanged(query, _IN_TRANSIT):
        return asked.unchanged()
    broker, reader = asked.broker, asked.readers.instance
    endpoint = broker.catalog.endpoint
    rows = tuple(
        _TRANSIT.row(_transit_key(each), reader, each)
        for each in islice(broker.transmitter.messages(asked.now.monotonic), rows_max)
    )
    return ForwardedMessagesPicture(
        sequence=asked.sequence,
        at=asked.at,
        is_whole=True,
        columns=_TRANSIT.columns,
        rows=rows,
        has_more=len(broker.transmitter) > rows_max,
        total=len(broker.transmitter),
        is_enabled=endpoint is not None and endpoint.is_message_forwarding_enabled,
        messages=len(broker.transmitter),
        bytes=broker.transmitter.bytes,
        bytes_max=0 if endpoint is None else endpoint.message_forward_size_megabytes * _MEGABYTE,
        messages_max=FORWARDED_MESSAGES_MAX,
        drops=_drops(asked),
    )


def _drops(asked: Asked) -> tuple[ForwardDrops, ...]:
    counted = asked.broker.counters.forward_drops
    return tuple(
        ForwardDrops(number=number, messages=each.messages, last_at=each.last_at, text=each.text)
        for number, each in sorted(counted.items(), key=lambda item: (-item[1].messages, item[0]))
    )


def _transit_key(each: Any) -> str:
    message = each[1].message
    side = "initiator" if message.from_initiator else "target"
    fragment = "" if message.fragment is None else message.fragment.number
    return f"{message.sequence} {fragment} {message.kind.value} {side} {message.conversation_id}"


# ── connections ──────────────────────────────────────────────────────────────────────────────────────────────────────
def _link(reader: ViewReader, each: LinkFacts) -> Link | None:
    return None if each.address is None else reader.broker.links.get(each.address)


def _suppressed_until(reader: ViewReader, each: LinkFacts) -> UtcTime | None:
    link, now = _link(reader, each), reader.broker.now
    if link is None or link.suppressed_until is None:
        return None
    return UtcTime(now.utc + (link.suppressed_until - now.monotonic))


_CONNECTIONS: Final[Table[LinkFacts]] = table(
    BROKER_CONNECTIONS,
    Column[LinkFacts](
        "address", "sysname", "whom we have called", lambda _, each: str(each.address) if each.address else None, NULL
    ),
    Column[LinkFacts](
        "peer_instance", "sysname", "who is there", lambda _, each: each.peer.instance if each.peer else None, NULL
    ),
    Column[LinkFacts](
        "error", "int", "why there is none", lambda reader, each: getattr(_link(reader, each), "error", None), NULL
    ),
    Column[LinkFacts](
        "detail", "sysname", "in words", lambda reader, each: getattr(_link(reader, each), "detail", None), NULL
    ),
    Column[LinkFacts]("left_alone_until", "datetime", "UTC, after a failure", _suppressed_until, NULL),
    Column[LinkFacts](
        "conversations",
        "int",
        "that wait for it or use it",
        lambda reader, each: len(link.conversations) if (link := _link(reader, each)) is not None else 0,
    ),
)


def connections_picture(asked: Asked, query: ConnectionsQuery) -> ConnectionsPicture:
    """Every connection, and every address to which there is none; always whole, since traffic is a sample; 10744."""
    rows_max, reader = rows_max_of(query.rows_max), asked.readers.instance
    rows: list[PictureRow] = []
    taken: Tally[str] = Tally()
    every = list(connections_of(reader))
    for each in every[:rows_max]:
        key = str(connection_key(reader, each) or "login")
        taken[key] += 1
        # Two connections with one neighbour, of which one is about to go, or logins of somebody unknown.
        rows.append(_CONNECTIONS.row(key if taken[key] == 1 else f"{key} {taken[key]}", reader, each))
    return ConnectionsPicture(
        sequence=asked.sequence,
        at=asked.at,
        is_whole=True,
        columns=_CONNECTIONS.columns,
        rows=tuple(rows),
        has_more=len(every) > rows_max,
        total=len(every),
    )


# ── mirrored routes ──────────────────────────────────────────────────────────────────────────────────────────────────
def _field(name: str, kind: str, meaning: str, *, nullable: bool = False) -> Column[Any]:
    return Column(name, kind, meaning, lambda _, each: getattr(each, name), nullable)


_MIRRORED: Final[Table[Any]] = table(
    None,
    _field("route", "sysname", "route"),
    _field("service_name", "sysname", "service"),
    _field("broker_instance", "uniqueidentifier", "broker id"),
    _field("address", "nvarchar(256)", "address"),
    _field("mirror_address", "nvarchar(256)", "mirror address"),
    _field("state", "nvarchar(60)", "of the route (mirroring.md 4)"),
    _field("address_state", "nvarchar(60)", "of the partner at the address"),
    _field("mirror_address_state", "nvarchar(60)", "of the partner at the mirror address"),
    _field("principal", "nvarchar(256)", "who is believed to be it", nullable=True),
    _field("error", "int", "why a partner cannot be reached", nullable=True),
    _field("detail", "nvarchar(4000)", "in words"),
    _field("are_both_principal", "bit", "both claim it"),
    _field("principal_since", "datetime", "UTC, the last change of roles", nullable=True),
    _field("changed_at", "datetime", "UTC, of any state", nullable=True),
)


def mirrored_routes_picture(asked: Asked, query: MirroredRoutesQuery) -> MirroredRoutesPicture | Unchanged:
    """Mirrored routes that were used since the start; 10744."""
    rows_max, reader = rows_max_of(query.rows_max), asked.readers.instance
    if asked.is_unchanged(query, _BESIDE_MONITORS):
        return asked.unchanged()
    views = [mirrored_route_view(monitor) for monitor in asked.broker.mirrors.all()]
    return MirroredRoutesPicture(
        sequence=asked.sequence,
        at=asked.at,
        is_whole=True,
        columns=_MIRRORED.columns,
        rows=tuple(
            _MIRRORED.row(
                f"{each.address} {each.mirror_address} {each.broker_instance} {each.service_name}", reader, each
            )
            for each in views[:rows_max]
        ),
        has_more=len(views) > rows_max,
        total=len(views),
    )


# ── counters ─────────────────────────────────────────────────────────────────────────────────────────────────────────
_COUNTERS: Final[Table[Counter]] = table(PERFORMANCE_COUNTERS)


def counters_picture(asked: Asked, query: CountersQuery) -> CountersPicture:
    """Every counter, always whole; 10744."""
    rows_max, reader = rows_max_of(query.rows_max), asked.readers.instance
    counters: Iterable[Counter] = list(counters_of(reader))
    rows = tuple(
        _COUNTERS.row("\t".join((each.name, each.object, each.instance)), reader, each)
        for each in islice(counters, rows_max)
    )
    total = sum(1 for _ in counters)
    return CountersPicture(
        sequence=asked.sequence,
        at=asked.at,
        is_whole=True,
        columns=_COUNTERS.columns,
        rows=rows,
        has_more=total > rows_max,
        total=total,
    )
