"""Inputs from public scripts and questions about Service Broker, each with all that comes of it.

`CONSOLE` has what is typed into a session, from within a database of the input's name, and then the rows, texts and
errors in their order; behind `Then` another script of the same session. It is tried on an instance of a world and in a
sandbox; `tests/brokerweb/test_public_inputs.py` tries it on a live estate and has the inputs of the command line.
`IMPORT` has scripts that are planned in an empty database d, the objects that they make or change, and what is said.

D1 to D12 were found in scripts, P1 to P7 in questions; W1 to W4 are statements that an import once refused.
"""

from __future__ import annotations

import pytest

from engine.core.exchange.explaining import RetryEnd
from engine.core.vocabulary.identifiers import DatabaseName, InstanceName
from engine.tsql.compile import plan_import
from engine.tsql.parse import parse_script
from engine.tsql.plan import Effect, ImportPlan
from engine.whatif.explanation import with_proofs
from tests.support.certificates import VAULT, initiator, target
from tests.support.console_places import InSandbox, InWorld, check_shown, error_line, shown
from tests.support.console_world import NOW
from tests.support.each import for_each
from tests.support.numbered_entropy import NumberedEntropy
from tests.support.secure_world import SecureWorld

TWO_SERVICES = """CREATE QUEUE TargetQ
CREATE SERVICE T ON QUEUE TargetQ ([DEFAULT])
CREATE QUEUE InitQ
CREATE SERVICE I ON QUEUE InitQ
GO
"""
D1 = f"""{TWO_SERVICES}CREATE PROCEDURE dbo.P AS
BEGIN
    DECLARE @h uniqueidentifier;
    RECEIVE TOP (1) @h = conversation_handle FROM TargetQ;
    IF @h IS NOT NULL BEGIN SEND ON CONVERSATION @h (N'ack'); END CONVERSATION @h; END
END
GO
ALTER QUEUE TargetQ WITH ACTIVATION (STATUS = ON, PROCEDURE_NAME = dbo.P, MAX_QUEUE_READERS = 1, EXECUTE AS SELF)
GO
PRINT 'goes on'
"""
ONE_SERVICE = "CREATE QUEUE q\nCREATE SERVICE s ON QUEUE q ([DEFAULT])\nGO\n"
SEND = """DECLARE @h uniqueidentifier;
BEGIN DIALOG @h FROM SERVICE s TO SERVICE '{}' WITH ENCRYPTION = OFF;
SEND ON CONVERSATION @h (N'<order>5</order>');
"""
LOOP = """GO
DECLARE @h uniqueidentifier, @m sysname, @b xml;
WHILE (1 = 1)
BEGIN
    BEGIN TRY
        BEGIN TRANSACTION;
        WAITFOR (RECEIVE TOP (1) @h = conversation_handle, @m = message_type_name, @b = CAST(message_body AS xml)
                 FROM q), TIMEOUT 60000;
        IF (@@ROWCOUNT = 0) BEGIN ROLLBACK TRANSACTION BREAK END
        IF (@m = 'DEFAULT') INSERT INTO dbo.Done (id, body) VALUES (NEWID(), @b)
        COMMIT TRANSACTION
    END TRY
    BEGIN CATCH ROLLBACK TRANSACTION END CATCH
END
PRINT 'loop over'
"""
D2 = "CREATE TABLE dbo.Done (id uniqueidentifier NOT NULL, body xml NOT NULL)\nGO\n"
D3 = "CREATE ASSEMBLY a FROM 'c:\\a.dll'\nCREATE QUEUE qz\nCREATE SERVICE sz ON QUEUE qz\nGO\nPRINT 'goes on'"
CAUGHT = "BEGIN TRY\nPRINT 1\nCREATE ASSEMBLY b FROM 'c:\\b.dll'\nEND TRY\nBEGIN CATCH PRINT 'caught' END CATCH"
D4 = "DECLARE @t TABLE (a int)\nINSERT INTO @t VALUES (1)\nINSERT INTO @t VALUES (2)\nSELECT COUNT(*) AS n FROM @t"
D5 = "DECLARE @t TABLE (id int IDENTITY, n nvarchar(9));\nINSERT INTO @t (n) OUTPUT inserted.id VALUES (N'a');"
D6 = """DECLARE @x xml = N'<Payment><Status>2</Status></Payment>';
SELECT @x.value('/Payment[1]/Status[1]', 'int') AS s;"""
D7 = "CREATE QUEUE q WITH ACTIVATION (PROCEDURE_NAME = p, MAX_QUEUE_READERS = 1, EXECUTE AS SELF, STATUS = ON)"
D8 = "CREATE CERTIFICATE c ENCRYPTION BY PASSWORD = 'Str0ng!pass' WITH SUBJECT = 'signs a procedure'"
NOTIFICATIONS = "http://schemas.microsoft.com/SQL/Notifications"
D9 = f"""CREATE QUEUE q1
CREATE QUEUE q2
CREATE QUEUE watch
CREATE SERVICE w ON QUEUE watch ([{NOTIFICATIONS}/PostEventNotification])
GO
CREATE EVENT NOTIFICATION n ON QUEUE q1 FOR QUEUE_ACTIVATION TO SERVICE 'w', 'current database'
GO
CREATE EVENT NOTIFICATION n ON QUEUE q2 FOR QUEUE_ACTIVATION TO SERVICE 'w', 'current database'
"""
ON_Q1 = "CREATE EVENT NOTIFICATION n ON QUEUE q1 FOR BROKER_QUEUE_DISABLED TO SERVICE 'w', 'current database'"
D10 = "ALTER DATABASE CURRENT SET RECOVERY SIMPLE\nALTER DATABASE CURRENT SET TRUSTWORTHY ON\nCREATE QUEUE q9\n"
D11 = "CREATE QUEUE keep\nGO\n:CONNECT OTHER\nUSE D11\nGO\nDROP QUEUE keep\nGO"
KEY = "CREATE MASTER KEY ENCRYPTION BY PASSWORD = 'Str0ng!pass'\n"
D12 = f"""{KEY}CREATE CERTIFICATE A WITH SUBJECT = 'A'
BACKUP CERTIFICATE A TO FILE = 'C:\\d12\\A.cer'
GO
USE msdb
CREATE USER D12 WITHOUT LOGIN
CREATE CERTIFICATE D12 AUTHORIZATION D12 FROM FILE = 'c:/D12/A.cer'
"""
P1 = f"""{SEND.format("Gone")}DECLARE @n int = 0;
BEGIN TRANSACTION;
WHILE EXISTS (SELECT 1 FROM sys.conversation_endpoints WHERE far_service = 'Gone') AND @n < 5
BEGIN
  SELECT TOP (1) @h = conversation_handle FROM sys.conversation_endpoints WHERE far_service = 'Gone';
  END CONVERSATION @h WITH CLEANUP;
  SET @n += 1;
END
COMMIT;
PRINT CONCAT('rounds: ', @n);
"""
SENT = f"BEGIN TRANSACTION\n{SEND.format('Gone')}SELECT COUNT(*) AS n FROM "
RECEIVED = f"""{SEND.format("s")}BEGIN TRANSACTION
DECLARE @b xml
WAITFOR (RECEIVE @b = message_body FROM q), TIMEOUT 60000
SELECT COUNT(*) AS n FROM q
ROLLBACK
"""
P2 = f"CREATE QUEUE dbo.N;\nCREATE SERVICE N ON QUEUE dbo.N ([{NOTIFICATIONS}/PostQueryNotification]);\n"
P4 = """CREATE QUEUE dbo.Q WITH ACTIVATION (PROCEDURE_NAME = dbo.P, MAX_QUEUE_READERS = 1, EXECUTE AS OWNER)
ALTER QUEUE dbo.Q WITH ACTIVATION (MAX_QUEUE_READERS = 5, STATUS = OFF);
CREATE QUEUE dbo.Q2 WITH ACTIVATION (PROCEDURE_NAME = dbo.P, MAX_QUEUE_READERS = 1, EXECUTE AS OWNER, STATUS = ON);
"""
P5 = """SELECT * FROM (SELECT far_service, state_desc, 1 AS one FROM sys.conversation_endpoints) d
PIVOT (SUM(one) FOR state_desc IN ([CONVERSING], [ERROR])) AS p"""
W1 = "CREATE QUEUE q WITH ACTIVATION (PROCEDURE_NAME = p, STATUS = ON, MAX_QUEUE_READERS = 1, EXECUTE AS SELF)"
NO_FILE = "CREATE CERTIFICATE c FROM FILE = 'C:\\no.cer'"
EXPIRED = f"{KEY}CREATE CERTIFICATE c WITH SUBJECT = 'x', EXPIRY_DATE = '12/31/2022'"
GUARDED_KEY = f"""IF NOT EXISTS (SELECT * FROM sys.symmetric_keys WHERE name = '##MS_DatabaseMasterKey##') {KEY}
SELECT name FROM sys.symmetric_keys"""
OPTIONS = """ALTER DATABASE CURRENT SET ANSI_NULLS OFF
ALTER DATABASE CURRENT SET READ_COMMITTED_SNAPSHOT ON, DISABLE_BROKER
SELECT is_broker_enabled AS b FROM sys.databases WHERE name = DB_NAME()"""
EXITS = ":on error exit\nPRINT 1\nGO\nSELECT nope FROM sys.routes\nGO\nPRINT 2"

