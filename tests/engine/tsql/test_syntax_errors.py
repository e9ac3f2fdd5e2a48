"""Mistakes: each with its place, what was found and what was expected, and reading goes on at the next statement."""

import re

from hypothesis import given
from hypothesis import strategies as st

from engine.tsql.parse import parse_script
from engine.tsql.sample_estates import samples
from engine.tsql.statements import CreateQueue
from tests.support.each import for_each
from tests.support.thoroughness import examples

ERRORS = [
    ("CREATE ROUTE WITH ADDRESS = 'LOCAL'", 1, 14, "'WITH'", "a name"),
    ("CREATE ROUTE r\n  WITH ADRESS = 'LOCAL'", 2, 8, "'ADRESS'",
     "ADDRESS, BROKER_INSTANCE, LIFETIME, MIRROR_ADDRESS or SERVICE_NAME"),
    ("CREATE ROUTE r WITH ADDRESS 'LOCAL'", 1, 29, "'LOCAL'", "'='"),
    ("CREATE ROUTE r WITH ADDRESS = LOCAL", 1, 31, "'LOCAL'", "a text in quotes"),
    ("CREATE ROUTE r WITH ADDRESS = 'LOCAL',\nGO", 2, 1, "'GO'",
     "ADDRESS, BROKER_INSTANCE, LIFETIME, MIRROR_ADDRESS, SERVICE_NAME or ','"),
    ("CREATE ROUTE r WITH SERVICE_NAME = 'x'", 1, 39, "the end of the script", "ADDRESS = 'TCP://host:port'"),
    ("CREATE ROUTE r WITH SERVICE_NAME = 'x';", 1, 39, "';'", "ADDRESS = 'TCP://host:port'"),
    ("CREATE ROUTE r WITH LIFETIME = 'x', ADDRESS = 'LOCAL'", 1, 32, "'x'", "NULL or a whole number"),
    ("CREATE ROUTE r WITH LIFETIME = -1, ADDRESS = 'LOCAL'", 1, 32, "'-'", "NULL or a whole number"),
    ("ALTER ROUTE r", 1, 14, "the end of the script", "WITH"),
    ("CREATE CONTRACT c ()", 1, 20, "')'", "a name"),
    ("CREATE CONTRACT c (DEFAULT SENT BY ANY)", 1, 20, "'DEFAULT'", "a name"),
    ("CREATE CONTRACT c (a SENT BY ALL)", 1, 30, "'ALL'", "ANY, INITIATOR or TARGET"),
    ("ALTER CONTRACT c", 1, 7, "'CONTRACT'",
     "AUTHORIZATION, BROKER, CERTIFICATE, DATABASE, ENDPOINT, MASTER, MESSAGE, QUEUE, REMOTE, ROUTE or SERVICE"),
    ("CREATE SERVICE s QUEUE q", 1, 18, "'QUEUE'", "AUTHORIZATION or ON"),
    ("CREATE BROKER PRIORITY p SET (PRIORITY_LEVEL = 3)", 1, 26, "'SET'", "FOR"),
    ("CREATE BROKER PRIORITY p FOR CONVERSATION SET ()", 1, 48, "')'",
     "CONTRACT_NAME, LOCAL_SERVICE_NAME, PRIORITY_LEVEL or REMOTE_SERVICE_NAME"),
    ("ALTER BROKER PRIORITY p FOR CONVERSATION", 1, 41, "the end of the script", "SET"),
    ("CREATE EVENT NOTIFICATION n FOR QUEUE_ACTIVATION", 1, 29, "'FOR'", "ON"),
    ("DROP EVENT NOTIFICATION n ON QUEUE", 1, 35, "the end of the script", "a name"),
    ("ALTER DATABASE v SET ENABLE_BROKER NEW_BROKER", 1, 36, "'NEW_BROKER'", "WITH, ',' or the end of the statement"),
    ("ALTER DATABASE v SET RECOVERY FULL WITH NO_WAIT, NEW_BROKER", 1, 48, "','", "the end of the statement"),
    ("ALTER DATABASE v SET ENABLE_BROKRE", 1, 22, "'ENABLE_BROKRE'", "ENABLE_BROKER"),
    ("ALTER DATABASE v ENABLE_BROKER", 1, 18, "'ENABLE_BROKER'", "SET"),
    ("ALTER DATABASE v SET HONOR_BROKER_PRIORITY", 1, 43, "the end of the script", "OFF, ON or '='"),
    ("CREATE MESSAGE x", 1, 16, "'x'", "TYPE"),
    ("CREATE QUEUE q WITH STATUS = ENABLED", 1, 30, "'ENABLED'", "OFF or ON"),
    ("ALTER QUEUE q WITH ACTIVATION ()", 1, 32, "')'",
     "DROP, EXEC, EXECUTE, MAX_QUEUE_READERS, PROCEDURE_NAME or STATUS"),
    ("CREATE QUEUE q WITH ACTIVATION (DROP)", 1, 33, "'DROP'",
     "EXEC, EXECUTE, MAX_QUEUE_READERS, PROCEDURE_NAME or STATUS"),
    ("CREATE ENDPOINT e AS TCP (LISTENER_IP = ALL) FOR SERVICE_BROKER ()", 1, 67, "the end of the script",
     "LISTENER_PORT = a whole number"),
    ("CREATE ENDPOINT e AS HTTP (PORT = 1)", 1, 22, "'HTTP'", "TCP"),
    ("CREATE ROUT r WITH ADDRESS = 'LOCAL'", 1, 8, "'ROUT'", "a kind of object"),
    ("USE a; CRAETE ROUTE r", 1, 8, "'CRAETE'", "CREATE"),
    ("USE a; )", 1, 8, "')'", "a statement"),
    ("USE $(base)", 1, 5, "'$(base)'", "a name"),
    ("CREATE QUEUE [q", 1, 14, "'[q'", "']' further on"),
    ("CREATE ROUTE r WITH ADDRESS = 'LOCAL", 1, 31, "''LOCAL'", "''' further on"),
    ("/* x\nUSE a", 1, 1, "'/*'", "'*/' further on"),
]  # fmt: skip


