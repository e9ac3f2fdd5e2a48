"""What a script must not leave to whoever runs it: names that sqlcmd would change, schemas that are not there."""

import pytest

from engine.core.vocabulary.identifiers import InstanceName
from engine.tsql.writing.scripts import change_text, full_script, whole_script
from engine.tsql.writing.written import ScriptOptions
from tests.engine.tsql.test_reading_statements import found, plan

ROUTE = "CREATE ROUTE [$(x)] WITH SERVICE_NAME = 'S$(LoginPassword)', ADDRESS = 'LOCAL'"


def written(made, **options):
    return whole_script(full_script(made.catalogs, ScriptOptions(**options)))


def test_no_name_holds_what_sqlcmd_takes_for_a_variable():
    made = plan(ROUTE)
    script = written(made, has_guards=True, header=("Estate $(x)",))
    lines = script.text.splitlines()
    first = next(number for number, line in enumerate(lines) if "$(Dollar)(x)" in line)
    assert ":setvar Dollar $" in lines[:first]
    assert lines.count(":setvar Dollar $") == 1
    assert "$(x)" not in script.text
    assert "$(LoginPassword)" not in script.text
    again = plan(script.text)
    assert again.problems == ()
    assert found(again).routes == found(made).routes


def test_a_script_without_such_names_sets_nothing():
    assert ":setvar" not in written(plan("CREATE ROUTE r WITH ADDRESS = 'LOCAL'")).text


def test_one_change_alone_is_shown_as_it_is():
    made = plan(ROUTE)
    (changes,) = made.changes.values()
    texts = [change_text(change, made.catalogs[InstanceName("PARIS")]) for change in changes]
    assert any("CREATE ROUTE [$(x)]" in text for text in texts)
    assert not any("Dollar" in text for text in texts)


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        (
            "CREATE QUEUE vente.q\nCREATE QUEUE vente.r\nCREATE QUEUE s",
            "Schema vente of database Ventes is not in the script: make it before its queues.",
        ),
        (
            "CREATE MESSAGE TYPE t VALIDATION = VALID_XML WITH SCHEMA COLLECTION dbo.Bon",
            "XML schema collection dbo.Bon of database Ventes is not in the script: make it before its message types.",
        ),
        (
            "CREATE MESSAGE TYPE t\nALTER MESSAGE TYPE t VALIDATION = VALID_XML WITH SCHEMA COLLECTION Bon",
            "XML schema collection Bon of database Ventes is not in the script: make it before its message types.",
        ),
    ],
)
def test_what_must_be_there_before_is_said_once(text, warning):
    told = [each.text for each in written(plan(text)).warnings if "make it before" in each.text]
    assert told == [warning]
