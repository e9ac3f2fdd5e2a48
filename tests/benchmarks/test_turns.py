"""How often a thread that lets go of Python's lock comes back to it in a second, beside one that never does."""

import subprocess
import sys

from tests.support.running import REPOSITORY

STEPS = """
import threading, time
{before}
until = time.monotonic() + 1
steps = 0

def step():
    global steps
    while time.monotonic() < until:
        time.sleep(0)
        steps += 1

thread = threading.Thread(target=step)
thread.start()
while time.monotonic() < until:
    pass
thread.join()
print(steps)
"""
SHARE = "from brokerweb.config.process.turns import share_turns; share_turns()"


def steps(before: str) -> str:
    """Of a process of its own that has run a line before."""
    done = subprocess.run(
        [sys.executable, "-c", STEPS.format(before=before)], cwd=REPOSITORY, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_steps_in_a_second(show):
    rows = [["turns", "steps in a second"], ["as Python has them", steps("")], ["shared", steps(SHARE)]]
    show("Turns of threads", rows)
