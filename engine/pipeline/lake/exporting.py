"""`export`: what an instance has told since the last time, into the lake, exactly once.

An instance keeps a limited number of events. Those that it had let go before they were taken over are counted, and the
count is committed with the events that follow them. One that was made anew under its name counts from 1 again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from engine.core.vocabulary.identifiers import EventSequence
from engine.pipeline.lake.state import Exported
from engine.pipeline.lake.writing import Lake, Mark, microseconds
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
    mark = lake.mark(estate, instance)
    is_new = _is_made_anew(mark, read)
    events, last, lost = 0, 0 if is_new else int(mark.last_number), 0
    while batch := read(EventSequence(last), batch_events):
        gone = int(batch[0][0]) - last - 1
        events += lake.append(estate, instance, batch, lost=gone, is_new=is_new)
        last, lost, is_new = int(batch[-1][0]), lost + gone, False
        progress(events)
    return Exported(events=events, last_number=last, lost=lost)


def _is_made_anew(mark: Mark, read: ReadEvents) -> bool:
    """Whether another instance has the name now: its events begin with 1, and what we know last is none of them."""
    if not mark.last_number:
        return False
    known = read(EventSequence(mark.last_number - 1), 1)
    if not known:
        return bool(read(EventSequence(0), 1))
    number, event = known[0]
    return number == mark.last_number and microseconds(event) != mark.at
