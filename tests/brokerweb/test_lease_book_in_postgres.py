"""The book of leases when the dashboard's database is PostgreSQL, on a server of the tests' own."""

import signal
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.management import call_command
from django.db import connection

from brokerweb.common.leases.book import DjangoLeaseBook
from brokerweb.common.leases.models import InstanceLease
from engine.hosting.leases import InstanceFigures, LeaseBook, LeasesUnavailable
from tests.brokerweb.lease_books import DashboardLeaseBookContract
from tests.brokerweb.postgres_dashboard import dashboard_in
from tests.support.lease_book_contract import ANNE, BERT, LONG, LYON, PARIS, entry_of
from tests.support.postgres_server import PostgresServer, running_postgres


@pytest.fixture(scope="module")
def postgres(django_db_blocker: Any) -> Iterator[PostgresServer]:
    with running_postgres() as server, django_db_blocker.unblock(), dashboard_in(server):
        call_command("migrate", "leases", verbosity=0)
        yield server


@pytest.fixture
def book(postgres: PostgresServer) -> Iterator[LeaseBook]:
    made = DjangoLeaseBook(fences=True)
    yield made
    made.rest()
    # A test may have restarted the server under it.
    connection.close()
    InstanceLease.objects.all().delete()


class TestDjangoLeaseBookInPostgres(DashboardLeaseBookContract):
    """The same promises."""


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGQUIT])
def test_a_server_that_was_restarted_knows_every_lease_and_is_asked_again(
    book: LeaseBook, postgres: PostgresServer, how: signal.Signals
):
    lease = book.take(PARIS, ANNE, LONG)
    assert lease is not None
    postgres.stop(how)
    with pytest.raises(LeasesUnavailable):
        book.renew(ANNE, {PARIS: InstanceFigures()}, LONG)
    with pytest.raises(LeasesUnavailable):
        book.take(LYON, BERT, LONG)
    postgres.start()
    assert book.renew(ANNE, {PARIS: InstanceFigures()}, LONG) == {PARIS}
    assert book.take(PARIS, BERT, LONG) is None
    entry = entry_of(book, PARIS)
    assert (entry.holder, entry.fence, entry.is_held) == (ANNE, lease.fence, True)
