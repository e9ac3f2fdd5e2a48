"""Commits of a sender's store: memory, SQLite, PostgreSQL, in turns; the durable ones sync (docs/performance.md).

A commit of n messages is what n SENDs on a few dialogs bring about while as many earlier messages are acknowledged: n
rows of 1 KiB, the endpoints, one deletion for each dialog, n events.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engine.core.exchange.changes import AppendTransmission, PutEndpoint, StateChange, TrimTransmission
from engine.core.vocabulary.identifiers import EstateName, FencingNumber
from engine.runtime.ports import Store
from engine.storage.memory import MemoryStore
from engine.storage.postgres import PostgresStore
from engine.storage.sqlite import SqliteStore
from tests.benchmarks.measure import in_turns
from tests.engine.ports.store_contract import PARIS, VENTES, endpoint, handle, taken, waiting
from tests.support.postgres_server import running_postgres

DIALOGS = 5
SIZES = {1: 100, 10: 60, 100: 20, 500: 6}
"""Messages of a commit, and how many commits make a turn."""
ROUNDS = 7
BODY = bytes(1024)


def sent(size: int, first: int) -> list[StateChange]:
    """The changes of one commit; `first` numbers its messages, those of the commit before it are acknowledged."""
    changes: list[StateChange] = []
    for number in range(size):
        dialog = number % DIALOGS
        changes.append(AppendTransmission(database=VENTES, row=waiting(dialog, first + number, BODY)))
        changes.append(PutEndpoint(database=VENTES, endpoint=endpoint(dialog)))
    for dialog in range(min(DIALOGS, size)):
        changes.append(TrimTransmission(database=VENTES, conversation_handle=handle(dialog), through=first - 1))
    return changes


def turn(store: Store, size: int, commits: int) -> Callable[[], int]:
    """Some commits of one size; the changes are made before anybody's clock runs."""
    prepared: Iterator[list[StateChange]] = iter(
        [sent(size, number * size) for number in range(commits * (ROUNDS + 1))]
    )
    events = [taken(1)] * size

    def work() -> int:
        for _ in range(commits):
            store.commit(next(prepared), events)
        return commits

    return work


@pytest.mark.timeout(900)
def test_commits_of_stores(show: Callable[[str, list[list[str]]], None], tmp_path: Path) -> None:
    rows = [["messages a commit", "store", "ms a commit", "(min-max)", "messages/s", "x SQLite"]]
    with running_postgres(is_synced=True) as server:
        for size, commits in SIZES.items():
            stores: dict[str, Store] = {
                "memory": MemoryStore(PARIS),
                "SQLite": SqliteStore(tmp_path / f"{size}.sqlite3", PARIS),
                "PostgreSQL": PostgresStore(server.url, EstateName(f"benchmark {size}"), PARIS, FencingNumber(1)),
            }
            figures = in_turns({name: turn(each, size, commits) for name, each in stores.items()}, rounds=ROUNDS)
            for name, figure in figures.items():
                stores[name].close()
                rows.append(
                    [
                        f"{size}",
                        name,
                        f"{figure.median * 1e3:.3f}",
                        f"{figure.fastest * 1e3:.3f}-{figure.slowest * 1e3:.3f}",
                        f"{size / figure.median:,.0f}",
                        f"{figure.median / figures['SQLite'].median:.2f}",
                    ]
                )
    show("commits of stores: 1 KiB messages sent and acknowledged, with their events", rows)
