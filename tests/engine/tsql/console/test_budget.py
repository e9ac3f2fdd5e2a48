"""What a script may take of processor and memory, and that it can be ended inside of an expression."""

from types import SimpleNamespace

import pytest

from engine.hosting import console as hosted
from engine.storage.scratch_memory import MEMORY
from engine.tsql.console.session import ConsoleSession
from tests.support.console_world import Consoles


@pytest.fixture(scope="module")
def typing():
    return Consoles().open()


def test_a_script_that_has_spent_what_it_may_is_over(typing):
    said = typing.run("WHILE 1 = 1 SET NOCOUNT OFF\nGO\nPRINT 'a'\nGO\nPRINT 'b'")
    assert [each.number for each in said] == [8649]
    assert [each.number for each in typing.run(")\nGO\n" * 30_000)][-2:] == [102, 8657]
    assert typing.said("PRINT 'another script'") == ["another script"]


def test_variables_share_what_a_session_may_hold_and_give_it_back(typing):
    half = "DECLARE @a{n} nvarchar(max) = REPLICATE(N'a', 8000000); "
    eight, nine = ("".join(half.format(n=n) for n in range(count)) for count in (8, 9))
    for _ in range(3):
        typing.do(eight + "SET @a1 = N''; SET @a2 = REPLICATE(N'b', 8000000)")
    assert typing.failure(nine).number == 8657
    typing.do(eight)


LONG = "DECLARE @a nvarchar(max) = {value}; DECLARE @b nvarchar(max) = REPLICATE(N'b', 4000000); "


@pytest.mark.parametrize(
    ("value", "expression"),
    [
        ("REPLICATE(N'aA', 2000000)", "LEN(REPLACE(@a, N'a', N'x'))"),
        ("REPLICATE(N'a', 4000000)", "CASE WHEN @a LIKE N'%_b%' THEN 1 END"),
        ("REPLICATE(N'a', 4000000)", "CHARINDEX(N'b', @a)"),
        ("REPLICATE(N'a', 4000000)", "LEN(UPPER(@a))"),
        ("REPLICATE(N'<a/>', 1000000)", "CASE WHEN CAST(@a AS xml).exist('//b') = 1 THEN 1 END"),
        ("REPLICATE(N'a', 4000000)", "DATALENGTH(CAST(@a AS varbinary(max)))"),
        ("REPLICATE(N'a', 4000000)", "CASE WHEN @a = UPPER(@a) THEN 1 END"),
        ("N'a'", f"{'LEN(' * 40}@a{')' * 40}"),
        ("N'a'", " + ".join(["1"] * 90)),
    ],
)
def test_what_ends_a_script_is_heard_inside_of_an_expression(value, expression):
    class Ended(Exception):
        pass

    looks = []

    def watch():
        looks.append(None)
        if ends_at and len(looks) > ends_at[0]:
            raise Ended

    ends_at = []
    session = ConsoleSession(Consoles().target(), "master", watch)
    before = LONG.format(value=value)
    list(session.run(before))
    beginning = len(looks)
    looks.clear()
    list(session.run(before + f"SELECT {expression}"))
    of_expression = len(looks) - beginning
    assert of_expression > 30
    for look in (beginning + of_expression // 2, beginning + of_expression * 3 // 4):
        looks.clear()
        ends_at[:] = [look]
        with pytest.raises(Ended):
            list(session.run(before + f"SELECT {expression}"))
    ends_at.clear()
    assert [each.text for each in session.run("PRINT 'goes on'")] == ["goes on"]


def test_a_heap_that_is_full_is_an_error(monkeypatch, typing):
    def full(*_):
        raise MemoryError

    monkeypatch.setattr(typing.session.evaluator, "value", full)
    failed, printed = typing.run("PRINT 'a'\nWHILE 1 = 1 BREAK")[0], typing.run("SELECT 1")
    assert failed.number == 701
    assert printed[0].rows == ((1,),)


def test_a_script_takes_so_much_processor_time(monkeypatch):
    seconds = iter(range(10**9))
    monkeypatch.setattr(hosted, "time", SimpleNamespace(thread_time=lambda: float(next(seconds))))
    session = hosted.ConsoleSession(Consoles().target(), "master")
    script = "DECLARE @n int = 0; WHILE @n < 100000 SET @n += 1"
    (failed,) = session.run(f"BEGIN TRY {script} END TRY BEGIN CATCH PRINT 'caught' END CATCH")
    assert failed.number == 8649
    assert failed.message.endswith(" 60 s of processor time")
    assert [each.text for each in session.run("PRINT 'the next one'")] == ["the next one"]


def test_an_answer_is_held_until_the_reader_has_read_on(typing):
    before = MEMORY._values
    outputs = typing.session.run("SELECT REPLICATE(N'😀', 1000000); PRINT 'on'")
    next(outputs)
    assert MEMORY._values - before >= 4_000_000
    next(outputs)
    assert MEMORY._values == before
    outputs.close()
    left = typing.session.run("SELECT REPLICATE(N'😀', 1000000); PRINT 'on'")
    next(left)
    left.close()
    assert MEMORY._values == before


def test_an_answer_is_counted_by_the_bytes_of_its_characters(typing):
    assert typing.failure("SELECT REPLICATE(N'😀', 8000000)").number == 8657
    eight = "SELECT REPLICATE(N'😀', 3900000)\n" * 5
    assert [each.number for each in typing.run(f"SET NOCOUNT ON {eight}") if hasattr(each, "number")] == [8657]


def test_no_room_for_an_answer_is_an_error(typing, monkeypatch):
    monkeypatch.setattr(MEMORY, "_bytes_max", 2_000_000)
    assert typing.failure("SELECT REPLICATE(N'x', 3000000)").number == 8657
