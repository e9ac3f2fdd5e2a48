"""Variables, control of flow, errors and their CATCH, messages, batches."""

import pytest

from engine.tsql.console import budget
from engine.tsql.console.checking import mistakes_in
from engine.tsql.console.numbering import SessionNumbers
from engine.tsql.console.outputs import Failed, Printed, ResultSet, RowsAffected
from engine.tsql.console.session import ConsoleSession
from tests.support.console_world import Consoles, Typing
from tests.support.each import for_each
from tests.support.thoroughness import share


@pytest.fixture(scope="module")
def typing():
    return Consoles().open()


def kinds(outputs):
    return [type(each) for each in outputs]


def test_variables_are_declared_set_and_selected(typing):
    script = """
    DECLARE @a int = 2, @b AS nvarchar(10), @c bit = 'true';
    SET @b = N'x' + CAST(@a AS nvarchar(5));
    SET @a *= 4;
    SELECT @a -= 1, @b = @b + '!';
    SELECT @a, @b, @c;
    """
    assert typing.rows(script) == [(7, "x2!", True)]


def test_an_operator_in_a_select_takes_in_every_row_in_their_order(typing):
    script = """
    DECLARE @t TABLE (n int, name nvarchar(10));
    INSERT INTO @t VALUES (1, N'a'), (2, N'b'), (3, N'c');
    DECLARE @sum int = 10, @product int = 2, @names nvarchar(20) = N'', @last int = 0, @none int = 5;
    SELECT @sum += n, @product *= n + 1, @names += name + N';', @last = n FROM @t ORDER BY n DESC;
    SELECT @none -= n FROM @t WHERE n > 3;
    SELECT @sum %= 5;
    SELECT @sum, @product, @names, @last, @none;
    """
    assert typing.rows(script) == [(1, 48, "c;b;a;", 1, 5)]


def test_a_variable_is_there_for_its_batch_also_when_its_declaration_is_never_reached(typing):
    script = """
    IF 1 = 0 BEGIN DECLARE @a int = 5; DECLARE @t TABLE (n int); END;
    INSERT INTO @t VALUES (1);
    SELECT @a, (SELECT COUNT(*) FROM @t);
    EXEC (N'IF 1 = 0 DECLARE @b int = 5; SELECT @b');
    """
    found = [each.rows for each in typing.do(script) if isinstance(each, ResultSet)]
    assert found == [((None, 1),), ((None,),)]


def test_a_declaration_in_a_loop_gives_its_value_each_time_and_keeps_what_has_none(typing):
    script = """
    DECLARE @i int = 0;
    WHILE @i < 3
    BEGIN
        DECLARE @kept int, @anew int = 10;
        DECLARE @t TABLE (n int);
        INSERT INTO @t VALUES (@i);
        SELECT @i += 1, @kept = ISNULL(@kept, 0) + 1, @anew += 1;
    END;
    SELECT @kept, @anew, (SELECT COUNT(*) FROM @t);
    """
    assert typing.rows(script) == [(3, 11, 3)]


