"""How long a thread of a server process may keep the others from running."""

from __future__ import annotations

import sys
from typing import Final

TURN_SECONDS: Final = 0.001
"""Python's own five milliseconds are what each step of a question to the engine waits for, a dozen of them, while the
event loop writes to two hundred browsers."""


def share_turns() -> None:
    """Have the threads that wait for answers come to their turn soon, beside an event loop that is busy."""
    sys.setswitchinterval(min(sys.getswitchinterval(), TURN_SECONDS))
