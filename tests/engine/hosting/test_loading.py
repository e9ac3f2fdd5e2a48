"""Loading takes as long as it takes: the lease stays, other instances live, and whoever stops need not wait for it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import ClassVar

import pytest

from engine.core.vocabulary.identifiers import DatabaseName, EstateName, FencingNumber, InstanceName
from engine.core.vocabulary.moment import Duration
from engine.core.vocabulary.rows import DatabaseRows
from engine.hosting import roster, shelves
from engine.hosting.errors import EngineUnavailable
from engine.hosting.host import EngineHost
from engine.hosting.lease_keeper import RENEWALS_A_LEASE, SILENCE_SECONDS_MAX
from engine.hosting.leases import MemoryLeaseBook
from engine.hosting.settings import HostingSettings
from engine.storage.sqlite import SqliteStore
from tests.engine.hosting.two_instances import WAIT_SECONDS_MAX
from tests.support.hand_clock import HandClock
from tests.support.waiting import until

DEMO = EstateName("démo")
LYON, PARIS = (DEMO, InstanceName("LYON")), (DEMO, InstanceName("PARIS"))
LEASE = Duration(60.0)
"""By the hand clock."""

StartHost = Callable[[str], EngineHost]


class SlowStore(SqliteStore):
    """Is not read to its end before the test says so, where it is that of PARIS."""

    may_end: ClassVar[threading.Event]

    def _databases(self, names: Sequence[DatabaseName], *, in_spans: bool) -> Iterator[DatabaseRows]:
        yield from super()._databases(names, in_spans=in_spans)
        if self._instance == PARIS[1]:
            assert self.may_end.wait(WAIT_SECONDS_MAX)


class EndlessStore(SqliteStore):
    """Comes to no end."""

    def _databases(self, names: Sequence[DatabaseName], *, in_spans: bool) -> Iterator[DatabaseRows]:
        while True:
            time.sleep(0.02)
            yield DatabaseRows(database=DatabaseName("master"))


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def book(clock: HandClock) -> MemoryLeaseBook:
    return MemoryLeaseBook(fences=True, clock=clock)


@pytest.fixture
def make_host(tmp_path: Path, book: MemoryLeaseBook, clock: HandClock) -> Iterator[StartHost]:
    hosts: list[EngineHost] = []

    def make(name: str) -> EngineHost:
        settings = HostingSettings(
            data_directory=tmp_path / "engine", leases=book, lease_seconds=LEASE, retry_seconds=Duration(0.2)
        )
        hosts.append(host := EngineHost(settings, wake=None, on_hosted=lambda *_: None, name=name, clock=clock))
        return host

    yield make
    for host in hosts:
        host.stop()


def answers(host: EngineHost, key: tuple[EstateName, InstanceName]) -> bool:
    try:
        host.read_view(*key, 1)
    except EngineUnavailable:
        return False
    return True


def let_leases_pass(book: MemoryLeaseBook, clock: HandClock, seconds: float) -> None:
    """Each time that a renewal is due, wait for it."""
    for _ in range(int(seconds * RENEWALS_A_LEASE / LEASE)):
        clock.advance(LEASE / RENEWALS_A_LEASE, waits=1)
        until(lambda: all(entry.seconds_left == LEASE for entry in book.entries()), "all leases are renewed")


def test_an_instance_that_loads_for_longer_than_a_lease_comes_up_and_the_others_live_meanwhile(
    make_host: StartHost,
    book: MemoryLeaseBook,
    clock: HandClock,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
):
    before = make_host("before")
    before.start()
    for key in (LYON, PARIS):
        before.open_instance(*key)
    before.stop()
    monkeypatch.setattr(shelves, "SqliteStore", SlowStore)
    monkeypatch.setattr(SlowStore, "may_end", threading.Event(), raising=False)
    monkeypatch.setattr(roster, "LOADING_SECONDS", 0.01)
    host = make_host("after")
    starting = threading.Thread(target=host.start)
    plate = shelves.plate_of(tmp_path / "engine", LYON)
    with monkeypatch.context() as impatient:
        # A host may take longer to start than anybody waits for an answer.
        impatient.setattr(EngineHost._ask, "__defaults__", (0.01,))
        starting.start()
        until(lambda: host._thread is not None and plate.exists(), "LYON receives sessions")
    let_leases_pass(book, clock, 3 * max(LEASE, SILENCE_SECONDS_MAX))
    assert answers(host, LYON)
    with pytest.raises(EngineUnavailable, match=r"PARIS .* is being loaded"):
        host.read_view(*PARIS, 1)
    assert starting.is_alive()
    SlowStore.may_end.set()
    starting.join(WAIT_SECONDS_MAX)
    assert not starting.is_alive()
    assert answers(host, PARIS)
    assert answers(host, LYON)
    assert [entry.fence for entry in book.entries()] == [2, 2], "nobody has lost a lease"


def test_a_host_that_stops_gives_up_what_it_is_loading(
    make_host: StartHost, book: MemoryLeaseBook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    first, second = make_host("first"), make_host("second")
    first.start()
    first.open_instance(*PARIS)
    second.start()
    monkeypatch.setattr(shelves, "SqliteStore", EndlessStore)
    first.stop()
    until(lambda: second._roster._loading == PARIS, "the other one loads it")
    # Fails when it has not ended after `STOP_SECONDS_MAX`.
    second.stop()
    assert [entry.holder for entry in book.entries()] == [None], "the lease is given back"
    monkeypatch.undo()
    path = shelves.place_of(tmp_path / "engine", PARIS, shelves.SUFFIX)
    SqliteStore(path, PARIS[1], FencingNumber(3)).close()
