"""`ConversationTable`: every conversation endpoint of an instance, in memory or, while idle, in a work table.

An endpoint in memory, with its sender, receiver and routing decision, is the vendor's transmission object
(protocol.md 5). It is made at first need and dirty from then on. When more are in memory than are to stay, those that
nobody needs are written to the work table in batches and their memory is given back. Whoever asks for one gets it back.

Not responsible for what is durable: the rows of the store are written by the commit, whatever happens here.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final, Protocol

from engine.core.dialog.endpoint import NOTHING_IN_THE_WAY, DialogEndpoint
from engine.core.handlers.conversation_index import ConversationIndex
from engine.core.handlers.counters import TransmissionObjectCounters
from engine.core.transmission.waiting_line import EndpointKey
from engine.core.transmission.work_table import WorkEntry, WorkRow, WorkTable
from engine.core.vocabulary.identifiers import ConversationGroupId, ConversationId, DatabaseName
from engine.core.vocabulary.moment import Instant, UtcTime
from engine.core.vocabulary.settings import TransmissionObjectSettings

EXAMINED_MAX: Final = 50_000
"""Objects that one round of the flusher looks at: those that are needed now are in its way."""

DUE_MAX: Final = 1_000
"""Objects that one look at the clock brings back; the others follow at once."""


_Key = tuple[DatabaseName, int]
"""A database and the number of a handle."""


class Freezer(Protocol):
    """Makes a row of an endpoint and an endpoint of a row."""

    def freeze(self, endpoint: DialogEndpoint) -> WorkEntry:
        """Everything that an idle endpoint knows."""
        ...

    def thaw(self, row: WorkRow) -> DialogEndpoint:
        """The endpoint as it was, to look at or to take back."""
        ...

    def came_back(self, endpoint: DialogEndpoint) -> None:
        """An endpoint is in memory again."""
        ...


class ConversationTable:
    """Endpoints by handle, by conversation and by group; iteration is in the order of their making."""

    def __init__(self, work_table: WorkTable, freezer: Freezer, settings: TransmissionObjectSettings) -> None:
        self.counters = TransmissionObjectCounters()
        self._work_table = work_table
        self._written = len(work_table)
        self._freezer = freezer
        self._settings = settings
        self._kept = settings.kept
        # Ids stand here by their numbers: hashing a UUID runs Python code.
        self._live: dict[_Key, DialogEndpoint] = {}
        self._indexes: dict[DatabaseName, ConversationIndex] = {}
        """A restored copy of a database has the conversations of the original (identity.md 5)."""
        self._totals: Counter[DatabaseName] = Counter()
        self._next_serial = 1
        self._last_live_serial = 0
        self._is_in_order = True
        """Whether the endpoints in memory stand in the order of their making."""
        self._rests_until = Instant(0.0)

    def __len__(self) -> int:
        return len(self._live) + self._written

    # ── one endpoint ─────────────────────────────────────────────────────────────────────────────────────────────
    def get(self, key: EndpointKey) -> DialogEndpoint | None:
        """The endpoint of a handle, from wherever it is; in memory from now on."""
        self.counters.gets += 1
        found = self._live.get((key[0], key[1].int))
        if found is None and self._written:
            row = self._work_table.of_handle(key)
            return None if row is None else self._take_back(row)
        return found

    def live(self, key: EndpointKey) -> DialogEndpoint | None:
        """The endpoint of a handle if it is in memory, where everything is that has something to do."""
        return self._live.get((key[0], key[1].int))

    def look_at(self, key: EndpointKey) -> DialogEndpoint | None:
        """The endpoint of a handle, to be read only: what is written stays where it is."""
        return self.live(key) or self._look_at(self._work_table.of_handle(key) if self._written else None)

    def look_at_side(
        self, database: DatabaseName, conversation_id: ConversationId, is_initiator: bool
    ) -> DialogEndpoint | None:
        """One side of a conversation in a database, to be read only."""
        index = self._indexes.get(database)
        found = None if index is None else index.side(conversation_id, is_initiator)
        return found or self._look_at(self._written_side(database, conversation_id, is_initiator))

    def _look_at(self, row: WorkRow | None) -> DialogEndpoint | None:
        return None if row is None else self._freezer.thaw(row)

    def __getitem__(self, key: EndpointKey) -> DialogEndpoint:
        """An endpoint that `get` has just found."""
        return self._live[key[0], key[1].int]

    def side_in(
        self, database: DatabaseName, conversation_id: ConversationId, is_initiator: bool
    ) -> DialogEndpoint | None:
        """One side of a conversation in a database, from wherever it is; in memory from now on."""
        self.counters.gets += 1
        index = self._indexes.get(database)
        found = None if index is None else index.side(conversation_id, is_initiator)
        if found is None:
            row = self._written_side(database, conversation_id, is_initiator)
            return None if row is None else self._take_back(row)
        return found

    def _written_side(
        self, database: DatabaseName, conversation_id: ConversationId, is_initiator: bool
    ) -> WorkRow | None:
        rows = self._work_table.of_conversation(conversation_id, is_initiator) if self._written else ()
        return next((row for row in rows if row.database == database), None)

    def are_outside_of(self, database: DatabaseName) -> bool:
        """Whether any other database has endpoints."""
        return len(self._totals) > (database in self._totals)

    def databases_of(self, conversation_id: ConversationId, is_initiator: bool) -> list[DatabaseName]:
        """The databases that have one side of a conversation, the eldest first: a restored copy has it, too."""
        copies = [index.side(conversation_id, is_initiator) for index in self._indexes.values()]
        found = [(endpoint.serial, endpoint.database) for endpoint in copies if endpoint is not None]
        if self._written:
            rows = self._work_table.of_conversation(conversation_id, is_initiator)
            found.extend((row.serial, row.database) for row in rows)
        return [database for _, database in sorted(found)]

    def add(self, endpoint: DialogEndpoint) -> None:
        """Take in a new endpoint."""
        endpoint.serial = self._next_serial
        self._next_serial += 1
        self._totals[endpoint.database] += 1
        self._enter(endpoint)

    def remove(self, endpoint: DialogEndpoint) -> bool:
        """Forget an endpoint for good; False when it is unknown."""
        if self.live(endpoint.key) is not endpoint:
            return False
        self._leave(endpoint)
        self._work_table.forget(endpoint.serial)
        self._totals[endpoint.database] -= 1
        if not self._totals[endpoint.database]:
            # Databases come and go: nothing of one without conversations stays.
            del self._totals[endpoint.database], self._indexes[endpoint.database]
        return True

    def _take_back(self, row: WorkRow) -> DialogEndpoint:
        self._work_table.take_out(row)
        self._written -= 1
        endpoint = self._freezer.thaw(row)
        self._enter(endpoint)
        self._freezer.came_back(endpoint)
        return endpoint

    def _enter(self, endpoint: DialogEndpoint) -> None:
        self.counters.set_dirty += 1
        self._is_in_order = self._is_in_order and endpoint.serial > self._last_live_serial
        self._last_live_serial = max(self._last_live_serial, endpoint.serial)
        self._live[_number(endpoint)] = endpoint
        index = self._indexes.get(endpoint.database)
        if index is None:
            index = self._indexes[endpoint.database] = ConversationIndex()
        index.enter(endpoint)

    def _leave(self, endpoint: DialogEndpoint) -> None:
        del self._live[_number(endpoint)]
        self._indexes[endpoint.database].leave(endpoint)

    def regroup(self, endpoint: DialogEndpoint, group: ConversationGroupId) -> None:
        """Move an endpoint that is in memory to another conversation group."""
        index = self._indexes[endpoint.database]
        index.leave_group(endpoint)
        endpoint.revise(conversation_group_id=group)
        index.join_group(endpoint)

    # ── many endpoints ───────────────────────────────────────────────────────────────────────────────────────────
    @property
    def live_count(self) -> int:
        """How many endpoints are in memory."""
        return len(self._live)

    def total(self, database: DatabaseName) -> int:
        """How many endpoints a database has."""
        return self._totals[database]

    def all_live(self) -> list[DialogEndpoint]:
        """Those in memory, in order: among them is every one that has something to send or waits for something."""
        self._put_in_order()
        return list(self._live.values())

    def look(self, database: DatabaseName | None = None, after: int = 0) -> Iterator[DialogEndpoint]:
        """Every endpoint, of a database or of all, in order, to be read only: what is written stays where it is.

        `after` is a serial number: only later endpoints are wanted.
        """
        if database is not None and not self._totals[database]:
            return iter(())
        self._put_in_order()
        live = (
            endpoint
            for endpoint in self._live.values()
            if endpoint.serial > after and database in (None, endpoint.database)
        )
        if not self._written:
            return live
        written = map(self._freezer.thaw, self._work_table.after(after, database))
        return heapq.merge(live, written, key=_serial)

    def look_back(self, database: DatabaseName | None = None) -> Iterator[DialogEndpoint]:
        """As `look`, the latest first."""
        self._put_in_order()
        live = (each for each in reversed(self._live.values()) if database in (None, each.database))
        if not self._written:
            return live
        written = map(self._freezer.thaw, self._work_table.back(database))
        return heapq.merge(live, written, key=_serial, reverse=True)

    def all_of(self, database: DatabaseName) -> list[DialogEndpoint]:
        """Every endpoint of a database, in order, in memory from now on: something happens to each of them."""
        for row in list(self._work_table.after(0, database)) if self._written else ():
            self._take_back(row)
        self._put_in_order()
        return [endpoint for endpoint in self._live.values() if endpoint.database == database]

    def of_group(self, database: DatabaseName, group: ConversationGroupId) -> list[DialogEndpoint]:
        """The endpoints of a conversation group, to be read only."""
        index = self._indexes.get(database)
        found = [] if index is None else list(index.of_group(group))
        if self._written:
            found.extend(map(self._freezer.thaw, self._work_table.of_group(database, group)))
        return sorted(found, key=_serial)

    def has_group(self, database: DatabaseName, group: ConversationGroupId) -> bool:
        """Whether any endpoint is in a conversation group."""
        index = self._indexes.get(database)
        is_live = index is not None and bool(index.of_group(group))
        return is_live or (self._written > 0 and bool(self._work_table.of_group(database, group)))

    def is_alone(self, endpoint: DialogEndpoint) -> bool:
        """Whether an endpoint in memory is the only one of its group."""
        database, group = endpoint.database, endpoint.row.conversation_group_id
        if len(self._indexes[database].of_group(group)) > 1:
            return False
        return not (self._written and self._work_table.of_group(database, group))

    def _put_in_order(self) -> None:
        if not self._is_in_order:
            self._live = dict(sorted(self._live.items(), key=lambda item: item[1].serial))
            self._is_in_order = True

    # ── time ─────────────────────────────────────────────────────────────────────────────────────────────────────
    def take_due(self, now: UtcTime) -> list[DialogEndpoint]:
        """Written endpoints whose time has come, in memory from now on; at most `DUE_MAX`."""
        if not self._written:
            return []
        return [self._take_back(row) for row in self._work_table.due(now, DUE_MAX)]

    def next_wake(self) -> UtcTime | None:
        """When a written endpoint has something to do next."""
        return self._work_table.next_wake() if self._written else None

    # ── the lazy flusher ─────────────────────────────────────────────────────────────────────────────────────────
    def flush(self, now: Instant) -> None:
        """A round of the flusher, unless it rests or there is nothing to gain. No endpoint may be in use meanwhile."""
        if len(self._live) > self._kept and now >= self._rests_until:
            self.counters.note_round(now)
            self._rests_until = Instant(now + self._settings.rest_seconds)
            self.flush_now()

    def flush_now(self) -> None:
        """Write the eldest objects that nobody needs, until no more are in memory than are to stay."""
        surplus = len(self._live) - self._kept
        idle: list[DialogEndpoint] = []
        needed: list[_Key] = []
        for key, endpoint in islice(self._live.items(), EXAMINED_MAX):
            if len(idle) >= surplus:
                break
            if is_idle(endpoint):
                idle.append(endpoint)
            else:
                needed.append(key)
        if len(needed) + len(idle) >= EXAMINED_MAX:
            self._move_to_the_end(needed)
        for start in range(0, len(idle), self._settings.batch_rows):
            self._write(idle[start : start + self._settings.batch_rows])

    def _move_to_the_end(self, keys: Sequence[_Key]) -> None:
        """Out of the way of the next round."""
        for key in keys:
            self._live[key] = self._live.pop(key)
        self._is_in_order = False

    def _write(self, batch: Sequence[DialogEndpoint]) -> None:
        self._work_table.write([self._freezer.freeze(endpoint) for endpoint in batch])
        self._written += len(batch)
        self.counters.batches += 1
        self.counters.writes += len(batch)
        for endpoint in batch:
            self._leave(endpoint)


def is_idle(endpoint: DialogEndpoint) -> bool:
    """Whether an endpoint has nothing to do: nothing to send, to acknowledge, to hold, to wait for or to say."""
    return (
        len(endpoint.sender) == 0
        and endpoint.receiver.acknowledge_at is None
        and endpoint.reclassify_at is None
        and not endpoint.is_cut_off
        and endpoint.status == NOTHING_IN_THE_WAY
        and not endpoint.receiver.has_held
        and not endpoint.receiver.has_begun
    )


def _serial(endpoint: DialogEndpoint) -> int:
    return endpoint.serial


def _number(endpoint: DialogEndpoint) -> _Key:
    return endpoint.database, endpoint.row.conversation_handle.int
