"""An idle endpoint as a row of the work table and back (protocol.md 5): its durable row, and what it last decided."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import msgspec

from engine.core.dialog.endpoint import DialogEndpoint
from engine.core.routing.decision import ClassifierDecision
from engine.core.transmission.work_table import WorkEntry, WorkRow
from engine.core.vocabulary.identifiers import shared
from engine.core.vocabulary.moment import NEVER_SET, UtcTime
from engine.core.vocabulary.rows import ConversationEndpoint, ConversationState
from engine.core.vocabulary.settings import DialogSettings

_FIELDS: Final = msgspec.structs.fields(ConversationEndpoint)
_NAMES: Final = [field.name for field in _FIELDS]
_Cells: Any = tuple[tuple(field.type for field in _FIELDS)]  # type: ignore[misc]
_Body: Any = tuple[_Cells, bytes, bool, int | None, bool]

_encoder: Final = msgspec.msgpack.Encoder(uuid_format="bytes")
_decoder: Final = msgspec.msgpack.Decoder(_Body)
_decision_decoder: Final = msgspec.msgpack.Decoder(ClassifierDecision | None)

DECISIONS_KEPT: Final = 1_000
"""Decisions of written endpoints that are kept, as `SharedDecisions` keeps those that were told last."""


class Frozen(NamedTuple):
    """What a row of the work table tells of an endpoint."""

    row: ConversationEndpoint
    announced: ClassifierDecision | None
    """The decision that was told last."""
    first_acknowledged: bool
    send_priority: int | None
    binding_was_asked: bool


class EndpointFreezer:
    """Writes idle endpoints as rows and reads them. Thousands have told the same decision, which stays one object."""

    def __init__(self) -> None:
        self._encoded: tuple[ClassifierDecision | None, bytes] = None, _encoder.encode(None)
        """The last decision that was written."""
        self._decisions: dict[bytes, ClassifierDecision | None] = {}

    def freeze(self, endpoint: DialogEndpoint, wake_at: UtcTime | None) -> WorkEntry:
        """Everything that an idle endpoint knows. Its decision is made anew when needed, from the one it last told."""
        row = endpoint.row
        return WorkEntry(
            serial=endpoint.serial,
            database=endpoint.database,
            conversation_handle=row.conversation_handle,
            conversation_id=row.conversation_id,
            is_initiator=row.is_initiator,
            conversation_group_id=row.conversation_group_id,
            wake_at=wake_at,
            body=_encoder.encode(
                (
                    msgspec.structs.astuple(row),
                    self._bytes_of(endpoint.announced),
                    endpoint.first_acknowledged,
                    endpoint.send_priority,
                    endpoint.binding_was_asked,
                )
            ),
        )

    def _bytes_of(self, decision: ClassifierDecision | None) -> bytes:
        if self._encoded[0] is not decision:
            self._encoded = decision, _encoder.encode(decision)
            self._keep(self._encoded[1], decision)
        return self._encoded[1]

    def _keep(self, encoded: bytes, decision: ClassifierDecision | None) -> None:
        if len(self._decisions) >= DECISIONS_KEPT:
            self._decisions.clear()
        self._decisions[encoded] = decision

    def thaw(self, work_row: WorkRow) -> Frozen:
        """What was written."""
        cells, encoded, *others = _decoder.decode(work_row.body)
        values = dict(zip(_NAMES, cells, strict=True))
        for name in ("service", "contract", "far_service"):
            values[name] = shared(values[name])
        if encoded not in self._decisions:
            self._keep(encoded, _decision_decoder.decode(encoded))
        return Frozen(ConversationEndpoint(**values), self._decisions[encoded], *others)


def next_deadline(row: ConversationEndpoint, settings: DialogSettings) -> UtcTime | None:
    """When time alone changes an endpoint: its timer runs out (protocol.md 16), or its life ends."""
    ends_at = end_of_life(row, settings)
    if row.dialog_timer == NEVER_SET:
        return ends_at
    return row.dialog_timer if ends_at is None else min(row.dialog_timer, ends_at)


def end_of_life(row: ConversationEndpoint, settings: DialogSettings) -> UtcTime | None:
    """When an endpoint expires or, being closed, is dropped (protocol.md 8.4, 8.5); None when it waits for its END."""
    if row.state is ConversationState.ERROR:
        return None
    if row.state is ConversationState.CLOSED:
        armed = row.security_timestamp > 0
        return row.security_timestamp if armed else UtcTime(row.lifetime + settings.closed_target_guard_seconds)
    return row.lifetime
