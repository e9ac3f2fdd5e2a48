"""Connections to PostgreSQL: few for all requests of a process, none while one waits, and those of leases apart."""

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import msgspec
import pytest
from asgiref.sync import async_to_sync
from django.conf import settings
from django.contrib.auth import base_user
from django.core.management import call_command
from django.db import connection
from django.db import connections as all_connections

from brokerweb.accounts.models import User
from brokerweb.accounts.rights import Role
from brokerweb.accounts.services import user_create
from brokerweb.common.leases.book import DjangoLeaseBook
from brokerweb.common.leases.models import InstanceLease
from brokerweb.config.process.connections import connection_shortage
from brokerweb.config.settings import base
from brokerweb.console.services.target import WatchedTarget
from brokerweb.topology.selectors.places import InstancePlace
from brokerweb.training.entry_log import DjangoEntryLog
from engine import api as engine
from engine.hosting.leases import InstanceFigures
from tests.brokerweb.conftest import ApiClient
from tests.brokerweb.postgres_dashboard import Database, dashboard_in
from tests.brokerweb.test_proxy_headers import answer
from tests.support.each import for_each
from tests.support.lease_book_contract import ANNE, LONG, PARIS

CONNECTIONS = 4
PASSWORD = "Ein langes Kennwort"


@pytest.fixture(scope="module")
def postgres(postgres_database: Database, django_db_blocker: Any) -> Iterator[None]:
    """The dashboard in a process that has few connections, and does not wait long for one."""
    with django_db_blocker.unblock(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(base, "POOL_SECONDS", 0.5)
        with dashboard_in(postgres_database, DATABASE_CONNECTIONS=str(CONNECTIONS)):
            yield


@pytest.fixture
def olga(postgres: None) -> Iterator[User]:
    user = user_create("olga", Role.ADMIN, PASSWORD)
    yield user
    user.delete()


@pytest.fixture
def cookie(olga: User) -> bytes:
    client = ApiClient()
    client.force_login(olga)
    return f"{settings.SESSION_COOKIE_NAME}={client.cookies[settings.SESSION_COOKIE_NAME].value}".encode()


def ask(address: str, cookie: bytes) -> tuple[int, dict[str, str]]:
    return async_to_sync(answer)(address, headers=[(b"cookie", cookie)])


@contextmanager
def all_taken() -> Iterator[None]:
    """No connection of the pool is free."""
    connection.close()
    pool = all_connections["default"].pool
    pool.open()
    with ExitStack() as stack:
        for _ in range(CONNECTIONS):
            stack.enter_context(pool.connection())
        yield


def is_connected() -> bool:
    return connection.connection is not None


def test_no_request_keeps_a_connection(cookie: bytes):
    connection.close()
    for _ in range(2 * CONNECTIONS):
        assert ask("/api/v1/me", cookie)[0] == 200


@for_each("address, kind", [("/api/v1/me", "application/problem+json"), ("/estates", "text/html; charset=utf-8")])
def test_a_request_without_a_connection_is_503_and_says_when_to_ask_again(address: str, kind: str, cookie: bytes):
    with all_taken():
        status, headers = ask(address, cookie)
    assert (status, headers["retry-after"], headers["content-type"]) == (503, "5", kind)
    assert ask("/api/v1/me", cookie)[0] == 200


def test_leases_are_renewed_while_requests_have_all_connections(postgres: None):
    book = DjangoLeaseBook(fences=True)
    with all_taken():
        assert book.take(PARIS, ANNE, LONG) is not None
        assert book.renew(ANNE, {PARIS: InstanceFigures()}, LONG) == {PARIS}
        assert [each.key for each in book.entries()] == [PARIS]
    book.rest()
    InstanceLease.objects.all().delete()


def test_no_connection_is_held_while_a_password_is_hashed(olga: User, monkeypatch: pytest.MonkeyPatch):
    seen: list[bool] = []

    def noting(hash_password: Callable[..., Any]) -> Callable[..., Any]:
        def hashed(*arguments: Any, **options: Any) -> Any:
            seen.append(is_connected())
            return hash_password(*arguments, **options)

        return hashed

    for name in ("check_password", "make_password"):
        monkeypatch.setattr(base_user, name, noting(getattr(base_user, name)))
    client = ApiClient()
    for username, password, status in (("olga", PASSWORD, 200), ("olga", "wrong", 401), ("nobody", "wrong", 401)):
        found = client.ask("POST", "/login", {"username": username, "password": password})
        assert found.status_code == status, found.content
    user_create("new", Role.VIEWER, PASSWORD).delete()
    assert seen == [False] * len(seen)
    assert len(seen) >= 4


def test_no_connection_is_held_while_a_script_waits(olga: User, monkeypatch: pytest.MonkeyPatch):
    waits: list[bool] = []
    monkeypatch.setattr(engine.console.LiveTarget, "pause", lambda _target, _seconds: waits.append(is_connected()))
    assert User.objects.exists()
    WatchedTarget(InstancePlace("demo", "PARIS"), olga).pause(1.0)
    log = DjangoEntryLog()
    log.read_after(f"{engine.sandboxes.SANDBOX_PREFIX}{'0' * 32}", 0)
    waits.append(is_connected())
    assert waits == [False, False]


def test_a_server_that_allows_too_few_connections_is_warned_of(
    postgres: None, settings: Any, capsys: pytest.CaptureFixture[str]
):
    assert connection_shortage() is None
    settings.ENVIRONMENT = msgspec.structs.replace(settings.ENVIRONMENT, database_connections=60)
    call_command("check", databases=["default"])
    [warning] = re.findall(r"\(brokerweb\.W17809\) 17809: (.*) Raise", capsys.readouterr().err)
    assert warning == "PostgreSQL allows 47 connections, and a web process and a worker may need 126."
