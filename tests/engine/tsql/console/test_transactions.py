"""Transactions of a session: counts, what errors do to them, what the instance forgets."""

import pytest

from engine.tsql.console.outputs import Failed, Printed, ResultSet
from engine.tsql.console.session import ConsoleSession
from tests.engine.tsql.console.test_dialogs import ONE_DATABASE
from tests.support.console_world import Consoles, Typing

BEGIN = """DECLARE @h uniqueidentifier;
BEGIN DIALOG @h FROM SERVICE [//Tour/Asking] TO SERVICE '//Tour/Answering' ON CONTRACT [//Tour/Talk];"""
ENDPOINTS = "SELECT COUNT(*) FROM sys.conversation_endpoints"


@pytest.fixture
def tour():
    typing = Consoles().open()
    typing.do(ONE_DATABASE)
    return typing


def test_what_is_rolled_back_has_not_happened(tour):
    tour.do(f"BEGIN TRANSACTION; {BEGIN} ROLLBACK TRANSACTION;")
    assert tour.rows(ENDPOINTS) == [(0,)]
    tour.do(f"BEGIN TRAN; {BEGIN} COMMIT;")
    assert tour.rows(ENDPOINTS) == [(1,)]


def test_transactions_nest_and_only_the_outermost_commits(tour):
    counts = tour.said("BEGIN TRAN; PRINT @@TRANCOUNT; BEGIN TRAN inside; PRINT @@TRANCOUNT; COMMIT; PRINT @@TRANCOUNT")
    assert counts == ["1", "2", "1"]
    assert tour.session.transaction_count == 1
    tour.do(BEGIN)
    tour.do("BEGIN TRAN; ROLLBACK WORK")
    assert tour.value("@@TRANCOUNT") == 0
    assert tour.rows(ENDPOINTS) == [(0,)]


def test_nothing_to_commit_or_to_roll_back(tour):
    assert tour.failure("COMMIT").number == 3902
    assert tour.failure("ROLLBACK").number == 3903


def test_an_error_of_a_statement_leaves_the_transaction_as_it_is(tour):
    outputs = tour.run(
        f"BEGIN TRAN; {BEGIN} END CONVERSATION '{'0' * 8}-0000-0000-0000-{'0' * 12}'; PRINT XACT_STATE()"
    )
    assert [type(each) for each in outputs] == [Failed, Printed]
    assert outputs[1].text == "1"
    tour.do("COMMIT")
    assert tour.rows(ENDPOINTS) == [(1,)]


def test_a_failed_conversion_rolls_back(tour):
    failure = tour.failure(f"BEGIN TRAN; {BEGIN} PRINT CAST('x' AS int); COMMIT;")
    assert failure.number == 245
    assert tour.value("@@TRANCOUNT") == 0
    assert tour.rows(ENDPOINTS) == [(0,)]


def test_a_doomed_transaction_can_only_be_rolled_back(tour):
    script = f"""
    BEGIN TRY BEGIN TRAN; {BEGIN} PRINT CAST('x' AS int); END TRY
    BEGIN CATCH
        PRINT XACT_STATE();
        BEGIN TRY COMMIT END TRY BEGIN CATCH PRINT ERROR_NUMBER() END CATCH
        ROLLBACK;
        PRINT XACT_STATE();
    END CATCH
    """
    assert tour.said(script) == ["-1", "3930", "0"]


def test_a_doomed_transaction_ends_with_its_batch(tour):
    script = "BEGIN TRY BEGIN TRAN; PRINT CAST('x' AS int); END TRY BEGIN CATCH PRINT XACT_STATE() END CATCH"
    outputs = tour.run(script)
    assert outputs[0].text == "-1"
    assert outputs[1].number == 3998
    assert tour.value("@@TRANCOUNT") == 0


def test_under_xact_abort_every_error_ends_batch_and_transaction(tour):
    outputs = tour.run("SET XACT_ABORT ON; BEGIN TRAN; SELECT 1 / 0; PRINT 'not reached'")
    assert [each.number for each in outputs] == [8134]
    assert tour.value("@@TRANCOUNT") == 0
    tour.do("SET XACT_ABORT OFF")


def test_definitions_are_not_made_in_a_transaction(tour):
    assert tour.failure("BEGIN TRAN; CREATE QUEUE Later;").number == 226
    tour.do("ROLLBACK; CREATE QUEUE Later;")
    assert tour.rows("SELECT COUNT(*) FROM Later") == [(0,)]


def test_a_session_that_closes_rolls_back(tour):
    tour.do(f"BEGIN TRAN; {BEGIN}")
    tour.session.close()
    tour.session.close()