QUEUES = "SELECT name, is_activation_enabled FROM sys.service_queues WHERE is_ms_shipped = 0 ORDER BY name"
ENDPOINTS = "SELECT COUNT(*) AS n FROM sys.conversation_endpoints"
RECEIVES = "ROLLBACK; SELECT is_receive_enabled FROM sys.service_queues WHERE name = 'q'"
COPY = "SELECT COUNT(*) AS n FROM D12.sys.certificates d JOIN msdb.sys.certificates m ON m.thumbprint = d.thumbprint"
QUERY_NOTIFICATION = "SELECT name FROM sys.service_message_types WHERE message_type_id = 3"
NO_QUEUE = "has no system view and no queue named"
UNFILLED = "<n, sysname, q>"
TEMPLATE = "Syntax error near {}, expected a value for this template parameter (in Management Studio: Ctrl+Shift+M)"
NO_EFFECT = "SET {} does not concern the broker and changes nothing here."


class Then(str):
    """What is typed afterwards in the same session."""


def refused(line: int, words: str) -> str:
    return error_line(40510, line, f"{words} is not supported here")


def refused_part(line: int, words: str) -> str:
    return error_line(40517, line, f"{words} is not supported in a statement here")


CONSOLE = {
    # A refusal is one message that no CATCH hears; nothing of its batch has run, and the script ends.
    "D1": (D1, refused(6, "CREATE PROCEDURE"), Then(QUEUES), [("InitQ", False), ("TargetQ", False)]),
    "D2": (f"{ONE_SERVICE}{D2}{SEND.format('s')}{LOOP}", refused(4, "CREATE TABLE"), Then(ENDPOINTS), [(0,)]),
    "D3": (D3, refused(1, "CREATE ASSEMBLY"), Then(QUEUES), []),
    "D3 caught": (f"{CAUGHT}\nGO\nPRINT 2", refused(3, "CREATE ASSEMBLY"), Then("PRINT 3"), "3"),
    # Nor does a CATCH hear of a table that is not there: the loop ends at once, and the queue stays on.
    "D2 loop": (
        ONE_SERVICE + SEND.format("s") + LOOP,
        f"Msg 208, Line 16: Database 'D2 loop' {NO_QUEUE} 'dbo.Done'",
        Then(RECEIVES),
        [(True,)],
    ),
    "D4": (D4, [(2,)]),
    "D5": (D5, refused_part(2, "OUTPUT")),
    "D6": (D6, [(2,)]),
    "D7": (D7, Then(QUEUES), [("q", True)]),
    "D8": (D8, Then("SELECT name, pvt_key_encryption_type FROM sys.certificates"), [("c", "PW")]),
    "D9": (D9, Then("SELECT name FROM sys.event_notifications"), [("n",), ("n",)]),
    "D9 again": (D9, Then(ON_Q1), "Msg 2714, Line 1: "),
    "D10": (D10, NO_EFFECT.format("RECOVERY"), Then(QUEUES), [("q9", False)]),
    "D10 kept": (
        D10,
        NO_EFFECT.format("RECOVERY"),
        Then("SELECT is_trustworthy_on FROM sys.databases WHERE name = DB_NAME()"),
        [(True,)],
    ),
    "D11": (D11, refused(3, ":CONNECT"), Then(QUEUES), [("keep", False)]),
    "D12": (D12, Then(COPY), [(1,)]),
    "P1": (ONE_SERVICE + P1, "rounds: 1", Then(ENDPOINTS), [(0,)]),
    "P1 begun": (f"{ONE_SERVICE}{SENT}sys.conversation_endpoints", [(1,)], Then(f"ROLLBACK; {ENDPOINTS}"), [(0,)]),
    "P1 sent": (f"{ONE_SERVICE}{SENT}sys.transmission_queue", [(1,)], Then("ROLLBACK")),
    "P1 received": (ONE_SERVICE + RECEIVED, [(0,)], Then("SELECT COUNT(*) AS n FROM q"), [(1,)]),
    "P2, W4": (P2, Then(QUERY_NOTIFICATION), [(f"{NOTIFICATIONS}/QueryNotification",)]),
    "P4": (P4, Then(QUEUES), [("Q", False), ("Q2", True)]),
    "P5": (P5, refused_part(2, "PIVOT")),
    "P5 sample": ("SELECT * FROM sys.routes TABLESAMPLE (10 PERCENT)", refused_part(1, "TABLESAMPLE")),
    "P5 time": ("SELECT * FROM sys.routes FOR SYSTEM_TIME ALL", refused_part(1, "FOR SYSTEM_TIME")),
    "P5 except": ("SELECT * EXCEPT (name) FROM sys.routes", refused_part(1, "* EXCEPT (…)")),
    "P5 limit": ("SELECT name FROM sys.routes LIMIT 1", "Msg 102, Line 1: "),
    "P7": (NO_FILE, "Msg 15208, Line 1: The file 'C:\\no.cer' of the certificate cannot be read"),
    "W1": (W1, Then(QUEUES), [("q", True)]),
    "expiry": (
        EXPIRED,
        "Msg 15297, Line 2: The data of certificate 'c' is not valid: it ends on 2022-12-31 and begins on 2",
    ),
    "template": (f"CREATE QUEUE {UNFILLED}", f"Msg 102, Line 1: {TEMPLATE.format(repr(UNFILLED))}", Then(QUEUES), []),
    "in brackets": (
        f"CREATE QUEUE [{UNFILLED}]",
        f"Msg 102, Line 1: {TEMPLATE.format(f'[{UNFILLED}]')}",
        Then(QUEUES),
        [],
    ),
    "grant": ("GRANT EXECUTE ON p TO u", refused(1, "GRANT EXECUTE")),
    "grant on queue": ("GRANT SELECT ON q TO u", refused(1, "GRANT SELECT")),
    "procedure": ("CREATE OR ALTER PROCEDURE p AS SELECT 1", refused(1, "CREATE OR ALTER PROCEDURE")),
    "XML schema": ("CREATE XML SCHEMA COLLECTION c AS N'<a/>'", refused(1, "CREATE XML SCHEMA COLLECTION")),
    "schemas": ("SELECT name FROM sys.schemas WHERE name = 'dbo'", [("dbo",)]),
    "procedures": ("SELECT name FROM sys.procedures", []),
    "keys": (GUARDED_KEY, [("##MS_DatabaseMasterKey##",)]),
    "sessions": ("SELECT program_name FROM sys.dm_exec_sessions WHERE session_id = @@SPID", [("brokerweb",)]),
    "connections": (
        "SELECT * FROM sys.dm_exec_connections",
        "Msg 40515, Line 1: 'sys.dm_exec_connections' is not modelled here",
    ),
    "files": (
        "SELECT name FROM master.sys.master_files",
        "Msg 40515, Line 1: 'sys.master_files' is not modelled here",
    ),
    "options": (OPTIONS, NO_EFFECT.format("ANSI_NULLS"), NO_EFFECT.format("READ_COMMITTED_SNAPSHOT"), [(False,)]),
    "no option": ("ALTER DATABASE CURRENT SET NONSENSE ON", "Msg 102, Line 1: "),
    "no table": ("INSERT INTO Orders VALUES (1)", f"Msg 208, Line 1: Database 'no table' {NO_QUEUE} 'Orders'"),
    "no change": ("UPDATE dbo.Orders SET a = 1", f"Msg 208, Line 1: Database 'no change' {NO_QUEUE} 'dbo.Orders'"),
    "of the server": ("INSERT INTO sys.routes (name) VALUES ('x')", "Msg 259, Line 1: "),
    "on error": (EXITS, "1", "Msg 207, Line 4: ", Then(":on error ignore\nPRINT 3"), "3"),
}

