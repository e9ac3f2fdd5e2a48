"""What there is to say about a lake, and about an export; plain values that load nothing."""

from __future__ import annotations

from datetime import datetime

import msgspec


class Exported(msgspec.Struct, frozen=True, kw_only=True):
    """What an export of one instance has done."""

    events: int
    """Written now."""
    last_number: int
    """Of the last event that is in the lake."""
    lost: int
    """Events that the instance had let go before they were taken over, found out now."""


class InstanceInLake(msgspec.Struct, frozen=True, kw_only=True):
    """An instance as far as it was exported; what was imported from traces does not count."""

    instance: str
    events: int
    last_number: int
    lost: int
    """Events that it had let go before they were taken over."""


class LakeState(msgspec.Struct, frozen=True, kw_only=True):
    """What a lake has of an estate."""

    events: int = 0
    """Those of traces too."""
    bytes: int = 0
    """Of the files, compressed."""
    files: int = 0
    first_at: datetime | None = None
    last_at: datetime | None = None
    """Both in whole milliseconds, as the statistics of files have them."""
    instances: tuple[InstanceInLake, ...] = ()


class HourInLake(msgspec.Struct, frozen=True, kw_only=True):
    """One hour of an estate."""

    begins_at: datetime
    """In UTC."""
    events: int
    bytes: int
    files: int
