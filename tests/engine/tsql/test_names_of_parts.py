"""Names of several parts, kept as one text: each comes out as it went in; and names that could be read otherwise."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.tsql.part_names import joined, parts_of
from tests.engine.tsql.test_reading_statements import found, plan

ACTIVATION = "CREATE QUEUE q WITH ACTIVATION (PROCEDURE_NAME = {}, MAX_QUEUE_READERS = 1, EXECUTE AS {})"


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("dbo.p", ("dbo", "p")),
        ("db..p", ("db", "", "p")),
        ("[dbo].[p]", ("dbo", "p")),
        ("[s.x].[p]]q]", ("s.x", "p]q")),
        ("[s.x].p", ("s.x", "p")),
        ("a.b]c", ("a", "b]c")),
        ("[open", ("[open",)),
        ("p.", ("p.",)),
        ("", ("",)),
    ],
)
def test_texts_and_their_parts(text, parts):
    assert parts_of(text) == parts


@given(st.lists(st.text(min_size=1), min_size=1, max_size=4))
def test_parts_come_back(parts):
    assert parts_of(joined(parts)) == tuple(parts)


@pytest.mark.parametrize("name", ["[s.x].[p]", "[s].[x.p]", "[[a]]]..[b.c]", "dbo.p"])
def test_a_procedure_goes_out_as_it_came_in(name):
    from engine.tsql.writing.quoting import dotted

    queue = found(plan(ACTIVATION.format(name, "SELF"))).queues["dbo.q"]
    again = found(plan(ACTIVATION.format(dotted(queue.activation.procedure_name), "SELF"))).queues["dbo.q"]
    assert again.activation == queue.activation


def test_two_procedures_whose_dots_stand_elsewhere_are_two():
    one, other = (
        found(plan(ACTIVATION.format(name, "OWNER"))).queues["dbo.q"].activation.procedure_name
        for name in ("[s.x].[p]", "[s].[x.p]")
    )
    assert one != other


@pytest.mark.parametrize("user", ["SELF", "self", "OWNER"])
def test_a_user_who_is_called_like_a_keyword_is_refused(user):
    made = plan(ACTIVATION.format("p", f"'{user}'"))
    assert [(problem.number, problem.line) for problem in made.problems] == [(153, 1)]


def test_a_queue_in_a_schema_with_a_dot_is_refused():
    made = plan("CREATE QUEUE [s.x].q")
    assert [(problem.number, problem.text) for problem in made.problems] == [
        (153, "Schema s.x cannot be used for 'q': the schema of a queue has no dot in its name here")
    ]