UNGRANTED = "Nobody is granted SEND on"
UNACTIVATED = "Activation is on for"
IMPORT = {
    "D1": (
        D1,
        "queue TargetQ, service T, queue InitQ, service I, queue TargetQ",
        f"warning 13: {UNACTIVATED} 'dbo.TargetQ' ('dbo.P')",
    ),
    "D3": (D3, "queue qz, service sz"),
    "D7": (D7, "queue q", f"warning 1: {UNACTIVATED} 'dbo.q' ('p')"),
    "W1": (W1, "queue q", f"warning 1: {UNACTIVATED} 'dbo.q' ('p')"),
    "D8, W2": (D8, "certificate c"),
    "D9, W3": (
        D9,
        "queue q1, queue q2, queue watch, service w, event notification n, event notification n",
        f"warning 4: {UNGRANTED} 'w'",
    ),
    "D9 again": (
        f"{D9}GO\n{ON_Q1}",
        "queue q1, queue q2, queue watch, service w, event notification n, event notification n",
        "2714 at 10:1: ",
        f"warning 4: {UNGRANTED} 'w'",
    ),
    "D10": (D10, "database d, queue q9"),
    "D11": (D11, "queue keep, instance OTHER", "911 at 4:1: Database 'D11' does not exist on this instance"),
    "P2, W4": (P2, "queue dbo.N, service N", f"warning 2: {UNGRANTED} 'N'"),
    "P4": (P4, "queue dbo.Q, queue dbo.Q, queue dbo.Q2", f"warning 3: {UNACTIVATED} 'dbo.Q2' ('dbo.P')"),
    "order": (
        f"{D7}\nCREATE SERVICE s ON QUEUE q ([DEFAULT])",
        "queue q, service s",
        f"warning 1: {UNACTIVATED} 'dbo.q' ('p')",
        f"warning 2: {UNGRANTED} 's'",
    ),
    "no file": (NO_FILE, "", "15208 at 1:1: The file 'C:\\no.cer' of the certificate cannot be read"),
    "expiry": (
        EXPIRED,
        "master key ",
        "15297 at 2:56: The data of certificate 'c' is not valid: it ends on 2022-12-31 and begins on 2026-05-28",
    ),
    "template": (f"CREATE QUEUE {UNFILLED}", "", f"102 at 1:14: {TEMPLATE.format(repr(UNFILLED))}"),
    "in brackets": (f"CREATE QUEUE [{UNFILLED}]", "", f"102 at 1:14: {TEMPLATE.format(f'[{UNFILLED}]')}"),
    "no value": (
        "USE [$(Name)]",
        "",
        "911 at 1:1: Database '$(Name)' does not exist",
        "warning 1: The variable $(Name) has no value",
    ),
    "grants": ("GRANT EXECUTE ON p TO u\nGRANT SELECT ON q TO u\nCREATE QUEUE q", "queue q"),
    "on error": (":on error exit\nCREATE QUEUE q", "queue q"),
    # An owner may send to its own services: nothing is said about those of one owner in one database.
    "SEND": (TWO_SERVICES, "queue TargetQ, service T, queue InitQ, service I"),
    "SEND of another": (
        "CREATE USER u WITHOUT LOGIN\n" + TWO_SERVICES.replace("SERVICE I", "SERVICE I AUTHORIZATION u"),
        "user u, queue TargetQ, service T, queue InitQ, service I",
        f"warning 3: {UNGRANTED} 'T'",
    ),
}
IN_TWO_PARTS = (
    f""":CONNECT NODEA
{KEY}CREATE CERTIFICATE CertA WITH SUBJECT = 'A'
BACKUP CERTIFICATE CertA TO FILE = 'C:\\certs\\CertA.cer'
GO
""",
    """:CONNECT NODEB
CREATE LOGIN LoginA WITH PASSWORD = 'Str0ng!pass'
CREATE USER UserA FOR LOGIN LoginA
CREATE CERTIFICATE CertA AUTHORIZATION UserA FROM FILE = 'C:\\certs\\CertA.cer'
GO
CREATE LOGIN ByCert FROM CERTIFICATE CertA
""",
)


