"""What the machine has done meanwhile: its processors' busy time, and the flushes of a block device."""

from __future__ import annotations

import os
import platform
from pathlib import Path
from typing import Any, Final

_TICKS: Final = os.sysconf("SC_CLK_TCK")
_FLUSHES_FIELD: Final = 15


def busy_seconds(text: str | None = None) -> float:
    """Processor time that all processors have spent with work since the machine began (first line of /proc/stat)."""
    first = (Path("/proc/stat").read_text() if text is None else text).split("\n", 1)[0].split()
    user, nice, system, _idle, _waiting, interrupts, soft_interrupts, stolen = map(int, first[1:9])
    # The time of guests is part of the user's already.
    return (user + nice + system + interrupts + soft_interrupts + stolen) / _TICKS


class BlockDevice:
    """The disk under a directory, as far as the system tells of it."""

    def __init__(self, directory: Path) -> None:
        number = directory.stat().st_dev
        found = Path(f"/sys/dev/block/{os.major(number)}:{os.minor(number)}").resolve()
        # Flushes are counted for the whole disk, not for its parts.
        self._folder = found.parent if (found / "partition").exists() else found

    def flushes(self) -> int | None:
        """Flush requests it has completed; None where the system does not count them."""
        try:
            return flush_requests((self._folder / "stat").read_text())
        except OSError:
            return None


def flush_requests(text: str) -> int | None:
    """The sixteenth field of a block device's `stat` file; kernels before 5.5 do not have it."""
    fields = text.split()
    return int(fields[_FLUSHES_FIELD]) if len(fields) > _FLUSHES_FIELD else None


def portrait() -> dict[str, Any]:
    """What should be known of the machine when figures are read; nothing that names it."""
    return {
        "processors": os.cpu_count(),
        "memory_mib": os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 20,
        "kernel": platform.release(),
        "architecture": platform.machine(),
        "python": platform.python_version(),
    }
