"""What somebody could undo and redo in a change set, and what hinders it. Reads the log, decides nothing."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from brokerweb.topology.models import ChangeSet
from brokerweb.topology.selectors.drafts import draft_decisions
from brokerweb.topology.selectors.parts import pieces_of
from brokerweb.topology.summaries import kind_word, summary_of


class DraftAction(msgspec.Struct, frozen=True):
    """A decision of a draft, as far as undoing it goes."""

    sequence: int
    author_id: int | None
    author: str | None
    summary: str
    is_undone: bool
    touched: frozenset[str]


class Move(msgspec.Struct, frozen=True):
    """An action that is next to be undone or redone. `hindrance` says why it cannot be; empty when it can."""

    sequence: int
    summary: str
    hindrance: str = ""


def draft_steps(change_set: ChangeSet) -> list[DraftAction]:
    """Every action of a draft that changed an object, oldest first."""
    rows = draft_decisions(change_set).exclude(touched="").select_related("author")
    return [
        DraftAction(
            row.sequence,
            row.author_id,
            None if row.author is None else row.author.get_username(),
            summary_of(row),
            row.is_undone,
            frozenset(line for piece in pieces_of(row, "touched") for line in piece.strip("\n").split("\n")),
        )
        for row in rows.defer("changes", "inverse", "objects_changed")
    ]


def undo_of(actions: Sequence[DraftAction], user_id: int) -> Move | None:
    """The user's last action that is not undone."""
    mine = [each for each in actions if each.author_id == user_id and not each.is_undone]
    if not mine:
        return None
    last = mine[-1]
    return Move(last.sequence, last.summary, _built_on(actions, last))


def redo_of(actions: Sequence[DraftAction], user_id: int) -> Move | None:
    """The user's first undone action after the last one that is not; doing something else gives it up."""
    mine = [each for each in actions if each.author_id == user_id]
    done = max((each.sequence for each in mine if not each.is_undone), default=0)
    undone = [each for each in mine if each.sequence > done]
    if not undone:
        return None
    return Move(undone[0].sequence, undone[0].summary, _built_on(actions, undone[0]) or _stood_on(actions, undone[0]))


def _built_on(actions: Sequence[DraftAction], action: DraftAction) -> str:
    """Who has changed one of the same objects after it."""
    for later in reversed(actions):
        if later.sequence > action.sequence and not later.is_undone and later.touched & action.touched:
            return _told(later, min(later.touched & action.touched), _AFTER)
    return ""


def _stood_on(actions: Sequence[DraftAction], action: DraftAction) -> str:
    """Who has undone what it was done on top of."""
    for earlier in reversed(actions):
        if earlier.sequence < action.sequence and earlier.touched & action.touched:
            if earlier.is_undone and earlier.author_id != action.author_id:
                return _told(earlier, min(earlier.touched & action.touched), _BEFORE)
            return ""
    return ""


_AFTER = gettext_lazy("{who} changed {what} after it: {summary}.")
_BEFORE = gettext_lazy("{who} changed {what} before it, and undone since: {summary}.")


def _told(other: DraftAction, line: str, sentence: Promise) -> str:
    instance, database, kind, name = line.strip("\t").split("\t") if line.count("\t") == 5 else ("", "", "object", line)
    where = _("{kind} {name} in {database} on {instance}") if database else _("{kind} {name} on {instance}")
    what = where.format(kind=kind_word(kind), name=name, database=database, instance=instance)
    return str(sentence).format(who=other.author or _("Somebody"), what=what, summary=other.summary)
