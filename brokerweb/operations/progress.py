"""A progress bar on a terminal; where there is none, nothing is written."""

from __future__ import annotations

from django.core.management.base import OutputWrapper

WIDTH = 30


class ProgressBar:
    """One line that is written over and over; cleared before anything else is printed."""

    def __init__(self, stream: OutputWrapper, total: int) -> None:
        self._stream = stream
        self._total = total
        self._done = 0
        self._failed = 0
        self._shown = ""

    def advance(self, *, failed: bool) -> None:
        """One more is done."""
        self._done += 1
        self._failed += failed
        filled = WIDTH * self._done // self._total
        bar = "#" * filled + "." * (WIDTH - filled)
        self._show(f"[{bar}] {self._done}/{self._total}, {self._failed} with findings")

    def clear(self) -> None:
        """Leave the line empty."""
        if self._shown:
            self._write("\r" + " " * len(self._shown) + "\r")
            self._shown = ""

    def _show(self, text: str) -> None:
        if self._stream.isatty():
            self._shown = text
            self._write("\r" + text)

    def _write(self, text: str) -> None:
        self._stream.write(text, lambda each: each, ending="")
        self._stream.flush()
