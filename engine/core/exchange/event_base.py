"""What every event has."""

from __future__ import annotations

import msgspec

from engine.core.vocabulary.moment import UtcTime


class EventBase(msgspec.Struct, frozen=True, kw_only=True, gc=False, tag_field="event"):
    """Common base: the instant."""

    at: UtcTime
