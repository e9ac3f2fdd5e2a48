"""Resident memory of an instance with ever more idle conversations, with a backlog, and while it starts.

`make bench CONVERSATIONS=1000000 BACKLOG=1000000` measures the million; without it a run takes a minute.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

CONVERSATIONS = int(os.environ.get("CONVERSATIONS") or 20_000)
BACKLOG = int(os.environ.get("BACKLOG") or 20_000)
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
@pytest.mark.parametrize(("what", "number"), [("conversations", CONVERSATIONS), ("backlog", BACKLOG)])
def test_resident_memory(
    what: str, number: int, tmp_path: Path, show: Show, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "PARIS.sqlite3"
    table = [["", "MiB resident", "processor s", "get one back, us"]]
    grown = run(what, path, steps_to(number), capsys)
    (started,) = run("start", path, [str(number)], capsys)
    for each in grown:
        back = f"{each['back_us']:.0f}" if each["back_us"] else ""
        table.append([f"{each['step']:,.0f}", f"{each['resident']:.0f}", f"{each['seconds']:.1f}", back])
    table.append(["start with all, peak", f"{started['resident']:.0f}", f"{started['seconds']:.1f}", ""])
    show(f"Resident memory: {what}", table)
