"""Stores that are held and copied under traffic: instances that start from the copies lose and double nothing."""

import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import msgspec
import pytest

from engine.core.exchange.commands import Receive, Send
from engine.core.exchange.replies import MessageSent, MessagesReceived
from engine.hosting import client, hold
from engine.hosting.app import configure
from engine.hosting.bootstep import running_host
from engine.hosting.embedded import EmbeddedEngine
from engine.hosting.errors import EngineUnavailable
from engine.hosting.held_stores import HeldStore, StoresChanged, held_stores
from engine.hosting.session.client import EngineSession
from engine.hosting.settings import HostingSettings
from engine.hosting.shelves import FileShelf
from engine.storage.commit_log.file import stored_fence
from tests.engine.hosting.two_instances import (
    ESTATE,
    LYON,
    PARIS,
    QUEUE,
    STOCK,
    VENTES,
    ask,
    begin_dialog,
    database,
    define,
    insist,
    receive_all,
    send,
)
from tests.support.waiting import until

DIALOGS = 3


@contextmanager
def traffic() -> Iterator[Callable[[], int]]:
    """PARIS sends on several dialogs, LYON answers on the first. Gives a function that counts the messages so far."""
    handles = [begin_dialog() for _ in range(DIALOGS)]
    send(handles[0], 0)
    until(lambda: database(LYON).queues[0].ready == 1, "LYON knows the first dialog")
    [row] = insist(LYON, Receive(command_id=uuid4(), database=STOCK, queue=QUEUE, top=1)).messages
    count, is_over = [0], threading.Event()

    def talk(instance: str, where: str, handle: object, first: int) -> None:
        number = first
        while not is_over.is_set():
            body = f"{instance} {handle} {number}".encode()
            reply = ask(instance, Send(command_id=uuid4(), database=where, conversation_handle=handle, body=body))
            assert isinstance(reply, MessageSent), reply
            number += 1
            count[0] += 1

    speakers = [(PARIS, VENTES, handle, int(handle == handles[0])) for handle in handles]
    speakers.append((LYON, STOCK, row.conversation_handle, 0))
    threads = [threading.Thread(target=talk, args=each) for each in speakers]
    for thread in threads:
        thread.start()
    try:
        until(lambda: count[0] > 50, "traffic flows")
        yield lambda: count[0]
    finally:
        is_over.set()
        for thread in threads:
            thread.join()


def copied(store: HeldStore, from_folder: Path, to_folder: Path) -> None:
    for path in store.files:
        target = to_folder / path.relative_to(from_folder)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)


def received(instance: str, where: str) -> list[bytes]:
    bodies: list[bytes] = []
    while True:
        reply = insist(instance, Receive(command_id=uuid4(), database=where, queue=QUEUE, top=1000))
        assert isinstance(reply, MessagesReceived)
        if not reply.messages:
            return bodies
        bodies += [row.message_body or b"" for row in reply.messages]


def sent(instance: str) -> dict[str, int]:
    """Number of messages that an instance has sent on each of its conversations."""
    return {str(end.conversation_handle): end.send_sequence for end in database(instance).conversation_endpoints}


def in_order(bodies: list[bytes]) -> dict[tuple[str, str], list[int]]:
    found: dict[tuple[str, str], list[int]] = {}
    for body in bodies:
        instance, handle, number = body.decode().split(" ")
        found.setdefault((instance, handle), []).append(int(number))
    return found


def test_instances_that_start_from_copies_lose_and_double_nothing(
    engine: EmbeddedEngine, settings: HostingSettings, tmp_path: Path
):
    define()
    copies = tmp_path / "copies"
    with traffic() as said:
        with held_stores(settings.data_directory) as stores:
            assert [store.key for store in stores] == [(ESTATE, LYON), (ESTATE, PARIS)]
            at_first = said()
            # The receiver first: without a moment for both, PARIS would have acknowledged what the copy of LYON lacks.
            for store in stores:
                copied(store, settings.data_directory, copies)
                time.sleep(0.1)
            assert said() - at_first <= DIALOGS + 1, "each of those who talk waits for one answer"
        resumed = said()
        until(lambda: said() > resumed + 50, "they go on")
    engine.stop()
    for path in settings.data_directory.glob("service-master-key"):
        shutil.copyfile(path, copies / path.name)
    configure(msgspec.structs.replace(settings, data_directory=copies))
    again = EmbeddedEngine()
    again.start()
    try:
        for instance in (PARIS, LYON):
            until(lambda one=instance: database(one).transmission_queue_total == 0, "all is acknowledged")
        sent_by = {PARIS: sent(PARIS), LYON: sent(LYON)}
        came = in_order([*received(LYON, STOCK), *received(PARIS, VENTES)])
        assert len(came) == DIALOGS + 1
        for (instance, handle), numbers in came.items():
            first = numbers[0]
            assert first in (0, 1), "the very first of one dialog was received before"
            assert numbers == list(range(first, sent_by[instance][handle]))
    finally:
        again.stop()
        configure(settings)


