"""`manage.py backup` and `manage.py restore` on the real product, taken under traffic."""

import os
import shutil
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import httpx
import msgspec
import pytest

from brokerweb.config.backup.manifest import read_manifest
from brokerweb.config.data_directory import RESTORING, RESTORING_PARTIAL
from brokerweb.config.process.pulse import last_pulse
from engine.hosting.shelves import FileShelf
from engine.storage.commit_log.file import stored_fence
from tests.brokerweb.backed_up_product import Traffic, check_goes_on, is_applied, manage, start_managing
from tests.support.running import REPOSITORY, Client, Running
from tests.support.thoroughness import THOROUGH
from tests.support.waiting import until


class Installation(msgspec.Struct):
    """Stopped, after a backup and further traffic."""

    data: Path
    backup: Path
    traffic: Traffic
    sent_before: list[int]
    sent_after: list[int]
    session: dict[str, str]
    link: str
    """Of a login that was not used when the backup was taken."""
    refusal: str
    """The answer to a restore while the product ran."""


@pytest.fixture(scope="module")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    folder = tmp_path_factory.mktemp("backup")
    data, backup = folder / "data", folder / "backups" / "monday"
    product = Running(data)
    link = product.start()
    try:
        with Client.logged_in(link) as browser:
            until(lambda: is_applied(browser), "all instances have their catalogs")
            unused = manage(data, "login_link").stdout.split()
            traffic = Traffic(browser, link)
            with traffic.flowing():
                kill_one(data, backup)
                before = list(traffic.sent)
                answer = manage(data, "backup", str(backup))
                after = list(traffic.sent)
                assert answer.returncode == 0, answer.stderr
                assert "4 instances" in answer.stdout
                until(lambda: min(traffic.sent) > max(after) + 5, "everyone goes on")
            refused = manage(data, "restore", str(backup))
            assert refused.returncode == 2
            session = dict(browser.cookies)
    finally:
        product.stop()
    unused_link = next(word for word in unused if "/login/link/" in word)
    yield Installation(data, backup, traffic, before, after, session, unused_link, refused.stderr)
    shutil.rmtree(folder)


def kill_one(data: Path, backup: Path) -> None:
    """Kill a backup while it copies: its instances go on, and the next one is not disturbed by what it left."""
    killed = start_managing(data, "backup", str(backup))
    until(lambda: list(backup.parent.glob(f".{backup.name}.*")), "it copies")
    killed.kill()
    killed.communicate()
    assert not backup.exists()
    for left in backup.parent.glob(".*"):
        shutil.rmtree(left)


def fences(data: Path) -> dict[str, int]:
    with closing(sqlite3.connect(data / "brokerweb.sqlite3")) as database:
        return dict(database.execute("SELECT instance_name, fence FROM leases_instancelease"))


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_running_product_is_not_restored(installation):
    assert "3101: brokerweb already runs on" in installation.refusal
    assert installation.refusal.count("\n") == 1


def test_everything_in_a_backup_is_for_its_user_only(installation):
    found = [installation.backup, *installation.backup.rglob("*")]
    modes = {stat.S_IMODE(path.stat().st_mode) for path in found}
    assert modes == {0o700, 0o600}
    assert not list(installation.backup.parent.glob(".*")), "nothing is left beside it"


def test_a_restore_into_an_empty_folder_loses_and_doubles_nothing(installation, tmp_path):
    data = tmp_path / "elsewhere"
    answer = manage(data, "restore", str(installation.backup))
    assert (answer.returncode, answer.stderr) == (0, "")
    assert "data of before" not in answer.stdout
    closed = [data, data / "engine", data / "brokerweb.sqlite3", data / "engine" / "service-master-key"]
    assert {stat.S_IMODE(path.stat().st_mode) for path in closed} == {0o700, 0o600}
    assert last_pulse(data) < (data / "brokerweb.sqlite3").stat().st_mtime
    check_goes_on(data, installation.traffic, installation.sent_before, installation.sent_after)


