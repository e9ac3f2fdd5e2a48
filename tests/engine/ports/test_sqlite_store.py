"""The SQLite store keeps the contract, and what only a disk can break: killed processes, full disks, foreign files."""

import os
import resource
import signal
import subprocess
import sys
from pathlib import Path
from uuid import uuid4

import apsw
import pytest

from engine.contracts.codec import binary_encoder
from engine.core.exchange.changes import AppendTransmission, PutEndpoint
from engine.core.exchange.replies import MessagesReceived
from engine.core.vocabulary.identifiers import CommandId, EventSequence, FencingNumber
from engine.core.vocabulary.rows import QueueRowStatus, put_together
from engine.storage.errors import StoreFailed, StoreFenced, StoreInUse
from engine.storage.loading import _PLAIN_MESSAGES
from engine.storage.migrate import migrate
from engine.storage.records import QUEUES
from engine.storage.schema import VERSIONS
from engine.storage.sqlite import SqliteStore
from tests.engine.ports.durable_contract import DurableStoreContract
from tests.engine.ports.store_contract import PARIS, VENTES, endpoint, queued, rows, taken, waiting


class TestSqliteStore(DurableStoreContract):
    opening = "from pathlib import Path; from engine.storage.sqlite import SqliteStore as S; S(Path(PLACE[0]), 'PARIS')"

    @pytest.fixture(autouse=True)
    def _folder(self, tmp_path: Path):
        self.place = (str(tmp_path / "demo" / "PARIS.sqlite3"),)

    def open_store(self) -> SqliteStore:
        return SqliteStore(Path(self.place[0]), PARIS)


class TestSqliteStoreWithSmallLog(DurableStoreContract):
    """Folds at nearly every commit, and commits that no log has room for."""

    opening = (
        "from pathlib import Path; from engine.storage.sqlite import SqliteStore as S;"
        " S(Path(PLACE[0]), 'PARIS', log_bytes=3 * 4096)"
    )

    @pytest.fixture(autouse=True)
    def _folder(self, tmp_path: Path):
        self.place = (str(tmp_path / "demo" / "PARIS.sqlite3"),)

    def open_store(self) -> SqliteStore:
        return SqliteStore(Path(self.place[0]), PARIS, log_bytes=3 * 4096)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "PARIS.sqlite3"


def test_a_second_owner_is_refused_and_may_come_when_the_first_has_gone(path: Path):
    first = SqliteStore(path, PARIS)
    second = "import sys; from pathlib import Path; from engine.storage.sqlite import SqliteStore; "
    second += "SqliteStore(Path(sys.argv[1]), 'PARIS')"
    refused = subprocess.run([sys.executable, "-c", second, str(path)], capture_output=True, text=True, check=False)
    assert refused.returncode != 0
    assert "StoreInUse: PARIS.sqlite3 is in use by another process" in refused.stderr
    first.close()
    subprocess.run([sys.executable, "-c", second, str(path)], check=True)


HOLDER = """
import sys, time
from pathlib import Path
from engine.core.exchange.changes import AppendTransmission
from engine.storage.sqlite import SqliteStore
from tests.engine.ports.store_contract import PARIS, VENTES, waiting

store = SqliteStore(Path(sys.argv[1]), PARIS, 1)
for number in range(1_000_000):
    store.commit([AppendTransmission(database=VENTES, row=waiting(1, number))], [])
    print(number, flush=True)
    time.sleep(0.005)
"""
"""Commits, with a pause after each: one who commits without end holds the lock nearly always, and never lets go of it
when it is stopped again before it had a processor."""


