"""The end of a process whose settings cannot be used: one sentence instead of a traceback."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from brokerweb.config.env import ConfigurationError

REFUSED = 2
"""Exit code of a process that could do nothing, as of commands that refuse their arguments."""


@contextmanager
def ends_with_a_sentence() -> Iterator[None]:
    """A setting that cannot be used inside ends the process."""
    try:
        yield
    except ConfigurationError as error:
        sys.stderr.write(f"Error: {error}\n")
        sys.exit(REFUSED)
