"""Whether the log of an estate is as it was written: its hash chain, followed from the first decision to the last."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from django.utils.translation import gettext as _

from brokerweb.topology.audit_chain import RESERVED, content_digest, filled_digest, link_digest
from brokerweb.topology.models import Decision, Estate
from brokerweb.topology.selectors.audit_links import link_of
from brokerweb.topology.selectors.parts import pieces_of

CHUNK = 50
"""Decisions read at once; those of before there were parts may each be a whole import."""
BREAKS_MAX = 20
"""After so many breaks no further ones are looked for."""


class ChainBreak(msgspec.Struct, frozen=True):
    """Where the log is not as it was written."""

    sequence: int
    reason: str


class ChainReport(msgspec.Struct, frozen=True, kw_only=True):
    """What following the chain has found."""

    decision_count: int
    last_sequence: int
    head: str
    """The hash of the last decision, and so of the whole log; empty while there is none."""
    breaks: tuple[ChainBreak, ...]

    @property
    def is_whole(self) -> bool:
        return not self.breaks


class KnownLink(msgspec.Struct, frozen=True):
    """A hash that somebody has noted: the decision of that number had it."""

    sequence: int
    digest: str


def chain_report(estate: Estate, known: KnownLink | None = None) -> ChainReport:
    """Follow the chain of an estate's log; with `known`, hold it against a hash that was noted elsewhere."""
    breaks: list[ChainBreak] = []
    count = sequence = 0
    head = ""
    is_known_met = known is None
    for row in _rows(estate):
        breaks += _breaks_at(row, sequence, head)
        if known is not None and row.sequence == known.sequence:
            is_known_met = True
            if row.digest != known.digest.lower():
                breaks.append(ChainBreak(row.sequence, _("It has another hash than the one that was noted.")))
        count, sequence, head = count + 1, row.sequence, row.digest
        if len(breaks) >= BREAKS_MAX:
            break
    if known is not None and not is_known_met and len(breaks) < BREAKS_MAX:
        breaks.append(ChainBreak(known.sequence, _("It was noted, and it is not in the log any more.")))
    return ChainReport(decision_count=count, last_sequence=sequence, head=head, breaks=tuple(breaks))


def _rows(estate: Estate) -> Iterator[Decision]:
    rows = Decision.objects.filter(estate=estate).select_related("estate", "change_set").order_by("sequence")
    return rows.defer("changes", "inverse", "touched").iterator(chunk_size=CHUNK)


def _breaks_at(row: Decision, last: int, previous: str) -> Iterator[ChainBreak]:
    if row.sequence != last + 1:
        missing = (
            _("Decision {first} is missing in front of it.")
            if row.sequence == last + 2
            else _("Decisions {first} to {last} are missing in front of it.")
        )
        yield ChainBreak(row.sequence, missing.format(first=last + 1, last=row.sequence - 1))
    content = content_digest(row.summary, pieces_of(row, "objects_changed"), row.said)
    if row.sequence == last + 1 and row.digest != link_digest(
        previous, link_of(row, RESERVED if row.filled_digest else content)
    ):
        yield ChainBreak(row.sequence, _("It was changed, or the hash of the decision before it was."))
    if row.filled_digest and row.filled_digest != filled_digest(row.digest, content):
        yield ChainBreak(row.sequence, _("What became of it was changed."))
