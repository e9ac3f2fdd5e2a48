"""One look at an instance over HTTP: the same rows that the websocket sends, for scripts and where sockets are cut."""

from __future__ import annotations

from typing import Any, Literal

import msgspec
from django.http import HttpRequest
from django.utils.translation import gettext as _
from ninja import Field, Query, Router
from pydantic import StrictBool, StrictFloat, StrictInt

from brokerweb.accounts.api import viewing
from brokerweb.accounts.rights import Right
from brokerweb.common.api.names import DATABASE, ESTATE, INSTANCE
from brokerweb.common.api.parameters import refuse_unknown
from brokerweb.common.api.shape import Request, Shape
from brokerweb.common.errors import MalformedRequest, ObjectNotFound
from brokerweb.live.services import system_views
from brokerweb.live.services.snapshots import live_snapshot
from brokerweb.live.topics import TOPICS, UNKNOWN_TOPIC, TopicRefused, topic_of_texts
from brokerweb.topology.private_estates import may_read_bodies
from brokerweb.topology.selectors.places import database_place, instance_place
from engine import api as engine

router = Router(tags=["live"])


class LiveColumn(Shape):
    name: str
    type: str
    """SQL type with its length; `json` for a nested value."""
    nullable: bool
    is_vendors: bool
    """Whether the vendor's view has it, under this name."""


class LiveSnapshot(Shape):
    """A topic as it is now; keys and rows in the same order."""

    type: Literal["snapshot"]
    stream: str
    """Empty: nothing goes on from here."""
    seq: int
    at: float
    """When it was read, UTC seconds."""
    events: dict[str, int]
    """Number of the newest event of each instance that it includes."""
    columns: list[LiveColumn]
    keys: list[str]
    rows: list[list[Any]]
    facts: dict[str, Any]
    """Sums, totals, and who does not answer: by instance, or, of the estate, by name."""


@router.get(
    INSTANCE + "/view",
    response={200: dict[str, Any]},
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


@router.get(
    ESTATE + "/live/{topic}",
    response={200: LiveSnapshot},
    operation_id="live_read",
    auth=viewing,
)
def live_read(request: HttpRequest, estate: str, topic: str) -> Any:
    """A topic of the live view as a subscription's first snapshot has it, for scripts and where sockets are cut.

    Parameters are those of the topic (docs/live.md), lists as repeated parameters; one that is not known is refused.
    """
    try:
        wanted = topic_of_texts(topic, {name: request.GET.getlist(name) for name in request.GET})
    except TopicRefused as error:
        if error.code == UNKNOWN_TOPIC:
            raise ObjectNotFound(
                _("There is no topic {topic}.").format(topic=topic),
                why=_("Topics of the live view have fixed names."),
                cure=_("Take one of {topics}.").format(topics=", ".join(TOPICS)),
            ) from None
        raise MalformedRequest(
            _("The parameters do not fit topic {topic}: {mistake}").format(topic=topic, mistake=error.detail),
            why=_("Each topic takes parameters of its own."),
            cure=_("Mend them; docs/live.md has those of each topic."),
        ) from None
    return msgspec.to_builtins(live_snapshot(estate, wanted))


class SystemViewAsked(Request):
    """What of a view is asked for."""

    column: list[str] = Field(default_factory=list)
    """Columns to answer, in this order; none are all."""
    filter: list[str] = Field(default_factory=list)
    """`column=value`, all of which hold."""
    is_null: list[str] = Field(default_factory=list)
    """Columns that are NULL."""
    offset: int = Field(default=0, ge=0, le=2**53)
    """0, or `next_offset` of the page before."""
    rows: int = Field(default=100, ge=1, le=1000)
    """Rows of the page at most."""


class SystemViewColumn(Shape):
    name: str
    type: str
    """SQL type with its length."""
    nullable: bool
    withheld: Literal[Right.READ_PAYLOADS] | None
    """The right without which the cells of this column are not shown."""


class SystemViewPage(Shape):
    """Rows of a view, their cells in the order of `columns`."""

    view: str
    columns: list[SystemViewColumn]
    rows: list[list[StrictBool | StrictInt | StrictFloat | str | None]]
    """Times in ISO 8601, UTC; binary as 0x and hexadecimal digits."""
    next_offset: int | None
    """Where to go on reading; null at the end of the view. A page may be short, even empty, before the end."""


@router.get(
    DATABASE + "/views/{name:view}",
    response={200: SystemViewPage},
    operation_id="system_view_read",
    auth=viewing,
)
def system_view_read(
    request: HttpRequest,
    estate: str,
    instance: str,
    database: str,
    view: str,
    asked: SystemViewAsked = Query(...),  # noqa: B008
) -> SystemViewPage:
    """A catalog view, DMV or queue under the vendor's names, as `SELECT` in this database shows it.

    `message_body` is withheld from who may not read payloads. docs/protocol/views.md lists views and columns.
    """
    refuse_unknown(request, asked)
    page = system_views.system_view_read(
        database_place(estate, instance, database),
        view,
        columns=asked.column,
        filters=asked.filter,
        nulls=asked.is_null,
        offset=asked.offset,
        rows_max=asked.rows,
        shows_bodies=may_read_bodies(estate, request.auth),
    )
    return SystemViewPage(**page)
