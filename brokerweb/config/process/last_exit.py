"""The end of the process, once everything is stopped and kept: nobody who still waits for something holds it up.

A request whose event loop is gone waits for ever, and Python waits for its thread before it ends.
"""

from __future__ import annotations

import logging
import os
import threading
from typing import Final

logger = logging.getLogger(__name__)

EXIT_SECONDS_MAX: Final = 5.0


def leave_within(seconds: float = EXIT_SECONDS_MAX) -> None:
    """From now on this process has so long to end by itself; then it is ended, with 0 as by itself."""
    timer = threading.Timer(seconds, _leave, (seconds,))
    timer.daemon = True
    timer.start()


def _leave(seconds: float) -> None:
    logger.warning(
        "Ended with threads that still waited %g s after the stop: %d.", seconds, threading.active_count() - 2
    )
    logging.shutdown()
    os._exit(0)
