"""`make bench-link`: contestants in turns, several rounds, the order changing from round to round.

    python -m tests.benchmarks.link --rounds 5 --messages 40000 --contestants rabbitmq-quorum,postgresql-100

Exit code 0 when every turn counts, 1 when one failed, 2 for a wrong argument, 130 after Ctrl-C; what was measured until
then is shown and kept in any case.
"""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType
from typing import Final

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from tests.benchmarks.link import machine
from tests.benchmarks.link.contestant import Contestant
from tests.benchmarks.link.contestants import DEFAULT, UnknownContestant, named
from tests.benchmarks.link.figures import RunFigures, WrongDelivery
from tests.benchmarks.link.report import WIDTH_LEAST, Lines, tables
from tests.benchmarks.link.servers import ServerFailed
from tests.benchmarks.link.turns import ClientFailed, Load, in_turns, turn

WARM_UP: Final = Load("warm-up", 2000)
RATE: Final = 100.0
RATE_SECONDS: Final = 10
INTERRUPTS: Final = (signal.SIGINT, signal.SIGTERM)


def main(arguments: Sequence[str]) -> int:
    """Run the benchmark; answers the exit code."""
    wanted = _parse(arguments)
    console = Console()
    # A file or a pipe has no width of its own.
    console.width = console.width if console.is_terminal else WIDTH_LEAST
    try:
        contestants = named(wanted.contestants.split(","))
    except UnknownContestant as error:
        console.print(f"bench-link: {error}", markup=False)
        return 2
    for each in INTERRUPTS:
        signal.signal(each, _interrupt)
    lines = Lines(wanted.output)
    lines.put("machine", {**machine.portrait(), "began": datetime.now(UTC).isoformat(timespec="seconds")})
    taking_part = list(_present(contestants, console, lines))
    loads = [
        Load("throughput", wanted.messages),
        Load("link", wanted.messages, is_backlog=True),
        Load("latency", round(RATE * RATE_SECONDS), RATE),
    ]
    runs: list[RunFigures] = []
    code = 0 if taking_part else 1
    try:
        if not _measure(taking_part, wanted.rounds, loads, runs, lines, console):
            code = 1
    except KeyboardInterrupt:
        code = 130
    finally:
        lines.close()
    console.print(*tables(runs, [each.name for each in taking_part]))
    console.print(f"Every run: {wanted.output}", markup=False)
    return code


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make bench-link", description="Measure links between two brokers, in turns.")
    parser.add_argument("--rounds", type=_positive, default=5, help="how often each contestant works")
    parser.add_argument("--messages", type=_positive, default=40_000, help="messages of a run as fast as possible")
    parser.add_argument("--contestants", default=",".join(DEFAULT), help="names with commas between them")
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    parser.add_argument("--output", type=Path, default=Path(f".build/bench-link/{stamp}.jsonl"), help="JSON lines")
    return parser.parse_args(arguments)


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number


def _interrupt(signal_number: int, frame: FrameType | None) -> None:
    """Whoever ends us politely wants the servers stopped as well; impatience must not leave some of them behind."""
    for each in INTERRUPTS:
        signal.signal(each, signal.SIG_IGN)
    raise KeyboardInterrupt


def _present(contestants: Sequence[Contestant], console: Console, lines: Lines) -> Iterator[Contestant]:
    """Those who can take part; who cannot is told."""
    for contestant in contestants:
        reason = contestant.missing()
        if reason:
            console.print(f"{contestant.name} does not take part: {reason}", markup=False)
        lines.put("contestant", {"name": contestant.name, "is": contestant.description, "missing": reason})
        if not reason:
            yield contestant


def _measure(
    contestants: Sequence[Contestant],
    rounds: int,
    loads: list[Load],
    runs: list[RunFigures],
    lines: Lines,
    console: Console,
) -> bool:
    """All rounds; every run goes to `runs` as soon as it is over. Answers whether every turn counts."""
    all_count = True
    with _progress(console) as progress:
        task = progress.add_task("", total=rounds * len(contestants) * len(loads))
        for number, contestant in in_turns(contestants, rounds):

            def tell(what: str, number: int = number, contestant: Contestant = contestant) -> None:
                progress.update(task, description=f"round {number + 1} {contestant.name}: {what}")

            done = 0
            try:
                for run in turn(contestant, number, WARM_UP, loads, tell):
                    runs.append(run)
                    lines.put("run", run)
                    progress.advance(task)
                    done += 1
            except (ServerFailed, ClientFailed, WrongDelivery, OSError) as error:
                all_count = False
                console.print(f"{contestant.name}, round {number + 1} does not count: {error}", markup=False)
                lines.put("failure", {"contestant": contestant.name, "round": number, "reason": str(error)})
                progress.advance(task, len(loads) - done)
    return all_count


def _progress(console: Console) -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=console,
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
