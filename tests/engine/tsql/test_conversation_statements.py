"""Statements that work on conversations, and permissions: broken ones are named, columns of such names are none."""

import pytest

from engine.tsql.parse import parse_script
from tests.support.each import for_each

BROKEN = [
    ("BEGIN DIALOG @h FROM", 21, "SERVICE"),
    ("BEGIN DIALOG FROM SERVICE a TO SERVICE 'b'", 14, "a variable"),
    ("BEGIN DIALOG @h FROM SERVICE a", 31, "TO"),
    ("BEGIN DIALOG @h FROM SERVICE a TO SERVICE b", 43, "a text in quotes or a variable"),
    ("BEGIN DIALOG @h FROM SERVICE a TO SERVICE 'b' ON c", 50, "CONTRACT"),
    ("BEGIN DIALOG @h FROM SERVICE a TO SERVICE 'b' WITH ENCRYPTON = OFF", 52,
     "RELATED_CONVERSATION, RELATED_CONVERSATION_GROUP, LIFETIME or ENCRYPTION"),
    ("BEGIN DIALOG @h FROM SERVICE a TO SERVICE 'b' WITH ENCRYPTION = NO", 65, "ON or OFF"),
    ("BEGIN DIALOG @h FROM SERVICE a TO SERVICE 'b' WITH LIFETIME = ;", 63, "an expression"),
    ("BEGIN CONVERSATION @h TIMEOUT = 5", 20, "TIMER"),
    ("BEGIN CONVERSATION TIMER (@h) TIMEOUT 5", 39, "'='"),
    ("SEND ON @h", 9, "CONVERSATION"),
    ("SEND CONVERSATION @h", 6, "ON"),
    ("SEND ON CONVERSATION @h MESSAGE [t] (@b)", 33, "TYPE"),
    ("SEND ON CONVERSATION @h MESSAGE TYPE [t] @b", 42, "the end of the statement"),
    ("SEND ON CONVERSATION @h ()", 26, "an expression"),
    ("SEND ON CONVERSATION @h (@b", 28, "')'"),
    ("RECEIVE * q", 12, "FROM"),
    ("RECEIVE FROM q", 9, "a column"),
    ("RECEIVE * FROM", 15, "a name"),
    ("RECEIVE * FROM q WHERE handle = @h", 24, "CONVERSATION_HANDLE or CONVERSATION_GROUP_ID"),
    ("RECEIVE * FROM q INTO #t", 23, "a variable"),
    ("WAITFOR (RECIEVE * FROM q)", 10, "RECEIVE or GET"),
    ("WAITFOR RECEIVE * FROM q", 9, "'('"),
    ("WAITFOR (RECEIVE * FROM q), TIMOUT 5", 29, "TIMEOUT"),
    ("WAITFOR (RECEIVE * FROM q), TIMEOUT", 36, "an expression"),
    ("GET CONVERSATION @g FROM q", 18, "GROUP"),
    ("GET CONVERSATON GROUP @g FROM q", 5, "CONVERSATION"),
    ("MOVE CONVERSATION @h @g", 22, "TO"),
    ("END CONVERSATION", 17, "a variable or a text in quotes"),
    ("END CONVERSATION @h WITH ERROR = 1", 35, "DESCRIPTION"),
    ("END CONVERSATION @h WITH CLEAN", 26, "ERROR or CLEANUP"),
    ("GRANT SEND SERVICE::s", 12, "ON or ','"),
    ("GRANT SEND SERVICE::s TO u", 12, "ON or ','"),
    ("GRANT RECEIVE TO u", 15, "ON or ','"),
    ("GRANT RECEIVE ON SERVICE::s TO u", 7, "ALL, ALTER, CONTROL, SEND, TAKE OWNERSHIP or VIEW DEFINITION"),
    ("GRANT SEND ON QUEUE::q TO u", 15, "SERVICE"),
    ("GRANT ALTER ON ROUTE::r", 24, "FROM or TO"),
    ("GRANT REFERENCES ON CONTRACT:: TO u", 32, "a name"),
    ("DENY CONTROL ON REMOTE SERVICE BINDING::b TO", 45, "a name"),
    ("REVOKE VIEW DEFINITION ON MESSAGE TYPE::t FROM u WITH GRANT", 60, "OPTION"),
]  # fmt: skip


