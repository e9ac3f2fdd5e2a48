"""One decision about an estate: lock, check, write, number, log, and put on its way, all or nothing.

Every change of the wanted topology goes through here, so that there is exactly one place where a revision is born. A
place in a change set is decided upon in the same way, only that nothing of it is live before the change set is applied.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import msgspec
from django.db import transaction
from django.utils.translation import gettext as _

from brokerweb.accounts.models import User
from brokerweb.common.errors import ObjectNotFound, RevisionConflict
from brokerweb.common.outbox.services import outbox_append
from brokerweb.topology.changes import changes_in_pieces
from brokerweb.topology.models import ChangeSet, Estate, Instance, TopologyRevision
from brokerweb.topology.selectors.catalogs import instance_catalog
from brokerweb.topology.selectors.drafts import draft_instance
from brokerweb.topology.selectors.places import InstancePlace
from brokerweb.topology.services.announcing import revision_announce
from brokerweb.topology.services.decisions import decision_log
from brokerweb.topology.services.drafts import draft_decide, draft_open
from brokerweb.topology.services.history import history_append
from brokerweb.topology.services.listing import listing_settle
from brokerweb.topology.services.mirrors import mirrors_derive
from brokerweb.topology.services.rows import catalog_write
from brokerweb.topology.summaries import summary_of
from engine import api as engine


class InstanceStep(msgspec.Struct, frozen=True):
    """What one decision does to one instance: the changes, and the catalog before and after them."""

    instance: Instance
    before: engine.InstanceCatalog
    after: engine.InstanceCatalog
    changes: Sequence[engine.CatalogChange]


class DraftStep(msgspec.Struct, frozen=True):
    """As `InstanceStep`, in a draft: the instance may be one that nobody but the draft knows."""

    before: engine.InstanceCatalog
    after: engine.InstanceCatalog
    changes: Sequence[engine.CatalogChange]


class Proposal(msgspec.Struct, frozen=True):
    """Changes to one instance and the sentence under which they enter the history."""

    changes: Sequence[engine.CatalogChange]
    summary: str


@transaction.atomic
def change_decide(
    place: InstancePlace,
    propose: Callable[[engine.InstanceCatalog], Proposal],
    *,
    user: User | None,
    expected_revision: int | None,
) -> int:
    """Decide what `propose` makes of the instance's catalog, which cannot change meanwhile; answers the revision.

    In a change set it is the catalog as the change set has it, and the answer is the change set's sequence. A proposal
    without changes decides nothing. Raises `RevisionConflict` when the estate, or the change set, is not at
    `expected_revision` (None: whatever it is at), and the engine's `BrokerError` for changes that it refuses.
    """
    estate = estate_lock(place.estate)
    if place.change_set is not None:
        draft = draft_open(estate, place.change_set, expected_revision)
        before = draft_instance(draft, place.instance).merge.catalog
        proposal = propose(before)
        drafted = DraftStep(before, engine.apply_changes(before, proposal.changes), proposal.changes)
        return draft_decide(draft, [drafted], user=user, summary=proposal.summary)
    revision_check(estate, expected_revision)
    instance = Instance.objects.get(estate=estate, name=place.instance)
    before = instance_catalog(instance)
    proposal = propose(before)
    if not proposal.changes:
        return estate.revision
    step = InstanceStep(instance, before, engine.apply_changes(before, proposal.changes), proposal.changes)
    return revision_write(estate, [step], user=user, summary=proposal.summary)


def estate_lock(name: str) -> Estate:
    """The estate, locked until the transaction ends; `ObjectNotFound` when there is none."""
    estate = Estate.objects.select_for_update().filter(name=name).first()
    if estate is None:
        raise ObjectNotFound(_("There is no estate {name}.").format(name=name))
    return estate


def revision_write(
    estate: Estate,
    steps: Iterable[InstanceStep],
    *,
    user: User | None,
    summary: str,
    change_set: ChangeSet | None = None,
) -> int:
    """The next revision of a locked estate: rows, history, log, and a message to each instance that it touches.

    `change_set` is the draft that it comes of.
    """
    number = estate.revision + 1
    steps = list(steps)
    listed = 0
    for step in steps:
        listed += catalog_write(step.instance, step.before, step.after)
        outbox_append(
            estate_name=estate.name,
            instance_name=step.instance.name,
            base_revision=step.instance.desired_revision,
            revision=number,
            changes=changes_in_pieces(step.changes),
        )
        step.instance.desired_revision = number
        step.instance.save(update_fields=["desired_revision"])
    estate.revision = number
    estate.save(update_fields=["revision"])
    changes = ((step.instance.name, step.changes) for step in steps)
    history_append(estate, number, changes, user=user, summary=summary)
    decision_log(estate, steps, user=user, summary=summary, change_set=change_set, revision=number)
    mirrors_derive(estate)
    listing_settle(listed)
    transaction.on_commit(lambda: revision_announce(estate.name))
    return number


def revision_check(estate: Estate, expected: int | None) -> None:
    """Raise `RevisionConflict` unless the estate is at `expected`; None is wherever it is."""
    if expected is not None and estate.revision != expected:
        raise revision_conflict(estate, expected)


def revision_conflict(estate: Estate, expected: int) -> RevisionConflict:
    """The conflict, naming who moved the estate on."""
    latest = TopologyRevision.objects.select_related("author").filter(estate=estate, number=estate.revision).first()
    by = (
        ""
        if latest is None or latest.author is None
        else _(", by {author}").format(author=latest.author.get_username())
    )
    what = "" if latest is None else _(" The latest change: {summary}.").format(summary=summary_of(latest))
    return RevisionConflict(
        _("Estate {name} is at revision {revision}{by}; the change was made from revision {expected}.").format(
            name=estate.name, revision=estate.revision, by=by, expected=expected
        ),
        why=_("Somebody changed the estate meanwhile.{what}").format(what=what),
        cure=_("Read the estate again, look whether your change still makes sense, and repeat it."),
    )
