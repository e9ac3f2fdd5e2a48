"""A dashboard's database in SQLite that is locked by a long write: 503 with Retry-After, and no word of a fault."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest
from django.db import connection
from django.test import Client

from brokerweb.accounts.rights import Role
from brokerweb.accounts.services import user_create
from tests.brokerweb.test_problems import RAW, checked

PASSWORD = "Ein langes Kennwort"


@pytest.fixture
def locked(transactional_db: None) -> Iterator[dict[str, str]]:
    """Somebody who logs in while another process writes; this one does not wait for it."""
    user_create("anne", Role.VIEWER, password=PASSWORD)
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout = 0")
    with closing(sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield {"username": "anne", "password": PASSWORD}
    connection.close()


def test_a_login_meanwhile_is_503_over_the_api_and_a_page_in_the_browser(locked: dict[str, str]):
    client = Client(raise_request_exception=False)
    answer = client.post("/api/v1/login", locked, **RAW)
    assert answer["Retry-After"] == "5"
    assert "locked" in checked(answer, 503, "server-busy")["detail"]
    page = client.post("/login", locked, headers={"accept-language": "de"})
    assert (page.status_code, page["Retry-After"]) == (503, "5")
    assert "Die Datenbank ist gesperrt" in page.content.decode()
