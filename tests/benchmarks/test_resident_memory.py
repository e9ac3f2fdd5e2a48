"""Resident memory of an instance with ever more idle conversations, with a backlog, and while it starts.

`make bench CONVERSATIONS=1000000 BACKLOG=1000000` measures the million; without it a run takes a minute.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

CONVERSATIONS = int(os.environ.get("CONVERSATIONS") or 20_000)
BACKLOG = int(os.environ.get("BACKLOG") or 20_000)
IN_MEMORY_MAX = 1_000_000
"""A larger backlog is not drained from memory for comparison."""
IN_MEMORY = 20_000
"""Messages of the queue that RECEIVE is compared with."""
SECONDS_MAX = 3_600

Show = Callable[[str, list[list[str]]], None]


def steps_to(number: int) -> list[str]:
    """10,000, 100,000 and so on, and the number itself."""
    return [str(10**power) for power in range(4, len(str(number))) if 10**power < number] + [str(number)]


def run(what: str, path: Path, steps: list[str], capsys: pytest.CaptureFixture[str]) -> list[dict[str, float]]:
    """Run it in a process of its own, and tell of each step as soon as it is done."""
    command = [sys.executable, "-m", "tests.benchmarks.resident_memory", what, str(path), *steps]
    figures: list[dict[str, float]] = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            figures.append(json.loads(line))
            with capsys.disabled():
                sys.stdout.write(
                    f"  {what}: {figures[-1]['step']:,.0f} of {steps[-1]}, {figures[-1]['resident']:.0f} MiB\n"
                )
    assert process.returncode == 0
    return figures


@pytest.mark.timeout(SECONDS_MAX)
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="resident memory is read from /proc")
def test_resident_memory_of_conversations(tmp_path: Path, show: Show, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "PARIS.sqlite3"
    table = [["", "MiB resident", "processor s", "get one back, us"]]
    for each in run("conversations", path, steps_to(CONVERSATIONS), capsys):
        table.append([*_row(each), f"{each['back_us']:.0f}"])
    (started,) = run("start", path, [str(CONVERSATIONS)], capsys)
    table.append([*_row(started, "start with all, peak"), ""])
    show("Resident memory: conversations", table)


@pytest.mark.timeout(SECONDS_MAX)
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="resident memory is read from /proc")
@pytest.mark.parametrize(("fill", "drain"), [("backlog", "drain"), ("queue", "receive")])
def test_resident_memory_of_a_backlog(
    fill: str, drain: str, tmp_path: Path, show: Show, capsys: pytest.CaptureFixture[str]
) -> None:
    path, copy = tmp_path / "PARIS.sqlite3", tmp_path / "copy.sqlite3"
    table = [["", "MiB resident", "processor s", "seconds", "messages/s"]]
    table += [[*_row(each), "", ""] for each in run(fill, path, steps_to(BACKLOG), capsys)]
    (started,) = run("start", path, [str(BACKLOG)], capsys)
    table.append([*_row(started, "start with all, peak"), f"{started['wall']:.1f}", ""])
    turns = [drain]
    if BACKLOG <= IN_MEMORY_MAX:
        shutil.copy(path, copy)
        turns.append(f"{drain}_memory")
    for what, file in zip(turns, (path, copy), strict=False):
        (drained,) = run(what, file, [str(BACKLOG)], capsys)
        name = f"{drain}, peak" if what == drain else f"{drain}, all in memory, peak"
        table.append([*_row(drained, name), f"{drained['wall']:.1f}", f"{drained['per_second']:,.0f}"])
    show(f"Resident memory: {fill}", table)


@pytest.mark.timeout(SECONDS_MAX)
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="resident memory is read from /proc")
def test_start_with_messages_in_a_queue(tmp_path: Path, show: Show, capsys: pytest.CaptureFixture[str]) -> None:
    """The processor's time of a start, and of RECEIVE beside a queue of a few messages that are all in memory."""
    few, path, many = (tmp_path / f"{name}.sqlite3" for name in ("few", "PARIS", "many"))
    one_each = max(BACKLOG // 5, 1_000)
    run("stored", few, [str(IN_MEMORY)], capsys)
    run("stored", path, [str(BACKLOG)], capsys)
    run("scattered", many, [str(one_each)], capsys)
    table = [["", "MiB, peak", "processor s", "us a message", "first RECEIVE, ms"]]
    ways = (("start", path, BACKLOG), ("start", many, one_each), ("receive_memory", few, IN_MEMORY))
    for what, file, number in (*ways, ("receive", path, BACKLOG), ("receive", many, one_each)):
        (found,) = run(what, file, [str(number)], capsys)
        first = f"{found['first_ms']:.1f}" if "first_ms" in found else ""
        each = f"{found['seconds'] / number * 1e6:.1f}"
        table.append([*_row(found, f"{what} {number:,}{', one each' * (file is many)}"), each, first])
    show("Messages in a queue", table)


def _row(figures: dict[str, float], name: str = "") -> list[str]:
    return [name or f"{figures['step']:,.0f}", f"{figures['resident']:.0f}", f"{figures['seconds']:.1f}"]
