"""Change sets as the API tells them: where they stand, what was decided in them, and what they change."""

from __future__ import annotations

from typing import Any

from django.db.models import Count

from brokerweb.accounts.models import User
from brokerweb.common.errors import ObjectNotFound
from brokerweb.topology.models import ChangeSet, ChangeSetState, Decision, Estate
from brokerweb.topology.object_changes import effect_of
from brokerweb.topology.selectors.drafts import (
    DraftInstance,
    change_set_at,
    draft_decisions,
    draft_edits,
    draft_instances,
    edits_of,
    misfit_of,
)
from brokerweb.topology.selectors.undo import Move, draft_steps, redo_of, undo_of
from engine import api as engine

BULKY = ("changes", "inverse", "objects_changed", "touched")
"""Columns that grow with the objects of a decision."""


def change_set_page(estate_name: str, *, state: str | None, before: int | None, limit: int) -> dict[str, Any]:
    """The change sets of an estate, newest first."""
    estate = Estate.objects.filter(name=estate_name).first()
    if estate is None:
        raise ObjectNotFound(f"There is no estate {estate_name}.")
    found = ChangeSet.objects.filter(estate=estate).select_related("author")
    if state is not None:
        found = found.filter(state=state)
    total = found.count()
    rows = found.annotate(decided=Count("decisions")).order_by("-number")
    if before is not None:
        rows = rows.filter(number__lt=before)
    page = list(rows[: limit + 1])
    return {
        "items": [{**change_set_head(row, estate), "decision_count": row.decided} for row in page[:limit]],
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


def change_set_picture(estate_name: str, number: int, user: User) -> dict[str, Any]:
    """A change set with everything that was decided in it, and every object that it changes.

    One that is closed shows what it has changed, or would have from its base when it was discarded.
    """
    draft = change_set_at(estate_name, number)
    actions = draft_steps(draft) if draft.state == ChangeSetState.OPEN else []
    return {
        **change_set_head(draft, draft.estate),
        **_move("undo", undo_of(actions, user.pk)),
        **_move("redo", redo_of(actions, user.pk)),
        "commands": [_command(row, user) for row in draft_decisions(draft).select_related("author").defer(*BULKY)],
        **(_open(draft) if draft.state == ChangeSetState.OPEN else _closed(draft)),
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
        "summary": row.summary,
        "is_undone": row.is_undone,
        "object_count": row.object_count,
    }


def _open(draft: ChangeSet) -> dict[str, Any]:
    edits = draft_edits(draft)
    instances = draft_instances(draft, edits)
    objects = [
        _object(name, each, (name, each.key) in edits.acknowledged)
        for name, found in instances.items()
        for each in found.merge.objects
    ]
    problems = [
        {"instance": name, "code": error.number, "detail": error.text, "why": error.why, "cure": error.cure}
        for name, found in instances.items()
        if found.merge.objects and (error := misfit_of(found)) is not None
    ]
    return {
        "objects": [*_new_instances(instances), *objects],
        "conflict_count": sum(each["conflict"] == "open" for each in objects),
        "problems": problems,
    }


def _new_instances(instances: dict[str, DraftInstance]) -> list[dict[str, Any]]:
    return [
        {
            "instance": name,
            "database": None,
            "kind": "instance",
            "name": name,
            "effect": "add",
            "fields": [],
            "conflict": None,
        }
        for name, found in instances.items()
        if found.is_new
    ]


def _closed(draft: ChangeSet) -> dict[str, Any]:
    """As it was applied, object by object; of a discarded one, what it wanted."""
    applied = Decision.objects.filter(change_set=draft).exclude(revision=None).first()
    if applied is not None:
        stored = [applied.objects_changed]
    else:
        stored = list(draft_decisions(draft).filter(is_undone=False).values_list("objects_changed", flat=True))
    objects = [
        _object(name, engine.revisions.MergedObject(key, edit.base, edit.base, edit.mine), is_acknowledged=False)
        for name, edits in edits_of(stored).edits.items()
        for key, edit in edits.items()
        if not engine.revisions.same_object(edit.base, edit.mine)
    ]
    return {"objects": objects, "conflict_count": 0, "problems": []}


def _object(name: str, each: engine.revisions.MergedObject, is_acknowledged: bool) -> dict[str, Any]:
    shown = each.mine or each.theirs or each.base
    assert shown is not None, "a merge tells of no object that is nowhere"
    return {
        "instance": name,
        "database": shown.database,
        "kind": shown.kind.value,
        "name": shown.name,
        "effect": effect_of(each.theirs, each.mine),
        "fields": _fields(each),
        "conflict": "open" if each.is_conflict else "acknowledged" if is_acknowledged else None,
    }


def _fields(each: engine.revisions.MergedObject) -> list[dict[str, Any]]:
    """The fields in which the three are not all the same, in the order of the definition."""
    base, theirs, mine = (engine.revisions.described(side) for side in (each.base, each.theirs, each.mine))
    names = dict.fromkeys((*mine, *theirs, *base))
    return [
        {"name": name, "base": base.get(name), "theirs": theirs.get(name), "mine": mine.get(name)}
        for name in names
        if not base.get(name) == theirs.get(name) == mine.get(name)
    ]
