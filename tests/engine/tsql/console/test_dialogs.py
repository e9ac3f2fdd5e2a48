"""Scripts as tutorials teach Service Broker: within one database, between two databases, between two instances."""

from uuid import UUID

import pytest

from engine.tsql.console.outputs import ResultSet, RowsAffected
from tests.support.console_world import Consoles

ERROR_TYPE = "http://schemas.microsoft.com/SQL/ServiceBroker/Error"
END_TYPE = "http://schemas.microsoft.com/SQL/ServiceBroker/EndDialog"
TIMER_TYPE = "http://schemas.microsoft.com/SQL/ServiceBroker/DialogTimer"

CONTRACTS = """
CREATE MESSAGE TYPE [//Tour/Request] VALIDATION = WELL_FORMED_XML;
CREATE MESSAGE TYPE [//Tour/Answer] VALIDATION = WELL_FORMED_XML;
CREATE CONTRACT [//Tour/Talk] ([//Tour/Request] SENT BY INITIATOR, [//Tour/Answer] SENT BY TARGET);
"""
ASKING = "CREATE QUEUE AskingQueue; CREATE SERVICE [//Tour/Asking] ON QUEUE AskingQueue;"
ANSWERING = "CREATE QUEUE AnsweringQueue; CREATE SERVICE [//Tour/Answering] ON QUEUE AnsweringQueue ([//Tour/Talk]);"
ONE_DATABASE = f"CREATE DATABASE Tour\nGO\nUSE Tour\nGO\n{CONTRACTS}{ASKING}{ANSWERING}"

ASK = """
DECLARE @handle uniqueidentifier, @request xml = N'<ask number="7"/>';
BEGIN TRANSACTION;
BEGIN DIALOG @handle
    FROM SERVICE [//Tour/Asking] TO SERVICE N'//Tour/Answering'
    ON CONTRACT [//Tour/Talk] WITH ENCRYPTION = OFF;
SEND ON CONVERSATION @handle MESSAGE TYPE [//Tour/Request] (@request);
SELECT @handle AS asked;
COMMIT TRANSACTION;
"""
ANSWER = """
DECLARE @handle uniqueidentifier, @kind sysname, @body xml;
BEGIN TRANSACTION;
WAITFOR (
    RECEIVE TOP (1) @handle = conversation_handle, @kind = message_type_name, @body = CAST(message_body AS xml)
    FROM AnsweringQueue
), TIMEOUT 5000;
IF @kind = N'//Tour/Request'
BEGIN
    DECLARE @number int = @body.value('(/ask/@number)[1]', 'int');
    SEND ON CONVERSATION @handle MESSAGE TYPE [//Tour/Answer]
        (CAST(N'<answer>' + CAST(@number * 6 AS nvarchar(10)) + N'</answer>' AS xml));
    END CONVERSATION @handle;
END
COMMIT TRANSACTION;
PRINT @kind;
"""
HEAR = """
WAITFOR (
    RECEIVE message_type_name AS kind, CAST(message_body AS nvarchar(max)) AS body FROM AskingQueue
), TIMEOUT 5000;
"""


@pytest.fixture
def consoles():
    return Consoles()


@pytest.fixture
def tour(consoles):
    typing = consoles.open()
    typing.do(ONE_DATABASE)
    return typing


def test_hello_world_is_sent_seen_and_received(consoles):
    typing = consoles.open()
    typing.do("CREATE DATABASE Hello\nGO\nUSE Hello\nGO\nCREATE QUEUE Q;CREATE SERVICE S ON QUEUE Q ([DEFAULT])")
    sent = """
    DECLARE @h uniqueidentifier;
    BEGIN DIALOG CONVERSATION @h FROM SERVICE S TO SERVICE 'S', 'CURRENT DATABASE';
    SEND ON CONVERSATION @h ('Hello, world');
    """
    typing.do(sent + "WAITFOR DELAY '00:00:01'")
    assert typing.rows("SELECT CAST(message_body AS varchar(max)), validation FROM Q") == [("Hello, world", "N ")]
    (result, counted) = typing.do("RECEIVE CAST(message_body AS varchar(max)) AS said, message_sequence_number FROM Q")
    assert result.rows == (("Hello, world", 0),)
    assert [each.name for each in result.columns] == ["said", "message_sequence_number"]
    assert counted == RowsAffected(count=1, line=1)
    assert typing.rows("RECEIVE * FROM Q") == []


