"""Who generates a run: one holder at a time, by a lease with a fencing number in the run's row.

All times are those of the database, so that the clocks of workers do not matter.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Final
from uuid import UUID

import msgspec
from django.db.models import F, Q, QuerySet
from django.db.models.expressions import CombinedExpression
from django.db.models.functions import Now
from django.utils import timezone

from brokerweb.traffic.figures import RunFigures, figures_from
from brokerweb.traffic.models import TrafficRun, TrafficState
from brokerweb.traffic.plan import TrafficPlan

LEASE_SECONDS: Final = 8.0
"""How long a holder may be silent; then another worker takes over."""


class HeldRun(msgspec.Struct, frozen=True, kw_only=True):
    """A run, and the right of one holder to generate it."""

    key: int
    run_id: UUID
    estate: str
    plan: TrafficPlan
    figures: RunFigures
    holder: str
    fence: int
    is_taken_over: bool
    """Whether somebody has generated it before: then there may be conversations of theirs."""


def runs_claim(holder: str) -> list[HeldRun]:
    """Every run that is wanted and that nobody holds, now held by `holder`."""
    free = Q(expires_at__isnull=True) | Q(expires_at__lt=Now())
    wanted = TrafficRun.objects.exclude(state=TrafficState.STOPPED).filter(free)
    return [run for key in wanted.values_list("pk", flat=True) if (run := _claim(key, free, holder)) is not None]


def _claim(key: int, free: Q, holder: str) -> HeldRun | None:
    """The run, unless somebody else was quicker."""
    taken = TrafficRun.objects.exclude(state=TrafficState.STOPPED).filter(free, pk=key)
    if not taken.update(holder=holder, fence=F("fence") + 1, expires_at=_lease_end(), heartbeat_at=Now()):
        return None
    row = TrafficRun.objects.select_related("estate").get(pk=key)
    plan = msgspec.convert(row.plan, TrafficPlan)
    return HeldRun(
        key=key,
        run_id=row.run_id,
        estate=row.estate.name,
        plan=plan,
        figures=figures_from(row.figures, len(plan.pairs)),
        holder=holder,
        fence=row.fence,
        is_taken_over=row.figures is not None,
    )


def run_renew(run: HeldRun) -> TrafficState | None:
    """Go on holding it, and write what was done; answers what is wanted of it, None when somebody else has it."""
    if not _held(run).update(expires_at=_lease_end(), heartbeat_at=Now(), figures=msgspec.to_builtins(run.figures)):
        return None
    state = TrafficRun.objects.filter(pk=run.key).values_list("state", flat=True).first()
    return None if state is None else TrafficState(state)


def run_release(run: HeldRun, *, is_over: bool) -> None:
    """Hold it no more: it is over, or another worker takes it up at once."""
    ended = {"state": TrafficState.STOPPED, "stopped_at": timezone.now()} if is_over else {}
    _held(run).update(holder="", expires_at=None, figures=msgspec.to_builtins(run.figures), **ended)


def _held(run: HeldRun) -> QuerySet[TrafficRun]:
    return TrafficRun.objects.filter(pk=run.key, run_id=run.run_id, holder=run.holder, fence=run.fence)


def _lease_end() -> CombinedExpression:
    return Now() + timedelta(seconds=LEASE_SECONDS)
