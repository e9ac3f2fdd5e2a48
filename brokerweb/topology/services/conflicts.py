"""Conflicts of a change set, decided one by one. Each answer is a decision like others: logged, and can be undone."""

from __future__ import annotations

from django.db import transaction
from django.utils.translation import gettext as _

from brokerweb.accounts.models import User
from brokerweb.common.errors import ConflictGone
from brokerweb.topology.models import ChangeSet
from brokerweb.topology.names import fold
from brokerweb.topology.object_changes import InstanceObject, objects_kept
from brokerweb.topology.selectors.drafts import DraftInstance, draft_instances
from brokerweb.topology.services.decisions import decision_append
from brokerweb.topology.services.drafts import draft_moved, draft_open
from brokerweb.topology.services.revision import estate_lock
from brokerweb.topology.summaries import kind_word, saying
from engine import api as engine

Kind = engine.revisions.ObjectKind


@transaction.atomic
def conflict_decide(
    estate_name: str,
    number: int,
    *,
    instance: str,
    database: str | None,
    kind: str,
    name: str,
    takes_theirs: bool,
    user: User | None,
    expected_sequence: int | None,
) -> int:
    """Keep what the change set has of one object, or take what is live; answers the sequence.

    Should the object change once more, it is a conflict once more. Raises `ConflictGone`, `ObjectNotFound`,
    `ChangeSetClosed`, `RevisionConflict`.
    """
    estate = estate_lock(estate_name)
    draft = draft_open(estate, number, expected_sequence)
    key = engine.revisions.object_key(database, Kind(kind), name)
    instance_name, found = _instance(draft, instance)
    conflict = next((each for each in found.merge.conflicts if each.key == key), None)
    what = _("{kind} {name} on {instance}").format(kind=kind_word(kind), name=name, instance=instance_name)
    if conflict is None:
        raise ConflictGone(
            _("Change set #{number} has no open conflict about {what}.").format(number=number, what=what)
        )
    _refuse_impossible(found, conflict, what, takes_theirs=takes_theirs)
    after = conflict.theirs if takes_theirs else conflict.mine
    decided = InstanceObject(instance_name, key, conflict.mine, after, is_rebased=True, base=conflict.theirs)
    summary = saying(
        "take-live" if takes_theirs else "keep-draft", kind=Kind(kind).value, name=name, instance=instance_name
    )
    decision_append(estate, [objects_kept([decided])], user=user, summary=summary, change_set=draft)
    return draft_moved(draft)


def _instance(draft: ChangeSet, name: str) -> tuple[str, DraftInstance]:
    for known, found in draft_instances(draft).items():
        if fold(known) == fold(name):
            return known, found
    raise ConflictGone(_("Change set #{number} knows no instance {name}.").format(number=draft.number, name=name))


def _refuse_impossible(
    found: DraftInstance, conflict: engine.revisions.MergedObject, what: str, *, takes_theirs: bool
) -> None:
    """An object cannot be without its database."""
    if not takes_theirs and conflict.is_homeless:
        raise ConflictGone(
            _("The draft's {what} cannot be kept: its database is gone.").format(what=what),
            why=_("Somebody has removed the database from the live estate."),
            cure=_("Take the live state, which has no such object, or make the database again in the change set."),
        )
    home = engine.revisions.object_key(conflict.key.database, Kind.DATABASE, "")
    is_in_database = conflict.key.database and conflict.key != home
    if takes_theirs and conflict.theirs is not None and is_in_database:
        removed = {each.key for each in found.merge.objects if each.mine is None}
        if home in removed:
            raise ConflictGone(
                _("The live {what} cannot be taken: the change set removes its database.").format(what=what),
                why=_("An object cannot be without its database."),
                cure=_("Keep the removal, or undo the removal of the database."),
            )
