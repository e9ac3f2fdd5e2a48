"""`ConversationTally`: how many endpoints are in which state, kept as they change, and which are in the rarer ones.

An endpoint remembers by what it is counted, so that one that is not in memory costs nothing here. Most of a large
instance are CONVERSING or CLOSED: those are found by passing through the table, all others by their state.
"""

from __future__ import annotations

from typing import Final

from engine.core.dialog.endpoint import DialogEndpoint
from engine.core.handlers.closed_counts import ClosedCounts
from engine.core.vocabulary.identifiers import ConversationHandle, DatabaseName
from engine.core.vocabulary.limits import STATE_INDEX_MAX
from engine.core.vocabulary.moment import Duration, UtcTime
from engine.core.vocabulary.rows import ConversationState

_CLOSED: Final = ConversationState.CLOSED
_COMMON: Final = (ConversationState.CONVERSING, ConversationState.CLOSED)


class DatabaseTally:
    """The endpoints of one database."""

    def __init__(self, guard_seconds: Duration) -> None:
        self.by_state: Final[dict[ConversationState, int]] = {}
        self.closed: Final = ClosedCounts(guard_seconds)
        self._handles: Final[dict[ConversationState, dict[int, ConversationHandle] | None]] = {}
        """Of those in a state, by their numbers, the first one that came into it first; None when they are too many."""

    def handles(self, state: ConversationState) -> dict[int, ConversationHandle] | None:
        """The endpoints in a state; None where only passing through all of them tells."""
        return None if state in _COMMON else self._handles.get(state, {})

    def enter(self, endpoint: DialogEndpoint, state: ConversationState) -> None:
        """An endpoint is in a state."""
        self.by_state[state] = self.by_state.get(state, 0) + 1
        if state not in _COMMON:
            known = self._handles.setdefault(state, {})
            if known is not None:
                handle = endpoint.row.conversation_handle
                known[handle.int] = handle
                if len(known) > STATE_INDEX_MAX:
                    self._handles[state] = None

    def leave(self, endpoint: DialogEndpoint, state: ConversationState) -> None:
        """It is not any more."""
        left = self.by_state[state] - 1
        if left:
            self.by_state[state] = left
        else:
            del self.by_state[state]
        if state not in _COMMON:
            known = self._handles.get(state)
            if not left:
                self._handles.pop(state, None)
            elif known is not None:
                known.pop(endpoint.row.conversation_handle.int, None)


class ConversationTally:
    """All databases of an instance."""

    def __init__(self, guard_seconds: Duration) -> None:
        self._guard = guard_seconds
        self._databases: dict[DatabaseName, DatabaseTally] = {}

    def of(self, database: DatabaseName) -> DatabaseTally:
        """The sums of a database; empty for one without conversations."""
        return self._databases.get(database) or DatabaseTally(self._guard)

    def enter(self, endpoint: DialogEndpoint) -> None:
        """An endpoint was made or restored."""
        tally = self._databases.get(endpoint.database)
        if tally is None:
            tally = self._databases[endpoint.database] = DatabaseTally(self._guard)
        self._count(tally, endpoint)

    def came_back(self, endpoint: DialogEndpoint) -> None:
        """An endpoint is in memory again; the sums have it as its row says."""
        endpoint.counted_state = endpoint.row.state

    def rearm(self, endpoint: DialogEndpoint, guard: UtcTime) -> None:
        """The security timestamp of an endpoint is about to be another."""
        if endpoint.counted_state is _CLOSED:
            closed, row = self._databases[endpoint.database].closed, endpoint.row
            closed.remove(row.security_timestamp, row.lifetime)
            closed.add(guard, row.lifetime)

    def follow(self, endpoint: DialogEndpoint) -> None:
        """The state of an endpoint may be another."""
        before = endpoint.counted_state
        if before is not None and before is not endpoint.row.state:
            tally = self._databases[endpoint.database]
            self._discount(tally, endpoint, before)
            self._count(tally, endpoint)

    def leave(self, endpoint: DialogEndpoint) -> None:
        """An endpoint is gone for good."""
        if endpoint.counted_state is not None:
            tally = self._databases[endpoint.database]
            self._discount(tally, endpoint, endpoint.counted_state)
            endpoint.counted_state = None
            if not tally.by_state:
                # Databases come and go: nothing of one without conversations stays.
                del self._databases[endpoint.database]

    def _count(self, tally: DatabaseTally, endpoint: DialogEndpoint) -> None:
        row = endpoint.row
        endpoint.counted_state = row.state
        tally.enter(endpoint, row.state)
        if row.state is _CLOSED:
            tally.closed.add(row.security_timestamp, row.lifetime)

    def _discount(self, tally: DatabaseTally, endpoint: DialogEndpoint, state: ConversationState) -> None:
        tally.leave(endpoint, state)
        if state is _CLOSED:
            tally.closed.remove(endpoint.row.security_timestamp, endpoint.row.lifetime)
