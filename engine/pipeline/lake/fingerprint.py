"""`lake_fingerprint`: whether a job would read the same files of a lake as an earlier one, by the log of its table."""

from __future__ import annotations

from datetime import datetime
from hashlib import sha256
from pathlib import Path

from engine.pipeline.lake.schema import LAKE_SCHEMA_VERSION
from engine.pipeline.lake.writing import Lake


def lake_fingerprint(folder: Path, estate: str, until: datetime | None = None) -> str:
    """64 hexadecimal digits: the same as long as the same files of the estate may have events before `until`.

    A file is never written again, so the same names are the same events; after a compaction the same events are in
    others. Raises `LocalProtocolError`: 5123, 948.
    """
    files = sorted(Lake(folder).files(estate, until))
    names = [str(Path(file).relative_to(folder)) for file in files]
    return sha256("\n".join([str(LAKE_SCHEMA_VERSION), estate, *names]).encode()).hexdigest()
