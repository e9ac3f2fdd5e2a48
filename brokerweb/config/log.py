"""The lines of the log: a traceback that repeats is told once a minute, and a disk that is full is told once."""

from __future__ import annotations

import copy
import logging
import logging.handlers
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from brokerweb.config.env import CANNOT_CREATE

REPEATED_SECONDS = 60.0
"""How long a traceback is not told again."""
TRACEBACKS_KEPT = 100


class LineFormatter(logging.Formatter):
    """One for each handler: it remembers which tracebacks its handler has told."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._told: dict[object, float] = {}

    def format(self, record: logging.LogRecord) -> str:
        """The line; in place of a traceback that was told a moment ago what was raised."""
        error = record.exc_info[1] if record.exc_info else None
        if error is None or not self._is_repeated(record, error):
            return super().format(record)
        # The other handlers have not told it perhaps.
        short = copy.copy(record)
        short.exc_info = short.exc_text = None
        return f"{super().format(short)} {type(error).__name__}: {error} (traceback above)"

    def _is_repeated(self, record: logging.LogRecord, error: BaseException) -> bool:
        trace = error.__traceback__
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        raised_at = None if trace is None else (trace.tb_frame.f_code, trace.tb_lineno)
        key = record.name, record.lineno, type(error), raised_at
        before = self._told.get(key)
        # A handler may ask twice for one record.
        if before is not None and 0 < record.created - before < REPEATED_SECONDS:
            return True
        if len(self._told) >= TRACEBACKS_KEPT:
            self._told.clear()
        self._told[key] = record.created
        return False


class LogFile(logging.handlers.RotatingFileHandler):
    """A log that cannot fill the disk, and does not mind one that is full: the terminal is told once, no more."""

    def __init__(self, filename: str | Path, **keywords: Any) -> None:
        super().__init__(filename, **keywords)
        self._trouble = ""
        """Why the last line could not be written; empty when it could."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write a line; where it cannot be written it is left out of the file."""
        before, self._trouble = self._trouble, ""
        super().emit(record)
        if self._trouble and not before:
            _say(
                f"{CANNOT_CREATE}: The log {self.baseFilename} cannot be written: {self._trouble}. Its lines are left "
                "out until it can be; warnings go on to this terminal. Make room, or see who may write there."
            )
        elif before and not self._trouble:
            _say(f"The log {self.baseFilename} is written again.")

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 the name that logging calls
        """What is wrong with a disk is said once; what is wrong with a line is said as ever."""
        error = sys.exc_info()[1]
        if not isinstance(error, OSError):
            super().handleError(record)
            return
        self._trouble = error.strerror or str(error)
        # What is left in it would be tried again with each line; the next one opens the file again.
        stream, self.stream = self.stream, None  # type: ignore[assignment]
        with suppress(OSError):
            if stream is not None:
                stream.close()


def _say(sentence: str) -> None:
    """To the terminal, which may be on the same disk, or gone."""
    with suppress(OSError, ValueError):
        sys.stderr.write(f"{sentence}\n")
        sys.stderr.flush()
