"""What test traffic in a sandbox has come to: sums, what was refused, and when each of the last messages arrived."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final
from uuid import UUID

import msgspec

from engine.sandbox.spec import TrafficPair

DELIVERIES_KEPT: Final = 2_000
"""The last messages of each pair of which times are known."""


class Delivery(msgspec.Struct, frozen=True):
    """One message: when it was sent, and when an application has received it; seconds of the sandbox."""

    sent_at: float
    received_at: float | None


class PairFigures(msgspec.Struct, frozen=True, kw_only=True):
    """Of one pair."""

    pair: TrafficPair
    sent: int
    received: int
    replies: int
    """Replies that have come back."""
    failures: dict[str, int]
    """What was refused and which Errors came, by their numbers."""
    deliveries: tuple[Delivery, ...]
    """Of the last messages, in the order in which they were sent."""

    @property
    def waiting(self) -> int:
        """Messages that were sent and have not been received."""
        return self.sent - self.received


class PairCount:
    """Counts for one pair while it goes on."""

    def __init__(self, pair: TrafficPair) -> None:
        self._pair: Final = pair
        self.sent = self.received = self.replies = 0
        self._failures: dict[str, int] = {}
        self._deliveries: OrderedDict[tuple[UUID, int], Delivery] = OrderedDict()

    def has_sent(self, conversation: UUID, number: int, at: float) -> None:
        """A message is in the hands of the broker."""
        self.sent += 1
        self._deliveries[conversation, number] = Delivery(at, None)
        if len(self._deliveries) > DELIVERIES_KEPT:
            self._deliveries.popitem(last=False)

    def has_received(self, conversation: UUID, number: int, at: float) -> None:
        """An application has it."""
        self.received += 1
        known = self._deliveries.get((conversation, number))
        if known is not None:
            self._deliveries[conversation, number] = Delivery(known.sent_at, at)

    def fail(self, number: str) -> None:
        """Something was refused, or an Error came."""
        self._failures[number] = self._failures.get(number, 0) + 1

    def figures(self) -> PairFigures:
        """What it has come to."""
        return PairFigures(
            pair=self._pair,
            sent=self.sent,
            received=self.received,
            replies=self.replies,
            failures=dict(self._failures),
            deliveries=tuple(self._deliveries.values()),
        )
