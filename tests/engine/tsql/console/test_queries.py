"""SELECT over catalog views, DMVs and queues, as T-SQL means it."""

from uuid import UUID

import pytest

from engine.tsql.console.outputs import Failed, ResultSet
from tests.support.console_world import NOW, Consoles

SHOP = """
CREATE DATABASE Shop;
GO
USE Shop;
GO
CREATE MESSAGE TYPE [//Shop/Order] VALIDATION = WELL_FORMED_XML;
CREATE MESSAGE TYPE [//Shop/Receipt] VALIDATION = NONE;
CREATE CONTRACT [//Shop/Ordering] ([//Shop/Order] SENT BY INITIATOR, [//Shop/Receipt] SENT BY TARGET);
CREATE QUEUE dbo.Till;
CREATE QUEUE dbo.[Back Office] WITH RETENTION = ON;
CREATE SERVICE [//Shop/Till] ON QUEUE dbo.Till;
CREATE SERVICE [//Shop/Office] ON QUEUE dbo.[Back Office] ([//Shop/Ordering]);
CREATE ROUTE Away WITH SERVICE_NAME = N'//Away', ADDRESS = N'TCP://away.example:4022';
GO
"""


@pytest.fixture(scope="module")
def shop():
    typing = Consoles().open()
    typing.do(SHOP)
    return typing


def test_views_are_joined_filtered_and_ordered(shop):
    script = """
    SELECT s.name, q.name AS queue
    FROM sys.services AS s
    JOIN sys.service_queues q ON q.object_id = s.service_queue_id
    WHERE s.name LIKE '//Shop/%' AND q.is_retention_enabled IN (0, 1)
    ORDER BY queue, s.name DESC
    """
    assert shop.rows(script) == [("//Shop/Office", "Back Office"), ("//Shop/Till", "Till")]


def test_queues_are_objects_of_the_type_sq(shop):
    script = """SELECT o.name, o.type, o.type_desc, o.schema_id, q.name FROM sys.objects o
    JOIN sys.service_queues q ON q.object_id = o.object_id WHERE o.is_ms_shipped = 0 ORDER BY o.name"""
    assert shop.rows(script) == [
        ("Back Office", "SQ", "SERVICE_QUEUE", 1, "Back Office"),
        ("Till", "SQ", "SERVICE_QUEUE", 1, "Till"),
    ]
    clean_up = """IF EXISTS (SELECT * FROM sys.objects WHERE name = N'left' AND type = 'SQ') DROP QUEUE dbo.[Left];
    IF EXISTS (SELECT * FROM sys.objects WHERE object_id = OBJECT_ID(N'dbo.Left')) PRINT 'still there'"""
    assert shop.said(f"CREATE QUEUE dbo.[Left];\n{clean_up}\n{clean_up}") == []


def test_an_outer_join_keeps_what_has_no_partner(shop):
    script = """
    SELECT s.name, c.name FROM sys.services s
    LEFT JOIN sys.service_contract_usages u ON u.service_id = s.service_id
    LEFT OUTER JOIN sys.service_contracts c ON c.service_contract_id = u.service_contract_id
    WHERE s.name IN ('//Shop/Till', '//Shop/Office') ORDER BY s.name
    """
    assert shop.rows(script) == [("//Shop/Office", "//Shop/Ordering"), ("//Shop/Till", None)]


def test_groups_have_aggregates_and_conditions(shop):
    script = """
    SELECT is_retention_enabled AS kept, COUNT(*) AS n, MIN(name) AS first
    FROM sys.service_queues WHERE is_ms_shipped = 0
    GROUP BY is_retention_enabled HAVING COUNT(*) >= 1 ORDER BY kept
    """
    assert shop.rows(script) == [(False, 1, "Till"), (True, 1, "Back Office")]


def test_top_and_offset_take_a_part(shop):
    ours = "FROM sys.service_message_types WHERE name LIKE '//Shop/%' ORDER BY name"
    assert shop.rows(f"SELECT TOP 1 name {ours}") == [("//Shop/Order",)]
    assert shop.rows(f"DECLARE @n int = 1; SELECT TOP (@n) name {ours} DESC") == [("//Shop/Receipt",)]
    assert shop.rows(f"SELECT name {ours} OFFSET 1 ROWS FETCH NEXT 5 ROWS ONLY") == [("//Shop/Receipt",)]