def test_request_and_reply_in_one_database(tour):
    ((asked,),) = tour.rows(ASK)
    assert isinstance(asked, UUID)
    assert tour.said(ANSWER) == ["//Tour/Request"]
    tour.do("WAITFOR DELAY '00:00:01'")
    heard = tour.rows(HEAR)
    assert heard == [("//Tour/Answer", "\ufeff<answer>42</answer>"), (END_TYPE, None)]
    tour.do(f"END CONVERSATION '{asked}'")
    assert tour.rows("SELECT state FROM sys.conversation_endpoints WHERE is_initiator = 1") == []


def test_request_and_reply_between_two_databases(consoles):
    one, other = consoles.open(), consoles.open()
    one.do(f"CREATE DATABASE Front\nGO\nUSE Front\nGO\n{CONTRACTS}{ASKING}")
    other.do(f"CREATE DATABASE Back\nGO\nUSE Back\nGO\n{CONTRACTS}{ANSWERING}")
    one.do(ASK)
    assert other.said(ANSWER) == ["//Tour/Request"]
    one.do("WAITFOR DELAY '00:00:01'")
    assert [kind for kind, _ in one.rows(HEAR)] == ["//Tour/Answer", END_TYPE]


def test_request_and_reply_between_two_instances():
    consoles = Consoles("WEST", "EAST")
    one, other = consoles.open("WEST"), consoles.open("EAST")
    one.do(f"CREATE DATABASE Front\nGO\nUSE Front\nGO\n{CONTRACTS}{ASKING}")
    other.do(f"CREATE DATABASE Back\nGO\nUSE Back\nGO\n{CONTRACTS}{ANSWERING}")
    one.do("CREATE ROUTE There WITH SERVICE_NAME = '//Tour/Answering', ADDRESS = 'TCP://east:4022'")
    one.do(ASK + "WAITFOR DELAY '00:00:02'")
    # It has arrived, but its acknowledgement finds no way back.
    assert one.rows("SELECT transmission_status FROM sys.transmission_queue") == [("",)]
    status = "SELECT TOP 1 LEFT(GET_TRANSMISSION_STATUS(conversation_handle), 4) FROM sys.conversation_endpoints"
    assert other.rows("SELECT COUNT(*) FROM sys.transmission_queue") == [(0,)]
    assert other.rows(f"WAITFOR DELAY '00:00:20'; {status}") == [("9796",)]
    assert other.said(ANSWER) == ["//Tour/Request"]
    other.do("WAITFOR DELAY '00:00:02'")
    # The way back was forgotten: the reply waits as well, and says why.
    waiting = "SELECT DISTINCT to_service_name, LEFT(transmission_status, 4) FROM sys.transmission_queue"
    assert other.rows(waiting) == [("//Tour/Asking", "9796")]
    assert other.rows(status) == [("9796",)]
    other.do("CREATE ROUTE Back WITH SERVICE_NAME = '//Tour/Asking', ADDRESS = 'TCP://west:4022'")
    other.do("WAITFOR DELAY '00:01:10'")
    assert other.rows(waiting) == []
    assert [kind for kind, _ in one.rows(HEAR)] == ["//Tour/Answer", END_TYPE]


def test_the_status_of_an_acknowledgement_follows_what_is_in_its_way():
    consoles = Consoles("WEST", "EAST")
    one, other = consoles.open("WEST"), consoles.open("EAST")
    one.do(f"CREATE DATABASE Front\nGO\nUSE Front\nGO\n{CONTRACTS}{ASKING}")
    other.do(f"CREATE DATABASE Back\nGO\nUSE Back\nGO\n{CONTRACTS}{ANSWERING}")
    one.do("CREATE ROUTE There WITH SERVICE_NAME = '//Tour/Answering', ADDRESS = 'TCP://east:4022'")
    # Nothing listens there: the acknowledgement has a route, and no connection.
    other.do("CREATE ROUTE Back WITH SERVICE_NAME = '//Tour/Asking', ADDRESS = 'TCP://west:4023'")
    one.do(ASK + "WAITFOR DELAY '00:00:20'")
    status = "SELECT LEFT(GET_TRANSMISSION_STATUS(conversation_handle), 4) FROM sys.conversation_endpoints"
    assert other.rows(status) == [("9754",)]
    other.do("ALTER ROUTE Back WITH ADDRESS = 'TCP://west:4022'")
    assert other.rows(f"WAITFOR DELAY '00:01:30'; {status}") == [("",)]
    assert one.rows("SELECT COUNT(*) FROM sys.transmission_queue") == [(0,)]
    assert one.rows("SELECT GET_TRANSMISSION_STATUS(NEWID())") == [("",)]


