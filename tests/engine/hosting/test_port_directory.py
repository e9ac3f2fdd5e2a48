"""From modelled addresses to real ports: every server has port 4022 to itself, on one machine."""

import os
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import apsw
import msgspec
import pytest

from engine.core.catalog.hosts import host_names
from engine.core.vocabulary.identifiers import EstateName, InstanceName
from engine.core.vocabulary.messages import TcpAddress
from engine.core.vocabulary.moment import Duration
from engine.hosting.directory import Listener, PortDirectory
from engine.hosting.host import EngineHost
from engine.hosting.settings import HostingSettings
from engine.transport.dialer import HostUnknown
from tests.support.waiting import until

DEMO = EstateName("demo")
HUB = InstanceName("HUB")


def listener(
    name: str, real_port: int | None, modelled_port: int | None = 4022, further: tuple[str, ...] = ()
) -> Listener:
    return Listener(
        instance=InstanceName(name),
        hosts=host_names(InstanceName(name), further),
        modelled_port=modelled_port,
        real=None if real_port is None else ("127.0.0.1", real_port),
    )


@pytest.fixture
def directory(tmp_path: Path) -> Iterator[PortDirectory]:
    directory = PortDirectory(tmp_path / "directory.sqlite3")
    directory.put(DEMO, listener("PARIS", 40001, further=("paris-ag.exemple.fr", "10.0.0.1")))
    directory.put(DEMO, listener("LYON", 40002))
    directory.put(DEMO, listener("LYON\\STOCK", 40003, modelled_port=4023))
    directory.put(DEMO, listener("BERLIN", None))
    directory.put(DEMO, listener("HUB", None, modelled_port=None))
    directory.put(EstateName("other"), listener("ROME", 40009))
    yield directory
    directory.close()


@pytest.mark.parametrize(
    ("host", "port", "real_port"),
    [
        ("paris", 4022, 40001),
        ("PARIS", 4022, 40001),
        ("paris-ag.exemple.fr", 4022, 40001),
        ("10.0.0.1", 4022, 40001),
        ("paris.exemple.fr", 4022, 40001),
        ("paris.", 4022, 40001),
        ("lyon", 4022, 40002),
        ("lyon", 4023, 40003),
        ("localhost", 4023, 40003),
        ("127.0.0.1", 4023, 40003),
        ("::1", 4023, 40003),
    ],
)
def test_an_address_leads_to_the_instance_it_means(directory: PortDirectory, host: str, port: int, real_port: int):
    assert directory.resolve(DEMO, TcpAddress(host, port), HUB) == ("127.0.0.1", real_port)


@pytest.mark.parametrize(
    "host",
    [
        "rome",  # of another estate
        "parisien",
        "exemple.fr",
        "10.0.0.2",
        "10",  # no label of an address is a name
        "localhost",  # three instances have port 4022
    ],
)
def test_a_host_that_no_one_instance_answers_to_is_unknown(directory: PortDirectory, host: str):
    with pytest.raises(HostUnknown):
        directory.resolve(DEMO, TcpAddress(host, 4022), HUB)


@pytest.mark.parametrize(("host", "port"), [("paris", 4023), ("berlin", 4022), ("hub", 4022)])
def test_a_known_host_without_a_listener_refuses(directory: PortDirectory, host: str, port: int):
    with pytest.raises(ConnectionRefusedError, match="refused"):
        directory.resolve(DEMO, TcpAddress(host, port), HUB)


def test_loopback_on_its_own_port_is_the_caller_itself(directory: PortDirectory):
    """routing.md E25; others may have the same port."""
    for caller, real_port in ((InstanceName("PARIS"), 40001), (InstanceName("LYON"), 40002)):
        assert directory.resolve(DEMO, TcpAddress("localhost", 4022), caller) == ("127.0.0.1", real_port)
    assert directory.resolve(DEMO, TcpAddress("localhost", 4023), InstanceName("PARIS")) == ("127.0.0.1", 40003)


def test_an_instance_that_moves_is_found_where_it_is_now(directory: PortDirectory):
    directory.put(DEMO, listener("PARIS", 50001))
    assert directory.resolve(DEMO, TcpAddress("paris", 4022), HUB) == ("127.0.0.1", 50001)


def test_a_removed_instance_is_unknown(directory: PortDirectory):
    directory.remove(DEMO, InstanceName("PARIS"))
    with pytest.raises(HostUnknown):
        directory.resolve(DEMO, TcpAddress("paris", 4022), HUB)


