"""`manage.py simulate [SCENARIO]`: thousands of worlds on virtual time, each from one seed. Needs no database.

Exit code 0: no checker has found anything; 1: one has; 2: the scenario could not be read, and nothing was run; 130:
stopped by Ctrl-C, and what was judged so far is told.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from typing import Any

from brokerweb.common.given_files import YAML_BYTES_MAX, FileRefused, text_given
from brokerweb.common.numbered_command import NumberedCommand
from brokerweb.common.terminal import write_lines
from brokerweb.operations.progress import ProgressBar
from brokerweb.operations.simulate_text import replay_command, told_of_seed, told_of_stop, told_of_sweep, told_of_worlds
from brokerweb.operations.simulated_worlds import ALL, SimulatedWorld, Worlds, shipped_worlds
from engine.api import json_encoder, simulation

FOUND, UNREADABLE, STOPPED = 1, 2, 130
SEEDS = 100
JOBS_MAX = 256
SEEDS_MAX = 10_000_000
"""Seeds of one run: days of work, and a report of each is kept for the summary."""
FIRST_SEED_MAX = 2**62
SEEDS_AHEAD = 1_000
"""Seeds that are handed to the processes together, so that millions of them wait outside of memory."""
CHUNK = 4
"""Seeds that a process takes at once: little enough for the bar to move, enough to make talking cheap."""

COLLECT_EVERY = 100_000
"""Objects between two rounds of the collector of cycles: worlds are small, and are thrown away whole."""


class Command(NumberedCommand):
    help = "Let simulated networks run under faults and judge them (docs/protocol/simulation.md)."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        names = ", ".join(simulation.shipped_scenarios())
        parser.add_argument("scenario", nargs="?", metavar="SCENARIO", help=f"a YAML file, one of {names}, or {ALL}")
        seeds, first_seed = _count(1, SEEDS_MAX), _count(0, FIRST_SEED_MAX)
        parser.add_argument("--seeds", type=seeds, default=SEEDS, help=f"how many seeds (default {SEEDS})")
        parser.add_argument("--first-seed", type=first_seed, default=0, help="the first of them (default 0)")
        parser.add_argument("--jobs", type=_count(1, JOBS_MAX), help="processes (default: one for each core)")
        parser.add_argument("--json", action="store_true", help="print one JSON object for each seed")

    def handle(self, *args: Any, **options: Any) -> None:
        worlds = shipped_worlds(options["scenario"]) or self._world_of(options["scenario"])
        seeds = range(options["first_seed"], options["first_seed"] + options["seeds"])
        bar = ProgressBar(self.stderr, len(seeds))
        reports: list[simulation.SeedReport] = []
        is_stopped = False
        try:
            for report in _run(worlds, seeds, options["jobs"] or os.cpu_count() or 1):
                with _ctrl_c_after():
                    reports.append(report)
                    bar.clear()
                    self._tell(report, worlds, is_json=options["json"])
                bar.advance(failed=not report.valid)
        except KeyboardInterrupt:
            is_stopped = True
        bar.clear()
        summary = simulation.summarize(reports)
        told = [
            *told_of_sweep(summary),
            *told_of_worlds(reports, worlds),
            *([told_of_stop(len(reports), seeds)] if is_stopped else []),
        ]
        write_lines(self.stderr if options["json"] else self.stdout, told)
        if is_stopped:
            sys.exit(STOPPED)
        if summary.invalid:
            sys.exit(FOUND)

    def _world_of(self, file: str) -> Worlds:
        """The scenario of a file; faults are told and end the command."""
        try:
            scenario, faults = simulation.read_scenario(file, text_given(file, bytes_max=YAML_BYTES_MAX))
        except FileRefused as refused:
            self._refuse([str(refused)])
        else:
            if scenario is not None:
                return Worlds((SimulatedWorld(file, scenario),))
            self._refuse([str(fault) for fault in faults])
        raise AssertionError("a refusal ends the command")

    def _refuse(self, lines: list[str]) -> None:
        write_lines(self.stderr, lines)
        sys.exit(UNREADABLE)

    def _tell(self, report: simulation.SeedReport, worlds: Worlds, *, is_json: bool) -> None:
        world = worlds.of(report.seed)
        if is_json:
            line: dict[str, object] = {"world": world.scenario.name, "seed": report.seed}
            line |= {"valid": report.valid, "findings": report.findings}
            if not report.valid:
                line["replay"] = replay_command(world.argument, report.seed)
            line["figures"] = report.figures
            write_lines(self.stdout, [json_encoder.encode(line).decode()])
        elif not report.valid:
            write_lines(self.stdout, told_of_seed(report, world.argument))


def _run(worlds: Worlds, seeds: range, jobs: int) -> Iterator[simulation.SeedReport]:
    """Reports in the order of their seeds."""
    work = worlds.simulate
    if min(jobs, len(seeds)) == 1:
        yield from map(work, seeds)
        return
    pool = ProcessPoolExecutor(min(jobs, len(seeds)), initializer=_prepare)
    try:
        for start in range(0, len(seeds), SEEDS_AHEAD):
            with _ctrl_c_held():
                reports = pool.map(work, seeds[start : start + SEEDS_AHEAD], chunksize=CHUNK)
            yield from reports
    finally:
        # After Ctrl-C: what is under way ends, which takes a moment, and nothing else begins.
        pool.shutdown(cancel_futures=True)


@contextmanager
def _ctrl_c_held() -> Iterator[None]:
    """Processes that are started within are not killed by a Ctrl-C that comes before they have got to `_prepare`."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _ctrl_c_after() -> Iterator[None]:
    """What is counted is told: a Ctrl-C that comes within is raised at the end. In the main thread."""
    came: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _frame: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if came:
        raise KeyboardInterrupt


def _prepare() -> None:
    """In each process: Ctrl-C is the business of the one that was started by hand."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.set_threshold(COLLECT_EVERY)


def _count(least: int, most: int) -> Callable[[str], int]:
    """A whole number of the command line within its bounds."""

    def read(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = least - 1
        if not least <= value <= most:
            raise ArgumentTypeError(f"'{text}' is not a whole number of at least {least}, at most {most}")
        return value

    return read
