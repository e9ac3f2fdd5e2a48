"""One look at an instance over HTTP: the same rows that the websocket sends, for scripts and where sockets are cut."""

from __future__ import annotations

from typing import Any

import msgspec
from django.http import HttpRequest
from ninja import Query, Router

from brokerweb.accounts.api import viewing
from brokerweb.common.api.errors import PROBLEMS
from brokerweb.common.api.names import INSTANCE
from brokerweb.topology.selectors.places import instance_place
from engine import api as engine

router = Router(tags=["live"])


@router.get(
    INSTANCE + "/view",
    response={200: dict[str, Any], **PROBLEMS},
    operation_id="instance_view_read",
    auth=viewing,
)
def instance_view_read(
    request: HttpRequest, estate: str, instance: str, rows: int = Query(200, ge=0, le=10_000)
) -> dict[str, Any]:
    """What an instance is doing now: connections, and of each database its queues, endpoints and waiting messages.

    At most `rows` rows of each list; the totals say how many there are. Columns carry the vendor's names.
    """
    place = instance_place(estate, instance)
    view: dict[str, Any] = msgspec.to_builtins(engine.read_view(place.estate, place.instance, rows))
    return view
