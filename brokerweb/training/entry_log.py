"""`DjangoEntryLog`: logs of sandboxes in the dashboard's database, written under the lock of their session."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial
from typing import Final
from uuid import UUID

import msgspec
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from brokerweb.common.database import release_connection
from brokerweb.common.wakeups import wake_topology_watchers
from brokerweb.training.library import scenarios
from brokerweb.training.models import TrainingEntry, TrainingSession
from brokerweb.training.quotas import ROW_BYTES, RUN_BYTES_MAX, is_full
from engine import api as engine

Action = engine.sandbox.Action
Append = engine.sandboxes.Append
Entry = engine.sandbox.Entry

CLOCK_TAG: Final = '"clock-set"'
_decoder: Final[msgspec.json.Decoder[Action]] = msgspec.json.Decoder(Action)


def entry_row(session: TrainingSession, entry: Entry) -> TrainingEntry:
    """A line as a row that is not stored yet."""
    return TrainingEntry(
        session=session,
        sequence=entry.sequence,
        at_seconds=entry.at_seconds,
        action=engine.json_encoder.encode(entry.action).decode(),
    )


def entries_bytes(rows: Collection[TrainingEntry]) -> int:
    """What rows take on the disk."""
    return sum(len(row.action) + ROW_BYTES for row in rows)


def entry_of(row: TrainingEntry) -> Entry:
    """A row as a line."""
    return Entry(sequence=row.sequence, at_seconds=row.at_seconds, action=_decoder.decode(row.action))


def clock_of(session: TrainingSession) -> engine.sandbox.SandboxClock:
    """The clock of a sandbox as its log has set it last; nothing of the sandbox is made for that."""
    for row in session.entries.filter(action__contains=CLOCK_TAG).order_by("-sequence").iterator(chunk_size=20):
        entry = entry_of(row)
        if isinstance(entry.action, engine.sandbox.ClockSet):
            return engine.sandbox.SandboxClock(
                seconds=entry.at_seconds, wall_seconds=entry.action.wall_seconds, rate=entry.action.rate
            )
    return engine.sandbox.SandboxClock()


class DjangoEntryLog:
    """`EntryLog`."""

    bytes_max = RUN_BYTES_MAX

    def spec(self, name: str) -> engine.sandbox.SandboxSpec | None:
        """What a session began with; None when there is none, or its scenario is not as it was any more."""
        session = session_named(name)
        release_connection()
        scenario = None if session is None else scenarios().get(session.scenario)
        if session is None or scenario is None or scenario.digest != session.digest:
            return None
        return engine.training.spec_of(scenario, seed=session.seed)

    def read_after(self, name: str, sequence: int) -> Sequence[Entry]:
        """All lines later than `sequence`."""
        rows = TrainingEntry.objects.filter(session=session_id(name), sequence__gt=sequence).order_by("sequence")
        entries = [entry_of(row) for row in rows]
        # A script that waits in a sandbox reads its log again and again.
        release_connection()
        return entries

    def append(self, name: str, entry: Entry) -> Append:
        """Write a line unless there is one of its number; when the session has ended its log is closed.

        So it is once the time of an examination is over: it is worth what it was in the last second.
        """
        appended = self._append(name, entry)
        release_connection()
        return appended

    @transaction.atomic
    def _append(self, name: str, entry: Entry) -> Append:
        session = TrainingSession.objects.select_for_update().filter(pk=session_id(name)).first()
        if session is None or session.ended_at is not None or _is_late(session):
            return Append.CLOSED
        if TrainingEntry.objects.filter(session=session, sequence=entry.sequence).exists():
            return Append.TAKEN
        row = entry_row(session, entry)
        size = entries_bytes([row])
        if is_full(session, size):
            return Append.FULL
        row.save(force_insert=True)
        # Whoever looks at the sandbox reads on at once, in every process: nothing else wakes them.
        transaction.on_commit(partial(wake_topology_watchers, name))
        TrainingSession.objects.filter(pk=session.pk).update(
            touched_at=timezone.now(), kept_bytes=F("kept_bytes") + size
        )
        return Append.WRITTEN


def _is_late(session: TrainingSession) -> bool:
    return session.ends_by is not None and timezone.now() >= session.ends_by


def session_named(name: str) -> TrainingSession | None:
    """The session whose sandbox has that name, with its trainee; None when there is none.

    Letter by letter: under two names it would be two sandboxes to whoever keeps something by them.
    """
    found = TrainingSession.objects.select_related("trainee").filter(pk=session_id(name)).first()
    return found if found is not None and found.sandbox == name else None


def session_id(name: str) -> UUID | None:
    """Of the session that a sandbox is; None for the name of no session."""
    try:
        return UUID(hex=name.removeprefix(engine.sandboxes.SANDBOX_PREFIX))
    except ValueError:
        return None
