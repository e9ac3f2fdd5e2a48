"""`export`: what an instance has told since the last time, into the lake, exactly once.

An instance keeps a limited number of events. Those that it had let go before they were taken over are counted, and the
count is committed with the events that follow them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from engine.pipeline.lake.state import Exported
from engine.pipeline.lake.writing import Lake
from engine.pipeline.running import ReadEvents

BATCH_EVENTS: Final = 20_000
"""Of one commit: some 20 MiB while it is made."""


def export(
    lake: Lake,
    estate: str,
    instance: str,
    read: ReadEvents,
    progress: Callable[[int], None],
    *,
    batch_events: int = BATCH_EVENTS,
) -> Exported:
    """Take over all that there is. `progress` hears how many events were written; what it raises ends the export.

    What was committed by then stays. Raises what `read` raises, and `LakeBusy` when somebody else exports as well.
    """
    events, last = 0, lake.last_number(estate, instance)
    lost_before = lost = lake.lost(estate, instance)
    while batch := read(last, batch_events):
        lost += int(batch[0][0]) - int(last) - 1
        events += lake.append(estate, instance, batch, lost=lost)
        last = batch[-1][0]
        progress(events)
    return Exported(events=events, last_number=int(last), lost=lost - lost_before)