@pytest.mark.parametrize(
    ("select", "expected"),
    [
        ("SELECT @a = 1, @b = @a + 1", (1, 2, None)),
        ("SELECT @a = 1, @b = @a + 1, @c = CONCAT(@a, '/', @b)", (1, 2, "1/2")),
        ("SELECT @b = @a, @a = 2", (2, None, None)),
        ("SELECT @a = 4, @b = CASE WHEN @a > 3 THEN @a * 2 ELSE 0 END", (4, 8, None)),
        ("SELECT @a = 2, @b = (SELECT COUNT(*) FROM @t WHERE n <= @a)", (2, 2, None)),
        ("SELECT @a = 2, @b = 1 WHERE 1 = 2", (None, None, None)),
        ("SELECT @a = 3, @a += 4, @b = @a", (7, 7, None)),
        ("SELECT @a = n, @b = @a * 10 + n FROM @t ORDER BY n DESC", (1, 11, None)),
        ("SELECT @a = 0, @c = N''; SELECT @a = @a + n, @c = @c + name + N';' FROM @t ORDER BY n", (6, None, "a;B;c;")),
        ("SELECT @a = COUNT(*), @b = @a + MAX(n) FROM @t", (3, 6, None)),
        ("SELECT @c = N'b', @a = CASE WHEN name = @c THEN n ELSE @a END FROM @t ORDER BY n", (2, None, "b")),
        ("SELECT @a = 2, @b = CASE WHEN n IN (SELECT n FROM @t) THEN @a + 1 END FROM @t", (2, 3, None)),
        ("WITH x AS (SELECT 1 AS i), y AS (SELECT 2 AS i) SELECT @a = 5, @b = 1, @a += y.i FROM x, y", (7, 1, None)),
    ],
)
def test_variables_are_assigned_from_left_to_right_row_by_row(typing, select, expected):
    script = f"""DECLARE @t TABLE (n int, name nvarchar(10)); DECLARE @a int, @b int, @c nvarchar(20);
    INSERT INTO @t VALUES (1, N'a'), (2, N'B'), (3, N'c');
    {select}; SELECT @a, @b, @c"""
    assert typing.rows(script) == [expected]


@pytest.mark.parametrize(
    ("script", "number"),
    [
        ("DECLARE @a int, @b int; SELECT @a = 0, @b = 1 / @a", 8134),
        (
            "DECLARE @a int, @b int; SELECT @a = 1, @b = (SELECT q.object_id + r.route_id + @a) FROM sys.routes r, "
            "sys.service_queues q",
            40517,
        ),
        ("DECLARE @a int = 1; SELECT @a += 1, 2", 141),
        ("DECLARE @a int = 1; SELECT @a /= 0", 8134),
        ("DECLARE @a int = 1; SELECT @a += N'x'", 245),
        ("SELECT @nobody += 1", 137),
        ("DECLARE @a int = 1; SELECT 1 WHERE @a += 1", 102),
        ("DECLARE @a int = 1; SELECT @a + = 1 +", 102),
    ],
)
def test_an_assignment_with_an_operator_fails_by_its_number(typing, script, number):
    assert typing.failure(script).number == number


def test_a_select_without_rows_leaves_its_variables(typing):
    script = (
        "DECLARE @n sysname = 'before'; SELECT @n = name FROM sys.routes WHERE name = 'none'; SELECT @n, @@ROWCOUNT"
    )
    assert typing.rows(script) == [("before", 0)]


def test_loops_break_and_continue(typing):
    script = """
    DECLARE @i int = 0
    WHILE @i < 10
    BEGIN
        SET @i += 1
        IF @i = 2 CONTINUE
        IF @i > 3
            BREAK
        PRINT @i
    END
    PRINT N'done'
    """
    assert typing.said(script) == ["1", "3", "done"]


def test_if_and_else_nest(typing):
    script = """
    IF 1 = 2 PRINT 'a'
    ELSE IF EXISTS (SELECT * FROM sys.databases WHERE name = 'msdb') AND NOT 1 > 2
        IF 3 = 4 PRINT 'b'; ELSE PRINT 'c'
    ELSE PRINT 'd'
    """
    assert typing.said(script) == ["c"]


def test_a_condition_that_is_unknown_is_not_true(typing):
    assert typing.said("IF NULL = NULL PRINT 'yes' ELSE PRINT 'no'") == ["no"]


def test_table_variables_are_written_and_read(typing):
    script = """
    DECLARE @t TABLE (id int NOT NULL PRIMARY KEY, word nvarchar(20) NULL DEFAULT N'x', at datetime2);
    INSERT INTO @t (id, word) VALUES (1, N'one'), (2, 'two');
    INSERT @t SELECT 3, name, SYSUTCDATETIME() FROM sys.databases WHERE name = 'MSDB';
    UPDATE @t SET word = UPPER(word) WHERE id = 2;
    DELETE FROM @t WHERE id = 1;
    SELECT t.id, t.word FROM @t AS t ORDER BY t.id;
    """
    assert typing.rows(script) == [(2, "TWO"), (3, "msdb")]
    assert typing.counted(script) == [2, 1, 1, 1, 2]


