"""Parameters of templates that are not filled in are named, wherever they are; comparisons are no parameters."""

from engine.tsql.console.outputs import Failed
from engine.tsql.parse import parse_script
from tests.support.console_world import Consoles
from tests.support.each import for_each

EXPECTED = "expected a value for this template parameter"


@for_each(
    ("script", "column", "shown"),
    [
        ("CREATE QUEUE <queue_name, sysname, q>", 14, "'<queue_name, sysname, q>'"),
        ("CREATE QUEUE [<queue_name, sysname, q>]", 14, "[<queue_name, sysname, q>]"),
        ('CREATE QUEUE "<queue_name,,>"', 14, '"<queue_name,,>"'),
        ("USE <Database Name, sysname, db>", 5, "'<Database Name, sysname, db>'"),
        ("CREATE DATABASE <db, sysname, [my db]>", 17, "'<db, sysname, [my db]>'"),
        ("CREATE ROUTE r WITH ADDRESS = '<Address, nvarchar(256), LOCAL>'", 31, "'<Address, nvarchar(256), LOCAL>'"),
        ("CREATE CONTRACT c (<t, sysname, t> SENT BY ANY)", 20, "'<t, sysname, t>'"),
        ("DROP QUEUE <q, , >", 12, "'<q, , >'"),
    ],
)
def test_a_parameter_is_named_with_what_to_do(script, column, shown):
    (problem,) = parse_script(script, "s.sql").problems
    assert (problem.number, problem.line, problem.column) == (102, 1, column)
    assert problem.text.startswith(f"Syntax error near {shown}, {EXPECTED}")
    failure = Consoles().open().failure(f"PRINT 1\nGO\n{script}")
    assert (failure.number, failure.line) == (102, 3)
    assert failure.message == problem.text


@for_each(
    "query",
    [
        "SELECT 1 WHERE 1 <2 AND 3> 2",
        "SELECT CASE WHEN 1 <2 THEN 3 ELSE 1 END, 4, CASE WHEN 5> 4 THEN 1 END",
        "SELECT IIF(1 <2, 3, 4), IIF(3> 2, 1, 0)",
        "DECLARE @a int = 1 SELECT IIF(@a <2, @a, 4), IIF(@a> 2, 1, 0)",
        "SELECT '<a, b, c>', N'<a/>, <b, c>'",
        "PRINT '1 <2, 3, 4>'",
    ],
)
def test_comparisons_and_texts_are_none(query):
    assert [each for each in Consoles().open().run(query) if isinstance(each, Failed)] == []
    assert parse_script(query, "s.sql").problems == ()


def test_what_an_import_steps_over_may_have_some():
    script = "CREATE PROCEDURE <Procedure_Name, sysname, p> AS SELECT 1\nGO\nCREATE QUEUE q"
    read = parse_script(script, "s.sql")
    assert (read.problems, len(read.statements)) == ((), 1)


@for_each("end", ["\nGO", "", ";", "\nCREATE QUEUE q"])
def test_valid_xml_without_a_collection_is_blamed_itself(end):
    script = f"CREATE MESSAGE TYPE t\n  VALIDATION = VALID_XML{end}"
    problem = parse_script(script, "s.sql").problems[0]
    assert (problem.number, problem.line, problem.column) == (102, 2, 16)
    assert "expected VALID_XML WITH SCHEMA COLLECTION and a name" in problem.text
    failure = Consoles().open().failure(script)
    assert (failure.number, failure.line) == (102, 2)
    assert failure.message == problem.text


def test_a_script_with_a_null_character_is_refused_at_its_place():
    (problem,) = parse_script("CREATE QUEUE q\nPRINT '\0'", "s.sql").problems
    assert (problem.number, problem.line, problem.column) == (102, 2, 8)
    assert "U+0000" in problem.text
