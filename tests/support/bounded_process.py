"""Work in a process of its own that has an end and so much memory: only so a hang, or a heap without end, is a failure.

The deadline is no measure. What is meant to fail takes hours, or more memory than there is.
"""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
SECONDS_MAX = 300.0
BYTES_MAX = 1024**3


def run_bounded(module: str, *arguments: str, seconds: float = SECONDS_MAX, bytes_max: int = BYTES_MAX) -> list[str]:
    """Run `python -m module`, which prints a line before each thing that it does; answers the lines.

    Raises `AssertionError` with the last line where the process fails, or does not end.
    """

    def bounded() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (bytes_max, bytes_max))

    command = [sys.executable, "-W", "ignore", "-m", module, *arguments]
    try:
        ended = subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=seconds, preexec_fn=bounded
        )
    except subprocess.TimeoutExpired as late:
        told = (late.stdout or b"").decode().splitlines()
        raise AssertionError(f"no end within {seconds:.0f} s: {told[-1] if told else 'nothing was begun'}") from None
    lines = ended.stdout.splitlines()
    assert ended.returncode == 0, f"{lines[-1] if lines else 'nothing was begun'}: {ended.stderr[-3000:]}"
    return lines


def begin(what: str) -> None:
    """In the process: what is about to be done."""
    sys.stdout.write(what + "\n")
    sys.stdout.flush()
