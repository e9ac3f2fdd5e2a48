"""Proposed fixes carried out: one decision and one step of undo, however many findings it mends."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from brokerweb.accounts.models import User
from brokerweb.topology.models import Estate, Instance
from brokerweb.topology.selectors.fixes import FixAsked, FixPlan, fix_plan
from brokerweb.topology.services.drafts import draft_decide, draft_open
from brokerweb.topology.services.revision import DraftStep, InstanceStep, estate_lock, revision_check, revision_write


@transaction.atomic
def findings_fix(
    estate_name: str, asked: FixAsked, *, change_set: int | None, user: User | None, expected_revision: int | None
) -> tuple[int, FixPlan]:
    """Carry out what is proposed for one finding, or for all of a code, as it is proposed now.

    Answers the revision, or with `change_set` its sequence, and what was done. Raises `FindingGone`, `NothingToFix`,
    `MalformedRequest`, `ObjectNotFound`, `RevisionConflict`, `ChangeSetClosed`.
    """
    estate = estate_lock(estate_name)
    if change_set is not None:
        draft = draft_open(estate, change_set, expected_revision)
        plan = fix_plan(estate, draft, asked, timezone.now())
        return draft_decide(draft, _drafted(plan), user=user, summary=plan.summary), plan
    revision_check(estate, expected_revision)
    plan = fix_plan(estate, None, asked, timezone.now())
    return revision_write(estate, _steps(estate, plan), user=user, summary=plan.summary), plan


def _drafted(plan: FixPlan) -> list[DraftStep]:
    before, after = plan.mending.before, plan.mending.after
    return [DraftStep(before[part.instance], after[part.instance], part.changes) for part in plan.mending.changes]


def _steps(estate: Estate, plan: FixPlan) -> list[InstanceStep]:
    rows = {row.name: row for row in Instance.objects.filter(estate=estate)}
    return [InstanceStep(rows[step.before.name], step.before, step.after, step.changes) for step in _drafted(plan)]
