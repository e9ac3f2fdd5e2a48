"""Which routes the cases reach, and which can never win; the latter is asked of the router, not reasoned."""

import pytest

from engine.api import check_routes
from tests.support.each import for_each

ASK = "{name: Ask, service: SQL/ServiceBroker/BrokerConfiguration, address: LOCAL}"


def routes(database="", msdb="", conversation="service: S", further=""):
    text = f"""\
- id: x
  routes: {{database: [{database}], msdb: [{msdb}]}}
  conversation: {{{conversation}}}
  expected: {{outcome: one_of, alternatives: [deliver_local, send, forward, delayed, drop]}}
{further}"""
    report = check_routes({"f": text})
    assert (report.faults, report.failures) == ((), 0)
    return report.routes


def told(*args, **kwargs):
    return {route.name: (route.cases, route.can_win, route.reason) for route in routes(*args, **kwargs)}


def test_a_candidate_is_exercised_though_it_loses():
    pair = "{name: Pair, service: S, broker: B, address: 'TCP://a', mirror: 'TCP://b'}"
    found = told(f"{pair}, {{name: Third, service: S, broker: B, address: 'TCP://c'}}, {{name: All, address: LOCAL}}")
    assert found["Pair"] == (1, True, None)
    assert found["Third"][:2] == (1, False)
    assert found["Third"][2].startswith("it is outranked by Pair (choose step 1: ")
    assert found["All"] == (0, True, None)


@pytest.mark.parametrize("table", ["database", "msdb"])
@pytest.mark.parametrize(
    ("others", "reason"),
    [
        ("{name: It, service: X, address: LOCAL, expired: true}", "it has expired"),
        ("{name: A, service: X, address: LOCAL}, {name: It, service: X, address: local}", "it counts as one with A"),
        (
            "{name: A, address: 'TCP://hub'}, {name: It, address: TRANSPORT}",
            "it is outranked by A (choose step 3: candidates have a network address)",
        ),
        (
            "{name: It, service: X, broker: B, address: LOCAL},"
            " {name: A, service: X, broker: B, address: 'TCP://a', mirror: 'TCP://b'}",
            "it is outranked by A (choose step 1: candidates have a mirror address)",
        ),
    ],
)
def test_why_a_route_can_never_win(table, others, reason):
    assert told(**{table: others})["It"][1:] == (False, reason)


@for_each(
    "others",
    [
        "{name: It, service: X, address: LOCAL}, {name: A, service: X, address: 'TCP://a'}",
        "{name: It, service: X, address: 'TCP://b'}, {name: A, service: X, address: LOCAL}",
        "{name: It, service: X, address: 'TCP://b'}, {name: A, service: X, address: 'TCP://a'}",
        "{name: It, service: X, broker: B, address: LOCAL}, {name: A, service: X, address: 'TCP://a'}",
        "{name: It, service: X, address: LOCAL}, {name: A, service: X, broker: B, address: LOCAL}",
        "{name: It, address: TRANSPORT}, {name: A, address: LOCAL}",
        f"{{name: It, address: LOCAL}}, {ASK}",
        f"{{name: It, address: 'TCP://a'}}, {ASK}",
        "{name: It, service: X, address: LOCAL, lifetime_seconds: 1}",
    ],
)
@for_each("table", ["database", "msdb"])
def test_a_route_that_somebody_could_get_can_win(table, others):
    assert told(**{table: others})["It"][1:] == (True, None)


def test_equal_routes_of_several_cases_are_one_and_win_if_they_do_in_one_table():
    again = """\
- id: y
  routes: {database: [{name: Last, address: TRANSPORT}]}
  conversation: {service: S}
  expected: delayed
"""
    outranked = "{name: Hub, address: 'TCP://hub'}, {name: Last, address: TRANSPORT}"
    assert told(outranked)["Last"][:2] == (1, False)
    assert told(outranked, further=again)["Last"] == (2, True, None)


def test_the_same_record_in_the_other_table_is_another_route():
    found = routes(database="{name: All, address: LOCAL}", msdb="{name: All, address: LOCAL}")
    assert [(route.table, route.cases, route.line) for route in found] == [("database", 1, 2), ("msdb", 0, 2)]


def test_with_a_self_address_both_tables_are_exercised():
    text = """\
- id: x
  routes:
    database: [{name: Far, service: S, address: "TCP://me:4022"}]
    msdb: [{name: All, address: LOCAL}]
  instance: {hosts_target_service: true}
  conversation: {service: S}
  setup: {own_addresses: ["TCP://me:4022"]}
  expected: deliver_local
"""
    assert [route.cases for route in check_routes({"f": text}).routes] == [1, 1]
