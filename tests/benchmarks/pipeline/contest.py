"""A contestant as a process of its own, that is told when to work, and what that takes."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from pathlib import Path
from threading import Event, Thread
from typing import Any

PAGE = os.sysconf("SC_PAGE_SIZE")
TICKS = os.sysconf("SC_CLK_TCK")
SAMPLED_SECONDS = 0.1


class Contestant:
    """A process that works when it is told to, with all that it has started."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self.taken: list[dict[str, Any]] = []
        """Of the work that counts."""
        self.after_pause: list[dict[str, Any]] = []
        self.peak = 0
        """Bytes that two samples in succession have found."""
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.benchmarks.pipeline.contestant", name, str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._line() == "ready"

    def turn(self) -> None:
        """Work twice: a system may put away what has not been used while others worked, and the second time counts."""
        self.after_pause.append(self.work())
        self.taken.append(self.work())

    def work(self) -> dict[str, Any]:
        """Once more; what it has taken."""
        assert self._process.stdin is not None
        ended = Event()
        watcher = Thread(target=self._watch, args=(ended,))
        before = worked_seconds(self._process.pid)
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        watcher.start()
        told = json.loads(self._line())
        ended.set()
        watcher.join()
        return {**told, "worked": worked_seconds(self._process.pid) - before}

    def end(self) -> None:
        """Ends by itself, for it has nothing more to read."""
        self._process.communicate(timeout=60)

    def _line(self) -> str:
        assert self._process.stdout is not None
        while True:
            line = self._process.stdout.readline()
            assert line, f"{self.name} has ended"
            if line.startswith(("ready", "{")):
                return line.strip()

    def _watch(self, ended: Event) -> None:
        before = 0
        while not ended.wait(SAMPLED_SECONDS):
            now = resident_bytes(self._process.pid)
            # Java lends a child all of its memory for the few milliseconds that it takes to start it, and a sample of
            # that moment has it twice: only what two samples in succession have counts.
            self.peak = max(self.peak, min(before, now))
            before = now


def tree(process: int) -> list[int]:
    """A process with all below it."""
    children: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(path.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[1])
        except OSError:
            continue
        children.setdefault(parent, []).append(int(path.parent.name))
    found = [process]
    for each in found:
        found += children.get(each, [])
    return found


def resident_bytes(process: int) -> int:
    """Of the whole tree: what a fork shares with its parent counts once for each."""
    total = 0
    for each in tree(process):
        try:
            total += int(Path(f"/proc/{each}/statm").read_text(encoding="ascii").split()[1]) * PAGE
        except OSError:
            continue
    return total


def worked_seconds(process: int) -> float:
    """Processor seconds of the tree so far, those of its ended children included."""
    total = 0
    for each in tree(process):
        try:
            words = Path(f"/proc/{each}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        except OSError:
            continue
        total += sum(int(word) for word in words[11:15])
    return total / TICKS


def median_of(contestant: Contestant, what: str = "seconds") -> float:
    """Of the work that counts."""
    return statistics.median(each[what] for each in contestant.taken)
