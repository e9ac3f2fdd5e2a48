"""`Disposition`: how the way of one message ends. Closed: every way that is traced ends in one of these.

Whoever asks sees at once whose turn it is: `kept` ends leave the message with its sender, who tries again; `ended` ends
break the conversation; the rest is arrival.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from engine.core.vocabulary.enumerations import plain_members


@plain_members
class Disposition(StrEnum):
    """The end of one way. The number beside it says which rule of `spec` ended it."""

    DELIVERED = "delivered"
    """In the queue of the service, or in the endpoint that waits for it."""
    HELD_QUEUE_OFF = "held-queue-off"
    """Arrived and acknowledged; the queue is off, so it is parked until somebody switches it on (routing.md 10)."""
    DELAYED = "delayed"
    """No path out of the sender's database: kept in its transmission queue, with the number (routing.md 7)."""
    ASKING = "asking"
    """The configuration service is asked for a route first (routing.md 6)."""
    SENDER_DOWN = "sender-down"
    """The sender itself is down, or its database takes no command: there is no message."""
    NOT_BEGUN = "not-begun"
    """BEGIN DIALOG or SEND is refused in the sender's own database: there is no message (tsql.md 9)."""
    NOBODY_THERE = "nobody-there"
    """The address belongs to no instance of the estate."""
    UNREACHABLE = "unreachable"
    """The instance behind the address is down, cut off, or does not listen."""
    NOBODY_CLAIMS = "nobody-claims"
    """Neither partner of a mirrored route is the principal (mirroring.md 3)."""
    DISCARDED = "discarded"
    """Reached an instance that discards it without a word; its sender keeps it and tries again (routing.md 10)."""
    REFUSED = "refused"
    """The far side answers with an error, which ends the conversation (protocol.md 19)."""
    REFUSED_UNHEARD = "refused-unheard"
    """The far side answers with an error that does not find its way back: its sender keeps it and tries again."""
    LOOP = "loop"
    """Goes round among instances; proven, and it would end with its last hop (routing.md 9)."""
    HOPS_USED_UP = "hops-used-up"
    """Each way is another one, and the hops do not suffice (11285)."""


ARRIVED: Final = frozenset({Disposition.DELIVERED, Disposition.HELD_QUEUE_OFF})
"""The sender is to hear of it."""
ENDED: Final = frozenset({Disposition.REFUSED})
"""The conversation ends in error."""


@plain_members
class Light(StrEnum):
    """What a leg looks like from afar."""

    GREEN = "green"
    """Arrives by every way."""
    AMBER = "amber"
    """Arrives by some ways, or arrives and is parked, or not every way was followed."""
    RED = "red"
    """Arrives by none."""
    GREY = "grey"
    """Not reached: nothing arrived on the leg before."""


@plain_members
class LegKind(StrEnum):
    """The four legs of a round trip, in their order."""

    MESSAGE = "message"
    ACKNOWLEDGEMENT = "acknowledgement"
    REPLY = "reply"
    REPLY_ACKNOWLEDGEMENT = "reply-acknowledgement"


@plain_members
class FlowChange(StrEnum):
    """What becomes of a flow between two snapshots, the gravest first."""

    LOST = "lost"
    """Arrived and was acknowledged, and does not any more."""
    MOVED = "moved"
    """Arrives elsewhere, by another way, or fails in another place."""
    GAINED = "gained"
    UNCHANGED = "unchanged"
