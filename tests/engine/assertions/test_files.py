"""Assertions in files: what was written is read again, and every mistake is told with its line and column."""

from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.api import assertions, what_if
from engine.core.vocabulary.translations import TRANSLATIONS, sentence_in
from tests.support.each import for_each
from tests.support.thoroughness import examples

HEAD = """\
- name: {name}
  from: {{instance: WEST, database: Shop, service: Till}}
  to: Stock
"""
WORKS = HEAD + "  expected: works\n"


def read(text, file="a.yaml"):
    found, faults = assertions.read_assertions(file, text)
    assert not (found and faults)
    return [each.assertion for each in found], [str(fault) for fault in faults]


def test_a_file_with_everything_in_it():
    text = """\
# Comments stay where they are.
- name: Bestellungen
  note: zählt
  from: {instance: PARIS, database: Ventes, service: //exemple.fr/Ventes/Guichet}
  to: //exemple.fr/Commandes/Réception
  broker_id: d4a85e17-0b6f-4c92-b3d8-6e51f09a2c05
  at: 2026-12-31T23:00:00+01:00
  faults:
    - {kind: instance, instance: HUB}
    - {kind: link, instance: PARIS, other: LYON}
    - {kind: endpoint, instance: LYON}
    - {kind: database, instance: LYON, database: Entrepôt}
    - {kind: queue, instance: LYON, database: Entrepôt, queue: dbo.Suivi}
    - {kind: partner, instance: BERLIN, database: Buchhaltung}
  expected:
    works: no
    disposition: unreachable
    reaches: [{instance: LYON, database: Entrepôt}, {instance: LYON, database: Archives}]
    path: [Vers la réception, {route: null, instance: LYON}]
    number: 9783
"""
    (found,), faults = read(text)
    assert not faults
    assert found.question == what_if.FlowQuestion(
        instance="PARIS",
        database="Ventes",
        service="//exemple.fr/Ventes/Guichet",
        to_service="//exemple.fr/Commandes/Réception",
        broker_instance=UUID("d4a85e17-0b6f-4c92-b3d8-6e51f09a2c05"),
    )
    assert (found.note, found.at) == ("zählt", 1798754400.0)
    assert [fault.kind.value for fault in found.faults] == [
        "instance",
        "link",
        "endpoint",
        "database",
        "queue",
        "partner",
    ]
    assert found.expected == assertions.Expectation(
        works=False,
        disposition=what_if.Disposition.UNREACHABLE,
        reaches=(
            assertions.Place(instance="LYON", database="Entrepôt"),
            assertions.Place(instance="LYON", database="Archives"),
        ),
        path=(assertions.PathStep(route="Vers la réception"), assertions.PathStep(route=None, instance="LYON")),
        number=9783,
    )


def test_one_place_needs_no_list_and_one_word_no_mapping():
    text = WORKS.format(name="one") + HEAD.format(name="two") + "  expected: fails\n"
    text += HEAD.format(name="three") + "  expected: {reaches: {instance: EAST, database: Store}}\n"
    found, _ = read(text)
    assert [each.expected.works for each in found] == [True, False, None]
    assert found[2].expected.reaches == (assertions.Place(instance="EAST", database="Store"),)


def test_where_an_assertion_stands():
    found, _ = assertions.read_assertions("b.yaml", WORKS.format(name="one") + WORKS.format(name="two"))
    assert [(each.file, each.line) for each in found] == [("b.yaml", 1), ("b.yaml", 5)]


def with_expected(text):
    return HEAD.format(name="one") + f"  expected: {text}\n"


def with_fault(text):
    return WORKS.format(name="one") + f"  faults: [{text}]\n"


