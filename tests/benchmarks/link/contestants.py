"""Everybody who may take part, by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from typing import Final

from tests.benchmarks.link.contestant import Contestant
from tests.benchmarks.link.our_pair import OurPair
from tests.benchmarks.link.postgres import PostgresRelay
from tests.benchmarks.link.rabbitmq import RabbitMq

_MAKERS: Final[tuple[Callable[[], Contestant], ...]] = (
    lambda: RabbitMq("quorum"),
    lambda: PostgresRelay(100),
    lambda: PostgresRelay(1000),
    lambda: RabbitMq("classic"),
    *(
        partial(OurPair, dialogs, is_forwarded=is_forwarded, is_compiled=is_compiled)
        for dialogs, is_forwarded, is_compiled in product((1, 100, 100_000), (False, True), (False, True))
    ),
)
DEFAULT: Final = (
    *("rabbitmq-quorum", "postgresql-100", "postgresql-1000", "brokerweb-100", "brokerweb-1-compiled"),
    *("brokerweb-100-compiled", "brokerweb-100000-compiled", "brokerweb-100-forwarded-compiled"),
)
"""Who takes part when nobody is named; the first is the yardstick of the table."""


class UnknownContestant(Exception):
    """Nobody has this name."""


def named(names: Sequence[str]) -> list[Contestant]:
    """The contestants of these names, in this order. `UnknownContestant`."""
    known = {contestant.name: contestant for contestant in (make() for make in _MAKERS)}
    for name in names:
        if name not in known:
            raise UnknownContestant(f"there is no contestant '{name}'; known are {', '.join(known)}")
    return [known[name] for name in dict.fromkeys(names)]
