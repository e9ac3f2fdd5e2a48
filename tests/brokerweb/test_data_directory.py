"""The data folder is for its user only: what a start makes, what commands write, what an earlier version left open."""

from __future__ import annotations

import os
import secrets
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from brokerweb.config.data_directory import make_data_directory
from brokerweb.config.env import REPOSITORY
from tests.support.running import Client, Running, database_path, running
from tests.support.waiting import until

ESTATE = "demo-fr-de"
COMMAND_SECONDS_MAX = 120


@pytest.fixture(autouse=True)
def usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def open_to_others(directory: Path) -> list[str]:
    """Folder and content that other users may read or write, or enter."""
    return [
        f"{stat.S_IMODE(path.lstat().st_mode):04o} {path.relative_to(directory)}"
        for path in (directory, *directory.rglob("*"))
        if path.lstat().st_mode & 0o077 and not path.is_symlink()
    ]


def leave_open(directory: Path) -> None:
    """As an earlier version left it."""
    for path in (directory, *directory.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)


def command(directory: Path, *arguments: str) -> str:
    """What `manage.py` says on standard error."""
    environment = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
    ended = subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=REPOSITORY,
        env={**environment, "BROKERWEB_DATA": str(directory)},
        capture_output=True,
        text=True,
        timeout=COMMAND_SECONDS_MAX,
        check=True,
    )
    return ended.stderr


def make_traffic(client: Client) -> None:
    """Messages from PARIS that have arrived at LYON."""
    until(lambda: _is_applied(client), "the engine has the sample")
    source = database_path(ESTATE, "PARIS", "Ventes")
    dialog = {
        "from_service": "//exemple.fr/Ventes/Guichet",
        "to_service": "//exemple.fr/Commandes/Réception",
        "contract": "//exemple.fr/Commandes/Contrat",
    }
    begun = client.post_json(f"{source}/conversations", dialog).raise_for_status().json()
    message = {"message_type": "//exemple.fr/Commandes/Commande", "bodies": ["SECRET-BODY"] * 3}
    client.post_json(f"{source}/conversations/{begun['conversation_handle']}/messages", message).raise_for_status()
    target = database_path(ESTATE, "LYON", "Entrepôt")
    until(lambda: _arrived(client, target) == 3, "they have arrived")


def _is_applied(client: Client) -> bool:
    instances = client.topology(ESTATE)["instances"]
    return all(each["desired_revision"] == each["applied_revision"] for each in instances)


def _arrived(client: Client, target: str) -> int:
    messages = client.get(f"{target}/queues/Commandes reçues/messages?top=10")
    return messages.raise_for_status().json()["total"]


@pytest.mark.slow
def test_what_a_start_with_traffic_makes_is_for_its_user_only(tmp_path: Path):
    data = tmp_path / "data"
    with running(data) as (product, client):
        make_traffic(client)
        command(data, "tsql_export", "--estate", ESTATE, "--output", str(data / "script.sql"))
        made = {path.name for path in data.rglob("*")}
        assert {"brokerweb.sqlite3", "PARIS.sqlite3-log", "LYON.session", "brokerweb.log", "script.sql"} <= made
        assert open_to_others(data) == []
        product.stop()
    assert "was open" not in product.output

    leave_open(data)
    holiday, elsewhere = data / "holiday.jpg", tmp_path / "elsewhere"
    for path in (holiday, elsewhere):
        path.touch(0o644)
    (data / "log" / "linked.log").symlink_to(elsewhere)
    again = Running(data)
    again.start()
    try:
        assert open_to_others(data) == ["0644 holiday.jpg", "0644 script.sql"]
    finally:
        again.stop()
    assert again.output.count(f"The data folder {data} was open to other users of this machine (0755).") == 1
    assert stat.S_IMODE(elsewhere.stat().st_mode) == 0o644
    assert "open to" not in command(data, "check")


@pytest.mark.parametrize("entry", ["brokerweb.config.celery", "brokerweb.config.asgi"])
def test_each_entry_makes_files_for_its_user_only(tmp_path: Path, entry: str):
    environment = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
    subprocess.run(
        [sys.executable, "-c", f"import {entry}; open('{tmp_path}/made', 'w').close()"],
        cwd=REPOSITORY,
        env={**environment, "BROKERWEB_DATA": str(tmp_path / "data")},
        capture_output=True,
        timeout=COMMAND_SECONDS_MAX,
        check=True,
    )
    assert open_to_others(tmp_path) == []


def test_the_product_behind_a_proxy_closes_its_folder_too(tmp_path: Path):
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "brokerweb.config.settings.prod",
        "SECRET_KEY": secrets.token_urlsafe(48),
        "ALLOWED_HOSTS": "broker.example",
        "BROKERWEB_DATA": str(tmp_path / "data"),
    }
    subprocess.run(
        [sys.executable, "manage.py", "migrate", "--verbosity", "0"],
        cwd=REPOSITORY,
        env=environment,
        timeout=COMMAND_SECONDS_MAX,
        check=True,
    )
    assert (tmp_path / "data" / "brokerweb.sqlite3").exists()
    assert open_to_others(tmp_path) == []


def said_when_made(directory: Path) -> list[str]:
    lines: list[str] = []
    make_data_directory(directory, lines.append)
    return lines


def test_a_start_that_was_interrupted_is_made_good_by_the_next(tmp_path: Path):
    """Folders are closed after what is in them: one that is closed has nothing open."""
    (tmp_path / "engine" / "demo").mkdir(parents=True)
    for name in ("brokerweb.sqlite3-wal", "engine/demo/PARIS.sqlite3", "engine/directory.sqlite3"):
        (tmp_path / name).touch(0o644)
    leave_open(tmp_path)
    tmp_path.chmod(0o700)
    [said] = said_when_made(tmp_path)
    assert "5 files and folders" in said
    assert open_to_others(tmp_path) == []
    assert said_when_made(tmp_path) == []


def test_a_shared_folder_stays_as_it_is_and_is_named(tmp_path: Path):
    tmp_path.chmod(0o1777)
    (tmp_path / "secret_key").touch(0o644)
    closed, named = said_when_made(tmp_path)
    assert "1 files and folders" in closed
    assert named.startswith(f"5120: The folder {tmp_path} is open to other users")
    assert open_to_others(tmp_path) == ["1777 ."]


def test_a_part_that_is_a_link_stays_as_it_is_and_is_named(tmp_path: Path):
    data, elsewhere = tmp_path / "data", tmp_path / "elsewhere"
    data.mkdir(0o700)
    elsewhere.mkdir(0o755)
    (elsewhere / "theirs").touch(0o644)
    (data / "log").symlink_to(elsewhere)
    [named] = said_when_made(data)
    assert str(elsewhere) in named
    assert stat.S_IMODE((elsewhere / "theirs").stat().st_mode) == 0o644


def test_who_is_not_the_user_of_the_folder_is_told(tmp_path: Path):
    if os.geteuid() != 0:
        pytest.skip("only root gives a folder away")
    tmp_path.chmod(0o755)
    os.chown(tmp_path, 65534, 65534)
    [named] = said_when_made(tmp_path)
    assert "5120" in named
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o755
