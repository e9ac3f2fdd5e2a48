"""`lake_fingerprint`: whether a job would read of a lake what an earlier one has read; from the log of its table."""

from __future__ import annotations

from datetime import datetime
from hashlib import sha256
from pathlib import Path

from engine.pipeline.lake.failing import lake_errors
from engine.pipeline.lake.hours import files_in_log, hour_of
from engine.version import VERSION


def lake_fingerprint(folder: Path, estate: str, until: datetime | None = None) -> str:
    """64 hexadecimal digits: the same as long as the lake has the same files of the estate for times before `until`.

    A file is never written again, so those of the same names have the same events. Another one for another version of
    the engine, which may make something else of them. Raises `LakeUnusable` (5123).
    """
    with lake_errors(folder):
        files = [each for each in files_in_log(folder) if each["partition.estate"] == estate]
    names = sorted(each["path"] for each in files if until is None or hour_of(each) < until)
    return sha256("\n".join([VERSION, estate, *names]).encode()).hexdigest()