@pytest.fixture(params=[InWorld, InSandbox])
def place(request: pytest.FixtureRequest) -> InWorld | InSandbox:
    return request.param()


@for_each("name", CONSOLE)
def test_what_comes_of_what_is_typed(place: InWorld | InSandbox, name: str) -> None:
    typing = place.open()
    typing.do(f"CREATE DATABASE [{name}]\nGO\nUSE [{name}]")
    for script, comes in scripts_of(name):
        check_shown(shown(typing.run(script)), comes)
        typing.do(f"USE [{name}]")
    typing.session.close()


def scripts_of(name: str) -> list[tuple[str, list[object]]]:
    """The scripts of a console input, each with what comes of it."""
    first, *others = CONSOLE[name]
    found: list[tuple[str, list[object]]] = [(str(first), [])]
    for each in others:
        if isinstance(each, Then):
            found.append((each, []))
        else:
            found[-1][1].append(each)
    return found


def test_a_refusal_says_what_ran_and_what_to_do(place: InWorld | InSandbox) -> None:
    failure = place.open().failure(D3)
    assert failure.why == "Nothing of its batch ran, and the script ends here: what follows may count on it."
    assert failure.cure == "Leave it out, or run the script on a server."


def test_p3_the_side_whose_acknowledgement_cannot_leave_says_why(place: InWorld | InSandbox) -> None:
    west, east = place.open("WEST"), place.open("EAST")
    for typing in (west, east):
        typing.do(f"CREATE DATABASE P3\nGO\nUSE P3\nGO\n{ONE_SERVICE}CREATE SERVICE OfEast ON QUEUE q ([DEFAULT])")
    east.do("DROP SERVICE s")
    west.do("DROP SERVICE OfEast; CREATE ROUTE r WITH SERVICE_NAME = 'OfEast', ADDRESS = 'TCP://east:4022'")
    west.do(SEND.format("OfEast"))
    status = "SELECT state_desc, LEFT(GET_TRANSMISSION_STATUS(conversation_handle), 4) FROM sys.conversation_endpoints"
    assert east.rows(f"WAITFOR DELAY '00:00:20' {status}") == [("CONVERSING", "9796")]