@pytest.mark.slow
def test_a_restore_over_later_data_returns_all_of_it_to_the_backup(installation, tmp_path):
    data = tmp_path / "data"
    shutil.copytree(installation.data, data)
    (data / "holiday.jpg").write_text("of a person")
    before = contents(data)
    numbers = fences(data)
    assert numbers.keys() >= {"BERLIN", "HUB", "LYON", "PARIS"}
    answer = manage(data, "restore", str(installation.backup))
    assert (answer.returncode, answer.stderr) == (0, "")
    (kept,) = data.glob("before-restore-*")
    assert str(kept) in answer.stdout
    same = {name: content for name, content in before.items() if name.startswith(("engine/demo", "brokerweb.sqlite3"))}
    assert same.items() <= contents(kept).items()
    assert (data / "holiday.jpg").read_text() == "of a person"
    after = fences(data)
    assert all(after[name] > number for name, number in numbers.items())
    shelf = FileShelf(data / "engine")
    assert all(after[key[1]] > stored_fence(shelf.path(key)) for key in shelf.find() if key[1] in after)
    with closing(sqlite3.connect(data / "brokerweb.sqlite3")) as database:
        assert database.execute("SELECT count(*) FROM django_session").fetchone() == (0,)

    product = Running(data)
    address = product.start().split("/login/")[0]
    try:
        assert httpx.get(f"{address}/api/v1/me", cookies=installation.session).status_code == 401
        path = installation.link.partition("/login/link/")[2].rstrip(".")
        assert httpx.get(f"{address}/login/link/{path}").status_code == 410
    finally:
        product.stop()
    check_goes_on(data, installation.traffic, installation.sent_before, installation.sent_after)


@pytest.mark.slow
def test_a_backup_of_a_stopped_product_is_the_same(installation, tmp_path):
    data, backup = tmp_path / "data", tmp_path / "backup"
    shutil.copytree(installation.data, data)
    backup.mkdir()
    assert manage(data, "backup", str(backup)).returncode == 0, "an empty folder is taken"
    sent = installation.traffic.sent
    shutil.rmtree(data)
    assert manage(data, "restore", str(backup)).returncode == 0
    check_goes_on(data, installation.traffic, sent, sent)


def test_a_backup_for_which_the_disk_has_no_room_leaves_nothing(installation, tmp_path):
    answer = manage(installation.data, "backup", str(tmp_path / "b"), file_bytes_max=400_000)
    assert answer.returncode == 2
    assert "3202: The backup was not written." in answer.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_restore_for_which_the_disk_has_no_room_changes_nothing(installation, tmp_path):
    data = tmp_path / "data"
    shutil.copytree(installation.data, data)
    before = contents(data)
    answer = manage(data, "restore", str(installation.backup), file_bytes_max=400_000)
    assert answer.returncode == 2
    assert "3202: The backup was not restored." in answer.stderr
    assert "Nothing was changed." in answer.stderr
    assert not (data / RESTORING).exists()
    assert not (data / RESTORING_PARTIAL).exists()
    changed = {name for name, content in contents(data).items() if before.get(name) != content}
    assert changed <= {"brokerweb.sqlite3-shm", "run.lock"}


def test_a_restore_that_is_killed_at_any_step_is_finished_by_the_next(installation, tmp_path):
    template = tmp_path / "template"
    shutil.copytree(installation.data, template)
    (template / "pipeline" / "lake" / "_delta_log").mkdir(parents=True)
    (template / "pipeline" / "lake" / "_delta_log" / "0.json").write_text("{}")
    every = 1 if THOROUGH else 6
    answer = subprocess.run(
        [
            *(sys.executable, "-m", "tests.brokerweb.interrupted_restores"),
            *(str(template), str(installation.backup), str(tmp_path), str(every)),
        ],
        cwd=REPOSITORY,
        env={**os.environ, "BROKERWEB_DATA": str(tmp_path / "own")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.returncode == 0, answer.stdout + answer.stderr
    assert int(answer.stdout) > 50, "a restore of four stores takes so many steps"


def test_the_manifest_names_every_file_and_every_owner(installation):
    manifest = read_manifest(installation.backup)
    assert set(contents(installation.backup)) == {*manifest.files, "manifest.json", "manifest.sha256"}
    assert {each.instance for each in manifest.stores} == {"BERLIN", "HUB", "LYON", "PARIS"}
    assert manifest.bytes == sum(os.path.getsize(installation.backup / name) for name in manifest.files)
