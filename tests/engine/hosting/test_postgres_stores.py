"""Two instances whose stores are in PostgreSQL, in an embedded engine; the server is killed and comes back."""

import signal
import threading
import time
from pathlib import Path

import msgspec
import pytest

from engine.core.vocabulary.identifiers import EstateName, InstanceName
from engine.core.vocabulary.moment import Duration
from engine.hosting import client
from engine.hosting.app import configure
from engine.hosting.bootstep import running_host
from engine.hosting.embedded import EmbeddedEngine
from engine.hosting.errors import EngineUnavailable
from engine.hosting.roster import Roster
from engine.hosting.settings import HostingSettings
from engine.hosting.shelves import PostgresShelf
from engine.storage.errors import StoreInUse
from tests.engine.hosting.engine_process import asked, persistently
from tests.engine.hosting.two_instances import (
    ESTATE,
    LYON,
    PARIS,
    QUEUE,
    STOCK,
    begin_dialog,
    define,
    ready_at_lyon,
    receive_all,
    send,
    waiting_at_paris,
)
from tests.support.postgres_server import PostgresServer
from tests.support.thoroughness import share
from tests.support.waiting import until

MESSAGES = 60


@pytest.fixture
def settings(tmp_path: Path, empty: PostgresServer) -> HostingSettings:
    return HostingSettings(
        data_directory=tmp_path / "engine", store_url=empty.url, wakes_web=False, retry_seconds=Duration(0.2)
    )


def start(settings: HostingSettings) -> EmbeddedEngine:
    configure(settings)
    engine = EmbeddedEngine()
    engine.start()
    return engine


def everything_has_arrived() -> None:
    until(lambda: asked(lambda: waiting_at_paris() == 0), "everything is acknowledged")
    until(lambda: asked(lambda: ready_at_lyon() == MESSAGES), "everything is there to be received")


def test_what_was_sent_is_there_after_a_restart_and_no_file_was_made(settings: HostingSettings):
    engine = start(settings)
    define()
    handle = begin_dialog()
    for number in range(MESSAGES):
        send(handle, number)
    everything_has_arrived()
    engine.stop()
    assert not list(settings.data_directory.glob("*/*.sqlite3"))
    engine = start(settings)
    with client.open_session(ESTATE, LYON) as session, session.receive_many(STOCK, QUEUE, top=MESSAGES) as messages:
        assert [int(row.message_body or b"-1") for row in messages] == list(range(MESSAGES))
    engine.stop()


@pytest.mark.parametrize("how", share([signal.SIGQUIT, signal.SIGINT], 1))
def test_the_server_is_stopped_in_the_middle_and_nothing_is_lost(
    settings: HostingSettings, empty: PostgresServer, how: signal.Signals
):
    engine = start(settings)
    define()
    handle = begin_dialog()
    sent: list[int] = []
    was_down = threading.Event()

    def restart() -> None:
        for after in share([0, MESSAGES // 3, 2 * MESSAGES // 3], 2):
            until(lambda after=after: len(sent) > after, "messages are sent again")
            empty.stop(how)
            empty.start()
        was_down.set()

    restarting = threading.Thread(target=restart)
    restarting.start()
    try:
        while len(sent) < MESSAGES or not was_down.is_set():
            persistently(lambda: send(handle, len(sent)))
            sent.append(len(sent))
            time.sleep(0.002)
    finally:
        restarting.join()
    number = len(sent)
    until(lambda: asked(lambda: waiting_at_paris() == 0), "everything is acknowledged")
    until(lambda: asked(lambda: ready_at_lyon() == number), "everything is there to be received")
    assert receive_all() == list(range(number))
    engine.stop()


def test_while_the_server_is_away_the_reason_is_said_and_the_engine_can_be_started(
    settings: HostingSettings, empty: PostgresServer
):
    engine = start(settings)
    define()
    handle = begin_dialog()
    empty.stop()
    with pytest.raises(EngineUnavailable, match="PostgreSQL"):
        send(handle, 0)
    with pytest.raises(EngineUnavailable, match="PostgreSQL"):
        client.open_instance(ESTATE, "MARSEILLE")
    engine.stop()

    engine = start(settings)
    with pytest.raises(EngineUnavailable, match="PostgreSQL"):
        client.open_instance(ESTATE, PARIS)
    empty.start()
    persistently(lambda: send(handle, 0))
    until(lambda: asked(lambda: ready_at_lyon() == 1), "the message has arrived")
    engine.stop()


def test_a_server_that_is_away_is_written_into_the_log_once_for_each_reason_and_not_at_each_look(
    settings: HostingSettings,
    empty: PostgresServer,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
):
    looks: list[bool] = []
    look = Roster.look

    async def counted(roster: Roster, *, mends: bool) -> None:
        await look(roster, mends=mends)
        looks.append(mends)

    monkeypatch.setattr(Roster, "look", counted)
    engine = start(msgspec.structs.replace(settings, retry_seconds=Duration(0.02)))
    records_before = len(caplog.records)
    empty.stop()
    looks.clear()
    until(lambda: looks.count(True) > 10, "all was looked through ten times")
    told = [record for record in caplog.records[records_before:] if record.name == "engine.hosting.roster"]
    assert [record.getMessage() for record in told if "cannot be looked through" in record.getMessage()]
    assert len(told) <= 3, "the session that is lost, and the server that refuses"
    assert all(record.exc_info is None for record in told), "an outage is no fault of the program"
    empty.start()
    persistently(define)
    engine.stop()


def test_a_closed_instance_stays_closed_and_a_forgotten_one_leaves_nothing(
    settings: HostingSettings, empty: PostgresServer
):
    engine = start(settings)
    define()
    client.close_instance(ESTATE, PARIS)
    client.close_instance(ESTATE, LYON, forgets=True)
    host = running_host()
    assert host is not None
    host._ask(host._roster.look(mends=True))
    for name in (PARIS, LYON):
        with pytest.raises(EngineUnavailable):
            client.read_view(ESTATE, name, 0, timeout_seconds=0.5)
    shelf = PostgresShelf(empty.url)
    assert list(shelf.find()) == [(ESTATE, PARIS)]
    assert shelf.exists((EstateName(ESTATE), InstanceName(PARIS)))
    assert not shelf.exists((EstateName(ESTATE), InstanceName(LYON)))
    shelf.delete((EstateName(ESTATE), InstanceName(LYON)))
    shelf.close()
    engine.stop()
    engine = start(settings)
    with pytest.raises(EngineUnavailable):
        client.read_view(ESTATE, PARIS, 0, timeout_seconds=0.5)
    client.open_instance(ESTATE, PARIS)
    assert client.read_view(ESTATE, PARIS, 0).databases
    engine.stop()


def test_a_store_that_is_open_is_not_deleted_and_the_shelf_outlives_a_restart_of_the_server(empty: PostgresServer):
    shelf, key = PostgresShelf(empty.url), (EstateName("e"), InstanceName("i"))
    store = shelf.open(key)
    assert list(shelf.find()) == [key]
    with pytest.raises(StoreInUse):
        shelf.delete(key)
    with pytest.raises(StoreInUse):
        shelf.open(key)
    stamp = shelf.stamp(key)
    store.write_note("hosting", "{}")
    assert shelf.stamp(key) != stamp
    store.close()
    empty.stop()
    empty.start()
    assert list(shelf.find()) == [key]
    shelf.delete(key)
    assert not list(shelf.find())
    shelf.close()
