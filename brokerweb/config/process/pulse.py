"""Until when the process of a data directory lived, however it ended: a file that it touches every second."""

from __future__ import annotations

from pathlib import Path
from typing import Final

PULSE_NAME: Final = "last-alive"


def pulse(directory: Path) -> None:
    """This process lives. `OSError` where nothing can be written."""
    (directory / PULSE_NAME).touch()


def last_pulse(directory: Path) -> float | None:
    """When the last process is known to have lived, in UTC seconds; None when that is not known."""
    try:
        return (directory / PULSE_NAME).stat().st_mtime
    except OSError:
        return None
