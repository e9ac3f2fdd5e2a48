"""The book in memory keeps what every book of leases promises."""

import pytest

from engine.hosting.leases import LeaseBook, MemoryLeaseBook
from tests.support.lease_book_contract import LeaseBookContract


class TestMemoryLeaseBook(LeaseBookContract):
    @pytest.fixture
    def book(self) -> LeaseBook:
        return MemoryLeaseBook(fences=True)
