"""`import_trace`: a file of CSV that Profiler or Extended Events has exported, into the lake.

A row that is not understood goes into a table of its own, beside the lake, with the number of its line and the reason;
beyond `REJECTS_MAX` such rows are counted.
"""

from __future__ import annotations

from pathlib import Path

from engine.pipeline.lake.trace_rejects import reject
from engine.pipeline.lake.trace_sorting import Progress, TracePlace, nobody, sorted_trace
from engine.pipeline.lake.turns import in_turn
from engine.pipeline.lake.writing import Lake
from engine.pipeline.manifest import Imported, RejectedRows
from engine.pipeline.zones import UTC_NAME, zone_of


def import_trace(
    lake: Lake,
    estate: str,
    instance: str,
    path: Path,
    *,
    name: str = "",
    time_zone: str = UTC_NAME,
    progress: Progress = nobody,
) -> Imported:
    """Take a file over, which rejected rows call `name`. What is there already, of this file or another, is not added.

    `time_zone` is an IANA name, that of times without an offset. `progress` hears how many of its lines are read, and
    of how many; what it raises ends the import, and nothing is written then. Raises `LocalProtocolError`: 4861 when it
    cannot be read, 9820 for an unknown zone, 3960 when others write all the time, 5123 when the lake cannot be written.
    """
    place = TracePlace(estate, instance, name or path.name, zone_of(time_zone))
    found = sorted_trace(place, path, progress)
    # Rejects first: who dies between the two begins again, and finds them kept.
    in_turn(lambda: reject(lake, place, found.bad))
    written = in_turn(lambda: lake.take_over(estate, instance, found.good))
    counted, rejected = found.reasons.most_common(), found.reasons.total()
    return Imported(
        rows=found.good.num_rows + rejected,
        written=written,
        rejected=rejected,
        unkept=rejected - len(found.bad),
        known=found.good.num_rows - written,
        reasons=tuple(RejectedRows(reason=reason, column=column, rows=rows) for (reason, column), rows in counted),
    )
