"""Names that mean nothing, and what a server has and the console has not: found when, and heard by whom."""

import pytest

from tests.support.console_world import Consoles


@pytest.fixture
def typing():
    return Consoles().open()


@pytest.mark.parametrize(
    ("statement", "number"),
    [
        ("SELECT * FROM sys.nope", 208),
        ("SELECT nope FROM sys.services", 207),
        ("SELECT n.name FROM sys.services", 4104),
        ("DELETE FROM dbo.Nope", 208),
        ("INSERT INTO dbo.Nope VALUES (1)", 208),
        ("UPDATE Nope SET a = 1", 208),
        ("RECEIVE * FROM Nope", 208),
    ],
)
def test_a_name_of_nothing_ends_its_batch_and_no_catch_of_the_batch_hears_of_it(typing, statement, number):
    caught = f"BEGIN TRY {statement} END TRY BEGIN CATCH PRINT 'inside' END CATCH PRINT 'not reached'"
    outputs = typing.run(f"{caught}\nGO\nPRINT 'next'")
    assert [getattr(each, "number", None) or each.text for each in outputs] == [number, "next"]
    quoted = caught.replace("'", "''")
    outputs = typing.run(f"BEGIN TRY EXEC ('{quoted}') END TRY BEGIN CATCH PRINT ERROR_NUMBER() END CATCH PRINT 'on'")
    assert [each.text for each in outputs] == [str(number), "on"]
    outputs = typing.run(f"EXEC ('{quoted}') PRINT 'on'")
    assert [getattr(each, "number", None) or each.text for each in outputs] == [number, "on"]


@pytest.mark.parametrize(("is_abort", "open_after"), [("OFF", "1"), ("ON", "0")])
def test_a_name_of_nothing_leaves_the_transaction_as_xact_abort_says(typing, is_abort, open_after):
    outputs = typing.run(f"SET XACT_ABORT {is_abort} BEGIN TRAN SELECT * FROM nope\nGO\nPRINT @@TRANCOUNT")
    assert [getattr(each, "number", None) or each.text for each in outputs] == [208, open_after]


@pytest.mark.parametrize(
    ("statement", "number"),
    [
        ("SELECT FORMAT(1, 'x')", 40517),
        ("SELECT STDEV(1) FROM sys.services", 40517),
        ("SELECT @@IDENTITY", 40517),
        ("SELECT CAST(1 AS geography)", 40517),
        ("DECLARE @h hierarchyid", 40517),
        ("SELECT 1 WHERE CONTAINS(name, 'x')", 40517),
        ("SET @a = CHOOSE(1, 2)", 40517),
        ("SELECT NEXT VALUE FOR dbo.s", 40517),
        ("SELECT * FROM OPENROWSET(BULK 'x', SINGLE_BLOB) AS a", 40517),
        ("INSERT TOP (1) INTO @t VALUES (1)", 40517),
        ("SET @x.modify('delete /a')", 40517),
        ("EXECUTE ('SELECT 1') AS USER = 'dbo'", 40510),
        ("EXEC ('SELECT 1') AT elsewhere", 40510),
        ("WAITFOR TIME '23:59'", 40517),
        ("EXEC sp_who", 40510),
        ("EXEC sys.sp_addmessage 50001, 16, 'x'", 40510),
        ("EXEC master..xp_cmdshell 'dir'", 40510),
        ("SETUSER 'dbo'", 40510),
        ("SELECT NOSUCHFUNCTION(1)", 195),
        ("SELECT @@NOSUCH", 195),
        ("SELECT CAST(1 AS nosuchtype)", 243),
    ],
)
def test_what_the_console_lacks_is_found_before_its_batch_runs(typing, statement, number):
    declared = "DECLARE @a int, @x xml DECLARE @t TABLE (a int) PRINT 'ran'"
    outputs = typing.run(f"{declared} BEGIN TRY {statement} END TRY BEGIN CATCH PRINT 'caught' END CATCH")
    assert [each.number for each in outputs] == [number]


@pytest.mark.parametrize(
    ("call", "takes"),
    [("ISNULL(1)", 2), ("ISNULL(1, 2, 3)", 2), ("NULLIF(1)", 2), ("IIF(1 = 1, 2)", 3), ("COALESCE(1)", 2)],
)
def test_functions_take_as_many_arguments_as_on_a_server(typing, call, takes):
    failure = typing.failure(f"SELECT {call}")
    assert (failure.number, failure.parameters["limit"]) == (174, takes)


def test_a_window_function_needs_an_over(typing):
    assert typing.failure("SELECT ROW_NUMBER()").number == 10753


def test_a_binary_constant_may_be_empty(typing):
    assert typing.rows("SELECT 0x, DATALENGTH(0x), 0XaB") == [(b"", 0, b"\xab")]


def test_users_have_default_schemas_and_the_next_statement_is_found(typing):
    typing.run("CREATE LOGIN l WITH PASSWORD = 'Aa1!aaaaaaa'")
    typing.run("CREATE USER u FOR LOGIN l WITH DEFAULT_SCHEMA = dbo CREATE QUEUE q1\nSELECT 1")
    typing.run("CREATE USER v WITHOUT LOGIN WITH DEFAULT_SCHEMA = dbo\nCREATE QUEUE q2")
    assert typing.rows("SELECT COUNT(*) FROM sys.service_queues WHERE name IN ('q1', 'q2')") == [(2,)]
