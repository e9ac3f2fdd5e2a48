"""Until when the process of a data directory lived, however it ended: a file that it touches every second."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

PULSE_NAME: Final = "last-alive"


def pulse(directory: Path, at: float | None = None) -> None:
    """Record that a process lives now, or lived at `at`, in UTC seconds. Raises `OSError` where it cannot write."""
    (directory / PULSE_NAME).touch()
    if at is not None:
        os.utime(directory / PULSE_NAME, (at, at))


def last_pulse(directory: Path) -> float | None:
    """When the last process is known to have lived, in UTC seconds; None when that is not known."""
    try:
        return (directory / PULSE_NAME).stat().st_mtime
    except OSError:
        return None
