"""A thread that often lets go of Python's lock comes back to it soon, beside one that never does."""

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


def steps(before):
    done = subprocess.run(
        [sys.executable, "-c", STEPS.format(before=before)], cwd=REPOSITORY, capture_output=True, text=True, check=True
    )
    return int(done.stdout)


def test_a_dozen_steps_do_not_wait_for_a_dozen_whole_turns():
    assert steps(SHARE) > 2 * steps("")
