"""What the tests of the dashboard share: people of each role, and their browsers."""

from __future__ import annotations

import itertools
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import Permission
from django.contrib.contenttypes.models import ContentType
from django.core.management import call_command
from django.core.management.color import no_style
from django.db import connection, transaction
from django.test import Client, TransactionTestCase

from brokerweb.accounts.models import User
from brokerweb.accounts.rights import Role
from brokerweb.accounts.services import user_create
from brokerweb.common.outbox.models import OutboxMessage
from brokerweb.config.engine import embedded_engine
from brokerweb.topology.models import Estate
from engine import api as engine
from tests.brokerweb.estates import make_estate, pair_catalogs
from tests.brokerweb.postgres_dashboard import Database, DatabaseOfServer, dashboard_in
from tests.support.no_garbage_policy import collector_left_alone
from tests.support.postgres_server import PostgresServer, running_postgres
from tests.support.waiting import until

_numbers = itertools.count(1)


@pytest.fixture(scope="session", autouse=True)
def emptied_tables(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """After a test with transactions of its own, every table is emptied but those of types and permissions.

    Django's `flush` empties these two as well and fills them again, which takes longer than many a test.
    """
    kept = {model._meta.db_table for model in (ContentType, Permission)}
    with django_db_blocker.unblock():
        tables = sorted(set(connection.introspection.django_table_names(only_existing=True)) - kept)
        connection.close()

    def empty(_test: TransactionTestCase) -> None:
        connection.ops.execute_sql_flush(connection.ops.sql_flush(no_style(), tables))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransactionTestCase, "_fixture_teardown", empty)
        yield


@pytest.fixture(scope="module")
def rows_of_file(
    request: pytest.FixtureRequest, django_db_setup: None, django_db_blocker: Any
) -> Iterator[Callable[[], AbstractContextManager[None]]]:
    """A transaction around a whole file: what a fixture writes within `with rows_of_file():`, all its tests find.

    What a test writes itself is taken back after it, as ever. A file one of whose tests commits is refused.
    """
    of_file = [item for item in request.session.items if item.path == request.path]
    committing = [item.name for item in of_file if "transactional_db" in getattr(item, "fixturenames", ())]
    assert not committing, f"These commit, so they belong in another file: {committing}"
    around = transaction.atomic()
    # As Django marks the transaction of a test: `atomic(durable=True)` may stand within it.
    around._from_testcase = True
    with django_db_blocker.unblock():
        around.__enter__()
    yield django_db_blocker.unblock
    with django_db_blocker.unblock():
        transaction.set_rollback(True)
        around.__exit__(None, None, None)
        connection.close()


@pytest.fixture(scope="session")
def migrated_postgres(django_db_blocker: Any) -> Iterator[PostgresServer]:
    """A PostgreSQL server of this process, and in it the database `migrated`: all tables as migrations leave them."""
    with running_postgres() as server:
        server.sql("CREATE DATABASE migrated")
        with django_db_blocker.unblock(), dashboard_in(DatabaseOfServer(server, "migrated")):
            call_command("migrate", verbosity=0)
        yield server


@pytest.fixture(scope="module")
def postgres_database(migrated_postgres: PostgresServer) -> Database:
    """A copy of `migrated` for a file."""
    name = f"file_{next(_numbers)}"
    migrated_postgres.sql(f"CREATE DATABASE {name} TEMPLATE migrated")
    return DatabaseOfServer(migrated_postgres, name)


@pytest.fixture(scope="module")
def postgres(postgres_database: Database, django_db_blocker: Any) -> Iterator[None]:
    """That copy is the dashboard's database as long as the file runs; what a test commits, it takes back itself."""
    with django_db_blocker.unblock(), dashboard_in(postgres_database):
        yield


