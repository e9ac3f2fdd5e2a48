"""What a torn, damaged, missing or foreign log leaves, and a disk that gives nothing back."""

import errno
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from uuid import uuid4

import apsw
import pytest

from engine.core.vocabulary.identifiers import CommandId, EventSequence
from engine.storage.commit_log import file as log_file
from engine.storage.commit_log.file import BLOCK
from engine.storage.commit_log.unfolded import Unfolded
from engine.storage.errors import StoreFailed
from engine.storage.sqlite import SqliteStore
from tests.engine.ports.logged_store import append, crash, numbers
from tests.engine.ports.store_contract import PARIS, VENTES, handle, taken


class TestDamage:
    @pytest.mark.parametrize("spoil", [lambda data: data[:-5000], lambda data: data[:-9000] + bytes(9000)])
    def test_a_record_that_was_not_written_whole_and_all_behind_it_do_not_count(
        self, path: Path, log_path: Path, spoil: Callable[[bytes], bytes]
    ):
        store = SqliteStore(path, PARIS)
        store.commit(append(0, 2), [])
        whole = BLOCK * 2
        store.commit(append(2, 4, os.urandom(2 * BLOCK)), [])
        crash(store)
        data = log_path.read_bytes()
        end = whole + 5 * BLOCK
        log_path.write_bytes(spoil(data[:end]))
        again = SqliteStore(path, PARIS)
        assert numbers(again) == [0, 1]
        again.commit(append(2, 3), [])
        crash(again)
        assert numbers(SqliteStore(path, PARIS)) == [0, 1, 2]

    def test_a_damaged_commit_with_good_ones_behind_it_is_said_and_nothing_is_written_over(
        self, path: Path, log_path: Path
    ):
        store = SqliteStore(path, PARIS)
        for number in range(5):
            store.commit(append(number, number + 1), [])
        crash(store)
        whole = log_path.read_bytes()
        spoilt = bytearray(whole)
        spoilt[2 * BLOCK + 60] ^= 1
        log_path.write_bytes(spoilt)
        for _ in range(2):
            with pytest.raises(StoreFailed, match=r"9004: The log PARIS\.sqlite3-log is damaged: commit 2 of "):
                SqliteStore(path, PARIS)
        assert log_path.read_bytes() == spoilt
        log_path.write_bytes(whole)
        assert numbers(SqliteStore(path, PARIS)) == [0, 1, 2, 3, 4]

    def test_behind_a_damaged_log_stands_the_file_with_what_was_folded_before(self, path: Path, log_path: Path):
        """The way out that docs/operations/configuration.md tells, for whoever has no backup."""
        store = SqliteStore(path, PARIS)
        store.commit(append(0, 2), [])
        store.load()
        store.commit(append(2, 3), [])
        crash(store)
        connection = apsw.Connection(str(path))
        connection.execute("DELETE FROM meta WHERE key = 'log'")
        connection.close()
        again = SqliteStore(path, PARIS)
        assert numbers(again) == [0, 1]
        again.close()

    def test_without_the_log_that_belongs_to_it_a_file_is_refused(self, path: Path, log_path: Path):
        store = SqliteStore(path, PARIS)
        store.commit(append(0, 2), [])
        crash(store)
        kept = log_path.read_bytes()
        log_path.unlink()
        with pytest.raises(StoreFailed, match=r"PARIS\.sqlite3-log, which has what was committed last, is not there"):
            SqliteStore(path, PARIS)
        other = SqliteStore(path.with_name("LYON.sqlite3"), PARIS)
        other.commit(append(7, 9), [])
        crash(other)
        shutil.copy(path.with_name("LYON.sqlite3-log"), log_path)
        with pytest.raises(StoreFailed, match="is not there"):
            SqliteStore(path, PARIS)
        log_path.write_bytes(kept)
        assert numbers(SqliteStore(path, PARIS)) == [0, 1]

    def test_a_closed_file_stands_alone(self, path: Path, log_path: Path):
        store = SqliteStore(path, PARIS)
        store.commit(append(0, 2), [])
        store.close()
        assert log_path.stat().st_size == BLOCK
        log_path.unlink()
        alone = SqliteStore(path, PARIS)
        assert numbers(alone) == [0, 1]
        alone.close()

    def test_a_log_of_an_earlier_life_of_the_file_does_not_count(self, path: Path, log_path: Path):
        store = SqliteStore(path, PARIS)
        store.commit(append(0, 2), [])
        old = log_path.read_bytes()
        store.close()
        log_path.write_bytes(old)
        again = SqliteStore(path, PARIS)
        assert numbers(again) == [0, 1]
        crash(again)
        third = SqliteStore(path, PARIS)
        assert numbers(third) == [0, 1]
        third.close()

    def test_a_foreign_file_in_the_place_of_the_log_is_refused_and_left_alone(self, path: Path, log_path: Path):
        log_path.write_bytes(b"somebody else's")
        with pytest.raises(StoreFailed, match=r"PARIS\.sqlite3-log is not the log of an instance"):
            SqliteStore(path, PARIS)
        assert log_path.read_bytes() == b"somebody else's"

    def test_a_disk_that_fails_a_commit_and_the_reading_after_it_loses_no_earlier_commit(
        self, path: Path, monkeypatch: pytest.MonkeyPatch
    ):
        store = SqliteStore(path, PARIS)
        for number in range(5):
            store.commit(append(number, number + 1), [taken(number)])

        def sync(file: int) -> None:
            raise OSError(errno.EIO, os.strerror(errno.EIO))

        read_really = os.pread

        def read(file: int, count: int, place: int) -> bytes:
            if place >= 3 * BLOCK:
                raise OSError(errno.EIO, os.strerror(errno.EIO))
            return read_really(file, count, place)

        with monkeypatch.context() as disk:
            disk.setattr(log_file, "os", SimpleNamespace(**{**vars(os), "fdatasync": sync, "pread": read}))
            with pytest.raises(StoreFailed, match="Input/output error"):
                store.commit(append(5, 6), [])
        for ask in (
            lambda: store.commit(append(6, 7), []),
            store.load,
            lambda: store.transmission_rows(VENTES, handle(1), 0),
            lambda: store.queue_rows(VENTES, [0]),
            lambda: store.events_after(EventSequence(0), 9),
            lambda: store.reply_of(CommandId(uuid4())),
            lambda: store.write_note("hosting", "x"),
        ):
            with pytest.raises(StoreFailed, match="the log could not be read again"):
                ask()
        store.close()
        again = SqliteStore(path, PARIS)
        assert numbers(again) == [0, 1, 2, 3, 4]
        assert len(again.events_after(EventSequence(0), 9)) == 5
        again.close()


@pytest.mark.interpreted
def test_what_takes_the_place_of_what_could_not_be_trusted_has_all_of_it():
    """Compiled, its attributes must be named one by one: a new one shall not be forgotten."""
    old, new = Unfolded(None), Unfolded(None)
    new.events.append((1, 1, b""))
    old.become(new)
    assert all(vars(old)[name] is value for name, value in vars(new).items())
