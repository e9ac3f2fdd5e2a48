"""`DjangoLeaseBook`: the engine's `LeaseBook` in the dashboard's database, SQLite or PostgreSQL.

Every change is one UPDATE that names what it expects to find, so two workers that ask for the same lease at once are
put in order by the database, and one of them finds nothing to change.

Only the clock of the database is asked. Workers on different machines need not agree about the time: each measures the
end of its own lease with a clock that nobody sets, from before it asked, and so ends before the database thinks so.
Should somebody set the database's clock forward, leases end early; set it back, a lease seems to last longer than any
does, and counts as ended. Both cost a change of owners and no message: the fencing number decides who commits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any

import msgspec
from django.db import Error as DatabaseFailed
from django.db import transaction
from django.db.models import F, Q
from django.db.models.functions import Now

from brokerweb.common.database import ReservedConnections, borrowed_connections
from brokerweb.common.leases.models import InstanceLease
from engine import api as engine
from engine.api import leases

Key = tuple[engine.EstateName, engine.InstanceName]


class DjangoLeaseBook:
    """See `LeaseBook`. May be used from any thread that runs no event loop."""

    def __init__(self, *, fences: bool) -> None:
        """`fences` where several workers may host; one process that hosts alone relies on the lock of each file."""
        self._fences = fences
        self._reserved = ReservedConnections()

    @property
    def fences(self) -> bool:
        """Whether its numbers decide who commits."""
        return self._fences

    def take(self, key: Key, holder: leases.HolderId, seconds: float) -> leases.Lease | None:
        """See `LeaseBook`."""
        lasting = timedelta(seconds=seconds)
        is_free = (
            Q(holder__in=("", holder))
            | Q(expires_at__isnull=True)
            | Q(expires_at__lte=Now())
            | Q(expires_at__gt=Now() + lasting * 2)
        )
        with self._asked():
            InstanceLease.objects.bulk_create([InstanceLease(**_place(key))], ignore_conflicts=True)
            with transaction.atomic():
                taken = InstanceLease.objects.filter(is_free, **_place(key)).update(
                    fence=F("fence") + 1,
                    holder=holder,
                    since=Now(),
                    renewed_at=Now(),
                    expires_at=Now() + lasting,
                    is_closed=False,
                    figures=None,
                )
                if not taken:
                    return None
                # Still ours: the transaction holds the row.
                fence = InstanceLease.objects.values_list("fence", flat=True).get(**_place(key))
        return leases.Lease(key=key, holder=holder, fence=engine.FencingNumber(fence))

    def renew(
        self, holder: leases.HolderId, figures: Mapping[Key, leases.InstanceFigures], seconds: float
    ) -> frozenset[Key]:
        """See `LeaseBook`."""
        expires_at = Now() + timedelta(seconds=seconds)
        with self._asked(), transaction.atomic():
            return frozenset(
                key
                for key, each in sorted(figures.items())
                if InstanceLease.objects.filter(holder=holder, **_place(key)).update(
                    expires_at=expires_at, renewed_at=Now(), figures=msgspec.to_builtins(each)
                )
            )

    def give_back(self, lease: leases.Lease, *, is_closed: bool) -> None:
        """See `LeaseBook`."""
        with self._asked():
            InstanceLease.objects.filter(holder=lease.holder, fence=lease.fence, **_place(lease.key)).update(
                holder="", expires_at=None, renewed_at=Now(), is_closed=is_closed, figures=None
            )

    def entries(self) -> Sequence[leases.LeaseEntry]:
        """See `LeaseBook`."""
        with self._asked():
            return lease_entries()

    def rest(self) -> None:
        """See `LeaseBook`."""
        self._reserved.close()

    @contextmanager
    def _asked(self) -> Iterator[None]:
        """Around one question: requests that hold all connections of the pool take none from leases."""
        try:
            with borrowed_connections(), self._reserved.used():
                yield
        except DatabaseFailed as error:
            raise leases.LeasesUnavailable(f"the dashboard's database does not answer: {str(error).strip()}") from error


def lease_entries() -> list[leases.LeaseEntry]:
    """What `entries` answers, within a request or a command: `django.db.Error` when the database does not answer."""
    return [_entry(row) for row in InstanceLease.objects.annotate(now=Now()).order_by(*_ORDER).values()]


_ORDER = ("estate_name", "instance_name")


def _place(key: Key) -> dict[str, str]:
    return {"estate_name": key[0], "instance_name": key[1]}


def _entry(row: dict[str, Any]) -> leases.LeaseEntry:
    now: datetime = row["now"]
    since: datetime | None = row["since"]
    figures = row["figures"]
    return leases.LeaseEntry(
        key=(engine.EstateName(row["estate_name"]), engine.InstanceName(row["instance_name"])),
        fence=engine.FencingNumber(row["fence"]),
        holder=leases.HolderId(row["holder"]) if row["holder"] else None,
        since=None if since is None else engine.UtcTime(since.timestamp()),
        seconds_left=_seconds_left(row["renewed_at"], row["expires_at"], now),
        is_closed=row["is_closed"],
        figures=None if figures is None else msgspec.convert(figures, leases.InstanceFigures),
    )


def _seconds_left(renewed_at: datetime | None, expires_at: datetime | None, now: datetime) -> float:
    """None are left when there are more than two leases have: then the clock was set back, as `take` sees it."""
    if renewed_at is None or expires_at is None or expires_at - now > 2 * (expires_at - renewed_at):
        return 0.0
    return (expires_at - now).total_seconds()
