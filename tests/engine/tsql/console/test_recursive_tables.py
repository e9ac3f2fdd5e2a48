"""Common table expressions that name themselves."""

import pytest

from tests.support.console_world import Consoles

TREE = """DECLARE @t TABLE (id int, parent int, name nvarchar(10));
INSERT INTO @t VALUES (1, NULL, N'a'), (2, 1, N'b'), (3, 1, N'c'), (4, 3, N'd');
"""


@pytest.fixture(scope="module")
def typing():
    return Consoles().open()


@pytest.mark.parametrize(
    ("table", "query", "expected"),
    [
        ("n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 10)", "SUM(i), COUNT(*) FROM n", [(55, 10)]),
        ("n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 101)", "COUNT(*) FROM n", [(101,)]),
        (
            "n (i) AS (SELECT 1 UNION SELECT 5 UNION ALL SELECT x.i + 1 FROM N AS x WHERE i < 3)",
            "SUM(i) FROM n",
            [(11,)],
        ),
        (
            "n (i) AS (SELECT 1 UNION ALL SELECT i * 2 FROM n WHERE i < 8 UNION ALL SELECT i * 3 FROM n WHERE i < 2)",
            "COUNT(*), MAX(i) FROM n",
            [(7, 12)],
        ),
        ("n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)", "TOP (3) i FROM n", [(1,), (2,), (3,)]),
        (
            "n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3), m AS (SELECT i FROM n)",
            "MAX(i) FROM m",
            [(3,)],
        ),
        ("n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3)", "* FROM n WHERE i = 3", [(3,)]),
        (
            "n (d) AS (SELECT CAST('2026-02-27' AS datetime) UNION ALL SELECT d + 1 FROM n WHERE d < '2026-03-02')",
            "CONVERT(varchar(8), MAX(d), 112) FROM n",
            [("20260302",)],
        ),
    ],
)
def test_rows_come_from_the_rows_before_them(typing, table, query, expected):
    assert typing.rows(f"WITH {table} SELECT {query}") == expected


def test_a_tree_is_walked_down(typing):
    script = f"""{TREE}WITH tree AS (
        SELECT id, name, CAST(name AS nvarchar(max)) AS path, 0 AS depth FROM @t WHERE parent IS NULL
        UNION ALL
        SELECT c.id, c.name, p.path + N'/' + c.name, p.depth + 1 FROM @t AS c JOIN tree AS p ON p.id = c.parent
    ) SELECT path, depth FROM tree ORDER BY path"""
    assert typing.rows(script) == [("a", 0), ("a/b", 1), ("a/c", 1), ("a/c/d", 2)]


def test_what_it_makes_is_inserted(typing):
    script = f"""{TREE}WITH n AS (SELECT 10 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 12)
    INSERT INTO @t (id) SELECT i FROM n; SELECT COUNT(*) FROM @t"""
    assert typing.rows(script) == [(7,)]


@pytest.mark.parametrize(
    ("option", "last", "number"),
    [
        ("", 102, 530),
        ("OPTION (MAXRECURSION 5)", 7, 530),
        ("OPTION (MAXRECURSION 5)", 6, None),
        ("OPTION (MAXRECURSION 0)", 5000, None),
        ("OPTION (MAXRECURSION 32767)", 200, None),
        ("OPTION (MAXRECURSION 32768)", 2, 310),
    ],
)
def test_recursion_ends_at_its_limit(typing, option, last, number):
    script = f"WITH n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {last}) SELECT COUNT(*) FROM n {option}"
    if number is None:
        assert typing.rows(script) == [(last,)]
    else:
        assert typing.failure(script).number == number


@pytest.mark.slow
def test_recursion_without_a_limit_ends_at_the_bounds_of_work(typing):
    script = "WITH n (i) AS (SELECT 1 UNION ALL SELECT i FROM n) SELECT COUNT(*) FROM n OPTION (MAXRECURSION 0)"
    assert typing.failure(script).number == 8649


@pytest.mark.parametrize(
    ("table", "number"),
    [
        ("SELECT i + 1 AS i FROM n", 252),
        ("SELECT 1 AS i UNION SELECT i + 1 FROM n", 252),
        ("SELECT 1 AS i EXCEPT SELECT i + 1 FROM n", 252),
        ("SELECT i AS i FROM n UNION ALL SELECT i + 1 FROM n", 246),
        ("SELECT i AS i FROM n UNION ALL SELECT 1", 246),
        ("SELECT 1 AS i UNION ALL SELECT a.i FROM n AS a JOIN n AS b ON a.i = b.i", 253),
        ("SELECT 1 AS i UNION ALL SELECT 2 WHERE EXISTS (SELECT 1 FROM n)", 465),
        ("SELECT 1 AS i UNION ALL SELECT i FROM (SELECT i FROM n) AS d", 465),
        ("SELECT 1 AS i UNION ALL SELECT DISTINCT i + 1 FROM n", 460),
        ("SELECT 1 AS i UNION ALL SELECT TOP (1) i + 1 FROM n", 461),
        ("SELECT 1 AS i UNION ALL SELECT n.i FROM n LEFT JOIN sys.databases AS d ON d.database_id = n.i", 462),
        ("SELECT 1 AS i UNION ALL SELECT i FROM n GROUP BY i", 467),
        ("SELECT 1 AS i UNION ALL SELECT MAX(i) FROM n", 467),
        ("SELECT 1 AS i UNION ALL SELECT i + 0.5 FROM n", 240),
        ("SELECT N'a' AS i UNION ALL SELECT 1 FROM n", 240),
        ("SELECT 1 AS i UNION ALL SELECT i, i FROM n", 205),
        ("SELECT 1 UNION ALL SELECT 2 FROM n", 8155),
        ("SELECT CAST(1 AS bigint) AS i UNION ALL SELECT ROW_NUMBER() OVER (ORDER BY i) FROM n", 40517),
    ],
)
def test_forms_that_a_server_refuses(typing, table, number):
    assert typing.failure(f"WITH n AS ({table}) SELECT * FROM n").number == number
