"""`TransmissionTally`: what waits in transmission queues, by reason and by the route taken, the oldest first.

Whatever happens to messages of a conversation notes it (`Broker.shifted`); it is counted anew when somebody looks, or
when many are noted. Heaps with late deletion know the oldest, as in `ServiceQueue`.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from engine.core.dialog.endpoint import DialogEndpoint
from engine.core.vocabulary.identifiers import DatabaseName, RouteName
from engine.core.vocabulary.moment import UtcTime

GroupKey = tuple[DatabaseName, int | None, RouteName | None]
"""A database, the number of a status, and the route that the last decision took; None where it took none."""

_SLACK: Final = 64
"""Entries that are not true any more a heap may hold beyond one for each conversation before it is rebuilt."""

_Entry = tuple[UtcTime, int, DialogEndpoint]


class _Share(NamedTuple):
    """By what an endpoint is counted."""

    key: GroupKey
    messages: int
    since: UtcTime


class WaitingGroup:
    """Conversations of a database whose messages wait for the same reason, by the same route."""

    def __init__(self, shares: dict[DialogEndpoint, _Share], key: GroupKey) -> None:
        self.key: Final = key
        self.messages = 0
        self.conversations = 0
        self._shares: Final = shares
        self._entries: list[_Entry] = []

    def oldest(self) -> DialogEndpoint:
        """The conversation whose message waits longest; the group is not empty."""
        while not self._is_true(self._entries[0]):
            heapq.heappop(self._entries)
        return self._entries[0][2]

    def since(self) -> UtcTime:
        """When that message was enqueued."""
        return self._shares[self.oldest()].since

    def in_order(self) -> Iterator[tuple[UtcTime, int, DialogEndpoint]]:
        """Conversations, the one whose message waits longest first: time, serial number, endpoint.

        Only as much of the heap is looked at as is taken; nothing may change meanwhile.
        """
        entries = self._entries
        open_places: list[tuple[UtcTime, int, int]] = [(entries[0][0], entries[0][1], 0)] if entries else []
        seen: set[DialogEndpoint] = set()
        while open_places:
            since, serial, place = heapq.heappop(open_places)
            for child in (2 * place + 1, 2 * place + 2):
                if child < len(entries):
                    heapq.heappush(open_places, (entries[child][0], entries[child][1], child))
            entry = entries[place]
            if self._is_true(entry) and entry[2] not in seen:
                seen.add(entry[2])
                yield since, serial, entry[2]

    def put(self, endpoint: DialogEndpoint, since: UtcTime) -> None:
        """A conversation is of the group, or another message of it is the oldest now."""
        heapq.heappush(self._entries, (since, endpoint.serial, endpoint))
        if len(self._entries) > 2 * self.conversations + _SLACK:
            true = {entry[2]: entry for entry in self._entries if self._is_true(entry)}
            self._entries = list(true.values())
            heapq.heapify(self._entries)

    def _is_true(self, entry: _Entry) -> bool:
        share = self._shares.get(entry[2])
        return share is not None and share.key == self.key and share.since == entry[0]


class TransmissionTally:
    """All conversations of an instance that have something to send."""

    def __init__(self) -> None:
        self._shares: dict[DialogEndpoint, _Share] = {}
        self._groups: dict[GroupKey, WaitingGroup] = {}

    def follow_all(self, endpoints: Iterable[DialogEndpoint]) -> None:
        """Count them anew."""
        for endpoint in endpoints:
            self.follow(endpoint)

    def follow(self, endpoint: DialogEndpoint) -> None:
        """Count an endpoint anew."""
        before = self._shares.get(endpoint)
        messages = len(endpoint.sender)
        if not messages:
            if before is not None:
                del self._shares[endpoint]
                self._leave(before)
            return
        key = endpoint.database, endpoint.status.number, endpoint.route_taken
        after = _Share(key, messages, endpoint.sender.waits_since())
        if after == before:
            return
        self._shares[endpoint] = after
        group = self._groups.get(key)
        if group is None:
            group = self._groups[key] = WaitingGroup(self._shares, key)
        group.messages += messages
        group.conversations += 1
        if before is not None:
            self._leave(before)
        if before is None or before.key != key or before.since != after.since:
            group.put(endpoint, after.since)

    def _leave(self, share: _Share) -> None:
        group = self._groups[share.key]
        group.messages -= share.messages
        group.conversations -= 1
        if not group.conversations:
            del self._groups[share.key]

    def groups(self, database: DatabaseName | None = None) -> list[WaitingGroup]:
        """The groups of a database, or of all."""
        return [group for key, group in self._groups.items() if database in (None, key[0])]
