"""Stores that are deleted, moved or replaced, and disks without room: said with a number, and nothing is made of it."""

import errno
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from engine.core.catalog.changes import DatabaseCreated
from engine.core.exchange.commands import ApplyCatalog
from engine.core.vocabulary.identifiers import (
    BrokerInstanceId,
    CatalogRevision,
    CommandId,
    DatabaseName,
    EstateName,
    InstanceName,
)
from engine.core.vocabulary.moment import Duration
from engine.hosting.errors import EngineUnavailable
from engine.hosting.host import EngineHost
from engine.hosting.leases import MemoryLeaseBook
from engine.hosting.settings import HostingSettings
from engine.storage.commit_log import file as commit_log
from tests.support.each import for_each

DEMO, PARIS, LYON = EstateName("démo"), InstanceName("PARIS"), InstanceName("LYON")
KEY = (DEMO, PARIS)
NEVER = Duration(1000.0)


class Deployment:
    """A folder and a book of leases that outlive the hosts on them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.book = MemoryLeaseBook()
        self.hosts: list[EngineHost] = []

    def start(self) -> EngineHost:
        settings = HostingSettings(data_directory=self.folder, retry_seconds=NEVER, leases=self.book)
        host = EngineHost(settings, wake=None, on_hosted=lambda *_: None)
        self.hosts.append(host)
        host.start()
        return host

    def files(self) -> list[Path]:
        return sorted(self.folder.rglob("PARIS.sqlite3*"))


@pytest.fixture
def deployment(tmp_path: Path) -> Iterator[Deployment]:
    made = Deployment(tmp_path / "engine")
    yield made
    for host in made.hosts:
        host.stop()


def fill(host: EngineHost) -> None:
    for name in (PARIS, LYON):
        host.open_instance(DEMO, name)
        apply(host, name, 1)


def apply(host: EngineHost, name: InstanceName, revision: int) -> None:
    created = DatabaseCreated(database=DatabaseName(f"D{revision}"), broker_instance=BrokerInstanceId(uuid4()))
    command = ApplyCatalog(
        command_id=CommandId(uuid4()),
        base=CatalogRevision(revision - 1),
        revision=CatalogRevision(revision),
        changes=(created,),
    )
    host.execute(DEMO, name, [command])


def look(host: EngineHost) -> None:
    """One round of looking after what is not alive."""
    host._ask(host._roster.look(mends=True))


def told(host: EngineHost) -> str:
    """What whoever asks for PARIS is told."""
    with pytest.raises(EngineUnavailable) as refused:
        host.read_view(*KEY, 1)
    return str(refused.value)


def figures(deployment: Deployment, host: EngineHost) -> str:
    """What the table of hosts says of PARIS, as the next renewal writes it."""
    host._ask(host._roster._leases._look())
    return host._roster._leases._last_figures[KEY].failure


def deleted(deployment: Deployment) -> None:
    for path in deployment.files():
        path.unlink()


def without_its_file(deployment: Deployment) -> None:
    """The log is left."""
    [path] = deployment.folder.rglob("PARIS.sqlite3")
    path.unlink()


def with_its_folder(deployment: Deployment) -> None:
    """As when its disk is not mounted: LYON's is gone too."""
    shutil.rmtree(deployment.files()[0].parent)


def moved(deployment: Deployment) -> None:
    (deployment.folder / "elsewhere").mkdir()
    for path in deployment.files():
        path.rename(deployment.folder / "elsewhere" / f"{path.name}.old")


WAYS_TO_GO = (deleted, without_its_file, with_its_folder, moved)


@for_each("go", WAYS_TO_GO)
def test_a_store_that_is_gone_at_the_start_is_told_and_not_made_anew(
    tmp_path: Path, go: Callable[[Deployment], None], caplog: pytest.LogCaptureFixture
):
    deployment = Deployment(tmp_path / go.__name__)
    first = deployment.start()
    fill(first)
    first.stop()
    path = next(deployment.folder.rglob("PARIS.sqlite3"))
    go(deployment)
    left = deployment.files()
    caplog.clear()
    second = deployment.start()
    said = told(second)
    assert "5120" in said
    assert str(path) in said
    assert "backup" in said
    assert "5120" in figures(deployment, second)
    lines = [each for each in caplog.records if "PARIS" in each.getMessage()]
    assert [(each.levelname, "5120" in each.getMessage(), each.exc_info) for each in lines] == [("ERROR", True, None)]
    for _ in range(2):
        look(second)
    assert sum("PARIS" in each.getMessage() for each in caplog.records) == 1, "it is said once"
    with pytest.raises(EngineUnavailable, match="5120"):
        second.open_instance(*KEY, makes=False)
    assert deployment.files() == left, "nothing is made in its place"
    second.stop()