MISTAKES = [
    ("", "a.yaml:1:1: 153: the file holds no assertions"),
    ("[]", "a.yaml:1:1: 153: the file holds no assertions"),
    ("name: one\n", "a.yaml:1:1: 153: a file of assertions is a list, not a mapping"),
    ("- one\n", "a.yaml:1:3: 153: an assertion is a mapping, not a text"),
    ("- {name: one\n", "a.yaml:2:1: 153: not YAML: while parsing a flow mapping, did not find expected ',' or '}'"),
    ("- {}\n", "a.yaml:1:3: 153: an assertion lacks the key 'name'"),
    (WORKS.format(name="''"), "a.yaml:1:9: 153: the name of an assertion is not empty"),
    (WORKS.format(name="~"), "a.yaml:1:9: 153: the name of an assertion is not empty"),
    (
        WORKS.format(name="x" * 201),
        "a.yaml:1:9: 153: the name of an assertion has at most 200 letters, this one 201",
    ),
    (
        WORKS.format(name="one") * 2,
        "a.yaml:5:9: 153: the name 'one' stands twice; first in a.yaml, line 1",
    ),
    (
        WORKS.format(name="one") + "  colour: blue\n",
        "a.yaml:5:3: 153: unknown key 'colour' in an assertion; known are name, note, from, to, broker_id, contract, "
        "message_type, encryption, at, faults, expected",
    ),
    (
        WORKS.format(name="one").replace("Stock", "7"),
        "a.yaml:3:7: 153: 'to' is a text, not a number; put it in quotes: '7'",
    ),
    (WORKS.format(name="one").replace("Stock", "''"), "a.yaml:3:7: 153: 'to' is not empty"),
    (WORKS.format(name="one").replace(", service: Till", ""), "a.yaml:2:9: 153: 'from' lacks the key 'service'"),
    (WORKS.format(name="one").replace("Till", "~"), "a.yaml:2:51: 153: the service of 'from' is not null"),
    (
        WORKS.format(name="one") + "  broker_id: nonsense\n",
        "a.yaml:5:14: 8413: The broker id 'nonsense' is not well formed",
    ),
    (
        WORKS.format(name="one") + "  at: 2026-12-31\n",
        "a.yaml:5:7: 153: 'at' is an instant with its time zone, as in 2026-12-31T23:59:59Z, not '2026-12-31'",
    ),
    (WORKS.format(name="one") + "  at: .inf\n", "a.yaml:5:7: 153: 'at' is an instant"),
    (WORKS.format(name="one") + "  faults: LYON\n", "a.yaml:5:11: 153: 'faults' is a list, not a text"),
    (
        with_fault("{kind: meteor, instance: X}"),
        "a.yaml:5:19: 153: the kind of a fault is one of instance, link, endpoint, database, queue, "
        "partner, not 'meteor'",
    ),
    (with_fault("{kind: link, instance: X}"), "a.yaml:5:12: 153: a fault of the kind 'link' lacks the key 'other'"),
    (
        with_fault("{kind: instance, instance: X, queue: q}"),
        "a.yaml:5:49: 153: a fault of the kind 'instance' has no 'queue'",
    ),
    (with_fault("{kind: instance, instance: ''}"), "a.yaml:5:39: 153: the instance of a fault is not empty"),
    (with_fault("{kind: instance}"), "a.yaml:5:12: 153: a fault lacks the key 'instance'"),
    (with_fault("{kind: ~, instance: X}"), "a.yaml:5:19: 153: the kind of a fault is not null"),
    (with_expected("perhaps"), "a.yaml:4:13: 153: 'expected' is one of works, fails or a mapping, not 'perhaps'"),
    (with_expected("{}"), "a.yaml:4:13: 153: 'expected' claims nothing"),
    (with_expected("{works: ~}"), "a.yaml:4:13: 153: 'expected' claims nothing"),
    (with_expected("{works: maybe}"), "a.yaml:4:21: 153: 'works' is true or false, not 'maybe'"),
    (with_expected("{disposition: gone}"), "a.yaml:4:27: 153: the disposition is one of delivered, "),
    (with_expected("{reaches: LYON}"), "a.yaml:4:23: 153: 'reaches' is a list, not a text"),
    (
        with_expected("{reaches: {instance: LYON}}"),
        "a.yaml:4:23: 153: a place of 'reaches' lacks the key 'database'",
    ),
    (with_expected("{path: [7]}"), "a.yaml:4:21: 153: a step of 'path' is a text, not a number"),
    (with_expected("{path: [{instance: X}]}"), "a.yaml:4:21: 153: a step of 'path' lacks the key 'route'"),
    (with_expected("{number: many}"), "a.yaml:4:22: 153: 'number' is a whole number, not 'many'"),
    (with_expected("{number: 1}"), "a.yaml:4:22: 153: nothing has the number '1'"),
]


@for_each(("text", "told"), MISTAKES)
def test_a_mistake_is_told_with_its_place(text, told):
    found, faults = read(text)
    assert not found
    assert faults[0].startswith(told), faults


