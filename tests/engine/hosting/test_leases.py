"""Hosts that share a book of leases: one owner at a time, and who loses a lease falls silent before anything else."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import pytest

from engine.core.catalog.changes import EndpointCreated
from engine.core.catalog.objects import Endpoint, EndpointState
from engine.core.exchange.commands import ApplyCatalog
from engine.core.vocabulary.identifiers import CatalogRevision, CommandId, EndpointName, EstateName, InstanceName
from engine.core.vocabulary.moment import Duration
from engine.hosting import lease_keeper
from engine.hosting.clock import SYSTEM_CLOCK
from engine.hosting.errors import EngineUnavailable
from engine.hosting.host import LOOK_SECONDS, EngineHost
from engine.hosting.leases import HolderId, InstanceFigures, Lease, LeasesUnavailable, MemoryLeaseBook
from engine.hosting.settings import LEASE_SECONDS, HostingSettings
from engine.hosting.shelf import InstanceKey
from engine.hosting.tenure import MARGIN, Tenure
from tests.support.hand_clock import HandClock
from tests.support.waiting import until

KEY = PLACE = (EstateName("démo"), InstanceName("PARIS"))
LEASE = Duration(12.0)
"""By the hand clock."""
RENEWAL = LEASE / lease_keeper.RENEWALS_A_LEASE
SOMEBODY = HolderId("somebody/1/x")


class Book(MemoryLeaseBook):
    """A book that can be out of reach."""

    def __init__(self, clock: HandClock) -> None:
        super().__init__(fences=True, clock=clock)
        self.is_away = False
        self.renewals = 0
        """How often it was asked for one."""

    def take(self, key: InstanceKey, holder: HolderId, seconds: Duration) -> Lease | None:
        if self.is_away:
            raise LeasesUnavailable("the database is away")
        return super().take(key, holder, seconds)

    def renew(
        self, holder: HolderId, figures: Mapping[InstanceKey, InstanceFigures], seconds: Duration
    ) -> frozenset[InstanceKey]:
        try:
            if self.is_away:
                raise LeasesUnavailable("the database is away")
            return super().renew(holder, figures, seconds)
        finally:
            self.renewals += 1

    def seize(self, key: InstanceKey) -> int:
        """Another owner, as if the lease had ended: the number that it has."""
        self._rows[key].holder = None
        lease = self.take(key, SOMEBODY, Duration(60.0))
        assert lease is not None
        return lease.fence


StartHost = Callable[[str], EngineHost]


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


@pytest.fixture
def book(clock: HandClock) -> Book:
    return Book(clock)


@pytest.fixture
def start_host(tmp_path: Path, book: Book, clock: HandClock) -> Iterator[StartHost]:
    hosts: list[EngineHost] = []

    def start(name: str) -> EngineHost:
        settings = HostingSettings(
            data_directory=tmp_path / "engine", leases=book, lease_seconds=LEASE, retry_seconds=Duration(0.2)
        )
        host = EngineHost(settings, wake=None, on_hosted=lambda *_: None, name=name, clock=clock)
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


def look_after(host: EngineHost) -> None:
    """One round of looking after what is not alive."""
    host._ask(host._roster.look(mends=True))


def renew(book: Book, clock: HandClock, hosts: int = 1) -> None:
    """Let the time of a renewal come, and wait until the book was asked for it by the host that has the instance."""
    before = book.renewals
    clock.advance(RENEWAL, waits=hosts)
    until(lambda: book.renewals > before, "the book is asked for a renewal")


def until_renewed(book: Book, clock: HandClock, condition: Callable[[], bool], what: str) -> None:
    """Renew until it is so: a renewal does not wait long for a loop that is slow to say how its instances are."""

    def is_so() -> bool:
        renew(book, clock)
        return condition()

    until(is_so, what)


@contextmanager
def busy_loop(host: EngineHost) -> Iterator[None]:
    """The loop of a host answers nobody, as on a disk that hangs."""
    is_busy, is_free = threading.Event(), threading.Event()

    async def be_busy() -> None:
        is_busy.set()
        is_free.wait()

    busy: Future[None] = host._begin_asking(be_busy())
    is_busy.wait()
    try:
        yield
    finally:
        is_free.set()
        busy.result()


def test_a_second_host_leaves_alone_what_the_first_one_has(start_host: StartHost, book: Book, clock: HandClock):
    first, second = start_host("first"), start_host("second")
    assert first.open_instance(*PLACE)
    assert not second.open_instance(*PLACE)
    assert not second.close_instance(*PLACE)
    for _ in range(2 * lease_keeper.RENEWALS_A_LEASE):
        renew(book, clock, hosts=2)
        look_after(second)
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


def test_what_a_dead_worker_hosted_is_taken_up_as_soon_as_its_lease_ends(
    start_host: StartHost, book: Book, clock: HandClock
):
    first = start_host("first")
    first.open_instance(*PLACE)
    first.stop()
    # Before there is a second host, which would take it.
    assert book.take(KEY, SOMEBODY, LEASE) is not None
    second = start_host("second")
    clock.advance(LEASE - 1)
    look_after(second)
    assert entry(book).holder == SOMEBODY
    clock.advance(1)
    look_after(second)
    assert answers(second)


def test_a_dead_worker_is_replaced_within_15_seconds_of_its_last_renewal():
    assert LEASE_SECONDS + LOOK_SECONDS < 15


def test_a_closed_instance_is_taken_by_nobody_until_it_is_opened(start_host: StartHost, book: Book):
    first, second = start_host("first"), start_host("second")
    first.open_instance(*PLACE)
    first.close_instance(*PLACE)
    for host in (first, second):
        look_after(host)
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


def test_a_host_whose_renewal_is_refused_falls_silent(start_host: StartHost, book: Book, clock: HandClock):
    host = start_host("first")
    host.open_instance(*PLACE)
    hosted = host._roster.hosted(KEY)
    book.seize(KEY)
    renew(book, clock)
    until(lambda: not answers(host), "it is silent")
    assert "another worker has taken its lease" in hosted.failure
    with pytest.raises(EngineUnavailable, match="is not open in this engine"):
        host.read_view(*PLACE, 1)


def test_a_host_that_cannot_renew_stops_before_its_lease_ends_and_comes_back(
    start_host: StartHost, book: Book, clock: HandClock
):
    host = start_host("first")
    host.open_instance(*PLACE)
    hosted = host._roster.hosted(KEY)
    book.is_away = True
    renew(book, clock)
    renew(book, clock)
    assert answers(host)
    clock.advance(LEASE * (1 - MARGIN) - 2 * RENEWAL)
    assert not answers(host)
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
    for _ in range(2):
        look_after(host)
        assert KEY not in host._roster._instances, "it is let go of"
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


def test_a_book_that_is_older_than_the_stores_keeps_an_instance_closed_and_says_why(
    start_host: StartHost, book: Book, clock: HandClock
):
    host = start_host("first")
    host.open_instance(*PLACE)
    host.stop()
    book._rows[KEY].fence = 0
    host._roster._shelf.open(KEY, 9).close()
    second = start_host("second")
    until(lambda: KEY in second._roster._failures, "it has tried")
    with pytest.raises(EngineUnavailable, match=r"owner 1 was followed by owner 9.*from the same moment"):
        second.read_view(*PLACE, 1)
    until_renewed(book, clock, lambda: getattr(entry(book).figures, "failure", "") != "", "the book tells why")


def test_figures_come_with_the_renewals(start_host: StartHost, book: Book, clock: HandClock):
    host = start_host("first")
    host.open_instance(*PLACE)
    change(host, 1)
    until_renewed(book, clock, lambda: getattr(entry(book).figures, "revision", None) == 1, "the revision is told")
    assert entry(book).figures.worker_bytes > 2**20


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A renewal does not wait for a loop that is busy."""
    monkeypatch.setattr(lease_keeper, "FIGURES_SECONDS", 0.0)


