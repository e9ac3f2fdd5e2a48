"""`manage.py reset` removes what brokerweb made, only that, and only when nobody works on it."""

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from django.core.management import CommandError, call_command

from brokerweb.config.env import REPOSITORY
from brokerweb.config.process.lock import data_directory_lock
from brokerweb.config.process.reset import reset_data

OURS = (
    "brokerweb.sqlite3",
    "brokerweb.sqlite3-wal",
    "engine/directory.sqlite3",
    "engine/service-master-key",
    "engine/demo/PARIS.sqlite3",
    "engine/demo/PARIS.sqlite3-wal",
    "engine/demo/PARIS.sqlite3-log",
    "engine/demo/PARIS.session",
    "engine/été/LYON.sqlite3",
    "log/brokerweb.log",
    "log/brokerweb.log.1",
    "secret_key",
    "pipeline/lake/_delta_log/00000000000000000000.json",
    "pipeline/lake/estate=e/trace_date=2026-11-26/hour=9/part-0.parquet",
    "pipeline/lake.rejects/_delta_log/00000000000000000000.json",
    "pipeline/uploads/6a1f0c2e-0000-4000-8000-00000000abcd",
    "pipeline/uploads/6a1f0c2e-0000-4000-8000-00000000abce.part",
    "pipeline/runs/6a1f0c2e-0000-4000-8000-00000000abcd/result/manifest.json",
    "pipeline/interned/1/0123/interned/manifest.json",
    "spark/engine.zip",
    "spark/java/bin/java",
)
FOREIGN = (
    "pipeline/runs/mine/notes.txt",
    "pipeline/uploads/mine.csv",
    "spark/notes.txt",
    "holiday.jpg",
    "notes.sqlite3",
    "engine/README",
    "engine/demo/PARIS.sql",
    "log/other.log",
    "sub/secret_key",
)


def fill(directory: Path, *names: str) -> None:
    for name in names:
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")


def files(directory: Path) -> set[str]:
    return {str(path.relative_to(directory)) for path in directory.rglob("*") if path.is_file()} - {"run.lock"}


@pytest.fixture
def data(tmp_path, settings):
    settings.ENVIRONMENT = msgspec.structs.replace(settings.ENVIRONMENT, data_directory=tmp_path, database_url=None)
    fill(tmp_path, *OURS)
    return tmp_path


def test_all_of_ours_goes_and_the_empty_folders_with_it(data, capsys):
    call_command("reset")
    assert {path.name for path in data.iterdir()} == {"run.lock"}
    assert f"The data in {data} are removed" in capsys.readouterr().out
    call_command("reset")
    assert "nothing is left to remove" in capsys.readouterr().out


def test_a_file_of_somebody_else_stays(data):
    fill(data, *FOREIGN)
    assert reset_data(data)
    assert files(data) == set(FOREIGN)


def test_a_folder_that_never_was_ours_is_left_alone(tmp_path):
    mine = ("secret_key", "log/brokerweb.log", "engine/demo/PARIS.sqlite3")
    fill(tmp_path, *mine)
    assert not reset_data(tmp_path)
    assert files(tmp_path) == set(mine)


def test_it_is_refused_while_a_process_runs_on_the_data(data):
    with data_directory_lock(data), pytest.raises(CommandError, match=r"already runs on .* Stop it first"):
        call_command("reset")
    assert files(data) == set(OURS)


def test_it_is_refused_while_a_worker_has_a_store_open_under_a_lease(data):
    store = data / "engine/demo/PARIS.sqlite3"
    for suffix in ("", "-wal"):
        store.with_name(store.name + suffix).unlink()
    with closing(sqlite3.connect(store, isolation_level=None)) as worker:
        worker.execute("PRAGMA journal_mode = WAL")
        worker.execute("PRAGMA user_version = 1")
        with pytest.raises(CommandError, match=r"Another process has .* open, so nothing was removed"):
            call_command("reset")
    call_command("reset")
    assert files(data) == set()


@pytest.mark.parametrize("store", ["engine/demo/PARIS.sqlite3", "brokerweb.sqlite3"])
def test_it_is_refused_while_a_worker_of_its_own_has_a_store_open(data, store):
    (data / store).unlink()
    (data / (store + "-wal")).unlink()
    with closing(sqlite3.connect(data / store, isolation_level=None)) as worker:
        worker.execute("PRAGMA locking_mode = EXCLUSIVE")
        worker.execute("PRAGMA user_version = 1")
        with pytest.raises(CommandError, match=r"Another process has .* open, so nothing was removed"):
            call_command("reset")
        # The look folds the log of a store that nobody has open into the store, as SQLite does whenever it closes one.
        assert {name for name in OURS if not name.endswith("-wal")} <= files(data)


def test_with_a_database_elsewhere_it_says_what_a_person_has_to_do(data, settings):
    settings.ENVIRONMENT = msgspec.structs.replace(settings.ENVIRONMENT, database_url="postgres://db/brokerweb")
    with pytest.raises(CommandError, match="DATABASE_URL names a database outside"):
        call_command("reset")
    assert files(data) == set(OURS)


def test_with_stores_elsewhere_it_says_what_a_person_has_to_do(data, settings):
    settings.ENVIRONMENT = msgspec.structs.replace(settings.ENVIRONMENT, engine_store_url="postgres://db/stores")
    with pytest.raises(CommandError, match="ENGINE_STORE_URL names a database outside"):
        call_command("reset")
    assert files(data) == set(OURS)


def test_make_removes_data_by_that_command_only():
    makefile = (REPOSITORY / "Makefile").read_text("utf-8")
    recipes = dict(re.findall(r"^([a-z-]+):[^\n]*\n((?:\t[^\n]*\n)+)", makefile, re.MULTILINE))
    assert recipes["reset"] == "\t@$(PY) manage.py reset\n"
    assert not any(".data" in recipe or "BROKERWEB_DATA" in recipe for recipe in recipes.values())
