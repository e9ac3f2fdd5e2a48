"""`take_out_trace`: what the import of a file has brought leaves the lake again, as with a wrong time zone or instance.

Rows are found by what they are, so the file is read once more, as it was read for the import. What another file of the
same trace has brought as well is gone then too: import that one again.
"""

from __future__ import annotations

from pathlib import Path

from engine.pipeline.lake.trace_rejects import unreject
from engine.pipeline.lake.trace_sorting import Progress, TracePlace, nobody, sorted_trace
from engine.pipeline.lake.turns import LONG_PAUSES, in_turn
from engine.pipeline.lake.writing import Lake
from engine.pipeline.manifest import TakenOut
from engine.pipeline.zones import UTC_NAME, zone_of


def take_out_trace(
    lake: Lake,
    estate: str,
    instance: str,
    path: Path,
    *,
    name: str = "",
    time_zone: str = UTC_NAME,
    progress: Progress = nobody,
) -> TakenOut:
    """Delete the rows of a file, those that were not understood as well; instance and time zone are of its import.

    What an instance has told itself is never touched. `progress` hears besides that somebody else's writing is waited
    for. Raises as `import_trace`, of which this is the reverse; of what was deleted by then nothing comes back.
    """
    place = TracePlace(estate, instance, name or path.name, zone_of(time_zone))
    found = sorted_trace(place, path, progress)
    rows = found.good.num_rows

    def heard() -> None:
        progress(rows, rows)

    taken, missing = in_turn(lambda: lake.take_out(estate, instance, found.good), LONG_PAUSES, heard)
    # Where no row is found, instance or zone are wrong, and what was rejected may be of an import that shall stay.
    is_there = taken or not missing
    rejected = in_turn(lambda: unreject(lake, place, found.bad)) if is_there else 0
    return TakenOut(rows=rows, taken=taken, missing=missing, rejected=rejected)