def test_groups_are_locked_until_the_transaction_ends(consoles, tour):
    tour.do(ASK + ASK.replace("DECLARE @handle uniqueidentifier, @request xml =", "SET @request ="))
    other = consoles.open(database="Tour")
    take = "RECEIVE TOP (10) conversation_group_id FROM AnsweringQueue"
    ((first,),) = tour.rows(f"WAITFOR DELAY '00:00:01'; BEGIN TRAN; {take}")
    ((second,),) = other.rows(f"BEGIN TRAN; {take}")
    assert first != second
    assert other.rows(take) == []
    locked = other.failure(f"RECEIVE * FROM AnsweringQueue WHERE conversation_group_id = '{first}'")
    assert locked.number == 1222
    tour.do("ROLLBACK")
    assert other.rows(take) == [(first,)]
    other.do("COMMIT")
    assert other.value("@@TRANCOUNT") == 0


def test_a_group_is_got_and_its_conversations_received(tour):
    tour.do(ASK + "WAITFOR DELAY '00:00:01'")
    script = """
    DECLARE @group uniqueidentifier, @none uniqueidentifier = NEWID();
    BEGIN TRAN;
    WAITFOR (GET CONVERSATION GROUP @group FROM AnsweringQueue), TIMEOUT 100;
    RECEIVE COUNT(*) OVER (), conversation_group_id FROM AnsweringQueue WHERE conversation_group_id = @group;
    WAITFOR (GET CONVERSATION GROUP @none FROM AnsweringQueue), TIMEOUT 100;
    COMMIT;
    PRINT ISNULL(CAST(@none AS varchar(40)), 'no group');
    """
    outputs = tour.do(script)
    ((count, group),) = next(each for each in outputs if isinstance(each, ResultSet)).rows
    assert count == 1
    assert isinstance(group, UUID)
    assert outputs[-1].text == "no group"


def test_conversations_join_groups_and_move(tour):
    script = """
    DECLARE @a uniqueidentifier, @b uniqueidentifier, @c uniqueidentifier, @group uniqueidentifier = NEWID();
    BEGIN TRAN;
    BEGIN DIALOG @a FROM SERVICE [//Tour/Asking] TO SERVICE '//Tour/Answering' ON CONTRACT [//Tour/Talk]
        WITH RELATED_CONVERSATION_GROUP = @group, LIFETIME = 600;
    BEGIN DIALOG @b FROM SERVICE [//Tour/Asking] TO SERVICE '//Tour/Answering' ON CONTRACT [//Tour/Talk]
        WITH RELATED_CONVERSATION = @a;
    BEGIN DIALOG @c FROM SERVICE [//Tour/Asking] TO SERVICE '//Tour/Answering' ON CONTRACT [//Tour/Talk];
    COMMIT;
    MOVE CONVERSATION @c TO @group;
    SELECT COUNT(DISTINCT conversation_group_id), COUNT(*) FROM sys.conversation_endpoints
    WHERE conversation_group_id = @group;
    """
    assert tour.rows(script) == [(1, 3)]
    seconds = "SELECT DATEDIFF(second, SYSUTCDATETIME(), MIN(lifetime)) FROM sys.conversation_endpoints"
    assert 590 <= tour.rows(seconds)[0][0] <= 600


