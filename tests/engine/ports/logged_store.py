"""What tests of a store with a log do to it."""

from engine.core.exchange.changes import AppendTransmission
from engine.storage.sqlite import SqliteStore
from tests.engine.ports.store_contract import VENTES, rows, waiting


def append(first: int, end: int, body: bytes = b"x") -> list[AppendTransmission]:
    return [AppendTransmission(database=VENTES, row=waiting(1, number, body)) for number in range(first, end)]


def numbers(store: SqliteStore) -> list[int]:
    return [row.message_sequence_number for row in rows(store).transmission]


def crash(store: SqliteStore) -> None:
    """What is left of a store when its process dies: no fold, no mark."""
    store._log.close()
    store._connection.close()
