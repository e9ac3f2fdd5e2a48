"""What processes have used, read from /proc: processor time, ended children included, and resident memory."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

_PROC: Final = Path("/proc")
_TICKS: Final = os.sysconf("SC_CLK_TCK")
_PAGE: Final = os.sysconf("SC_PAGE_SIZE")


class ProcessLine(NamedTuple):
    """What we want of one line of /proc/PID/stat."""

    pid: int
    parent: int
    cpu_seconds: float
    """Its own and that of its ended children, for which it has waited."""
    resident_bytes: int


class Memory(NamedTuple):
    """Resident memory of several processes, bytes."""

    resident: int
    """The sum of what each of them has; pages that they share count several times."""
    proportional: int | None
    """Shared pages divided among those who share them; None where the system does not tell."""


def parse_line(text: str) -> ProcessLine:
    """Read a line of /proc/PID/stat; the command's name may hold blanks and parentheses."""
    pid, _, rest = text.partition(" (")
    fields = rest[rest.rindex(")") + 2 :].split()
    cpu = sum(int(field) for field in fields[11:15]) / _TICKS
    return ProcessLine(int(pid), int(fields[1]), cpu, int(fields[21]) * _PAGE)


def everybody() -> Iterator[ProcessLine]:
    """All processes of the machine."""
    for path in _PROC.glob("[0-9]*/stat"):
        # It may end while we read.
        with suppress(OSError):
            yield parse_line(path.read_text(errors="replace"))


def families(lines: Iterable[ProcessLine], roots: Iterable[int]) -> list[ProcessLine]:
    """The roots among the processes, and everybody who descends from them."""
    known, children = {}, defaultdict(list)
    for line in lines:
        known[line.pid] = line
        children[line.parent].append(line.pid)
    found: dict[int, ProcessLine] = {}
    ahead = list(roots)
    while ahead:
        pid = ahead.pop()
        if pid in known and pid not in found:
            found[pid] = known[pid]
            ahead += children[pid]
    return list(found.values())


def cpu_seconds(roots: Iterable[int]) -> float:
    """Processor time that families have used since they began."""
    return sum(line.cpu_seconds for line in families(everybody(), roots))


def memory(roots: Iterable[int]) -> Memory:
    """What families keep resident now."""
    family = families(everybody(), roots)
    shares = [_proportional(line.pid) for line in family]
    return Memory(
        sum(line.resident_bytes for line in family),
        None if None in shares else sum(share or 0 for share in shares),
    )


def _proportional(pid: int) -> int | None:
    try:
        text = (_PROC / str(pid) / "smaps_rollup").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return 0 if not (_PROC / str(pid)).exists() else None
    except OSError:
        return None
    return proportional_bytes(text)


def proportional_bytes(text: str) -> int | None:
    """The Pss line of /proc/PID/smaps_rollup; None when there is none."""
    for line in text.splitlines():
        name, _, rest = line.partition(":")
        if name == "Pss":
            return int(rest.split()[0]) * 1024
    return None