def test_subqueries_common_tables_and_values(shop):
    assert shop.rows("SELECT (SELECT COUNT(*) FROM sys.routes WHERE name = 'away'), 2") == [(1, 2)]
    assert shop.rows("WITH r (n) AS (SELECT name FROM sys.routes) SELECT n FROM r WHERE n <> 'AutoCreatedLocal'") == [
        ("Away",)
    ]
    assert shop.rows("SELECT v.b FROM (VALUES (1, 'a'), (2, 'b')) AS v (a, b) WHERE v.a = 2") == [("b",)]
    assert shop.rows("SELECT d.n FROM (SELECT name n FROM sys.routes UNION ALL SELECT 'x') d ORDER BY 1 DESC") == [
        ("x",),
        ("Away",),
        ("AutoCreatedLocal",),
    ]
    correlated = """SELECT q.name FROM sys.service_queues q
    WHERE EXISTS (SELECT * FROM sys.services s WHERE s.service_queue_id = q.object_id AND s.name = N'//Shop/Till')"""
    assert shop.rows(correlated) == [("Till",)]
    assert shop.rows("SELECT name FROM sys.databases WHERE database_id IN (SELECT DB_ID())") == [("Shop",)]


def test_a_column_keeps_its_name_however_it_is_compared(shop):
    script = "SELECT name COLLATE Latin1_General_BIN2, name COLLATE Latin1_General_CI_AS AS other FROM sys.routes"
    (found,) = [each for each in shop.do(script) if isinstance(each, ResultSet)]
    assert [each.name for each in found.columns] == ["name", "other"]
    script = "SELECT d.name FROM (SELECT name COLLATE Latin1_General_BIN2 FROM sys.routes) d WHERE d.name = 'Away'"
    assert shop.rows(script) == [("Away",)]


def test_windows_number_rows(shop):
    script = """SELECT name, ROW_NUMBER() OVER (ORDER BY name DESC) AS place FROM sys.services
    WHERE name LIKE '//Shop%' ORDER BY place"""
    assert shop.rows(script) == [("//Shop/Till", 1), ("//Shop/Office", 2)]


@pytest.mark.parametrize(
    "table", ["dbo.Till", "Till", "[dbo].[till]", "Shop..Till", "shop.dbo.TILL", '"Till"', "dbo.Till WITH (NOLOCK)"]
)
def test_a_queue_is_found_under_each_of_its_names(shop, table):
    assert shop.rows(f"SELECT COUNT(*) FROM {table}") == [(0,)]


def test_another_database_is_named_before_the_view(shop):
    shop.do("USE master")
    try:
        assert shop.rows("SELECT name FROM Shop.sys.routes WHERE address LIKE 'tcp://%'") == [("Away",)]
        assert shop.failure("SELECT name FROM sys.routes r WHERE r.nope = 1").number == 207
    finally:
        shop.do("USE Shop")


