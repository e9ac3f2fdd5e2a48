"""Nothing of a query is ignored: each piece of syntax is refused, or changes what is done (first half of ADR 29)."""

import logging
from contextlib import suppress

import pytest
from sqlglot import exp

from engine.tsql.console.dialect import parsed
from engine.tsql.console.failing import StatementFailed
from engine.tsql.console.fromming import Described
from engine.tsql.console.querying import QueryWriter
from engine.tsql.console.scopes import Output
from engine.tsql.console.supported_syntax import SUPPORTED, check_supported
from engine.tsql.console.types import INT, NVARCHAR, VARBINARY
from tests.engine.tsql.console.test_flow import kinds
from tests.support.console_world import Consoles
from tests.support.each import for_each

KINDS = [kind for kind in vars(exp).values() if isinstance(kind, type) and issubclass(kind, exp.Expression)]

STATEMENTS = """
SELECT DISTINCT a, b AS other, t.b third, * FROM t
SELECT x.* FROM t AS x INNER JOIN u ON x.a = u.a LEFT JOIN v ON v.a = x.a OR v.a > 1 CROSS JOIN t AS w
SELECT x.a FROM t x FULL OUTER JOIN u ON x.a = u.a RIGHT JOIN v ON 1 = 1 WHERE x.b = 'a' AND NOT (u.b <> N'c')
SELECT x.a FROM t x, u WHERE x.a = u.a
SELECT x.a FROM Shop.dbo.t x WHERE EXISTS (SELECT 1 FROM sys.u WHERE u.a = x.a)
SELECT a, COUNT(*) FROM t GROUP BY a HAVING COUNT(DISTINCT b) >= 1 ORDER BY a DESC, COUNT(*)
SELECT TOP (3) a FROM t ORDER BY b
SELECT TOP 3 a FROM t
SELECT a FROM t ORDER BY a OFFSET 2 ROWS FETCH NEXT 3 ROWS ONLY
SELECT a FROM t UNION SELECT a FROM u ORDER BY a
SELECT a FROM t UNION ALL SELECT a FROM u ORDER BY a OFFSET 1 ROWS
SELECT a FROM t UNION SELECT a FROM u ORDER BY a OFFSET 1 ROWS FETCH NEXT 1 ROWS ONLY
WITH c AS (SELECT a FROM u) SELECT a FROM t EXCEPT SELECT a FROM c ORDER BY a OFFSET 1 ROWS FETCH NEXT 1 ROWS ONLY
WITH c AS (SELECT a FROM u) SELECT a FROM t INTERSECT SELECT a FROM c ORDER BY a OFFSET 1 ROWS FETCH NEXT 1 ROWS ONLY
SELECT d.one FROM (SELECT a FROM t) AS d (one)
SELECT d.one FROM (VALUES (1, 'a'), (2, 'b')) AS d (one, two)
WITH c (one) AS (SELECT a FROM t) SELECT one FROM c
WITH c AS (SELECT a FROM t) SELECT a FROM c UNION SELECT a FROM u
INSERT INTO @v VALUES (1, 'a')
INSERT INTO @v (b) SELECT b FROM t
WITH c AS (SELECT b FROM t) INSERT INTO @v (b) SELECT b FROM c
UPDATE @v SET a = 1, b = 'x' WHERE a < 2
DELETE FROM @v WHERE a <= 2
SELECT (SELECT MAX(a) FROM t), -a, ~a, a + 1, a - 1, a * 2, a / 2, a % 2, a & 1, a | 1, a ^ 1 FROM t
SELECT CASE a WHEN 1 THEN 2 ELSE 3 END, CASE WHEN a = 1 THEN 2 END FROM t
SELECT CAST(a AS nvarchar(10)), TRY_CAST(b AS int), CONVERT(varchar(30), GETDATE(), 126), TRY_CONVERT(int, b) FROM t
SELECT CAST(a AS decimal(10, 2)) FROM t
SELECT CONVERT(int, b) FROM t
SELECT b COLLATE Latin1_General_BIN FROM t WHERE b COLLATE Latin1_General_BIN = 'x'
SELECT a FROM t WHERE b LIKE 'a%' AND b NOT LIKE 'b!%' ESCAPE '!'
SELECT a FROM t WHERE b NOT LIKE 'c%'
SELECT a FROM t WHERE a BETWEEN 1 AND 3 AND a IN (1, 2) AND a IN (SELECT a FROM u) AND b IS NULL AND b IS NOT NULL
SELECT a FROM t WHERE a >= 1 AND a <= 2 AND a < 3 AND a > 0 AND a = 1
SELECT ROW_NUMBER() OVER (PARTITION BY a ORDER BY b), SUM(a) OVER (PARTITION BY b) FROM t
SELECT CAST(c AS xml).value('(/a)[1]', 'int'), 0x0F, 1.5, @n, @@ROWCOUNT FROM t
SELECT @n = a FROM t
SELECT [a] FROM t WITH (NOLOCK, INDEX (1)) OPTION (MAXDOP 1, RECOMPILE)
SELECT x.a FROM t x INNER HASH JOIN u ON x.a = u.a
SELECT CURRENT_TIMESTAMP, CURRENT_USER, SESSION_USER, LEN(b) FROM t
SELECT NULL
WITH n AS (SELECT 1 AS a UNION ALL SELECT a + 1 FROM n) SELECT a FROM n OPTION (MAXRECURSION 5)
WITH n AS (SELECT 1 AS a UNION ALL SELECT a + 1 FROM n) SELECT a FROM n UNION SELECT 2 OPTION (MAXRECURSION 5)
WITH n AS (SELECT 1 AS a UNION ALL SELECT a + 1 FROM n) SELECT a FROM n EXCEPT SELECT 2 OPTION (MAXRECURSION 5)
WITH n AS (SELECT 1 AS a UNION ALL SELECT a + 1 FROM n) SELECT a FROM n INTERSECT SELECT 2 OPTION (MAXRECURSION 5)
""".strip().splitlines()

