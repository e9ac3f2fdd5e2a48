"""Work in a process of its own with bounds of processor time and memory: only so a hang, or a heap without end, fails.

The bounds are no measure. What is meant to fail takes hours, or more memory than there is.
"""

from __future__ import annotations

import resource
import signal
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
SECONDS_MAX = 300
BYTES_MAX = 1024**3


def run_bounded(module: str, *arguments: str, seconds: int = SECONDS_MAX, bytes_max: int = BYTES_MAX) -> list[str]:
    """Run `python -m module`, which prints a line before each thing that it does; answers the lines.

    Raises `AssertionError` with the last line where the process fails, or does not end.
    """

    def bounded() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (bytes_max, bytes_max))
        # Seconds of a processor and not of a clock: a busy machine is no failure.
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))

    command = [sys.executable, "-W", "ignore", "-m", module, *arguments]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, preexec_fn=bounded)
    lines = ended.stdout.splitlines()
    last = lines[-1] if lines else "nothing was begun"
    assert ended.returncode not in (-signal.SIGXCPU, -signal.SIGKILL), f"no end within {seconds} s: {last}"
    assert ended.returncode == 0, f"{last}: {ended.stderr[-3000:]}"
    return lines


def begin(what: str) -> None:
    """In the process: what is about to be done."""
    sys.stdout.write(what + "\n")
    sys.stdout.flush()
