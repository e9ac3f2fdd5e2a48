"""Variables of sqlcmd: what :setvar gives stands wherever $(name) does, and places are those of the text as written."""

import pytest

from engine.tsql import variables
from engine.tsql.parse import parse_script
from engine.tsql.statements import CreateDatabase, CreateQueue, CreateRoute, Use
from tests.engine.tsql.test_reading_statements import found, plan
from tests.support.each import for_each
from tests.support.thoroughness import share


def test_a_value_stands_wherever_its_variable_does():
    script = parse_script(
        ':setvar Db Ventes\n:setvar host "tcp://h:4022"\nCREATE DATABASE $(Db)\nGO\nUSE [$(DB)_2]\n'
        "CREATE ROUTE r WITH ADDRESS = '$(host)'\nCREATE QUEUE $(db)_q",
        "s.sql",
    )
    assert (script.problems, script.ignored) == ((), ())
    database, use, route, queue = script.statements
    assert isinstance(database, CreateDatabase)
    assert isinstance(use, Use)
    assert isinstance(route, CreateRoute)
    assert isinstance(queue, CreateQueue)
    assert (database.name, use.database, str(queue.name)) == ("Ventes", "Ventes_2", "Ventes_q")
    assert route.clauses.address is not None
    assert route.clauses.address.value == "tcp://h:4022"


def test_connect_takes_variables_too():
    script = parse_script(":setvar server PARIS\n:CONNECT $(server)", "s.sql")
    assert [statement.instance for statement in script.statements] == ["PARIS"]


def test_the_last_value_before_counts_and_a_value_can_be_taken_away():
    script = parse_script(
        ":setvar q one\nCREATE QUEUE $(q)\nGO\n:setvar q two\nCREATE QUEUE $(q)\nGO\n:setvar q\nCREATE QUEUE $(q)", "s"
    )
    assert [str(statement.name) for statement in script.statements] == ["one", "two"]
    assert [problem.line for problem in script.problems] == [8]


def test_a_value_is_put_in_once():
    script = parse_script(":setvar d $\nCREATE QUEUE [$(d)(d)]", "s.sql")
    assert [str(statement.name) for statement in script.statements] == ["$(d)"]


@pytest.mark.parametrize("value", ["x", "a_much_longer_value", '"two words"'])
def test_mistakes_have_the_place_where_they_are_written(value):
    script = parse_script(f":setvar v {value}\nUSE a; DROP QUEUE [$(v)] NOW; DROP ROUTE [$(v)] $(v) 1", "s.sql")
    assert [(problem.line, problem.column) for problem in script.problems] == [(2, 26), (2, 49)]


def test_a_variable_without_value_stays_and_is_pointed_out():
    script = parse_script(":setvar a b\nUSE x\nCREATE ROUTE r WITH\n  ADDRESS = 'TCP://$(host):4022'", "s.sql")
    assert script.problems == ()
    assert [(notice.line, notice.text) for notice in script.notices] == [
        (4, "The variable $(host) has no value in this script; it stays as it is written.")
    ]


def test_a_password_may_be_one_that_only_the_client_knows():
    made = plan(
        "CREATE MASTER KEY ENCRYPTION BY PASSWORD = N'$(MasterKeyPassword)'\nCREATE LOGIN l WITH PASSWORD = '$(p)'"
    )
    assert [warning for warning in made.warnings if "$(" in warning.text] == []


@for_each("growth_max", share([variables._GROWTH_MAX // 16, variables._GROWTH_MAX], 1))
def test_values_do_not_let_a_script_grow_without_bound(growth_max: int, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(variables, "_GROWTH_MAX", growth_max)
    uses = growth_max // 320
    text = f":setvar v {'x' * 4000}\n" + "-- $(v)\n" * uses + "CREATE QUEUE $(v)"
    assert len(parse_script(text, "s.sql").problems) == 1


def test_a_file_that_is_put_in_is_not_read_and_named():
    made = plan(':r "C:\\scripts\\routes.sql"\nCREATE QUEUE q')
    assert list(found(made).queues) == ["dbo.q"]
    assert (made.warnings[0].line, made.warnings[0].text) == (
        1,
        "The file 'C:\\scripts\\routes.sql' is not read: import it beside this one.",
    )
