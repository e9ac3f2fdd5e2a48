"""`run_job`: a job from a folder to a folder, whole or not at all, with a manifest of what it has read and made.

A job is a function from a session and its `Inputs` to an `Outcome`: named tables that nobody has computed yet. The
frame writes them, counts and sums them while they are written, tells how far it is, and puts the folder into its place.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from pyspark.sql import Column, DataFrame, Observation, SparkSession
from pyspark.sql import functions as f

from engine.pipeline.manifest import Manifest, ParameterValue, TableManifest, write_manifest
from engine.pipeline.swapping import swapped
from engine.pipeline.watching import Progress, Stages, nobody, watched
from engine.version import VERSION

Kept = Callable[[str, DataFrame], DataFrame]
"""Given a name of its own for what is kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """What a job is given."""

    source: Path
    """The folder to read: a lake, or what the job says."""
    parameters: Mapping[str, ParameterValue]
    """Those of its description, all of them."""
    work: Path
    """A folder for what lies between; it goes when the run ends. Every executor must see it."""
    kept: Kept
    """Writes rows that several tables need into `work` and gives them back as they lie there: they are made once."""
    stage: Callable[[str], None]
    """To be called when a part begins, in a word or two; raises when the run was cancelled."""


Table = DataFrame | Callable[[Mapping[str, DataFrame]], DataFrame]
"""What is to be written, or what makes it of the tables that were written before, as they stand in their files."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a job makes."""

    tables: Mapping[str, Table]
    """Written one after another, in this order, each into the folder of its name."""
    rows_in: Mapping[str, int]
    revisions: tuple[int, ...] = ()
    notes: Mapping[str, ParameterValue] = field(default_factory=dict)
    writing: Mapping[str, str] = field(default_factory=dict)
    """Options of Parquet's, for all tables."""
    check: Callable[[Mapping[str, DataFrame]], Mapping[str, ParameterValue]] | None = None
    """Looks at the tables as they were written, and adds notes; whatever it raises ends the run."""


JobFunction = Callable[[SparkSession, Inputs], Outcome]


def run_job(
    session: SparkSession,
    name: str,
    job: JobFunction,
    *,
    source: Path,
    target: Path,
    parameters: Mapping[str, ParameterValue],
    progress: Progress = nobody,
) -> Manifest:
    """Run it, and put its tables in the place of what was in `target`; when it fails or is cancelled nothing changes.

    `progress` is called in this thread; what it raises cancels the run. Run again, it makes the same rows: the sums of
    the manifest are equal.
    """
    with swapped(target) as made:

        def work(stage: Stages) -> Manifest:
            return _run(session, name, job, source, made, parameters, stage)

        manifest = watched(session, f"brokerweb {name}", work, progress)
        write_manifest(made, manifest)
    return manifest


def _run(
    session: SparkSession,
    name: str,
    job: JobFunction,
    source: Path,
    made: Path,
    parameters: Mapping[str, ParameterValue],
    stage: Stages,
) -> Manifest:
    started = datetime.now(UTC)
    between = made / ".between"
    between.mkdir()
    stage("reading")

    def kept(name: str, rows: DataFrame) -> DataFrame:
        rows.write.parquet(str(between / name))
        return session.read.parquet(str(between / name))

    outcome = job(session, Inputs(source=source, parameters=parameters, work=between, kept=kept, stage=stage))
    tables: dict[str, TableManifest] = {}
    written: dict[str, DataFrame] = {}
    for table, rows in outcome.tables.items():
        stage(table)
        frame = rows if isinstance(rows, DataFrame) else rows(written)
        tables[table] = _written(frame, made / table, outcome.writing)
        written[table] = session.read.schema(frame.schema).parquet(str(made / table))
    notes = dict(outcome.notes)
    if outcome.check is not None:
        stage("checking")
        notes |= outcome.check(written)
    shutil.rmtree(between)
    return Manifest(
        job=name,
        engine_version=VERSION,
        parameters=dict(parameters),
        source=str(source),
        revisions=tuple(sorted(outcome.revisions)),
        rows_in=dict(outcome.rows_in),
        tables=tables,
        started_at=started,
        ended_at=datetime.now(UTC),
        notes=notes,
    )


def _written(rows: DataFrame, folder: Path, options: Mapping[str, str]) -> TableManifest:
    """Written, and summed while it was: no second look at the rows is needed."""
    begun = time.monotonic()
    seen = Observation()
    summed = rows.observe(seen, f.count("*").alias("rows"), *checksum_parts(rows))
    summed.write.options(**_WRITING, **options).parquet(str(folder))
    found = seen.get
    return TableManifest(
        rows=found["rows"],
        checksum=checksum_of(found),
        columns=tuple(rows.columns),
        seconds=round(time.monotonic() - begun, 3),
    )


_WRITING: Final = {"parquet.enable.dictionary#conversation_id": "false"}
"""Identifiers hardly repeat: their dictionary would be made, be too large and be thrown away."""
_PART_BITS: Final = 22
_PARTS: Final = 3


def checksum_parts(rows: DataFrame) -> tuple[Column, ...]:
    """Aggregates that `checksum_of` makes a sum of: of the 64 bits of each row, in parts that 2^41 rows do not fill."""
    # A hash leaves nulls out, so which columns are null goes into it besides. As text, since Java hears of a column a
    # call at a time otherwise: a second for the tables of a run.
    columns = [_quoted(name) for name in rows.columns]
    bits = f"xxhash64({', '.join([*(f'isnull({name})' for name in columns), *columns])})"
    parts = (f"shiftrightunsigned({bits}, {_PART_BITS * part}) & {(1 << _PART_BITS) - 1}L" for part in range(_PARTS))
    return tuple(f.expr(f"coalesce(sum({part}), 0L)").alias(f"sum{number}") for number, part in enumerate(parts))


def checksum_of(found: Mapping[str, int]) -> str:
    """16 hexadecimal digits: the sum of the hashes of all rows, modulo 2^64."""
    total = sum(found[f"sum{part}"] << (_PART_BITS * part) for part in range(_PARTS))
    return f"{total % (1 << 64):016x}"


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
