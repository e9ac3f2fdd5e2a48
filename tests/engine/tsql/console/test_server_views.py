"""System views that every server has: schemas, principals, permissions, keys, event notifications, row counts."""

import pytest

from engine.tsql.console.unmodelled_views import _MODELLED, _UNMODELLED
from tests.support.certificates import VAULT
from tests.support.console_world import Consoles

SHOP = """CREATE DATABASE Shop;
GO
USE Shop;
GO
CREATE QUEUE Till; CREATE QUEUE Watch; CREATE SERVICE [//Till] ON QUEUE Till ([DEFAULT]);
CREATE SERVICE w ON QUEUE Watch ([http://schemas.microsoft.com/SQL/Notifications/PostEventNotification]);
CREATE USER Clerk WITHOUT LOGIN; GRANT SEND ON SERVICE::[//Till] TO Clerk; DENY RECEIVE ON dbo.Till TO Clerk;
CREATE EVENT NOTIFICATION n ON QUEUE Till FOR QUEUE_ACTIVATION TO SERVICE 'w', 'current database';
GO
DECLARE @h uniqueidentifier;
BEGIN DIALOG @h FROM SERVICE [//Till] TO SERVICE N'//Till' WITH ENCRYPTION = OFF;
SEND ON CONVERSATION @h (N'1'); SEND ON CONVERSATION @h (N'2');
"""


@pytest.fixture(scope="module")
def shop():
    typing = Consoles().open()
    typing.do(SHOP)
    typing.do("WAITFOR DELAY '00:00:05'")
    return typing


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT schema_id, principal_id FROM sys.schemas WHERE name = 'dbo'", [(1, 1)]),
        (
            "SELECT s.name, q.name FROM sys.service_queues q JOIN sys.schemas s ON s.schema_id = q.schema_id "
            "WHERE q.is_ms_shipped = 0 ORDER BY q.name",
            [("dbo", "Till"), ("dbo", "Watch")],
        ),
        (
            "SELECT name, type_desc FROM sys.database_principals "
            "WHERE name IN ('dbo', 'public', 'Clerk') ORDER BY name",
            [("Clerk", "SQL_USER"), ("dbo", "SQL_USER"), ("public", "DATABASE_ROLE")],
        ),
        ("SELECT COUNT(*) FROM sys.database_principals WHERE is_fixed_role = 1", [(9,)]),
        (
            "SELECT p.state_desc, p.permission_name, s.name FROM sys.database_permissions p "
            "JOIN sys.database_principals u ON u.principal_id = p.grantee_principal_id "
            "JOIN sys.services s ON s.service_id = p.major_id WHERE p.class = 17 AND u.name = 'Clerk'",
            [("GRANT", "SEND", "//Till")],
        ),
        (
            "SELECT p.state, p.type FROM sys.database_permissions p "
            "JOIN sys.database_principals u ON u.principal_id = p.grantee_principal_id "
            "WHERE p.class_desc = 'OBJECT_OR_COLUMN' AND p.major_id = OBJECT_ID('dbo.Till') AND u.name = 'Clerk'",
            [("D", "RC  ")],
        ),
        (
            "SELECT n.name, q.name, n.service_name, n.parent_class_desc FROM sys.event_notifications n "
            "JOIN sys.service_queues q ON q.object_id = n.parent_id",
            [("n", "Till", "w", "OBJECT_OR_COLUMN")],
        ),
        ("SELECT * FROM sys.procedures", []),
        (
            "SELECT q.name, p.rows FROM sys.objects o JOIN sys.partitions p ON p.object_id = o.object_id "
            "JOIN sys.objects q ON o.parent_object_id = q.object_id "
            "JOIN sys.service_queues s ON s.object_id = q.object_id "
            "WHERE p.index_id = 1 AND q.is_ms_shipped = 0 ORDER BY q.name",
            [("Till", 2), ("Watch", 1)],
        ),
        (
            "SELECT t.name, t.type, t.internal_type_desc FROM sys.internal_tables t "
            "WHERE t.parent_id = OBJECT_ID('Till')",
            None,
        ),
        ("SELECT owner_sid FROM sys.databases WHERE name = 'Shop'", [(b"\x01",)]),
        ("SELECT name FROM master.sys.symmetric_keys", [("##MS_ServiceMasterKey##",)]),
    ],
)
def test_views_show_what_is_there(shop, query, expected):
    if expected is None:
        number = shop.value("OBJECT_ID('Till')")
        expected = [(f"queue_messages_{number}", "IT", "QUEUE_MESSAGES")]
    assert shop.rows(query) == expected


