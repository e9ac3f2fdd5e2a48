"""`lake_table`: numbered events of one instance as rows of the lake."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from enum import Enum
from functools import cache
from typing import Any, Final
from uuid import UUID

import msgspec
import pyarrow as pa

from engine.contracts.codec import json_encoder
from engine.core.exchange.event_base import EventBase
from engine.core.exchange.events import BrokerEvent, MessageClassified
from engine.core.vocabulary.identifiers import EventSequence
from engine.core.vocabulary.messages import TcpAddress
from engine.pipeline.lake.schema import COLUMNS

_RENAMED: Final = {"kind": "message_kind", "error": "number"}
"""Fields of events whose column has another name."""


def lake_table(estate: str, instance: str, events: Iterable[tuple[EventSequence, BrokerEvent]]) -> pa.Table:
    """Rows of `COLUMNS`, in the order of the events."""
    rows = [_row(estate, instance, number, event) for number, event in events]
    return pa.Table.from_pylist(rows, schema=COLUMNS)


def _row(estate: str, instance: str, number: EventSequence, event: BrokerEvent) -> dict[str, Any]:
    at = datetime.fromtimestamp(event.at, UTC)
    row: dict[str, Any] = {
        "estate": estate,
        "trace_date": at.date(),
        "hour": at.hour,
        "instance": instance,
        "event_number": number,
        "event_time": at,
        "event": type(event).__struct_config__.tag,
        "payload": json_encoder.encode(event).decode(),
    }
    for field, column, cell in _cells(type(event)):
        row[column] = cell(getattr(event, field))
    if isinstance(event, MessageClassified):
        row.update(_decided(event))
    return row


def _decided(event: MessageClassified) -> Mapping[str, Any]:
    decision = event.decision
    return {
        "classification": decision.classification.value,
        "route": None if decision.route is None else decision.route.name,
        "address": None if decision.address is None else str(decision.address),
        "broker_instance": None if decision.broker_instance is None else str(decision.broker_instance),
        "number": decision.status,
    }


@cache
def _cells(kind: type[EventBase]) -> tuple[tuple[str, str, Callable[[Any], Any]], ...]:
    """Which fields of an event go to which columns, and how."""
    found = []
    for field in msgspec.structs.fields(kind):
        column = _RENAMED.get(field.name, field.name)
        if column in COLUMNS.names and field.name not in ("at", "event"):
            found.append((field.name, column, _text if COLUMNS.field(column).type == pa.string() else _same))
    return tuple(found)


def _text(value: Any) -> str | None:
    if value is None or (isinstance(value, str) and not isinstance(value, Enum)):
        return value
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, UUID | TcpAddress):
        return str(value)
    return msgspec.json.encode(value).decode()


def _same(value: Any) -> Any:
    return value