def test_a_port_is_occupied_by_another_instance_of_the_same_server_only(directory: PortDirectory):
    assert directory.occupant(DEMO, listener("LYON\\VENTES", None)) == "LYON"
    assert directory.occupant(DEMO, listener("LYON\\VENTES", None, modelled_port=4024)) is None
    assert directory.occupant(DEMO, listener("LYON", None)) is None
    assert directory.occupant(DEMO, listener("BERLIN\\VENTES", None)) is None, "BERLIN does not listen"


def test_two_processes_share_one_directory(directory: PortDirectory, tmp_path: Path):
    second = PortDirectory(tmp_path / "directory.sqlite3")
    second.put(DEMO, listener("NICE", 40010))
    second.close()
    assert directory.resolve(DEMO, TcpAddress("nice", 4022), HUB) == ("127.0.0.1", 40010)


def test_a_damaged_file_is_put_aside_and_an_empty_one_begun(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    path = tmp_path / "directory.sqlite3"
    damaged = os.urandom(8192)
    path.write_bytes(damaged)
    directory = PortDirectory(path)
    directory.put(DEMO, listener("PARIS", 40001))
    assert directory.listeners(DEMO) == [listener("PARIS", 40001)]
    [aside] = tmp_path.glob("directory.sqlite3.damaged-????????")
    assert aside.read_bytes() == damaged
    assert "directory.sqlite3 is damaged" in caplog.text
    directory.close()


def test_a_file_that_is_damaged_while_it_is_used_is_put_aside_by_whoever_finds_it_so(tmp_path: Path):
    path = tmp_path / "directory.sqlite3"
    first, second = PortDirectory(path), PortDirectory(path)
    first.put(DEMO, listener("PARIS", 40001))
    first._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    before = second.file()
    with path.open("r+b") as file:
        file.write(os.urandom(8192))
    third = PortDirectory(path)
    third.put(DEMO, listener("LYON", 40002))
    assert second.file() != before, "which tells instances to write their entries again"
    second.put(DEMO, listener("PARIS", 40001))
    for each in (first, second, third):
        assert each.listeners(DEMO) == [listener("LYON", 40002), listener("PARIS", 40001)]
        each.close()


def test_an_instance_finds_its_way_back_into_a_directory_that_was_lost(tmp_path: Path):
    settings = HostingSettings(data_directory=tmp_path, retry_seconds=Duration(0.1))
    host = EngineHost(settings, wake=None, on_hosted=lambda *_: None)
    host.start()
    try:
        host.open_instance(DEMO, HUB)
        for path in tmp_path.glob("directory.sqlite3*"):
            path.unlink()
        other = PortDirectory(tmp_path / "directory.sqlite3")
        until(lambda: [each.instance for each in other.listeners(DEMO)] == [HUB], "it is found again")
        other.close()
    finally:
        host.stop()


def test_a_file_of_an_earlier_version_is_read_and_written_on(tmp_path: Path):
    """Its workers may go on writing it beside ours, without the later columns."""
    path = tmp_path / "directory.sqlite3"
    old = apsw.Connection(str(path))
    old.execute(
        "CREATE TABLE listeners (estate TEXT NOT NULL, instance TEXT NOT NULL, hosts TEXT NOT NULL,"
        " modelled_port INTEGER, real_host TEXT, real_port INTEGER, PRIMARY KEY (estate, instance)) STRICT"
    )
    insert = (
        "INSERT OR REPLACE INTO listeners (estate, instance, hosts, modelled_port, real_host, real_port)"
        " VALUES ('demo', ?, '[\"x\"]', 4022, '127.0.0.1', ?)"
    )
    old.execute(insert, ("PARIS", 5001))
    for _ in range(2):
        directory = PortDirectory(path)
        [paris] = [each for each in directory.listeners("demo") if each.instance == "PARIS"]
        assert (paris.real, paris.forwards, paris.brokers, paris.certificate) == (("127.0.0.1", 5001), False, (), None)
        before = directory.state()
        old.execute(insert, ("LYON", 5002))
        assert directory.state() != before
        known = msgspec.structs.replace(paris, instance="HUB", forwards=True, brokers=(uuid4(),), certificate="ab")
        directory.put("demo", known)
        assert [each for each in directory.listeners("demo") if each.instance == "HUB"] == [known]
        directory.close()
    old.close()
