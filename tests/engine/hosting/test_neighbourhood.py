"""Who is at the other end of a connection, by what it has proved and what the hosts of the estate know."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from uuid import UUID

import msgspec
import pytest

from engine.core.link.handshake import Peer
from engine.core.link.negotiation import Method, Protection
from engine.core.vocabulary.identifiers import BrokerInstanceId, EstateName, InstanceName
from engine.core.vocabulary.messages import TcpAddress
from engine.hosting.directory import Listener, PortDirectory
from engine.hosting.neighbourhood import NEIGHBOURS_MAX, Neighbourhood

DEMO, PARIS, LYON = EstateName("démo"), InstanceName("PARIS"), InstanceName("LYON")
STOCK = BrokerInstanceId(UUID(int=1))
PLACE = ("127.0.0.1", 5001)
LYONS, MALLORYS = b"the certificate of LYON", b"the certificate of MALLORY"
CATALOG = SimpleNamespace(
    databases={
        "master": SimpleNamespace(
            certificates={
                "Lyon 2026": SimpleNamespace(certificate=LYONS),
                "Mallory": SimpleNamespace(certificate=MALLORYS),
            }
        )
    }
)
ENTRY = Listener(
    instance=LYON,
    hosts=("lyon",),
    modelled_port=4022,
    real=PLACE,
    brokers=(STOCK,),
    certificate=hashlib.sha256(LYONS).hexdigest(),
)


@pytest.fixture
def directory(tmp_path: Path) -> Iterator[PortDirectory]:
    opened = PortDirectory(tmp_path / "directory.sqlite3")
    opened.put(DEMO, ENTRY)
    yield opened
    opened.close()


@pytest.fixture
def paris(directory: PortDirectory) -> Neighbourhood:
    return Neighbourhood(directory, (DEMO, PARIS), lambda: CATALOG)


def peer(instance: str, certificate: str | None, method: Method = Method.CERTIFICATE) -> Peer:
    return Peer(
        instance=InstanceName(instance),
        arbitration_id=UUID(int=1),
        principal=certificate,
        certificate=certificate,
        method=method,
        protection=Protection.AES,
        listening_port=None,
    )


def test_an_instance_is_known_by_the_certificate_that_its_host_says_it_shows(paris: Neighbourhood):
    """Whatever it calls itself, and wherever its connection comes from."""
    for name in ("LYON", "ANOTHER"):
        found = paris.of(peer(name, "Lyon 2026"), None)
        assert found.brokers == {STOCK}
        assert found.is_at(TcpAddress("lyon", 4022))
        assert not found.is_vouched


def test_a_name_proves_nothing(paris: Neighbourhood):
    for certificate in ("Mallory", None, "Unknown"):
        found = paris.of(peer("LYON", certificate), None)
        assert found.brokers == frozenset()
        assert not found.is_at(TcpAddress("lyon", 4022))


def test_a_name_counts_where_hosts_vouch_for_it(paris: Neighbourhood):
    assert paris.of(peer("LYON", None, Method.VOUCHED), None).brokers == {STOCK}
    assert paris.of(peer("MALLORY", None, Method.VOUCHED), None).brokers == frozenset()


def test_who_was_called_is_known_by_the_place(paris: Neighbourhood):
    assert paris.of(peer("LYON", "Unknown"), PLACE).brokers == {STOCK}


def test_another_certificate_of_an_instance_counts_once_its_host_says_so(
    paris: Neighbourhood, directory: PortDirectory
):
    assert paris.of(peer("LYON", "Mallory"), None).brokers == frozenset()
    directory.put(DEMO, msgspec.structs.replace(ENTRY, certificate=hashlib.sha256(MALLORYS).hexdigest()))
    assert paris.of(peer("LYON", "Mallory"), None).brokers == {STOCK}
    assert paris.of(peer("LYON", "Lyon 2026"), None).brokers == frozenset()


def test_what_is_remembered_has_a_bound(paris: Neighbourhood):
    for number in range(NEIGHBOURS_MAX + 10):
        paris.of(peer(f"X{number}", "Mallory"), None)
    assert len(paris._known) <= NEIGHBOURS_MAX


def test_a_directory_that_cannot_be_read_is_said_once(
    paris: Neighbourhood, directory: PortDirectory, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
):
    def fail() -> None:
        raise OSError("the disk is gone")

    assert paris.of(peer("LYON", "Lyon 2026"), None).brokers == {STOCK}
    monkeypatch.setattr(directory, "state", fail)
    for _ in range(10):
        assert paris.of(peer("LYON", "Lyon 2026"), None).brokers == {STOCK}, "as it was last read"
    assert len(caplog.records) == 1
