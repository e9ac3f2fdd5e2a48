"""`lake_row`: a row of a trace, as Profiler and Extended Events export it, as a row of the lake (views.md 4).

Which column of a class means what is the vendor's; what has no column of the lake is in `payload`, with all the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, tzinfo
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

import msgspec

from engine.core.trace.classes import TRACE_CLASSES, TraceClass
from engine.core.vocabulary.subclasses import ConversationHappening
from engine.pipeline.lake.schema import COLUMNS

Trace = Mapping[str, str]
"""Cells by the vendor's names of columns; those that are empty are not there."""


class RowReason(StrEnum):
    """Why a row is none of the broker's, or not to be understood."""

    NO_HEADER = "no-header"
    NO_CLASS = "no-class"
    NO_SUBCLASS = "no-subclass"
    NO_INSTANT = "no-instant"
    ODD_INSTANT = "odd-instant"
    NO_NUMBER = "no-number"
    TOO_LARGE = "too-large"
    NO_GUID = "no-guid"
    NO_ROLE = "no-role"
    OTHER_WIDTH = "other-width"
    NO_CSV = "no-csv"


_WORDS: Final = {
    RowReason.NO_HEADER: "the first row of the file names no column",
    RowReason.NO_CLASS: "no class of the broker",
    RowReason.NO_SUBCLASS: "no such subclass",
    RowReason.NO_INSTANT: "no instant",
    RowReason.ODD_INSTANT: "no time at which a broker was traced",
    RowReason.NO_NUMBER: "{column} is no number",
    RowReason.TOO_LARGE: "{column} is too large a number",
    RowReason.NO_GUID: "{column} is no uniqueidentifier",
    RowReason.NO_ROLE: "no role",
    RowReason.OTHER_WIDTH: "the row has not as many columns as the header",
    RowReason.NO_CSV: "no row of CSV",
}


class RowRefused(Exception):
    """A row that is not taken: why, the column that it is about, if it is about one, and what stood there."""

    def __init__(self, reason: RowReason, value: str, column: str = "") -> None:
        super().__init__(f"{_WORDS[reason].format(column=column)}: {value}")
        self.reason: Final = reason
        self.column: Final = column


SMALL_DIGITS: Final = 9
_FIRST, _LAST = datetime(2000, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC)
"""Service Broker is of 2005. The least and the largest dates of .NET and SQL stand where a time is missing."""
_C: Final = TraceClass
_EVENTS: Final[Mapping[TraceClass, str]] = {
    _C.BROKER_CONVERSATION: "conversation-state-changed",
    _C.BROKER_CONVERSATION_GROUP: "conversation-group-changed",
    _C.BROKER_CONNECTION: "connection-state-changed",
    _C.BROKER_FORWARDED_MESSAGE_SENT: "forwarded-message-sent",
    _C.BROKER_FORWARDED_MESSAGE_DROPPED: "forwarded-message-dropped",
    _C.BROKER_MESSAGE_CLASSIFY: "message-classified",
    _C.BROKER_TRANSMISSION: "transmission-status-changed",
    _C.BROKER_QUEUE_DISABLED: "queue-disabled",
    _C.BROKER_MIRRORED_ROUTE_STATE_CHANGED: "mirrored-route-state-changed",
    _C.BROKER_REMOTE_MESSAGE_ACKNOWLEDGEMENT: "remote-acknowledgement-sent",
    _C.AUDIT_BROKER_CONVERSATION: "conversation-audited",
    _C.AUDIT_BROKER_LOGIN: "broker-login-audited",
    _C.BROKER_MESSAGE_UNDELIVERABLE: "message-undeliverable",
    _C.BROKER_CORRUPTED_MESSAGE: "message-corrupted",
    _C.BROKER_ACTIVATION: "queue-activation",
}
_XE_NAMES: Final = {
    "broker_activation": _C.BROKER_ACTIVATION,
    "broker_conversation": _C.BROKER_CONVERSATION,
    "broker_conversation_group": _C.BROKER_CONVERSATION_GROUP,
    "broker_corrupted_message": _C.BROKER_CORRUPTED_MESSAGE,
    "broker_forwarded_message_sent": _C.BROKER_FORWARDED_MESSAGE_SENT,
    "broker_forwarded_message_dropped": _C.BROKER_FORWARDED_MESSAGE_DROPPED,
    "broker_message_classify": _C.BROKER_MESSAGE_CLASSIFY,
    "broker_message_undeliverable": _C.BROKER_MESSAGE_UNDELIVERABLE,
    "broker_mirrored_route_state_changed": _C.BROKER_MIRRORED_ROUTE_STATE_CHANGED,
    "broker_queue_disabled": _C.BROKER_QUEUE_DISABLED,
    "broker_remote_message_acknowledgement": _C.BROKER_REMOTE_MESSAGE_ACKNOWLEDGEMENT,
    "broker_transmission_exception": _C.BROKER_TRANSMISSION,
}
_NAMES: Final = {description.name.lower(): kind for kind, description in TRACE_CLASSES.items()} | _XE_NAMES
_HANDLED: Final = frozenset({_C.BROKER_CONVERSATION, _C.BROKER_TRANSMISSION, _C.BROKER_REMOTE_MESSAGE_ACKNOWLEDGEMENT})
"""Classes whose ObjectName is a handle."""
_RECEIVERS: Final = frozenset(
    {_C.AUDIT_BROKER_CONVERSATION, _C.BROKER_MESSAGE_UNDELIVERABLE, _C.BROKER_CORRUPTED_MESSAGE}
)
"""Classes whose RoleName is of who received the message."""


