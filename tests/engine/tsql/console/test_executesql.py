"""sp_executesql: parameters by place and by name, defaults, OUTPUT, what it returns, and what ends with it."""

import pytest

from tests.support.console_world import Consoles


@pytest.fixture(scope="module")
def typing():
    return Consoles().open()


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("EXEC sp_executesql N'SELECT @a, @b', N'@a int, @b nvarchar(9)', 3, N'x'", [(3, "x")]),
        ("EXEC sp_executesql N'SELECT @a, @b', N'@a int, @b nvarchar(9)', @b = N'x', @a = 3", [(3, "x")]),
        ("EXEC sp_executesql N'SELECT @A', N'@a int', 3", [(3,)]),
        ("EXEC sp_executesql @stmt = N'SELECT @a', @params = N'@a int', @a = 3", [(3,)]),
        ("EXEC sys.sp_executesql N'SELECT @a, @b', N'@a int, @b int = 7', 3", [(3, 7)]),
        ("EXEC sp_executesql N'SELECT @a', N'@a int = 7', @a = DEFAULT", [(7,)]),
        ("EXEC sp_executesql N'SELECT @a', N'@a int', NULL", [(None,)]),
        ("EXEC sp_executesql N'SELECT @a', N'@a nvarchar(2)', N'abc'", [("ab",)]),
        ("DECLARE @x int = 4; EXEC sp_executesql N'SELECT @x + @a', N'@x int, @a int', @x, 1", [(5,)]),
        ("EXEC sp_executesql N'SELECT name FROM sys.databases WHERE name = @n', N'@n sysname', N'MSDB'", [("msdb",)]),
        ("EXEC sp_executesql N'SELECT 1', N''", [(1,)]),
    ],
)
def test_a_text_has_the_values_of_its_parameters(typing, script, expected):
    assert typing.rows(script) == expected


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("EXEC sp_executesql N'SET @b = @a * 2', N'@a int, @b int OUTPUT', 21, @x OUTPUT", 42),
        ("EXEC sp_executesql N'SET @b = @a * 2', N'@a int, @b int OUTPUT', @a = 21, @b = @x OUT", 42),
        ("EXEC sp_executesql N'SET @b += 1', N'@b int OUTPUT', @x OUTPUT", 6),
        ("EXEC sp_executesql N'SET @b += 1', N'@b int OUTPUT', @x", 5),
        ("EXEC sp_executesql N'SET @b = NULL', N'@b int OUTPUT', @x OUTPUT", None),
        ("EXEC sp_executesql N'SELECT @b = COUNT(*) FROM sys.databases', N'@b bigint OUTPUT', @x OUTPUT", 2),
        ("EXEC sp_executesql N'SET @b = N''12''', N'@b nvarchar(5) OUTPUT', @x OUTPUT", 12),
        ("EXEC sp_executesql N'SET @b = 9; RETURN; SET @b = 1', N'@b int OUTPUT', @x OUTPUT", 9),
        (
            "EXEC sp_executesql N'EXEC sp_executesql N''SET @q += 1'', N''@q int OUTPUT'', @p OUTPUT', "
            "N'@p int OUTPUT', @x OUTPUT",
            6,
        ),
        ("BEGIN TRY EXEC sp_executesql N'SET @b = 8; SELECT 1 / 0', N'@b int OUTPUT', @x OUTPUT END TRY "
         "BEGIN CATCH SET @x = ERROR_NUMBER() END CATCH", 8134),
    ],
)  # fmt: skip
def test_output_parameters_come_back(typing, call, expected):
    assert typing.rows(f"SET NOCOUNT ON; DECLARE @x int = 5; {call}; SELECT @x") == [(expected,)]


