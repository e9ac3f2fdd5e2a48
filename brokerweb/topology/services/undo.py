"""Undo and redo in a change set: one's own last action, while what it changed is as it left it."""

from __future__ import annotations

import msgspec
from django.db import transaction
from django.utils.translation import gettext as _

from brokerweb.accounts.models import User
from brokerweb.common.errors import CannotUndo, EngineRefused
from brokerweb.topology.models import ChangeSet, Decision
from brokerweb.topology.object_changes import objects_from
from brokerweb.topology.selectors.drafts import draft_misfits
from brokerweb.topology.selectors.parts import pieces_of
from brokerweb.topology.selectors.undo import draft_steps, redo_of, undo_of
from brokerweb.topology.services.drafts import draft_moved, draft_open
from brokerweb.topology.services.revision import estate_lock
from engine import api as engine


class Turned(msgspec.Struct, frozen=True):
    """What was undone or redone, and the sequence of the change set after it."""

    summary: str
    sequence: int


@transaction.atomic
def draft_undo(estate_name: str, number: int, *, user: User, expected_sequence: int | None) -> Turned:
    """Undo the user's last action in a change set.

    Raises `CannotUndo`, `EngineRefused` when the rest of the change set would not fit together without it,
    `ObjectNotFound`, `ChangeSetClosed`, `RevisionConflict`.
    """
    draft = draft_open(estate_lock(estate_name), number, expected_sequence)
    move = undo_of(draft_steps(draft), user.pk)
    if move is None:
        raise CannotUndo(
            _("You have nothing to undo in change set #{number}.").format(number=number),
            why=_("Everybody undoes what he has done himself."),
            cure=_("Change the object as it should be."),
        )
    if move.hindrance:
        raise CannotUndo(_("“{summary}” cannot be undone.").format(summary=move.summary), why=move.hindrance)
    return _turn(draft, move.sequence, move.summary, is_undone=True)


@transaction.atomic
def draft_redo(estate_name: str, number: int, *, user: User, expected_sequence: int | None) -> Turned:
    """Do again what the user has undone last, unless he has done something else since. Raises as `draft_undo`."""
    draft = draft_open(estate_lock(estate_name), number, expected_sequence)
    move = redo_of(draft_steps(draft), user.pk)
    if move is None:
        raise CannotUndo(
            _("You have nothing to redo in change set #{number}.").format(number=number),
            why=_("Nothing was undone, or you have done something else since."),
            cure=_("Do it again by hand."),
        )
    if move.hindrance:
        raise CannotUndo(_("“{summary}” cannot be done again.").format(summary=move.summary), why=move.hindrance)
    return _turn(draft, move.sequence, move.summary, is_undone=False)


def _turn(draft: ChangeSet, sequence: int, summary: str, *, is_undone: bool) -> Turned:
    decisions = Decision.objects.filter(change_set=draft, sequence=sequence)
    texts = pieces_of(decisions.get(), "objects_changed")
    names = {each.instance for text in texts for each in objects_from(text)}
    before = _misfits(draft, names)
    decisions.update(is_undone=is_undone)
    for name, error in _misfits(draft, names).items():
        if name not in before:
            raise EngineRefused(error, instance=name)
    return Turned(summary, draft_moved(draft))


def _misfits(draft: ChangeSet, names: set[str]) -> dict[str, engine.CatalogError]:
    """Instances of `names` in which the draft does not fit together with what is live, each with what is wrong."""
    return {name: error for name, error in draft_misfits(draft).items() if name in names}
