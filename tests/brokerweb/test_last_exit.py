"""A process whose threads wait for ever ends all the same, once it has stopped."""

import subprocess
import sys

SCRIPT = """
import logging
import threading
from brokerweb.config.process.last_exit import leave_within

logging.basicConfig(format="%(message)s")
print("stopped", flush=True)
leave_within({seconds})
threading.Thread(target=threading.Event().wait).start() if {waits} else None
"""


def ended(*, waits: bool, seconds: float) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", SCRIPT.format(waits=waits, seconds=seconds)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def test_a_thread_that_waits_for_ever_does_not_keep_the_process():
    process = ended(waits=True, seconds=0.2)
    assert (process.returncode, process.stdout) == (0, "stopped\n")
    assert "still waited 0.2 s after the stop: 1." in process.stderr


def test_a_process_that_ends_by_itself_does_not_wait_and_says_nothing():
    process = ended(waits=False, seconds=3_600)
    assert (process.returncode, process.stderr) == (0, "")
