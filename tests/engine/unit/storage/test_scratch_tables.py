"""Tables in memory: what they, and the statements over them, may take."""

import pytest

from engine.storage.scratch_memory import ScratchExhausted, ScratchMemory
from engine.storage.scratch_tables import (
    LARGE_BYTES,
    STEPS_BETWEEN_LOOKS,
    TABLES_BYTES_MAX,
    VALUE_BYTES_MAX,
    Bounds,
    ScratchColumn,
    SqliteScratchTables,
)

MEGABYTE = 1024 * 1024
BOUNDS = Bounds(steps=10_000_000, rows=1000, bytes=MEGABYTE)
TEXT = [ScratchColumn("a", "TEXT")]


@pytest.fixture
def tables():
    calls = []
    made = SqliteScratchTables(
        {"make": lambda length: calls.append(length) or "x" * length},
        {},
        {},
        BOUNDS,
        memory=ScratchMemory(64 * MEGABYTE),
    )
    made.calls = calls
    with made.in_use():
        yield made
    made.close()


def exhausted(call):
    with pytest.raises(ScratchExhausted) as refused:
        call()
    return refused.value.bound, refused.value.limit


def test_a_value_has_a_bound_wherever_it_comes_from(tables):
    assert exhausted(lambda: tables.define("t", TEXT, [("x" * (VALUE_BYTES_MAX + 1),)])) == ("bytes", VALUE_BYTES_MAX)
    assert exhausted(lambda: tables.run("SELECT :a", {"a": "x" * (VALUE_BYTES_MAX + 1)})) == ("bytes", VALUE_BYTES_MAX)


def test_tables_have_a_bound_and_give_back_what_is_dropped():
    tables = SqliteScratchTables({}, {}, {}, BOUNDS)
    many = [("x" * MEGABYTE,)] * (TABLES_BYTES_MAX // MEGABYTE + 1)
    with tables.in_use():
        for _ in range(3):
            assert exhausted(lambda: tables.define("t", TEXT, many)) == ("bytes", TABLES_BYTES_MAX)
            tables.define("t", TEXT, many[:-20])
            tables.drop("t")
    tables.close()


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT count(*) FROM (SELECT x.a FROM t x, t y, t z, t u ORDER BY x.a, y.a LIMIT 2000)",
        "SELECT count(*) FROM (SELECT DISTINCT x.a || x.rowid || y.rowid || z.rowid FROM t x, t y, t z)",
        "SELECT count(*) FROM (SELECT make(1000000) AS b FROM t x, t y, t z ORDER BY b, y.a)",
        "INSERT INTO t SELECT a FROM t UNION SELECT x.a || x.rowid || y.rowid || z.rowid FROM t x, t y, t z ORDER BY 1",
        "SELECT length(make(30000000)) + length(make(30000000)), make(30000000) = make(30000001) || make(30000000)",
    ],
)
def test_sorting_and_joining_is_counted(tables, sql):
    tables.define("t", TEXT, [(f"{number}" + "x" * 300_000,) for number in range(8)])
    assert exhausted(lambda: tables.run(sql, {})) == ("bytes", 64 * MEGABYTE)


def test_what_is_held_beside_the_tables_counts_with_them():
    memory = ScratchMemory(10 * MEGABYTE)
    with memory.used():
        memory.hold(8 * MEGABYTE)
        with pytest.raises(ScratchExhausted):
            memory.hold(3 * MEGABYTE)
        memory.hold(-8 * MEGABYTE)
        memory.hold(9 * MEGABYTE)


def test_a_statement_begins_again_when_a_large_value_appears_and_then_looks_more_often(tables):
    assert tables.run("SELECT length(make(10)), length(make(:n))", {"n": LARGE_BYTES + 1}).rows == [
        (10, LARGE_BYTES + 1)
    ]
    assert tables.calls == [10, LARGE_BYTES + 1] * 2
    assert tables._steps_at_once < STEPS_BETWEEN_LOOKS
    tables.run("SELECT make(:n)", {"n": LARGE_BYTES + 2})
    assert tables.calls[4:] == [LARGE_BYTES + 2]


def test_a_statement_that_writes_does_so_once(tables):
    tables.define("t", TEXT, [])
    assert tables.run("INSERT INTO t SELECT make(200000) UNION ALL SELECT make(700000)", {}).changed == 2
    assert tables.calls == [200_000, 700_000]


def test_cells_count_also_where_they_are_numbers(tables):
    columns = ", ".join(["1"] * 1900)
    rows = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900)"
    assert exhausted(lambda: tables.run(f"{rows} SELECT {columns} FROM n", {})) == ("bytes", MEGABYTE)
