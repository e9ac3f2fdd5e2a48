"""Change sets: begun, named, discarded, brought up to the live estate, applied to it; and revisions taken back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from brokerweb.accounts.models import User
from brokerweb.common.errors import ConflictsOpen, LossesUnticked, NothingToApply, NothingToRevert, ObjectNotFound
from brokerweb.common.wakeups import wake_topology_watchers
from brokerweb.topology.models import ChangeSet, ChangeSetState, Decision, Estate, Instance, TopologyRevision
from brokerweb.topology.names import fold
from brokerweb.topology.object_changes import KeptObjects, turned_round
from brokerweb.topology.selectors.draft_flows import draft_impact, impact_prepare, unticked_losses
from brokerweb.topology.selectors.drafts import DraftInstance, change_set_at, draft_instances
from brokerweb.topology.selectors.parts import pieces_of
from brokerweb.topology.services.decisions import decision_append, decision_log
from brokerweb.topology.services.drafts import draft_moved, draft_open
from brokerweb.topology.services.flow_warming import flows_prepare_soon
from brokerweb.topology.services.revision import InstanceStep, estate_lock, revision_write
from brokerweb.topology.summaries import flow_words, kept, kind_word, saying, summary_of
from engine import api as engine

SENTENCE_NAMES_MAX = 3
"""How many objects a problem names; the rest it counts."""


@transaction.atomic
def change_set_create(estate_name: str, *, title: str, user: User | None) -> ChangeSet:
    """An empty change set on top of the live estate. Raises `ObjectNotFound`."""
    return _create(estate_lock(estate_name), title=title, user=user)


def _create(estate: Estate, *, title: str, user: User | None) -> ChangeSet:
    last = ChangeSet.objects.filter(estate=estate).aggregate(last=Max("number"))["last"] or 0
    now = timezone.now()
    draft = ChangeSet.objects.create(
        estate=estate,
        number=last + 1,
        title=title,
        author=user,
        base_revision=estate.revision,
        created_at=now,
        changed_at=now,
    )
    transaction.on_commit(lambda: wake_topology_watchers(estate.name))
    transaction.on_commit(lambda: flows_prepare_soon(estate))
    return draft


@transaction.atomic
def change_set_rename(estate_name: str, number: int, title: str, *, expected_sequence: int | None) -> int:
    """Another title; answers the sequence. Raises `ObjectNotFound`, `ChangeSetClosed`, `RevisionConflict`."""
    draft = draft_open(estate_lock(estate_name), number, expected_sequence)
    return draft.sequence if draft.title == title else draft_moved(draft, title=title)


@transaction.atomic
def change_set_discard(estate_name: str, number: int, *, user: User | None, expected_sequence: int | None) -> int:
    """Give a change set up; its log stays. Answers the sequence. Raises as `change_set_rename`."""
    estate = estate_lock(estate_name)
    draft = draft_open(estate, number, expected_sequence)
    decision_log(estate, user=user, summary=saying("discard", **_named(draft)), change_set=draft)
    return draft_moved(draft, state=ChangeSetState.DISCARDED)


@transaction.atomic
def change_set_rebase(estate_name: str, number: int, *, user: User | None, expected_sequence: int | None) -> int:
    """Put a change set on top of the live estate as it is now; answers the sequence.

    What the draft shows is that already; conflicts stay until somebody decides. From here on it is no longer behind.
    Raises as `change_set_rename`.
    """
    estate = estate_lock(estate_name)
    draft = draft_open(estate, number, expected_sequence)
    if draft.base_revision == estate.revision:
        return draft.sequence
    decision_log(
        estate, user=user, summary=saying("rebase", **_named(draft), revision=estate.revision), change_set=draft
    )
    return draft_moved(draft, base_revision=estate.revision)


def change_set_apply(estate_name: str, number: int, *, user: User | None, expected_sequence: int | None) -> int:
    """Make live what a change set wants, in all instances at once; answers the revision that it becomes.

    Raises `ConflictsOpen`, `NothingToApply`, `LossesUnticked`, the engine's `BrokerError` when what the change set
    wants does not fit together with what is live, and as `change_set_rename`.
    """
    impact_prepare(change_set_at(estate_name, number))
    return _apply(estate_name, number, user=user, expected_sequence=expected_sequence)


@transaction.atomic
def _apply(estate_name: str, number: int, *, user: User | None, expected_sequence: int | None) -> int:
    estate = estate_lock(estate_name)
    draft = draft_open(estate, number, expected_sequence)
    instances = draft_instances(draft)
    _refuse_conflicts(draft, instances)
    steps = [step for name, each in instances.items() if (step := _step(estate, name, each)) is not None]
    if not steps:
        raise NothingToApply(
            _("Change set #{number} of {name} changes nothing.").format(number=number, name=estate.name)
        )
    _refuse_unticked(draft)
    revision = revision_write(estate, steps, user=user, summary=saying("apply", **_named(draft)), change_set=draft)
    draft_moved(draft, state=ChangeSetState.APPLIED, applied_revision=revision)
    return revision


def _named(draft: ChangeSet) -> dict[str, Any]:
    """A draft in a sentence: its number, and its title in parentheses where it has one."""
    return {"number": draft.number, "title": f" ({draft.title})" if draft.title else ""}


def _refuse_conflicts(draft: ChangeSet, instances: dict[str, DraftInstance]) -> None:
    found = [
        _("{kind} {name} on {instance}").format(kind=kind_word(shown.kind.value), name=shown.name, instance=name)
        for name, each in instances.items()
        for conflict in each.merge.conflicts
        if (shown := conflict.mine or conflict.theirs or conflict.base) is not None
    ]
    if found:
        names = ", ".join(found[:SENTENCE_NAMES_MAX])
        unnamed = len(found) - SENTENCE_NAMES_MAX
        more = _(" and {count} more").format(count=unnamed) if unnamed > 0 else ""
        raise ConflictsOpen(
            ngettext(
                "Change set #{number} has {count} open conflict: {names}{more}.",
                "Change set #{number} has {count} open conflicts: {names}{more}.",
                len(found),
            ).format(number=draft.number, count=len(found), names=names, more=more)
        )


def _refuse_unticked(draft: ChangeSet) -> None:
    """By what is live and drafted now, whatever a page has shown before."""
    lost = unticked_losses(draft, draft_impact(draft, timezone.now()))
    if lost:
        named = ", ".join(flow_words(row.question) for row in lost[:SENTENCE_NAMES_MAX])
        unnamed = len(lost) - SENTENCE_NAMES_MAX
        more = _(" and {count} more").format(count=unnamed) if unnamed > 0 else ""
        raise LossesUnticked(
            ngettext(
                "Change set #{number} loses {count} flow that nobody has ticked: {names}{more}.",
                "Change set #{number} loses {count} flows that nobody has ticked: {names}{more}.",
                len(lost),
            ).format(number=draft.number, count=len(lost), names=named, more=more)
        )


def _step(estate: Estate, name: str, each: DraftInstance) -> InstanceStep | None:
    if not each.merge.objects:
        return None
    changes = engine.diff_catalogs(each.live, each.merge.catalog)
    if not changes:
        return None
    row = Instance.objects.filter(estate=estate, name=name).first()
    if row is None:
        row = Instance.objects.create(estate=estate, name=name, folded_name=fold(name))
    return InstanceStep(row, each.live, engine.apply_changes(each.live, changes), changes)


@transaction.atomic
def revision_revert(estate_name: str, number: int, *, user: User | None) -> ChangeSet:
    """A change set that puts back what a revision has changed, object by object; nothing is live yet.

    What was changed again since is a conflict in it. Raises `ObjectNotFound`, `NothingToRevert`.
    """
    estate = estate_lock(estate_name)
    revision = TopologyRevision.objects.filter(estate=estate, number=number).first()
    if revision is None:
        raise ObjectNotFound(
            _("Estate {estate_name} has no revision {number}.").format(estate_name=estate_name, number=number)
        )
    decision = Decision.objects.filter(estate=estate, revision=number).first()
    if decision is None or not decision.object_count:
        raise NothingToRevert(
            _("Nothing can be put back of revision {number} of {estate_name}: {summary}.").format(
                number=number, estate_name=estate_name, summary=summary_of(revision)
            )
        )
    draft = _create(estate, title=_("Revert revision {number}").format(number=number), user=user)
    decision_append(
        estate,
        _turned_round(decision),
        user=user,
        summary=saying("revert", number=number, summary=kept(revision)),
        change_set=draft,
        changes=pieces_of(decision, "inverse"),
        inverse=pieces_of(revision, "changes"),
    )
    draft_moved(draft)
    return draft


def _turned_round(decision: Decision) -> Iterator[KeptObjects]:
    """What a decision has done to objects, the other way round."""
    texts, lines = pieces_of(decision, "objects_changed"), pieces_of(decision, "touched")
    return (turned_round(KeptObjects(*piece)) for piece in zip(texts, lines, strict=True))
