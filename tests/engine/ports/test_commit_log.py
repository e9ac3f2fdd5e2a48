"""The log before the SQLite file: what a crash and a full disk leave; what never arrives."""

import os
import resource
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import apsw
import pytest

from engine.core.exchange.changes import (
    AppendQueue,
    DropEndpoint,
    PutCommandReply,
    PutEndpoint,
    RemoveQueue,
    SetQueueRowStatus,
    StateChange,
    TrimTransmission,
)
from engine.core.exchange.replies import MessageSent
from engine.core.vocabulary.identifiers import CommandId, EventSequence, FencingNumber
from engine.core.vocabulary.rows import QueueRowStatus
from engine.storage.commit_log import entries
from engine.storage.commit_log.entries import decode
from engine.storage.commit_log.file import BLOCK, LOG_BYTES_MAX, LogFile
from engine.storage.errors import StoreFailed, StoreFenced, StoreInUse
from engine.storage.sqlite import LOG_BYTES_OF_GONE_ROW, SqliteStore
from tests.engine.ports.logged_store import append, crash, numbers
from tests.engine.ports.store_contract import (
    PARIS,
    QUEUE,
    TIME,
    VENTES,
    endpoint,
    handle,
    queued,
    rows,
    taken,
)

GONE = 40
"""Rows of the file that may be gone before they are deleted, in stores whose log is as short."""


def is_committed(store: SqliteStore, changes: Sequence[StateChange]) -> bool:
    """Commit changes; False when the store fails."""
    try:
        store.commit(changes, [])
    except StoreFailed:
        return False
    return True


def in_file(path: Path, table: str) -> int:
    connection = apsw.Connection(str(path))
    count = connection.execute(f"SELECT count(*) FROM {table}").get
    connection.close()
    return int(count)


