"""How far a job is, on one line of a terminal; where there is none, nothing is written."""

from __future__ import annotations

from django.core.management.base import OutputWrapper

WIDTH = 30


class StageBar:
    """The line: stage, bar, tasks that are done of those that are known. More become known while it runs."""

    def __init__(self, stream: OutputWrapper) -> None:
        self._stream = stream
        self._shown = ""

    def show(self, stage: str, done: int, total: int) -> None:
        if not self._stream.isatty():
            return
        filled = WIDTH * done // total if total else 0
        text = f"{stage:<12} [{'#' * filled}{'.' * (WIDTH - filled)}] {done}/{total} tasks"
        self._write("\r" + text.ljust(len(self._shown)))
        self._shown = text

    def clear(self) -> None:
        """Leave the line empty."""
        if self._shown:
            self._write("\r" + " " * len(self._shown) + "\r")
            self._shown = ""

    def _write(self, text: str) -> None:
        self._stream.write(text, lambda each: each, ending="")
        self._stream.flush()
