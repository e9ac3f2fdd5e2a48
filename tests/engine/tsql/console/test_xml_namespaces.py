"""WITH XMLNAMESPACES, as the vendor's error handlers of Service Broker use it."""

import pytest

from tests.support.console_world import Consoles

ERRORS = "http://schemas.microsoft.com/SQL/ServiceBroker/Error"
HANDLER = f"""
DECLARE @h uniqueidentifier, @kind sysname, @body xml, @error int, @text nvarchar(3000);
RECEIVE TOP (1) @h = conversation_handle, @kind = message_type_name, @body = CAST(message_body AS xml) FROM Inbox;
IF @kind = N'{ERRORS}'
BEGIN
    WITH XMLNAMESPACES ('{ERRORS}' AS ssb)
    SELECT @error = CAST(@body AS xml).value('(//ssb:Error/ssb:Code)[1]', 'int'),
        @text = @body.value('(//ssb:Error/ssb:Description)[1]', 'nvarchar(3000)');
    END CONVERSATION @h;
END;
SELECT @error, @text;
"""


@pytest.fixture(scope="module")
def typing():
    return Consoles().open()


def test_an_error_message_is_read_by_the_usual_handler():
    typing = Consoles().open(database="msdb")
    typing.do("""CREATE QUEUE Inbox; CREATE SERVICE [//Here] ON QUEUE Inbox ([DEFAULT]);
    GO
    DECLARE @h uniqueidentifier;
    BEGIN DIALOG @h FROM SERVICE [//Here] TO SERVICE N'//Here' WITH ENCRYPTION = OFF;
    SEND ON CONVERSATION @h (N'<x/>');
    GO
    DECLARE @h uniqueidentifier;
    RECEIVE TOP (1) @h = conversation_handle FROM Inbox;
    END CONVERSATION @h WITH ERROR = 77 DESCRIPTION = N'no such order';""")
    assert typing.rows(HANDLER) == [(77, "no such order")]


@pytest.mark.parametrize(
    ("clause", "path"),
    [
        ("'u' AS p", "/p:a/p:b"),
        ("DEFAULT 'u'", "/a/b"),
        ("N'v' AS [q], DEFAULT N'u', 'w' AS r", "/a/b"),
        ("'u' AS p, 'it''s' AS q", "/p:a/p:b"),
    ],
)
def test_prefixes_and_the_default_reach_every_path_of_the_statement(typing, clause, path):
    document = "CAST(N'<a xmlns=\"u\"><b>5</b></a>' AS xml)"
    script = f"""WITH XMLNAMESPACES ({clause})
    SELECT {document}.value('({path})[1]', 'int'), d.n FROM (SELECT {document}.exist(N'{path}') AS n) AS d"""
    assert typing.rows(script) == [(5, True)]
    assert typing.rows(f"SELECT {document}.exist('/a/b')") == [(False,)]


@pytest.mark.parametrize(("uri", "written"), [("it's", "it''s"), ('say "u"', 'say "u"')])
def test_a_namespace_with_quotes_is_one_all_the_same(typing, uri, written):
    document = f'<a xmlns="{uri.replace(chr(34), "&quot;")}"/>'.replace("'", "''")
    script = f"WITH XMLNAMESPACES ('{written}' AS p) SELECT CAST(N'{document}' AS xml).exist('/p:a')"
    assert typing.rows(script) == [(True,)]


def test_common_tables_follow_the_namespaces(typing):
    script = """;WITH XMLNAMESPACES ('u' AS p), d (x) AS (SELECT CAST(N'<a xmlns="u">1</a>' AS xml))
    SELECT x.value('(/p:a)[1]', 'int') FROM d"""
    assert typing.rows(script) == [(1,)]


@pytest.mark.parametrize(
    ("script", "number", "line"),
    [
        ("WITH XMLNAMESPACES ()\nSELECT 1", 102, 1),
        ("WITH XMLNAMESPACES ('u')\nSELECT 1", 102, 1),
        ("WITH XMLNAMESPACES ('u' AS [p q])\nSELECT 1", 102, 1),
        ("WITH XMLNAMESPACES ('it''s \"u\"' AS p)\nSELECT 1", 40517, 1),
        ("WITH XMLNAMESPACES ('u' AS p)\nSELECT nope", 207, 2),
    ],
)
def test_what_is_wrong_with_it_is_told_at_its_line(typing, script, number, line):
    failure = typing.failure(script)
    assert (failure.number, failure.line) == (number, line)