CHANGES_NOTHING = {
    # hints: a SELECT takes no locks here, and is planned by SQLite
    **dict.fromkeys([(exp.Table, "hints"), (exp.WithTableHint, "expressions"), (exp.Join, "hint")], "hints"),
    # words that say what is so without them
    **dict.fromkeys([(exp.Fetch, "direction"), (exp.Fetch, "limit_options"), (exp.LimitOptions, "rows")], "NEXT, ROWS"),
    # what the reader notes for other dialects
    **dict.fromkeys([(exp.Identifier, "quoted"), (exp.Div, "typed"), (exp.DataType, "nested")], "of the reader"),
    **dict.fromkeys([(exp.Ordered, "nulls_first"), (exp.Window, "over")], "of the reader"),
    **dict.fromkeys([(exp.TryCast, "safe"), (exp.Cast, "safe")], "the kind of the node says it"),
    (exp.Limit, "limit_options"): "PERCENT and WITH TIES are refused; nothing else is in it",
    (exp.Subquery, "with_"): "WITH in parentheses is read as that of the SELECT",
    # names behind which one more part may stand; the source in FROM decides
    **dict.fromkeys([(exp.Column, "db"), (exp.Column, "catalog")], "the alias decides"),
    (exp.DataType, "kind"): "the name of a type that there is not (243)",
}
"""Arguments without which a statement does the same, and why."""


def described(parts: tuple[str, ...], line: int) -> Described:
    columns = (Output("a", INT), Output("b", NVARCHAR), Output("c", VARBINARY))
    if parts[0].startswith("@"):
        return Described(parts[0], None, columns[:2])
    return Described(None, ("Shop", ".".join(parts)), columns)


def done(tree: exp.Expr) -> object:
    """What a statement comes to, as it would run; the number of the error where it does not."""
    try:
        query = QueryWriter({"@n": INT}, described, 1).statement(tree)
    except StatementFailed as error:
        return error.number
    except Exception as broken:  # without a part that it always has
        return type(broken)
    tables = [(use.parts, use.equals, use.rows_max, list(use.used)) for use in query.uses]
    return query.sql, query.parameters, query.outputs, query.targets, query.rests, query.writes, str(tables)


