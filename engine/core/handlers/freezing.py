"""An idle endpoint as a row of the work table and back (protocol.md 5): its durable row, and what it last decided."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from engine.core.dialog.endpoint import DialogEndpoint
from engine.core.routing.decision import ClassifierDecision
from engine.core.transmission.work_table import WorkRow
from engine.core.vocabulary.moment import UtcTime
from engine.core.vocabulary.rows import ConversationEndpoint, ConversationState
from engine.core.vocabulary.settings import DialogSettings

_FIELDS: Final = msgspec.structs.fields(ConversationEndpoint)
_Cells: Any = tuple[tuple(field.type for field in _FIELDS)]  # type: ignore[misc]
_Body: Any = tuple[_Cells, ClassifierDecision | None, bool]

_encoder: Final = msgspec.msgpack.Encoder(uuid_format="bytes")
_decoder: Final = msgspec.msgpack.Decoder(_Body)


def freeze(endpoint: DialogEndpoint, settings: DialogSettings) -> WorkRow:
    """Everything that an idle endpoint knows. Its decision is made anew when needed, from the one it last told."""
    row = endpoint.row
    return WorkRow(
        serial=endpoint.serial,
        database=endpoint.database,
        conversation_handle=row.conversation_handle,
        conversation_id=row.conversation_id,
        is_initiator=row.is_initiator,
        conversation_group_id=row.conversation_group_id,
        wake_at=end_of_life(row, settings),
        body=_encoder.encode((msgspec.structs.astuple(row), endpoint.announced, endpoint.first_acknowledged)),
    )


def thaw(work_row: WorkRow) -> tuple[ConversationEndpoint, ClassifierDecision | None, bool]:
    """The durable row, the decision last told, and whether message 0 was acknowledged."""
    cells, announced, first_acknowledged = _decoder.decode(work_row.body)
    row = ConversationEndpoint(**{field.name: cell for field, cell in zip(_FIELDS, cells, strict=True)})
    return row, announced, first_acknowledged


def end_of_life(row: ConversationEndpoint, settings: DialogSettings) -> UtcTime | None:
    """When an endpoint expires or, being closed, is dropped (protocol.md 8.4, 8.5); None when it waits for its END."""
    if row.state is ConversationState.ERROR:
        return None
    if row.state is ConversationState.CLOSED:
        armed = row.security_timestamp > 0
        return row.security_timestamp if armed else UtcTime(row.lifetime + settings.closed_target_guard_seconds)
    return row.lifetime
