"""Test traffic as people ask for it: started, stopped, both in the log of decisions of the estate."""

from __future__ import annotations

from uuid import uuid4

import msgspec
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from brokerweb.accounts.models import User
from brokerweb.common.errors import EngineRefused, MalformedRequest, TrafficRuns
from brokerweb.topology.models import Estate
from brokerweb.topology.selectors.live_catalogs import live_catalogs
from brokerweb.topology.services.decisions import decision_log
from brokerweb.topology.services.revision import estate_lock
from brokerweb.topology.summaries import saying
from brokerweb.traffic.models import TrafficRun, TrafficState
from brokerweb.traffic.plan import BYTES_PER_SECOND_MAX, RATE_OF_ESTATE_MAX, TrafficPlan
from engine import api as engine


@transaction.atomic
def traffic_start(estate_name: str, plan: TrafficPlan, *, user: User | None) -> None:
    """A new run; a worker takes it up within about a second.

    Raises `ObjectNotFound`, `TrafficRuns` while one runs or is being ended, `MalformedRequest` for more than an
    estate may send, and `EngineRefused` for a pair whose names are not defined.
    """
    estate = estate_lock(estate_name)
    run = TrafficRun.objects.filter(estate=estate).first()
    if run is not None and run.state != TrafficState.STOPPED:
        raise TrafficRuns(_("Test traffic of estate {estate} runs already.").format(estate=estate.name))
    _check(estate, plan)
    row = run or TrafficRun(estate=estate)
    row.run_id = uuid4()
    row.state = TrafficState.RUNNING
    row.plan = msgspec.to_builtins(plan)
    row.figures = None
    row.started_by, row.started_at, row.stopped_at = user, timezone.now(), None
    row.holder, row.expires_at, row.heartbeat_at = "", None, None
    row.save()
    summary = saying("start-traffic", pairs=len(plan.pairs), rate=f"{plan.rate:g}", size=plan.size)
    decision_log(estate, user=user, summary=summary)


@transaction.atomic
def traffic_stop(estate_name: str, *, user: User | None) -> None:
    """No more is sent from the next half second on, and what is open is ended; harmless when nothing runs."""
    estate = estate_lock(estate_name)
    rows = TrafficRun.objects.filter(estate=estate, state=TrafficState.RUNNING)
    if rows.update(state=TrafficState.STOPPING):
        decision_log(estate, user=user, summary=saying("stop-traffic"))


def _check(estate: Estate, plan: TrafficPlan) -> None:
    rate = plan.rate * len(plan.pairs)
    if rate > RATE_OF_ESTATE_MAX:
        raise MalformedRequest(
            _("{rate} messages a second are asked for, and an estate sends {most} at most.").format(
                rate=f"{rate:g}", most=f"{RATE_OF_ESTATE_MAX:g}"
            ),
            why=_("Test traffic shares the machine with everything else that runs on it."),
            cure=_("Choose a lower rate, or fewer pairs."),
            pointer="/rate",
        )
    if rate * plan.size > BYTES_PER_SECOND_MAX:
        raise MalformedRequest(
            _("{size} bytes a second are asked for, and an estate sends {most} at most.").format(
                size=round(rate * plan.size), most=BYTES_PER_SECOND_MAX
            ),
            why=_("Test traffic shares the machine with everything else that runs on it."),
            cure=_("Choose a lower rate, smaller messages, or fewer pairs."),
            pointer="/size",
        )
    if len(set(plan.pairs)) < len(plan.pairs):
        raise MalformedRequest(_("A pair is named twice."), cure=_("Name each pair once."), pointer="/pairs")
    catalogs = live_catalogs(estate)
    for position, pair in enumerate(plan.pairs):
        try:
            engine.diagnosis.dialog_ends(catalogs, pair.wanted)
        except engine.BrokerError as error:
            raise EngineRefused(error, f"/pairs/{position}") from error
