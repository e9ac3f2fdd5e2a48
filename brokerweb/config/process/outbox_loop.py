"""The regular look at the outbox, in a thread of the process: what could not be delivered at once goes out later."""

from __future__ import annotations

import logging
import threading

from brokerweb.common.database import borrowed_connections
from brokerweb.topology.services.publish import publish_pending

logger = logging.getLogger(__name__)

LOOK_SECONDS = 1.0


class OutboxLoop:
    """Looks every second until it is stopped."""

    def __init__(self) -> None:
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="outbox", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Let the delivery that is under way end, then return."""
        self._stopping.set()
        self._thread.join(timeout=LOOK_SECONDS * 5)

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                with borrowed_connections():
                    publish_pending()
            except Exception:
                logger.exception("The outbox could not be looked at.")
            self._stopping.wait(LOOK_SECONDS)