@for_each(("text", "line", "column", "found", "expected"), ERRORS)
def test_a_mistake_is_told_with_its_place(text: str, line: int, column: int, found: str, expected: str) -> None:
    (problem,) = parse_script(text, "essai.sql").problems
    assert (problem.file, problem.number, problem.line, problem.column) == ("essai.sql", 102, line, column)
    assert problem.parameters["found"] == found
    assert problem.parameters["expected"] == expected
    assert problem.text == f"Syntax error near {found}, expected {expected}"
    assert problem.cure.startswith("Correct the statement at this place")


@for_each("broken", [text for text, *_, expected in ERRORS if not expected.endswith("further on")])
@for_each("between", ["\n", "\nGO\n", ";\n"])
def test_after_a_mistake_reading_goes_on_at_the_next_statement(broken: str, between: str) -> None:
    script = parse_script(f"CREATE QUEUE a{between}{broken}{between}CREATE QUEUE b", "essai.sql")
    read = [str(statement.name) for statement in script.statements if isinstance(statement, CreateQueue)]
    assert read == ["a", "b"]
    assert len(script.problems) == 1


def test_all_mistakes_are_told_at_once_and_in_order() -> None:
    text = "CREATE ROUTE\nCREATE QUEUE q WITH\nCREATE SERVICE s\nDROP [\nALTER ROUTE r"
    assert [problem.line for problem in parse_script(text, "essai.sql").problems] == [2, 3, 4, 4, 5]


def test_an_option_given_twice_is_a_mistake() -> None:
    (problem,) = parse_script("USE a\n CREATE ROUTE r WITH ADDRESS = 'LOCAL', ADDRESS = 'LOCAL'", "essai.sql").problems
    assert (problem.number, problem.line, problem.column) == (153, 2, 2)


WORDS = {word for _, text in samples()[0].scripts for word in re.findall(r"\w+|[^\w\s]", text)}
MARKS = {word for word in WORDS if word.isupper() or len(word) == 1}
PIECES = {"'a'", "N'b'", "[c]", '"d"', "\n", "\nGO\n", "\n:CONNECT X\n", "--", "/*", "*/", "1", "IF EXISTS (SELECT 1)"}
TOKENS = sorted(MARKS | PIECES | {"BEGIN", "END", "ELSE"})


@examples(400)
@given(st.lists(st.sampled_from(TOKENS), max_size=25).map(" ".join))
def test_no_mixture_of_words_brings_the_reader_down(text: str) -> None:
    script = parse_script(text, "essai.sql")
    lines = text.count("\n") + 1
    assert all(1 <= problem.line <= lines for problem in script.problems)
    assert all("{" not in problem.text + problem.why + problem.cure for problem in script.problems)


@examples(100)
@given(st.data())
def test_no_damage_to_a_real_script_brings_the_reader_down(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from([text for _, text in samples()[0].scripts]))
    start = data.draw(st.integers(0, len(text)))
    stop = data.draw(st.integers(start, min(len(text), start + 40)))
    damage = data.draw(st.text(alphabet="[]'\"();,-/*\n aG", max_size=3))
    damaged = text[:start] + damage + text[stop:]
    assert parse_script(damaged, "essai.sql") == parse_script(damaged, "essai.sql")
