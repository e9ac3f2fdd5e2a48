"""Endpoints of database mirroring: read with all their options, and kept apart from the broker's (tsql.md 8)."""

import pytest

from engine.tsql.parse import parse_script
from engine.tsql.plan import Effect
from tests.engine.tsql.test_reading_statements import plan

MIRRORING = "CREATE ENDPOINT Mirroring STATE = STARTED AS TCP (LISTENER_PORT = 5022) FOR DATABASE_MIRRORING ({})"
BROKER = "CREATE ENDPOINT Broker STATE = STARTED AS TCP (LISTENER_PORT = 4022) FOR SERVICE_BROKER ()"


def test_what_is_said_about_it_is_listed_and_changes_nothing():
    text = (
        f"{MIRRORING.format('ROLE = ALL')}\nALTER ENDPOINT [mirroring] STATE = STOPPED\n"
        "CREATE LOGIN l WITH PASSWORD = 'x'\nGRANT CONNECT ON ENDPOINT::Mirroring TO l\n"
        f"{BROKER}\nDROP ENDPOINT Mirroring"
    )
    made = plan(text)
    assert made.problems == ()
    ignored = [(row.line, row.verb) for row in made.rows if row.effect is Effect.IGNORED]
    assert ignored == [(1, "CREATE"), (2, "ALTER"), (4, "GRANT CONNECT"), (6, "DROP")]
    assert made.rows[1].text == "The endpoint of database mirroring is not modelled: partners are told by SET PARTNER."
    (catalog,) = made.catalogs.values()
    assert catalog.endpoint is not None
    assert (catalog.endpoint.name, catalog.endpoint.port) == ("Broker", 4022)


def test_an_endpoint_that_nobody_has_made_is_missing_still():
    assert [problem.number for problem in plan("DROP ENDPOINT Mirroring").problems] == [15151]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("", "AUTHENTICATION, ENCRYPTION or ROLE"),
        ("ENCRYPTION = DISABLED", "ROLE = ALL, PARTNER or WITNESS"),
        ("ROLE = MIRROR", "ALL, PARTNER or WITNESS"),
        ("ROLE = ALL, MESSAGE_FORWARDING = ENABLED", "AUTHENTICATION, ENCRYPTION, ROLE or ','"),
    ],
)
def test_a_broken_one_is_named(options, expected):
    (problem,) = parse_script(MIRRORING.format(options), "s.sql").problems
    assert (problem.number, problem.parameters["expected"]) == (102, expected)
