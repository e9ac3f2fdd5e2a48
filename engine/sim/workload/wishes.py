"""`Wish`: what a received message asks of its reader: an answer, an end, or both."""

from __future__ import annotations

import msgspec

from engine.sim.workload.party import Party


class Wish(msgspec.Struct, frozen=True, kw_only=True):
    """Of one message."""

    party: Party
    is_letter: bool
    """Whether an application wrote it; else it tells of an end or an error."""
    answer_bytes: int | None = None
    """Size of the answer; None when none is wanted."""
    ends: bool = False
    ends_with_error: bool = False