def test_one_send_reaches_several_conversations(tour):
    script = """
    DECLARE @a uniqueidentifier, @b uniqueidentifier;
    BEGIN DIALOG @a FROM SERVICE [//Tour/Asking] TO SERVICE '//Tour/Answering' ON CONTRACT [//Tour/Talk];
    BEGIN DIALOG @b FROM SERVICE [//Tour/Asking] TO SERVICE '//Tour/Answering' ON CONTRACT [//Tour/Talk];
    SEND ON CONVERSATION (@a, @b) MESSAGE TYPE [//Tour/Request] (N'<ask/>');
    WAITFOR DELAY '00:00:01';
    SELECT COUNT(DISTINCT conversation_handle) FROM AnsweringQueue;
    """
    assert tour.rows(script) == [(2,)]
    twice = script.replace("(@a, @b)", "(@a, @a)")
    assert tour.failure(twice).number == 8451
    assert tour.failure(twice.replace("(@a, @a)", "(@a, NULL)")).number == 8441


def test_messages_are_received_into_a_table(tour):
    tour.do(ASK + "WAITFOR DELAY '00:00:01'")
    script = """
    DECLARE @messages TABLE (handle uniqueidentifier, kind sysname, body nvarchar(max), number bigint);
    RECEIVE conversation_handle, message_type_name, CAST(message_body AS xml), queuing_order
    FROM AnsweringQueue INTO @messages;
    SELECT kind, body, @@ROWCOUNT FROM @messages AS m WHERE m.handle IS NOT NULL;
    """
    assert tour.rows(script) == [("//Tour/Request", '<ask number="7"/>', 1)]


def test_what_receive_cannot_show_stays_in_the_queue(tour):
    tour.do(ASK + "WAITFOR DELAY '00:00:01'")
    assert tour.failure("RECEIVE CAST(message_type_name AS int) FROM AnsweringQueue").number == 245
    assert tour.rows("SELECT status FROM AnsweringQueue") == [(1,)]
    assert tour.rows("RECEIVE status, message_type_id > 0 AS x FROM AnsweringQueue".replace(" > 0", "")) != []


def test_a_timer_wakes_its_own_side(tour):
    script = """
    DECLARE @h uniqueidentifier;
    BEGIN DIALOG @h FROM SERVICE [//Tour/Asking] TO SERVICE '//Tour/Answering' ON CONTRACT [//Tour/Talk];
    BEGIN CONVERSATION TIMER (@h) TIMEOUT = 30;
    WAITFOR (RECEIVE message_type_name FROM AskingQueue), TIMEOUT 40000;
    """
    assert tour.rows(script) == [(TIMER_TYPE,)]


def test_an_application_tells_of_its_error(tour):
    tour.do(ASK + "WAITFOR DELAY '00:00:01'")
    refuse = """
    DECLARE @h uniqueidentifier;
    RECEIVE TOP (1) @h = conversation_handle FROM AnsweringQueue;
    END CONVERSATION @h WITH ERROR = 3001 DESCRIPTION = N'Sold out';
    WAITFOR DELAY '00:00:01';
    """
    tour.do(refuse)
    script = """
    DECLARE @kind sysname, @body xml, @h uniqueidentifier;
    RECEIVE TOP (1) @kind = message_type_name, @body = CAST(message_body AS xml), @h = conversation_handle
    FROM AskingQueue;
    SELECT @kind,
        @body.value('declare namespace e="http://schemas.microsoft.com/SQL/ServiceBroker/Error"; (/e:Error/e:Code)[1]',
            'int') AS code,
        @body.value('declare namespace e="http://schemas.microsoft.com/SQL/ServiceBroker/Error";
            (/e:Error/e:Description)[1]', 'nvarchar(100)');
    END CONVERSATION @h;
    """
    assert tour.rows(script) == [(ERROR_TYPE, 3001, "Sold out")]


def test_five_rollbacks_switch_the_queue_off(tour):
    tour.do(ASK + "WAITFOR DELAY '00:00:01'")
    poison = """
    DECLARE @body varbinary(max);
    BEGIN TRY
        BEGIN TRAN;
        RECEIVE TOP (1) @body = message_body FROM AnsweringQueue;
        PRINT CAST(CAST(@body AS nvarchar(max)) AS int);
        COMMIT;
    END TRY
    BEGIN CATCH
        IF XACT_STATE() <> 0 ROLLBACK;
        PRINT ERROR_NUMBER();
    END CATCH
    GO 5
    """
    assert tour.said("\n".join(line.strip() for line in poison.splitlines())) == ["245"] * 5
    assert tour.rows("SELECT is_receive_enabled FROM sys.service_queues WHERE name = 'AnsweringQueue'") == [(False,)]
    assert tour.failure("RECEIVE * FROM AnsweringQueue").number == 9617
    tour.do("ALTER QUEUE AnsweringQueue WITH STATUS = ON")
    assert len(tour.rows("RECEIVE * FROM AnsweringQueue")) == 1