def test_an_error_ends_its_statement_and_not_the_batch(typing):
    outputs = typing.run("PRINT 'a'\nSELECT 1 / 0\nPRINT CAST(@@ERROR AS varchar(10))\nPRINT @@ERROR")
    assert kinds(outputs) == [Printed, Failed, Printed, Printed]
    assert [outputs[2].text, outputs[3].text] == ["8134", "0"]


def test_a_conversion_that_fails_ends_the_batch(typing):
    outputs = typing.run("PRINT CAST('x' AS int)\nPRINT 'not reached'\nGO\nPRINT 'next'")
    assert kinds(outputs) == [Failed, Printed]
    assert outputs[0].number == 245


def test_nothing_of_a_batch_with_a_mistake_runs(typing):
    outputs = typing.run("PRINT 'a'\nPRINT 'b' +\nGO\nPRINT 'c'")
    assert kinds(outputs) == [Failed, Printed]
    assert (outputs[0].number, outputs[0].severity, outputs[0].line) == (102, 15, 2)


def test_catch_knows_what_happened(typing):
    script = """
    BEGIN TRY
        PRINT 'before'
        SELECT 1 / 0
        PRINT 'not reached'
    END TRY
    BEGIN CATCH
        SELECT ERROR_NUMBER() AS n, ERROR_SEVERITY(), ERROR_STATE(), ERROR_LINE(), ERROR_PROCEDURE(), @@ERROR
    END CATCH
    SELECT ERROR_NUMBER() AS nothing
    """
    outputs = typing.do(script)
    results = [each for each in outputs if isinstance(each, ResultSet)]
    assert results[0].rows == ((8134, 16, 1, 4, None, 8134),)
    assert results[1].rows == ((None,),)


def test_throw_goes_on_with_what_was_caught_and_ends_the_batch(typing):
    script = """
    BEGIN TRY
        BEGIN TRY THROW 50001, N'own text', 7 END TRY
        BEGIN CATCH PRINT ERROR_MESSAGE(); THROW; END CATCH
    END TRY
    BEGIN CATCH PRINT CONCAT(ERROR_NUMBER(), '/', ERROR_STATE()) END CATCH;
    THROW 50002, 'out', 1;
    PRINT 'not reached'
    """
    outputs = typing.run(script)
    assert [each.text for each in outputs[:-1]] == ["own text", "50001/7"]
    last = outputs[-1]
    assert (last.number, last.severity, last.state, last.line, last.message) == (50002, 16, 1, 7, "out")


def test_raiserror_is_a_message_or_an_error(typing):
    outputs = typing.run(
        """RAISERROR ('%s has %d of %05d, %%', 10, 1, N'queue', 3, 42) WITH NOWAIT
        RAISERROR (N'bad %x', 16, 4, 255); PRINT 'goes on'
        BEGIN TRY RAISERROR ('caught', 11, 2) END TRY BEGIN CATCH PRINT ERROR_MESSAGE() END CATCH"""
    )
    assert outputs[0] == Printed(text="queue has 3 of 00042, %", line=1)
    assert (outputs[1].number, outputs[1].message, outputs[1].state) == (50000, "bad ff", 4)
    assert [each.text for each in outputs[2:]] == ["goes on", "caught"]
    assert typing.failure("RAISERROR ('x', 20, 1)").number == 2754
    assert typing.failure("RAISERROR (50001, 16, 1)").number == 18054


def test_go_parts_batches_and_repeats_them(typing):
    assert typing.said("PRINT 'x'\nGO 3\nPRINT 'y'") == ["x", "x", "x", "y"]
    assert typing.failure("DECLARE @a int\nGO\nPRINT @a").number == 137
    assert typing.failure("PRINT 1\nGO 100000").number == 153


