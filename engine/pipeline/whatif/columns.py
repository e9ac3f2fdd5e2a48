"""The columns of what `ingest` and `whatif` read and write; `docs/operations/bulk-what-if.md` has them in words."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

import pyarrow as pa

from engine.core.vocabulary.enumerations import plain_members


@plain_members
class Direction(StrEnum):
    """Which end of a conversation sends."""

    INITIATOR = "initiator"
    """The end that has begun the dialog."""
    TARGET = "target"
    """The end that answers."""


CONVERSATION: Final = "conversation_id"
"""Of any type: it is handed on as it is."""
SENDER_NAMES: Final = ("instance", "database", "service", "direction")
"""Who sends: text. Of a `direction` that is null the sender is the initiator."""
TARGET_NAMES: Final = ("to_service", "broker_instance")
"""To whom: text; `broker_instance` is the id that BEGIN DIALOG names, null for none."""
NAMES: Final = (*SENDER_NAMES, *TARGET_NAMES)
CONVERSATIONS, FLOWS, VERDICTS, CHANGES, HEAT = "conversations", "flows", "verdicts", "changes", "heat"

WRITING: Final = {
    # Identifiers are random: the least and the greatest of a file say nothing.
    "parquet.column.statistics.enabled#conversation_id": "false",
    # A dictionary of tens of thousands of flows saves two bytes a row, and costs a tenth of the time of writing.
    "parquet.enable.dictionary#flow": "false",
}
"""Options of Parquet for tables with a row for each conversation."""
FLOWS_SCHEMA: Final = pa.schema(
    [("flow", pa.int32()), *((name, pa.string()) for name in NAMES), ("conversations", pa.int64())]
)
"""Each flow stands at the place that its number is."""
PATH: Final = pa.struct([("instance", pa.string()), ("database", pa.string()), ("route", pa.string())])
VERDICTS_SCHEMA: Final = pa.schema(
    [
        ("flow", pa.int32()),
        ("revision", pa.int64()),
        ("disposition", pa.string()),
        ("works", pa.bool_()),
        ("light", pa.string()),
        ("number", pa.int32()),
        ("end_instance", pa.string()),
        ("end_database", pa.string()),
        ("route", pa.string()),
        ("path", pa.list_(PATH)),
        ("way_share", pa.float64()),
        ("arrives_share", pa.float64()),
        ("heard_share", pa.float64()),
        ("change", pa.string()),
    ]
)
"""Of a flow that nobody can be asked about, because the estate does not have its sender, all but the first two and
`change` are null. `change` is against the first revision, for which it is null."""
