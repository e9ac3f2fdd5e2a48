"""Revisions of an estate as files that the job `whatif` asks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from django.utils import timezone
from django.utils.translation import gettext as _

from brokerweb.common.errors import ChangeSetClosed, ObjectNotFound
from brokerweb.topology.models import ChangeSet, ChangeSetState, Estate
from brokerweb.topology.selectors.drafts import change_set_of, draft_catalogs
from brokerweb.topology.selectors.past_catalogs import past_catalogs
from engine import api as engine

STAGE = "snapshots"


def revision_check(estate: Estate, revision: int, pointer: str | None = None) -> None:
    """`ObjectNotFound` for a revision that the estate has not had."""
    if not 0 <= revision <= estate.revision:
        raise ObjectNotFound(
            _("Estate {name} has no revision {revision}; its newest is {newest}.").format(
                name=estate.name, revision=revision, newest=estate.revision
            ),
            cure=_("Choose one of its history."),
            pointer=pointer,
        )


def draft_to_ask(estate: Estate, number: int) -> ChangeSet:
    """The change set of that number; `ObjectNotFound`, and `ChangeSetClosed` for one that can change no more."""
    draft = change_set_of(estate, number)
    if draft.state != ChangeSetState.OPEN:
        raise ChangeSetClosed(
            _("Change set #{number} of {name} is closed.").format(number=number, name=estate.name),
            cure=_("Ask about the revision that it became, or about another change set."),
        )
    return draft


def snapshots_write(
    estate: Estate,
    revisions: Sequence[int],
    folder: Path,
    *,
    draft: ChangeSet | None = None,
    progress: Callable[[str, int, int], None],
) -> list[Path]:
    """A file of each revision as it was wanted, asked for this instant; a draft is the last of them.

    Raises `ObjectNotFound` for a revision that there is not, and `OSError`.
    """
    now = engine.UtcTime(timezone.now().timestamp())
    written = []
    for place, revision in enumerate(revisions):
        progress(STAGE, place, len(revisions))
        is_last = place == len(revisions) - 1
        catalogs = draft_catalogs(draft) if draft is not None and is_last else past_catalogs(estate, revision)
        named = {engine.InstanceName(name): each for name, each in catalogs.items()}
        written.append(engine.pipeline.write_snapshot(folder, named, revision=revision, at=now))
    return written
