"""Both fuzzers of what comes from the network: `python -m tests.support.fuzzing [FRAMES] [MESSAGES] [SEED]`.

Hostile frames for the link, then hostile messages in frames that are well-formed, for real instances. `make fuzz`.
"""

from __future__ import annotations

import gc
import random
import resource
import sys
import time
from collections import Counter
from collections.abc import Callable
from ctypes import CDLL
from pathlib import Path
from typing import Protocol

from engine.core.vocabulary.errors import demand_every_parameter
from tests.support.link_fuzzing import Fuzzer, Leak
from tests.support.message_fuzzing import MessageFuzzer

FRAMES_DEFAULT, MESSAGES_DEFAULT = 1_000_000, 100_000
GROWTH_KIBIBYTES_MAX = 16 * 1024
"""Noise of the allocator; a leak of a byte a frame would be a million."""
GROWTH_OBJECTS_MAX = 10_000


class Part(Protocol):
    """One of the two fuzzers."""

    outcomes: Counter[str]

    def run(self, count: int, progress: Callable[[int], None], /) -> None:
        """Throw so many; the first thing that should not be is raised."""
        ...


def memory_kibibytes() -> int:
    """What the process has in memory now; what is free and kept by the allocator is given back first."""
    gc.collect()
    CDLL(None).malloc_trim(0)
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() // 1024


def throw(part: Part, count: int, what: str, seed: int) -> None:
    """Throw with a bar that shows how far it is, then say what came of it. `Leak` when memory grew."""
    began = time.monotonic()

    def progress(done: int) -> None:
        share = done / count
        if sys.stderr.isatty() or done % max(count // 10, 1000) == 0:
            bar = "#" * int(40 * share)
            end = "\r" if sys.stderr.isatty() else "\n"
            rate = done / (time.monotonic() - began)
            sys.stderr.write(f"[{bar:40}] {share:4.0%}  {done:,} {what}, {rate:,.0f}/s{end}")
            sys.stderr.flush()

    warm_up = count // 10
    part.run(warm_up, progress)
    before, objects = memory_kibibytes(), len(gc.get_objects())
    part.run(count - warm_up, progress)
    growth, more = memory_kibibytes() - before, len(gc.get_objects()) - objects
    seconds = time.monotonic() - began
    say(f"\nseed {seed}: {count:,} {what} in {seconds:.0f} s, {count / seconds:,.0f} {what}/s")
    say(f"memory after the first {warm_up:,}: {growth:+,} KiB, {more:+,} objects, at {before:,} KiB")
    for outcome, number in sorted(part.outcomes.items()):
        say(f"{number:>10,}  {outcome}")
    if growth > GROWTH_KIBIBYTES_MAX or more > GROWTH_OBJECTS_MAX:
        raise Leak(f"memory grew by {growth} KiB and {more} objects")


def say(line: str) -> None:
    """A line of the report."""
    sys.stdout.write(f"{line}\n")


def main(frames: int, messages: int, seed: int) -> None:
    """Both parts from one seed; each so many, none for 0."""
    # A text of the engine that lacks a parameter is a finding too.
    demand_every_parameter()
    if frames:
        throw(Fuzzer(seed), frames, "frames", seed)
        say("No exception but RemoteProtocolError, no growth.")
    if messages:
        throw(MessageFuzzer(seed), messages, "messages", seed)
        say("No exception, no growth; what the honest said came once and in order, and nothing else was left.")


if __name__ == "__main__":
    given = [int(argument) for argument in sys.argv[1:]]
    defaults = [FRAMES_DEFAULT, MESSAGES_DEFAULT, random.SystemRandom().randrange(2**32)]
    main(*given, *defaults[len(given) :])
