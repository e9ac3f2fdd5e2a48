"""What the book of leases in the dashboard's database promises beside the rest, whatever is done to its clock."""

from datetime import timedelta

from django.db import models
from django.db.models import F

from brokerweb.common.leases.models import InstanceLease
from engine.hosting.leases import LeaseBook
from tests.support.lease_book_contract import ANNE, BERT, LONG, PARIS, LeaseBookContract, entry_of
from tests.support.waiting import until


def shift_clock(seconds: float) -> None:
    """To everything that was written, the database's clock seems to have been set forward by so much."""
    times = ("since", "renewed_at", "expires_at")
    moved = {name: F(name) - timedelta(seconds=seconds) for name in times}
    InstanceLease.objects.update(
        **{name: models.ExpressionWrapper(each, models.DateTimeField()) for name, each in moved.items()}
    )


class DashboardLeaseBookContract(LeaseBookContract):
    """As `LeaseBookContract`: subclasses say what `book` is."""

    def let_pass(self, book: LeaseBook, seconds: float) -> None:
        shift_clock(seconds)

    def test_a_lease_ends_by_the_real_clock_of_the_database(self, book: LeaseBook):
        book.take(PARIS, ANNE, LONG)
        shift_clock(LONG - 0.1)
        until(lambda: book.take(PARIS, BERT, LONG) is not None, "the lease has ended")
        assert entry_of(book, PARIS).fence == 2

    def test_a_clock_that_is_set_forward_ends_leases(self, book: LeaseBook):
        book.take(PARIS, ANNE, LONG)
        shift_clock(LONG + 1)
        assert not entry_of(book, PARIS).is_held
        assert book.take(PARIS, BERT, LONG) is not None

    def test_a_clock_that_is_set_back_a_little_lets_a_lease_last(self, book: LeaseBook):
        book.take(PARIS, ANNE, LONG)
        shift_clock(-LONG / 2)
        assert entry_of(book, PARIS).is_held
        assert book.take(PARIS, BERT, LONG) is None

    def test_a_clock_that_is_set_back_by_hours_keeps_nobody_out(self, book: LeaseBook):
        book.take(PARIS, ANNE, LONG)
        shift_clock(-7200)
        assert not entry_of(book, PARIS).is_held
        taken = book.take(PARIS, BERT, LONG)
        assert taken is not None
        assert taken.fence == 2