def test_a_master_key_is_made_where_there_is_none():
    typing = Consoles().open()
    typing.session.target.smith = VAULT
    script = """IF NOT EXISTS (SELECT * FROM sys.symmetric_keys WHERE name = '##MS_DatabaseMasterKey##')
    BEGIN
        CREATE MASTER KEY ENCRYPTION BY PASSWORD = 'Aa1!aaaaaaaa'
        PRINT N'made'
    END"""
    assert typing.said(f"{script}\nGO\n{script}") == ["made"]


def test_a_session_counts_the_rows_of_its_own_transaction(shop):
    count = "SELECT p.rows FROM sys.internal_tables t JOIN sys.partitions p ON p.object_id = t.object_id "
    count += "WHERE t.parent_id = OBJECT_ID('Till')"
    script = f"""BEGIN TRANSACTION; DECLARE @h uniqueidentifier;
    RECEIVE TOP (1) @h = conversation_handle FROM Till; {count}; ROLLBACK"""
    assert shop.rows(script) == [(1,)]
    assert shop.rows(count) == [(2,)]


@pytest.mark.parametrize(
    ("view", "number"),
    [
        *(
            (each, 40515)
            for each in (
                "sys.dm_os_wait_stats",
                "sys.tables",
                "master.sys.master_files",
                "sys.sysobjects",
                "sysobjects",
            )
        ),
        *((each, 40515) for each in ("SYS.DM_TRAN_LOCKS", "INFORMATION_SCHEMA.TABLES", "sys.server_principals")),
        *(
            (each, 208)
            for each in ("sys.nothing", "sys.dm_nothing_here", "sys.dm_broker_nothing", "dbo.tables", "syswhatever")
        ),
    ],
)
def test_a_view_that_a_server_has_is_not_modelled_rather_than_misspelled(shop, view, number):
    failure = shop.failure(f"SELECT * FROM {view}")
    assert failure.number == number
    assert ("not modelled" in failure.message) is (number == 40515)


@pytest.mark.parametrize(
    ("query", "number"),
    [
        ("SELECT recovery_model_desc FROM sys.databases", 40515),
        ("SELECT d.Create_Date FROM master.sys.databases AS d", 40515),
        ("SELECT d.name FROM sys.databases d JOIN sys.services s ON s.name = collation_name", 40515),
        ("SELECT 1 FROM sys.databases d WHERE EXISTS (SELECT 1 FROM sys.routes WHERE name = d.collation_name)", 40515),
        ("IF 1 = 2 SELECT reads FROM sys.dm_exec_sessions", 40515),
        ("BEGIN TRY SELECT mirroring_redo_queue FROM sys.database_mirroring END TRY BEGIN CATCH END CATCH", 40515),
        ("SELECT recovery_model_desk FROM sys.databases", 207),
        ("SELECT collation_name FROM sys.services", 207),
        ("SELECT s.collation_name FROM sys.databases d CROSS JOIN sys.services s", 207),
    ],
)
def test_a_column_that_a_server_has_is_not_modelled_rather_than_misspelled(shop, query, number):
    failure = shop.failure(f"PRINT 'begins' {query}")
    assert failure.number == number
    assert ("not modelled" in failure.message) is (number == 40515)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT name AS create_date FROM sys.databases WHERE name = 'master' ORDER BY create_date",
        "SELECT create_date FROM (SELECT name AS create_date FROM sys.databases WHERE name = 'master') AS d",
        "WITH d AS (SELECT name AS create_date FROM sys.databases WHERE name = 'master') SELECT create_date FROM d",
        "SELECT (SELECT create_date) FROM (SELECT name AS create_date FROM sys.databases WHERE name = 'master') AS d",
    ],
)
def test_the_name_of_such_a_column_may_be_given_to_another(shop, query):
    assert shop.rows(query) == [("master",)]


def test_no_column_is_both_here_and_not():
    assert [view for view, names in _UNMODELLED.items() if names & {each.upper() for each in _MODELLED[view]}] == []


def test_a_session_sees_itself(shop):
    script = """SELECT s.session_id - @@SPID, s.is_user_process, s.open_transaction_count, d.name, r.status, r.command
    FROM sys.dm_exec_sessions s JOIN sys.dm_exec_requests r ON r.session_id = s.session_id
    JOIN sys.databases d ON d.database_id = s.database_id"""
    assert shop.rows(script) == [(0, True, 0, "Shop", "running", "SELECT")]
    assert shop.rows(f"BEGIN TRANSACTION; {script} WHERE s.session_id = @@SPID; ROLLBACK")[0][2] == 1
    assert shop.rows("SELECT login_name FROM master.sys.dm_exec_sessions WHERE login_time <= GETDATE()") == [("sa",)]
