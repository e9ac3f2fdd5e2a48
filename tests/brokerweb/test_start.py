"""`manage.py` before anything runs: what cannot be used is said in one sentence, and a signal is obeyed at once."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from brokerweb.config.env import REPOSITORY
from tests.support.thoroughness import share

COMMAND_SECONDS_MAX = 60


def started(data: Path | str, *arguments: str) -> subprocess.Popen[str]:
    """`manage.py` in a process of its own, with the settings of a person who has set nothing else."""
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("DJANGO_", "CELERY_"))},
        "BROKERWEB_DATA": str(data),
    }
    return subprocess.Popen(
        [sys.executable, "manage.py", *arguments],
        cwd=REPOSITORY,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def complaint(data: Path | str, *arguments: str) -> str:
    """What a command that fails says."""
    process = started(data, *arguments)
    printed, said = process.communicate(timeout=COMMAND_SECONDS_MAX)
    assert process.returncode == 2, said
    assert printed == ""
    assert re.match(r"(Command)?Error: \d{3,5}: ", said), said
    assert "Traceback" not in said
    return said


@pytest.mark.parametrize(
    ("folder", "command"), [("/dev/null/x", "run"), ("/proc/x", "login_link"), ("~nobody-of-that-name/x", "check")]
)
def test_a_data_directory_that_cannot_be_is_one_sentence(folder, command):
    said = complaint(folder, command)
    assert len(said.splitlines()) == 1
    assert f"cannot keep its data in {folder}: " in said
    assert "Set BROKERWEB_DATA to a folder" in said


def test_a_file_in_place_of_the_data_directory_is_one_sentence(tmp_path):
    file = tmp_path / "data"
    file.touch()
    assert f"cannot keep its data in {file}: it is no folder." in complaint(file, "run")


@pytest.mark.parametrize("part", ["engine", "log"])
def test_a_file_in_place_of_a_part_of_it_is_one_sentence(tmp_path, part):
    (tmp_path / part).touch()
    assert f"{tmp_path / part}: it is no folder." in complaint(tmp_path, "run")


@pytest.mark.parametrize("part", share(["run.lock", "log/brokerweb.log", "secret_key", "brokerweb.sqlite3"], 2))
def test_a_folder_in_place_of_a_file_is_one_sentence(tmp_path, part):
    (tmp_path / part).mkdir(parents=True)
    said = complaint(tmp_path, "run", "--port", "0")
    assert len(said.splitlines()) == 1
    assert str(tmp_path / part) in said


@pytest.mark.parametrize("port", ["abc", "99999", "-1", "", "٣", "8000.5", "9" * 5000])
def test_what_is_no_port_is_told_what_one_is(port):
    with pytest.raises(CommandError) as refused:
        call_command("run", port=port)
    assert str(refused.value).startswith(
        f"153: {port!r} is no port. A port is a number from 1 to 65535, or 0 for any free"
    )
    assert "make run PORT=8100" in str(refused.value)


def test_make_hands_the_port_on_as_it_was_given(tmp_path):
    """Whatever it is: the shell makes neither two words nor a command of it, and an empty one is none."""
    for given, taken in (("abc", "abc"), ("1 2;echo x", "1 2;echo x"), ("", "8000")):
        shown = subprocess.run(
            ["make", "-n", "-o", ".venv/.run", "-o", "frontend/dist/index.html", "run", f"PORT={given}"],
            cwd=REPOSITORY,
            capture_output=True,
            text=True,
            check=True,
        )
        assert f"manage.py run --port='{taken}'" in shown.stdout


@pytest.mark.slow
@pytest.mark.parametrize(("how", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("seconds", [0.2, 0.6, 1.2])
def test_a_signal_during_the_first_seconds_ends_it_without_a_word(tmp_path, how, code, seconds):
    process = started(tmp_path, "run", "--port", "0")
    time.sleep(seconds)
    process.send_signal(how)
    printed, said = process.communicate(timeout=COMMAND_SECONDS_MAX)
    assert "Traceback" not in said
    assert said == ""
    if printed:
        # The machine was quicker than the signal: it ran, and ended as a server ends.
        assert printed.startswith("brokerweb is ready.")
        assert process.returncode == 0
    else:
        assert process.returncode == code


@pytest.mark.slow
def test_nothing_is_broken_by_many_interrupted_starts(tmp_path):
    for seconds in (0.9, 1.5, 2.0):
        process = started(tmp_path, "run", "--port", "0")
        time.sleep(seconds)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=COMMAND_SECONDS_MAX)
    process = started(tmp_path, "run", "--port", "0")
    assert process.stdout.readline().startswith("brokerweb is ready. Open http://127.0.0.1:")
    process.send_signal(signal.SIGTERM)
    _, said = process.communicate(timeout=COMMAND_SECONDS_MAX)
    assert (process.returncode, said) == (0, "")
