"""Administrators who take each other's rights in two transactions of PostgreSQL at once: one of them stays."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection, transaction

from brokerweb.accounts.models import User
from brokerweb.accounts.rights import Role
from brokerweb.accounts.services import user_create, user_update
from brokerweb.common.errors import LastAdministrator
from tests.support.each import for_each
from tests.support.waiting import until

CHANGES = ({"role": Role.VIEWER}, {"is_active": False})
WAITING = "SELECT 1 FROM pg_locks WHERE NOT granted"


@pytest.fixture
def administrators(postgres: None) -> Iterator[list[User]]:
    made = [user_create(name, Role.ADMIN) for name in ("anna", "berta")]
    yield made
    for user in made:
        user.delete()


def is_one_waiting() -> bool:
    with connection.cursor() as cursor:
        cursor.execute(WAITING)
        return cursor.fetchone() is not None


def closing(call: Callable[[], Any]) -> Any:
    """Call on a thread that leaves no connection behind."""
    try:
        return call()
    finally:
        connection.close()


@for_each("first, second", [(first, second) for first in CHANGES for second in CHANGES])
def test_one_of_two_administrators_stays(first: dict[str, Any], second: dict[str, Any], administrators: list[User]):
    anna, berta = administrators
    for user in administrators:
        user_update(user.username, role=Role.ADMIN, is_active=True)
    with ThreadPoolExecutor(1) as threads:
        with transaction.atomic():
            user_update(berta.username, author=anna, **first)
            other = threads.submit(closing, lambda: user_update(anna.username, author=berta, **second))
            until(lambda: other.done() or is_one_waiting(), "the second transaction waits, or has ended")
        with pytest.raises(LastAdministrator):
            other.result()
    assert [user.username for user in User.objects.filter(role=Role.ADMIN, is_active=True)] == ["anna"]


def test_transactions_that_begin_with_either_administrator_do_not_block_each_other(administrators: list[User]):
    """Both take the locks in the same order: a deadlock would end one of them with another error."""
    for _ in range(10):
        with ThreadPoolExecutor(2) as threads:
            changes = [
                threads.submit(closing, lambda user=user: user_update(user.username, reads_payloads=True))
                for user in administrators
            ]
        assert [change.result().username for change in changes] == ["anna", "berta"]
