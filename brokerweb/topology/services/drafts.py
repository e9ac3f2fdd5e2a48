"""Decisions in a draft: nothing live changes, no instance hears of it, and everybody who looks at it does."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from brokerweb.accounts.models import User
from brokerweb.common.errors import ChangeSetClosed, NotInChangeSet, RevisionConflict
from brokerweb.common.wakeups import wake_topology_watchers
from brokerweb.topology.models import ChangeSet, ChangeSetState, Decision, Estate
from brokerweb.topology.selectors.drafts import change_set_of
from brokerweb.topology.services.decisions import Step, decision_log, objects_of_step
from brokerweb.topology.services.intended_losses import losses_settle
from brokerweb.topology.summaries import summary_of
from engine import api as engine


def draft_open(estate: Estate, number: int, expected_sequence: int | None) -> ChangeSet:
    """The open change set of a locked estate.

    Raises `ObjectNotFound`, `ChangeSetClosed`, and `RevisionConflict` when it is not at `expected_sequence` (None:
    wherever it is).
    """
    draft = change_set_of(estate, number)
    draft.estate = estate
    if draft.state != ChangeSetState.OPEN:
        text = (
            _("Change set #{number} of {name} became revision {revision}.")
            if draft.applied_revision
            else _("Change set #{number} of {name} was discarded.")
        )
        raise ChangeSetClosed(text.format(number=number, name=estate.name, revision=draft.applied_revision))
    if expected_sequence is not None and draft.sequence != expected_sequence:
        raise _conflict(draft, expected_sequence)
    return draft


def draft_decide(draft: ChangeSet, steps: Sequence[Step], *, user: User | None, summary: str) -> int:
    """Write a decision into an open draft; answers its sequence. One that changes no object leaves no trace."""
    for step in steps:
        for change in step.changes:
            if isinstance(change, engine.BrokerConversationsErrored):
                where = _("{database} on {instance}").format(database=change.database, instance=step.before.name)
                raise NotInChangeSet(
                    _("ERROR_BROKER_CONVERSATIONS of {where} cannot wait in a change set.").format(where=where),
                    cure=_("Leave it out here, and end the conversations of the database without a change set."),
                )
    if not any(objects_of_step(step) for step in steps):
        return draft.sequence
    decision_log(draft.estate, steps, user=user, summary=summary, change_set=draft)
    return draft_moved(draft)


def draft_moved(draft: ChangeSet, **fields: object) -> int:
    """Something has happened to a draft: count it, tell who watches, and write further fields; answers the sequence."""
    draft.sequence += 1
    draft.changed_at = timezone.now()
    for name, value in fields.items():
        setattr(draft, name, value)
    draft.save(update_fields=["sequence", "changed_at", *fields])
    if draft.state == ChangeSetState.OPEN:
        losses_settle(draft)
    estate_name = draft.estate.name
    transaction.on_commit(lambda: wake_topology_watchers(estate_name))
    return draft.sequence


def _conflict(draft: ChangeSet, expected: int) -> RevisionConflict:
    """The conflict, naming who moved the draft on."""
    latest = Decision.objects.select_related("author").filter(change_set=draft).order_by("-sequence").first()
    by = (
        ""
        if latest is None or latest.author is None
        else _(", by {author}").format(author=latest.author.get_username())
    )
    what = "" if latest is None else _(" The latest in it: {summary}.").format(summary=summary_of(latest))
    return RevisionConflict(
        _("Change set #{number} is at {sequence}{by}; the change was made from {expected}.").format(
            number=draft.number, sequence=draft.sequence, by=by, expected=expected
        ),
        why=_("Somebody changed the change set meanwhile.{what}").format(what=what),
        cure=_("Read the change set again, look whether your change still makes sense, and repeat it."),
    )
