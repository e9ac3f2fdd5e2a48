"""The store in memory keeps the contract of a store."""

from engine.runtime.ports import Store
from engine.storage.memory import MemoryStore
from tests.engine.ports.store_contract import PARIS
from tests.engine.ports.thorough_contract import ThoroughStoreContract


class TestMemoryStore(ThoroughStoreContract):
    def open_store(self) -> Store:
        return MemoryStore(PARIS)

    def reopen(self, store: Store) -> Store:
        return store
