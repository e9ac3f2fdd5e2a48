"""The table of `manage.py engine_status`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Final

from brokerweb.operations.hosting_status import HostingState, InstanceHosting

NOTHING: Final = "-"
_HEADINGS: Final = (
    "ESTATE",
    "INSTANCE",
    "STATE",
    "WORKER",
    "SINCE (UTC)",
    "FENCE",
    "REVISION",
    "INBOX",
    "WAITING",
    "OLDEST",
    "READY",
    "EVENTS",
    "MEMORY",
)
_FIRST_NUMBER: Final = _HEADINGS.index("FENCE")


def status_lines(instances: Sequence[InstanceHosting]) -> Iterator[str]:
    """A table with a line for each instance, and below it why those that do not run do not."""
    if not instances:
        yield "There are no instances yet."
        return
    rows = [_HEADINGS, *map(_cells, instances)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = zip(row, widths, strict=True)
        yield "  ".join(
            cell.rjust(width) if place >= _FIRST_NUMBER else cell.ljust(width)
            for place, (cell, width) in enumerate(cells)
        ).rstrip()
    for each in instances:
        if each.state is HostingState.FAILED:
            yield f"{each.estate}/{each.instance}: {each.failure}"


def _cells(each: InstanceHosting) -> tuple[str, ...]:
    return (
        each.estate,
        each.instance,
        each.state,
        NOTHING if each.holder is None else worker_of(each.holder),
        NOTHING if each.since is None else f"{datetime.fromtimestamp(each.since, UTC):%Y-%m-%d %H:%M:%S}",
        _number(each.fence or None),
        _revision(each),
        _number(each.inbox),
        _number(each.transmission),
        NOTHING if each.oldest_seconds is None else f"{each.oldest_seconds:.0f} s",
        _number(each.ready),
        _number(each.last_event),
        NOTHING if each.worker_bytes is None else f"{each.worker_bytes / 2**20:.0f} MiB",
    )


def worker_of(holder: str) -> str:
    """The worker's name and process, without what tells its runs apart."""
    name, _, rest = holder.partition("/")
    return f"{name} ({rest.partition('/')[0]})"


def _number(value: int | None) -> str:
    return NOTHING if value is None else str(value)


def _revision(each: InstanceHosting) -> str:
    if each.wanted_revision in (None, each.applied_revision):
        return _number(each.applied_revision)
    return f"{_number(each.applied_revision)} of {each.wanted_revision}"