def plan(script: str, **variables: str) -> ImportPlan:
    return plan_import(
        [parse_script("CREATE DATABASE d", "0.sql"), parse_script(script, "1.sql", variables=variables)],
        {},
        default_instance=InstanceName("NODEA"),
        default_database=DatabaseName("d"),
        now=NOW,
        entropy=NumberedEntropy(),
        smith=VAULT,
    )


@for_each("name", IMPORT)
def test_what_comes_of_an_import(name: str) -> None:
    script, makes, *says = IMPORT[name]
    made = plan(script)
    rows = [row for row in made.rows if row.effect in (Effect.ADD, Effect.CHANGE) and row.file == "1.sql"]
    assert ", ".join(f"{row.object_kind} {row.object_name}" for row in rows) == makes
    found = [f"{each.number} at {each.line}:{each.column}: {each.text}" for each in made.problems]
    found += [f"warning {each.line}: {each.text}" for each in made.warnings]
    assert [one[: len(other)] for one, other in zip(found, says, strict=True)] == says


def test_p7_and_d12_a_certificate_goes_from_server_to_server_through_a_file() -> None:
    made = plan("".join(IN_TWO_PARTS))
    assert (made.problems, made.warnings) == ((), ())
    a, b = (made.catalogs[InstanceName(name)].databases[DatabaseName("master")] for name in ("NODEA", "NODEB"))
    assert b.certificates["CertA"].certificate == a.certificates["CertA"].certificate
    assert (b.certificates["CertA"].owner, b.certificates["CertA"].private_key) == ("UserA", None)


def test_a_variable_of_a_build_is_given_its_value() -> None:
    made = plan("ALTER DATABASE [$(Name)] SET DISABLE_BROKER", Name="d")
    assert (made.problems, made.warnings) == ((), ())
    assert not made.catalogs[InstanceName("NODEA")].databases[DatabaseName("d")].is_broker_enabled


def test_p6_explain_promises_no_more_than_dialog_security_allows() -> None:
    world = SecureWorld()
    paris = world.paris(initiator(has_certificate=False))
    world.lyon(target())
    dialog = paris.begin("Ventes", "Client", "Entrepôt", encryption=True)
    paris.say("Ventes", dialog, "x")
    world.run(3)
    told = with_proofs(paris.instance.explain("Ventes", dialog, 7, world.now()))
    assert (told.number, told.retry.end, told.retry.number) == (9731, RetryEnd.WAITS, 9731)
    assert any("9731" in line for line in told.now.proof)
