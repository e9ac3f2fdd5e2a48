"""Workers in the process of the tests leave its garbage collector alone.

A worker that starts looks once through every object of its process. Here that is all that every test module imports: it
takes half a second for each worker. What the policy does is the subject of `tests/engine/hosting/test_garbage.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch


@contextmanager
def collector_left_alone() -> Iterator[None]:
    """Workers that start meanwhile have a policy that does nothing."""
    with patch("engine.hosting.bootstep.GarbagePolicy", autospec=True):
        yield
