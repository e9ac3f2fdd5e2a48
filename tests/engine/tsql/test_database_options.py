"""Options of databases in lists: the broker's among others (tsql.md 10)."""

import pytest

from engine.core.catalog.changes import TrustworthySet
from engine.core.catalog.database import DatabaseState
from engine.core.catalog.difference import diff
from engine.revisions import ObjectKind, value_from_json
from engine.tsql.parse import parse_script
from engine.tsql.plan import Effect
from engine.tsql.reading_statements import SetPriorityHonoured
from engine.tsql.statements import BrokerOption, SetBroker, SetState, StateOption
from engine.tsql.writing.scripts import full_script, whole_script
from engine.tsql.writing.written import ScriptOptions
from tests.engine.tsql.test_reading_statements import PARIS, VENTES, effects, found, plan
from tests.support.console_world import Consoles


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


# ── TRUSTWORTHY ──────────────────────────────────────────────────────────────────────────────────────────────────────
def test_trustworthy_is_kept_written_and_read_back():
    made = plan("ALTER DATABASE Ventes SET RECOVERY SIMPLE\nALTER DATABASE Ventes SET TRUSTWORTHY ON\nCREATE QUEUE q9")
    assert found(made).is_trustworthy
    assert effects(made)[-2:] == [
        (Effect.CHANGE, "SET TRUSTWORTHY ON", "database", "Ventes"),
        (Effect.ADD, "CREATE", "queue", "q9"),
    ]
    text = whole_script(full_script(made.catalogs, ScriptOptions())).text
    assert "ALTER DATABASE [Ventes] SET TRUSTWORTHY ON;" in text
    assert found(plan(text)).is_trustworthy
    off = plan("ALTER DATABASE CURRENT SET TRUSTWORTHY OFF", onto=made)
    assert not found(off).is_trustworthy
    (change,) = diff(made.catalogs[PARIS], off.catalogs[PARIS])
    assert change == TrustworthySet(database=VENTES, is_trustworthy=False)


# ── the console ──────────────────────────────────────────────────────────────────────────────────────────────────────
@pytest.fixture(scope="module")
def typing():
    typing = Consoles().open()
    typing.do("CREATE DATABASE d")
    return typing


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("d SET RECOVERY SIMPLE", ["RECOVERY"]),
        ("[d] SET ANSI_NULLS OFF, COMPATIBILITY_LEVEL = 150", ["ANSI_NULLS", "COMPATIBILITY_LEVEL"]),
        ("CURRENT SET ALLOW_SNAPSHOT_ISOLATION ON", ["ALLOW_SNAPSHOT_ISOLATION"]),
        ("d SET PAGE_VERIFY CHECKSUM WITH NO_WAIT", ["PAGE_VERIFY"]),
        ("d SET QUERY_STORE = ON (A = 'x', B = (C = 1)), DB_CHAINING ON", ["QUERY_STORE", "DB_CHAINING"]),
        ("d SET READ_COMMITTED_SNAPSHOT ON, ENABLE_BROKER WITH ROLLBACK IMMEDIATE", ["READ_COMMITTED_SNAPSHOT"]),
        ("d SET TRUSTWORTHY ON", []),
    ],
)
def test_other_options_are_noted(typing, text, names):
    said = typing.said(f"ALTER DATABASE {text}\nPRINT N'on'")
    assert [each.split()[1] for each in said[:-1]] == names
    assert said[-1] == "on"


def test_the_brokers_options_of_a_list_take_effect(typing):
    shown = "SELECT is_broker_enabled, is_trustworthy_on FROM sys.databases WHERE name = 'd'"
    typing.do("ALTER DATABASE d SET RECOVERY FULL, DISABLE_BROKER, ANSI_PADDING ON, TRUSTWORTHY ON")
    assert typing.rows(shown) == [(False, True)]
    typing.do(
        "ALTER DATABASE d SET TRUSTWORTHY OFF, ENABLE_BROKER, PARAMETERIZATION FORCED WITH ROLLBACK AFTER 5 SECONDS"
    )
    assert typing.rows(shown) == [(True, False)]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("ALTER DATABASE d SET NONSENSE ON", 102),
        ("ALTER DATABASE d SET RECOVERY FULL, NONSENSE", 102),
        ("ALTER DATABASE d SET ENABLE_BROKER, NONSENSE ON", 102),
        ("ALTER DATABASE d SET", 102),
        ("ALTER DATABASE nowhere SET RECOVERY FULL", 911),
        ("ALTER DATABASE nowhere SET TRUSTWORTHY ON", 911),
        ("ALTER DATABASE d SET WITNESS OFF", 40510),
    ],
)
def test_what_is_no_option_is_an_error(typing, text, number):
    assert typing.failure(text).number == number


def test_no_option_is_set_in_a_transaction(typing):
    assert typing.failure("BEGIN TRANSACTION; ALTER DATABASE d SET RECOVERY FULL").number == 226
    typing.do("ROLLBACK")


def test_a_database_that_was_stored_without_it_is_not_trustworthy():
    stored = (
        b'{"broker_instance":"0f8fad5b-d9cb-469f-a165-70867728950e","is_broker_enabled":true,"state":"online",'
        b'"partner_address":null,"is_priority_honoured":false}'
    )
    read = value_from_json(ObjectKind.DATABASE, "d", "d", stored)
    assert read.value.is_trustworthy is False
