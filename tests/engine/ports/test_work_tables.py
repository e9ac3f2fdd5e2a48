"""Both kinds of work table keep the contract; the one on disk says what is wrong with it."""

import pytest

from engine.core.transmission.work_table import MemoryWorkTable
from engine.storage.errors import StoreFailed
from engine.storage.work_table import GONE_MAX, SqliteWorkTable
from tests.engine.ports.work_table_contract import WorkTableContract, row


class TestMemoryWorkTable(WorkTableContract):
    @pytest.fixture
    def table(self):
        return MemoryWorkTable()


class TestSqliteWorkTable(WorkTableContract):
    @pytest.fixture
    def table(self):
        table = SqliteWorkTable()
        yield table
        table.close()

    def test_a_row_that_is_there_already_is_a_fault_and_nothing_of_the_batch_is_kept(self, table):
        table.write([row(1)])
        with pytest.raises(StoreFailed, match="9657: "):
            table.write([row(2), row(1)])
        assert (len(table), table.of_handle(row(2).key)) == (1, None)

    def test_rows_that_are_gone_do_not_pile_up(self, table):
        table.write([row(serial) for serial in range(1, 3 * GONE_MAX)])
        size = table._connection.execute("SELECT count(*) FROM objects").get
        for serial in range(1, 2 * GONE_MAX):
            table.take_out(row(serial))
            table.forget(serial)
        left = table._connection.execute("SELECT count(*) FROM objects").get
        assert (size, left, len(table)) == (3 * GONE_MAX - 1, 2 * GONE_MAX - 1, GONE_MAX)

    def test_a_closed_one_cannot_be_read(self, table):
        table.close()
        with pytest.raises(StoreFailed):
            table.of_handle(row(1).key)
