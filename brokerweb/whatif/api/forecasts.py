"""What becomes of a conversation's messages on all hops, over HTTP. Nothing is written."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.http import HttpRequest
from ninja import Router

from brokerweb.accounts.api import viewing
from brokerweb.common.api.names import DATABASE
from brokerweb.common.api.shape import Shape
from brokerweb.common.languages import asked_language
from brokerweb.topology.selectors.places import database_place
from brokerweb.whatif.api.schemas import LegKind, WhatIfOut, answer_picture
from brokerweb.whatif.selectors.forecasts import forecast_of
from engine import api as engine

router = Router(tags=["what-if"])


class BrokenByOut(Shape):
    """The revision since which the messages do not arrive."""

    number: int
    summary: str
    at: datetime


class ForecastFinding(Shape):
    """A finding that tells of the same fault."""

    key: str
    code: str
    title: str


class ForecastOut(Shape):
    """What would become of the messages of a conversation, on all hops."""

    leg: LegKind
    """The leg that the messages of this side go."""
    what_if: WhatIfOut | None
    """Null where the far end of the conversation is in no instance of the estate, or nothing more is sent on it."""
    stopped: list[str]
    """Instances on the way whose endpoint is stopped."""
    findings: list[ForecastFinding]
    broken_by: BrokenByOut | None
    """Null where the messages arrive, or none of the last revisions is it."""


@router.get(
    DATABASE + "/conversations/{guid:handle}/forecast",
    response={200: ForecastOut},
    operation_id="conversation_forecast",
    auth=viewing,
)
def conversation_forecast(request: HttpRequest, estate: str, instance: str, database: str, handle: UUID) -> ForecastOut:
    """The what-if of a conversation, with its contract, message type, broker id and encryption, and its cures."""
    found = forecast_of(database_place(estate, instance, database), handle)
    broken = found.broken_by
    return ForecastOut(
        leg=found.leg,
        what_if=None if found.answered is None else answer_picture(found.answered),
        stopped=list(found.stopped),
        findings=[
            ForecastFinding(key=each.key, code=each.code, title=engine.diagnosis.worded(each, asked_language()).title)
            for each in found.findings
        ],
        broken_by=None if broken is None else BrokenByOut(number=broken.number, summary=broken.summary, at=broken.at),
    )
