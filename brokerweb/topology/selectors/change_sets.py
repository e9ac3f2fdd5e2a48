"""Change sets as the API tells them: where they stand, what was decided in them, and what they change."""

from __future__ import annotations

from typing import Any

from django.db.models import Count, Q
from django.utils.translation import gettext as _

from brokerweb.accounts.models import User
from brokerweb.common.errors import ObjectNotFound
from brokerweb.common.languages import error_words
from brokerweb.topology.models import ChangeSet, ChangeSetState, Decision, Estate
from brokerweb.topology.selectors.draft_objects import WHOLE, DraftObject, ObjectsAsked, objects_page
from brokerweb.topology.selectors.drafts import (
    change_set_at,
    draft_decisions,
    draft_edits,
    draft_instances,
    draft_misfits,
    edits_of,
)
from brokerweb.topology.selectors.parts import pieces_of
from brokerweb.topology.selectors.undo import Move, draft_steps, redo_of, undo_of
from brokerweb.topology.summaries import summary_of
from engine import api as engine

BULKY = ("changes", "inverse", "objects_changed", "touched")
"""Columns that grow with the objects of a decision."""


_STANDING = Q(decisions__revision=None, decisions__is_undone=False, decisions__object_count__gt=0)


def change_set_page(estate_name: str, *, state: str | None, before: int | None, limit: int) -> dict[str, Any]:
    """The change sets of an estate, newest first."""
    estate = Estate.objects.filter(name=estate_name).first()
    if estate is None:
        raise ObjectNotFound(_("There is no estate {estate_name}.").format(estate_name=estate_name))
    found = ChangeSet.objects.filter(estate=estate).select_related("author")
    if state is not None:
        found = found.filter(state=state)
    total = found.count()
    rows = found.annotate(decided=Count("decisions"), standing=Count("decisions", filter=_STANDING)).order_by("-number")
    if before is not None:
        rows = rows.filter(number__lt=before)
    page = list(rows[: limit + 1])
    return {
        "items": [
            {**change_set_head(row, estate), "decision_count": row.decided, "is_empty": not row.standing}
            for row in page[:limit]
        ],
        "total": total,
        "next_before": page[limit - 1].number if len(page) > limit else None,
    }


def change_set_head(row: ChangeSet, estate: Estate) -> dict[str, Any]:
    """What a list shows of a change set."""
    return {
        "number": row.number,
        "title": row.title,
        "author": None if row.author is None else row.author.get_username(),
        "state": row.state,
        "base_revision": row.base_revision,
        "revision": estate.revision,
        "is_behind": row.state == ChangeSetState.OPEN and row.base_revision < estate.revision,
        "applied_revision": row.applied_revision,
        "sequence": row.sequence,
        "created_at": row.created_at,
        "changed_at": row.changed_at,
    }


def change_set_picture(estate_name: str, number: int, user: User, asked: ObjectsAsked = WHOLE) -> dict[str, Any]:
    """A change set with everything that was decided in it, and the asked page of the objects that it changes.

    One that is closed shows what it has changed, or would have from its base when it was discarded.
    """
    draft = change_set_at(estate_name, number)
    actions = draft_steps(draft) if draft.state == ChangeSetState.OPEN else []
    is_open = draft.state == ChangeSetState.OPEN
    return {
        **change_set_head(draft, draft.estate),
        **_move("undo", undo_of(actions, user.pk)),
        **_move("redo", redo_of(actions, user.pk)),
        "commands": [_command(row, user) for row in draft_decisions(draft).select_related("author").defer(*BULKY)],
        **objects_page(_open_objects(draft) if is_open else _closed_objects(draft), asked),
        "problems": _problems(draft) if is_open else [],
    }


def _move(name: str, move: Move | None) -> dict[str, Any]:
    return {
        f"can_{name}": move is not None and not move.hindrance,
        f"{name}_summary": None if move is None else move.summary,
        f"{name}_hindrance": None if move is None or not move.hindrance else move.hindrance,
    }


def _command(row: Decision, user: User) -> dict[str, Any]:
    return {
        "sequence": row.sequence,
        "author": None if row.author is None else row.author.get_username(),
        "is_mine": row.author_id == user.pk,
        "decided_at": row.decided_at,
        "origin": row.origin,
        "summary": summary_of(row),
        "is_undone": row.is_undone,
        "object_count": row.object_count,
    }


def _open_objects(draft: ChangeSet) -> list[DraftObject]:
    acknowledged = draft_edits(draft).acknowledged
    instances = draft_instances(draft)
    return [
        *(DraftObject.of_instance(name) for name, found in instances.items() if found.is_new),
        *(
            DraftObject.of(name, each, is_acknowledged=(name, each.key) in acknowledged)
            for name, found in instances.items()
            for each in found.merge.objects
        ),
    ]


def _problems(draft: ChangeSet) -> list[dict[str, Any]]:
    instances = draft_instances(draft)
    return [
        {"instance": name, "code": error.number, "detail": said.text, "why": said.why, "cure": said.cure}
        for name, error in draft_misfits(draft).items()
        for said in (error_words(error),)
        if instances[name].merge.objects
    ]


def _closed_objects(draft: ChangeSet) -> list[DraftObject]:
    """As it was applied, object by object; of a discarded one, what it wanted."""
    applied = Decision.objects.filter(change_set=draft).exclude(revision=None).first()
    edits = draft_edits(draft) if applied is None else edits_of(pieces_of(applied, "objects_changed"))
    return [
        DraftObject.of(name, engine.revisions.MergedObject(key, edit.base, edit.base, edit.mine), is_acknowledged=False)
        for name, of_instance in edits.edits.items()
        for key, edit in of_instance.items()
        if not engine.revisions.same_object(edit.base, edit.mine)
    ]
