"""Bulk questions over millions of conversations, on Spark: the lake of events, and jobs from Parquet to Parquet.

Imports neither Django nor the hosting of instances; nothing else of the engine imports PySpark, pyarrow or Delta. Needs
the extra `spark`. What is named here loads none of these: `run` and `import_trace` do, and say what is missing.
"""

from __future__ import annotations

from engine.pipeline.lake.state import Exported, HourInLake, InstanceInLake, LakeState
from engine.pipeline.manifest import (
    Imported,
    Manifest,
    RejectedRows,
    TableManifest,
    TakenOut,
    manifest_of,
    write_manifest,
)
from engine.pipeline.registry import JOBS, JobDescription, JobParameter
from engine.pipeline.running import (
    JobFailed,
    compact,
    export,
    import_trace,
    lake_fingerprint,
    lake_hours,
    lake_state,
    run,
    take_out_trace,
)
from engine.pipeline.whatif.snapshots import write_snapshot
from engine.pipeline.zones import UTC_NAME, zone_of

__all__ = [
    "JOBS",
    "UTC_NAME",
    "Exported",
    "HourInLake",
    "Imported",
    "InstanceInLake",
    "JobDescription",
    "JobFailed",
    "JobParameter",
    "LakeState",
    "Manifest",
    "RejectedRows",
    "TableManifest",
    "TakenOut",
    "compact",
    "export",
    "import_trace",
    "lake_fingerprint",
    "lake_hours",
    "lake_state",
    "manifest_of",
    "run",
    "take_out_trace",
    "write_manifest",
    "write_snapshot",
    "zone_of",
]
