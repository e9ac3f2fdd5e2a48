"""What every work table does (protocol.md 5); the tests of each kind inherit it."""

import random
from uuid import UUID

import pytest

from engine.core.transmission.work_table import WorkRow, WorkTable


def row(serial: int, **fields: object) -> WorkRow:
    return WorkRow(
        **{
            "serial": serial,
            "database": "Ventes",
            "conversation_handle": UUID(int=serial),
            "conversation_id": UUID(int=1000 + serial),
            "is_initiator": True,
            "conversation_group_id": UUID(int=2000 + serial),
            "wake_at": None,
            "body": b"body %d" % serial,
            **fields,
        }
    )


class WorkTableContract:
    """Needs a fixture `table`: an empty work table."""

    def test_a_row_is_found_by_its_handle_in_its_database(self, table: WorkTable):
        first, second = row(1), row(2, database="Stock", conversation_handle=UUID(int=1))
        table.write([first, second])
        assert table.of_handle(("Ventes", UUID(int=1))) == first
        assert table.of_handle(("Stock", UUID(int=1))) == second
        assert table.of_handle(("Ventes", UUID(int=2))) is None
        assert len(table) == 2

    def test_a_row_is_found_by_its_side_of_a_conversation(self, table: WorkTable):
        one, other = row(1), row(2, conversation_id=UUID(int=1001), is_initiator=False)
        table.write([other, one])
        assert table.of_conversation(UUID(int=1001), True) == [one]
        assert table.of_conversation(UUID(int=1001), False) == [other]
        assert table.of_conversation(UUID(int=1002), True) == []

    def test_of_two_databases_with_the_same_side_both_are_found_the_eldest_first(self, table: WorkTable):
        """As after a restore of a copy on the same instance."""
        late, early = row(2, conversation_id=UUID(int=7)), row(1, conversation_id=UUID(int=7), database="Stock")
        table.write([late, early])
        assert table.of_conversation(UUID(int=7), True) == [early, late]
        table.remove(early.key)
        assert table.of_conversation(UUID(int=7), True) == [late]

    def test_rows_of_a_group_come_in_their_order(self, table: WorkTable):
        group = UUID(int=5)
        members = [row(serial, conversation_group_id=group) for serial in (3, 1, 2)]
        table.write([*members, row(4), row(5, conversation_group_id=group, database="Stock")])
        assert [each.serial for each in table.of_group("Ventes", group)] == [1, 2, 3]
        assert table.of_group("Ventes", UUID(int=6)) == []

    def test_a_row_that_is_removed_is_found_by_nothing(self, table: WorkTable):
        gone = row(1, wake_at=5.0)
        table.write([gone])
        table.remove(gone.key)
        table.remove(gone.key)
        assert table.of_handle(gone.key) is None
        assert table.of_conversation(gone.conversation_id, True) == []
        assert list(table.of_group("Ventes", gone.conversation_group_id)) == []
        assert list(table.after(0, None)) == []
        assert (list(table.due(9.0, 9)), table.next_wake(), len(table)) == ([], None, 0)

    def test_a_row_that_comes_back_is_as_it_was_written_last(self, table: WorkTable):
        table.write([row(1, wake_at=5.0)])
        table.remove(row(1).key)
        table.write([row(1, wake_at=7.0, body=b"new")])
        assert table.of_handle(row(1).key) == row(1, wake_at=7.0, body=b"new")
        assert (table.next_wake(), list(table.due(6.0, 9))) == (7.0, [])

    @pytest.mark.parametrize("count", [3, 1203])
    def test_rows_come_in_the_order_of_their_making(self, table: WorkTable, count: int):
        serials = list(range(1, count + 1))
        random.Random(3).shuffle(serials)
        table.write([row(serial, database="Stock" if serial % 3 == 0 else "Ventes") for serial in serials])
        assert [each.serial for each in table.after(0, None)] == list(range(1, count + 1))
        assert [each.serial for each in table.after(1, "Stock")] == list(range(3, count + 1, 3))

    def test_rows_whose_time_has_come_are_named_earliest_first_and_stay(self, table: WorkTable):
        table.write([row(1, wake_at=30.0), row(2, wake_at=10.0), row(3), row(4, wake_at=20.0), row(5, wake_at=10.0)])
        assert table.next_wake() == 10.0
        assert list(table.due(5.0, 9)) == []
        assert [handle.int for _, handle in table.due(20.0, 9)] == [2, 5, 4]
        assert [handle.int for _, handle in table.due(20.0, 2)] == [2, 5]
        assert [handle.int for _, handle in table.due(99.0, 9)] == [2, 5, 4, 1]

    def test_closing_twice_is_harmless(self, table: WorkTable):
        table.close()
        table.close()
