"""A lake for the pipeline's figures: conversations of two messages over a forwarder, ten events each, from a seed.

One in a thousand of the first messages came once more, and one in ten thousand is lost: what `audit` has to find.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from engine.pipeline.lake.schema import COLUMNS
from engine.pipeline.lake.writing import Lake
from tests.benchmarks.pipeline.conversations import identifiers

EVENTS_EACH = 10
FILE_CONVERSATIONS = 100_000
HOURS = 24
INSTANCES, SERVICES = 50, 400
FIRST_AT = int(datetime(2026, 11, 1, tzinfo=UTC).timestamp()) * 1_000_000
"""Microseconds."""
LOST_EACH, DOUBLED_EACH = 10_000, 1_000
_NUMBERS_EACH = EVENTS_EACH + 1
"""The last one is that of a message that came once more."""
_PAYLOAD = "{" + " " * 240 + "}"
"""As long as an event; none of the jobs that are measured reads it."""

# Who tells it (0 the initiator's instance, 1 the forwarder, 2 the target's), which event, milliseconds after the first,
# and the columns that it has besides those that all have.
_TOLD: tuple[tuple[int, str, int, dict[str, object]], ...] = (
    (0, "conversation-state-changed", 0, {"is_initiator": True, "state": "SO", "happening": "begin-dialog"}),
    (0, "message-classified", 1, {"from_initiator": True, "route": "Weg", "classification": "remote"}),
    (0, "message-queued-for-transmission", 1, {"message_sequence_number": 0, "message_kind": "user"}),
    (1, "forwarded-message-sent", 4, {"message_sequence_number": 0, "from_initiator": True, "hops_remaining": 9}),
    (2, "conversation-state-changed", 9, {"is_initiator": False, "state": "CO", "happening": "dialog-created"}),
    (2, "message-delivered", 9, {"message_sequence_number": 0, "message_type_name": "DEFAULT", "queue": "dbo.Q"}),
    (0, "message-queued-for-transmission", 10, {"message_sequence_number": 1, "message_kind": "user"}),
    (1, "forwarded-message-sent", 14, {"message_sequence_number": 1, "from_initiator": True, "hops_remaining": 9}),
    (2, "message-delivered", 19, {"message_sequence_number": 1, "message_type_name": "DEFAULT", "queue": "dbo.Q"}),
    (0, "remote-message-acknowledged", 40, {"up_to": 1}),
)


def write_lake(folder: Path, events: int) -> None:
    """About so many events in a lake; what is there already stays."""
    if (folder / "made").exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    lake, generator = Lake(folder / "lake"), np.random.default_rng(10)
    conversations = events // EVENTS_EACH
    for number, first in enumerate(range(0, conversations, FILE_CONVERSATIONS)):
        count = min(FILE_CONVERSATIONS, conversations - first)
        lake.take_over("bench", "all", _rows(generator, first, count, number % HOURS))
    (folder / "made").touch()


def _rows(generator: np.random.Generator, first: int, count: int, hour: int) -> pa.Table:
    number = np.arange(first, first + count)
    ids, ends = identifiers(generator, count), (identifiers(generator, count), identifiers(generator, count))
    began = FIRST_AT + hour * 3_600_000_000 + generator.integers(0, 3_500_000_000, count)
    service = pa.array([f"//orders/{at}" for at in range(SERVICES)]).take(
        pa.array(generator.integers(0, SERVICES, count))
    )
    names = pa.array([f"SRV{at:03}" for at in range(INSTANCES)] + ["HUB"])
    from_instance = generator.integers(0, INSTANCES, count)
    told_by = (from_instance, np.full(count, INSTANCES), (from_instance + 1 + number % (INSTANCES - 1)) % INSTANCES)
    parts = []
    for at, (who, event, after, given) in enumerate(_TOLD):
        delay = generator.integers(0, 1000, count) * (1 + at)
        columns = {
            "estate": "bench",
            "hour": hour,
            "event": event,
            "instance": names.take(pa.array(told_by[who])),
            "event_number": pa.array(number * _NUMBERS_EACH + at + 1),
            "event_time": pa.array(began + after * 1000 + delay, pa.timestamp("us", "UTC")),
            "trace_date": datetime(2026, 11, 1, tzinfo=UTC).date(),
            "payload": _PAYLOAD,
            **given,
            **_names(who, event, ids, ends, service),
        }
        part = _table(columns, count)
        parts.append(part.filter(pa.array(_is_kept(number, at))))
        if at == 5:
            # An event of its own: the same one a second time is not taken into a lake.
            again = part.set_column(
                COLUMNS.get_field_index("event_number"), "event_number", pa.array((number + 1) * _NUMBERS_EACH)
            )
            parts.append(again.filter(pa.array(number % DOUBLED_EACH == 3)))
    return pa.concat_tables(parts)


def _names(
    who: int, event: str, ids: pa.Array, ends: tuple[pa.Array, pa.Array], service: pa.Array
) -> dict[str, object]:
    """A forwarder knows the conversation, an end its handle; who tells of the state of an end says both."""
    if who == 1:
        return {"conversation_id": ids, "to_service": service, "address": "TCP://hub:4022"}
    database = "Ventes" if who == 0 else "Werk"
    if event == "message-classified":
        return {"conversation_id": ids, "to_service": service, "address": "TCP://hub:4022", "database": database}
    both = {"conversation_id": ids} if event == "conversation-state-changed" else {}
    return {"conversation_handle": ends[0 if who == 0 else 1], "database": database, **both}


def _is_kept(number: npt.NDArray[np.int64], at: int) -> npt.NDArray[np.bool_]:
    """The first message of some conversations was never delivered, although it was acknowledged."""
    return (number % LOST_EACH != 7) if at == 5 else np.ones(len(number), np.bool_)


def _table(given: dict[str, object], count: int) -> pa.Table:
    columns = []
    for field in COLUMNS:
        value = given.get(field.name)
        whole = value if isinstance(value, pa.Array) else pa.repeat(pa.scalar(value, field.type), count)
        columns.append(whole.cast(field.type))
    return pa.table(columns, schema=COLUMNS)
