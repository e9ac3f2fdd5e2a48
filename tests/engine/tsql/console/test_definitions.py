"""DDL, ALTER DATABASE, BACKUP, RESTORE, detach and attach from a session."""

import pytest

from engine.security.vault import Vault
from tests.engine.tsql.console.test_dialogs import ASK, ONE_DATABASE
from tests.support.console_world import Consoles


@pytest.fixture
def tour():
    typing = Consoles().open()
    typing.do(ONE_DATABASE)
    return typing


def test_everything_of_the_broker_is_made_changed_and_dropped(tour):
    tour.session.target.smith = Vault(bytes(32))
    tour.do(
        """
        CREATE ROUTE Far WITH SERVICE_NAME = '//Far', ADDRESS = 'TCP://far:4022', LIFETIME = 3600;
        ALTER ROUTE Far WITH ADDRESS = 'TCP://further:4023';
        CREATE BROKER PRIORITY High FOR CONVERSATION SET (PRIORITY_LEVEL = 9);
        ALTER QUEUE AskingQueue WITH STATUS = OFF, RETENTION = ON;
        ALTER MESSAGE TYPE [//Tour/Answer] VALIDATION = NONE;
        CREATE MASTER KEY ENCRYPTION BY PASSWORD = 'Passw0rd';
        CREATE USER Partner WITHOUT LOGIN;
        CREATE CERTIFICATE Own WITH SUBJECT = 'Own', START_DATE = '2026-01-01', EXPIRY_DATE = '2030-01-01';
        CREATE REMOTE SERVICE BINDING Bound TO SERVICE '//Far' WITH USER = Partner, ANONYMOUS = ON;
        GRANT SEND ON SERVICE::[//Tour/Answering] TO Partner;
        ALTER SERVICE [//Tour/Answering] (ADD CONTRACT [DEFAULT]);
        """
    )
    rows = tour.rows(
        "SELECT address, ROUND(DATEDIFF(second, GETDATE(), lifetime) / 60.0, 0) FROM sys.routes WHERE name = 'Far'"
    )
    assert rows == [("TCP://further:4023", 60.0)]
    assert tour.rows("SELECT name, priority FROM sys.conversation_priorities") == [("High", 9)]
    state = "SELECT is_receive_enabled, is_retention_enabled FROM sys.service_queues WHERE name = 'AskingQueue'"
    assert tour.rows(state) == [(False, True)]
    assert tour.rows("SELECT name FROM sys.remote_service_bindings WHERE is_anonymous_on = 1") == [("Bound",)]
    assert tour.rows("SELECT name FROM sys.certificates") == [("Own",)]
    tour.do("DROP ROUTE Far; DROP SERVICE [//Tour/Asking]; DROP QUEUE AskingQueue")
    assert tour.failure("SELECT * FROM AskingQueue").number == 208


@pytest.mark.parametrize("order", ["{0}, {1}, {2}, {3}", "{3}, {2}, {1}, {0}", "{2} {0} {3} {1}", "{1}, {3}, {0}, {2}"])
def test_the_options_of_activation_come_in_any_order(tour, order):
    options = order.format("STATUS = ON", "PROCEDURE_NAME = dbo.p", "MAX_QUEUE_READERS = 3", "EXECUTE AS SELF")
    tour.do(f"CREATE QUEUE made WITH RETENTION = ON, ACTIVATION ({options}), STATUS = OFF")
    tour.do(f"ALTER QUEUE AskingQueue WITH ACTIVATION ({options})")
    found = "SELECT activation_procedure, max_readers, is_activation_enabled FROM sys.service_queues WHERE name IN"
    assert tour.rows(f"{found} ('made', 'AskingQueue')") == [("dbo.p", 3, True)] * 2
    assert tour.rows("SELECT is_receive_enabled FROM sys.service_queues WHERE name = 'made'") == [(False,)]


@pytest.mark.parametrize(
    "contract",
    [
        "http://schemas.microsoft.com/SQL/Notifications/PostQueryNotification",
        "http://schemas.microsoft.com/SQL/Notifications/PostEventNotification",
        "http://schemas.microsoft.com/SQL/ServiceBroker/ServiceEcho",
        "http://schemas.microsoft.com/SQL/ServiceBroker/ServiceDiagnostic",
    ],
)
def test_every_database_has_the_contracts_that_a_server_has(tour, contract):
    tour.do(f"CREATE QUEUE N; CREATE SERVICE N ON QUEUE N ([{contract}])")
    begun = f"DECLARE @h uniqueidentifier; BEGIN DIALOG @h FROM SERVICE N TO SERVICE 'N' ON CONTRACT [{contract}]"
    tour.do(begun)
    assert tour.failure(f"CREATE CONTRACT [{contract}] ([DEFAULT] SENT BY ANY)").number == 2714


def test_message_types_of_the_product_have_their_documented_numbers(tour):
    rows = tour.rows("SELECT message_type_id FROM sys.service_message_types WHERE message_type_id < 65536 ORDER BY 1")
    assert [number for (number,) in rows] == list(range(1, 15))


