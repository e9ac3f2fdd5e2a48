"""`make mutants`: every planted error must be caught. Exit code 1 when one survives, or a sound engine is accused."""

from __future__ import annotations

import argparse
import os
import sys
from concurrent.futures import ProcessPoolExecutor

from tests.mutants.catalogue import MUTANTS
from tests.mutants.hunt import Catch, hunt
from tests.mutants.planting import Mutant

SEEDS = 20
NAMES = {mutant.name: mutant for mutant in MUTANTS}
SOUND = Mutant("the engine as it is", ())


def _hunt(name: str, seeds: range) -> Catch:
    return hunt(NAMES.get(name, SOUND), seeds)


def main() -> int:
    """Print a line for each mutant."""
    parser = argparse.ArgumentParser(prog="make mutants")
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    names = [SOUND.name, *NAMES]
    survivors = 0
    with ProcessPoolExecutor(options.jobs) as pool:
        for catch in pool.map(_hunt, names, [range(options.seeds)] * len(names)):
            by = ", ".join(f"{checker} {seeds}" for checker, seeds in sorted(catch.by.items(), key=lambda x: -x[1]))
            is_right = not catch.by if catch.mutant == SOUND.name else catch.is_caught
            survivors += not is_right
            verdict = "ok      " if is_right else "SURVIVED"
            print(f"{verdict} {catch.mutant} ({catch.seeds} seeds): {by or 'nothing found'}", flush=True)  # noqa: T201
    print(f"{len(MUTANTS)} mutants, {survivors} survived")  # noqa: T201
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(main())