def test_names_of_services_are_exact_and_those_of_queues_are_not(shop):
    assert shop.rows("SELECT COUNT(*) FROM sys.services WHERE name = '//shop/till'") == [(0,)]
    assert shop.rows("SELECT COUNT(*) FROM sys.services WHERE name = '//Shop/Till  '") == [(1,)]
    assert shop.rows("SELECT COUNT(*) FROM sys.service_queues WHERE name = 'TILL'") == [(1,)]
    assert shop.rows("SELECT COUNT(*) FROM sys.services WHERE name COLLATE Latin1_General_CI_AS = '//shop/till'") == [
        (1,)
    ]


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("7 / 2", 3),
        ("-7 / 2", -3),
        ("-7 % 3", -1),
        ("7 / 2.0", 3.5),
        ("1 + '2'", 3),
        ("N'a' + 'b'", "ab"),
        ("CAST('2026-05-28T01:02:03' AS datetime)", 1779930123.0),
        ("CONVERT(varchar(19), CAST('20260528 01:02:03' AS datetime2), 120)", "2026-05-28 01:02:03"),
        ("CONVERT(varchar(10), CAST('2026-05-28' AS date), 104)", "28.05.2026"),
        ("CAST(CAST('2026-05-28 13:02' AS datetime) AS varchar(30))", "May 28 2026  1:02PM"),
        ("DATEDIFF(minute, '2026-05-28T10:59:59', '2026-05-28T11:00:00')", 1),
        ("CONVERT(char(10), DATEADD(month, 1, '2026-01-31'), 126)", "2026-02-28"),
        ("DATEPART(weekday, '2026-05-31')", 1),
        ("DATENAME(month, '2026-05-31')", "May"),
        ("CAST(N'AB' AS varbinary(10))", b"A\0B\0"),
        ("CAST('AB' AS varbinary(10))", b"AB"),
        ("CAST(0x41004200 AS nvarchar(max))", "AB"),
        ("CONVERT(varchar(20), 0x0AFF, 1)", "0x0AFF"),
        (
            "CAST('6F9619FF-8B86-D011-B42D-00C04FC964FF' AS uniqueidentifier)",
            UUID("6f9619ff-8b86-d011-b42d-00c04fc964ff"),
        ),
        ("CAST('abc' AS varchar(2))", "ab"),
        ("TRY_CAST('x' AS int)", None),
        ("ISNULL(NULL, 'x')", "x"),
        ("COALESCE(NULL, NULL, 3)", 3),
        ("NULLIF('a', 'A')", None),
        ("IIF('a' = 'A', 1, 0)", 1),
        ("CASE WHEN 1 > 2 THEN 'a' WHEN 'b' LIKE '[a-c]' THEN 'c' ELSE 'd' END", "c"),
        ("CASE 3 WHEN 1 THEN 'a' END", None),
        ("LEN('ab  ')", 2),
        ("DATALENGTH(N'ab')", 4),
        ("SUBSTRING('broker', 2, 3)", "rok"),
        ("REPLACE('a-b', '-', '+')", "a+b"),
        ("CHARINDEX('K', 'broker')", 4),
        ("UPPER(LEFT('broker', 2)) + RIGHT('broker', 2)", "BRer"),
        ("STUFF('abc', 2, 1, 'x')", "axc"),
        ("CONCAT('a', NULL, 1)", "a1"),
        ("QUOTENAME('a]b')", "[a]]b]"),
        ("ROUND(2.5, 0)", 3.0),
        ("5 & 3 | 8", 9),
        ("CAST('<a><b>1</b></a>' AS xml).value('(/a/b)[1]', 'int')", 1),
        (
            "CAST('<o xmlns=\"u\" id=\"7\"/>' AS xml).value('declare namespace n=\"u\"; (/n:o/@id)[1]', 'nvarchar(5)')",
            "7",
        ),
        ("DB_NAME()", "Shop"),
        ("SCHEMA_NAME()", "dbo"),
        ("@@SERVERNAME", "HERE"),
        ("OBJECT_NAME(OBJECT_ID('dbo.Till'))", "Till"),
        ("SERVERPROPERTY('ServerName')", "HERE"),
        ("DATABASEPROPERTYEX('Shop', 'Status')", "ONLINE"),
    ],
)
def test_expressions_come_to_what_the_vendor_says(shop, expression, value):
    assert shop.value(expression) == value


def test_the_clock_is_that_of_the_instance(shop):
    assert NOW <= shop.value("SYSUTCDATETIME()") < NOW + 3600
    assert shop.value("DATEDIFF(second, '2026-05-28T20:26:40', GETDATE())") < 3600


def test_identifiers_are_new_each_time(shop):
    one, other = shop.rows("SELECT NEWID(), NEWID()")[0]
    assert one != other


@pytest.mark.parametrize(
    ("script", "number", "line"),
    [
        ("SELECT *\nFROM sys.nothing", 208, 2),
        ("SELECT * FROM nowhere.dbo.Till", 208, 1),
        ("SELECT name,\n  nope\nFROM sys.routes", 207, 2),
        ("SELECT\n x.name FROM sys.routes r", 4104, 2),
        ("SELECT name FROM sys.routes r JOIN sys.services s ON 1 = 1", 209, 1),
        ("SELECT * FROM sys.routes, sys.routes", 1013, 1),
        ("SELECT * FROM a.b.c.d", 7202, 1),
        ("SELECT *\nFROM @nothing", 137, 2),
        ("SELECT @nothing", 137, 1),
        ("SELECT name, COUNT(*) FROM sys.routes", 8120, 1),
        ("SELECT\n\nNOPE(1)", 195, 3),
        ("SELECT LEN('a', 'b')", 174, 1),
        ("SELECT DATEADD(fortnight, 1, GETDATE())", 155, 1),
        ("SELECT CAST(1 AS money2)", 243, 1),
        ("SELECT 1 / 0", 8134, 1),
        ("SELECT CAST('x' AS int)", 245, 1),
        ("SELECT CAST('x' AS uniqueidentifier)", 8169, 1),
        ("SELECT CAST('2026-02-30' AS datetime)", 241, 1),
        ("SELECT CAST(300 AS tinyint)", 8115, 1),
        ("SELECT CAST('<a>' AS xml)", 9400, 1),
        ("SELECT (SELECT name FROM sys.databases)", 512, 1),
        ("SELECT (SELECT 1, 2)", 116, 1),
        ("SELECT 1 UNION SELECT 1, 2", 205, 1),
        ("SELECT name FROM sys.routes ORDER BY 2", 108, 1),
        ("SELECT 1 WHERE 1", 4145, 1),
        ("SELECT 1\nFROM", 102, 2),
        ("SELECT (1", 102, 1),
        ("SELECT 'a", 105, 1),
        ("SELECT * INTO #t FROM sys.routes", 40517, 1),
        ("SELECT name FROM sys.routes FOR XML AUTO", 40517, 1),
        ("SELECT TOP (-1) name FROM sys.routes", 127, 1),
        ("DELETE FROM sys.routes", 259, 1),
        ("INSERT INTO dbo.Till VALUES (1)", 259, 1),
    ],
)
def test_what_is_wrong_has_the_vendors_number_and_its_line(shop, script, number, line):
    failure = shop.failure(script)
    assert (failure.number, failure.line) == (number, line)
    assert failure.message


