"""What the benchmark shows: a table of medians on the terminal, a line of JSON for every run in a file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
from rich.box import SIMPLE_HEAD
from rich.table import Table

from tests.benchmarks.link.figures import RunFigures, Spread, spread

WIDTH_LEAST: Final = 130
"""Columns in which the tables fit."""
_MISSING: Final = "–"

Column = tuple[str, Callable[[RunFigures], float | None], bool]
"""Heading, what of a run it shows, and whether least and most are shown too."""

THROUGHPUT: Final[tuple[Column, ...]] = (
    ("messages/s", lambda run: run.messages_per_second, True),
    ("CPU s/10k", lambda run: run.broker_cpu_per_10k, False),
    ("clients' CPU", lambda run: run.producer_cpu_per_10k + run.consumer_cpu_per_10k, False),
    ("MiB", lambda run: run.proportional_mib or run.resident_mib, False),
    ("flushes/1k", lambda run: per_thousand(run.flushes, run.messages), False),
    ("foreign cores", lambda run: run.foreign_cores, False),
)
LINK: Final[tuple[Column, ...]] = (
    ("messages/s", lambda run: run.messages_per_second, True),
    ("CPU s/10k", lambda run: run.broker_cpu_per_10k, False),
    ("MiB", lambda run: run.proportional_mib or run.resident_mib, False),
    ("flushes/1k", lambda run: per_thousand(run.flushes, run.messages), False),
    ("foreign cores", lambda run: run.foreign_cores, False),
)
LATENCY: Final[tuple[Column, ...]] = (
    ("p50 ms", lambda run: run.p50_ms, True),
    ("p99 ms", lambda run: run.p99_ms, True),
    ("CPU s/10k", lambda run: run.broker_cpu_per_10k, False),
    ("flushes/1k", lambda run: per_thousand(run.flushes, run.messages), False),
    ("foreign cores", lambda run: run.foreign_cores, False),
)


def per_thousand(number: int | None, messages: int) -> float | None:
    """Of a thousand messages; None when it was not counted."""
    return None if number is None else number * 1000 / messages


class Lines:
    """A file of JSON lines: first what was measured where, then a line for every run, and one for each that failed."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self._file = path.open("w", encoding="utf-8")

    def put(self, kind: str, values: Mapping[str, Any] | RunFigures) -> None:
        """Write one line now: what was measured stays when a later turn is broken off."""
        line = {"kind": kind, **msgspec.to_builtins(values)}
        self._file.write(msgspec.json.encode(line).decode() + "\n")
        self._file.flush()

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def tables(runs: Sequence[RunFigures], names: Sequence[str]) -> tuple[Table, ...]:
    """Medians over the rounds, one table for each load; `×` compares with the contestant that is named first."""
    throughput = _table("As fast as possible, 1 KiB each", "throughput", THROUGHPUT, runs, names)
    link = _table("A backlog over the link alone, 1 KiB each", "link", LINK, runs, names)
    latency = _table("100 messages/s, 1 KiB each", "latency", LATENCY, runs, names)
    latency.caption = _caption(runs)
    return throughput, link, latency


def _table(title: str, load: str, columns: Sequence[Column], runs: Sequence[RunFigures], names: Iterable[str]) -> Table:
    shown = Table(title=title, box=SIMPLE_HEAD, caption_justify="left", title_justify="left")
    shown.add_column("contestant", no_wrap=True)
    for heading in (columns[0][0], "×", *(heading for heading, _, _ in columns[1:]), "rounds"):
        shown.add_column(heading, justify="right", no_wrap=True)
    yardstick: float | None = None
    for name in names:
        own = [run for run in runs if run.contestant == name and run.load == load]
        figures = [spread([read(run) for run in own]) for _, read, _ in columns]
        first, *rest = (
            cell(figure, is_whole=is_whole) for figure, (_, _, is_whole) in zip(figures, columns, strict=True)
        )
        if figures[0] is not None:
            yardstick = yardstick or figures[0].median
            shown.add_row(name, first, f"{figures[0].median / yardstick:.2f}", *rest, str(len(own)))
    return shown


def cell(figure: Spread | None, *, is_whole: bool) -> str:
    """A figure as the table shows it: the median, and with `is_whole` least and most of several."""
    if figure is None:
        return _MISSING
    if not is_whole or figure.least == figure.most:
        return number(figure.median)
    return f"{number(figure.median)} ({number(figure.least)}-{number(figure.most)})"


def number(value: float) -> str:
    """Three digits that count, and no more."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def _caption(runs: Sequence[RunFigures]) -> str:
    if any(run.flushes is None for run in runs):
        return "This machine does not count the flushes of the disk."
    return "Median (least-most). CPU: of the brokers. MiB: shared pages once. Foreign cores: used by others meanwhile."