@contextmanager
def files_end_at(size: int) -> Iterator[None]:
    """No file of this process may grow beyond so many bytes, as on a disk that is full."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, before)


class TestCommits:
    def test_what_comes_and_goes_between_two_folds_never_reaches_the_file(self, path: Path):
        store = SqliteStore(path, PARIS)
        store.commit(
            [*append(0, 50), *(AppendQueue(database=VENTES, queue=QUEUE, row=queued(n)) for n in range(50))], []
        )
        store.commit([PutEndpoint(database=VENTES, endpoint=endpoint(1))], [])
        store.commit(
            [
                TrimTransmission(database=VENTES, conversation_handle=handle(1), through=48),
                RemoveQueue(database=VENTES, queue=QUEUE, queuing_orders=tuple(range(49))),
                DropEndpoint(database=VENTES, conversation_handle=handle(1)),
            ],
            [],
        )
        store.close()
        counts = {table: in_file(path, table) for table in ("transmission_queue", "queue_messages")}
        assert counts == {"transmission_queue": 1, "queue_messages": 1}
        assert in_file(path, "conversation_endpoints") == 0

    def test_commits_are_there_after_a_crash_and_after_a_crash_while_they_are_read(self, path: Path):
        store = SqliteStore(path, PARIS)
        command = CommandId(uuid4())
        reply = PutCommandReply(command_id=command, reply=MessageSent(message_sequence_number=7), replied_at=TIME)
        store.commit([*append(0, 3), PutEndpoint(database=VENTES, endpoint=endpoint(1)), reply], [taken(1), taken(2)])
        store.commit(append(3, 5), [taken(3)])
        crash(store)
        for _ in range(2):
            again = SqliteStore(path, PARIS)
            crash(again)
        last = SqliteStore(path, PARIS)
        assert numbers(last) == [0, 1, 2, 3, 4]
        assert rows(last).endpoints == [endpoint(1)]
        assert last.reply_of(command) == reply.reply
        assert last.events_after(EventSequence(0), 9) == [(1, taken(1)), (2, taken(2)), (3, taken(3))]
        assert last.commit([], [taken(4)]) == 4
        last.close()

    def test_an_endpoint_that_was_logged_before_its_row_had_its_last_field_is_folded(
        self, path: Path, monkeypatch: pytest.MonkeyPatch
    ):
        store = SqliteStore(path, PARIS)
        kind, record = entries.entry_of(PutEndpoint(database=VENTES, endpoint=endpoint(1)))
        monkeypatch.setitem(entries._MAKERS, PutEndpoint, lambda change: (kind, record[:-1]))
        store.commit([PutEndpoint(database=VENTES, endpoint=endpoint(1))], [])
        crash(store)
        monkeypatch.undo()
        again = SqliteStore(path, PARIS)
        assert rows(again).endpoints == [endpoint(1)]
        again.close()
        assert in_file(path, "conversation_endpoints") == 1

    def test_generations_follow_each_other_and_never_mix(self, path: Path):
        """The log is overwritten from its beginning; behind the newest records stand whole ones of earlier turns."""
        body = os.urandom(700)
        store = SqliteStore(path, PARIS, log_bytes=16 * BLOCK)
        for number in range(200):
            store.commit(append(number, number + 1, body), [taken(number)])
            if number % 37 == 0:
                crash(store)
                store = SqliteStore(path, PARIS, log_bytes=16 * BLOCK)
        crash(store)
        store = SqliteStore(path, PARIS)
        assert numbers(store) == list(range(200))
        assert [number for number, _ in store.events_after(EventSequence(0), 999)] == list(range(1, 201))
        store.close()

    def test_a_commit_that_is_larger_than_the_log_is_whole_or_absent(self, path: Path):
        store = SqliteStore(path, PARIS)
        store.commit(append(0, 2), [taken(1)])
        store.commit(append(2, 4, bytes(LOG_BYTES_MAX)), [taken(2)])
        crash(store)
        again = SqliteStore(path, PARIS)
        assert numbers(again) == [0, 1, 2, 3]
        assert again.load().last_event == 2
        again.close()

    def test_a_refused_commit_leaves_what_was_there_and_the_next_is_taken(self, path: Path):
        store = SqliteStore(path, PARIS)
        store.commit(append(0, 3), [])
        store.load()
        store.commit(append(3, 5), [])
        for twice in (append(2, 4), append(4, 6), [*append(5, 6), *append(5, 6)]):
            with pytest.raises(StoreFailed, match="is there already"):
                store.commit([TrimTransmission(database=VENTES, conversation_handle=handle(1), through=0), *twice], [])
        store.commit(append(5, 6), [])
        crash(store)
        again = SqliteStore(path, PARIS)
        assert numbers(again) == [0, 1, 2, 3, 4, 5]
        again.close()

    def test_rows_of_the_file_that_were_changed_since_are_read_as_they_are_now(self, path: Path):
        store = SqliteStore(path, PARIS)
        store.commit([AppendQueue(database=VENTES, queue=QUEUE, row=queued(n)) for n in (1, 2, 3)], [])
        store.load()
        disabled = QueueRowStatus.DISABLED
        change = SetQueueRowStatus(database=VENTES, queue=QUEUE, queuing_orders=(1, 2), status=disabled)
        store.commit([change, RemoveQueue(database=VENTES, queue=QUEUE, queuing_orders=(3,))], [])
        assert [row.status for row in store.queue_rows(VENTES, [1, 2])] == [disabled, disabled]
        with pytest.raises(StoreFailed, match="message 3 "):
            store.queue_rows(VENTES, [3])
        store.close()

    def test_what_is_gone_from_the_file_is_deleted_before_the_log_is_full_and_a_crash_changes_nothing(self, path: Path):
        store = SqliteStore(path, PARIS, log_bytes=GONE * LOG_BYTES_OF_GONE_ROW)
        queue = [AppendQueue(database=VENTES, queue=QUEUE, row=queued(n)) for n in range(5 * GONE)]
        store.commit([*append(0, 5 * GONE), *queue], [])
        store.load()
        for number in range(2 * GONE):
            through = TrimTransmission(database=VENTES, conversation_handle=handle(1), through=number)
            store.commit([through, RemoveQueue(database=VENTES, queue=QUEUE, queuing_orders=(number,))], [])
        left = store._connection.execute(
            "SELECT (SELECT count(*) FROM transmission_queue), (SELECT count(*) FROM queue_messages)"
        ).get
        assert not store._log.is_empty, "nothing was folded"
        assert all(3 * GONE <= count <= 4 * GONE for count in left), left
        crash(store)
        again = SqliteStore(path, PARIS)
        assert numbers(again) == list(range(2 * GONE, 5 * GONE))
        assert [row.queuing_order for row in rows(again).queues[QUEUE]] == list(range(2 * GONE, 5 * GONE))
        again.close()

    def test_where_what_is_gone_cannot_be_deleted_the_commit_is_refused_and_the_earlier_ones_are_kept(self, path: Path):
        store = SqliteStore(path, PARIS, log_bytes=GONE * LOG_BYTES_OF_GONE_ROW)
        store.commit(append(0, 5 * GONE), [])
        store.load()
        trims = [
            TrimTransmission(database=VENTES, conversation_handle=handle(1), through=number)
            for number in range(GONE + 1)
        ]
        store.commit(trims, [])
        with (
            files_end_at(path.with_name(path.name + "-wal").stat().st_size),
            pytest.raises(StoreFailed, match="I/O error"),
        ):
            store.commit(append(5 * GONE, 6 * GONE), [])
        crash(store)
        again = SqliteStore(path, PARIS)
        assert numbers(again) == list(range(GONE + 1, 5 * GONE))
        again.close()


class TestFullDisk:
    def test_a_log_that_cannot_grow_fails_the_commit_and_nothing_of_it_is_kept(self, path: Path, log_path: Path):
        store = SqliteStore(path, PARIS)
        store.commit(append(0, 2), [])
        with files_end_at(log_path.stat().st_size + 1000), pytest.raises(StoreFailed, match=r"PARIS\.sqlite3: "):
            store.commit(append(2, 4, bytes(1_000_000)), [taken(1)])
        with pytest.raises(StoreFailed, match="must be opened anew"):
            store.commit(append(2, 4), [])
        store.close()
        again = SqliteStore(path, PARIS)
        assert numbers(again) == [0, 1]
        assert again.load().last_event == 0
        again.close()

    def test_a_file_that_cannot_grow_fails_the_fold_and_every_commit_before_it_is_kept(self, path: Path):
        store = SqliteStore(path, PARIS)
        store._connection.pragma("max_page_count", 60)
        told = 0
        while is_committed(store, append(told, told + 1, bytes(8000))):
            told += 1
        crash(store)
        again = SqliteStore(path, PARIS)
        assert told > 100
        assert numbers(again) == list(range(told))
        again.close()


class TestOwners:
    def test_a_later_owner_finds_what_an_earlier_one_has_committed_and_shuts_it_out(self, path: Path):
        first = SqliteStore(path, PARIS, FencingNumber(1))
        first.commit(append(0, 3), [taken(1)])
        second = SqliteStore(path, PARIS, FencingNumber(2))
        assert numbers(second) == [0, 1, 2]
        with pytest.raises(StoreFenced, match="owner 1 was followed by owner 2"):
            first.commit(append(3, 4), [])
        first.close()
        second.commit(append(3, 4), [])
        crash(second)
        third = SqliteStore(path, PARIS, FencingNumber(3))
        assert numbers(third) == [0, 1, 2, 3]
        third.close()

    def test_what_happens_to_a_log_between_its_opening_and_its_lock_is_seen(self, path: Path):
        """An earlier owner commits, which makes the file grow, or closes it, which makes it small again."""
        first = SqliteStore(path, PARIS, FencingNumber(1))
        early = LogFile(path)
        first.commit(append(0, 400, bytes(1000)), [taken(1)])
        early.take(0)
        assert early.log_id == first._log.log_id
        [payload] = early.records(first._generation)
        assert len(decode(payload)) == 401
        early.close()

        early = LogFile(path)
        first.close()
        second = SqliteStore(path, PARIS, FencingNumber(2))
        early.take(0)
        assert early.log_id == second._log.log_id
        assert list(early.records(second._generation)) == []
        early.close()
        assert numbers(second) == list(range(400))
        second.close()

    def test_an_owner_in_the_middle_of_a_commit_makes_the_later_one_wait_or_go(self, path: Path):
        first = SqliteStore(path, PARIS, FencingNumber(1))
        with first._owned(), pytest.raises(StoreInUse, match=r"PARIS\.sqlite3 is in use by another process"):
            SqliteStore(path, PARIS, FencingNumber(2))
        first.commit(append(0, 1), [])
        second = SqliteStore(path, PARIS, FencingNumber(2))
        assert numbers(second) == [0]
        for store in (first, second):
            store.close()

    def test_a_file_without_a_lease_keeps_its_lock(self, path: Path):
        store = SqliteStore(path, PARIS)
        with pytest.raises(StoreInUse):
            LogFile(path).take(0)
        store.close()
        LogFile(path).take(0)
