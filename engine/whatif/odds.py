"""`Odds`: how sure the verdict of a flow is, where routes or forwarders draw (routing.md 3, E40)."""

from __future__ import annotations

from typing import Final

import msgspec

from engine.whatif.legs import Leg, round_trip
from engine.whatif.snapshot import Snapshot
from engine.whatif.telling import FlowQuestion

_DIGITS: Final = 6
"""Shares are sums of products of fractions, and the last digits depend on the order in which they were added."""


class Odds(msgspec.Struct, frozen=True, gc=False):
    """Shares, each 0 to 1."""

    way: float
    """Of all messages, those that go the way of the verdict: the most likely one."""
    arrives: float
    """Of all messages, those that arrive by any way."""
    heard: float | None
    """Of those that arrive, those whose sender hears of it; 0 where none arrives, None where nobody has asked."""


def odds_of(snapshot: Snapshot, flow: FlowQuestion) -> Odds:
    """The odds of a flow, by both of its legs. The question's names must be in the estate."""
    return odds_of_legs(round_trip(snapshot, flow, legs=2))


def odds_of_legs(legs: tuple[Leg, ...]) -> Odds:
    """The odds of the first two legs of a flow."""
    message, acknowledgement = legs
    return Odds(_way(message), share(message.arrives), share(acknowledgement.arrives))


def share(value: float) -> float:
    """A share as it is told: two ways of adding it up give the same one."""
    return round(value, _DIGITS)


def _way(leg: Leg) -> float:
    return share(leg.ways[0].share) if leg.ways else 0.0
