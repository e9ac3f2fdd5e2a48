"""`TransmitterQueue`: messages in transit through this instance, waiting for their link.

Bounded by MESSAGE_FORWARD_SIZE. A forwarder that loses its memory loses nothing: the sender still holds the message.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import msgspec

from engine.core.vocabulary.limits import FORWARDED_HEADER_BYTES
from engine.core.vocabulary.messages import DialogMessage, ForwardedMessage, TcpAddress
from engine.core.vocabulary.moment import Duration, Instant

HOPS_EXHAUSTED, OUT_OF_MEMORY_SIZE, DUPLICATE, TIME_TO_LIVE_OVER = 11285, 11289, 11288, 11290

_Key = tuple[object, bool, int | None, str]


@dataclass(slots=True)
class _InTransit:
    message: ForwardedMessage
    arrived_at: Instant
    bytes: int


class TransmitterQueue:
    """All messages in transit, by next hop, oldest first."""

    def __init__(self) -> None:
        self._waiting: dict[TcpAddress, dict[_Key, _InTransit]] = {}
        self._expires_first_at: Instant | None = None
        """No later than the first expiry; may be too early after messages went on."""
        self.bytes = 0

    def __len__(self) -> int:
        return sum(len(messages) for messages in self._waiting.values())

    def addresses(self) -> list[TcpAddress]:
        """Next hops that somebody waits for."""
        return [address for address, messages in self._waiting.items() if messages]

    def messages(self, now: Instant) -> Iterator[tuple[TcpAddress, ForwardedMessage]]:
        """Everything that waits with its next hop, as old as it is by now."""
        for address, waiting in self._waiting.items():
            for transit in waiting.values():
                yield address, _aged(transit, now)

    def offer(self, message: ForwardedMessage, address: TcpAddress, bytes_max: int, now: Instant) -> int | None:
        """Take a message in; answers None, or the number of the reason for which it was dropped."""
        if message.hops_remaining <= 0:
            return HOPS_EXHAUSTED
        if message.time_consumed >= message.time_to_live:
            return TIME_TO_LIVE_OVER
        key = _key(message.message)
        waiting = self._waiting.setdefault(address, {})
        if key in waiting and message.message.is_sequenced:
            return DUPLICATE
        size = len(message.message.body or b"") + FORWARDED_HEADER_BYTES
        if self.bytes + size > bytes_max:
            return OUT_OF_MEMORY_SIZE
        # A later acknowledgement says more than the one that still waits, so it takes its place.
        replaced = waiting.pop(key, None)
        transit = _InTransit(message, now, size)
        waiting[key] = transit
        self.bytes += size - (replaced.bytes if replaced else 0)
        expiry = _expires_at(transit)
        self._expires_first_at = expiry if self._expires_first_at is None else min(self._expires_first_at, expiry)
        return None

    def take(self, address: TcpAddress, now: Instant) -> tuple[list[ForwardedMessage], list[ForwardedMessage]]:
        """Everything for a next hop: what goes on, one hop poorer, and what has outlived its time."""
        sent: list[ForwardedMessage] = []
        expired: list[ForwardedMessage] = []
        for transit in self._waiting.pop(address, {}).values():
            self.bytes -= transit.bytes
            aged = msgspec.structs.replace(_aged(transit, now), hops_remaining=transit.message.hops_remaining - 1)
            (expired if aged.time_consumed >= aged.time_to_live else sent).append(aged)
        return sent, expired

    def expire(self, now: Instant) -> list[ForwardedMessage]:
        """Drop what has outlived its time while its link was down."""
        dropped: list[ForwardedMessage] = []
        remaining: list[Instant] = []
        for waiting in self._waiting.values():
            for key, transit in list(waiting.items()):
                if (expiry := _expires_at(transit)) <= now:
                    del waiting[key]
                    self.bytes -= transit.bytes
                    dropped.append(transit.message)
                else:
                    remaining.append(expiry)
        self._expires_first_at = min(remaining, default=None)
        return dropped

    def wake_at(self) -> Instant | None:
        """When to call `expire` next; None when nothing waits."""
        return self._expires_first_at


def _key(message: DialogMessage) -> _Key:
    return (message.conversation_id, message.from_initiator, message.sequence, message.kind)


def _aged(transit: _InTransit, now: Instant) -> ForwardedMessage:
    """The message with the time it has spent here on top of what it had consumed."""
    consumed = Duration(transit.message.time_consumed + max(0.0, now - transit.arrived_at))
    return msgspec.structs.replace(transit.message, time_consumed=consumed)


def _expires_at(transit: _InTransit) -> Instant:
    return Instant(transit.arrived_at + transit.message.time_to_live - transit.message.time_consumed)
