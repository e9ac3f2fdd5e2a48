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
    """What there is of an instance, and how far it was exported."""

    instance: str
    events: int
    """Those of traces too."""
    last_number: int
    """Of the last event that was exported; 0 when none was. What traces are numbered by is not looked at."""
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
    small_files: int = 0
    """Those that compaction would put together, if there are two or more."""
