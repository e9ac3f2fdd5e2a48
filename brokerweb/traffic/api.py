"""Test traffic over HTTP: what could be sent, what is being sent, start and stop."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from django.http import HttpRequest
from ninja import Field, Router

from brokerweb.accounts.api import operating, viewing
from brokerweb.common.api.names import ESTATE
from brokerweb.common.api.shape import Request, Shape
from brokerweb.traffic.plan import (
    DIALOG_MESSAGES_MAX,
    PAIRS_MAX,
    RATE_MAX,
    SIZE_MAX,
    TrafficPair,
    TrafficPlan,
)
from brokerweb.traffic.selectors import traffic_offers, traffic_read
from brokerweb.traffic.services.runs import traffic_start, traffic_stop

router = Router(tags=["traffic"])

NAME_MAX = 256


class TrafficPairIn(Request):
    """One service that is to send to another one, which routing finds."""

    from_instance: str = Field(max_length=NAME_MAX)
    from_database: str = Field(max_length=NAME_MAX)
    from_service: str = Field(max_length=NAME_MAX)
    to_service: str = Field(max_length=NAME_MAX)
    contract: str = Field("DEFAULT", max_length=NAME_MAX)
    message_type: str = Field("DEFAULT", max_length=NAME_MAX)


class TrafficIn(Request):
    """What test traffic is to do; the whole estate sends 1,000 messages and 16 MiB a second at most."""

    pairs: list[TrafficPairIn] = Field(min_length=1, max_length=PAIRS_MAX)
    rate: float = Field(1.0, gt=0, le=RATE_MAX, strict=True, allow_inf_nan=False)
    """Messages a second, of each pair."""
    size: int = Field(256, ge=0, le=SIZE_MAX, strict=True)
    """Bytes of a body."""
    reply_ratio: float = Field(0.5, ge=0, le=1, strict=True, allow_inf_nan=False)
    """How many messages are answered, 0 none to 1 all."""
    dialog_messages: int = Field(50, ge=1, le=DIALOG_MESSAGES_MAX, strict=True)
    """Messages that a dialog carries before it ends and another one begins."""


class TrafficPairShape(Shape):
    """One service that sends to another one."""

    from_instance: str
    from_database: str
    from_service: str
    to_service: str
    contract: str
    message_type: str


class TrafficPlanOut(Shape):
    """What a run was asked for."""

    pairs: list[TrafficPairShape]
    rate: float
    size: int
    reply_ratio: float
    dialog_messages: int


class TrafficErrorOut(Shape):
    """One number that something was refused with, or that an Error message has told."""

    code: int | str
    """A number of the engine, negative where an Error message had it, or `engine-unavailable`."""
    count: int
    text: str


class TrafficFiguresOut(Shape):
    """What one pair has done since the run was started."""

    sent: int
    received: int
    """Taken from the target's queue by the generator; 0 where the queue has a reader of its own."""
    replied: int
    """Answers that the generator has sent for the target."""
    answered: int
    """Answers that have come back."""
    failed: int
    dialogs: int
    waiting: int
    """Sent, and not received yet."""
    is_held: bool
    """Whether no more is sent until some of them have arrived."""
    errors: list[TrafficErrorOut]


class TrafficOut(Shape):
    """The newest run of an estate."""

    state: Literal["never", "running", "stopping", "stopped"]
    plan: TrafficPlanOut | None
    started_by: str | None
    started_at: datetime | None
    stopped_at: datetime | None
    is_generated: bool
    """Whether a worker has it; false for a second after the start, and while none is there or heard of."""
    heartbeat_at: datetime | None
    """When that worker was last heard of."""
    rate: float
    """Messages a second that were sent in the last few seconds, all pairs together."""
    left_open: int
    """Ends of conversations that could not be closed when the run ended."""
    pairs: list[TrafficFiguresOut]
    """In the order of the plan."""


class DialogTermsOut(Shape):
    """A contract, and a message type of it that an initiator may send."""

    contract: str
    message_type: str


class TrafficOfferOut(Shape):
    """Two services that can talk, as routing says."""

    from_instance: str
    from_database: str
    from_service: str
    to_instance: str
    to_database: str
    to_service: str
    terms: list[DialogTermsOut]


@router.get(
    ESTATE + "/traffic/offers",
    response={200: list[TrafficOfferOut]},
    operation_id="traffic_offers",
    auth=viewing,
)
def traffic_offers_(request: HttpRequest, estate: str) -> list[TrafficOfferOut]:
    """Pairs of services whose messages arrive and whose answers come back."""
    return [TrafficOfferOut(**offer) for offer in traffic_offers(estate)]


@router.get(ESTATE + "/traffic", response={200: TrafficOut}, operation_id="traffic_read", auth=viewing)
def traffic_read_(request: HttpRequest, estate: str) -> TrafficOut:
    """The test traffic of an estate: what it was asked for, and what it has done; written every half second."""
    return TrafficOut(**traffic_read(estate))


@router.post(ESTATE + "/traffic/start", response={200: TrafficOut}, operation_id="traffic_start", auth=operating)
def traffic_start_(request: HttpRequest, estate: str, body: TrafficIn) -> TrafficOut:
    """Start test traffic. 409 while some runs."""
    asked = body.dict()
    pairs = tuple(TrafficPair(**pair) for pair in asked.pop("pairs"))
    traffic_start(estate, TrafficPlan(pairs=pairs, **asked), user=request.auth)
    return TrafficOut(**traffic_read(estate))


@router.post(ESTATE + "/traffic/stop", response={200: TrafficOut}, operation_id="traffic_stop", auth=operating)
def traffic_stop_(request: HttpRequest, estate: str) -> TrafficOut:
    """Stop it: nothing more is sent, and its conversations are ended. Harmless when nothing runs."""
    traffic_stop(estate, user=request.auth)
    return TrafficOut(**traffic_read(estate))
