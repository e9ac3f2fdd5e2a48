"""Who may speak for the far end of a conversation that is not secured (protocol.md 3.7).

A message of a conversation that exists here is taken from a neighbour to which a route for the far end leads, whichever
route has its way now, and from an instance of the estate that has the far database; at a target also from whoever has
brought its first message, and from an instance of the estate that forwards. Beside that only the id of the conversation
tells an honest neighbour from another one, and the id is no secret.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Final

from msgspec import UNSET

from engine.core.dialog.endpoint import DialogEndpoint, FarEnd, Speaker
from engine.core.exchange.neighbours import Neighbour
from engine.core.handlers.broker import Broker
from engine.core.handlers.securing import is_secured
from engine.core.routing.decision import Classification
from engine.core.routing.next_hops import next_hops_by, next_hops_of
from engine.core.vocabulary.identifiers import DatabaseName
from engine.core.vocabulary.messages import DialogMessage, DialogTarget, TcpAddress

NOT_ENTITLED: Final = 11211
SPEAKERS_MAX: Final = 1_000
"""Neighbours that are remembered; each is one connection at a time."""
FAR_ENDS_MAX: Final = 10_000
"""That are remembered of one; others in any number may come from the network."""


def neighbour_speaks(broker: Broker, neighbour: Neighbour) -> None:
    """The messages that follow are of this neighbour."""
    known = broker.speakers.get(neighbour)
    if known is None or known.catalog is not broker.catalog:
        if len(broker.speakers) >= SPEAKERS_MAX:
            broker.speakers.clear()
        known = broker.speakers[neighbour] = Speaker(neighbour, broker.catalog)
    broker.speaker = known


def may_begin(broker: Broker, database: DatabaseName, message: DialogMessage) -> bool:
    """Whether the neighbour that speaks may say something on a conversation that does not exist here.

    A first message of a certificate's owner is a dialog of its own, unless it names a database of the estate as its
    sender. Any other unknown message would be answered with an Error, which reaches an honest end.
    """
    speaker = broker.speaker
    if speaker is None or message.security is not UNSET or speaker.neighbour.has(message.source.broker_instance):
        return True
    if message.from_initiator and message.sequence == 0 and _is_of_outside(speaker.neighbour, message):
        return True
    decision = broker.ways_out.of(
        database, message.source, broker.now.utc, from_target=message.from_initiator, before=None, advances=False
    )
    by_routes = next_hops_by(broker.classifier.tables[database], message.source, broker.now.utc)
    return any(speaker.neighbour.is_at(address) for address in chain(next_hops_of(decision), by_routes))


def may_pass(broker: Broker, message: DialogMessage) -> bool:
    """Whether the neighbour that speaks may have this passed on.

    An instance of the estate speaks for its own databases. A neighbour from outside speaks for any sender to which no
    route from here leads back through another instance of the estate: only its own databases are known to be none of
    the estate's.
    """
    speaker = broker.speaker
    if speaker is None or message.security is not UNSET or speaker.neighbour.has(message.source.broker_instance):
        return True
    if not _is_of_outside(speaker.neighbour, message):
        return False
    back = broker.ways_in.of(message.source, broker.now.utc, from_target=message.from_initiator)
    if back.classification is Classification.LOCAL:
        return False
    return not any(speaker.neighbour.is_at_another(address) for address in next_hops_of(back))


def _is_of_outside(neighbour: Neighbour, message: DialogMessage) -> bool:
    """Whether the neighbour and the database that it names as the sender are both outside the estate."""
    return not neighbour.is_vouched and message.source.broker_instance not in neighbour.brokers_of_others


def _was_entitled(broker: Broker, endpoint: DialogEndpoint) -> bool:
    """Whether the neighbour that speaks was found to be entitled already; nothing is looked up."""
    speaker = broker.speaker
    if speaker is None or endpoint.speaker is speaker:
        return True
    if _far_end(endpoint) not in speaker.far_ends:
        return False
    endpoint.speaker = speaker
    return True


def may_speak(broker: Broker, endpoint: DialogEndpoint, message: DialogMessage) -> bool:
    """Whether the neighbour that speaks may say this; where nobody says who speaks, there is no network."""
    if _was_entitled(broker, endpoint) or is_secured(endpoint):
        return True
    speaker = broker.speaker
    assert speaker is not None
    if _is_entitled(broker, endpoint, message, speaker.neighbour):
        if endpoint.row.far_broker_instance is not None and len(speaker.far_ends) < FAR_ENDS_MAX:
            speaker.far_ends.add(_far_end(endpoint))
    elif not _has_brought_it(endpoint, speaker.neighbour):
        # Who listens there may be this very neighbour: it is known once it is called.
        for address in _next_hops(broker, endpoint, message):
            broker.dial(address)
        return False
    endpoint.speaker = speaker
    return True


def _far_end(endpoint: DialogEndpoint) -> FarEnd:
    row = endpoint.row
    return endpoint.database, row.far_service, row.far_broker_instance, row.is_initiator


def _is_entitled(broker: Broker, endpoint: DialogEndpoint, message: DialogMessage, neighbour: Neighbour) -> bool:
    """By what it is, whatever the conversation."""
    # To a target the way is the initiator's choice, and need not be the way back.
    is_known_way = neighbour.forwards and not endpoint.row.is_initiator
    if is_known_way or neighbour.is_self or message.source.broker_instance in neighbour.brokers:
        return True
    return any(neighbour.is_at(address) for address in _next_hops(broker, endpoint, message))


def _has_brought_it(endpoint: DialogEndpoint, neighbour: Neighbour) -> bool:
    """Whether a target has its first message from this neighbour."""
    before = endpoint.speaker
    return before is not None and not endpoint.row.is_initiator and before.neighbour.who == neighbour.who


def _next_hops(broker: Broker, endpoint: DialogEndpoint, message: DialogMessage) -> Iterator[TcpAddress]:
    """Where our own messages to the far end could go next, and where they went last."""
    row, now, table = endpoint.row, broker.now.utc, broker.classifier.tables[endpoint.database]
    there = row.far_broker_instance or message.source.broker_instance
    for broker_instance in dict.fromkeys((row.far_broker_instance, there)):
        yield from next_hops_of(
            broker.ways_out.of(
                endpoint.database,
                DialogTarget(row.far_service, broker_instance),
                now,
                from_target=not row.is_initiator,
                before=endpoint.decision,
                advances=False,
            )
        )
    yield from next_hops_by(table, DialogTarget(row.far_service, there), now)
    if endpoint.decision is not None:
        yield from next_hops_of(endpoint.decision)