def test_use_outlives_its_script(typing):
    typing.do("USE msdb")
    assert typing.value("DB_NAME()") == "msdb"
    assert typing.session.database == "msdb"
    assert typing.failure("USE nowhere").number == 911
    typing.do("USE [MASTER]")
    assert typing.value("DB_NAME()") == "master"


def test_return_ends_a_batch(typing):
    assert typing.said("PRINT 'a'; IF 1 = 1 RETURN; PRINT 'b'\nGO\nPRINT 'c'") == ["a", "c"]


def test_texts_are_executed(typing):
    assert typing.said("DECLARE @s nvarchar(50) = N'PRINT 1 -- one'; EXEC (@s + N' ')") == ["1"]
    assert typing.said("EXEC sp_executesql N'DECLARE @a int = 4; PRINT @a'") == ["4"]
    assert typing.failure("DECLARE @a int = 1; EXEC ('PRINT @a')").number == 137
    assert typing.failure("EXEC dbo.Nothing 1, @x = 2").number == 2812


def test_counting_is_left_out_under_nocount(typing):
    assert kinds(typing.run("SET NOCOUNT ON; SELECT 1")) == [ResultSet]
    assert kinds(typing.run("SET NOCOUNT OFF; SELECT 1")) == [ResultSet, RowsAffected]


def test_one_statement_sets_several_options(typing):
    assert kinds(typing.run("SET XACT_ABORT, NOCOUNT ON; SELECT 1")) == [ResultSet]
    assert kinds(typing.run("SET NOCOUNT, XACT_ABORT OFF; SELECT 1")) == [ResultSet, RowsAffected]


@pytest.mark.parametrize("option", ["IMPLICIT_TRANSACTIONS", "ANSI_DEFAULTS", "NOCOUNT, implicit_transactions"])
def test_an_option_that_would_begin_transactions_is_refused_and_may_be_off(typing, option):
    assert typing.failure(f"SET {option} ON").number == 40517
    typing.do(f"SET {option} OFF")


def test_waiting_lets_the_time_of_the_instance_pass(typing):
    script = "DECLARE @a datetime2 = SYSUTCDATETIME(); WAITFOR DELAY '00:01:05'; "
    assert typing.rows(script + "SELECT DATEDIFF(second, @a, SYSUTCDATETIME())") == [(65,)]
    assert typing.failure("WAITFOR DELAY 'soon'").number == 148
    before = typing.session.target.now()
    typing.run("WAITFOR DELAY '0:0:1' WAITFOR DELAY '00:00:01.5' DECLARE @d datetime = '00:00:02' WAITFOR DELAY @d")
    assert 4.5 <= typing.session.target.now() - before < 5


@pytest.mark.parametrize(
    ("script", "number"),
    [
        ("WHILE 1 = 1 SET NOCOUNT OFF", 8649),
        ("WHILE 1 = 1 PRINT 'x'", 8657),
        ("WHILE 1 = 1 BEGIN TRY THROW 50001, 'x', 1 END TRY BEGIN CATCH SET NOCOUNT OFF END CATCH", 8649),
        ("CREATE TABLE t (a int)", 40510),
        ("CREATE PROCEDURE p AS SELECT 1", 40510),
        ("DECLARE c CURSOR FOR SELECT 1", 40510),
        ("SAVE TRANSACTION a", 40517),
        ("GOTO a", 40510),
        ("GOTO fin; PRINT 1\nfin:\nPRINT 2", 40510),
        (
            "MERGE @t AS t USING q AS s ON t.a = s.a WHEN MATCHED THEN UPDATE SET a = 1 WHEN NOT MATCHED THEN INSERT "
            "VALUES (1);",
            40510,
        ),
        ("WITH s AS (SELECT 1 AS a) MERGE INTO t USING s ON 1 = 1 WHEN MATCHED THEN DELETE; SELECT 1", 40510),
        ("SET ROWCOUNT 5", 40517),
        ("SET NOCOUNT, NOTHING ON", 40517),
        ("BACKUP LOG x TO DISK = 'a'", 40510),
        (":CONNECT other", 40510),
        ("BREAK", 135),
        ("CONTINUE", 136),
        ("RETURN 1", 178),
        ("DECLARE @a int, @A int", 134),
        ("DECLARE @t TABLE (a int, A int)", 2705),
        ("DECLARE @a nothing", 243),
        ("BEGIN PRINT 1", 102),
        ("BEGIN TRY PRINT 1 END TRY", 102),
        ("END", 102),
        ("THROW", 10704),
        ("THROW 1, 'a', 1", 35100),
        ("PRINT 1 2", 102),
        ("/* never ends", 113),
        ("/* a /* b */ never ends", 113),
        ("SELECT N'never ends", 105),
        ("SELECT [never ends", 105),
        ('SELECT "never ends', 105),
        ("EXEC (N'SELECT ''a')", 105),
        ("SELEC * FROM sys.routes", 102),
        ("SELEC name FROM sys.routes", 102),
        ("sp_executesql N'PRINT 1' + N'2'", 102),
        ("nothing 1 2", 102),
        ("nothing a, -1.5, NULL, 0x01, N'b'", 2812),
        ("SELECT N'a\0b'", 102),
    ],
)
def test_what_cannot_be_done_says_so_with_a_number(typing, script, number):
    failure = typing.failure(script)
    assert failure.number == number
    assert failure.line == 1
    assert failure.message


