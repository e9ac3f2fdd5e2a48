"""The columns of the lake: one row for each event that an instance has told, whatever its kind (views.md 4).

A column that an event does not have is null. Names are those of the events; what two kinds of event call the same, and
mean the same, shares a column.
"""

from __future__ import annotations

from typing import Final

import pyarrow as pa

LAKE_SCHEMA_VERSION: Final = 1
"""Written into every table. A column may be added without a new one; one that means something else needs one."""

PARTITIONS: Final = ("estate", "trace_date", "hour")
"""Folders, in this order: `estate=…/trace_date=YYYY-MM-DD/hour=0…23`, of the time of the event in UTC."""

ORDER: Final = ("conversation_id", "conversation_handle", "event_number")
"""How the rows of a file are sorted, so that those of a conversation stand together and are found by statistics."""

_TEXT: Final = pa.string()
_NUMBER: Final = pa.int64()

COLUMNS: Final = pa.schema(
    [
        ("estate", _TEXT),
        ("trace_date", pa.date32()),
        ("hour", pa.int32()),
        ("instance", _TEXT),
        ("event_number", _NUMBER),
        ("event_time", pa.timestamp("us", tz="UTC")),
        ("event", _TEXT),
        ("database", _TEXT),
        ("conversation_id", _TEXT),
        ("conversation_handle", _TEXT),
        ("conversation_group_id", _TEXT),
        ("is_initiator", pa.bool_()),
        ("from_initiator", pa.bool_()),
        ("message_sequence_number", _NUMBER),
        ("message_kind", _TEXT),
        ("message_id", _TEXT),
        ("message_type_name", _TEXT),
        ("queue", _TEXT),
        ("is_enabled", pa.bool_()),
        ("service", _TEXT),
        ("from_service", _TEXT),
        ("from_broker_instance", _TEXT),
        ("to_service", _TEXT),
        ("to_broker_instance", _TEXT),
        ("broker_instance", _TEXT),
        ("classification", _TEXT),
        ("route", _TEXT),
        ("address", _TEXT),
        ("hops_remaining", pa.int32()),
        ("time_consumed", pa.float64()),
        ("up_to", _NUMBER),
        ("count", _NUMBER),
        ("state", _TEXT),
        ("happening", _TEXT),
        ("priority", pa.int32()),
        ("number", pa.int32()),
        ("text", _TEXT),
        ("revision", _NUMBER),
        ("payload", _TEXT),
    ]
)
"""`payload` is the whole event as the engine writes it (JSON): nothing of it is lost, whatever has no column."""
