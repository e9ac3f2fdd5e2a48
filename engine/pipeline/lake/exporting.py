"""`export`: what an instance has told since the last time, into the lake, exactly once.

An instance keeps a limited number of events. Those that it had let go before they were taken over are counted, and the
count is committed with the events that follow them. One that was made anew under its name counts from 1 again, and one
whose store was put back tells other events by the numbers of those that were exported.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from engine.core.vocabulary.identifiers import EventSequence
from engine.pipeline.lake.state import Exported
from engine.pipeline.lake.writing import Lake, Mark, microseconds
from engine.pipeline.running import ReadEvents

BATCH_EVENTS: Final = 20_000
"""Of one commit: some 20 MiB while it is made."""
COMPARED_EVENTS: Final = 20_000
"""At once, of an instance whose log is another one."""


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
    last, is_new = _beginning(lake, estate, instance, mark, read)
    events, lost = 0, 0
    while batch := read(EventSequence(last), batch_events):
        gone = int(batch[0][0]) - last - 1
        events += lake.append(estate, instance, batch, lost=gone, judged=mark, is_new=is_new)
        if is_new:
            mark, is_new = replace(mark, life=mark.life + 1), False
        last, lost = int(batch[-1][0]), lost + gone
        progress(events)
    return Exported(events=events, last_number=last, lost=lost)


def _beginning(lake: Lake, estate: str, instance: str, mark: Mark, read: ReadEvents) -> tuple[int, bool]:
    """After which event to go on, and whether the log is another one than that which was exported last.

    It is when it ends before our mark, or has another event there: the instance was made anew, or its store was put
    back to an earlier state. What both have in common is found by the events themselves, and is not written again.
    """
    last = int(mark.last_number)
    known = read(EventSequence(last - 1), 1) if last else ()
    if not last or (known and (known[0][0] > last or microseconds(known[0][1]) == mark.at)):
        return last, False
    newest = bisect_left(range(last), True, key=lambda number: not read(EventSequence(number), 1))
    if not newest:
        # It has told nothing yet, or let all of it go: nothing says that it is another one.
        return last, False
    return _last_in_common(lake, estate, instance, newest, read), True


def _last_in_common(lake: Lake, estate: str, instance: str, newest: int, read: ReadEvents) -> int:
    """The number of the last event that lake and instance both have; 0 when there is none. `newest`: where to begin."""
    last, end = 0, newest
    while end and not last:
        begin = max(end - COMPARED_EVENTS, 0)
        batch = [each for each in read(EventSequence(begin), end - begin) if each[0] <= end]
        if not batch:
            return 0
        last, end = int(lake.last_known(estate, instance, batch)), begin
    # Put back a second time, to what was told before the first, it has more in common than what is below our mark.
    while last and (more := read(EventSequence(last), COMPARED_EVENTS)):
        known = lake.last_known(estate, instance, more)
        if not known:
            break
        last = int(known)
    return last