class ApiClient(Client):
    """A browser that speaks JSON to the API."""

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        return self.generic(
            method,
            f"/api/v1{path}",
            b"" if body is None else self._encode_json(body, "application/json"),
            content_type="application/json",
            headers={name.replace("_", "-"): value for name, value in headers.items()},
        )

    def decide(self, path: str, body: Any = None, method: str = "POST") -> Any:
        """Ask for a change of the estate, or of the change set, as it is at this moment."""
        estate = re.match(r"/estates/[^/?]+", path)
        draft = re.search(r"[?&]change_set=\d+", path)
        assert estate is not None
        tag = self.ask("GET", estate[0] + ("" if draft is None else "?" + draft[0][1:]))["ETag"]
        return self.ask(method, path, body, If_Match=tag)

    def mean_losses(self, change_set: str) -> None:
        """Say of every flow that a change set, named by its address, loses, that this is meant."""
        lost = self.ask("GET", f"{change_set}/flows?change=lost&rows=1000").json()["rows"]
        if lost:
            body = {"keys": [row["key"] for row in lost], "intended": True}
            answer = self.ask("POST", f"{change_set}/flows/intended", body)
            assert answer.status_code == 200, answer.json()


def logged_in(user: User) -> ApiClient:
    """The browser of a user."""
    client = ApiClient()
    client.force_login(user)
    return client


@pytest.fixture
def api_as(db: None) -> Callable[[Role], ApiClient]:
    """A browser in which somebody of a role is logged in; all but viewers may read payloads if nothing else is said."""

    def log_in(role: Role, *, reads_payloads: bool | None = None) -> ApiClient:
        reads = role is not Role.VIEWER if reads_payloads is None else reads_payloads
        return logged_in(
            user_create(f"the-{role}{'' if reads_payloads is None else '-' + str(reads)}", role, reads_payloads=reads)
        )

    return log_in


@pytest.fixture
def editor(api_as: Callable[[Role], ApiClient]) -> ApiClient:
    return api_as(Role.EDITOR)


@pytest.fixture
def viewer(transactional_db: None) -> Client:
    """The browser of a viewer, with the viewer as `user`, in a database that other threads see too."""
    client = Client()
    client.user = user_create(f"person-{next(_numbers)}", Role.VIEWER)  # type: ignore[attr-defined]
    client.force_login(client.user)  # type: ignore[attr-defined]
    return client


@pytest.fixture(scope="module")
def running_engine(django_db_setup: None, django_db_blocker: Any) -> Iterator[engine.EmbeddedEngine]:
    """The real engine in this process, with the web's tasks beside its own, as `manage.py run` has it.

    It ends with the tests of the file: two engines in one process would take each other's tasks.
    """
    yield from engine_of_a_file(django_db_blocker)


def engine_of_a_file(blocker: Any) -> Iterator[engine.EmbeddedEngine]:
    """A running engine that begins without any instance; `blocker` lets it ask the database which there should be.

    One that an earlier file has left behind, say by a task of the outbox that was tried again while its test ended,
    would be looked up in the database, which is closed before the first test of a file.
    """
    for folder in settings.ENVIRONMENT.engine_directory.glob("*/"):
        shutil.rmtree(folder)
    worker = embedded_engine()
    with collector_left_alone(), blocker.unblock():
        worker.start()
    try:
        yield worker
    finally:
        worker.stop()


@pytest.fixture
def pace() -> float:
    """By what the waiting times of `live_estate` are shortened; a test that waits for several gives another."""
    return 10.0


@pytest.fixture
def live_estate(running_engine: None, transactional_db: None, pace: float) -> Iterator[Estate]:
    """PARIS and LYON of `estates.py`, wanted and applied; gone without a trace afterwards."""
    estate = make_estate(pair_catalogs(), name=f"paire-{next(_numbers)}", pace=pace)
    try:
        until(lambda: is_applied(estate), "both instances have the first revision")
        yield estate
        until(lambda: not OutboxMessage.objects.filter(attempts=0).exists(), "nothing is on its way any more")
    finally:
        # What is left behind would be opened by the engines of all later tests.
        for name in ("PARIS", "LYON"):
            engine.close_instance(estate.name, name, forgets=True)


def is_applied(estate: Estate) -> bool:
    """Whether every instance has what is wanted of it."""
    rows = estate.instances.values_list("desired_revision", "applied_revision")
    return all(wanted == applied for wanted, applied in rows)