@pytest.mark.parametrize("language", TRANSLATIONS)
def test_every_mistake_is_told_in_every_language(language):
    for text, _ in MISTAKES:
        for fault in assertions.read_files({"a.yaml": text})[1]:
            said = sentence_in(language, fault.text)
            assert said != fault.text
            assert said.partition(": ")[0] == fault.text.partition(": ")[0]


@pytest.mark.parametrize(
    ("text", "french", "german"),
    [
        (
            "name: one\n",
            "153: un fichier d’assertions doit être une liste, et non un tableau associatif",
            "153: eine Datei mit Zusicherungen muss eine Liste sein, nicht eine Zuordnung",
        ),
        (
            WORKS.format(name="one") + "  colour: blue\n",
            "153: clé inconnue 'colour' (endroit\u00a0: une assertion)\u00a0; les clés connues sont name, note, from, "
            "to, broker_id, contract, message_type, encryption, at, faults, expected",
            "153: unbekannter Schlüssel 'colour' (Ort: eine Zusicherung); bekannt sind name, note, from, to, "
            "broker_id, contract, message_type, encryption, at, faults, expected",
        ),
    ],
)
def test_what_is_ours_in_a_mistake_is_translated_and_what_was_given_stays(text, french, german):
    (fault,) = assertions.read_files({"a.yaml": text})[1]
    assert (sentence_in("fr", fault.text), sentence_in("de", fault.text)) == (french, german)


def test_every_mistake_of_every_file_is_told_at_once():
    files = {
        "a.yaml": WORKS.format(name="''") + with_expected("perhaps"),
        "b.yaml": "[",
        "c.yaml": WORKS.format(name="three"),
    }
    found, faults = assertions.read_files(files)
    assert not found
    assert [fault.file for fault in faults] == ["a.yaml", "a.yaml", "b.yaml"]


def test_names_are_told_apart_across_files():
    text = WORKS.format(name="one")
    found, faults = assertions.read_files({"a.yaml": text, "b.yaml": text})
    assert not found
    assert [str(fault) for fault in faults] == ["b.yaml:1:9: 153: the name 'one' stands twice; first in a.yaml, line 1"]


NAMES = st.text(
    st.characters(min_codepoint=33, max_codepoint=0x2FFF, exclude_categories=("Cs", "Cc", "Zs", "Zl", "Zp", "Cn")),
    min_size=1,
    max_size=20,
)
PLACES = st.builds(assertions.Place, instance=NAMES, database=NAMES)
STEPS = st.builds(assertions.PathStep, route=st.none() | NAMES, instance=st.none() | NAMES, database=st.none() | NAMES)
EXPECTATIONS = st.builds(
    assertions.Expectation,
    works=st.none() | st.booleans(),
    disposition=st.none() | st.sampled_from(what_if.Disposition),
    reaches=st.lists(PLACES, max_size=3).map(tuple),
    path=st.none() | st.lists(STEPS, max_size=3).map(tuple),
    number=st.none() | st.sampled_from([9750, 9783, 911]),
).filter(lambda expected: not expected.is_empty)


@st.composite
def faults(draw):
    kind = draw(st.sampled_from(what_if.FaultKind))
    return assertions.fault_of(kind, {name: draw(NAMES) for name in assertions.needs_of(kind)})


ASSERTIONS = st.builds(
    assertions.Assertion,
    name=NAMES,
    question=st.builds(
        what_if.FlowQuestion,
        instance=NAMES,
        database=NAMES,
        service=NAMES,
        to_service=NAMES,
        broker_instance=st.none() | st.uuids(),
    ),
    expected=EXPECTATIONS,
    faults=st.lists(faults(), max_size=3).map(tuple),
    at=st.none() | st.floats(0, 4e9) | st.integers(0, 4_000_000_000).map(float) | st.floats(-1e14, 1e14),
    note=st.text(
        st.characters(min_codepoint=32, max_codepoint=0x2FFF, exclude_categories=("Cs", "Cc", "Cn")), max_size=80
    ),
)


@examples(200)
@given(st.lists(ASSERTIONS, max_size=4, unique_by=lambda each: each.name))
def test_what_is_written_is_read_again(given_assertions):
    text = assertions.to_yaml(given_assertions)
    found, faults_found = read(text)
    if given_assertions:
        assert faults_found == []
    assert found == given_assertions
