"""The engine's query behind each topic that shows rows of a picture."""

from __future__ import annotations

from brokerweb.live.topics import (
    AnyTopic,
    ConnectionsTopic,
    ConversationsTopic,
    CountersTopic,
    ForwardedTopic,
    MirrorsTopic,
    QueuesTopic,
    TransmissionsTopic,
)
from engine import api as engine
from engine.api import pictures


def query_of(topic: AnyTopic) -> pictures.PictureQuery:
    """What to ask an instance for."""
    match topic:
        case ConversationsTopic():
            return pictures.ConversationsQuery(
                rows_max=topic.rows,
                database=_database(topic.database),
                states=topic.states,
                closed=topic.closed,
                service=_service(topic.service),
                far_service=_service(topic.far_service),
                conversation_handle=topic.conversation_handle,
                text=topic.text,
                order=topic.order,
            )
        case TransmissionsTopic():
            return pictures.TransmissionsQuery(
                rows_max=topic.rows,
                database=_database(topic.database),
                numbers=topic.numbers,
                from_service=_service(topic.from_service),
                to_service=_service(topic.to_service),
                conversation_handle=topic.conversation_handle,
                text=topic.text,
            )
        case ForwardedTopic():
            return pictures.ForwardedMessagesQuery(rows_max=topic.rows)
        case QueuesTopic():
            return pictures.QueuesQuery(rows_max=topic.rows, database=_database(topic.database))
        case ConnectionsTopic():
            return pictures.ConnectionsQuery(rows_max=topic.rows)
        case MirrorsTopic():
            return pictures.MirroredRoutesQuery(rows_max=topic.rows)
        case CountersTopic():
            return pictures.CountersQuery(rows_max=topic.rows)
        case _:
            raise AssertionError(f"topic {topic} is no picture")


def _database(name: str | None) -> engine.DatabaseName | None:
    return None if name is None else engine.DatabaseName(name)


def _service(name: str | None) -> engine.ServiceName | None:
    return None if name is None else engine.ServiceName(name)
