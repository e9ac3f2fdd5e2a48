"""Hosts that share a book of leases: one owner at a time, and who loses a lease falls silent before anything else."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from uuid import uuid4

import pytest

from engine.core.catalog.changes import EndpointCreated
from engine.core.catalog.objects import Endpoint, EndpointState
from engine.core.exchange.commands import ApplyCatalog
from engine.core.vocabulary.identifiers import CatalogRevision, CommandId, EndpointName, EstateName, InstanceName
from engine.core.vocabulary.moment import Duration
from engine.hosting import lease_keeper
from engine.hosting.errors import EngineUnavailable
from engine.hosting.host import EngineHost
from engine.hosting.leases import HolderId, InstanceFigures, LeasesUnavailable, MemoryLeaseBook
from engine.hosting.settings import HostingSettings
from engine.hosting.shelf import InstanceKey
from engine.hosting.tenure import MARGIN, Tenure
from tests.engine.hosting.two_instances import until

KEY = PLACE = (EstateName("démo"), InstanceName("PARIS"))
LEASE = Duration(1.2)
SOMEBODY = HolderId("somebody/1/x")


class Book(MemoryLeaseBook):
    """A book that can be out of reach."""

    def __init__(self) -> None:
        super().__init__(fences=True)
        self.is_away = False

    def renew(
        self, holder: HolderId, figures: Mapping[InstanceKey, InstanceFigures], seconds: Duration
    ) -> frozenset[InstanceKey]:
        if self.is_away:
            raise LeasesUnavailable("the database is away")
        return super().renew(holder, figures, seconds)

    def seize(self, key: InstanceKey) -> int:
        """Another owner, as if the lease had ended: the number that it has."""
        self._rows[key].holder = None
        lease = self.take(key, SOMEBODY, Duration(60.0))
        assert lease is not None
        return lease.fence


StartHost = Callable[[str], EngineHost]


@pytest.fixture
def book() -> Book:
    return Book()


@pytest.fixture
def start_host(tmp_path: Path, book: Book) -> Iterator[StartHost]:
    hosts: list[EngineHost] = []

    def start(name: str) -> EngineHost:
        settings = HostingSettings(
            data_directory=tmp_path / "engine", leases=book, lease_seconds=LEASE, retry_seconds=Duration(0.2)
        )
        host = EngineHost(settings, wake=None, on_hosted=lambda *_: None, name=name)
        hosts.append(host)
        host.start()
        return host

    yield start
    for host in hosts:
        host.stop()


def answers(host: EngineHost) -> bool:
    try:
        host.read_view(*PLACE, 1)
    except EngineUnavailable:
        return False
    return True


def change(host: EngineHost, revision: int) -> None:
    """Something that must be committed: at revision 1 an endpoint is made."""
    changes = (EndpointCreated(endpoint=Endpoint(EndpointName("Broker"), 4022, EndpointState.STARTED)),)
    command = ApplyCatalog(
        command_id=CommandId(uuid4()),
        base=CatalogRevision(revision - 1),
        revision=CatalogRevision(revision),
        changes=changes if revision == 1 else (),
    )
    host.execute(*PLACE, [command])


def entry(book: Book):
    (found,) = book.entries()
    return found


def test_a_second_host_leaves_alone_what_the_first_one_has(start_host: StartHost, book: Book):
    first, second = start_host("first"), start_host("second")
    assert first.open_instance(*PLACE)
    assert not second.open_instance(*PLACE)
    assert not second.close_instance(*PLACE)
    time.sleep(2 * LEASE)
    assert answers(first), "its lease is renewed"
    assert not answers(second)
    assert entry(book).fence == 1


def test_what_a_host_gives_back_is_taken_up_by_another_one(start_host: StartHost, book: Book):
    first, second = start_host("first"), start_host("second")
    first.open_instance(*PLACE)
    change(first, 1)
    first.stop()
    until(lambda: answers(second), "the second host has it")
    assert second.read_view(*PLACE, 1).revision == 1
    assert entry(book).fence == 2
    assert entry(book).holder.startswith("second/")


def test_a_closed_instance_is_taken_by_nobody_until_it_is_opened(start_host: StartHost, book: Book):
    first, second = start_host("first"), start_host("second")
    first.open_instance(*PLACE)
    first.close_instance(*PLACE)
    time.sleep(1.0)
    assert (answers(first), answers(second), entry(book).fence) == (False, False, 1)
    assert second.open_instance(*PLACE)
    assert answers(second)


def test_an_instance_that_is_deleted_and_made_anew_has_a_higher_number(start_host: StartHost, book: Book):
    host = start_host("first")
    host.open_instance(*PLACE)
    host.close_instance(*PLACE, forgets=True)
    host.open_instance(*PLACE)
    change(host, 1)
    assert entry(book).fence == 2


def test_a_host_whose_renewal_is_refused_falls_silent(start_host: StartHost, book: Book):
    host = start_host("first")
    host.open_instance(*PLACE)
    hosted = host._roster.hosted(KEY)
    book.seize(KEY)
    until(lambda: not answers(host), "it is silent")
    assert "another worker has taken its lease" in hosted.failure
    with pytest.raises(EngineUnavailable, match="is not open in this engine"):
        host.read_view(*PLACE, 1)


def test_a_host_that_cannot_renew_stops_before_its_lease_ends_and_comes_back(start_host: StartHost, book: Book):
    host = start_host("first")
    host.open_instance(*PLACE)
    hosted = host._roster.hosted(KEY)
    book.is_away = True
    until(lambda: not answers(host), "it is silent")
    assert entry(book).is_held, "it has stopped while nobody else could take the instance"
    assert "its lease" in hosted.failure
    book.is_away = False
    until(lambda: answers(host), "it has taken the instance again")
    assert entry(book).fence == 2


def test_a_store_that_a_later_owner_has_makes_its_host_let_go(start_host: StartHost, book: Book):
    host = start_host("first")
    host.open_instance(*PLACE)
    hosted = host._roster.hosted(KEY)
    fence = book.seize(KEY)
    host._roster._shelf.open(KEY, fence).close()
    with pytest.raises(EngineUnavailable, match="not hosted by this worker any more"):
        change(host, 1)
    assert hosted.is_lost
    until(lambda: KEY not in host._roster._instances, "it is let go of")
    time.sleep(1.5)
    assert KEY not in host._roster._failures, "and not loaded anew"


def test_who_was_paused_answers_nothing_though_nobody_has_told_it_yet(start_host: StartHost):
    host = start_host("first")
    host.open_instance(*PLACE)
    hosted = host._roster.hosted(KEY)

    async def wake_up_late() -> None:
        hosted._tenure.prolong(0.0, LEASE)
        with pytest.raises(EngineUnavailable, match="its lease has ended"):
            hosted.view(1)
        assert hosted.is_lost

    host._ask(wake_up_late())


def test_who_lost_an_instance_leaves_the_entry_of_the_next_owner_in_the_directory(start_host: StartHost):
    host = start_host("first")
    host.open_instance(*PLACE)
    change(host, 1)
    until(lambda: host.read_view(*PLACE, 1).listening_port is not None, "it listens")
    directory = host._roster._around.directory

    async def lose() -> list[object]:
        host._roster.hosted(KEY).lose("somebody has it")
        return [each.real for each in directory.listeners(KEY[0])]

    (real,) = host._ask(lose())
    assert real is not None


def test_a_book_that_is_older_than_the_stores_keeps_an_instance_closed_and_says_why(start_host: StartHost, book: Book):
    host = start_host("first")
    host.open_instance(*PLACE)
    host.stop()
    book._rows[KEY].fence = 0
    host._roster._shelf.open(KEY, 9).close()
    second = start_host("second")
    until(lambda: KEY in second._roster._failures, "it has tried")
    with pytest.raises(EngineUnavailable, match=r"owner 1 was followed by owner 9.*from the same moment"):
        second.read_view(*PLACE, 1)
    until(lambda: getattr(entry(book).figures, "failure", "") != "", "the book tells why")


def test_figures_come_with_the_renewals(start_host: StartHost, book: Book):
    host = start_host("first")
    host.open_instance(*PLACE)
    change(host, 1)
    until(lambda: getattr(entry(book).figures, "revision", None) == 1, "the revision is told")
    assert entry(book).figures.worker_bytes > 2**20


def test_a_loop_that_is_busy_for_longer_than_a_lease_keeps_it(start_host: StartHost, book: Book):
    host = start_host("first")
    host.open_instance(*PLACE)

    async def be_busy() -> None:
        # As on a disk that hangs.
        time.sleep(2 * LEASE)  # noqa: ASYNC251
        await asyncio.sleep(0)

    host._ask(be_busy())
    assert answers(host)
    assert entry(book).fence == 1


def test_a_loop_that_answers_late_each_time_is_not_taken_for_a_silent_one(
    start_host: StartHost, book: Book, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(lease_keeper, "SILENCE_SECONDS_MAX", 2.0)
    host = start_host("first")
    host.open_instance(*PLACE)

    async def be_slow() -> None:
        for _ in range(6):
            time.sleep(1.4 * lease_keeper.FIGURES_SECONDS)  # noqa: ASYNC251
            await asyncio.sleep(0)

    host._ask(be_slow())
    assert answers(host)
    assert entry(book).fence == 1


def test_a_tenure_ends_before_the_lease_and_without_an_end_never():
    tenure = Tenure()
    assert not tenure.is_over()
    assert tenure.fence is None
    now = time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))
    tenure.prolong(now - LEASE * (1 - MARGIN), LEASE)
    assert tenure.is_over()
    tenure.prolong(now, LEASE)
    assert not tenure.is_over()
