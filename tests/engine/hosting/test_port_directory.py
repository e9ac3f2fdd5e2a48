"""From modelled addresses to real ports: every server has port 4022 to itself, on one machine."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.core.catalog.hosts import host_names
from engine.core.vocabulary.identifiers import EstateName, InstanceName
from engine.core.vocabulary.messages import TcpAddress
from engine.hosting.directory import Listener, PortDirectory
from engine.transport.dialer import HostUnknown

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