def test_a_conversation_is_cleaned_up(tour):
    ((asked,),) = tour.rows(ASK)
    tour.do(f"END CONVERSATION '{asked}' WITH CLEANUP")
    assert tour.failure(f"END CONVERSATION '{asked}'").number == 8426


@pytest.mark.parametrize(
    ("script", "number"),
    [
        ("DECLARE @h int; BEGIN DIALOG @h FROM SERVICE [//Tour/Asking] TO SERVICE 'x'", 8402),
        ("DECLARE @h uniqueidentifier; BEGIN DIALOG @h FROM SERVICE Nobody TO SERVICE 'x'", 8423),
        ("DECLARE @h uniqueidentifier; BEGIN DIALOG @h FROM SERVICE [//Tour/Asking] TO SERVICE 'x', 'y'", 8413),
        (
            "DECLARE @h uniqueidentifier; BEGIN DIALOG @h FROM SERVICE [//Tour/Asking] TO SERVICE 'x' ON CONTRACT C",
            8425,
        ),
        ("DECLARE @h uniqueidentifier; SEND ON CONVERSATION @h ('x')", 8418),
        ("SEND ON CONVERSATION 'x' ('x')", 8169),
        ("DECLARE @h uniqueidentifier = NEWID(); SEND ON CONVERSATION @h ('x')", 8426),
        ("DECLARE @h uniqueidentifier = NEWID(); SEND ON CONVERSATION @h (NULL)", 8433),
        ("DECLARE @h uniqueidentifier = NEWID(); END CONVERSATION @h WITH ERROR = NULL DESCRIPTION = 'x'", 8419),
        ("DECLARE @h uniqueidentifier = NEWID(); END CONVERSATION @h WITH ERROR = 1 DESCRIPTION = NULL", 8422),
        ("RECEIVE * FROM Nowhere", 208),
        ("RECEIVE * FROM nobody.dbo.Nowhere", 208),
        ("DECLARE @g uniqueidentifier; WAITFOR (GET CONVERSATION GROUP @g FROM Nowhere), TIMEOUT 10", 208),
        ("DECLARE @g uniqueidentifier; GET CONVERSATION GROUP @g FROM nobody..Nowhere", 208),
        ("DECLARE @b varbinary(max); RECEIVE @b = message_body, status FROM AskingQueue", 8447),
        ("DECLARE @b int; DECLARE @t TABLE (a int); RECEIVE @b = status FROM AskingQueue INTO @t", 8450),
        ("DECLARE @t TABLE (a int); RECEIVE status, priority FROM AskingQueue INTO @t", 213),
        ("RECEIVE nope FROM AskingQueue", 207),
        ("RECEIVE TOP (0) * FROM AskingQueue", 1060),
        ("RECEIVE FROM AskingQueue", 102),
        ("RECEIVE * FROM AskingQueue WHERE status = 1", 102),
        ("WAITFOR (SELECT 1)", 102),
        ("BEGIN CONVERSATION TIMER (NULL) TIMEOUT = 1", 8418),
    ],
)
def test_statements_are_refused_with_the_vendors_numbers(tour, script, number):
    assert tour.failure(script).number == number


@pytest.mark.parametrize("queue", ["AskingQueue", "dbo.AskingQueue", "Tour..[AskingQueue]"])
def test_a_column_that_no_queue_has_is_told_with_the_queue_as_it_is_written(consoles, queue):
    tour = consoles.open()
    tour.do(ONE_DATABASE)
    failure = tour.failure(f"RECEIVE\nfoo FROM {queue}")
    assert (failure.number, failure.line) == (207, 2)
    assert failure.message == f"{queue.replace('[', '').replace(']', '')} has no column named 'foo'"
