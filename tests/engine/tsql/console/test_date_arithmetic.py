"""Arithmetic with dates and times: what a server computes, and what it refuses."""

import pytest

from tests.support.console_world import Consoles

VALUES = """DECLARE @d datetime = '2026-03-01T12:00:00', @e datetime = '2026-03-03T18:00:00',
    @s smalldatetime = '2026-03-01T12:00:00', @day date = '2026-03-01', @two datetime2 = '2026-03-01T12:00:00',
    @zone datetimeoffset = '2026-03-01T12:00:00', @clock time = '12:00:00', @n int = 2, @b bit = 1,
    @g uniqueidentifier = NEWID(), @none datetime, @x xml = N'<a/>';
"""


@pytest.fixture(scope="module")
def typing():
    return Consoles().open()


def written(typing, expression):
    return typing.rows(f"{VALUES}SELECT CONVERT(varchar(30), {expression}, 121)")[0][0]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("@e - @d", "1900-01-03 06:00:00.000"),
        ("@d - @e", "1899-12-29 18:00:00.000"),
        ("@d + @e", "2152-05-02 06:00:00.000"),
        ("@d + @n", "2026-03-03 12:00:00.000"),
        ("@n + @d", "2026-03-03 12:00:00.000"),
        ("@d - 1", "2026-02-28 12:00:00.000"),
        ("@d + @b", "2026-03-02 12:00:00.000"),
        ("@d + 0.5", "2026-03-02 00:00:00.000"),
        ("@d - 0.25e0", "2026-03-01 06:00:00.000"),
        ("@d + 0.0000001", "2026-03-01 12:00:00.010"),
        ("@d + CAST(1.5 AS money)", "2026-03-03 00:00:00.000"),
        ("5 - CAST('1900-01-03' AS datetime)", "1900-01-04 00:00:00.000"),
        ("@d + '1900-01-02'", "2026-03-02 12:00:00.000"),
        ("@d + '00:00:30'", "2026-03-01 12:00:30.000"),
        ("@s + 0.0001", "2026-03-01 12:00:00.000"),
        ("@s - @n", "2026-02-27 12:00:00.000"),
        ("@s + @d", "2152-04-30 00:00:00.000"),
        ("@d - @none", None),
        ("@none + 1", None),
        ("DATEADD(hour, 1, @d) - @d", "1900-01-01 01:00:00.000"),
        ("CAST(1.5 AS datetime)", "1900-01-02 12:00:00.000"),
        ("CAST(-1 AS datetime)", "1899-12-31 00:00:00.000"),
        ("DATEADD(day, DATEDIFF(day, 0, @d), 0)", "2026-03-01 00:00:00.000"),
        ("CAST('2026-03-01 12:00:00.001' AS datetime)", "2026-03-01 12:00:00.000"),
        ("CAST('2026-03-01 12:00:00.002' AS datetime)", "2026-03-01 12:00:00.003"),
        ("CAST('2026-03-01 23:59:59.999' AS datetime)", "2026-03-02 00:00:00.000"),
        ("CAST('2026-03-01 12:00:30' AS smalldatetime)", "2026-03-01 12:01:00.000"),
        ("DATEADD(day, 1, @day)", "2026-03-02 00:00:00.000"),
    ],
)
def test_datetimes_are_numbers_of_days(typing, expression, expected):
    assert written(typing, expression) == expected


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("CAST(@e - @d AS float)", 2.25),
        ("CAST(@e AS int) - CAST(@d AS int)", 2),
        ("CONVERT(varchar(8), @e - @d, 108)", "06:00:00"),
        ("CASE WHEN @d < @e - 2 THEN 1 ELSE 0 END", 1),
        ("DATEDIFF(hour, @d, @e + 1)", 78),
    ],
)
def test_their_differences_go_on(typing, expression, expected):
    assert typing.rows(f"{VALUES}SELECT {expression}") == [(expected,)]


def test_a_variable_is_set_forward(typing):
    script = "DECLARE @d datetime = '2026-03-01'; SET @d += 1; SELECT @d -= 0.5; SELECT CONVERT(varchar(30), @d, 121)"
    assert typing.rows(script) == [("2026-03-01 12:00:00.000",)]


@pytest.mark.parametrize(
    ("expression", "number"),
    [
        *((f"@{name} {operator} 1", 206) for name in ("day", "two", "zone", "clock") for operator in "+-"),
        *(("1 + @day", 206), ("@day + 1.5", 206), ("@two - @n", 206), ("@d + @g", 206), ("@d + @x", 206)),
        *(("DATEADD(day, 1, @day) + 1", 206), ("SYSDATETIME() + 1", 206), ("DATEADD(day, 1, @two) - 1", 206)),
        *(("@d - @day", 402), ("@day + @clock", 402), ("@d + @clock", 402), ("@two - @d", 402), ("@s + @zone", 402)),
        *(("@day + '1'", 402), ("N'1' + @two", 402), ("@d & 1", 402), ("1 ^ @day", 402), ("@day - 0x01", 402)),
        *(("@day - @day", 8117), ("@two + @two", 8117), ("@clock - @clock", 8117), ("@d * 2", 8117)),
        *(("2 / @d", 8117), ("@s % 2", 8117), ("@day * 2", 8117), ("-@d", 8117), ("~@day", 8117)),
        *(("DATEADD(hour, 1, @day)", 9810), ("DATEADD(day, 1, @clock)", 9810)),
        *(("@d + 3000000", 8115), ("@d + 2950000", 8115), ("CAST(1e9 AS datetime)", 8115), ("@s + 60000", 8115)),
        *(
            ("@d + 'tomorrow'", 241),
            ("CAST('1700-01-01' AS datetime)", 242),
            ("CAST('2080-01-01' AS smalldatetime)", 242),
        ),
    ],
)
def test_what_a_server_does_not_compute_is_refused(typing, expression, number):
    assert typing.failure(f"{VALUES}SELECT {expression}").number == number
