"""The service key of a deployment, and a secure dialog between two hosted instances over real connections."""

import base64
import stat
from pathlib import Path

import pytest

from engine.core.catalog.changes import ServiceAltered
from engine.core.catalog.security import Certificate, MasterKey, RemoteServiceBinding, User
from engine.core.catalog.security_changes import (
    CertificateCreated,
    MasterKeyCreated,
    RemoteServiceBindingCreated,
    UserCreated,
)
from engine.core.vocabulary.dialog_security import KeySuite
from engine.core.vocabulary.identifiers import CertificateName, RemoteServiceBindingName, UserName
from engine.core.vocabulary.moment import UtcTime
from engine.hosting import client
from engine.hosting.embedded import EmbeddedEngine
from engine.hosting.errors import EngineUnavailable, ServiceKeyUnusable
from engine.hosting.keys import FILE_NAME, check_service_key, key_vault, vault_of
from engine.hosting.settings import HostingSettings
from tests.engine.hosting import two_instances as estate
from tests.support.waiting import until


def test_the_key_is_made_once_and_only_its_owner_may_read_it(tmp_path: Path) -> None:
    settings = HostingSettings(data_directory=tmp_path)
    master = vault_of(settings).new_master_key()
    path = tmp_path / FILE_NAME
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert len(base64.b64decode(path.read_text())) == 32
    assert vault_of(settings).can_open(master)
    assert [each.name for each in tmp_path.iterdir()] == [FILE_NAME]


def test_a_key_that_is_given_leaves_no_file_and_is_not_shown(tmp_path: Path) -> None:
    text = base64.b64encode(bytes(32)).decode()
    settings = HostingSettings(data_directory=tmp_path, service_key=text)
    assert vault_of(settings).can_open(vault_of(settings).new_master_key())
    assert list(tmp_path.iterdir()) == []
    assert text not in repr(settings)


@pytest.mark.parametrize("text", ["", "rubbish", base64.b64encode(b"short").decode()])
def test_what_is_no_key_is_a_sentence(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE_NAME).write_text(text)
    with pytest.raises(EngineUnavailable, match="32 bytes in base64"):
        vault_of(HostingSettings(data_directory=tmp_path))
    with pytest.raises(EngineUnavailable, match="32 bytes in base64"):
        vault_of(HostingSettings(data_directory=tmp_path, service_key=text))


@pytest.mark.parametrize(
    "content", [b"\x00\xff\xfe", b"abc", b"", base64.b64encode(bytes(31)), bytes(32), "é".encode()]
)
def test_a_file_that_holds_no_key_is_a_sentence_with_what_to_do(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / FILE_NAME
    path.write_bytes(content)
    settings = HostingSettings(data_directory=tmp_path)
    for ask in (vault_of, check_service_key):
        with pytest.raises(ServiceKeyUnusable, match=r"32 bytes in base64\. Put it back from a copy") as caught:
            ask(settings)
        assert str(path) in str(caught.value)
    assert path.read_bytes() == content


def test_a_look_at_the_key_makes_none(tmp_path: Path) -> None:
    check_service_key(HostingSettings(data_directory=tmp_path))
    assert list(tmp_path.iterdir()) == []


def test_a_key_that_is_gone_though_there_are_stores_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    settings = HostingSettings(data_directory=tmp_path)
    vault_of(settings)
    assert caplog.records == [], "the first start makes one without a word"
    (tmp_path / "démo").mkdir()
    (tmp_path / "démo" / "PARIS.sqlite3").touch()
    (tmp_path / FILE_NAME).unlink()
    vault_of(settings)
    vault_of(settings)
    [told] = caplog.records
    assert told.getMessage().startswith(f"5120: The service key {tmp_path / FILE_NAME} is gone")


def test_a_key_that_cannot_be_read_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).mkdir()
    with pytest.raises(EngineUnavailable, match="cannot be read"):
        vault_of(HostingSettings(data_directory=tmp_path))


@pytest.fixture
def secured(engine: EmbeddedEngine) -> None:
    """PARIS and LYON with certificates of this deployment; LYON protects with the other suite."""
    estate.define()
    client.open_instance(estate.ESTATE, estate.LYON, pace=estate.PACE, key_suite=KeySuite.AES_256_GCM)
    smith = key_vault()
    sides = {}
    for name in (estate.PARIS, estate.LYON):
        master = smith.new_master_key()
        made = smith.new_certificate(master, name, UtcTime(1.7e9), UtcTime(4e9))
        assert made is not None
        sides[name] = (master, made)
    for name, far, database, service in (
        (estate.PARIS, estate.LYON, estate.VENTES, estate.ORDERS),
        (estate.LYON, estate.PARIS, estate.STOCK, estate.WAREHOUSE),
    ):
        master, (facts, private_key) = sides[name]
        their_facts = sides[far][1][0]
        fields = facts.__struct_fields__
        own = Certificate(
            name=CertificateName(name),
            owner=UserName("moi"),
            private_key=private_key,
            **{field: getattr(facts, field) for field in fields},
        )
        theirs = Certificate(
            name=CertificateName(far),
            owner=UserName("eux"),
            **{field: getattr(their_facts, field) for field in fields},
        )
        binding = RemoteServiceBinding(RemoteServiceBindingName("b"), estate.WAREHOUSE, UserName("eux"))
        estate.apply(
            name,
            2,
            MasterKeyCreated(database=database, master_key=MasterKey(master)),
            UserCreated(database=database, user=User(UserName("moi"))),
            UserCreated(database=database, user=User(UserName("eux"))),
            CertificateCreated(database=database, certificate=own),
            CertificateCreated(database=database, certificate=theirs),
            ServiceAltered(database=database, name=service, owner=UserName("moi")),
            RemoteServiceBindingCreated(database=database, binding=binding),
        )


@pytest.mark.usefixtures("secured")
def test_a_secure_dialog_goes_over_real_connections_and_survives_that_an_instance_is_opened_anew() -> None:
    handle = estate.begin_dialog()
    for number in range(20):
        estate.send(handle, number)
    until(lambda: estate.ready_at_lyon() == 20, "20 messages in LYON")
    client.close_instance(estate.ESTATE, estate.PARIS)
    client.open_instance(estate.ESTATE, estate.PARIS, pace=estate.PACE)
    estate.send(handle, 20)
    until(lambda: estate.ready_at_lyon() == 21, "one more after PARIS was opened again")
    assert estate.receive_all() == list(range(21))
    until(lambda: estate.waiting_at_paris() == 0, "every message acknowledged")
