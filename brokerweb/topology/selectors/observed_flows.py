"""Flows that conversations of running instances have shown: as the engine tells them, and as they are remembered."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

import msgspec

from brokerweb.topology.flows import FlowQuestion, question_from_json
from brokerweb.topology.models import Estate, ObservedFlow
from engine import api as engine

REMEMBERED: Final = timedelta(days=90)
"""A flow that was not seen for so long does not count any more."""
READ_SECONDS: Final = 1.0
"""For all instances of an estate together: a page waits for it."""
_READERS: Final = 8
_ROWS_MAX: Final = 1_000
"""Conversations of an instance that are looked at, the newest: what a picture gives at most."""
_COLUMNS: Final = ("database_name", "service_name", "far_service", "far_broker_instance", "is_initiator", "is_system")


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """What a look at running instances has shown."""

    flows: frozenset[FlowQuestion]
    unread: tuple[str, ...]
    """Instances that did not answer in time, in the order of the asking."""


def observed_flows(estate: Estate, now: datetime) -> dict[str, FlowQuestion]:
    """What is remembered of an estate, by digest."""
    rows = ObservedFlow.objects.filter(estate=estate, last_seen__gt=now - REMEMBERED)
    return {digest: question_from_json(question) for digest, question in rows.values_list("digest", "question")}


def look_at_traffic(estate_name: str, instances: Iterable[str]) -> Seen:
    """The flows in the newest conversations of instances that answer; touches no database. Never raises for silence."""
    names = list(instances)
    threads = ThreadPoolExecutor(min(_READERS, max(1, len(names))), thread_name_prefix="flows-read")
    works = {threads.submit(_read, estate_name, name): name for name in names}
    done, _late = wait(works, timeout=READ_SECONDS)
    threads.shutdown(wait=False, cancel_futures=True)
    flows: set[FlowQuestion] = set()
    unread = [name for work, name in works.items() if work not in done or isinstance(work.exception(), _Silence)]
    for work in done:
        if not isinstance(work.exception(), _Silence):
            flows.update(work.result())
    return Seen(flows=frozenset(flows), unread=tuple(unread))


_Silence = engine.EngineUnavailable | engine.BrokerError


def _read(estate_name: str, instance: str) -> set[FlowQuestion]:
    query = engine.pictures.ConversationsQuery(rows_max=_ROWS_MAX)
    (picture,) = engine.read_pictures(estate_name, instance, [query], timeout_seconds=READ_SECONDS)
    if isinstance(picture, engine.LocalProtocolError):
        raise picture
    assert isinstance(picture, engine.pictures.ConversationsPicture)
    return set(_flows(instance, picture))


def _flows(instance: str, picture: engine.pictures.ConversationsPicture) -> Iterator[FlowQuestion]:
    place = {column.name: position for position, column in enumerate(picture.columns)}
    for row in picture.rows:
        database, service, far_service, far_broker, is_initiator, is_system = (
            row.cells[place[name]] for name in _COLUMNS
        )
        if is_initiator and not is_system:
            yield FlowQuestion(
                instance=engine.InstanceName(instance),
                database=engine.DatabaseName(str(database)),
                service=engine.ServiceName(str(service)),
                to_service=engine.ServiceName(str(far_service)),
                broker_instance=_broker_id(far_broker),
            )


def _broker_id(cell: object) -> engine.BrokerInstanceId | None:
    if cell is None:
        return None
    try:
        return engine.BrokerInstanceId(UUID(str(cell)))
    except ValueError:
        # A dialog that names something that is no id: it reaches nobody, and nothing about it can be lost.
        return None
