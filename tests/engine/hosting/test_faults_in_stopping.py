"""What goes wrong while an instance stops: the rest of it stops all the same, and so do the others."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from engine.core.catalog.changes import EndpointCreated
from engine.core.catalog.objects import Endpoint, EndpointState
from engine.core.exchange.commands import ApplyCatalog
from engine.core.vocabulary.identifiers import CatalogRevision, CommandId, EndpointName, EstateName, InstanceName
from engine.core.vocabulary.moment import Duration
from engine.hosting.errors import EngineUnavailable
from engine.hosting.host import EngineHost
from engine.hosting.hosted import HostedInstance
from engine.hosting.leases import MemoryLeaseBook
from engine.hosting.settings import HostingSettings
from engine.storage.errors import StoreFailed
from engine.storage.sqlite import SqliteStore
from tests.support.waiting import until

LYON, PARIS = (EstateName("démo"), InstanceName("LYON")), (EstateName("démo"), InstanceName("PARIS"))

StartHost = Callable[[MemoryLeaseBook | None], EngineHost]


@pytest.fixture
def start_host(tmp_path: Path) -> Iterator[StartHost]:
    hosts: list[EngineHost] = []

    def start(book: MemoryLeaseBook | None) -> EngineHost:
        settings = HostingSettings(
            data_directory=tmp_path / "engine", leases=book, lease_seconds=Duration(60.0), retry_seconds=Duration(0.1)
        )
        hosts.append(host := EngineHost(settings, wake=None, on_hosted=lambda *_: None))
        host.start()
        return host

    yield start
    for host in hosts:
        host.stop()


def apply(host: EngineHost, revision: int) -> None:
    """Something that must be committed: at revision 1 an endpoint is made."""
    name = EndpointName("Broker")
    changes = (EndpointCreated(endpoint=Endpoint(name, 4022, EndpointState.STARTED)),) if revision == 1 else ()
    command = ApplyCatalog(
        command_id=CommandId(uuid4()),
        base=CatalogRevision(revision - 1),
        revision=CatalogRevision(revision),
        changes=changes,
    )
    host.execute(*PARIS, [command])


def revision_of(host: EngineHost) -> int | None:
    try:
        return host.read_view(*PARIS, 1).revision
    except EngineUnavailable:
        return None


@pytest.mark.parametrize("is_leased", [False, True])
def test_an_instance_whose_disk_becomes_read_only_stops_as_a_whole_and_comes_back_with_the_disk(
    start_host: StartHost, monkeypatch: pytest.MonkeyPatch, is_leased: bool
):
    host = start_host(MemoryLeaseBook(fences=True) if is_leased else None)
    host.open_instance(*PARIS)
    apply(host, 1)
    until(lambda: host.read_view(*PARIS, 1).listening_port is not None, "it listens")
    hosted = host._roster.hosted(PARIS)

    def unlink(path: Path, missing_ok: bool = False) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    def commit(store: SqliteStore, *_: object) -> None:
        raise StoreFailed(os.strerror(errno.EROFS))

    with monkeypatch.context() as disk:
        disk.setattr(Path, "unlink", unlink)
        disk.setattr(SqliteStore, "commit", commit)
        with pytest.raises(EngineUnavailable, match="Read-only file system"):
            apply(host, 2)
        assert hosted.failure
        assert hosted._listener.port is None, "nobody listens"
        assert hosted.store._log.is_closed, "nobody holds the store"
    until(lambda: revision_of(host) == 1, "it has come back")
    apply(host, 2)
    assert revision_of(host) == 2


def test_a_fault_while_one_instance_is_closed_keeps_no_lease_and_no_other_instance_open(
    start_host: StartHost, monkeypatch: pytest.MonkeyPatch
):
    book = MemoryLeaseBook(fences=True)
    host = start_host(book)
    for key in (LYON, PARIS):
        host.open_instance(*key)
    paris = host._roster.hosted(PARIS)
    close = HostedInstance.close

    async def faulty(hosted: HostedInstance) -> None:
        if hosted is not paris:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        await close(hosted)

    monkeypatch.setattr(HostedInstance, "close", faulty)
    host.stop()
    assert [entry.holder for entry in book.entries()] == [None, None]
    assert paris.store._log.is_closed
