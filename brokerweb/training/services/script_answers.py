"""`ScriptAnswer`: what a script has answered so far, bounded by the bytes of the HTTP answer it becomes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Final
from uuid import UUID

import msgspec
from django.utils.translation import gettext as _

from brokerweb.common.training_errors import ScriptRuns
from engine import api as engine

Output = engine.console.ConsoleOutput

OUTPUTS_MAX: Final = 500
"""Of one script; what comes after that is not run, and 8657 says so."""
ROWS_MAX: Final = 500
"""Of one result set; its answer has the number of all rows."""
ANSWER_BYTES_MAX: Final = 4 * 1024 * 1024
"""Of all texts and binary values of one script, as they are kept and as they are sent."""
_CELL_BYTES: Final = 16
TOO_MUCH: Final = 8657


class ScriptAnswer:
    """Outputs of one script."""

    def __init__(self, hold: Callable[[int], None]) -> None:
        """`hold` is called with the bytes of each output, and raises `ScratchExhausted` when there is no room."""
        self._hold = hold
        self._bytes = 0
        self.outputs: Final[list[Output]] = []
        self.totals: Final[list[int]] = []
        """Rows of each output before it was cut, 0 where it has none."""

    def add(self, output: Output) -> engine.LocalProtocolError | None:
        """Keep an output; 8657 where the script is to be stopped. An output beyond the bytes is left out."""
        total = 0
        if isinstance(output, engine.console.ResultSet):
            total = len(output.rows)
            output = msgspec.structs.replace(output, rows=output.rows[:ROWS_MAX])
        size = _bytes_of(output, ANSWER_BYTES_MAX - self._bytes)
        if self._bytes + size > ANSWER_BYTES_MAX:
            return engine.LocalProtocolError(TOO_MUCH, expected=f"{ANSWER_BYTES_MAX // 1024**2} MiB")
        try:
            self._hold(size)
        except engine.console.ScratchExhausted as error:
            return engine.LocalProtocolError(TOO_MUCH, expected=error.limit)
        self._bytes += size
        self.outputs.append(output)
        self.totals.append(total)
        # An output that has come is kept: only then is it known that there was more.
        return engine.LocalProtocolError(TOO_MUCH, expected=OUTPUTS_MAX) if len(self.outputs) > OUTPUTS_MAX else None


def _bytes_of(output: Output, most: int) -> int:
    """Bytes of an output; any number beyond `most` where there are more."""
    match output:
        case engine.console.ResultSet():
            size = 0
            for cell in (cell for row in output.rows for cell in row):
                size += _CELL_BYTES + _value_bytes(cell, most - size)
                if size > most:
                    break
            return size
        case engine.console.Printed():
            return _CELL_BYTES + _value_bytes(output.text, most)
        case engine.console.Failed():
            return _CELL_BYTES + sum(_value_bytes(each, most) for each in (output.message, output.why, output.cure))
        case _:
            return _CELL_BYTES


def _value_bytes(value: engine.Cell, most: int) -> int:
    if isinstance(value, bytes):
        return 2 * len(value)
    if not isinstance(value, str):
        return 0
    kept = engine.console.value_bytes(value)
    # JSON writes a control character as six.
    return kept if kept > most else max(kept, len(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")))


_running: Final[set[UUID]] = set()
_lock: Final = Lock()


@contextmanager
def only_script(session: UUID) -> Iterator[None]:
    """For as long as a script runs in a training session. Raises `ScriptRuns` while another one does."""
    with _lock:
        if session in _running:
            raise ScriptRuns(_("A script of yours runs in this session."))
        _running.add(session)
    try:
        yield
    finally:
        with _lock:
            _running.remove(session)
