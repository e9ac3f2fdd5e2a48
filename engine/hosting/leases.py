"""Leases: which host may run which instance, until when, and under which fencing number.

A lease is a right that ends by itself: whoever does not renew it in time has lost it. Its fencing number rises by one
with each new owner and never falls, not even when the instance is deleted and made anew; the store refuses the commits
of lower ones. With each renewal a host says how its instances are, so that one table tells who hosts what.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import NewType, Protocol

import msgspec

from engine.core.vocabulary.identifiers import CatalogRevision, EventSequence, FencingNumber
from engine.core.vocabulary.moment import Duration, UtcTime
from engine.hosting.clock import SYSTEM_CLOCK, HostClock
from engine.hosting.shelf import InstanceKey

HolderId = NewType("HolderId", str)
"""One run of one host: name of the worker, its process, and chance that tells it from an earlier one."""


class LeasesUnavailable(Exception):
    """The book of leases cannot be read or written now; the text says why."""


class InstanceFigures(msgspec.Struct, frozen=True, kw_only=True):
    """How an instance is, as its host says with each renewal."""

    revision: CatalogRevision | None = None
    """Applied revision of the catalog; None while it is not loaded."""
    last_event: EventSequence = EventSequence(0)
    inbox: int = 0
    """What waits for the next commit: commands, arrived batches, timers."""
    transmission: int = 0
    """Messages in the transmission queues of its databases."""
    oldest_seconds: Duration | None = None
    """Age of the oldest of them by the clock of its host; None when there is none."""
    ready: int = 0
    """Messages that wait to be received."""
    worker_bytes: int = 0
    """Resident memory of the whole worker."""
    failure: str = ""
    """Why it does not work; empty while it does."""


class Lease(msgspec.Struct, frozen=True, kw_only=True):
    """The right of one host to run one instance."""

    key: InstanceKey
    holder: HolderId
    fence: FencingNumber


class LeaseEntry(msgspec.Struct, frozen=True, kw_only=True):
    """What the book says of one instance. Durations are by the clock of the book."""

    key: InstanceKey
    fence: FencingNumber
    """Of the last owner."""
    holder: HolderId | None
    """None when the lease was given back."""
    since: UtcTime | None
    """When the last owner took it."""
    seconds_left: float
    """Until the lease ends unless it is renewed; 0 or less when nobody has it."""
    is_closed: bool
    """Whether nobody is to host the instance until it is opened again."""
    figures: InstanceFigures | None = None

    @property
    def is_held(self) -> bool:
        """Whether somebody may run the instance now."""
        return self.holder is not None and self.seconds_left > 0


class LeaseBook(Protocol):
    """Where leases are kept. Used from several threads; every method raises `LeasesUnavailable`."""

    @property
    def fences(self) -> bool:
        """Whether all hosts of a deployment share the book, so that its numbers decide who commits.

        If not, the lock on the store's file decides, and the book only tells who hosts what.
        """
        ...

    def take(self, key: InstanceKey, holder: HolderId, seconds: Duration) -> Lease | None:
        """A new lease under the next number for an instance that nobody, or the same host, has; None when one has."""
        ...

    def renew(
        self, holder: HolderId, figures: Mapping[InstanceKey, InstanceFigures], seconds: Duration
    ) -> frozenset[InstanceKey]:
        """Prolong the holder's leases on these instances; answers those which it still has."""
        ...

    def give_back(self, lease: Lease, *, is_closed: bool) -> None:
        """Let others have the instance at once, or, when it `is_closed`, leave it alone; harmless when it was lost."""
        ...

    def entries(self) -> Sequence[LeaseEntry]:
        """All instances that ever had an owner, by estate and name."""
        ...

    def rest(self) -> None:
        """Close what this thread keeps open to ask; the next question opens it again. Raises nothing."""
        ...


class _Row(msgspec.Struct):
    fence: int = 0
    holder: HolderId | None = None
    since: float = 0.0
    ends: float = 0.0
    is_closed: bool = False
    figures: InstanceFigures | None = None


class MemoryLeaseBook:
    """A book in the memory of one process: where hosts are alone, and where the lock on each file decides."""

    def __init__(self, *, fences: bool = False, clock: HostClock = SYSTEM_CLOCK) -> None:
        """`fences` only where all hosts are in this process and their stores have lived no longer than it."""
        self._fences = fences
        self._clock = clock
        self._rows: dict[InstanceKey, _Row] = {}
        self._turn = threading.Lock()

    @property
    def fences(self) -> bool:
        """Whether its numbers decide who commits."""
        return self._fences

    def take(self, key: InstanceKey, holder: HolderId, seconds: Duration) -> Lease | None:
        """See `LeaseBook`."""
        with self._turn:
            row = self._rows.setdefault(key, _Row())
            now = self._clock.lasting_seconds()
            if row.holder not in (None, holder) and row.ends > now:
                return None
            row.fence += 1
            row.holder, row.since, row.ends = holder, self._clock.now().utc, now + seconds
            row.is_closed, row.figures = False, None
            return Lease(key=key, holder=holder, fence=FencingNumber(row.fence))

    def renew(
        self, holder: HolderId, figures: Mapping[InstanceKey, InstanceFigures], seconds: Duration
    ) -> frozenset[InstanceKey]:
        """See `LeaseBook`."""
        with self._turn:
            held = {key: row for key in figures if (row := self._rows.get(key)) and row.holder == holder}
            for key, row in held.items():
                row.ends, row.figures = self._clock.lasting_seconds() + seconds, figures[key]
            return frozenset(held)

    def give_back(self, lease: Lease, *, is_closed: bool) -> None:
        """See `LeaseBook`."""
        with self._turn:
            row = self._rows[lease.key]
            if (row.holder, row.fence) == (lease.holder, lease.fence):
                row.holder, row.figures, row.is_closed = None, None, is_closed

    def entries(self) -> Sequence[LeaseEntry]:
        """See `LeaseBook`."""
        with self._turn:
            now = self._clock.lasting_seconds()
            return [
                LeaseEntry(
                    key=key,
                    fence=FencingNumber(row.fence),
                    holder=row.holder,
                    since=UtcTime(row.since),
                    seconds_left=row.ends - now if row.holder is not None else 0.0,
                    is_closed=row.is_closed,
                    figures=row.figures,
                )
                for key, row in sorted(self._rows.items())
            ]

    def rest(self) -> None:
        """See `LeaseBook`."""
