"""What a run is asked: a job, a span of time, and for `whatif` the states of the estate to be compared."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Final

import msgspec

DELIVERY: Final = "delivery"
AUDIT: Final = "audit"
PATHS: Final = "paths"
WHATIF: Final = "whatif"
JOBS: Final = (DELIVERY, AUDIT, PATHS, WHATIF)

LAKE_READ_AT: Final = "lake_read_at"
"""The note of a what-if that found its conversations made by an earlier one: when that was."""


class RunQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """As it is stored with a run; the same question again is another run."""

    job: str
    since: datetime | None = None
    until: datetime | None = None
    """Events of [since, until)."""
    revisions: tuple[int, ...] = ()
    """Of `whatif`, ascending; the last one is that of the draft where there is a change set."""
    change_set: int | None = None
    is_from_live: bool = False
    """The draft is compared with what is live when the worker begins; until then the first revision is a forecast."""
    examples: int | None = None
    """Of `audit`, messages shown of each verdict."""

    def span(self, estate: str) -> Mapping[str, str]:
        """Parameters of a job that reads the lake."""
        return {
            "estate": estate,
            "since": "" if self.since is None else self.since.isoformat(),
            "until": "" if self.until is None else self.until.isoformat(),
        }