def lake_row(estate: str, instance: str, number: int, trace: Trace, zone: tzinfo = UTC) -> dict[str, Any]:
    """The row; `number` is its place when the trace has no EventSequence, `zone` that of times without an offset.

    Raises `RowRefused`.
    """
    kind = _class_of(trace)
    at = _instant(trace, zone)
    row: dict[str, Any] = {
        "estate": estate,
        "trace_date": at.date(),
        "hour": at.hour,
        "instance": instance,
        "event_number": _number(trace, "EventSequence", number),
        "event_time": at,
        "event": _EVENTS[kind],
        "database": trace.get("DatabaseName"),
        "number": _number(trace, "Error"),
        "text": trace.get("TextData"),
        # In one order, whatever that of the columns: a row that is sent again is known by it.
        "payload": msgspec.json.encode(dict(sorted(trace.items()))).decode(),
    }
    subclass = _subclass(kind, trace)
    row.update(_SPECIFIC.get(kind, _nothing)(trace, subclass))
    if kind in _HANDLED:
        row["conversation_handle"] = _guid(trace, "ObjectName")
    return {name: value for name, value in row.items() if name in COLUMNS.names}


# ── cells ──
def _class_of(trace: Trace) -> TraceClass:
    named = trace.get("EventClass", "")
    found = _NAMES.get(named.lower())
    if found is None and (number := _small_number(named)) in list(TraceClass):
        found = TraceClass(number)
    if found is None:
        raise RowRefused(RowReason.NO_CLASS, named)
    return found


def _subclass(kind: TraceClass, trace: Trace) -> str | None:
    """Profiler writes `11 - BEGIN DIALOG`, a query of the trace the number alone, Extended Events the name alone."""
    text = trace.get("EventSubClass")
    known = TRACE_CLASSES[kind].subclasses
    if text is None or not known:
        return None
    first, _, rest = text.partition(" - ")
    if 1 <= (number := _small_number(first)) <= len(known):
        return known[number - 1]
    for name in known:
        if name.lower() in (text.lower(), rest.lower()):
            return name
    raise RowRefused(RowReason.NO_SUBCLASS, text)


