"""A thread that often lets go of Python's lock comes back to it soon, beside one that never does."""

import subprocess
import sys

from tests.support.running import REPOSITORY

TOLD = """
import sys
from brokerweb.config.process.turns import share_turns
print(sys.getswitchinterval())
share_turns()
print(sys.getswitchinterval())
sys.setswitchinterval(0.0002)
share_turns()
print(sys.getswitchinterval())
"""


def test_turns_are_short_and_never_made_longer():
    done = subprocess.run([sys.executable, "-c", TOLD], cwd=REPOSITORY, capture_output=True, text=True, check=True)
    assert [round(float(line), 5) for line in done.stdout.split()] == [0.005, 0.001, 0.0002]
