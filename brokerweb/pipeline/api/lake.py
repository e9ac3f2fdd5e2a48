"""The lake of an estate: looked at."""

from __future__ import annotations

from django.http import HttpRequest
from ninja import Router

from brokerweb.accounts.api import viewing
from brokerweb.common.api.names import ESTATE
from brokerweb.pipeline.api.schemas import LakeOut
from brokerweb.pipeline.selectors.lake import lake_read

router = Router(tags=["analytics"])

LAKE = ESTATE + "/lake"


@router.get(LAKE, response={200: LakeOut}, operation_id="lake_read", auth=viewing)
def lake_read_(request: HttpRequest, estate: str) -> LakeOut:
    """What the lake has of an estate, and how far each of its instances is exported."""
    return LakeOut(**lake_read(estate))