@for_each("go", WAYS_TO_GO)
def test_a_store_that_goes_while_its_instance_lives_is_noticed(tmp_path: Path, go: Callable[[Deployment], None]):
    """Else it would go on acknowledging what is gone with its process."""
    deployment = Deployment(tmp_path / go.__name__)
    host = deployment.start()
    fill(host)
    go(deployment)
    look(host)
    assert "5120" in told(host)
    assert "5120" in figures(deployment, host)
    host.stop()


def test_a_log_that_goes_while_its_instance_lives_is_noticed_and_nothing_is_lost(deployment: Deployment):
    host = deployment.start()
    fill(host)
    [log] = deployment.folder.rglob("PARIS.sqlite3-log")
    log.unlink()
    look(host)
    look(host)
    apply(host, PARIS, 2)
    assert host.read_view(*KEY, 1).revision == 2


def test_a_store_that_is_replaced_while_its_instance_lives_is_opened_anew(deployment: Deployment):
    host = deployment.start()
    fill(host)
    host.close_instance(*KEY)
    backup = {path: path.read_bytes() for path in deployment.files()}
    host.open_instance(*KEY)
    apply(host, PARIS, 2)
    for path in deployment.files():
        path.unlink()
    for path, content in backup.items():
        path.write_bytes(content)
    look(host)
    host.open_instance(*KEY, makes=False)
    assert host.read_view(*KEY, 1).revision == 1
    apply(host, PARIS, 2)
    assert [path.name for path in deployment.files() if path.stat().st_size == 0] == []


def test_a_store_that_comes_back_is_opened(deployment: Deployment):
    first = deployment.start()
    fill(first)
    first.stop()
    kept = [(path, path.with_name(f"{path.name}.kept")) for path in deployment.files()]
    for path, away in kept:
        path.rename(away)
    second = deployment.start()
    assert "5120" in told(second)
    for path, away in kept:
        away.rename(path)
    look(second)
    assert second.read_view(*KEY, 1).revision == 1


def test_an_empty_file_begins_without_what_the_store_had(deployment: Deployment):
    first = deployment.start()
    fill(first)
    first.stop()
    path = next(deployment.folder.rglob("PARIS.sqlite3"))
    deleted(deployment)
    path.touch()
    second = deployment.start()
    assert second.read_view(*KEY, 1).revision == 0
    apply(second, PARIS, 1)


@for_each("forgets", [False, True])
def test_an_instance_that_was_closed_is_not_missed(tmp_path: Path, forgets: bool):
    deployment = Deployment(tmp_path / str(forgets))
    first = deployment.start()
    fill(first)
    first.close_instance(*KEY, forgets=forgets)
    first.stop()
    deleted(deployment)
    second = deployment.start()
    assert "is not open in this engine" in told(second)
    second.open_instance(*KEY)
    assert second.read_view(*KEY, 1).revision == 0
    second.stop()


@for_each("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_is_told_with_its_folder_and_size(tmp_path: Path, number: int, caplog: pytest.LogCaptureFixture):
    deployment = Deployment(tmp_path / str(number))
    host = deployment.start()
    fill(host)
    caplog.clear()

    def full(*_: object) -> int:
        raise OSError(number, os.strerror(number))

    with pytest.MonkeyPatch.context() as disk:
        disk.setattr(commit_log.LogFile, "_write", full)
        with pytest.raises(EngineUnavailable) as refused:
            apply(host, PARIS, 2)
    assert refused.value.number == 1105
    folder = next(deployment.folder.rglob("PARIS.sqlite3")).parent
    total = shutil.disk_usage(folder).total / 1_000_000
    assert f"1105: The disk of the folder {folder} is full" in str(refused.value)
    assert f"of {total:.0f} MB" in str(refused.value)
    assert [each.exc_info for each in caplog.records if each.levelname == "ERROR"] == [None], "and no traceback"
    look(host)
    apply(host, PARIS, 2)
    host.stop()
