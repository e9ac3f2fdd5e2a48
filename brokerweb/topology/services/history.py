"""The history of an estate: a row for each revision, and further rows for what a large one changes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django.utils import timezone

from brokerweb.accounts.models import User
from brokerweb.common.sayings import said_of
from brokerweb.topology.changes import changes_by_instance
from brokerweb.topology.models import Estate, RevisionPart, TopologyRevision
from brokerweb.topology.services.decisions import SUMMARY_LENGTH_MAX
from engine import api as engine

Changes = Iterable[tuple[str, Sequence[engine.CatalogChange]]]
"""By the name of the instance."""


def history_append(estate: Estate, number: int, changes: Changes, *, user: User | None, summary: str) -> None:
    """Revision `number` of a locked estate."""
    row = TopologyRevision.objects.create(
        estate=estate,
        number=number,
        author=user,
        created_at=timezone.now(),
        summary=summary[:SUMMARY_LENGTH_MAX],
        said=said_of(summary),
        changes={},
    )
    history_fill(row, changes)


def history_fill(row: TopologyRevision, changes: Changes) -> None:
    """Write into a revision without changes what it has changed, and save it with its summary."""
    pieces = changes_by_instance(changes)
    row.changes = next(pieces)
    for position, piece in enumerate(pieces, start=1):
        RevisionPart.objects.create(revision=row, position=position, changes=piece)
        row.part_count = position
    row.save(update_fields=["summary", "said", "changes", "part_count"])