def test_bounds_end_what_would_not_end(shop):
    many = "sys.service_message_types"
    joined = f"SELECT COUNT(*) FROM {', '.join(f'{many} a{n}' for n in range(8))}"
    assert shop.failure(joined).number == 8649
    rows = f"SELECT a1.name FROM {', '.join(f'{many} a{n}' for n in range(5))}"
    assert shop.failure(rows).number == 8657


def test_a_chain_of_a_thousand_conditions_is_no_nesting(shop):
    chain = " OR ".join(f"name = 'r{number}'" for number in range(1000))
    assert shop.rows(f"SELECT name FROM sys.routes WHERE {chain}") == []
    assert shop.failure("SELECT " + "(" * 300 + "1" + ")" * 300).number in (102, 191)


@pytest.mark.parametrize(
    ("script", "number"),
    [
        (f"SELECT 1 WHERE 1 IN (1{', 1' * 9_990})", None),
        (f"SELECT 1 WHERE 1 IN (1{', 1' * 10_000})", 8632),
        (f"SELECT 1 WHERE (1{' + 1' * 60}) IN (1{', 1' * 2_000})", 8632),
        (f"SELECT {'CASE WHEN ' * 14}1{' BETWEEN 0 AND 1 THEN 1 ELSE 0 END' * 14}", 8632),
        ("SELECT CASE WHEN CASE WHEN 1 BETWEEN 0 AND 1 THEN 1 ELSE 0 END BETWEEN 0 AND 1 THEN 1 ELSE 0 END", None),
        (
            "WITH w0 AS (SELECT 1 AS x, 2 AS y)"
            + "".join(f", w{n} AS (SELECT a.*, b.* FROM w{n - 1} a, w{n - 1} b)" for n in range(1, 30))
            + " SELECT * FROM w29",
            8632,
        ),
    ],
)
def test_a_statement_has_so_many_parts(shop, script, number):
    failures = [each.number for each in shop.run(script) if isinstance(each, Failed)]
    assert failures == ([] if number is None else [number])


@pytest.mark.parametrize("function", ["ABS", "CEILING", "FLOOR"])
def test_a_text_that_is_calculated_with_is_a_number_then(shop, function):
    assert shop.value(f"LEN({function}(N'7'))") == 1
    assert shop.value(f"{function}(N'7') + N'1'") == 8


def test_identities_go_on_where_large_values_appear(shop):
    script = "DECLARE @t TABLE (n int IDENTITY, a nvarchar(max)); INSERT INTO @t (a) VALUES (N'a'); "
    script += "INSERT INTO @t (a) SELECT REPLICATE(N'b', 100000) UNION ALL SELECT REPLICATE(N'c', 500000); "
    assert shop.do(script + "SELECT n, LEN(a) FROM @t")[-2].rows == ((1, 1), (2, 100_000), (3, 500_000))


def test_types_of_columns_are_told(shop):
    (result, _) = shop.do("SELECT service_broker_guid, is_broker_enabled, 1.5 AS x, N'a' FROM sys.databases")
    assert [(each.name, each.type) for each in result.columns] == [
        ("service_broker_guid", "uniqueidentifier"),
        ("is_broker_enabled", "bit"),
        ("x", "decimal(38,1)"),
        ("", "nvarchar(max)"),
    ]
    assert isinstance(result.rows[0][0], UUID)
    assert result.rows[0][1] in (True, False)
