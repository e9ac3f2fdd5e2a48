"""What every store does with fencing numbers: the highest that ever opened it owns it, and nobody below commits."""

from abc import ABC, abstractmethod

import pytest

from engine.core.exchange.changes import PutEndpoint
from engine.core.vocabulary.identifiers import FencingNumber
from engine.runtime.ports import Store
from engine.storage.errors import StoreFenced, StoreInUse
from tests.engine.ports.store_contract import VENTES, endpoint, rows, taken


class FencingContract(ABC):
    """Subclasses give `open_with`: the store, of the same instance each time within one test."""

    @abstractmethod
    def open_with(self, fence: FencingNumber) -> Store:
        """The store that the tests are about."""

    def commit_one(self, store: Store, number: int) -> None:
        store.commit([PutEndpoint(database=VENTES, endpoint=endpoint(number))], [taken(number)])

    def test_a_number_below_the_highest_is_refused_and_changes_nothing(self):
        store = self.open_with(FencingNumber(7))
        self.commit_one(store, 1)
        store.close()
        with pytest.raises(StoreFenced, match=r"\b7\b"):
            self.open_with(FencingNumber(6))
        again = self.open_with(FencingNumber(7))
        self.commit_one(again, 2)
        assert rows(again).endpoints == [endpoint(1), endpoint(2)]
        again.close()

    def test_a_higher_number_goes_on_where_the_lower_one_has_stopped(self):
        for number in (1, 2, 30_000, 2**40):
            store = self.open_with(FencingNumber(number))
            assert store.load().last_event == len(rows(store).endpoints)
            self.commit_one(store, number)
            store.close()
        with pytest.raises(StoreFenced):
            self.open_with(FencingNumber(30_000))


class TakeOverContract(FencingContract):
    """Of stores that an owner has open while the next one comes."""

    def test_an_owner_that_was_overtaken_commits_nothing_more(self):
        earlier = self.open_with(FencingNumber(1))
        self.commit_one(earlier, 1)
        later = self.open_with(FencingNumber(2))
        self.commit_one(later, 2)
        for number in (3, 4):
            with pytest.raises(StoreFenced):
                self.commit_one(earlier, number)
        self.commit_one(later, 5)
        assert rows(later).endpoints == [endpoint(1), endpoint(2), endpoint(5)]
        assert later.load().last_event == 3
        earlier.close()
        self.commit_one(later, 6)
        later.close()

    def test_an_equal_number_waits_until_the_store_is_closed(self):
        first = self.open_with(FencingNumber(3))
        with pytest.raises(StoreInUse):
            self.open_with(FencingNumber(3))
        self.commit_one(first, 1)
        first.close()
        second = self.open_with(FencingNumber(3))
        self.commit_one(second, 2)
        second.close()