def test_a_held_store_is_not_written(engine: EmbeddedEngine, settings: HostingSettings):
    define()
    handle = begin_dialog()
    with held_stores(settings.data_directory) as stores:
        before = {path: path.read_bytes() for store in stores for path in store.files}
        asked = [threading.Thread(target=send, args=(handle, number)) for number in range(3)]
        for each in asked:
            each.start()
        # Reading, too, makes no commit.
        assert database(PARIS).conversation_endpoints
        time.sleep(0.1)
        assert {path: path.read_bytes() for path in before} == before
        assert all(each.is_alive() for each in asked)
    for each in asked:
        each.join()
    until(lambda: database(LYON).queues[0].ready == 3, "what waited was done")
    assert sorted(receive_all()) == [0, 1, 2]


def test_an_instance_goes_on_when_its_holder_has_gone(engine: EmbeddedEngine, settings: HostingSettings):
    define()
    handle = begin_dialog()
    session = client.open_session(ESTATE, PARIS)
    session.hold()
    session.close()
    send(handle, 0)
    until(lambda: database(LYON).queues[0].ready == 1, "it goes on")


def test_a_hold_that_lasts_too_long_ends_and_is_noticed(
    engine: EmbeddedEngine, settings: HostingSettings, monkeypatch: pytest.MonkeyPatch
):
    define()
    monkeypatch.setattr(hold, "HOLD_SECONDS_MAX", 0.1)
    handle = begin_dialog()
    with pytest.raises(StoresChanged, match="not held to the end"), held_stores(settings.data_directory):
        # It is answered, though nothing was released.
        send(handle, 0)


def test_two_holders_are_waited_for(engine: EmbeddedEngine):
    define()
    handle = begin_dialog()
    with client.open_session(ESTATE, PARIS) as one, client.open_session(ESTATE, PARIS) as other:
        one.hold()
        other.hold()
        assert one.release()
        assert not one.release(), "it holds nothing any more"
        waiting = threading.Thread(target=send, args=(handle, 0))
        waiting.start()
        time.sleep(0.05)
        assert waiting.is_alive()
        assert other.release()
        waiting.join()


def end_all() -> None:
    running_host()._ask(running_host()._roster.end())


@pytest.mark.parametrize("close", [lambda: client.close_instance(ESTATE, PARIS), end_all], ids=["one", "all"])
def test_an_instance_that_is_closed_meanwhile_is_noticed(
    engine: EmbeddedEngine, settings: HostingSettings, close: Callable[[], None]
):
    define()
    with pytest.raises((StoresChanged, EngineUnavailable)), held_stores(settings.data_directory):
        close()


def test_a_commit_without_a_hold_is_noticed(
    engine: EmbeddedEngine, settings: HostingSettings, monkeypatch: pytest.MonkeyPatch
):
    define()
    handle = begin_dialog()
    monkeypatch.setattr(EngineSession, "hold", lambda _: None)
    monkeypatch.setattr(EngineSession, "release", lambda _: True)
    with (
        pytest.raises(StoresChanged, match=f"instance {PARIS} of estate {ESTATE}"),
        held_stores(settings.data_directory),
    ):
        send(handle, 0)


def test_an_instance_that_is_made_meanwhile_is_noticed(engine: EmbeddedEngine, settings: HostingSettings):
    define()
    with pytest.raises(StoresChanged, match="ROME"), held_stores(settings.data_directory):
        client.open_instance(ESTATE, "ROME")


def test_stores_of_a_stopped_engine_need_no_hold(engine: EmbeddedEngine, settings: HostingSettings):
    define()
    engine.stop()
    with held_stores(settings.data_directory) as stores:
        assert [store.key for store in stores] == [(ESTATE, LYON), (ESTATE, PARIS)]
        assert {path.suffix for store in stores for path in store.files} >= {".sqlite3", ".sqlite3-log"}
    with pytest.raises(StoresChanged, match=LYON), held_stores(settings.data_directory) as stores:
        stores[0].files[0].write_bytes(b"another")


def test_the_fence_of_a_store_is_read_without_opening_it(tmp_path: Path):
    shelf = FileShelf(tmp_path)
    assert stored_fence(shelf.path((ESTATE, PARIS))) == 0
    for number in (7, 9):
        store = shelf.open((ESTATE, PARIS), number)
        assert stored_fence(shelf.path((ESTATE, PARIS))) == number
        store.close()
