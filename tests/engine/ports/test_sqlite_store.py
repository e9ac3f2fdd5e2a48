"""The SQLite store keeps the contract, and what only a disk can break: killed processes, full disks, foreign files."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from uuid import uuid4

import apsw
import msgspec
import pytest

from engine.core.exchange.changes import AppendTransmission, PutCommandReply, PutEndpoint
from engine.core.exchange.replies import MessagesReceived
from engine.core.vocabulary.identifiers import CommandId, EventSequence
from engine.core.vocabulary.limits import COMMAND_REPLIES_BYTES_MAX, COMMAND_REPLIES_SECONDS_MIN
from engine.core.vocabulary.moment import UtcTime
from engine.core.vocabulary.rows import put_together
from engine.runtime.ports import Store
from engine.storage.errors import StoreFailed
from engine.storage.migrate import migrate
from engine.storage.schema import VERSIONS
from engine.storage.sqlite import REPLY_BYTES_UNTIL_LOOK, SqliteStore
from tests.engine.ports.store_contract import PARIS, VENTES, StoreContract, endpoint, queued, rows, taken, waiting


class TestSqliteStore(StoreContract):
    @pytest.fixture(autouse=True)
    def _folder(self, tmp_path: Path):
        self.path = tmp_path / "demo" / "PARIS.sqlite3"

    def open_store(self) -> Store:
        return SqliteStore(self.path, PARIS)

    def reopen(self, store: Store) -> Store:
        store.close()
        return SqliteStore(self.path, PARIS)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "PARIS.sqlite3"


WRITER = """
import sys
from pathlib import Path
from engine.core.exchange.changes import AppendTransmission
from engine.storage.sqlite import REPLY_BYTES_UNTIL_LOOK, SqliteStore
from tests.engine.ports.store_contract import PARIS, VENTES, taken, waiting

store = SqliteStore(Path(sys.argv[1]), PARIS)
for number in range(1_000_000):
    store.commit([AppendTransmission(database=VENTES, row=waiting(1, 2 * number + n)) for n in (0, 1)], [taken(number)])
    print(number, flush=True)
"""


def test_after_kill_9_every_commit_is_there_whole_or_absent_whole(path: Path):
    writer = subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True)
    assert writer.stdout is not None
    for line in writer.stdout:
        if int(line) == 100:
            break
    os.kill(writer.pid, signal.SIGKILL)
    reported = [100, *(int(line) for line in writer.stdout if line.endswith("\n"))][-1]
    writer.wait()

    store = SqliteStore(path, PARIS)
    numbers = [row.message_sequence_number for row in rows(store).transmission]
    events = store.events_after(EventSequence(0), 1_000_000)
    store.close()

    assert len(numbers) >= 2 * (reported + 1), "what was reported as committed is there"
    assert numbers == list(range(len(numbers))), "in order and without gaps"
    assert len(numbers) == 2 * len(events), "two rows and one event a commit: none is there in part"


def test_a_second_owner_is_refused_and_may_come_when_the_first_has_gone(path: Path):
    first = SqliteStore(path, PARIS)
    second = "import sys; from pathlib import Path; from engine.storage.sqlite import SqliteStore; "
    second += "SqliteStore(Path(sys.argv[1]), 'PARIS')"
    refused = subprocess.run([sys.executable, "-c", second, str(path)], capture_output=True, text=True, check=False)
    assert refused.returncode != 0
    assert "StoreInUse: PARIS.sqlite3 is in use by another process" in refused.stderr
    first.close()
    subprocess.run([sys.executable, "-c", second, str(path)], check=True)


def test_a_full_disk_fails_the_commit_with_its_reason_and_keeps_what_was_there(path: Path):
    store = SqliteStore(path, PARIS)
    store.commit([PutEndpoint(database=VENTES, endpoint=endpoint(1))], [taken(1)])
    store._connection.pragma("max_page_count", 40)
    with pytest.raises(StoreFailed, match="full"):
        store.commit(
            [AppendTransmission(database=VENTES, row=waiting(1, n, bytes(4096))) for n in range(100)], [taken(2)]
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


def test_notes_of_the_host_are_kept(path: Path):
    store = SqliteStore(path, PARIS)
    assert store.read_note("pace") is None
    store.write_note("pace", "1")
    store.write_note("pace", "10")
    store.close()
    again = SqliteStore(path, PARIS)
    assert again.read_note("pace") == "10"
    again.close()


def test_large_replies_are_kept_for_a_minute_and_then_up_to_so_many_bytes(path: Path):
    store = SqliteStore(path, PARIS)
    body = bytes(REPLY_BYTES_UNTIL_LOOK)
    row = msgspec.structs.replace(queued(1), message_body=body)
    count = COMMAND_REPLIES_BYTES_MAX // len(body) + 3
    commands = [CommandId(uuid4()) for _ in range(count)]

    def remember(command: CommandId, at: float) -> None:
        reply = MessagesReceived(messages=(row,))
        store.commit([PutCommandReply(command_id=command, reply=reply, replied_at=UtcTime(at))], [])

    for command in commands:
        remember(command, 1000.0)
    assert all(store.reply_of(command) is not None for command in (commands[0], commands[-1])), "nothing is old enough"
    remember(last := CommandId(uuid4()), 1000.0 + COMMAND_REPLIES_SECONDS_MIN)
    kept = [command for command in commands if store.reply_of(command) is not None]
    assert kept == commands[-len(kept) :], "the oldest go first"
    assert 0 < len(kept) < COMMAND_REPLIES_BYTES_MAX // len(body)
    assert store.reply_of(last) is not None
    store.close()
