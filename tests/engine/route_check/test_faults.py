"""Every kind of fault in a file of cases is found, all of them at once, each with its place; then nothing is run."""

import pytest

from engine.api import check_routes
from tests.support.each import for_each

GOOD = """\
- id: good
  routes:
    database: [{name: A, service: S, broker: B1, address: "TCP://a:4022"}]
  conversation: {service: S}
  expected: send
"""


def faults(text):
    report = check_routes({"f": text})
    assert report.cases == report.routes == ()
    return [(fault.line, fault.column, fault.text) for fault in report.faults]


def only(text):
    (fault,) = faults(text)
    return fault


def case(**replaced):
    """A case of one key a line, as text."""
    keys = {"id": "x", "conversation": "{service: S}", "expected": "delayed", **replaced}
    lines = [f"{key}: {value}" for key, value in keys.items() if value is not None]
    return "- " + "\n  ".join(lines) + "\n"


def test_the_good_file_is_good():
    report = check_routes({"f": GOOD})
    assert (report.faults, report.failures, len(report.cases)) == ((), 0, 1)


@pytest.mark.parametrize(
    ("text", "line", "column", "said"),
    [
        ("", 1, 1, "no cases"),
        ("[]", 1, 1, "no cases"),
        ("null", 1, 1, "no cases"),
        ("a: 1", 1, 1, "is a list, not a mapping"),
        ("- id: [", 2, 1, "not YAML"),
        ("- id: x\n  b: 'open\n", 3, 1, "not YAML"),
        ("- id: x\n\tb: y\n", 2, 1, "not YAML"),
        ("- id: a\x01b", 1, 8, "a character that YAML does not allow"),
        (GOOD + "---\n" + GOOD, 6, 1, "second document"),
        ("- *nobody\n", 1, 3, "nothing is called &nobody"),
        ("[" * 100_000, 1, 65, "nested more than 64 levels"),
        ("- " * 100_000, 1, 129, "nested more than 64 levels"),
        ("&a [*a]", 1, 1, "a case is a mapping, not a list"),
        ("- text", 1, 3, "a case is a mapping, not a text"),
    ],
)
def test_what_is_no_list_of_cases(text, line, column, said):
    found = only(text)
    assert found[:2] == (line, column)
    assert said in found[2]


