"""A scenario file with mistakes is refused whole, and every mistake is told at its place."""

from engine.training.reading import read_scenario
from tests.support.each import for_each
from tests.support.training_files import SMALL


def faults_of(text: str) -> list[str]:
    scenario, faults = read_scenario("s.yaml", text)
    assert scenario is None
    assert faults
    return [str(fault) for fault in faults]


def at(text: str, wanted: str) -> tuple[int, int]:
    """Line and column of the first place at which `wanted` stands."""
    before = text[: text.index(wanted)]
    return before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1


def test_a_file_without_mistakes():
    scenario, faults = read_scenario("s.yaml", SMALL)
    assert not faults
    assert scenario is not None
    assert scenario.points == 10
    assert scenario.traffic.every_seconds == 10.0
    assert read_scenario("s.yaml", SMALL)[0] == scenario


@for_each(
    ("old", "new", "place", "said"),
    [
        ("level: beginner", "level: expert", "expert", "153"),
        ("skills: [routes]", "skills: [rotues]", "rotues", "153"),
        ("minutes: 5", "minutes: 0", "0\nbegins", "153"),
        ("id: small", "id: Small One", "Small One", "small letters"),
        ("title: {en: Small, fr: Petit,", "title: {en: Small,", "{en: Small", "lacks the key 'fr'"),
        ("fr: Petit", "fr: ''", "''", "is not empty"),
        ("brief: {en: Do it", "brief: {it: Fallo, en: Do it", "it: Fallo", "unknown key 'it'"),
        ("begins_at: 2026-01-05T08:00:00Z", "begins_at: 2026-01-05", "2026-01-05", "time zone"),
        ("CREATE QUEUE dbo.Q;", "CREATE QUEUE dbo.Q WITH RETENTION = MAYBE;", "MAYBE;", "102"),
        ("Guichet ON QUEUE dbo.Q", "Guichet ON QUEUE dbo.Z", "CREATE SERVICE G", "dbo.Z"),
        ("service: Guichet}", "service: Kasse}", "{instance: PARIS, database: Ventes, service: Kasse}", "15151"),
        ("      contract: DEFAULT\n", "", "name: returns", "lacks the key 'contract'"),
        ("view: sys.service_queues", "view: sys.queues", "sys.queues", "208"),
        ("where: {name: R}", "where: {nom: R}", "{nom: R}", "207"),
        ("where: {name: R}", "where: {object_id: R}", "{object_id: R}", "245"),
        ("rows: 1}", "rows: 1, rows_min: 1}", "1, rows_min", "'rows', or"),
        (", rows: 1}", "}", "{instance: PARIS, database: Ventes, view", "expects 'rows'"),
        ("- query: {instance: PARIS", "- query: {instance: LYON", "LYON", "no instance"),
        ("database: Ventes, view", "database: Achats, view", "Achats, view", "911"),
        ("      - query:", "      - keep: true\n        query:", "- keep", "neither kept nor needed"),
        ("  - {cost: 20, text: {en: A, fr: B, de: C}}\n", "", "- {cost: 5", "3 hints"),
        ("steps: [{wait_seconds: 10}]", "steps: [{wait_seconds: -1}]", "-1", "from 0"),
        ("steps: [{wait_seconds: 10}]", "steps: [{instance: PARIS, sql: 'GO'}]", "'GO'", "begun by |"),
        ("points: 10", "points: many", "many", "whole number"),
    ],
)  # fmt: skip
def test_a_mistake_is_told_where_it_stands(old: str, new: str, place: str, said: str):
    assert old in SMALL
    text = SMALL.replace(old, new, 1)
    line, column = at(text, place)
    found = faults_of(text)
    assert any(each.startswith(f"s.yaml:{line}:{column}: ") and said in each for each in found), (line, column, found)


def test_all_mistakes_of_a_file_at_once():
    text = SMALL.replace("QUEUE dbo.Q;", "QUEUE 7;")
    text = text.replace("minutes: 5", "minutes: 0").replace("points: 10", "points: 0")
    lines = [int(each.split(":")[1]) for each in faults_of(text)]
    assert {at(text, wanted)[0] for wanted in ("minutes", "QUEUE 7", "points")} <= set(lines)
    assert lines == sorted(lines)


def test_every_fault_has_a_number():
    for key in ("id", "level", "estate", "tasks", "hints", "solution", "explanation", "title"):
        text = SMALL.replace(f"{key}:", f"{key}_:", 1)
        for fault in faults_of(text):
            number = fault.split(": ")[1]
            assert number.isdigit(), fault


def test_what_is_no_scenario_at_all():
    for text in ("", "~", "[]", "just words", "a: [", "- x\n---\n- y", "\x00", "id: small"):
        faults_of(text)


SELECT = """\
      - select:
          instance: PARIS
          database: Ventes
          sql: |
            SELECT * FROM sys.routes
          rows: 1
"""


def test_a_select():
    text = SMALL.replace("    checks:\n", "    checks:\n" + SELECT)
    scenario, faults = read_scenario("s.yaml", text)
    assert not faults
    assert scenario is not None
    for old, new, said in [
        ("          instance: PARIS\n", "          instance: ROME\n", "no instance"),
        ("          database: Ventes\n", "          database: Achats\n", "911"),
        ("sql: |\n            SELECT", "sql: SELECT", "begun by |"),
        ("          rows: 1\n", "", "expects 'rows'"),
    ]:
        assert any(said in each for each in faults_of(text.replace(old, new, 1)))