@pytest.mark.parametrize(
    ("script", "number"),
    [
        ("CREATE QUEUE AskingQueue", 2714),
        ("CREATE SERVICE [//Tour/Asking] ON QUEUE AskingQueue", 2714),
        ("CREATE SERVICE X ON QUEUE Nowhere", 15151),
        ("DROP QUEUE AskingQueue", 3716),
        ("DROP ROUTE Nowhere", 15151),
        ("ALTER DATABASE Nowhere SET ENABLE_BROKER", 911),
        ("CREATE ROUTE R WITH ADDRESS = 'http://x'", 9744),
        ("CREATE ROUTE R WITH SERVICE_NAME = 'x'", 102),
        ("CREATE DATABASE Tour", 1801),
        ("DROP DATABASE Tour", 3702),
        ("CREATE CERTIFICATE C WITH SUBJECT = 'x'", 28054),
    ],
)
def test_what_the_catalog_refuses_has_its_number(tour, script, number):
    assert tour.failure(f"PRINT 'x'\n{script}").number == number


def test_definitions_stand_among_other_statements(tour):
    script = """
    IF NOT EXISTS (SELECT * FROM sys.routes WHERE name = 'Maybe')
        CREATE ROUTE Maybe WITH ADDRESS = 'LOCAL'
    IF NOT EXISTS (SELECT * FROM sys.routes WHERE name = 'Maybe')
        CREATE ROUTE Maybe WITH ADDRESS = 'LOCAL'
    ELSE
        PRINT 'is there'
    BEGIN TRY DROP ROUTE Nowhere END TRY BEGIN CATCH PRINT ERROR_NUMBER() END CATCH
    """
    assert tour.said(script) == ["is there", "15151"]


def test_the_broker_of_a_database_is_switched_and_renewed(tour):
    look = "SELECT is_broker_enabled FROM sys.databases WHERE name = DB_NAME()"
    identity = "SELECT service_broker_guid FROM sys.databases WHERE name = DB_NAME()"
    tour.do("ALTER DATABASE CURRENT SET DISABLE_BROKER WITH ROLLBACK IMMEDIATE")
    assert tour.rows(look) == [(False,)]
    before = tour.rows(identity)
    tour.do("ALTER DATABASE Tour SET ENABLE_BROKER")
    assert tour.rows(identity) == before
    tour.do("ALTER DATABASE Tour SET NEW_BROKER")
    assert tour.rows(identity) != before
    tour.do("ALTER DATABASE Tour SET HONOR_BROKER_PRIORITY ON")
    assert tour.rows("SELECT is_honor_broker_priority_on FROM sys.databases WHERE name = 'Tour'") == [(True,)]
    assert tour.said("ALTER DATABASE Tour SET RECOVERY SIMPLE") != []


def test_a_database_is_backed_up_and_restored_with_its_conversations(tour):
    tour.do(ASK + "WAITFOR DELAY '00:00:01'; USE master; BACKUP DATABASE Tour TO DISK = N'C:\\backups\\tour.bak'")
    tour.do("DROP DATABASE Tour")
    assert tour.failure("SELECT * FROM Tour.dbo.AnsweringQueue").number == 208
    tour.do("RESTORE DATABASE Tour FROM DISK = 'tour.bak' WITH REPLACE, ENABLE_BROKER, STATS = 10")
    assert tour.rows("SELECT message_type_name FROM Tour.dbo.AnsweringQueue") == [("//Tour/Request",)]
    assert tour.rows("SELECT is_broker_enabled FROM sys.databases WHERE name = 'Tour'") == [(True,)]
    assert tour.failure("RESTORE DATABASE Tour FROM DISK = 'nothing.bak'").number == 3201
    assert tour.failure("BACKUP DATABASE Nowhere TO DISK = 'x'").number == 911


def test_a_database_is_not_restored_from_a_session_that_is_in_it(tour):
    tour.do(f"{ASK}BACKUP DATABASE Tour TO DISK = 'tour.bak'")
    failure = tour.failure("RESTORE DATABASE TOUR FROM DISK = 'tour.bak' WITH REPLACE")
    assert (failure.number, failure.severity, failure.parameters) == (3102, 16, {"database": "Tour"})
    assert tour.session.database == "Tour"
    tour.do("USE master; RESTORE DATABASE Tour FROM DISK = 'tour.bak' WITH REPLACE; USE Tour")


def test_a_copy_next_to_the_original_has_its_broker_off_and_says_why(tour):
    tour.do("USE master; BACKUP DATABASE Tour TO DISK = 'tour.bak'")
    (notice,) = tour.said("RESTORE DATABASE Twin FROM DISK = 'tour.bak'")
    assert notice.startswith("9773: ")
    tour.do("DROP DATABASE Twin; RESTORE DATABASE Twin FROM DISK = 'tour.bak' WITH NEW_BROKER")
    same = "SELECT COUNT(DISTINCT service_broker_guid), MIN(CAST(is_broker_enabled AS int)) FROM sys.databases"
    assert tour.rows(f"{same} WHERE name IN ('Tour', 'Twin')") == [(2, 1)]


def test_a_database_is_detached_and_attached(tour):
    assert tour.failure("EXEC sp_detach_db 'Tour'").number == 3702
    tour.do("USE master; EXEC master.dbo.sp_detach_db @dbname = N'Tour'")
    assert tour.rows("SELECT COUNT(*) FROM sys.databases WHERE name = 'Tour'") == [(0,)]
    tour.do("CREATE DATABASE Moved ON (FILENAME = 'D:\\data\\tour.mdf') FOR ATTACH WITH ENABLE_BROKER")
    assert tour.rows("SELECT name FROM Moved.sys.services WHERE name LIKE '//Tour/Ask%'") == [("//Tour/Asking",)]


def test_a_target_without_a_place_for_backups_says_so(tour):
    tour.session.target.backups = None
    assert tour.failure("BACKUP DATABASE Tour TO DISK = 'x'").number == 40510
