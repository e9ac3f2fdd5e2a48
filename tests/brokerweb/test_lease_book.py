"""The book of leases in the dashboard's database, which is SQLite here (or what `DATABASE_URL` says)."""

import pytest
from django.db import OperationalError, connection

from brokerweb.common.leases.book import DjangoLeaseBook
from engine.hosting.leases import LeaseBook, LeasesUnavailable
from tests.brokerweb.lease_books import DashboardLeaseBookContract


@pytest.fixture
def book(transactional_db: None) -> LeaseBook:
    return DjangoLeaseBook(fences=True)


class TestDjangoLeaseBook(DashboardLeaseBookContract):
    """Threads of their own must see what was written, so nothing is held back in one transaction."""


def test_a_database_that_does_not_answer_is_said_in_the_words_of_the_engine(
    book: LeaseBook, monkeypatch: pytest.MonkeyPatch
):
    def away(*_: object, **__: object) -> None:
        raise OperationalError("server closed the connection unexpectedly")

    with monkeypatch.context() as patch:
        patch.setattr(connection, "cursor", away)
        with pytest.raises(LeasesUnavailable, match="does not answer: server closed the connection"):
            book.entries()
