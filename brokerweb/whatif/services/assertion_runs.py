"""Runs of an estate's assertions; those of the live state as it is are kept, and the oldest of them forgotten."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec
from django.db import transaction
from django.utils.translation import gettext as _

from brokerweb.accounts.models import User
from brokerweb.common.errors import ObjectNotFound
from brokerweb.topology.models import Estate
from brokerweb.topology.services.revision import estate_lock
from brokerweb.whatif.models import Assertion, AssertionRun, AssertionVerdict, Trigger
from brokerweb.whatif.selectors.assertion_runs import Outcomes, outcomes_of
from brokerweb.whatif.selectors.basis import Basis, BasisAsked, basis_of
from brokerweb.whatif.stored import result_to_json
from engine import api as engine

RUNS_KEPT: Final = 50
"""Of an estate, the newest."""
_BATCH: Final = 500


class RunDone(msgspec.Struct, frozen=True, kw_only=True):
    """A run, as whoever asked for it is told."""

    run: AssertionRun
    """Without an id where it is not kept."""
    basis: Basis
    outcomes: Outcomes


def assertions_run(
    estate_name: str,
    asked: BasisAsked,
    *,
    trigger: Trigger,
    user: User | None,
    ids: Sequence[int] | None = None,
) -> RunDone:
    """Run the enabled assertions of an estate, or those of them that are named; of the live state it is kept.

    Raises `ObjectNotFound` for ids of no assertion of the estate, and as `basis_of`.
    """
    basis = basis_of(estate_name, asked)
    rows = _chosen(basis.estate, ids)
    enabled = [row for row in rows if row.is_enabled]
    is_kept = asked == BasisAsked()
    outcomes = outcomes_of(basis, enabled)
    run = AssertionRun(
        estate=basis.estate,
        revision=basis.revision,
        settled_count=basis.estate.settled_count,
        at=basis.at,
        trigger=trigger,
        author_name="" if user is None else user.get_username(),
        passed=len(outcomes.run.results) - outcomes.run.failures,
        failed=outcomes.run.failures,
        disabled=len(rows) - len(enabled),
        engine_version=engine.what_if.VERSION,
    )
    if is_kept:
        _keep(run, outcomes)
    return RunDone(run=run, basis=basis, outcomes=outcomes)


def _chosen(estate: Estate, ids: Sequence[int] | None) -> list[Assertion]:
    rows = list(Assertion.objects.filter(estate=estate).order_by("name", "pk"))
    if ids is None:
        return rows
    wanted = set(ids)
    missing = wanted - {row.pk for row in rows}
    if missing:
        raise ObjectNotFound(
            _("Estate {estate} has no assertion {assertion}.").format(estate=estate.name, assertion=min(missing)),
            why=_("Somebody has deleted it, or it is one of another estate."),
            cure=_("Read the assertions again."),
            pointer="/ids",
        )
    return [row for row in rows if row.pk in wanted]


@transaction.atomic
def _keep(run: AssertionRun, outcomes: Outcomes) -> None:
    """Store a run and each verdict. What was deleted while it ran has none; what was changed has no new one."""
    estate = estate_lock(run.estate.name)
    run.save(force_insert=True)
    there = dict(Assertion.objects.filter(estate=estate).values_list("pk", "version"))
    pairs = [pair for pair in zip(outcomes.rows, outcomes.run.results, strict=True) if pair[0].pk in there]
    AssertionVerdict.objects.bulk_create(
        [
            AssertionVerdict(
                run=run, assertion=row, version=row.version, passed=result.passed, told=result_to_json(result)
            )
            for row, result in pairs
        ],
        batch_size=_BATCH,
    )
    for passed in (True, False):
        current = [row.pk for row, result in pairs if result.passed is passed and there[row.pk] == row.version]
        for begin in range(0, len(current), _BATCH):
            chosen = Assertion.objects.filter(pk__in=current[begin : begin + _BATCH])
            chosen.update(last_passed=passed, last_run=run)
    old = AssertionRun.objects.filter(estate=estate).order_by("-pk").values_list("pk", flat=True)[RUNS_KEPT:]
    AssertionRun.objects.filter(pk__in=list(old)).delete()