def test_an_owner_that_was_stopped_and_comes_back_after_its_successor_commits_nothing_more(path: Path):
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None
    assert holder.stderr is not None
    next(line for line in holder.stdout if int(line) == 50)
    successor = None
    while successor is None:
        os.kill(holder.pid, signal.SIGSTOP)
        try:
            successor = SqliteStore(path, PARIS, FencingNumber(2))
        except StoreInUse:
            # It was stopped in the middle of a commit, whose lock stays: let it get to the end of it.
            os.kill(holder.pid, signal.SIGCONT)
            next(holder.stdout)
    there = rows(successor).transmission
    os.kill(holder.pid, signal.SIGCONT)
    reported = [50, *(int(line) for line in holder.stdout)]
    reason = holder.stderr.read()
    holder.wait()
    assert "StoreFenced: owner 1 was followed by owner 2" in reason
    assert rows(successor).transmission == there
    assert reported[-1] < len(there)
    successor.close()


def test_without_a_commit_of_its_own_an_owner_cannot_tell_and_with_one_it_can(path: Path):
    first = SqliteStore(path, PARIS, FencingNumber(7))
    second = SqliteStore(path, PARIS, FencingNumber(8))
    with pytest.raises(StoreFenced, match="owner 7 was followed by owner 8"):
        first.commit([], [taken(1)])
    with pytest.raises(StoreFenced, match="owner 7 was followed by owner 8"):
        first.write_note("hosting", "{}")
    with pytest.raises(StoreFenced, match="owner 7 was followed by owner 8"):
        SqliteStore(path, PARIS, FencingNumber(7))
    assert second.commit([], [taken(1)]) == 1
    first.close()
    second.close()


def test_a_disk_that_is_full_when_a_later_owner_comes_is_the_reason_why_it_cannot(path: Path):
    first = SqliteStore(path, PARIS, FencingNumber(1))
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, limits[1]))
    try:
        with pytest.raises(StoreFailed, match="disk"):
            SqliteStore(path, PARIS, FencingNumber(2))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    first.write_note("key", "still the owner")
    second = SqliteStore(path, PARIS, FencingNumber(2))
    with pytest.raises(StoreFenced):
        first.write_note("key", "not any more")
    assert second.read_note("key") == "still the owner"
    for store in (first, second):
        store.close()


def test_a_full_disk_fails_the_commit_with_its_reason_and_keeps_what_was_there(path: Path):
    store = SqliteStore(path, PARIS)
    store.commit([PutEndpoint(database=VENTES, endpoint=endpoint(1))], [taken(1)])
    store._connection.pragma("max_page_count", 40)
    for _ in range(2):
        with pytest.raises(StoreFailed, match="full"):
            store.commit(
                [AppendTransmission(database=VENTES, row=waiting(1, n, bytes(4096))) for n in range(4096)], [taken(2)]
            )
    store.close()
    again = SqliteStore(path, PARIS)
    assert rows(again).endpoints == [endpoint(1)]
    assert rows(again).transmission == []
    assert again.load().last_event == 1
    again.close()


def test_a_folder_that_cannot_be_made_is_a_store_failure(tmp_path: Path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreFailed):
        SqliteStore(tmp_path / "file" / "PARIS.sqlite3", PARIS)


def test_a_file_that_is_no_database_is_refused(path: Path):
    path.write_bytes(b"not a database at all, but long enough to have a header" * 10)
    with pytest.raises(StoreFailed, match="not a database"):
        SqliteStore(path, PARIS)


def test_a_database_of_another_program_is_refused_and_left_alone(path: Path):
    foreign = apsw.Connection(str(path))
    foreign.execute("CREATE TABLE theirs (x)")
    foreign.close()
    with pytest.raises(StoreFailed, match="not the store of an instance"):
        SqliteStore(path, PARIS)


def test_a_damaged_row_is_refused_when_it_is_read(path: Path):
    store = SqliteStore(path, PARIS)
    store.commit([PutEndpoint(database=VENTES, endpoint=endpoint(1))], [])
    store.load()
    store._connection.execute("UPDATE conversation_endpoints SET state = 'QQ'")
    with pytest.raises(StoreFailed, match="state"):
        list(store.load().databases)
    store.close()


def test_a_file_of_a_later_version_is_refused(path: Path):
    SqliteStore(path, PARIS).close()
    later = apsw.Connection(str(path))
    later.pragma("user_version", len(VERSIONS) + 1)
    later.close()
    with pytest.raises(StoreFailed, match="newer"):
        SqliteStore(path, PARIS)


