"""The book in memory keeps what every book of leases promises."""

import pytest

from engine.hosting.leases import LeaseBook, MemoryLeaseBook
from tests.support.hand_clock import HandClock
from tests.support.lease_book_contract import LeaseBookContract


class TestMemoryLeaseBook(LeaseBookContract):
    @pytest.fixture
    def clock(self) -> HandClock:
        return HandClock()

    @pytest.fixture
    def book(self, clock: HandClock) -> LeaseBook:
        return MemoryLeaseBook(fences=True, clock=clock)

    @pytest.fixture(autouse=True)
    def _clock(self, clock: HandClock) -> None:
        self._hand = clock

    def let_pass(self, book: LeaseBook, seconds: float) -> None:
        self._hand.advance(seconds)
