"""Completion: keywords in their places, names of the catalog, columns of views, variables of the batch."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.tsql.console.completing import ItemKind, complete
from tests.engine.tsql.console.test_dialogs import ANSWER, ASK, ONE_DATABASE
from tests.support.console_world import Consoles
from tests.support.thoroughness import examples


@pytest.fixture(scope="module")
def target():
    consoles = Consoles()
    consoles.open().do(ONE_DATABASE + "CREATE ROUTE Away WITH ADDRESS = 'LOCAL'")
    return consoles.target()


def items(target, script, database="Tour"):
    """What is offered where the bar stands, by label."""
    position = script.index("|")
    found = complete(script.replace("|", ""), position, target, database)
    return {item.label: item for item in found.items}


@pytest.mark.parametrize(
    ("script", "label", "kind", "insert"),
    [
        ("SEL|", "SELECT", ItemKind.KEYWORD, "SELECT"),
        ("PRINT 1;\nWAI|", "WAITFOR", ItemKind.KEYWORD, "WAITFOR"),
        ("IF 1 = 1 BEGIN PRI|", "PRINT", ItemKind.KEYWORD, "PRINT"),
        ("BEGIN |", "DIALOG", ItemKind.KEYWORD, "DIALOG"),
        ("CREATE |", "QUEUE", ItemKind.KEYWORD, "QUEUE"),
        ("CREATE ROUTE R WITH |", "ADDRESS", ItemKind.KEYWORD, "ADDRESS"),
        ("CREATE QUEUE Q WITH STATUS = |", "OFF", ItemKind.KEYWORD, "OFF"),
        ("CREATE CONTRACT C ([a] SENT BY |", "TARGET", ItemKind.KEYWORD, "TARGET"),
        ("ALTER DATABASE Tour SET |", "NEW_BROKER", ItemKind.KEYWORD, "NEW_BROKER"),
        ("USE |", "Tour", ItemKind.DATABASE, "Tour"),
        ("DROP ROUTE A|", "Away", ItemKind.ROUTE, "Away"),
        ("ALTER QUEUE |", "AskingQueue", ItemKind.QUEUE, "AskingQueue"),
        ("SELECT * FROM Ask|", "AskingQueue", ItemKind.QUEUE, "AskingQueue"),
        ("SELECT * FROM sys.serv|", "services", ItemKind.VIEW, "services"),
        ("SELECT * FROM rout|", "sys.routes", ItemKind.VIEW, "sys.routes"),
        ("RECEIVE * FROM |", "AnsweringQueue", ItemKind.QUEUE, "AnsweringQueue"),
        ("RECEIVE mess|", "message_body", ItemKind.COLUMN, "message_body"),
        ("BEGIN DIALOG @h FROM |", "SERVICE", ItemKind.KEYWORD, "SERVICE"),
        ("BEGIN DIALOG @h FROM SERVICE |", "//Tour/Asking", ItemKind.SERVICE, "[//Tour/Asking]"),
        ("BEGIN DIALOG @h FROM SERVICE [//To|", "//Tour/Asking", ItemKind.SERVICE, "[//Tour/Asking]"),
        ("BEGIN DIALOG @h FROM SERVICE a TO SERVICE |", "//Tour/Answering", ItemKind.SERVICE, "N'//Tour/Answering'"),
        (
            "BEGIN DIALOG @h FROM SERVICE a TO SERVICE 'b' ON CONTRACT |",
            "//Tour/Talk",
            ItemKind.CONTRACT,
            "[//Tour/Talk]",
        ),
        ("SEND ON CONVERSATION @h MESSAGE TYPE |", "//Tour/Request", ItemKind.MESSAGE_TYPE, "[//Tour/Request]"),
        ("DECLARE @handle uniqueidentifier; SEND ON CONVERSATION @h|", "@handle", ItemKind.VARIABLE, "@handle"),
        ("IF @@TR|", "@@TRANCOUNT", ItemKind.VARIABLE, "@@TRANCOUNT"),
        ("DECLARE @h unique|", "uniqueidentifier", ItemKind.TYPE, "uniqueidentifier"),
        ("SELECT na| FROM sys.routes", "name", ItemKind.COLUMN, "name"),
        ("SELECT r.| FROM sys.routes AS r", "broker_instance", ItemKind.COLUMN, "broker_instance"),
        ("SELECT * FROM sys.routes r JOIN sys.services s ON s.ser|", "service_id", ItemKind.COLUMN, "service_id"),
        ("SELECT * FROM AskingQueue WHERE queu|", "queuing_order", ItemKind.COLUMN, "queuing_order"),
        ("SELECT GET_T|", "GET_TRANSMISSION_STATUS", ItemKind.FUNCTION, "GET_TRANSMISSION_STATUS("),
        ("SELECT * FROM sys.routes WH|", "WHERE", ItemKind.KEYWORD, "WHERE"),
    ],
)
def test_what_may_stand_there_is_offered(target, script, label, kind, insert):
    item = items(target, script)[label]
    assert (item.kind, item.insert) == (kind, insert)


@pytest.mark.parametrize(
    ("script", "label"),
    [
        ("DECLARE @old int\nGO\nPRINT @|", "@old"),
        ("SELECT na| FROM sys.routes", "conversation_handle"),
        ("CREATE ROUTE R WITH |", "STATUS"),
        ("USE master\nGO\nDROP ROUTE |", "Away"),
    ],
)
def test_what_may_not_stand_there_is_not_offered(target, script, label):
    assert label not in items(target, script)


def test_details_are_types(target):
    assert items(target, "SELECT na| FROM sys.routes")["name"].detail == "sysname"
    assert items(target, "DECLARE @a AS int = 1; PRINT @|")["@a"].detail == "int"


def test_the_piece_that_is_replaced_reaches_to_the_end_of_its_word(target):
    found = complete("SELECT nathing FROM sys.routes", 9, target, "Tour")
    assert (found.start, found.end) == (7, 14)


def test_a_database_that_is_not_there_has_no_names(target):
    assert "AskingQueue" not in items(target, "SELECT * FROM |", "Nowhere")


@given(script=st.one_of(st.text(max_size=80), st.just(ASK), st.just(ANSWER), st.just(ONE_DATABASE)), data=st.data())
@examples(150)
def test_every_place_of_every_text_is_answered(target, script, data):
    position = data.draw(st.integers(-1, len(script) + 1))
    found = complete(script, position, target, "Tour")
    assert 0 <= found.start <= found.end <= len(script)
