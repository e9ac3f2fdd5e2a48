"""`TransmitterQueue`: messages in transit through this instance, waiting for their link.

Bounded by MESSAGE_FORWARD_SIZE. A forwarder that loses its memory loses nothing: the sender still holds the message.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import msgspec

from engine.core.vocabulary.limits import FORWARDED_HEADER_BYTES, FORWARDED_MESSAGES_MAX
from engine.core.vocabulary.messages import DialogMessage, ForwardedMessage, TcpAddress
from engine.core.vocabulary.mirrors import MirroredPair
from engine.core.vocabulary.moment import Duration, Instant

HOPS_EXHAUSTED, OUT_OF_MEMORY, DUPLICATE, OUT_OF_SIZE = 11285, 11286, 11288, 11289
TIME_OVER_WHILE_WAITING, TIME_OVER_ON_ARRIVAL = 11290, 11291

_Key = tuple[object, bool, int | None, int | None, str]


@dataclass(slots=True)
class _InTransit:
    message: ForwardedMessage
    arrived_at: Instant
    bytes: int


NextHop = TcpAddress | MirroredPair
"""Where messages in transit go; of a mirrored pair only the principal may have them."""


class TransmitterQueue:
    """All messages in transit, by next hop, oldest first."""

    def __init__(self) -> None:
        self._waiting: dict[NextHop, dict[_Key, _InTransit]] = {}
        self._hop_of: dict[_Key, NextHop] = {}
        """Where each message waits; a copy that would go elsewhere now is a copy all the same."""
        self._expires_first_at: Instant | None = None
        """No later than the first expiry; may be too early after messages went on."""
        self.bytes = 0

    def __len__(self) -> int:
        return len(self._hop_of)

    def holds(self, hop: NextHop) -> bool:
        """Whether anything waits for a next hop."""
        return bool(self._waiting.get(hop))

    def waiting(self, hop: NextHop) -> int:
        """How many messages wait for a next hop."""
        return len(self._waiting.get(hop, ()))

    def messages(self, now: Instant) -> Iterator[tuple[NextHop, ForwardedMessage]]:
        """Everything that waits with its next hop, as old as it is by now."""
        for hop, waiting in self._waiting.items():
            for transit in waiting.values():
                yield hop, _aged(transit, now)

    def passes(self, message: ForwardedMessage, bytes_max: int) -> ForwardedMessage | None:
        """The message as it leaves at once, one hop poorer; None when it has to be offered.

        That is so when anything waits here, which it must not overtake or may be a copy of, and when it is dropped.
        """
        if (
            self._hop_of
            or message.hops_remaining <= 0
            or message.time_consumed >= message.time_to_live
            or message.message.size + FORWARDED_HEADER_BYTES > bytes_max
        ):
            return None
        return ForwardedMessage(
            message=message.message,
            hops_remaining=message.hops_remaining - 1,
            time_to_live=message.time_to_live,
            time_consumed=message.time_consumed,
        )

    def offer(self, message: ForwardedMessage, hop: NextHop, bytes_max: int, now: Instant) -> int | None:
        """Take a message in; answers None, or the number of the reason for which it was dropped."""
        if message.hops_remaining <= 0:
            return HOPS_EXHAUSTED
        if message.time_consumed >= message.time_to_live:
            return TIME_OVER_ON_ARRIVAL
        key = _key(message.message)
        known = self._hop_of.get(key)
        if known is not None and message.message.is_sequenced:
            return DUPLICATE
        size = message.message.size + FORWARDED_HEADER_BYTES
        # A later acknowledgement says more than the one that still waits, so it takes its place.
        replaced = self._waiting[known][key].bytes if known is not None else 0
        if self.bytes - replaced + size > bytes_max:
            return OUT_OF_SIZE
        if known is None and len(self._hop_of) >= FORWARDED_MESSAGES_MAX:
            return OUT_OF_MEMORY
        if known is not None:
            self._remove(known, key)
        self._put(hop, key, _InTransit(message, now, size))
        return None

    def move(
        self, hop: NextHop, where: Callable[[ForwardedMessage], NextHop | None], now: Instant
    ) -> list[ForwardedMessage]:
        """Ask anew where the messages for a next hop go; answers those that have nowhere to go any more, aged."""
        lost: list[ForwardedMessage] = []
        for key, transit in list(self._waiting.get(hop, {}).items()):
            other = where(transit.message)
            if other == hop:
                continue
            self._remove(hop, key)
            if other is None:
                lost.append(_aged(transit, now))
            else:
                self._put(other, key, transit)
        return lost

    def hops(self) -> list[NextHop]:
        """Every next hop for which something waits."""
        return [hop for hop, waiting in self._waiting.items() if waiting]

    def clear(self, now: Instant) -> list[ForwardedMessage]:
        """Forget everything; answers what it was, as old as it is by now."""
        lost = [_aged(transit, now) for waiting in self._waiting.values() for transit in waiting.values()]
        self._waiting, self._hop_of, self._expires_first_at, self.bytes = {}, {}, None, 0
        return lost

    def _put(self, hop: NextHop, key: _Key, transit: _InTransit) -> None:
        self._waiting.setdefault(hop, {})[key] = transit
        self._hop_of[key] = hop
        self.bytes += transit.bytes
        expiry = _expires_at(transit)
        self._expires_first_at = expiry if self._expires_first_at is None else min(self._expires_first_at, expiry)

    def _remove(self, hop: NextHop, key: _Key) -> _InTransit:
        transit = self._waiting[hop].pop(key)
        del self._hop_of[key]
        self.bytes -= transit.bytes
        if not self._waiting[hop]:
            del self._waiting[hop]
        return transit

    def take(self, hop: NextHop, now: Instant) -> tuple[list[ForwardedMessage], list[ForwardedMessage]]:
        """Everything for a next hop: what goes on, one hop poorer, and what has outlived its time."""
        sent: list[ForwardedMessage] = []
        expired: list[ForwardedMessage] = []
        for key in list(self._waiting.get(hop, {})):
            transit = self._remove(hop, key)
            aged = msgspec.structs.replace(_aged(transit, now), hops_remaining=transit.message.hops_remaining - 1)
            (expired if aged.time_consumed >= aged.time_to_live else sent).append(aged)
        return sent, expired

    def expire(self, now: Instant) -> list[ForwardedMessage]:
        """Drop what has outlived its time while its link was down; answers it as old as it is."""
        dropped: list[ForwardedMessage] = []
        remaining: list[Instant] = []
        for hop, waiting in list(self._waiting.items()):
            for key, transit in list(waiting.items()):
                if (expiry := _expires_at(transit)) <= now:
                    self._remove(hop, key)
                    dropped.append(_aged(transit, now))
                else:
                    remaining.append(expiry)
        self._expires_first_at = min(remaining, default=None)
        return dropped

    def wake_at(self) -> Instant | None:
        """When to call `expire` next; None when nothing waits."""
        return self._expires_first_at


def _key(message: DialogMessage) -> _Key:
    fragment = message.fragment.number if message.fragment is not None else None
    return (message.conversation_id, message.from_initiator, message.sequence, fragment, message.kind)


def _aged(transit: _InTransit, now: Instant) -> ForwardedMessage:
    """The message with the time it has spent here on top of what it had consumed."""
    consumed = Duration(transit.message.time_consumed + max(0.0, now - transit.arrived_at))
    return msgspec.structs.replace(transit.message, time_consumed=consumed)


def _expires_at(transit: _InTransit) -> Instant:
    return Instant(transit.arrived_at + transit.message.time_to_live - transit.message.time_consumed)