@for_each(
    ("replaced", "line", "said"),
    [
        ({"surprise": "1"}, 4, "unknown key 'surprise' in a case; known are id, routes"),
        ({"instance": "{hosts: true}"}, 4, "unknown key 'hosts' in 'instance'"),
        ({"setup": "{owned: []}"}, 4, "unknown key 'owned' in 'setup'"),
        ({"routes": "{db: []}"}, 4, "unknown key 'db' in 'routes'"),
        ({"routes": "{database: [{name: A, address: LOCAL, ttl: 1}]}"}, 4, "unknown key 'ttl' in a route"),
        ({"conversation": "{service: S, to: X}"}, 2, "unknown key 'to' in 'conversation'"),
        ({"expected": "{outcome: send, route: A}"}, 3, "unknown key 'route' in 'expected'"),
        ({"setup": "{databases: [{name: D, id: X}]}"}, 4, "unknown key 'id' in a database"),
        ({"[a, b]": "1"}, 4, "unknown key a list"),
        ({"<<": "{}"}, 4, "unknown key '<<'"),
        ({"instance": "{forwarding: true, forwarding: true}"}, 4, "the key 'forwarding' stands twice"),
        ({"id": None}, 1, "lacks the key 'id'"),
        ({"conversation": None}, 1, "lacks the key 'conversation'"),
        ({"expected": None}, 1, "lacks the key 'expected'"),
        ({"conversation": "{origin: inside}"}, 2, "lacks the key 'service'"),
        ({"routes": "{database: [{name: A}]}"}, 4, "lacks the key 'address'"),
        ({"routes": "{msdb: [{address: LOCAL}]}"}, 4, "lacks the key 'name'"),
        ({"setup": "{databases: [{state: offline}]}"}, 4, "lacks the key 'name'"),
        ({"expected": "{chosen: A}"}, 3, "lacks the key 'outcome'"),
        ({"expected": "{outcome: null}"}, 3, "not null"),
        ({"id": "''"}, 1, "not empty"),
        ({"conversation": "{service: null}"}, 2, "not null"),
        ({"conversation": "{service: ''}"}, 2, "9659"),
        ({"conversation": "{service: 5}"}, 2, "is a text, not a number; put it in quotes: '5'"),
        ({"conversation": "{service: no}"}, 2, "is a text, not true or false"),
        ({"conversation": "{service: [S]}"}, 2, "is a text, not a list"),
        ({"conversation": "{service: S, origin: sideways}"}, 2, "one of inside, outside, not 'sideways'"),
        ({"conversation": "{service: S, message_from_target: perhaps}"}, 2, "true or false, not 'perhaps'"),
        ({"conversation": "{service: S, broker_id: ''}"}, 2, "1 to 128 characters"),
        ({"conversation": "{service: S, broker_id: {}}"}, 2, "is a text, not a mapping"),
        ({"instance": "{hosts_target_service: 1}"}, 4, "true or false, not '1'"),
        ({"instance": "[]"}, 4, "is a mapping, not a list"),
        ({"routes": "{database: {}}"}, 4, "is a list, not a mapping"),
        ({"routes": "{database: [null]}"}, 4, "an entry of 'routes.database' is null"),
        ({"setup": "{own_addresses: [LOCAL]}"}, 4, "is a network address"),
        ({"setup": "{own_addresses: ['TCP://']}"}, 4, "9744"),
        ({"setup": "{own_addresses: ['TCP://a:1', 'TCP://b:2']}"}, 4, "one endpoint and so one port"),
        ({"setup": "{principal: TRANSPORT}"}, 4, "is a network address"),
        ({"setup": "{databases: [{name: D, state: asleep}]}"}, 4, "one of enabled, disabled"),
        ({"setup": "{databases: [{name: D}, {name: d}]}"}, 4, "the database 'd' stands twice"),
        ({"setup": "{databases: [{name: ' '}]}"}, 4, "1038"),
        ({"setup": "{databases: [{name: D, services: [ANY]}]}"}, 4, "153"),
        ({"expected": "maybe"}, 3, "not 'maybe'"),
        ({"expected": "one_of"}, 3, "not 'one_of'"),
        ({"expected": "{outcome: maybe}"}, 3, "one of deliver_local, send, forward, delayed, drop, one_of"),
        ({"expected": "{outcome: send, match_step: two}"}, 3, "a whole number, not 'two'"),
        ({"expected": "{outcome: send, match_step: 0x2}"}, 3, "a whole number, not '0x2'"),
        ({"expected": "{outcome: send, match_step: 8}"}, 3, "is 0 to 7, not '8'"),
        ({"expected": "{outcome: send, match_step: %s}" % ("9" * 5000)}, 3, "is 0 to 7, not '99"),
        ({"expected": "{outcome: send, match_step: !!int '+-5'}"}, 3, "a whole number, not '+-5'"),
        ({"expected": "{outcome: send, match_step: !!int '٣'}"}, 3, "a whole number, not '٣'"),
        ({"expected": "{outcome: send, address: 'http://a'}"}, 3, "9744"),
        ({"expected": "{outcome: send, candidates: A}"}, 3, "is a list, not a text"),
        ({"expected": "{outcome: send, alternatives: [send]}"}, 3, "belong to the outcome one_of"),
        ({"expected": "{outcome: one_of}"}, 3, "needs alternatives"),
        ({"expected": "{outcome: one_of, alternatives: [foward]}"}, 3, "neither an outcome nor a route"),
        ({"expected": "{outcome: one_of, alternatives: [{}]}"}, 3, "says nothing"),
        ({"expected": "{outcome: one_of, alternatives: [{outcome: one_of}]}"}, 3, "not 'one_of'"),
        ({"also_acceptable": "[send, never]"}, 4, "not 'never'"),
        ({"also_acceptable": "send"}, 4, "is a list, not a text"),
    ],
)
def test_a_bad_key_or_value_is_refused_with_its_line(replaced, line, said):
    found = only(case(**replaced))
    assert found[0] == line
    assert said in found[2]


