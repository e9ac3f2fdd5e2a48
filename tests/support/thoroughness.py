"""How much of a test `make test` runs, and how much more of it `make test-all` runs.

A test that only `make test-all` runs is marked `slow`. A test that both run, one of them with fewer examples, seeds or
places, asks this module. In `make test` everything is drawn from fixed seeds, so that a run repeats the one before it.
`make test-all` begins at another seed each day, prints it, and repeats a day with `FIRST_SEED=20261128`.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar

from hypothesis import settings

THOROUGH = os.environ.get("THOROUGH") == "1"
FIRST_SEED = int(os.environ.get("FIRST_SEED") or f"{datetime.now(UTC):%Y%m%d}")
EXAMPLES_SHARE = 5
EXAMPLES_MIN = 10
T = TypeVar("T")


def examples(count: int, **others: Any) -> settings:
    """Settings of a Hypothesis test: `count` examples, a fifth of them in `make test`, but at least ten."""
    few = min(count, max(EXAMPLES_MIN, count // EXAMPLES_SHARE))
    return settings(max_examples=count if THOROUGH else few, **others)


def share(of_all: Sequence[T], few: int) -> Sequence[T]:
    """Everything in `make test-all`, and `few` of them in `make test`, evenly spread from the first on."""
    if THOROUGH or few >= len(of_all):
        return of_all
    return [of_all[at * len(of_all) // few] for at in range(few)]
