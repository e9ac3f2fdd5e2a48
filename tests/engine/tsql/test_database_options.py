"""Options of databases in lists: the broker's among others (tsql.md 10)."""

import pytest

from engine.core.catalog.database import DatabaseState
from engine.tsql.parse import parse_script
from engine.tsql.reading_statements import SetPriorityHonoured
from engine.tsql.statements import BrokerOption, SetBroker, SetState, StateOption
from tests.engine.tsql.test_reading_statements import found, plan


def options(text):
    script = parse_script(f"ALTER DATABASE v SET {text}", "s.sql")
    assert (script.problems, script.ignored) == ((), ())
    said = []
    for statement in script.statements:
        assert (statement.database, statement.place.line, statement.place.column) == ("v", 1, 1)
        match statement:
            case SetBroker() | SetState():
                said.append(statement.option)
            case SetPriorityHonoured():
                said.append(statement.is_honoured)
    return said


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("READ_COMMITTED_SNAPSHOT ON, ENABLE_BROKER", [BrokerOption.ENABLE]),
        ("DISABLE_BROKER, HONOR_BROKER_PRIORITY ON WITH NO_WAIT", [BrokerOption.DISABLE, True]),
        ("HONOR_BROKER_PRIORITY OFF, RECOVERY FULL, NEW_BROKER", [False, BrokerOption.NEW]),
        ("QUERY_STORE = ON (A = 'x', B = (C = 1)), ENABLE_BROKER", [BrokerOption.ENABLE]),
        ("SINGLE_USER, ERROR_BROKER_CONVERSATIONS", [StateOption.SINGLE_USER, BrokerOption.ERROR_CONVERSATIONS]),
    ],
)
def test_each_option_of_a_list_is_read(text, expected):
    assert options(text) == expected


@pytest.mark.parametrize(
    "text", ["RECOVERY FULL", "READ_COMMITTED_SNAPSHOT ON, RECOVERY SIMPLE", "QUERY_STORE CLEAR ALL"]
)
def test_a_list_without_any_is_stepped_over(text):
    script = parse_script(f"ALTER DATABASE v SET {text}\nCREATE QUEUE q", "s.sql")
    assert (script.problems, len(script.ignored), len(script.statements)) == ((), 1, 1)


def test_both_take_effect():
    made = found(plan("ALTER DATABASE Ventes SET READ_ONLY, DISABLE_BROKER WITH ROLLBACK IMMEDIATE"))
    assert (made.is_broker_enabled, made.state) == (False, DatabaseState.READ_ONLY)


@pytest.mark.parametrize(("one", "other"), [("ENABLE_BROKER", "NEW_BROKER"), ("NEW_BROKER", "DISABLE_BROKER")])
def test_two_that_exclude_each_other_are_refused(one, other):
    (problem,) = parse_script(f"ALTER DATABASE v SET {one}, RECOVERY FULL, {other}", "s.sql").problems
    assert (problem.number, problem.line) == (153, 1)
    assert problem.text == f"{other} cannot be used for 'v': it excludes {one}"


def test_one_given_twice_is_refused():
    (problem,) = parse_script("ALTER DATABASE v SET READ_ONLY, READ_ONLY", "s.sql").problems
    assert problem.number == 153


@pytest.mark.parametrize(
    ("text", "column", "expected"),
    [
        ("ALTER DATABASE v SET RECOVERY FULL, ENABLE_BROKR", 37, "ENABLE_BROKER"),
        ("ALTER DATABASE v SET NEW_BRKER", 22, "NEW_BROKER"),
        ("ALTER DATABASE CURRENT SET HONOUR_BROKER_PRIORITY ON", 28, "HONOR_BROKER_PRIORITY"),
        ("RESTORE DATABASE v FROM DISK = 'v.bak' WITH REPLACE, ENABLE_BROKR", 54, "ENABLE_BROKER"),
        ("RESTORE DATABASE v FROM DISK = 'v.bak' WITH ENABLE_BROKER, NEW_BROKER", 60, "ENABLE_BROKER alone"),
        ("CREATE DATABASE v ON (FILENAME = 'v.mdf') FOR ATTACH WITH NEWBROKER", 59, "NEW_BROKER"),
    ],
)
def test_an_option_that_is_nearly_one_is_named_with_its_place(text, column, expected):
    script = parse_script(f"{text}\nCREATE QUEUE q", "s.sql")
    (problem,) = script.problems
    assert (problem.number, problem.line, problem.column) == (102, 1, column)
    assert problem.parameters["expected"] == expected
    assert [statement.place.line for statement in script.statements] == [2]


@pytest.mark.parametrize("option", ["ENABLE_BROKER", "NEW_BROKER", "ERROR_BROKER_CONVERSATIONS"])
def test_what_a_restore_does_to_the_broker_is_named(option):
    (ignored,) = parse_script(f"RESTORE DATABASE v FROM DISK = 'v.bak' WITH {option}", "s.sql").ignored
    assert ignored.why == f"RESTORE DATABASE WITH {option} is left out: an import changes no running database."