def test_an_older_file_is_brought_up_step_by_step_and_keeps_its_rows(path: Path):
    store = SqliteStore(path, PARIS)
    store.commit([PutEndpoint(database=VENTES, endpoint=endpoint(1))], [])
    store.close()
    connection = apsw.Connection(str(path))
    migrate(connection, (*VERSIONS, "CREATE TABLE added (x)"))
    assert connection.pragma("user_version") == len(VERSIONS) + 1
    assert connection.execute("SELECT count(*) FROM conversation_endpoints").get == 1
    with pytest.raises(apsw.SQLError):
        migrate(connection, (*VERSIONS, "CREATE TABLE added (x)", "CREATE TABLE half (x); nonsense"))
    assert connection.pragma("user_version") == len(VERSIONS) + 1
    assert connection.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'half'").get == 0
    connection.close()


def test_messages_of_a_file_from_before_fragments_are_whole(path: Path):
    connection = apsw.Connection(str(path))
    migrate(connection, VERSIONS[:2])
    connection.execute("INSERT INTO transmission_queue VALUES ('ventes', zeroblob(16), 0, 'user', 'T', x'00', 1.0)")
    connection.execute(
        "INSERT INTO queue_messages VALUES"
        " ('ventes', 'dbo.Q', 1, 2, 5, zeroblob(16), zeroblob(16), 0, 'S', 'C', 'T', x'00', 1.0)"
    )
    connection.close()
    store = SqliteStore(path, PARIS)
    [database] = put_together(store.load().databases)
    assert database.transmission[0].fragment_bytes is None
    assert database.queues["dbo.Q"][0].fragment is None
    store.close()


def test_events_and_replies_of_a_file_that_has_a_row_for_each_are_kept(path: Path):
    command, reply = CommandId(uuid4()), MessagesReceived(messages=(queued(1), queued(2)))
    connection = apsw.Connection(str(path))
    migrate(connection, VERSIONS[:4])
    connection.execute(
        "INSERT INTO command_replies (command_id, reply, replied_at) VALUES (?, ?, 1.0)",
        (command.bytes, binary_encoder.encode(reply)),
    )
    for number in (5, 6):
        connection.execute("INSERT INTO events VALUES (?, ?)", (number, binary_encoder.encode(taken(number))))
    connection.close()
    store = SqliteStore(path, PARIS)
    assert store.reply_of(command) == reply
    assert store.events_after(EventSequence(0), 10) == [(5, taken(5)), (6, taken(6))]
    assert store.commit([], [taken(7)]) == 7
    store.close()


def test_what_waits_in_queues_is_told_by_an_index_alone(path: Path):
    """The cursor of the table would follow the one of the index when a column was read with it: none is."""
    SqliteStore(path, PARIS).close()
    connection = apsw.Connection(str(path))
    steps = [(str(step[1]), step[2]) for step in connection.execute(f"EXPLAIN {_PLAIN_MESSAGES}", (VENTES,))]
    connection.close()
    [index] = [cursor for code, cursor in steps if code == "DeferredSeek"]
    assert {cursor for code, cursor in steps if code == "Column"} == {index}
    assert [code for code, _ in steps if "Seek" in code] == ["SeekGE", "DeferredSeek"]


def test_messages_of_a_file_from_before_the_index_of_places_are_told_by_them(path: Path):
    connection = apsw.Connection(str(path))
    migrate(connection, VERSIONS[:5])
    rows = [queued(1), queued(2, QueueRowStatus.DISABLED), queued(3)]
    for row in rows:
        connection.execute(QUEUES.insert, QUEUES.record((VENTES, "dbo.Q"), row))
    connection.close()
    store = SqliteStore(path, PARIS)
    [database] = put_together(store.load(in_spans=True).databases)
    assert [span.places for span in database.queue_spans["dbo.Q"]] == [[1], [3]]
    assert database.queues == {"dbo.Q": [rows[1]]}
    store.close()
