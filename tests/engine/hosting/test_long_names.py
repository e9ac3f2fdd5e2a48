"""Instances whose quoted names are longer than a file system and AMQP take, on files and on PostgreSQL."""

import logging
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from engine.core.vocabulary.identifiers import EstateName, InstanceName
from engine.hosting import client
from engine.hosting.app import configure, queue_of
from engine.hosting.embedded import EmbeddedEngine
from engine.hosting.errors import EngineUnavailable
from engine.hosting.hosted import HostedInstance
from engine.hosting.settings import HostingSettings
from engine.hosting.shelves import SUFFIX, FileShelf, place_of, plate_of
from tests.support.each import for_each
from tests.support.postgres_server import PostgresServer

LONG = ["A" * 128, "." * 128, " /" * 64, "é" * 128, "名" * 128, "😀" * 128]
"""Of one to four bytes in UTF-8 each; quoting triples all but the first."""
DEMO = EstateName("demo")
FILE_NAME_BYTES_MAX = 255
LONGEST_SUFFIX = "-journal"


@pytest.fixture(params=["files", "postgres"])
def kept(request: pytest.FixtureRequest, settings: HostingSettings) -> HostingSettings:
    """Settings of hosts that keep their stores in files, and in PostgreSQL."""
    if request.param == "files":
        return settings
    server: PostgresServer = request.getfixturevalue("empty")
    return msgspec.structs.replace(settings, store_url=server.url)


@pytest.fixture
def engines() -> Iterator[list[EmbeddedEngine]]:
    started: list[EmbeddedEngine] = []
    yield started
    for engine in started:
        engine.stop()


def start(settings: HostingSettings, engines: list[EmbeddedEngine]) -> EmbeddedEngine:
    configure(settings)
    engine = EmbeddedEngine()
    engine.start()
    engines.append(engine)
    return engine


def test_instances_with_long_names_live_and_come_back(kept: HostingSettings, engines: list[EmbeddedEngine]):
    first = start(kept, engines)
    for name in LONG:
        client.open_instance(DEMO, name)
        with client.open_session(DEMO, name):
            assert client.read_view(DEMO, name, 1).name == name
    first.stop()
    engines.clear()
    start(kept, engines)
    for name in LONG:
        assert client.read_view(DEMO, name, 1).name == name
        client.close_instance(DEMO, name, forgets=True)
    assert list(kept.data_directory.glob("demo/*")) == []


@for_each("name", LONG)
def test_names_of_files_and_queues_fit_and_differ(name: str):
    key, other = (DEMO, InstanceName(name)), (DEMO, InstanceName(name[:-1] + "b"))
    file = place_of(Path(), key, SUFFIX).name + LONGEST_SUFFIX
    assert len(file.encode()) <= FILE_NAME_BYTES_MAX
    assert len(queue_of(*key).encode()) <= FILE_NAME_BYTES_MAX
    assert place_of(Path(), key, SUFFIX) != place_of(Path(), other, SUFFIX)
    assert queue_of(*key) != queue_of(*other)


def test_names_of_released_versions_stay():
    assert queue_of(EstateName("été.1"), InstanceName("PARIS 2")) == "engine.%C3%A9t%C3%A9%2E1.PARIS%202"
    assert (
        str(place_of(Path(), (EstateName("été.1"), InstanceName("a+b")), SUFFIX)) == "%C3%A9t%C3%A9%2E1/a%2Bb.sqlite3"
    )
    assert place_of(Path(), (DEMO, InstanceName("x" * 239)), "").name == "x" * 239
    assert queue_of(DEMO, InstanceName("x" * 243)) == "engine.demo." + "x" * 243


def test_a_name_that_is_lost_is_said_once_and_others_are_found(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    shelf = FileShelf(tmp_path)
    lost, kept = [(DEMO, InstanceName(name)) for name in ("é" * 128, "PARIS")]
    for key in (lost, kept):
        shelf.open(key).close()
    full_name, file = shelf.files(lost)[-1], shelf.path(lost)
    assert full_name.name.endswith("-name"), "a backup has it"
    full_name.write_text('["demo", "another"]')
    with caplog.at_level(logging.ERROR):
        assert [list(shelf.find()), list(shelf.find())] == [[kept], [kept]]
    [record] = caplog.records
    assert f"5120: {file} is not opened" in record.getMessage()
    shelf.open(lost).close()
    assert sorted(shelf.find()) == sorted([kept, lost])


def test_an_instance_that_cannot_listen_is_reported_and_the_others_come_up(
    settings: HostingSettings, engines: list[EmbeddedEngine], monkeypatch: pytest.MonkeyPatch
):
    first = start(settings, engines)
    for name in ("LYON", "PARIS"):
        client.open_instance(DEMO, name)
    first.stop()
    engines.clear()
    listen = HostedInstance.listen

    async def fail(self: HostedInstance) -> None:
        if self.key[1] == "LYON":
            raise RuntimeError("no ears")
        await listen(self)

    monkeypatch.setattr(HostedInstance, "listen", fail)
    start(settings, engines)
    assert client.read_view(DEMO, "PARIS", 1).name == "PARIS"
    for ask in (lambda: client.read_view(DEMO, "LYON", 1), lambda: client.open_instance(DEMO, "LYON", pace=2.0)):
        with pytest.raises(EngineUnavailable, match="no ears"):
            ask()
    assert not plate_of(settings.data_directory, (DEMO, InstanceName("LYON"))).exists()
