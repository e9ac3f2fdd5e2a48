"""Where the boxes of the drawing stand: annotations that everybody sees, and whoever may edit moves."""

from __future__ import annotations

from django.http import HttpRequest
from ninja import Field, Router, Status
from pydantic import StrictFloat

from brokerweb.accounts.api import editing, viewing
from brokerweb.common.api.names import ESTATE
from brokerweb.common.api.shape import Request, Shape
from brokerweb.topology.models.positions import NODE_LENGTH
from brokerweb.topology.selectors.positions import positions_picture
from brokerweb.topology.services.positions import positions_set

router = Router(tags=["positions"])

NODE = r"^(?:(?:instance|ghost|fork|transport)/[^\x00]+|elsewhere)$"
FARTHEST = 10_000_000
AT_ONCE = 5000


class PositionOut(Shape):
    node: str
    """Id of the box, such as `instance/PARIS`."""
    x: float
    """Of its left upper corner, in pixels of the drawing at life size."""
    y: float


class PositionsOut(Shape):
    """Boxes that somebody has put somewhere; all others are where the layout puts them."""

    positions: list[PositionOut]


class PositionIn(Request):
    node: str = Field(max_length=NODE_LENGTH, pattern=NODE)
    x: StrictFloat = Field(ge=-FARTHEST, le=FARTHEST)
    y: StrictFloat = Field(ge=-FARTHEST, le=FARTHEST)


class PositionsIn(Request):
    """What moved. Boxes that are not named stay where they are."""

    put: list[PositionIn] = Field(default=[], max_length=AT_ONCE)
    forgotten: list[str] = Field(default=[], max_length=AT_ONCE)
    """Boxes to give back to the layout; one that has no position is no error."""


@router.get(ESTATE + "/positions", response={200: PositionsOut}, operation_id="positions_read", auth=viewing)
def positions_read(request: HttpRequest, estate: str) -> PositionsOut:
    """Where boxes of the drawing were put. It is the same live and in every change set."""
    return PositionsOut(positions=[PositionOut(**each) for each in positions_picture(estate)])


@router.patch(ESTATE + "/positions", response={204: None}, operation_id="positions_set", auth=editing)
def positions_set_(request: HttpRequest, estate: str, body: PositionsIn) -> Status:
    """Move boxes of the drawing: no revision, nothing to apply; the last to move a box is right."""
    positions_set(estate, {each.node: (each.x, each.y) for each in body.put}, body.forgotten)
    return Status(204, None)