@pytest.mark.usefixtures("impatient")
def test_a_loop_that_is_busy_for_longer_than_a_lease_keeps_it(start_host: StartHost, book: Book, clock: HandClock):
    host = start_host("first")
    host.open_instance(*PLACE)
    with busy_loop(host):
        for _ in range(2 * lease_keeper.RENEWALS_A_LEASE):
            renew(book, clock)
    assert answers(host)
    assert entry(book).fence == 1


@pytest.mark.usefixtures("impatient")
def test_a_loop_that_is_silent_for_too_long_leaves_its_leases_to_others(
    start_host: StartHost, book: Book, clock: HandClock
):
    host = start_host("first")
    host.open_instance(*PLACE)
    with busy_loop(host):
        for _ in range(int(lease_keeper.SILENCE_SECONDS_MAX / RENEWAL)):
            renew(book, clock)
        for _ in range(lease_keeper.RENEWALS_A_LEASE):
            clock.advance(RENEWAL, waits=1)
        clock.advance(0, waits=1)
        assert not entry(book).is_held
        assert book.take(KEY, SOMEBODY, LEASE) is not None
    assert not answers(host)


@pytest.mark.usefixtures("impatient")
def test_a_loop_that_answers_late_each_time_is_not_taken_for_a_silent_one(
    start_host: StartHost, book: Book, clock: HandClock
):
    host = start_host("first")
    host.open_instance(*PLACE)
    for _ in range(int(2 * lease_keeper.SILENCE_SECONDS_MAX / RENEWAL)):
        with busy_loop(host):
            renew(book, clock)
        until(host._roster._leases._question.done, "it has answered, too late")
    assert answers(host)
    assert entry(book).fence == 1


def test_a_tenure_ends_before_the_lease_and_without_an_end_never(clock: HandClock):
    tenure = Tenure(clock=clock)
    assert not tenure.is_over()
    assert tenure.fence is None
    tenure.prolong(clock.lasting_seconds(), LEASE)
    clock.advance(LEASE * (1 - MARGIN) - 0.001)
    assert not tenure.is_over()
    clock.advance(0.001)
    assert tenure.is_over()


def test_leases_last_by_a_clock_that_goes_on_while_the_machine_sleeps():
    boot_time = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
    before = time.clock_gettime(boot_time)
    now = SYSTEM_CLOCK.lasting_seconds()
    assert before <= now <= time.clock_gettime(boot_time)
