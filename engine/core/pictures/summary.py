"""The instance at a glance: the health ladder from whether a broker is on down to readers that have failed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from engine.core.catalog.database import DatabaseCatalog
from engine.core.catalog.route import NetworkAddress
from engine.core.exchange.pictures import (
    DatabaseSummary,
    HappeningCounts,
    MirrorSummary,
    SummaryPicture,
    SummaryQuery,
    TransmissionGroup,
    Unchanged,
)
from engine.core.handlers.broker import Broker
from engine.core.pictures.asked import Asked
from engine.core.pictures.conversations import sums_of
from engine.core.pictures.route_use import route_uses
from engine.core.pictures.transmissions import groups_of
from engine.core.vocabulary.identifiers import DatabaseName, QueueName
from engine.core.vocabulary.messages import LinkState


def _failing(broker: Broker) -> tuple[str, ...]:
    """Addresses without a connection that a conversation waits for or a route names; what was tried once is over."""
    failed = [(address, link) for address, link in broker.links.items() if link.error is not None]
    if all(link.conversations for _, link in failed):
        return tuple(str(address) for address, _ in failed)
    routed = {
        address.tcp
        for database in broker.catalog.databases.values()
        for route in database.routes.values()
        for address in (route.address, route.mirror_address)
        if isinstance(address, NetworkAddress)
    }
    return tuple(str(address) for address, link in failed if link.conversations or address in routed)


def summary_picture(asked: Asked, query: SummaryQuery) -> SummaryPicture | Unchanged:
    """Always whole, unless nothing at all has happened since. What only the host knows is left open."""
    if query.since is not None and query.since == asked.sequence:
        return asked.unchanged()
    broker = asked.broker
    catalog = broker.catalog
    links = [(address, link) for address, link in broker.links.items() if link.told is not LinkState.NEW]
    return SummaryPicture(
        sequence=asked.sequence,
        at=asked.at,
        name=catalog.name,
        revision=catalog.revision,
        endpoint_state=None if catalog.endpoint is None else catalog.endpoint.state,
        listening_port=None,
        listening_error="",
        databases=_databases(asked),
        connections=dict(Counter(link.told for _, link in links)),
        failing_connections=_failing(broker),
        forwarded_messages=len(broker.transmitter),
        forwarded_bytes=broker.transmitter.bytes,
        mirrors=_mirrors(broker),
        counts=HappeningCounts(
            dropped=broker.counters.dropped - broker.counters.duplicates,
            corrupted=broker.counters.corrupted,
            forwards_dropped=broker.counters.forwards_dropped,
            rollbacks=broker.counters.rollbacks,
            activation_errors=sum(each.aborted for each in broker.counters.activation.values()),
        ),
    )


def _databases(asked: Asked) -> tuple[DatabaseSummary, ...]:
    catalog = asked.broker.catalog
    groups: dict[str, list[TransmissionGroup]] = {}
    for group in groups_of(asked.broker, catalog.databases):
        groups.setdefault(group.database, []).append(group)
    readers: dict[DatabaseName, Counter[str]] = {}
    for task in asked.broker.activity.readers.values():
        readers.setdefault(task.database, Counter())[task.queue.casefold()] += 1
    return tuple(
        _database(asked, database, groups.get(name, ()), readers.get(name, Counter()))
        for name, database in catalog.databases.items()
    )


def _database(
    asked: Asked, database: DatabaseCatalog, groups: Iterable[TransmissionGroup], readers: Counter[str]
) -> DatabaseSummary:
    """`readers` are those that run, by the folded names of their queues."""
    broker, name = asked.broker, database.name
    groups = list(groups)
    disabled = tuple(queue.name for queue in database.queues.values() if not queue.is_enabled)
    return DatabaseSummary(
        name=name,
        broker_instance=database.broker_instance,
        is_broker_enabled=database.is_broker_enabled,
        state=database.state,
        number=broker.unavailable.get(name),
        conversations=sums_of(broker, name, asked.at),
        transmission=sum(group.messages for group in groups),
        oldest=min((group.oldest for group in groups), default=None),
        blocked=sum(group.messages for group in groups if group.number is not None),
        ready=sum(broker.queue(name, queue).ready for queue in database.queues),
        disabled_queues=disabled,
        poisoned_queues=tuple(queue for queue in disabled if broker.poison.cause(name, queue) is not None),
        readers=readers.total(),
        routes=route_uses(broker, database),
        busy_queues=tuple(queue for queue in database.queues if _is_busy(broker, name, queue, readers)),
    )


def _is_busy(broker: Broker, database: DatabaseName, queue: QueueName, readers: Counter[str]) -> bool:
    monitor = broker.activity.monitor(database, queue)
    if monitor is None or monitor.max_readers is None:
        return False
    return readers[queue.casefold()] >= max(monitor.max_readers, 1) and broker.queue(database, queue).ready > 0


def _mirrors(broker: Broker) -> tuple[MirrorSummary, ...]:
    known = [(monitor, monitor.snapshot()) for monitor in broker.mirrors.all()]
    return tuple(
        MirrorSummary(
            route=monitor.route,
            service=monitor.pair.service,
            state=snapshot.state,
            principal=None if snapshot.principal is None else str(snapshot.principal),
            are_both_principal=snapshot.are_both_principal,
        )
        for monitor, snapshot in known
    )
