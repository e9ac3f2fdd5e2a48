"""What the job `conversations` shall say of the events of one estate, in plain Python."""

from __future__ import annotations

from engine.core.exchange import events as happened
from tests.pipeline.oracle import Estate, Row, instant, of


def conversations(estate: Estate) -> list[Row]:
    first: dict[tuple[str, bool], tuple[str, happened.MessageClassified]] = {}
    for instance, _, event in of(estate.events, happened.MessageClassified):
        if event.database is not None:
            first.setdefault((str(event.conversation_id), event.from_initiator), (instance, event))
    active = _active(estate)
    return [
        {
            "estate": estate.name,
            "conversation_id": conversation,
            "instance": instance,
            "database": event.database,
            "service": _service(estate, (conversation, from_initiator), first),
            "direction": "initiator" if from_initiator else "target",
            "to_service": event.to_service,
            "broker_instance": None if event.to_broker_instance is None else str(event.to_broker_instance),
            "first_at": instant(event.at),
        }
        for (conversation, from_initiator), (instance, event) in first.items()
        if conversation in active
    ]


def _service(
    estate: Estate, direction: tuple[str, bool], first: dict[tuple[str, bool], tuple[str, happened.MessageClassified]]
) -> str | None:
    own = first[direction][1].from_service
    if own is not None:
        return own
    opposite = first.get((direction[0], not direction[1]))
    if opposite is not None:
        return opposite[1].to_service
    seen = [
        event.from_service
        for _, _, event in of(estate.events, happened.ForwardedMessageSent)
        if (str(event.conversation_id), event.from_initiator) == direction and event.from_service is not None
    ]
    return min(seen, default=None)


def _active(estate: Estate) -> set[str]:
    found = set()
    for _, _, event in estate.events:
        if estate.since is not None and event.at < estate.since:
            continue
        conversation = getattr(event, "conversation_id", None)
        if conversation is None:
            conversation = estate.side.get(getattr(event, "conversation_handle", None), (None,))[0]
        found.add(str(conversation))
    return found