def test_there_is_no_kind_of_syntax_that_is_neither_carried_out_nor_refused():
    complaints = []
    for kind in KINDS:
        for argument in kind.arg_types:
            if argument in SUPPORTED.get(kind, ()):
                continue
            with suppress(StatementFailed):
                check_supported(kind(**{argument: exp.Null()}), 1)
                complaints.append(f"{kind.__name__}.{argument}")
    assert complaints == []
    assert {kind: arguments - set(kind.arg_types) for kind, arguments in SUPPORTED.items()} == dict.fromkeys(
        SUPPORTED, frozenset()
    )


def test_each_part_that_is_carried_out_changes_what_is_done():
    met, changing = set(), set()
    for text in STATEMENTS:
        tree = parsed(text, 1)
        whole = done(tree.copy())
        assert isinstance(whole, tuple), (text, whole)
        for number, node in enumerate(tree.walk()):
            for argument in [each for each, value in node.args.items() if value]:
                met.add((type(node), argument))
                without = tree.copy()
                list(without.walk())[number].set(argument, None)
                if done(without) != whole:
                    changing.add((type(node), argument))
    assert met - changing - set(CHANGES_NOTHING) == set(), "ignored"
    assert changing & set(CHANGES_NOTHING) == set(), "no exceptions"
    needed = {(kind, argument) for kind, arguments in SUPPORTED.items() for argument in arguments}
    assert needed - met - set(CHANGES_NOTHING) == set(), "without an example"


@pytest.mark.parametrize(
    ("text", "number", "words"),
    [
        (
            "SELECT * FROM (SELECT name, 1 AS one FROM sys.routes) d PIVOT (SUM(one) FOR name IN ([a])) AS p",
            40517,
            "PIVOT",
        ),
        ("SELECT * FROM (SELECT 1 AS a, 2 AS b) d UNPIVOT (v FOR n IN (a, b)) AS p", 40517, "PIVOT"),
        ("SELECT name FROM sys.routes TABLESAMPLE (10 PERCENT)", 40517, "TABLESAMPLE"),
        ("SELECT name FROM sys.routes FOR SYSTEM_TIME ALL", 40517, "FOR SYSTEM_TIME"),
        ("SELECT * EXCEPT (name) FROM sys.routes", 40517, "EXCEPT"),
        ("SELECT name FROM sys.routes LIMIT 1", 102, "LIMIT"),
        ("SELECT name FROM sys.routes ORDER BY name NULLS LAST", 102, "NULLS"),
        ("SELECT a.name FROM sys.routes a JOIN sys.services b", 102, ""),
        ("SELECT name FROM sys.routes WITH (HOLDLOCK)", 40517, "HOLDLOCK"),
        ("SELECT name FROM sys.routes AS r (a, b)", 40517, "AS … (…)"),
        (
            "DECLARE @t TABLE (id int IDENTITY, n int); INSERT INTO @t (n) OUTPUT inserted.id VALUES (1)",
            40517,
            "OUTPUT",
        ),
        ("DECLARE @t TABLE (n int DEFAULT 1); INSERT INTO @t DEFAULT VALUES", 40517, "DEFAULT VALUES"),
        ("DECLARE @t TABLE (n int); DELETE TOP (1) FROM @t", 40517, "TOP"),
        ("DECLARE @t TABLE (n int); UPDATE @t SET n = 1 OUTPUT deleted.n", 40517, "OUTPUT"),
        ("DECLARE @t TABLE (n int); INSERT INTO @t EXEC ('SELECT 1')", 40510, "INSERT … EXEC"),
        ("UPDATE STATISTICS dbo.t", 40510, "UPDATE STATISTICS"),
        ("SELECT TRUE", 40517, "TRUE"),
        ("SELECT name || 'x' FROM sys.routes", 40517, "||"),
    ],
)
def test_what_is_understood_in_part_is_refused_before_anything_runs(text, number, words, caplog):
    typing = Consoles().open()
    with caplog.at_level(logging.DEBUG, logger="sqlglot"):
        (refused,) = typing.run(f"PRINT 'before'\nIF 1 = 0\nBEGIN\n{text}\nEND")
    assert (refused.number, refused.line) == (number, 4)
    assert words in refused.message
    assert caplog.records == []


REFUSED = "CREATE ASSEMBLY a FROM 'c:\\a.dll'"


