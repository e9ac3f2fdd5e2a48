"""Shapes of flows and of what a change set makes of them, as they travel."""

from __future__ import annotations

from datetime import datetime
from typing import Literal
from uuid import UUID

from ninja import Field
from pydantic import StrictBool

from brokerweb.common.api.shape import Request, Shape
from brokerweb.topology.models import IntendedLoss
from brokerweb.topology.selectors.draft_flows import FlowRow
from engine import api as engine

Disposition = engine.what_if.Disposition
FlowChange = engine.what_if.FlowChange

KEYS_MAX = 20_000
"""Losses that are ticked by one request."""
KEY_LENGTH_MAX = 2_000


class FlowQuestionOut(Shape):
    """Where would a message go that `service` of this database sends to `to_service`?"""

    instance: str
    database: str
    service: str
    to_service: str
    broker_instance: UUID | None
    """The broker id that BEGIN DIALOG names; null for a dialog begun without."""
    contract: str | None = None
    """ON CONTRACT; null for the one by which most arrives."""
    message_type: str | None = None
    """Of the first message; null for the first that its sender may send."""
    encryption: bool | None = None
    """ENCRYPTION of BEGIN DIALOG."""


class FlowImpactRow(Shape):
    """A flow that a change makes another one."""

    key: str
    """The same for the same flow, always."""
    question: FlowQuestionOut
    change: FlowChange
    before: Disposition | None
    """Null where there was nobody to ask."""
    after: Disposition | None
    before_number: int | None
    after_number: int | None
    before_route: str | None
    after_route: str | None


class IntendedByOut(Shape):
    """Who has said that a loss is meant, and when."""

    author: str
    """Empty where nobody was logged in."""
    intended_at: datetime


class DraftFlowOut(FlowImpactRow):
    """A flow that a change set makes another one."""

    is_intended: bool
    """It is lost, and somebody has said that this is meant."""
    intended_by: IntendedByOut | None
    is_observed: bool
    """Conversations of running instances have shown it; otherwise it is possible by definition."""


class FlowsQuery(Request):
    """Which flows are told; what is absent restricts nothing. Counts are those of all."""

    change: Literal["lost", "moved", "gained"] | None = None
    instance: str | None = None
    """Of the sender."""
    text: str | None = Field(default=None, max_length=256)
    """Part of a name in it, in any letter case."""
    unticked: bool = False
    """Only losses that nobody has ticked."""
    page: int = Field(default=1, ge=1, le=1_000_000)
    rows: int = Field(default=100, ge=1, le=1000)
    """Flows of a page."""


class DraftFlowsOut(Shape):
    """What a change set does to the flows of its estate: by what becomes of them, losses first, then by their names."""

    number: int
    sequence: int
    flows: int
    """All that were looked at: those that are possible by definition, and those that traffic has shown."""
    unchanged: int
    lost: int
    moved: int
    gained: int
    unticked: int
    """Losses that nobody has said to be meant; while there is one, the change set cannot be applied."""
    matching: int
    """Flows that fit what was asked for."""
    rows: list[DraftFlowOut]
    page: int
    pages: int
    unread: list[str]
    """Instances whose traffic could not be read."""


class FlowsIntended(Request):
    """Which losses are meant, or are not."""

    keys: list[str] = Field(min_length=1, max_length=KEYS_MAX)
    intended: StrictBool


def flow_picture(found: FlowRow) -> DraftFlowOut:
    """A flow as it travels."""
    row = FlowImpactRow.from_orm(found.row)
    return DraftFlowOut(
        **dict(row),
        is_intended=found.intended is not None,
        intended_by=None if found.intended is None else _by(found.intended),
        is_observed=found.is_observed,
    )


def _by(tick: IntendedLoss) -> IntendedByOut:
    return IntendedByOut(author=tick.author_name, intended_at=tick.intended_at)
