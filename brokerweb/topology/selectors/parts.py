"""What large revisions and decisions hold, read piece by piece: the first piece is in their row, the rest in parts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.db.models import Exists, OuterRef, Q

from brokerweb.topology.models import Decision, DecisionPart, TopologyRevision


def pieces_of(row: TopologyRevision | Decision, column: str) -> Iterator[Any]:
    """What a column holds and goes on with in the parts, in order. Only the piece that is looked at is in memory.

    A part that somebody has removed is left out; of a decision `audit_chain` finds that.
    """
    yield getattr(row, column)
    for position in range(1, row.part_count + 1):
        # Each by a statement of its own: whoever reads may write rows of the same table meanwhile.
        yield from row.parts.filter(position=position).values_list(column, flat=True)


def touches(text: str) -> Q:
    """Decisions that touch an object with `text` in its line."""
    parts = DecisionPart.objects.filter(decision=OuterRef("pk"), touched__contains=text)
    return Q(touched__contains=text) | Q(Exists(parts), part_count__gt=0)