@for_each(
    ("route", "number"),
    [
        ("{name: A, address: LOCAL, broker: B1}", 9662),
        ("{name: A, service: S, address: TRANSPORT}", 9745),
        ("{name: A, address: 'TCP://a:1', mirror: 'TCP://b:1'}", 9661),
        ("{name: A, service: S, broker: B, address: LOCAL, mirror: 'TCP://b:1'}", 9743),
        ("{name: A, service: S, broker: B, address: 'TCP://b:1', mirror: LOCAL}", 9743),
        ("{name: A, service: S, broker: B, address: 'TCP://b:1', mirror: 'tcp://B:1/'}", 9747),
        ("{name: A, service: S, address: 'TCP://b:1', mirror: 'tcp://B:1/'}", 9747),
        ("{name: A, address: 'UDP://b:1'}", 9744),
        ("{name: A, address: ''}", 9659),
        ("{name: A, service: S, broker: '', address: LOCAL}", 9659),
        (f"{{name: A, service: {'s' * 257}, address: LOCAL}}", 9660),
        ("{name: A, address: LOCAL, lifetime_seconds: 0}", 9746),
        ("{name: A, address: LOCAL, lifetime_seconds: -1}", 9746),
        ("{name: '', address: LOCAL}", 1038),
        ("{name: A, address: LOCAL}, {name: a, address: TRANSPORT}", 2714),
        ("{name: A, service: SQL/ServiceBroker/BrokerConfiguration, broker: B, address: LOCAL}", 153),
    ],
)
def test_an_illegal_route_is_refused_with_its_number(route, number):
    line, _, text = only(case(routes=f"\n    database: [{route}]"))
    assert line == 5
    assert text.startswith(f"{number}: ")


@pytest.mark.parametrize("sign", ["", "-"])
def test_a_lifetime_of_any_length_is_refused_with_its_number(sign):
    """9746 (E32); of thousands of digits the first tell enough."""
    line, _, text = only(
        case(routes="\n    database: [{name: A, address: LOCAL, lifetime_seconds: %s}]" % (sign + "9" * 5000))
    )
    assert line == 5
    assert text.startswith(f"9746: The lifetime '{sign}999")
    assert f"({5000 + len(sign)} characters)" in text
    assert len(text) < 300


def test_zeros_in_front_do_not_make_a_number_long():
    text = case(
        routes="{database: [{name: A, address: LOCAL, lifetime_seconds: %s5}]}" % ("0" * 5000), expected="delayed"
    )
    assert check_routes({"f": text}).faults == ()


@pytest.mark.parametrize(
    ("files", "said"),
    [
        (["f"], "a mapping of file names to texts, not list"),
        (None, "a mapping of file names to texts, not None"),
        ({1: GOOD}, "file names that are str, not int"),
        ({"good": GOOD, "f": None}, "texts that are str; that of 'f' is None"),
        ({"f": GOOD.encode()}, "texts that are str; that of 'f' is bytes"),
    ],
)
def test_a_caller_that_passes_no_texts_is_told_so(files, said):
    with pytest.raises(TypeError, match=said):
        check_routes(files)


def test_a_lifetime_that_is_over_has_no_seconds_left():
    found = only(case(routes="{database: [{name: A, address: LOCAL, expired: true, lifetime_seconds: 5}]}"))
    assert "give one of the two keys" in found[2]


def test_an_old_mirrored_route_and_a_missing_port_are_taken_with_a_warning():
    text = case(routes="{database: [{name: A, service: S, address: 'TCP://a', mirror: 'TCP://b:1'}]}", expected="send")
    report = check_routes({"f": text})
    assert [(warning.line, warning.text[:4]) for warning in report.warnings] == [(4, "The "), (4, "9661")]
    assert (report.faults, report.failures) == ((), 0)


def test_every_fault_is_told_in_the_order_of_the_file():
    text = case(
        conversation="{service: 5, origin: up}",
        expected="{outcome: maybe, match_step: x}",
        routes="{database: [{name: A, address: x, mirror: y, service: '', colour: red}]}",
        more="1",
    )
    found = faults(text)
    assert [line for line, _, _ in found] == [2, 2, 3, 3, 4, 4, 4, 4, 5]
    assert found == sorted(found)


def test_an_id_that_stands_twice_is_named_with_its_first_line():
    line, _, text = only(GOOD + GOOD)
    assert (line, text) == (6, "153: the id 'good' stands twice; first in line 1")


def test_a_bad_file_keeps_a_good_one_from_being_run():
    report = check_routes({"good": GOOD, "bad": "- 1", "worse": "["})
    assert report.cases == ()
    assert [fault.file for fault in report.faults] == ["bad", "worse"]


def test_two_files_may_use_the_same_id():
    report = check_routes({"one": GOOD, "two": GOOD})
    assert [(case.file, case.id) for case in report.cases] == [("one", "good"), ("two", "good")]
    assert [(route.file, route.cases) for route in report.routes] == [("one", 2)]


def test_aliases_repeat_a_table():
    text = GOOD.replace("database: [", "database: &table [") + GOOD.replace("id: good", "id: again").replace(
        'database: [{name: A, service: S, broker: B1, address: "TCP://a:4022"}]', "database: *table"
    )
    report = check_routes({"f": text})
    assert (report.faults, report.failures, len(report.cases)) == ((), 0, 2)
