"""`deliver`: one message sent in a world of given catalogs, and everything that really became of it, as one value."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

import msgspec

from engine.core.catalog.instance import InstanceCatalog
from engine.core.vocabulary.identifiers import DatabaseName, InstanceName, QueueName
from engine.core.vocabulary.moment import UtcTime
from engine.sim.estate_world import CALM, EstateWorld
from engine.sim.network import LinkProfile
from engine.sim.witness import Conversation, Track
from engine.whatif.disposition import LegKind
from engine.whatif.faults import Fault
from engine.whatif.telling import FlowQuestion

PATIENCE_SECONDS: Final = 300.0
"""Of virtual time: five retries of a message, and four further ways of its sender."""
REPLY_SECONDS: Final = 150.0


class Place(msgspec.Struct, frozen=True):
    """A queue in which a message has arrived."""

    instance: InstanceName
    database: DatabaseName
    queue: QueueName
    is_parked: bool
    """It waits beside the queue, which is off."""


class Stop(msgspec.Struct, frozen=True):
    """Where copies of a message were discarded or dropped, and by which number."""

    instance: InstanceName
    number: int
    copies: int


class Delivery(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a message, and of the reply to it. Seconds are virtual, from the SEND on."""

    seed: int
    is_sent: bool
    """Whether BEGIN DIALOG and SEND were done."""
    refused: int | None = None
    """With which number they were not; None where nobody was there to refuse them."""
    arrived: tuple[Place, ...] = ()
    """Where it is in a queue; more than one where copies have found several copies of the service."""
    arrived_after: float | None = None
    acknowledged_after: float | None = None
    """None as long as the message stays in the transmission queue of its sender."""
    status: int | None = None
    """What the transmission queue says of it in the end."""
    error: int | None = None
    """Of the Error with which the conversation has ended; those of brokers are negative."""
    copies: int = 0
    """How often its sender has handed it to the network."""
    stops: tuple[Stop, ...] = ()
    replied: bool = False
    reply_arrived: bool = False
    reply_acknowledged: bool = False


def deliver(
    catalogs: Mapping[InstanceName, InstanceCatalog],
    flow: FlowQuestion,
    *,
    at: UtcTime,
    seed: int,
    faults: Iterable[Fault] = (),
    link: LinkProfile = CALM,
) -> Delivery:
    """Send one message and a reply to it. Deterministic: the same arguments give the same delivery.

    Faults strike before it is sent and stay. Raises `CatalogError` 15151 for a fault of what the estate does not have.
    """
    world = EstateWorld(catalogs, at=at, seed=seed, faults=faults, link=link)
    begun_at = world.agenda.seconds
    conversation = world.begin(flow)
    world.run(PATIENCE_SECONDS, lambda: _is_decided(conversation))
    acknowledged_at = None if conversation.initiator is None else conversation.initiator.acknowledged_at
    is_replied = _reply(world, conversation)
    return _told(conversation, seed=seed, begun_at=begun_at, acknowledged_at=acknowledged_at, is_replied=is_replied)


def _is_decided(conversation: Conversation) -> bool:
    is_begun = conversation.refused is None and not conversation.is_unanswered
    return not is_begun or conversation.is_acknowledged or conversation.has_ended_in_error


def _reply(world: EstateWorld, conversation: Conversation) -> bool:
    """The reply of whoever has the message in a queue that is on; answers whether anybody has."""
    taken = [each for each in conversation.tracks[LegKind.MESSAGE].taken if not each.is_parked]
    places = {(each.instance, each.database) for each in taken}
    sides = [side for side in conversation.targets if (side.instance, side.database) in places]
    if not sides:
        return False
    world.reply(conversation, sides[0])
    world.run(REPLY_SECONDS, lambda: sides[0].acknowledged_at is not None)
    return True


def _told(
    conversation: Conversation, *, seed: int, begun_at: float, acknowledged_at: float | None, is_replied: bool
) -> Delivery:
    side, track = conversation.initiator, conversation.tracks[LegKind.MESSAGE]
    if side is None:
        return Delivery(seed=seed, is_sent=False, refused=conversation.refused)
    return Delivery(
        seed=seed,
        is_sent=True,
        arrived=tuple(Place(each.instance, each.database, each.queue, each.is_parked) for each in track.taken),
        arrived_after=track.taken[0].at - begun_at if track.taken else None,
        acknowledged_after=None if acknowledged_at is None else acknowledged_at - begun_at,
        status=side.status,
        error=side.error,
        copies=track.sent,
        stops=_stops(track),
        replied=is_replied,
        reply_arrived=bool(conversation.tracks[LegKind.REPLY].taken),
        reply_acknowledged=any(target.acknowledged_at is not None for target in conversation.targets),
    )


def _stops(track: Track) -> tuple[Stop, ...]:
    counts: dict[tuple[InstanceName, int], int] = {}
    for each in track.stopped:
        key = (each.instance, each.number)
        counts[key] = counts.get(key, 0) + 1
    return tuple(Stop(instance, number, copies) for (instance, number), copies in counts.items())