@for_each(("text", "column", "expected"), BROKEN)
@for_each("before", ["", "SELECT 1;\n", "CREATE QUEUE a\n;"])
def test_a_broken_one_is_named_with_its_place_and_reading_goes_on(text, column, expected, before):
    script = parse_script(f"{before}{text}\nGO\nCREATE QUEUE q", "s.sql")
    (problem,) = script.problems
    if column <= len(text):
        offset = len(before) - before.rfind("\n") - 1
        assert (problem.line, problem.column) == (before.count("\n") + 1, column + offset)
    assert (problem.number, problem.parameters["expected"]) == (102, expected)
    assert str(script.statements[-1].name) == "q"


MISSPELLED = [
    ("RECIEVE * FROM q", "RECEIVE"),
    ("RECIEVE TOP (1) message_body FROM q", "RECEIVE"),
    ("RECEVE @h = conversation_handle FROM q", "RECEIVE"),
    ("SEDN ON CONVERSATION @h (@b)", "SEND"),
    ("BEGN DIALOG @h FROM SERVICE a TO SERVICE 'b'", "BEGIN"),
    ("MOEV CONVERSATION @h TO @g", "MOVE"),
    ("CREAT ROUTE r WITH ADDRESS = 'LOCAL'", "CREATE"),
    ("CRAETE MESSAGE TYPE t VALIDATION = NONE", "CREATE"),
    ("CRATE REMOTE SERVICE BINDING b TO SERVICE 's' WITH USER = u", "CREATE"),
    ("ALTR QUEUE q WITH STATUS = ON", "ALTER"),
    ("DORP SERVICE [//s]", "DROP"),
    ("GRNAT SEND ON SERVICE::s TO u", "GRANT"),
]


@for_each(("text", "meant"), MISSPELLED)
@for_each("before", ["", "GO\n", "SELECT a FROM t\n", "EXEC p\n", "CREATE QUEUE a;\n", "DECLARE @x int\n"])
def test_a_misspelled_one_is_named_wherever_it_stands(text, meant, before):
    script = parse_script(f"{before}{text}\nGO\nCREATE QUEUE q", "s.sql")
    (problem,) = script.problems
    assert (problem.number, problem.line, problem.column) == (102, before.count("\n") + 1, 1)
    assert problem.parameters["expected"] == meant


@pytest.mark.parametrize(
    "text",
    [
        "CREATE BROKER PRIORTY p FOR CONVERSATION",
        "CREATE REMOTE SERVCE BINDING b TO SERVICE 's' WITH USER = u",
        "CREATE EVENT NOTIFICATON n ON QUEUE q FOR QUEUE_ACTIVATION TO SERVICE 's', 'current database'",
        "CREATE ENDPOINT e AS TCP (LISTENER_PORT = 4022) FOR SERVCE_BROKER ()",
    ],
)
def test_a_kind_that_is_misspelled_further_on_is_named(text):
    (problem,) = parse_script(text, "s.sql").problems
    assert problem.number == 102


@for_each(
    "text",
    [
        "SELECT\n  send,\n  receive,\n  get,\n  move\nFROM t",
        "SELECT id\n, receive * 2 AS twice\nFROM t",
        "SELECT received\nFROM t",
        "SELECT\n  created service,\n  dropped AS queue\nFROM t",
        "RESTORE DATABASE v FROM DISK = 'v.bak' WITH\n  MOVE 'a' TO 'b',\n  MOVE 'c' TO 'd'",
        "UPDATE t SET\n  send = 1,\n  move = 2",
        "INSERT INTO t (\n  send,\n  receive)\nVALUES (1, 2)",
        "WAITFOR DELAY '00:00:01'",
        "sp_created route",
        "GRANT EXECUTE ON p TO u",
        "GRANT CREATE QUEUE, ALTER ANY ROUTE TO u",
        "GRANT SELECT, INSERT ON OBJECT::dbo.t TO u",
        "SEND ON CONVERSATION @h MESSAGE TYPE [t] (N'a' + CAST(@b AS nvarchar(max)))",
        "RECEIVE TOP (1) CASE WHEN 1 = 1 THEN message_body END AS b, @h = conversation_handle FROM q",
        "END CONVERSATION @h WITH ERROR = @n DESCRIPTION = @text",
        "IF @@ROWCOUNT = 0 END CONVERSATION @h",
        "again:\nRECEIVE * FROM q\ngoto_again:\nSELECT 1",
    ],
)
def test_what_only_looks_alike_is_no_mistake(text):
    assert parse_script(f"{text}\nGO\nCREATE QUEUE q", "s.sql").problems == ()
