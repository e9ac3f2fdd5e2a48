"""What every work table does (protocol.md 5); the tests of each kind inherit it."""

import random
from collections.abc import Iterable
from uuid import UUID

import pytest

from engine.core.transmission.work_table import WorkEntry, WorkRow, WorkTable


def row(serial: int, **fields: object) -> WorkEntry:
    return WorkEntry(
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


def same(found: WorkRow | None, entry: WorkEntry) -> bool:
    """Whether what was found is what was written."""
    return found is not None and all(getattr(found, name) == getattr(entry, name) for name in WorkRow.__struct_fields__)


def serials(found: Iterable[WorkRow]) -> list[int]:
    return [each.serial for each in found]


class WorkTableContract:
    """Needs a fixture `table`: an empty work table."""

    def test_a_row_is_found_by_its_handle_in_its_database(self, table: WorkTable):
        first, second = row(1), row(2, database="Stock", conversation_handle=UUID(int=1))
        table.write([first, second])
        assert same(table.of_handle(("Ventes", UUID(int=1))), first)
        assert same(table.of_handle(("Stock", UUID(int=1))), second)
        assert table.of_handle(("Ventes", UUID(int=2))) is None
        assert len(table) == 2

    def test_a_row_is_found_by_its_side_of_a_conversation(self, table: WorkTable):
        one, other = row(1), row(2, conversation_id=UUID(int=1001), is_initiator=False)
        table.write([other, one])
        assert serials(table.of_conversation(UUID(int=1001), True)) == [1]
        assert serials(table.of_conversation(UUID(int=1001), False)) == [2]
        assert serials(table.of_conversation(UUID(int=1002), True)) == []

    def test_of_two_databases_with_the_same_side_both_are_found_the_eldest_first(self, table: WorkTable):
        """As after a restore of a copy on the same instance."""
        late, early = row(2, conversation_id=UUID(int=7)), row(1, conversation_id=UUID(int=7), database="Stock")
        table.write([late, early])
        assert serials(table.of_conversation(UUID(int=7), True)) == [1, 2]
        table.take_out(early)
        assert serials(table.of_conversation(UUID(int=7), True)) == [2]

    def test_rows_of_a_group_come_in_their_order(self, table: WorkTable):
        group = UUID(int=5)
        members = [row(serial, conversation_group_id=group) for serial in (3, 1, 2)]
        table.write([*members, row(4), row(5, conversation_group_id=group, database="Stock")])
        assert serials(table.of_group("Ventes", group)) == [1, 2, 3]
        assert serials(table.of_group("Ventes", UUID(int=6))) == []

    def test_a_row_that_is_taken_out_is_found_by_nothing(self, table: WorkTable):
        gone = row(1, wake_at=5.0)
        table.write([gone])
        table.take_out(gone)
        assert table.of_handle(gone.key) is None
        assert serials(table.of_conversation(gone.conversation_id, True)) == []
        assert serials(table.of_group("Ventes", gone.conversation_group_id)) == []
        assert serials(table.after(0, None)) == []
        assert (serials(table.due(9.0, 9)), table.next_wake(), len(table)) == ([], None, 0)

    def test_a_row_that_comes_back_is_as_it_was_written_last(self, table: WorkTable):
        table.write([row(1, wake_at=5.0)])
        table.take_out(row(1))
        again = row(1, wake_at=7.0, body=b"new", conversation_group_id=UUID(int=9))
        table.write([row(2), again])
        assert same(table.of_handle(row(1).key), again)
        assert serials(table.of_group("Ventes", UUID(int=9))) == [1]
        assert serials(table.of_group("Ventes", row(1).conversation_group_id)) == []
        assert (serials(table.due(6.0, 9)), table.next_wake()) == ([], 7.0)
        assert (serials(table.due(7.0, 9)), len(table)) == ([1], 2)

    def test_a_row_may_have_no_time_any_more_when_it_comes_back(self, table: WorkTable):
        table.write([row(1, wake_at=5.0)])
        table.take_out(row(1))
        table.write([row(1)])
        assert (serials(table.due(9.0, 9)), table.next_wake()) == ([], None)

    def test_what_is_forgotten_was_taken_out_or_never_written_and_stays_away(self, table: WorkTable):
        table.write([row(1), row(2, wake_at=5.0)])
        table.take_out(row(2))
        table.forget(2)
        table.forget(3)
        table.write([row(4)])
        assert (serials(table.after(0, None)), len(table)) == ([1, 4], 2)
        assert (serials(table.due(9.0, 9)), table.next_wake()) == ([], None)

    @pytest.mark.parametrize("count", [3, 1203])
    def test_rows_come_in_the_order_of_their_making(self, table: WorkTable, count: int):
        shuffled = list(range(1, count + 1))
        random.Random(3).shuffle(shuffled)
        table.write([row(serial, database="Stock" if serial % 3 == 0 else "Ventes") for serial in shuffled])
        assert serials(table.after(0, None)) == list(range(1, count + 1))
        assert serials(table.after(1, "Stock")) == list(range(3, count + 1, 3))
        for serial in range(1, count - 1):
            table.take_out(row(serial))
        assert serials(table.after(0, None)) == [count - 1, count]

    def test_rows_whose_time_has_come_are_named_earliest_first(self, table: WorkTable):
        table.write([row(1, wake_at=30.0), row(2, wake_at=10.0), row(3), row(4, wake_at=20.0), row(5, wake_at=10.0)])
        assert table.next_wake() == 10.0
        assert serials(table.due(5.0, 9)) == []
        for now, limit, expected in ((20.0, 2, [2, 5]), (20.0, 9, [4]), (25.0, 9, []), (99.0, 9, [1])):
            due = table.due(now, limit)
            assert serials(due) == expected
            for each in due:
                table.take_out(each)
        assert (serials(table.due(99.0, 9)), table.next_wake()) == ([], None)

    def test_no_row_is_due_before_the_time_that_is_told(self, table: WorkTable):
        table.write([row(1, wake_at=30.0), row(2, wake_at=10.0)])
        assert serials(table.due(10.0, 9)) == [2]
        table.take_out(row(2))
        assert table.next_wake() == 30.0
        table.write([row(2, wake_at=20.0)])
        assert table.next_wake() == 20.0

    def test_closing_twice_is_harmless(self, table: WorkTable):
        table.close()
        table.close()
