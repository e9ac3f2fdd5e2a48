"""What a change set does to the findings of its estate: which come, which go, and which stay."""

from __future__ import annotations

import msgspec
from django.utils import timezone
from django.utils.translation import gettext as _

from brokerweb.common.errors import ChangeSetClosed
from brokerweb.topology.models import ChangeSet, ChangeSetState
from brokerweb.topology.selectors.drafts import change_set_at
from brokerweb.topology.selectors.findings import (
    draft_diagnosis,
    keys_put_aside,
    revision_diagnosis,
    wanted_diagnosis,
)
from engine import api as engine

Finding = engine.diagnosis.Finding


class DraftFindings(msgspec.Struct, frozen=True, kw_only=True):
    """The findings of a change set by what it does to them, the gravest first; without those that are put aside."""

    change_set: ChangeSet
    new: tuple[Finding, ...]
    gone: tuple[Finding, ...]
    still: tuple[Finding, ...]
    suppressed: int
    """Findings with the change set that somebody has put aside."""


def change_set_findings(estate_name: str, number: int) -> DraftFindings:
    """What a change set would do to what is live now, or did when it was applied.

    Raises `ObjectNotFound`, and `ChangeSetClosed` for one that was discarded.
    """
    change_set = change_set_at(estate_name, number)
    difference = _difference(change_set)
    aside = keys_put_aside(change_set.estate, timezone.now())
    new, gone, still = (
        tuple(each for each in found if each.key not in aside)
        for found in (difference.new, difference.gone, difference.still)
    )
    with_it = len(difference.new) + len(difference.still)
    return DraftFindings(
        change_set=change_set, new=new, gone=gone, still=still, suppressed=with_it - len(new) - len(still)
    )


def _difference(change_set: ChangeSet) -> engine.diagnosis.Difference:
    estate, revision = change_set.estate, change_set.applied_revision
    if revision is not None:
        # What time alone has changed since is not what the change set did.
        then = change_set.changed_at
        return engine.diagnosis.compare(
            revision_diagnosis(estate, revision - 1, then), revision_diagnosis(estate, revision, then)
        )
    if change_set.state != ChangeSetState.OPEN:
        raise ChangeSetClosed(
            _("Change set #{number} of {name} was discarded and changes nothing.").format(
                number=change_set.number, name=estate.name
            )
        )
    now = timezone.now()
    return engine.diagnosis.compare(wanted_diagnosis(estate, now), draft_diagnosis(change_set, now))
