"""What a worker does with a call for a reader: run the registered callable, whose statements go to the instance."""

from __future__ import annotations

import logging
import threading
from typing import Final
from uuid import uuid4

from engine.core.vocabulary.identifiers import EstateName, InstanceName
from engine.hosting.entropy import OperatingSystemEntropy
from engine.hosting.errors import EngineUnavailable
from engine.hosting.reader_session import ReaderSession
from engine.hosting.reader_tasks.calls import ReaderCall, ReaderPass
from engine.hosting.reader_tasks.line import ReaderLine
from engine.hosting.readers import carry_out

logger = logging.getLogger(__name__)

_running: Final[set[ReaderLine]] = set()
_changing: Final = threading.Lock()


def run_reader(estate: EstateName, instance: InstanceName, call: ReaderCall) -> None:
    """Run a reader from its beginning to its end; nothing when somebody else runs it or nobody wants it any more."""
    whose = ReaderPass(call.life, call.start.task, uuid4())
    try:
        line = ReaderLine(estate, instance, whose)
    except EngineUnavailable as refusal:
        # An instance that could not be reached repeats its call.
        logger.info("A reader of queue '%s' is not run: %s", call.start.queue, refusal)
        return
    with line:
        _note(line, is_running=True)
        try:
            session = ReaderSession(call.start, line.execute, OperatingSystemEntropy())
            line.end(carry_out(call.start, session))
        finally:
            _note(line, is_running=False)


def stop_readers() -> None:
    """Let no reader of this process say anything more: what they wait for ends, and what they began is rolled back."""
    with _changing:
        lines = list(_running)
    for line in lines:
        line.close()


def _note(line: ReaderLine, *, is_running: bool) -> None:
    with _changing:
        (_running.add if is_running else _running.discard)(line)
