"""`make chaos`: a deployment under load is struck again and again; what was sent must be received, once, in order.

It starts Redis and three workers with leases, lets programs send and another receive, over sessions and through the
broker, and strikes. At the end it lets everything come to rest and compares what senders were told with what readers
committed. A long run is made of stretches, each with a deployment of its own, whose stores and book of leases are
SQLite and PostgreSQL in turns.
"""

from __future__ import annotations

import argparse
import secrets
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from itertools import cycle, islice
from pathlib import Path
from random import Random
from typing import Final

from tests.chaos.run import Report, run, say
from tests.chaos.storage import Stores
from tests.chaos.strikes import STRIKES
from tests.support.postgres_server import NO_POSTGRES, binary_directory
from tests.support.redis_server import NO_REDIS, has_redis

STRETCH: Final = 20
"""Strikes of one deployment, unless told."""


def kinds_of(chosen: Stores | None, dice: Random) -> Iterator[Stores]:
    """Where the stretches keep what they know: the chosen kind, or both in turns."""
    if chosen is not None:
        return cycle([chosen])
    first = dice.randrange(2)
    return islice(cycle(Stores), first, None)


def drawn(stores: Stores, rounds: int, dice: Random) -> Sequence[str]:
    """Strikes by chance; none comes again before all others have come as often."""
    names: list[str] = []
    while len(names) < rounds:
        names += dice.sample(STRIKES[stores], len(STRIKES[stores]))
    return names[:rounds]


def strike_all(rounds: int, stretch: int, seed: int, chosen: Stores | None) -> Report:
    """All stretches, up to the first in which something is found."""
    dice, report, left = Random(seed), Report(), rounds
    for number, stores in enumerate(kinds_of(chosen, dice), start=1):
        if left <= 0 or report.found:
            break
        strikes = drawn(stores, min(stretch, left), dice)
        left -= len(strikes)
        say(f"stretch {number}: stores and leases in {stores}")
        directory = Path(tempfile.mkdtemp(prefix="chaos-"))
        report.add(run(stores, strikes, f"{seed} {number}", directory))
        if report.found:
            say(f"what the workers said, and their data, stay in {directory}")
        else:
            shutil.rmtree(directory, ignore_errors=True)
    return report


def main() -> int:
    """Read the command line; 1 when something was found, 2 when a server is missing."""
    arguments = argparse.ArgumentParser(prog="make chaos", description=__doc__)
    arguments.add_argument("--rounds", type=int, default=200)
    arguments.add_argument("--stretch", type=int, default=STRETCH, help="rounds with one deployment")
    arguments.add_argument("--seed", type=int, default=secrets.randbelow(1_000_000))
    arguments.add_argument("--stores", type=Stores, choices=list(Stores), help="one kind only; else both in turns")
    given = arguments.parse_args()
    if not has_redis():
        say(NO_REDIS)
        return 2
    if given.stores is not Stores.SQLITE and binary_directory() is None:
        say(f"{NO_POSTGRES}; or give --stores sqlite.")
        return 2
    say(f"seed {given.seed}: what strikes whom is the same again, when is not")
    report = strike_all(given.rounds, given.stretch, given.seed, given.stores)
    for name, seconds in sorted(report.recoveries.items()):
        mean = sum(seconds) / len(seconds)
        say(f"{name:<25} {len(seconds):4} times, went on after {mean:4.1f} s, at most {max(seconds):.1f} s")
    say(f"{report.sent:,} sent, {report.received:,} received, {report.rolled_back} transactions died uncommitted")
    for each in report.found:
        say(f"FOUND: {each}")
    say("nothing lost, nothing doubled, everything in order" if not report.found else f"seed {given.seed}")
    return 1 if report.found else 0


if __name__ == "__main__":
    sys.exit(main())