def _small_number(text: str) -> int:
    """0 for what is none; a number of thousands of digits is an error of `int`, not a number."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= SMALL_DIGITS else 0


def _instant(trace: Trace, zone: tzinfo) -> datetime:
    """In UTC. Of an hour that the clock of the zone went through twice, the first time is meant."""
    text = trace.get("StartTime", "")
    try:
        told = datetime.fromisoformat(text)
        at = (told.replace(tzinfo=zone) if told.tzinfo is None else told).astimezone(UTC)
    except (ValueError, OverflowError):
        raise RowRefused(RowReason.NO_INSTANT, text) from None
    if not _FIRST <= at < _LAST:
        raise RowRefused(RowReason.ODD_INSTANT, text)
    return at


def _number(trace: Trace, name: str, otherwise: int | None = None) -> int | None:
    text = trace.get(name)
    if text is None:
        return otherwise
    bits = 32 if name in ("Error", "Priority", "IndexID") else 64
    try:
        value = int(text)
    except ValueError:
        raise RowRefused(RowReason.NO_NUMBER, text, name) from None
    if not -(2 ** (bits - 1)) <= value < 2 ** (bits - 1):
        raise RowRefused(RowReason.TOO_LARGE, text, name)
    return value


def _guid(trace: Trace, name: str) -> str | None:
    text = trace.get(name)
    if text is None:
        return None
    try:
        return str(UUID(text))
    except ValueError:
        raise RowRefused(RowReason.NO_GUID, text, name) from None


def _is_initiator(trace: Trace) -> bool | None:
    text = trace.get("RoleName")
    if text is None:
        return None
    if text.lower() not in ("initiator", "target"):
        raise RowRefused(RowReason.NO_ROLE, text)
    return text.lower() == "initiator"


# ── what each class has of its own ──
def _conversation(trace: Trace, subclass: str | None) -> dict[str, Any]:
    row: dict[str, Any] = {
        "conversation_id": _guid(trace, "GUID"),
        "conversation_group_id": _guid(trace, "MethodName"),
        "is_initiator": _is_initiator(trace),
        "priority": _number(trace, "Priority"),
        "state": trace.get("TextData"),
        "text": None,
    }
    if subclass is not None:
        happenings = list(ConversationHappening)
        row["happening"] = happenings[TRACE_CLASSES[_C.BROKER_CONVERSATION].number(subclass) - 1].value
    sequence = _number(trace, "BigintData1")
    moved = {"SEND Message": "message-queued-for-transmission", "Received Sequenced Message": "message-delivered"}
    if subclass in moved and sequence is not None:
        row |= {"event": moved[subclass], "message_sequence_number": sequence}
        row["message_kind"] = "user" if subclass == "SEND Message" else None
        row["happening"] = None
    return row


def _forwarded(trace: Trace, subclass: str | None) -> dict[str, Any]:
    return {
        "conversation_id": _guid(trace, "GUID"),
        "from_initiator": _is_initiator(trace),
        "message_sequence_number": _number(trace, "BigintData1"),
        "message_id": trace.get("ObjectName"),
        "to_service": trace.get("FileName"),
        "to_broker_instance": _guid(trace, "OwnerName"),
        "from_service": trace.get("TargetUserName"),
        "from_broker_instance": _guid(trace, "DBUserName"),
        "hops_remaining": _number(trace, "IndexID"),
        "time_consumed": None if (consumed := _number(trace, "Success")) is None else float(consumed),
        "address": trace.get("TargetLoginName"),
    }


def _classified(trace: Trace, subclass: str | None) -> dict[str, Any]:
    row: dict[str, Any] = {
        "conversation_id": _guid(trace, "GUID"),
        "to_service": trace.get("FileName"),
        "broker_instance": _guid(trace, "OwnerName"),
        "address": trace.get("TargetUserName"),
        "classification": None if subclass is None else subclass.lower(),
    }
    return row | ({"database": None} if trace.get("RoleName") == "from network" else {})


def _acknowledged(trace: Trace, subclass: str | None) -> dict[str, Any]:
    row: dict[str, Any] = {
        "conversation_id": _guid(trace, "GUID"),
        "up_to": _number(trace, "BigintData2"),
    }
    if subclass is not None and subclass.endswith("Received"):
        row["event"] = "remote-message-acknowledged"
    return row


def _received(trace: Trace, subclass: str | None) -> dict[str, Any]:
    role = _is_initiator(trace)
    return {
        "conversation_id": _guid(trace, "GUID"),
        "from_initiator": None if role is None else not role,
        "message_sequence_number": _number(trace, "BigintData1"),
    }


def _queue(trace: Trace, subclass: str | None) -> dict[str, Any]:
    return {"queue": trace.get("ObjectName") or trace.get("ObjectID"), "count": _number(trace, "IntegerData")}


def _connection(trace: Trace, subclass: str | None) -> dict[str, Any]:
    return {"address": trace.get("ObjectName"), "state": subclass}


def _group(trace: Trace, subclass: str | None) -> dict[str, Any]:
    return {"conversation_group_id": _guid(trace, "GUID")}


def _mirrored(trace: Trace, subclass: str | None) -> dict[str, Any]:
    return {
        "route": trace.get("ObjectName"),
        "service": trace.get("FileName"),
        "broker_instance": _guid(trace, "OwnerName"),
        "address": trace.get("TargetLoginName"),
    }


def _nothing(trace: Trace, subclass: str | None) -> dict[str, Any]:
    return {}


_SPECIFIC: Final[Mapping[TraceClass, Callable[[Trace, str | None], dict[str, Any]]]] = {
    _C.BROKER_CONVERSATION: _conversation,
    _C.BROKER_CONVERSATION_GROUP: _group,
    _C.BROKER_CONNECTION: _connection,
    _C.BROKER_FORWARDED_MESSAGE_SENT: _forwarded,
    _C.BROKER_FORWARDED_MESSAGE_DROPPED: _forwarded,
    _C.BROKER_MESSAGE_CLASSIFY: _classified,
    _C.BROKER_MIRRORED_ROUTE_STATE_CHANGED: _mirrored,
    _C.BROKER_REMOTE_MESSAGE_ACKNOWLEDGEMENT: _acknowledged,
    **dict.fromkeys(_RECEIVERS, _received),
    _C.BROKER_QUEUE_DISABLED: _queue,
    _C.BROKER_ACTIVATION: _queue,
}
