"""Proposed fixes over HTTP: looked at, and carried out live or in a change set."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from ninja import Field, Query, Router

from brokerweb.accounts.api import editing, viewing
from brokerweb.common.api.etag import expected_revision, set_revision
from brokerweb.common.api.names import ESTATE
from brokerweb.common.api.parameters import refuse_unknown
from brokerweb.common.api.shape import Request, Shape
from brokerweb.topology.api.basis import InChangeSet, decided
from brokerweb.topology.api.change_set_schemas import AuditObjectOut, DraftTag
from brokerweb.topology.api.finding_schemas import FindingLine, FixOut, finding_line, fix_picture
from brokerweb.topology.api.schemas import RevisionOut
from brokerweb.topology.api.scripts import ScriptOut, script_out
from brokerweb.topology.selectors.fixes import FixAsked, FixPlan, fix_preview
from brokerweb.topology.selectors.objects_before_after import object_picture
from brokerweb.topology.services.fixes import findings_fix
from brokerweb.topology.summaries import summary_now
from engine import api as engine

router = Router(tags=["findings"])

SHOWN_MAX = 200
"""Objects and findings that one answer tells; of the rest it tells how many there are."""


class FixIn(Request):
    """Which findings: the one of a key, or all of a code that are not put aside."""

    key: str | None = Field(default=None, max_length=32)
    code: str | None = Field(default=None, max_length=16)


class FixQuery(FixIn):
    change_set: int | None = Field(default=None, ge=1, le=2**31 - 1)
    """On top of this open change set; without it, of what is live."""


class FixOutcome(Shape):
    """What comes of a fix. Of each list the first 200 are told."""

    summary: str
    asked: int
    """Findings that were to be mended."""
    mended: int
    """Those of them that are gone with it."""
    gone: int
    """Findings that are gone with it, others too."""
    left_count: int
    left: list[FindingLine]
    """Those that were to be mended and are still there: nothing is proposed, or did not go together with the rest."""
    revealed_count: int
    revealed: list[FindingLine]
    """Findings that are new: what was mended has hidden them, or they come of the fix."""


class FixPreview(FixOutcome):
    """What a fix would do."""

    revision: int
    change_set: DraftTag | None
    """What it was tried on; null is what is live."""
    steps: list[FixOut]
    """Instance by instance; of each instance the first 200 sentences."""
    object_count: int
    objects: list[AuditObjectOut]
    """Before and after; the first 200."""
    script: ScriptOut


class FixMade(RevisionOut, FixOutcome):
    """What a fix has done."""


@router.get(ESTATE + "/findings/fix", response={200: FixPreview}, operation_id="findings_fix_preview", auth=viewing)
def findings_fix_preview(
    request: HttpRequest,
    response: HttpResponse,
    estate: str,
    asked: FixQuery = Query(...),  # noqa: B008
) -> FixPreview:
    """What the proposed fix of one finding, or those of all findings of one code, would do; nothing is changed."""
    refuse_unknown(request, asked)
    plan, script, where, draft = fix_preview(estate, FixAsked(key=asked.key, code=asked.code), asked.change_set)
    if draft is None:
        set_revision(response, where.revision)
    else:
        set_revision(response, draft.sequence, draft.number)
    objects = plan.objects
    return FixPreview(
        **_outcome(plan).dict(),
        revision=where.revision,
        change_set=None if draft is None else DraftTag(number=draft.number, sequence=draft.sequence),
        steps=[_first_steps(part) for part in plan.mending.changes],
        object_count=len(objects),
        objects=[AuditObjectOut(**object_picture(each)) for each in objects[:SHOWN_MAX]],
        script=script_out(script),
    )


@router.post(ESTATE + "/findings/fix", response={200: FixMade}, operation_id="findings_fix", auth=editing)
def findings_fix_(
    request: HttpRequest, response: HttpResponse, estate: str, body: FixIn, change_set: int | None = InChangeSet
) -> FixMade:
    """Carry out what is proposed, as one decision and one step of undo; `finding-gone` when there is none to mend.

    If-Match names what the proposal was looked at in.
    """
    number, plan = findings_fix(
        estate,
        FixAsked(key=body.key, code=body.code),
        change_set=change_set,
        user=request.auth,
        expected_revision=expected_revision(request, change_set),
    )
    return FixMade(**decided(response, estate, number, change_set).dict(), **_outcome(plan).dict())


def _outcome(plan: FixPlan) -> FixOutcome:
    mending = plan.mending
    return FixOutcome(
        summary=summary_now(plan.summary),
        asked=len(plan.asked),
        mended=len(mending.mended),
        gone=len(mending.difference.gone),
        left_count=len(mending.left),
        left=[finding_line(each) for each in mending.left[:SHOWN_MAX]],
        revealed_count=len(mending.difference.new),
        revealed=[finding_line(each) for each in mending.difference.new[:SHOWN_MAX]],
    )


def _first_steps(part: engine.diagnosis.InstanceFix) -> FixOut:
    return fix_picture(engine.diagnosis.InstanceFix(instance=part.instance, changes=part.changes[:SHOWN_MAX]))