@pytest.mark.parametrize(
    "before",
    [
        "",
        "SELECT 1 AS a",
        "PRINT 'b'",
        "IF 1 = 2 RETURN",
        "BEGIN TRAN",
        "BEGIN TRAN COMMIT",
        "SET @a = 1",
        "EXEC ('PRINT 1')",
    ],
)
def test_a_label_that_nothing_goes_to_does_nothing(typing, before):
    outputs = typing.do(f"DECLARE @a int = 0\n{before}\nfin:\nPRINT 'fin'\nlast: IF @@TRANCOUNT > 0 ROLLBACK")
    assert outputs[-1] == Printed(text="fin", line=4)


def test_a_batch_with_a_jump_does_not_run_and_both_its_ends_are_mistakes():
    script = "PRINT 'a'\nIF 1 = 2 GOTO fin\nPRINT 'b'\nfin: PRINT 'c'\nGO\nfin: PRINT 'd'"
    (refused,) = Consoles().open().run(script)
    assert (refused.number, refused.line) == (40510, 2)
    assert [(each.number, each.line) for each in mistakes_in(script)] == [(40510, 2), (40510, 4)]


def test_lines_are_those_of_the_script(typing):
    failure = typing.failure("-- a comment\nGO\n\n/* two\nlines */ PRINT 1;\nSELECT 1,\n 'a\nb',\n nope")
    assert (failure.number, failure.line) == (207, 9)


@for_each("outputs_max", share([budget.OUTPUTS_MAX // 10, budget.OUTPUTS_MAX], 1))
def test_a_loop_that_fails_for_ever_is_stopped(outputs_max, typing, monkeypatch):
    monkeypatch.setattr(budget, "OUTPUTS_MAX", outputs_max)
    outputs = typing.run("WHILE 1 = 1 SELECT 1 / 0")
    assert {each.number for each in outputs[:-1]} == {8134}
    assert outputs_max < len(outputs) < 2 * outputs_max
    assert outputs[-1].number == 8657


def test_sessions_of_a_host_have_numbers_of_their_own_and_give_them_back():
    numbers, consoles = SessionNumbers(), Consoles()
    first, second = (Typing(ConsoleSession(consoles.target(), "master", number=numbers.take())) for _ in range(2))
    assert (first.value("@@SPID"), second.value("@@SPID")) == (51, 52)
    numbers.give_back(51)
    assert [numbers.take(), numbers.take()] == [51, 53]


def test_a_statement_that_is_misspelled_at_the_beginning_of_a_batch_is_named(typing):
    failure = typing.failure("SELEC * FROM sys.routes")
    assert (failure.number, failure.severity) == (102, 15)
    assert failure.parameters == {"found": "'*'", "expected": "SELECT"}
