"""`Agenda`: when which endpoint is to be looked at again. It holds deadlines, and knows nothing of what is due."""

from __future__ import annotations

import heapq
from itertools import count

from engine.core.dialog.endpoint import DialogEndpoint
from engine.core.handlers.conversation_table import ConversationTable
from engine.core.transmission.waiting_line import EndpointKey
from engine.core.vocabulary.moment import Duration, Instant

AGENDA_HORIZON_SECONDS = Duration(3600)
"""Deadlines further away than this are not put on the agenda; a sweep every half horizon finds them in time."""

AGENDA_SLACK = 64
"""Overtaken entries the agenda may hold beyond one for each conversation before it is rebuilt."""


class Agenda:
    """Deadlines of the conversations of one instance, the earliest first."""

    def __init__(self, conversations: ConversationTable) -> None:
        self._conversations = conversations
        self._entries: list[tuple[Instant, int, EndpointKey]] = []
        self._ticket = count()

    def __len__(self) -> int:
        """Entries, overtaken ones too."""
        return len(self._entries)

    def schedule(self, endpoint: DialogEndpoint, at: Instant | None, now: Instant) -> None:
        """Look at an endpoint again at `at`, unless that is planned for earlier already; not at all for None."""
        if at is None or at > now + AGENDA_HORIZON_SECONDS:
            endpoint.scheduled_at = None
            return
        if endpoint.scheduled_at is not None and endpoint.scheduled_at <= at:
            return
        endpoint.scheduled_at = at
        key = (endpoint.database, endpoint.row.conversation_handle)
        heapq.heappush(self._entries, (at, next(self._ticket), key))
        if len(self._entries) > 2 * self._conversations.live_count + AGENDA_SLACK:
            self._rebuild()

    def _rebuild(self) -> None:
        """Throw away entries that were overtaken by earlier ones, or taken back."""
        self._entries = [
            (endpoint.scheduled_at, next(self._ticket), endpoint.key)
            for endpoint in self._conversations.all_live()
            if endpoint.scheduled_at is not None
        ]
        heapq.heapify(self._entries)

    def take_due(self, now: Instant) -> list[tuple[Instant, EndpointKey]]:
        """What is due now, off the agenda, each once: what plans itself for now again waits for the next alarm."""
        due: list[tuple[Instant, EndpointKey]] = []
        while self._entries and self._entries[0][0] <= now:
            at, _, key = heapq.heappop(self._entries)
            due.append((at, key))
        return due

    def wake_at(self) -> Instant | None:
        """The earliest deadline that still stands: nobody is woken for one that was taken back."""
        entries = self._entries
        while entries:
            at, _, key = entries[0]
            endpoint = self._conversations.live(key)
            if endpoint is not None and endpoint.scheduled_at == at:
                return at
            heapq.heappop(entries)
        return None
