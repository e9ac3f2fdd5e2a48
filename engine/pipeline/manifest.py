"""`Manifest`: what a run was made from and what came of it, beside its tables, as JSON."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Final

import msgspec

MANIFEST_FILE: Final = "manifest.json"
ParameterValue = str | int


class TableManifest(msgspec.Struct, frozen=True, kw_only=True):
    """A table of a run: a folder of Parquet files beside the manifest."""

    rows: int
    checksum: str
    """16 hexadecimal digits of all rows together, whatever their order and the number of files."""
    columns: tuple[str, ...]
    seconds: float
    """How long the work took that ended in it."""


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """One run that has ended well; of any other nothing is kept."""

    job: str
    engine_version: str
    parameters: dict[str, ParameterValue]
    source: str
    """The folder that was read."""
    revisions: tuple[int, ...]
    """Of the estates, as far as the job knows them; ascending."""
    rows_in: dict[str, int]
    """By the name of what was read."""
    tables: dict[str, TableManifest]
    started_at: datetime
    ended_at: datetime
    notes: dict[str, ParameterValue]
    """What a job says of itself: how much it has checked, above all."""

    @property
    def rows_out(self) -> int:
        """Rows of all tables."""
        return sum(table.rows for table in self.tables.values())


class RejectedRows(msgspec.Struct, frozen=True, kw_only=True):
    """Rows of a trace that were rejected for one reason."""

    reason: str
    """A word of `lake.trace_rows.RowReason`."""
    column: str = ""
    """The vendor's name of the column that it is about; empty where it is about the row."""
    rows: int


class Imported(msgspec.Struct, kw_only=True):
    """What became of the rows of a trace: `rows` are `written` and `rejected`, and `known`."""

    rows: int = 0
    written: int = 0
    rejected: int = 0
    unkept: int = 0
    """Rejected rows, behind the first `REJECTS_MAX` of the file, of which text and line are not kept."""
    known: int = 0
    """Understood, and in the lake before, or earlier in the file."""
    reasons: tuple[RejectedRows, ...] = ()
    """Of the rejected ones, the most frequent reason first."""


class TakenOut(msgspec.Struct, kw_only=True):
    """What became of the rows of a trace that leaves the lake again."""

    rows: int = 0
    """Those of the file that are understood."""
    taken: int = 0
    """Rows of the lake that are gone."""
    missing: int = 0
    """Rows that were not there, one that the file has twice counted once."""
    rejected: int = 0
    """Rows that the import had not understood, and of which nothing is kept any more."""


_decoder: Final = msgspec.json.Decoder(Manifest)


def manifest_of(folder: Path) -> Manifest | None:
    """What the folder of a run says of it; None where no run has ended. Raises `OSError`, `msgspec.DecodeError`."""
    try:
        return _decoder.decode((folder / MANIFEST_FILE).read_bytes())
    except FileNotFoundError:
        return None


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """The last file of a run: where it stands, everything else does."""
    text = msgspec.json.format(msgspec.json.encode(manifest), indent=2)
    (folder / MANIFEST_FILE).write_bytes(text + b"\n")
