"""Revisions of an estate as files that the job `whatif` asks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from brokerweb.common.errors import ChangeSetClosed, ObjectNotFound
from brokerweb.pipeline.models import PipelineRun
from brokerweb.pipeline.questions import RunQuestion
from brokerweb.topology.models import ChangeSet, ChangeSetState, Estate
from brokerweb.topology.selectors.drafts import change_set_of, draft_catalogs
from brokerweb.topology.selectors.past_catalogs import past_catalogs
from brokerweb.topology.services.revision import estate_lock
from engine import api as engine

STAGE = "snapshots"
Catalogs = Mapping[str, engine.InstanceCatalog]
"""Of every instance, by its name."""


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


def draft_frozen(row: PipelineRun, question: RunQuestion) -> tuple[RunQuestion, Catalogs | None]:
    """What is asked, and the estate as the draft would have it now; None where no draft is asked about.

    Both are taken at one moment: what others apply between asking and beginning is in both states or in none, and
    never looks like a change of the draft. The row says then which revisions they are. Raises `ObjectNotFound`,
    and `ChangeSetClosed` for one that was applied or discarded meanwhile.
    """
    if question.change_set is None:
        return question, None
    with transaction.atomic():
        estate = estate_lock(row.estate.name)
        catalogs = draft_catalogs(draft_to_ask(estate, question.change_set))
        base = estate.revision if question.is_from_live else question.revisions[0]
        found = msgspec.structs.replace(question, revisions=(base, estate.revision + 1))
        PipelineRun.objects.filter(pk=row.pk).update(question=msgspec.to_builtins(found))
    return found, catalogs


def snapshots_write(
    estate: Estate,
    revisions: Sequence[int],
    folder: Path,
    *,
    draft: Catalogs | None = None,
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
        catalogs = draft if draft is not None and is_last else past_catalogs(estate, revision)
        named = {engine.InstanceName(name): each for name, each in catalogs.items()}
        written.append(engine.pipeline.write_snapshot(folder, named, revision=revision, at=now))
    return written
