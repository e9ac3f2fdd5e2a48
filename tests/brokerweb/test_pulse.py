"""Until when the process of a data directory lived."""

import os
from pathlib import Path

from brokerweb.config.process.pulse import PULSE_NAME, last_pulse, pulse


def test_of_a_new_directory_it_is_not_known(tmp_path: Path):
    assert last_pulse(tmp_path) is None


def test_it_is_the_time_of_the_last_sign(tmp_path: Path):
    pulse(tmp_path)
    os.utime(tmp_path / PULSE_NAME, (1_000.0, 1_000.0))
    assert last_pulse(tmp_path) == 1_000.0
    pulse(tmp_path)
    assert (last_pulse(tmp_path) or 0.0) > 1_000_000_000.0