def test_a_refusal_is_heard_by_no_catch_and_ends_the_script():
    typing = Consoles().open()
    caught = f"BEGIN TRY\nPRINT 'a'\n{REFUSED}\nEND TRY\nBEGIN CATCH PRINT 'caught' END CATCH\nGO\nPRINT 'later'"
    (refused,) = typing.run(caught)
    assert (refused.number, refused.line) == (40510, 3)
    assert refused.message == "CREATE ASSEMBLY is not supported here"
    # What a text is about is known when it runs: the statements before it have run.
    nested = (
        f"PRINT 'a' BEGIN TRY EXEC (N'{REFUSED.replace(chr(39), chr(39) * 2)}') END TRY BEGIN CATCH PRINT 'b' END CATCH"
    )
    said, refused = typing.run(f"{nested}\nGO\nPRINT 'later'")
    assert (said.text, refused.number) == ("a", 40510)


@pytest.mark.parametrize("command", [":CONNECT OTHER", ":r other.sql", "!!dir"])
def test_a_command_of_sqlcmd_that_is_refused_ends_the_script(command):
    typing = Consoles().open()
    typing.do("CREATE DATABASE Shop\nGO\nUSE Shop\nGO\nCREATE QUEUE kept")
    (refused,) = typing.run(f"{command}\nDROP QUEUE kept\nGO\nDROP QUEUE kept\nGO")
    assert (refused.number, refused.line) == (40510, 1)
    assert typing.rows("SELECT name FROM sys.service_queues WHERE is_ms_shipped = 0") == [("kept",)]


@for_each(
    ("text", "words"),
    [
        ("CREATE OR ALTER PROCEDURE p AS SELECT 1", "CREATE OR ALTER PROCEDURE"),
        ("create proc p as select 1", "CREATE PROC"),
        ("CREATE XML SCHEMA COLLECTION c AS N'x'", "CREATE XML SCHEMA COLLECTION"),
        ("CREATE UNIQUE CLUSTERED INDEX i ON t (a)", "CREATE UNIQUE CLUSTERED INDEX"),
        ("CREATE SYMMETRIC KEY k WITH ALGORITHM = AES_256", "CREATE SYMMETRIC KEY"),
        ("ALTER SERVICE MASTER KEY REGENERATE", "ALTER SERVICE MASTER KEY"),
        ("ALTER DATABASE d MODIFY NAME = e", "ALTER DATABASE … MODIFY"),
        ("ALTER DATABASE SCOPED CONFIGURATION SET MAXDOP = 1", "ALTER DATABASE SCOPED CONFIGURATION"),
        ("GRANT VIEW DEFINITION ON t TO u", "GRANT VIEW DEFINITION"),
        ("GRANT CREATE TABLE TO u", "GRANT CREATE TABLE"),
        ("DENY SELECT, INSERT ON q TO u", "DENY SELECT"),
        ("REVOKE GRANT OPTION FOR SELECT ON q FROM u", "REVOKE GRANT OPTION FOR SELECT"),
        ("GRANT", "GRANT"),
        ("TRUNCATE TABLE t", "TRUNCATE"),
    ],
)
def test_a_refused_statement_is_named_by_its_verb_and_its_whole_kind(text, words):
    (refused,) = Consoles().open().run(text)
    assert (refused.number, refused.message) == (40510, f"{words} is not supported here")


@for_each(
    ("table", "words"),
    [
        ("sys.dm_exec_sql_text(0x)", "sys.dm_exec_sql_text"),
        ("STRING_SPLIT('a,b', ',')", "STRING_SPLIT"),
        ("dbo.f(1) AS t", "dbo.f"),
    ],
)
def test_a_function_in_from_is_named_as_it_is_written(table, words):
    (refused,) = Consoles().open().run(f"SELECT * FROM {table}")
    assert (refused.number, refused.parameters["found"]) == (40517, words)


def test_a_batch_that_does_not_parse_leaves_the_next_one_alone():
    outputs = Consoles().open().run("SELEC 1 FROM x y z\nGO\nPRINT 'next'")
    assert [kind.__name__ for kind in kinds(outputs)] == ["Failed", "Printed"]
