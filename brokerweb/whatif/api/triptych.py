"""One question as a mirrored pair stands: as it is, failed over, and with both partners down. Nothing is written."""

from __future__ import annotations

from django.http import HttpRequest
from ninja import Router

from brokerweb.accounts.api import viewing
from brokerweb.common.api.shape import Shape
from brokerweb.whatif.api.answers import WHAT_IF
from brokerweb.whatif.api.schemas import BasisOut, FaultOut, ToldAnswer, WhatIfIn, basis_picture
from brokerweb.whatif.selectors.basis import basis_of
from brokerweb.whatif.selectors.triptych import triptych_of
from engine import api as engine

router = Router(tags=["what-if"])

PairState = engine.what_if.PairState


class PartnerOut(Shape):
    """One database of the pair, as it is."""

    instance: str
    database: str
    is_principal: bool


class DialledOut(Shape):
    """Where the pair is looked for: a hop that takes a mirrored route."""

    instance: str
    table: str
    route: str
    address: str
    """The one that is dialled."""
    is_mirror_address: bool
    """It is the route's MIRROR_ADDRESS."""


class TriptychColumnOut(Shape):
    """The answer as one state of the pair makes it."""

    name: PairState
    faults: list[FaultOut]
    answer: ToldAnswer
    dialled: list[DialledOut]
    """Each mirrored route on the way; empty where the pair is reached without one."""


class TriptychOut(Shape):
    """One question, three states of the pair that is on its way."""

    basis: BasisOut
    pair: list[PartnerOut]
    columns: list[TriptychColumnOut]
    """As it is, failed over, both partners down, in this order."""


@router.post(WHAT_IF + "/triptych", response={200: TriptychOut}, operation_id="what_if_triptych", auth=viewing)
def what_if_triptych(request: HttpRequest, estate: str, body: WhatIfIn) -> TriptychOut:
    """One question for three states of the mirrored pair on its way; 1416 where there is none."""
    basis = basis_of(estate, body.asked())
    found = triptych_of(basis, body.question.asked())
    return TriptychOut(
        basis=basis_picture(basis, found.columns[0].answer.engine_version),
        pair=[PartnerOut.from_orm(each) for each in found.pair],
        columns=[TriptychColumnOut.from_orm(each) for each in found.columns],
    )
