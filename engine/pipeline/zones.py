"""Time zones by their names in the IANA database."""

from __future__ import annotations

from datetime import tzinfo
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from engine.core.vocabulary.errors import LocalProtocolError

UTC_NAME: Final = "UTC"
UNKNOWN: Final = 9820


def zone_of(name: str) -> tzinfo:
    """The time zone of that name. Raises `LocalProtocolError` 9820."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise LocalProtocolError(UNKNOWN, name=name) from error