def test_a_transaction_that_the_instance_has_ended_is_over(tour):
    tour.do(f"BEGIN TRAN; {BEGIN} WAITFOR DELAY '00:59:00'")
    assert tour.failure("DECLARE @g uniqueidentifier; GET CONVERSATION GROUP @g FROM AskingQueue").number == 3971
    assert tour.value("@@TRANCOUNT") == 0
    assert tour.rows(ENDPOINTS) == [(0,)]


def test_an_instance_that_is_down_says_so():
    consoles = Consoles("WEST", "EAST")
    typing = consoles.open("WEST")
    typing.do(ONE_DATABASE)
    consoles.world.servers["WEST"].die("for the test")
    for script in (BEGIN, "SELECT 1", "SELECT 1\nGO\nSELECT 2\nGO\nSELECT 'unclosed"):
        assert [(each.number, each.severity, each.line) for each in typing.run(script)] == [(233, 20, 1)]


CLEAN_UP = """
DECLARE @h uniqueidentifier, @n int = 0;
BEGIN TRANSACTION;
WHILE EXISTS (SELECT 1 FROM sys.conversation_endpoints WHERE far_service = '//Tour/Gone') AND @n < 9
BEGIN
    SELECT TOP (1) @h = conversation_handle FROM sys.conversation_endpoints WHERE far_service = '//Tour/Gone';
    END CONVERSATION @h WITH CLEANUP;
    SET @n += 1;
END
COMMIT;
PRINT @n;
"""
GONE = BEGIN.replace("//Tour/Answering", "//Tour/Gone")
SEND = "SEND ON CONVERSATION @h MESSAGE TYPE [//Tour/Request] (N'<a/>');"


def test_a_clean_up_in_one_transaction_ends_each_conversation_once(tour):
    for _ in range(3):
        tour.do(f"{GONE} {SEND}")
    assert tour.said(CLEAN_UP) == ["3"]
    assert tour.rows(ENDPOINTS) == [(0,)]


def test_a_session_sees_the_dialog_and_the_message_of_its_transaction(tour):
    here = "SELECT state, send_sequence FROM sys.conversation_endpoints WHERE conversation_handle = @h;"
    waiting = "SELECT COUNT(*), MIN(CAST(message_body AS nvarchar(9))) FROM sys.transmission_queue;"
    status = "SELECT GET_TRANSMISSION_STATUS(@h);"
    outputs = tour.do(
        f"BEGIN TRAN; {GONE} {here} {SEND} {here} {waiting} {status} END CONVERSATION @h; {here} ROLLBACK"
    )
    assert [list(each.rows) for each in outputs if isinstance(each, ResultSet)] == [
        [("SO", 0)],
        [("CO", 1)],
        [(1, "<a/>")],
        [("",)],
        [("DO", 2)],
    ]
    assert tour.rows(ENDPOINTS) == [(0,)]


def test_what_a_transaction_has_received_has_left_the_queue_for_its_session_alone(tour):
    tour.do(f"{BEGIN} {SEND} {SEND}")
    count = "SELECT COUNT(*) FROM AnsweringQueue"
    receive = "DECLARE @b varbinary(max); RECEIVE TOP (1) @b = message_body FROM AnsweringQueue;"
    assert tour.rows(f"BEGIN TRAN; {receive} {count}") == [(1,)]
    assert tour.rows(count) == [(1,)]
    other = Typing(ConsoleSession(tour.session.target, tour.session.database))
    assert other.rows(count) == [(2,)]
    tour.do("ROLLBACK")
    assert tour.rows(count) == [(2,)]


def test_a_moved_conversation_is_in_its_new_group_at_once(tour):
    script = f"""
    {BEGIN} DECLARE @one uniqueidentifier = @h, @group uniqueidentifier;
    BEGIN DIALOG @h FROM SERVICE [//Tour/Asking] TO SERVICE '//Tour/Answering' ON CONTRACT [//Tour/Talk];
    SELECT @group = conversation_group_id FROM sys.conversation_endpoints WHERE conversation_handle = @one;
    BEGIN TRAN;
    MOVE CONVERSATION @h TO @group;
    SELECT COUNT(*) FROM sys.conversation_groups;
    """
    assert tour.rows(script) == [(1,)]
    tour.do("ROLLBACK")
    assert tour.rows("SELECT COUNT(*) FROM sys.conversation_groups") == [(2,)]


def test_a_view_says_when_the_transaction_was_rolled_back_by_the_instance(tour):
    tour.do(f"BEGIN TRAN; {BEGIN}")
    tour.session.target.pause(3600)
    assert tour.failure(ENDPOINTS).number == 3971
    assert tour.value("@@TRANCOUNT") == 0
