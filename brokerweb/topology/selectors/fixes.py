"""What the proposed fixes of findings would do: to the estate as it is live, or on top of a draft."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

import msgspec
from django.utils import timezone
from django.utils.translation import gettext as _

from brokerweb.common.errors import ChangeSetClosed, FindingGone, MalformedRequest, NothingToFix
from brokerweb.common.languages import asked_language
from brokerweb.topology.models import ChangeSet, ChangeSetState, Estate
from brokerweb.topology.object_changes import InstanceObject
from brokerweb.topology.selectors.drafts import change_set_of, draft_catalogs
from brokerweb.topology.selectors.findings import draft_diagnosis, estate_of, keys_put_aside, wanted_diagnosis
from brokerweb.topology.selectors.live_catalogs import live_catalogs
from brokerweb.topology.summaries import finding_parameters, saying
from engine import api as engine

Finding = engine.diagnosis.Finding


class FixAsked(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be mended: the finding of a key, or every finding of a code that is not put aside."""

    key: str | None = None
    code: str | None = None


class FixPlan(msgspec.Struct, frozen=True, kw_only=True):
    """What would be done, and what would come of it."""

    summary: str
    """The sentence under which it enters the history."""
    asked: tuple[Finding, ...]
    mending: engine.diagnosis.Mending

    @property
    def objects(self) -> list[InstanceObject]:
        """Every object that changes."""
        before, after = self.mending.before, self.mending.after
        return [
            InstanceObject(name, change.key, change.before, change.after)
            for name in sorted(part.instance for part in self.mending.changes)
            for change in engine.revisions.changed_objects(before[name], after[name])
        ]


def fix_preview(
    estate_name: str, asked: FixAsked, change_set: int | None
) -> tuple[FixPlan, engine.scripts.WrittenScript, Estate, ChangeSet | None]:
    """What a fix would do now, as a plan and as T-SQL, and of what.

    Raises `ObjectNotFound`, `FindingGone`, `NothingToFix`, `MalformedRequest`, `ChangeSetClosed`.
    """
    estate = estate_of(estate_name)
    draft = None if change_set is None else open_draft(estate, change_set)
    plan = fix_plan(estate, draft, asked, timezone.now())
    where = f"Estate {estate.name}, " + (f"revision {estate.revision}" if draft is None else draft.name)
    options = engine.scripts.ScriptOptions(header=(where, plan.summary))
    touched = [part.instance for part in plan.mending.changes]
    before, after = ({name: side[name] for name in touched} for side in (plan.mending.before, plan.mending.after))
    parts = engine.scripts.delta_script(before, after, options)
    return plan, engine.scripts.whole_script(parts), estate, draft


def open_draft(estate: Estate, number: int) -> ChangeSet:
    """The draft of that number, to be looked at; `ObjectNotFound`, `ChangeSetClosed`."""
    draft = change_set_of(estate, number)
    draft.estate = estate
    if draft.state != ChangeSetState.OPEN:
        raise ChangeSetClosed(
            _("Change set #{number} of {name} is {state}: nothing is found in it any more.").format(
                number=number, name=estate.name, state=draft.state
            )
        )
    return draft


def fix_plan(estate: Estate, draft: ChangeSet | None, asked: FixAsked, now: datetime) -> FixPlan:
    """What a fix does to what is live, or to a draft. Raises `FindingGone`, `NothingToFix`, `MalformedRequest`."""
    if (asked.key is None) is (asked.code is None):
        raise MalformedRequest(
            _("A fix is asked for without saying of what."),
            why=_("It is that of one finding, or of every finding of one code."),
            cure=_("Give `key` or `code`, and not both."),
        )
    if draft is None:
        catalogs, diagnosis = live_catalogs(estate), wanted_diagnosis(estate, now)
    else:
        catalogs, diagnosis = draft_catalogs(draft), draft_diagnosis(draft, now)
    chosen = _chosen(diagnosis, asked, keys_put_aside(estate, now))
    mending = engine.diagnosis.mend(catalogs, diagnosis, {each.key for each in chosen}, engine.UtcTime(now.timestamp()))
    if not mending.changes:
        raise NothingToFix(_("No fix is proposed for {value}.").format(value=_told(chosen)))
    return FixPlan(summary=_summary(chosen), asked=chosen, mending=mending)


def _chosen(diagnosis: engine.diagnosis.Diagnosis, asked: FixAsked, put_aside: Collection[str]) -> tuple[Finding, ...]:
    if asked.key is not None:
        chosen = tuple(each for each in diagnosis.findings if each.key == asked.key)
        if not chosen:
            raise FindingGone(_("There is no such finding any more."))
        return chosen
    assert asked.code is not None
    if asked.code not in engine.diagnosis.entries():
        raise MalformedRequest(
            _("No check has the code {code}.").format(code=asked.code),
            cure=_("Take the code of a finding, such as SBD-103."),
            pointer="/code",
        )
    chosen = tuple(each for each in diagnosis.findings if each.code == asked.code and each.key not in put_aside)
    if not chosen:
        raise FindingGone(_("There is no finding {code} any more.").format(code=asked.code))
    return chosen


def _summary(chosen: tuple[Finding, ...]) -> str:
    told = finding_parameters(chosen[0])
    if len(chosen) == 1:
        return saying("fix-finding", **told)
    return saying("fix-findings", count=len(chosen), finding=told["finding"])


def _told(chosen: tuple[Finding, ...]) -> str:
    """What is to be mended, in the asker's language."""
    title = engine.diagnosis.worded(chosen[0], asked_language()).title
    if len(chosen) == 1:
        return f"{chosen[0].code}, {title}: {engine.diagnosis.subject_text(chosen[0].subject, asked_language())}"
    return f"{chosen[0].code}, {title} ({len(chosen)})"
