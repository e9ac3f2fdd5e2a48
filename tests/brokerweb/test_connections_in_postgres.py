"""Web processes leave no connection to PostgreSQL behind: each request has a thread of its own."""

import pytest
from asgiref.sync import async_to_sync
from django.conf import settings
from django.db import connection

from brokerweb.accounts.rights import Role
from brokerweb.accounts.services import user_create
from tests.brokerweb.conftest import ApiClient
from tests.brokerweb.test_proxy_headers import answer
from tests.support.waiting import until

REQUESTS = 6


@pytest.fixture
def cookie(postgres):
    user, client = user_create("olga", Role.VIEWER), ApiClient()
    client.force_login(user)
    yield f"{settings.SESSION_COOKIE_NAME}={client.cookies[settings.SESSION_COOKIE_NAME].value}".encode()
    user.delete()


def others():
    """Connections to this database besides that of the test."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        return cursor.fetchone()[0]


def test_no_request_leaves_a_connection_open(cookie):
    before = others()
    for _ in range(REQUESTS):
        status, _headers = async_to_sync(answer)("/api/v1/me", headers=[(b"cookie", cookie)])
        assert status == 200
    # The server forgets a connection a moment after its client has closed it.
    until(lambda: others() <= before, "all connections are closed")