@pytest.mark.parametrize(
    ("script", "number"),
    [
        ("EXEC sp_executesql N'SELECT @a', N'@a int'", 8178),
        ("EXEC sp_executesql N'SELECT @a', N'@a int, @b int', 1", 8178),
        ("EXEC sp_executesql N'SELECT @a', N'@a int', DEFAULT", 8178),
        ("EXEC sp_executesql N'SELECT @a', N'@a int', 1, 2", 8144),
        ("EXEC sp_executesql N'SELECT 1', N'', 2", 8144),
        ("EXEC sp_executesql N'SELECT @a', N'@a int', @b = 2", 8145),
        ("EXEC sp_executesql N'SELECT @a', N'@a int, @b int', @a = 2, @a = 3", 8143),
        ("EXEC sp_executesql N'SELECT @a', N'@a int, @b int', @a = 2, 3", 119),
        ("DECLARE @x int; EXEC sp_executesql N'SELECT @a', N'@a int', @x OUTPUT", 8162),
        ("EXEC sp_executesql N'SELECT @a', N'@a int OUTPUT', 5 OUTPUT", 179),
        ("EXEC sp_executesql N'SELECT @a', N'@a int', N'five'", 8114),
        ("EXEC sp_executesql N'SELECT @a', N'@a nothing', 5", 243),
        ("EXEC sp_executesql N'SELECT @a', N'@a int, @A int', 5, 6", 134),
        ("EXEC sp_executesql N'SELECT @a', N'a int', 5", 102),
        ("EXEC sp_executesql N'SELECT @a', N'@a int,', 5", 102),
        ("EXEC sp_executesql N'SELECT @a', N'@a int GO', 5", 102),
        ("EXEC sp_executesql N'DECLARE @a int', N'@a int', 5", 134),
        ("EXEC sp_executesql N'SELECT @a', N'@b int', 5", 137),
        ("EXEC sp_executesql 'SELECT 1'", 214),
        ("DECLARE @s varchar(20) = 'SELECT 1'; EXEC sp_executesql @s", 214),
        ("EXEC sp_executesql N'SELECT @a', '@a int', 5", 214),
        ("EXEC nowhere.sys.sp_executesql N'SELECT 1'", 911),
        ("DECLARE @r int; EXEC @q = sp_executesql N'SELECT 1'", 137),
    ],
)
def test_calls_that_a_server_refuses(typing, script, number):
    assert typing.failure(script).number == number


def test_it_returns_the_number_of_its_last_statement(typing):
    script = "SET NOCOUNT ON; DECLARE @r int = 9; EXEC @r = sp_executesql N'{}'; SELECT @r, @@ERROR"
    assert typing.rows(script.format("PRINT 1")) == [(0, 0)]
    assert typing.rows(script.format("")) == [(0, 0)]
    outputs = typing.run(script.format("RAISERROR(N''x'', 16, 1)"))
    assert outputs[0].number == 50000
    assert outputs[1].rows == ((50000, 50000),)


def test_what_a_text_sets_ends_with_it(typing):
    typing.do("USE master; SET NOCOUNT OFF")
    typing.do("EXEC (N'USE msdb; SET NOCOUNT ON; SET XACT_ABORT ON')")
    assert typing.rows("SELECT DB_NAME()") == [("master",)]
    assert typing.counted("SELECT 1") == [1]
    assert typing.rows("EXEC msdb.sys.sp_executesql N'SELECT DB_NAME()'") == [("msdb",)]
    assert typing.session.database == "master"


def test_a_transaction_goes_through_it(typing):
    script = """BEGIN TRANSACTION;
    EXEC sp_executesql N'BEGIN TRANSACTION; COMMIT; SELECT @@TRANCOUNT + @a', N'@a int', 10;
    ROLLBACK"""
    assert typing.rows(script) == [(11,)]


def test_conversations_are_begun_and_ended_by_it():
    typing = Consoles().open(database="msdb")
    typing.do("""CREATE QUEUE Inbox; CREATE SERVICE [//Here] ON QUEUE Inbox ([DEFAULT]);
    GO
    DECLARE @h uniqueidentifier, @n int;
    EXEC sp_executesql N'BEGIN DIALOG @h FROM SERVICE [//Here] TO SERVICE @to WITH ENCRYPTION = OFF;
        SEND ON CONVERSATION @h (@body)', N'@h uniqueidentifier OUTPUT, @to nvarchar(256), @body varbinary(max)',
        @h OUTPUT, N'//Here', 0x01;
    IF @h IS NULL THROW 50001, N'no handle', 1;
    END CONVERSATION @h;""")
    assert typing.rows("SELECT message_body FROM Inbox WHERE message_body IS NOT NULL") == [(b"\x01",)]
