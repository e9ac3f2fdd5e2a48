"""Who hosts the instances of an estate."""

from __future__ import annotations

import msgspec
from django.http import HttpRequest
from ninja import Router

from brokerweb.accounts.api import viewing
from brokerweb.common.api.names import ESTATE
from brokerweb.common.api.shape import Shape
from brokerweb.operations.hosting_status import HostingState, hosting_status

router = Router(tags=["operations"])


class InstanceHostingOut(Shape):
    """One instance and its host. Figures are at most a few seconds old, null when nobody told any."""

    estate: str
    instance: str
    state: HostingState
    holder: str | None
    """Name of the worker, its process and its run; null when nobody has the instance."""
    since: float | None
    """Unix seconds."""
    fence: int
    """Fencing number of the last owner; 0 when there was none."""
    applied_revision: int | None
    wanted_revision: int | None
    inbox: int | None
    """What waits for the next commit."""
    transmission: int | None
    """Messages in its transmission queues."""
    oldest_seconds: float | None
    """Age of the oldest of them."""
    ready: int | None
    """Messages that wait to be received."""
    last_event: int | None
    worker_bytes: int | None
    """Resident memory of the whole worker."""
    failure: str
    """Why it does not work; empty while it does."""


@router.get(
    ESTATE + "/hosting",
    response={200: list[InstanceHostingOut]},
    operation_id="hosting_read",
    auth=viewing,
)
def hosting_read(request: HttpRequest, estate: str) -> list[InstanceHostingOut]:
    """Which worker hosts which instance, since when, with which revision, lag and memory, as of its last renewal."""
    return [InstanceHostingOut(**msgspec.structs.asdict(each)) for each in hosting_status(estate)]
