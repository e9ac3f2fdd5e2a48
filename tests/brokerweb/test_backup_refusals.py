"""Backups that are damaged, foreign, newer or hostile, and targets that are taken: a number, and nothing changed."""

import hashlib
import json
import os
import shutil
import sqlite3
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import closing
from io import StringIO
from pathlib import Path

import msgspec
import pytest
from django.core.management import CommandError, call_command

from brokerweb.config.backup import exchange
from brokerweb.config.data_directory import RESTORING, RESTORING_PARTIAL
from brokerweb.config.env import ConfigurationError, Environment
from brokerweb.config.process.lock import data_directory_lock
from engine import api as engine
from tests.brokerweb.backed_up_product import manage, start_python
from tests.support.each import for_each


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A data folder with a database and no instance that was opened, and a backup of it."""
    folder = tmp_path_factory.mktemp("prepared")
    assert manage(folder / "data", "prepare").returncode == 0
    key = folder / "data" / "engine" / "service-master-key"
    key.write_text(b64encode(os.urandom(32)).decode())
    lake = folder / "data" / "pipeline" / "lake" / "_delta_log"
    lake.mkdir(parents=True)
    (lake / "0.json").write_text("{}")
    assert manage(folder / "data", "backup", str(folder / "backup")).returncode == 0
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def folder(prepared: Path, tmp_path: Path, settings) -> Path:
    shutil.copytree(prepared, tmp_path, dirs_exist_ok=True)
    settings.ENVIRONMENT = Environment(data_directory=tmp_path / "data")
    return tmp_path


def contents(folder: Path) -> dict[str, bytes]:
    ignored = {"run.lock", "brokerweb.sqlite3-shm", "brokerweb.sqlite3-wal"}
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name not in ignored
    }


def refused(command: str, where: Path) -> str:
    """The text of a refusal, after which nothing has changed."""
    data = where.parent / "data"
    before = contents(data)
    with pytest.raises(CommandError) as refusal:
        call_command(command, str(where), stdout=StringIO())
    assert refusal.value.returncode == 2
    assert contents(data) == before
    assert not (data / RESTORING).exists()
    assert not (data / RESTORING_PARTIAL).exists()
    assert "\n" not in str(refusal.value)
    return str(refusal.value)


def rewrite(backup: Path, change: Callable[[dict], object]) -> None:
    """Change a manifest and write a hash that is right for it."""
    manifest = json.loads((backup / "manifest.json").read_text())
    change(manifest)
    text = json.dumps(manifest).encode()
    (backup / "manifest.json").write_bytes(text)
    (backup / "manifest.sha256").write_text(hashlib.sha256(text).hexdigest())


def damage_first_byte(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(bytes([content[0] ^ 1]) + content[1:])


def replace_by_link(path: Path) -> None:
    elsewhere = path.with_name("elsewhere")
    path.rename(elsewhere)
    path.symlink_to(elsewhere.name)


def replace_by_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


STORE = {"estate": "demo", "instance": "PARIS", "fence": 1}
DAMAGES = {
    "a byte of the database": (3189, lambda b: damage_first_byte(b / "brokerweb.sqlite3")),
    "a byte of a key": (3189, lambda b: damage_first_byte(b / "secret_key")),
    "a byte of the lake": (3189, lambda b: damage_first_byte(b / "pipeline/lake/_delta_log/0.json")),
    "a longer file": (3189, lambda b: (b / "secret_key").write_text("x" * 100)),
    "an empty file": (3189, lambda b: (b / "brokerweb.sqlite3").write_bytes(b"")),
    "a missing file": (3189, lambda b: (b / "secret_key").unlink()),
    "a missing folder": (3189, lambda b: shutil.rmtree(b / "pipeline")),
    "a folder for a file": (3189, lambda b: [(b / "secret_key").unlink(), (b / "secret_key").mkdir()]),
    "a link for a file": (3189, lambda b: replace_by_link(b / "secret_key")),
    "a link for a folder": (3189, lambda b: replace_by_link(b / "engine")),
    "a pipe for a file": (3189, lambda b: replace_by_pipe(b / "secret_key")),
    "a changed manifest": (3189, lambda b: (b / "manifest.json").open("a").write(" ")),
    "half written": (3242, lambda b: (b / "manifest.sha256").unlink()),
    "no manifest": (3242, lambda b: (b / "manifest.json").unlink()),
    "no folder": (3242, lambda b: shutil.rmtree(b)),
    "a file": (3242, lambda b: [shutil.rmtree(b), b.write_text("backup")]),
    "a manifest that is no JSON": (3242, lambda b: (b / "manifest.json").write_bytes(b"\xff\x00")),
    "a manifest of another program": (3242, lambda b: (b / "manifest.json").write_text('{"files": []}')),
    "a manifest that is a pipe": (3201, lambda b: replace_by_pipe(b / "manifest.json")),
    "a manifest without files": (3242, lambda b: rewrite(b, lambda m: m.pop("files"))),
    "a manifest without the database": (3242, lambda b: rewrite(b, lambda m: m["files"].pop("brokerweb.sqlite3"))),
    "a later form": (3169, lambda b: rewrite(b, lambda m: m.update(format=2, version="9.9", files=7))),
    "a time that is none": (3242, lambda b: rewrite(b, lambda m: m.update(made_at="yesterday"))),
    "a time without a zone": (3242, lambda b: rewrite(b, lambda m: m.update(made_at="2026-11-28T10:00:00"))),
    "a time to come": (3242, lambda b: rewrite(b, lambda m: m.update(made_at="2126-11-28T10:00:00+00:00"))),
    "a fence without end": (3242, lambda b: rewrite(b, lambda m: m.update(stores=[STORE | {"fence": 2**63}]))),
    "another service key": (3154, lambda b: rewrite(b, lambda m: m.update(deployment="0" * 32))),
}


@for_each("name", DAMAGES)
def test_a_backup_that_is_not_whole_is_refused_and_changes_nothing(folder: Path, name: str):
    number, spoil = DAMAGES[name]
    backup = folder / name
    shutil.copytree(folder / "backup", backup)
    spoil(backup)
    text = refused("restore", backup)
    assert text.startswith(f"{number}: "), text
    assert str(backup) in text


@for_each(
    "name",
    (
        "../outside",
        "engine/../../outside",
        "engine/demo/../../../outside",
        "pipeline/lake/../../../outside",
        "/outside",
        "//outside",
        "run.lock",
        "log/brokerweb.log",
        "brokerweb.sqlite3/../../outside",
        "./brokerweb.sqlite3",
        "engine//demo/PARIS.sqlite3",
        "engine/demo/PARIS.sqlite3/",
        "engine/demo/PARIS.session",
        "engine/demo/further/PARIS.sqlite3",
        "engine/PARIS.sqlite3-shm",
        "pipeline/lake",
        "restoring/moved",
        "before-restore-1/secret_key",
        "holiday.jpg",
        "",
        ".",
        "..",
        "engine/d\0mo/PARIS.sqlite3",
    ),
)
def test_a_name_at_which_no_backup_has_a_file_is_refused(folder: Path, name: str):
    backup = folder / "hostile"
    shutil.rmtree(backup, ignore_errors=True)
    shutil.copytree(folder / "backup", backup)
    (folder / "outside").write_text("x")
    entry = {"bytes": 1, "sha256": hashlib.sha256(b"x").hexdigest()}
    rewrite(backup, lambda manifest: manifest["files"].update({name: entry}))
    assert refused("restore", backup).startswith("3242: ")


def test_a_database_of_a_later_version_is_refused(folder: Path):
    with closing(sqlite3.connect(folder / "data" / "brokerweb.sqlite3")) as database, database:
        database.execute("INSERT INTO django_migrations (app, name, applied) VALUES ('accounts', '9999_later', '2030')")
    call_command("backup", str(folder / "later"), stdout=StringIO())
    assert "by a later version of brokerweb" in refused("restore", folder / "later")


def test_a_backup_of_before_the_first_key_is_of_no_other_installation(folder: Path):
    key = folder / "data" / "engine" / "service-master-key"
    made_since = key.read_text()
    key.unlink()
    call_command("backup", str(folder / "without-key"), stdout=StringIO())
    key.write_text(made_since)
    call_command("restore", str(folder / "without-key"), stdout=StringIO())
    (kept,) = (folder / "data").glob("before-restore-*")
    assert (kept / "engine" / "service-master-key").read_text() == made_since


def test_a_service_key_that_was_a_setting_has_to_be_given_again(folder: Path, settings):
    key = b64encode(bytes(range(32))).decode()
    (folder / "data" / "engine" / "service-master-key").unlink()
    given = msgspec.structs.replace(settings.ENVIRONMENT, service_key=key)
    settings.ENVIRONMENT = given
    call_command("backup", str(folder / "by-setting"), stdout=StringIO())
    settings.ENVIRONMENT = msgspec.structs.replace(given, service_key=None)
    assert refused("restore", folder / "by-setting").startswith("3154: ")
    settings.ENVIRONMENT = given
    call_command("restore", str(folder / "by-setting"), stdout=StringIO())


def test_data_on_which_a_process_works_are_not_restored(folder: Path):
    with data_directory_lock(folder / "data"):
        assert refused("restore", folder / "backup").startswith("3101: brokerweb already runs on")
    with closing(sqlite3.connect(folder / "data" / "brokerweb.sqlite3", isolation_level=None)) as worker:
        worker.execute("BEGIN IMMEDIATE")
        assert refused("restore", folder / "backup").startswith("3101: Another process has ")


@pytest.mark.parametrize("place", ["pipeline/lake", "pipeline", "secret_key", "engine"])
def test_a_restore_does_not_write_through_links(folder: Path, place: str):
    real = folder / "real"
    (folder / "data" / place).rename(real)
    (folder / "data" / place).symlink_to(real)
    text = refused("restore", folder / "backup")
    assert text.startswith("3201: ")
    assert str(folder / "data" / place) in text


def test_a_lake_on_a_disk_of_its_own_is_not_exchanged_by_half(folder: Path, monkeypatch: pytest.MonkeyPatch):
    lake = folder / "data" / "pipeline" / "lake"
    of_path = exchange.device
    monkeypatch.setattr(exchange, "device", lambda path: -1 if path.is_relative_to(lake) else of_path(path))
    text = refused("restore", folder / "backup")
    assert text.startswith(f"3201: {lake} ")


def test_logs_beside_a_database_that_is_gone_do_not_stay_beside_the_restored_one(folder: Path):
    data = folder / "data"
    (data / "brokerweb.sqlite3").unlink()
    strangers = [data / f"brokerweb.sqlite3{suffix}" for suffix in ("-wal", "-journal")]
    for path in strangers:
        path.write_bytes(b"of another database")
    call_command("restore", str(folder / "backup"), stdout=StringIO())
    assert not any(path.exists() for path in strangers)
    (kept,) = data.glob("before-restore-*")
    assert (kept / "brokerweb.sqlite3-wal").read_bytes() == b"of another database"


def test_a_target_that_is_taken_is_refused(folder: Path):
    full = folder / "full"
    full.mkdir()
    (full / "a").touch()
    (folder / "file").touch()
    (folder / "link").symlink_to(folder)
    for name in ("full", "file", "link"):
        assert refused("backup", folder / name).startswith(f"3201: {folder / name} exists")
    inside = folder / "data" / "backup"
    with pytest.raises(CommandError, match=r"3201: .* is within the data folder"):
        call_command("backup", str(inside), stdout=StringIO())
    assert refused("backup", folder / "file" / "b").startswith("3202: The backup was not written.")
    assert {path.name for path in folder.iterdir()} == {"data", "backup", "full", "file", "link"}


def test_without_data_there_is_nothing_to_back_up(folder: Path):
    (folder / "data" / "brokerweb.sqlite3").write_bytes(b"")
    assert refused("backup", folder / "b").startswith("3201: There is nothing to back up")
    (folder / "data" / "brokerweb.sqlite3").unlink()
    assert refused("backup", folder / "b").startswith("3201: There is nothing to back up")


def test_a_damaged_database_is_not_backed_up(folder: Path):
    path = folder / "data" / "brokerweb.sqlite3"
    content = path.read_bytes()
    path.write_bytes(content[:100] + b"\xff" * (len(content) - 100))
    assert refused("backup", folder / "b").startswith("3202: The backup was not written")
    assert not (folder / "b").exists()


def test_stores_that_never_rest_are_not_backed_up(folder: Path, monkeypatch: pytest.MonkeyPatch):
    attempts = []

    def changing(_folder: Path) -> None:
        attempts.append(1)
        raise engine.held_stores.StoresChanged("the store of instance PARIS of estate demo has changed")

    monkeypatch.setattr(engine.held_stores, "held_stores", changing)
    assert refused("backup", folder / "b").startswith("3041: The backup was not completed")
    assert len(attempts) == 3


@pytest.mark.parametrize("command", ["backup", "restore"])
@pytest.mark.parametrize(
    ("where", "name"),
    [
        ({"database_url": "postgres://db/a"}, "DATABASE_URL"),
        ({"engine_store_url": "postgres://db/b"}, "ENGINE_STORE_URL"),
    ],
)
def test_data_in_a_server_are_refused_with_what_to_do(folder: Path, settings, command: str, where: dict, name: str):
    settings.ENVIRONMENT = msgspec.structs.replace(settings.ENVIRONMENT, **where)
    text = refused(command, folder / ("b" if command == "backup" else "backup"))
    assert text.startswith(f"153: {name}: ")
    assert "pg_dump" in text
    assert not (folder / "b").exists()


@pytest.mark.slow
def test_nothing_works_on_data_that_are_half_restored(folder: Path):
    (folder / "data" / RESTORING).mkdir()
    with pytest.raises(ConfigurationError, match="927: "):
        call_command("backup", str(folder / "b"))
    with pytest.raises(ConfigurationError, match="927: "):
        call_command("reset")
    run, prepare, migrate = (("manage.py", name) for name in ("run", "prepare", "migrate"))
    web, worker = (("-c", f"import brokerweb.config.{name}") for name in ("asgi", "celery"))
    for arguments in (run, prepare, migrate, web, worker):
        process = start_python(folder / "data", *arguments)
        _, text = process.communicate()
        assert process.returncode == 2, arguments
        assert text.startswith("Error: 927: The data in ")
        assert text.count("\n") == 1


@pytest.mark.parametrize(
    "command", ["run", *(pytest.param(each, marks=pytest.mark.slow) for each in ("prepare", "migrate"))]
)
def test_a_database_of_a_later_version_is_left_alone(folder: Path, command: str):
    path = folder / "data" / "brokerweb.sqlite3"
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("INSERT INTO django_migrations (app, name, applied) VALUES ('accounts', '9999_later', '2030')")
    before = contents(folder / "data" / "engine")
    answer = manage(folder / "data", command)
    assert answer.returncode == 2
    assert "Error: 948: The dashboard's database was used by a later version of brokerweb" in answer.stderr
    assert "accounts.9999_later" in answer.stderr
    assert answer.stderr.count("\n") == 1
    assert contents(folder / "data" / "engine") == before
