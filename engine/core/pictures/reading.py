"""`read_picture`: the picture that a query asks for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from engine.core.exchange.pictures import (
    ConnectionsQuery,
    ConversationsQuery,
    CountersQuery,
    ForwardedMessagesQuery,
    MirroredRoutesQuery,
    Picture,
    PictureQuery,
    QueuesQuery,
    SummaryQuery,
    TransmissionsQuery,
)
from engine.core.handlers.broker import Broker
from engine.core.link.facts import NetworkFacts
from engine.core.pictures.asked import Asked
from engine.core.pictures.conversations import conversations_picture
from engine.core.pictures.journal import PictureJournal
from engine.core.pictures.passing import (
    connections_picture,
    counters_picture,
    forwarded_messages_picture,
    mirrored_routes_picture,
)
from engine.core.pictures.queues import queues_picture
from engine.core.pictures.summary import summary_picture
from engine.core.pictures.transmissions import transmissions_picture
from engine.core.vocabulary.moment import Now

_MAKERS: Final[Mapping[type, Callable[[Asked, Any], Picture]]] = {
    SummaryQuery: summary_picture,
    ConversationsQuery: conversations_picture,
    TransmissionsQuery: transmissions_picture,
    ForwardedMessagesQuery: forwarded_messages_picture,
    QueuesQuery: queues_picture,
    ConnectionsQuery: connections_picture,
    MirroredRoutesQuery: mirrored_routes_picture,
    CountersQuery: counters_picture,
}


def read_picture(
    broker: Broker,
    query: PictureQuery,
    journal: PictureJournal,
    now: Now,
    network: NetworkFacts | None = None,
) -> Picture:
    """The picture after the last event of `journal`, which has every event that was told; nothing changes.

    Errors: 911 no such database, 10744 no rows asked for.
    """
    return _MAKERS[type(query)](Asked(broker, journal, network, now), query)
