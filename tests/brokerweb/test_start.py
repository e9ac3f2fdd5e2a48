"""`manage.py` before anything runs: what cannot be used is said in one sentence, and a signal is obeyed at once."""

from __future__ import annotations

import os
import re
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from brokerweb.config.env import REPOSITORY
from tests.support.thoroughness import share
from tests.support.waiting import until

COMMAND_SECONDS_MAX = 120


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


def close(folder):
    """Keep what a test has made from other users, as the product would with a sentence."""
    for path in folder.rglob("*"):
        path.chmod(0o700 if path.is_dir() else 0o600)


@pytest.mark.parametrize("part", ["engine", "log"])
def test_a_file_in_place_of_a_part_of_it_is_one_sentence(tmp_path, part):
    (tmp_path / part).touch()
    assert f"{tmp_path / part}: it is no folder." in complaint(tmp_path, "run")


@pytest.mark.slow
@pytest.mark.parametrize(
    "part", share(["run.lock", "log/brokerweb.log", "secret_key", "brokerweb.sqlite3", "engine/service-master-key"], 2)
)
def test_a_folder_in_place_of_a_file_is_one_sentence(tmp_path, part):
    (tmp_path / part).mkdir(parents=True)
    close(tmp_path)
    said = complaint(tmp_path, "run", "--port", "0")
    assert len(said.splitlines()) == 1
    assert str(tmp_path / part) in said


@pytest.mark.parametrize(
    ("part", "content"),
    [("engine/service-master-key", b"abc"), ("engine/service-master-key", b"\x00\xff"), ("secret_key", b"short")],
)
@pytest.mark.parametrize("command", [("run", "--port", "0"), pytest.param(("prepare",), marks=pytest.mark.slow)])
def test_a_key_that_is_none_is_one_sentence_with_what_to_do(tmp_path, part, content, command):
    (tmp_path / "engine").mkdir()
    (tmp_path / part).write_bytes(content)
    close(tmp_path)
    said = complaint(tmp_path, *command)
    assert len(said.splitlines()) == 1
    assert said.partition("Error: ")[2].startswith("5120: ")
    assert str(tmp_path / part) in said
    assert "remove it: the next start makes" in said
    assert (tmp_path / part).read_bytes() == content


@pytest.mark.parametrize("module", ["brokerweb.config.celery", "brokerweb.config.asgi"])
@pytest.mark.parametrize(
    ("variable", "value"), [("LOGIN_LINK_SECONDS", "soon"), ("SERVICE_KEY", "c2hvcnQ="), ("SERVICE_KEY", "S3cr3t!")]
)
def test_a_setting_that_cannot_be_used_ends_workers_and_web_processes_with_one_sentence(
    tmp_path, module, variable, value
):
    environment = {**os.environ, "BROKERWEB_DATA": str(tmp_path), variable: value}
    environment.pop("DJANGO_SETTINGS_MODULE", None)
    ended = subprocess.run(
        [sys.executable, "-c", f"import {module}"], cwd=REPOSITORY, env=environment, capture_output=True, text=True
    )
    assert (ended.returncode, ended.stdout) == (2, "")
    assert re.fullmatch(rf"Error: 153: {variable} .*\n", ended.stderr), ended.stderr
    assert "S3cr3t!" not in ended.stderr


GOOD_KEY = "Zx81-qL0wBv7Rt5NmC3_hYp9KdSfGj2UaEiXoT4lQeWy6Hn8"
PROD = {"DJANGO_SETTINGS_MODULE": "brokerweb.config.settings.prod", "ALLOWED_HOSTS": "broker.example"}


@pytest.mark.parametrize(
    "wrong",
    [
        {"SECRET_KEY": ""},
        {"SECRET_KEY": "a"},
        {"SECRET_KEY": "a" * 60},
        {"SECRET_KEY": "change-me" * 6},
        {"SECRET_KEY": GOOD_KEY[:49]},
        {"ALLOWED_HOSTS": ""},
        {"ALLOWED_HOSTS": "*"},
        {"ALLOWED_HOSTS": "broker.example, *"},
        {"ALLOWED_HOSTS": "*.example"},
        {"ALLOWED_HOSTS": "."},
    ],
    ids=str,
)
def test_what_a_server_for_others_must_not_have_is_refused_in_one_sentence(tmp_path, wrong):
    variables = {**PROD, "SECRET_KEY": f"{GOOD_KEY}+x", "BROKERWEB_DATA": str(tmp_path), **wrong}
    ended = subprocess.run(
        [sys.executable, "manage.py", "check"],
        cwd=REPOSITORY,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 2
    assert re.fullmatch(rf"Error: 153: {next(iter(wrong))} .*\n", ended.stderr), ended.stderr
    assert len(wrong.get("SECRET_KEY", "")) < 9 or wrong["SECRET_KEY"] not in ended.stderr


@pytest.mark.parametrize("hosts", ["broker.example", ".example.org,10.0.0.7"])
def test_a_good_key_and_named_hosts_are_taken(tmp_path, hosts):
    variables = {**PROD, "SECRET_KEY": f"{GOOD_KEY}+x", "BROKERWEB_DATA": str(tmp_path), "ALLOWED_HOSTS": hosts}
    ended = subprocess.run(
        [sys.executable, "-c", "import brokerweb.config.settings.prod"],
        cwd=REPOSITORY,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
    )
    assert (ended.returncode, ended.stderr) == (0, "")


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


def obeys_signals(process: subprocess.Popen[str], _data: Path) -> bool:
    """Whether it catches SIGTERM, which Python leaves alone: from its first lines on."""
    [caught] = re.findall(r"^SigCgt:\s*(\w+)", Path(f"/proc/{process.pid}/status").read_text("ascii"), re.MULTILINE)
    return bool(int(caught, 16) >> (signal.SIGTERM - 1) & 1)


def has_file(name: str) -> Callable[[subprocess.Popen[str], Path], bool]:
    return lambda _process, data: (data / name).exists()


def has_row(table: str) -> Callable[[subprocess.Popen[str], Path], bool]:
    def reached(_process: subprocess.Popen[str], data: Path) -> bool:
        try:
            with closing(sqlite3.connect(f"file:{data}/brokerweb.sqlite3?mode=ro", uri=True)) as database:
                return database.execute(f"SELECT 1 FROM {table}").fetchone() is not None
        except sqlite3.OperationalError:
            return False

    return reached


@pytest.mark.slow
@pytest.mark.parametrize(("how", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize(
    "stage",
    [
        pytest.param(
            obeys_signals, id="imports", marks=pytest.mark.skipif(sys.platform != "linux", reason="asks Linux")
        ),
        pytest.param(has_file("log/brokerweb.log"), id="log"),
        pytest.param(has_row("django_migrations"), id="tables"),
    ],
)
def test_a_signal_during_the_first_seconds_ends_it_without_a_word(tmp_path, how, code, stage):
    process = started(tmp_path, "run", "--port", "0")
    until(lambda: stage(process, tmp_path), "it has come so far")
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
    for stage in (has_row("django_migrations"), has_row("auth_permission"), has_row("topology_estate")):
        process = started(tmp_path, "run", "--port", "0")
        until(lambda: stage(process, tmp_path), "it has come so far")  # noqa: B023 - within its turn
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=COMMAND_SECONDS_MAX)
    process = started(tmp_path, "run", "--port", "0")
    assert process.stdout.readline().startswith("brokerweb is ready. Open http://127.0.0.1:")
    process.send_signal(signal.SIGTERM)
    _, said = process.communicate(timeout=COMMAND_SECONDS_MAX)
    assert (process.returncode, said) == (0, "")
