"""A full disk: 507 with the folder and its size, wherever it is met, and no word of a fault of ours."""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

import psycopg.errors
import pytest
from django.contrib.sessions.models import Session
from django.db import OperationalError, connection
from django.test import Client
from django.utils import timezone, translation

from brokerweb.accounts.rights import Role
from brokerweb.accounts.services import user_create
from brokerweb.common.full_disk import full_disk
from brokerweb.common.pipeline_errors import UploadUnwritable
from brokerweb.topology.services import route as route_service
from engine import api as engine
from tests.brokerweb.estates import make_estate, pair_catalogs
from tests.brokerweb.test_problems import RAW, ROUTES, checked
from tests.support.each import for_each

PASSWORD = "correct horse battery staple"


def size_of(folder: Path) -> str:
    return f"{shutil.disk_usage(folder).total / 1_000_000:.0f} MB"


def sqlite_full(tmp_path: Path) -> sqlite3.OperationalError:
    """What SQLite says when it gets no further page."""
    with closing(sqlite3.connect(tmp_path / "full")) as database:
        database.execute("CREATE TABLE t (a)")
        database.execute("PRAGMA max_page_count = 2")
        with pytest.raises(sqlite3.OperationalError) as refused:
            database.execute("INSERT INTO t VALUES (zeroblob(100000))")
    return refused.value


def wrapped(error: BaseException, around: Exception) -> Exception:
    try:
        raise around from error
    except type(around) as raised:
        return raised


@pytest.fixture(autouse=True)
def language() -> Iterator[None]:
    """Requests of other tests leave theirs behind."""
    with translation.override("en"):
        yield


FOUND: dict[str, Callable[[Path], BaseException]] = {
    "the system": lambda _: OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)),
    "a person's share": lambda _: OSError(errno.EDQUOT, os.strerror(errno.EDQUOT)),
    "SQLite": sqlite_full,
    "Django's database": lambda path: wrapped(sqlite_full(path), OperationalError("database or disk is full")),
    "an upload": lambda _: wrapped(OSError(errno.ENOSPC, "full"), UploadUnwritable("It cannot be kept.")),
    "what was raised meanwhile": lambda path: wrapped(wrapped(sqlite_full(path), KeyError("a")), RuntimeError("b")),
}


@for_each("how", sorted(FOUND))
def test_it_is_found_and_said_with_folder_and_size(tmp_path: Path, how: str):
    (tmp_path / how.replace(" ", "")).mkdir()
    found = full_disk(FOUND[how](tmp_path / how.replace(" ", "")))
    assert found is not None
    folder = found.parameters["folder"]
    assert found.detail.startswith(f"The disk of the folder {folder} is full: ")
    assert size_of(Path(folder)) in found.detail


def test_the_folder_is_that_of_the_file_where_it_is_known(tmp_path: Path):
    found = full_disk(OSError(errno.ENOSPC, "full", str(tmp_path / "lake" / "part")))
    assert found is not None
    assert found.parameters["folder"] == str(tmp_path / "lake")


def test_a_server_of_databases_has_a_disk_of_its_own():
    found = full_disk(wrapped(psycopg.errors.DiskFull("could not extend file"), OperationalError("full")))
    assert found is not None
    assert found.detail == "The disk of the database's server is full."


@for_each(
    "error",
    [
        None,
        KeyError("a"),
        OSError(errno.EACCES, "denied"),
        OperationalError("locked"),
        sqlite3.OperationalError("no code"),
        psycopg.errors.UniqueViolation("twice"),
    ],
)
def test_other_errors_are_left_alone(error: BaseException | None):
    assert full_disk(error) is None


def test_small_files_of_sqlite_that_cannot_be_written_are_a_full_disk_only_where_it_is_full(monkeypatch):
    with pytest.raises(sqlite3.OperationalError) as refused:
        sqlite3.connect("/nonexistent/folder/database")
    assert refused.value.sqlite_errorcode == sqlite3.SQLITE_CANTOPEN
    assert full_disk(refused.value) is None
    monkeypatch.setattr("brokerweb.common.full_disk._room", lambda _: (0, 10_000_000))
    found = full_disk(refused.value)
    assert found is not None
    assert found.detail.endswith(": 0.0 of 10 MB are free.")


# ── over HTTP ──
@pytest.fixture
def full_database(transactional_db: None) -> Iterator[Callable[[], None]]:
    """Call it to let the dashboard's database grow no more."""
    with connection.cursor() as cursor:
        [before] = cursor.execute("PRAGMA max_page_count").fetchone()

    def fill() -> None:
        with connection.cursor() as cursor:
            cursor.execute("CREATE TABLE filler (a)")
            cursor.execute("PRAGMA max_page_count = 1")
            # What is free inside of the file is used up, and what the pages of sessions have left.
            for size in (100_000, 1_000):
                with suppress(OperationalError):
                    while True:
                        cursor.execute(f"INSERT INTO filler VALUES (zeroblob({size}))")
        with suppress(OperationalError):
            for number in range(1_000):
                Session.objects.create(session_key=f"{number:032}", session_data="", expire_date=timezone.now())

    yield fill
    with connection.cursor() as cursor:
        cursor.execute(f"PRAGMA max_page_count = {before}")
        cursor.execute("DROP TABLE IF EXISTS filler")


def test_an_operation_that_finds_no_room_is_507(db, api_as, monkeypatch, caplog, tmp_path):
    make_estate(pair_catalogs())

    def fail(*_arguments: object, **_names: object) -> None:
        raise wrapped(sqlite_full(tmp_path), OperationalError("database or disk is full"))

    monkeypatch.setattr(route_service, "change_decide", fail)
    problem = checked(api_as(Role.EDITOR).ask("POST", ROUTES, {"name": "a", "address": "LOCAL"}), 507, "disk-full")
    assert problem["parameters"]["folder"] in problem["detail"]
    assert "Traceback" not in caplog.text


def test_an_instance_that_finds_no_room_is_507(db, api_as, monkeypatch):
    make_estate(pair_catalogs())

    def fail(*_arguments: object, **_names: object) -> None:
        raise engine.EngineUnavailable(
            "Instance PARIS has stopped: 1105: The disk of the folder /data is full: 0.0 of 10 MB are free. Make room."
        )

    monkeypatch.setattr(engine, "read_view", fail)
    api = api_as(Role.VIEWER)
    problem = checked(api.ask("GET", "/estates/paire/instances/PARIS/view"), 507, "disk-full")
    assert "/data is full: 0.0 of 10 MB" in problem["detail"]


def test_a_login_that_finds_no_room_is_507_over_the_api_and_a_page_in_the_browser(full_database):
    user_create("anne", Role.VIEWER, password=PASSWORD)
    client = Client(raise_request_exception=False)
    full_database()
    who = {"username": "anne", "password": PASSWORD}
    problem = checked(client.post("/api/v1/login", who, **RAW), 507, "disk-full")
    assert "is full" in problem["detail"]
    page = client.post("/login", who, headers={"accept-language": "de"})
    assert page.status_code == 507
    assert "voll" in page.content.decode()
    assert "Traceback" not in page.content.decode()


def test_what_else_fails_on_a_page_is_a_fault_of_ours_as_ever(db, monkeypatch):
    def fail(*_: object) -> None:
        raise KeyError("broken")

    monkeypatch.setattr("django.contrib.auth.views.LoginView.get_context_data", fail)
    assert Client(raise_request_exception=False).get("/login").status_code == 500
