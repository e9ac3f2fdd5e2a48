"""Attempt counters in the database, shared by all processes; an attempt is counted before its outcome is known."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from hashlib import sha256

import msgspec
from django.db import transaction
from django.db.models import F

from brokerweb.accounts.models import AttemptCount

WINDOW = timedelta(seconds=300)
"""A counter begins with its first attempt and is forgotten after this time."""


class Counter(msgspec.Struct, frozen=True):
    """What is counted (`kind` and `subject`, a text of any length), and how many attempts a window allows."""

    kind: str
    subject: str
    limit: int

    @property
    def key(self) -> str:
        """The key of its row; a subject is longer than a column can be, if its sender likes."""
        return sha256(f"{self.kind}:{self.subject}".encode("utf-8", "replace")).hexdigest()


class AttemptsExceeded(Exception):
    """A counter allows no attempt until `ends_at`."""

    def __init__(self, ends_at: datetime) -> None:
        super().__init__(f"No attempt until {ends_at}.")
        self.ends_at = ends_at


def attempts_check(counters: Sequence[Counter], now: datetime) -> None:
    """Raise `AttemptsExceeded` if a counter is at its limit. Reads only."""
    limits = {counter.key: counter.limit for counter in counters}
    rows = AttemptCount.objects.filter(key__in=limits, ends_at__gt=now)
    exceeded = [row.ends_at for row in rows if row.count >= limits[row.key]]
    if exceeded:
        raise AttemptsExceeded(max(exceeded))


def attempt_reserve(counters: Sequence[Counter], now: datetime) -> None:
    """Count one attempt in every counter, or raise `AttemptsExceeded` and count it in none."""
    attempts_check(counters, now)
    _open_windows(counters, now)
    with transaction.atomic():
        for counter in counters:
            rows = AttemptCount.objects.filter(key=counter.key)
            # The condition is part of the UPDATE: of parallel attempts no more pass than the limit allows.
            if not rows.filter(count__lt=counter.limit).update(count=F("count") + 1):
                raise AttemptsExceeded(rows.values_list("ends_at", flat=True).first() or now)


def attempt_release(counter: Counter) -> None:
    """Take back one attempt that was not wrong."""
    AttemptCount.objects.filter(key=counter.key, count__gt=0).update(count=F("count") - 1)


def attempts_forget(counter: Counter) -> None:
    """Begin at zero. The row stays: an attempt under way may be about to count in it."""
    AttemptCount.objects.filter(key=counter.key).update(count=0)


def _open_windows(counters: Sequence[Counter], now: datetime) -> None:
    """Remove all windows that are over, and make a row for each counter that has none."""
    keys = {counter.key for counter in counters}
    if AttemptCount.objects.filter(key__in=keys, ends_at__gt=now).count() == len(keys):
        return
    AttemptCount.objects.filter(ends_at__lte=now).delete()
    new = [AttemptCount(key=key, count=0, ends_at=now + WINDOW) for key in sorted(keys)]
    AttemptCount.objects.bulk_create(new, ignore_conflicts=True)
