"""What assertions expect and what comes of them, in the language of the reader."""

import msgspec
import pytest

from engine.assertions import suite as assertions
from engine.core.catalog.changes import RouteDropped
from engine.whatif.disposition import Disposition
from engine.whatif.faults import Fault, FaultKind
from engine.whatif.telling import FlowQuestion
from tests.support.diagnosed_estates import NOW, changed, sound_estate

EVERYTHING = assertions.Expectation(
    works=True,
    disposition=Disposition.HELD_QUEUE_OFF,
    reaches=(
        assertions.Place(instance="EAST", database="Store"),
        assertions.Place(instance="NORTH", database="Store"),
    ),
    path=(assertions.PathStep(route="There", instance="WEST"), assertions.PathStep(route=None)),
    number=9750,
)
SALE = FlowQuestion(instance="WEST", database="Shop", service="Till", to_service="Stock")
STORE = assertions.Place(instance="EAST", database="Store")
DOWN = Fault(kind=FaultKind.INSTANCE, instance="EAST")


@pytest.mark.parametrize(
    ("language", "text"),
    [
        (
            "en",
            "works, held while the queue is off, reaches EAST/Store or NORTH/Store, by WEST There → no route, "
            "number 9750",
        ),
        (
            "fr",
            "fonctionne, retenu, la file étant désactivée, atteint EAST/Store ou NORTH/Store, "
            "par WEST There → sans route, numéro 9750",
        ),
        (
            "de",
            "funktioniert, liegt bei abgeschalteter Warteschlange, erreicht EAST/Store oder NORTH/Store, "
            "über WEST There → keine Route, Nummer 9750",
        ),
    ],
)
def test_everything_that_can_be_claimed(language, text):
    assert assertions.expected_text(EVERYTHING, language) == text


@pytest.mark.parametrize(
    ("language", "actual", "end"),
    [
        ("en", "stays with WEST: EAST cannot be reached (", "nothing"),
        ("fr", "reste à WEST\u00a0: EAST est injoignable (", "rien"),
        ("de", "bleibt bei WEST: EAST ist nicht zu erreichen (", "nichts"),
    ],
)
def test_a_failure_is_told_in_the_language_of_the_run(language, actual, end):
    expected = assertions.Expectation(works=True)
    asserted = assertions.Assertion(name="sale", question=SALE, expected=expected, faults=(DOWN,))
    (found,) = assertions.run([asserted], sound_estate(), at=NOW, language=language).results
    assert found.actual.startswith(actual)
    assert found.failed == (assertions.Aspect.WORKS,)
    assert assertions.expected_text(assertions.Expectation(), language) == end


@pytest.mark.parametrize(
    ("expected", "told"),
    [
        (
            {"works": False, "disposition": Disposition.DELIVERED, "reaches": (STORE,)},
            "delivered, reaches EAST/Store, no acknowledgement finds its way back",
        ),
        ({"works": False, "disposition": Disposition.DISCARDED, "number": 9793}, "discarded, number 9793"),
        ({"works": True, "disposition": Disposition.DELIVERED}, "works, delivered"),
        ({"works": False, "reaches": (STORE,)}, "does not work, reaches EAST/Store"),
    ],
)
def test_what_arrives_is_not_said_to_fail_without_a_reason(expected, told):
    """An assertion read "does not work, delivered"."""
    assert assertions.expected_text(assertions.Expectation(**expected)) == told


@pytest.mark.parametrize(
    ("language", "actual", "why"),
    [
        ("en", "the question cannot be asked", "15151: Cannot find"),
        ("fr", "la question ne peut pas être posée", "15151: "),
        ("de", "die Frage lässt sich nicht stellen", "15151: "),
    ],
)
def test_a_question_of_nobody_is_refused_in_the_language_of_the_run(language, actual, why):
    asked = msgspec.structs.replace(SALE, service="Nobody")
    asserted = assertions.Assertion(name="x", question=asked, expected=assertions.Expectation(works=True))
    (found,) = assertions.run([asserted], sound_estate(), at=NOW, language=language).results
    assert found.actual == actual
    assert found.why.startswith(why)
    assert ("service" in found.why) is (language in ("en", "fr"))
    assert ("Dienst" in found.why) is (language == "de")


def test_what_is_pinned_under_faults_is_named_in_the_language_of_who_pins():
    cut = Fault(kind=FaultKind.LINK, instance="EAST", other="WEST")

    def name(language):
        (pinned,) = assertions.pin(sound_estate(), [SALE], at=NOW, faults=(DOWN, cut), language=language)
        return pinned.name

    assert name("en").endswith(", when EAST is down and the link between EAST and WEST is cut")
    assert name("fr").endswith(", quand EAST est arrêtée et la liaison entre EAST et WEST est coupée")
    assert name("de").endswith(
        ", angenommen: EAST ist ausgefallen und die Verbindung zwischen EAST und WEST ist unterbrochen"
    )


@pytest.mark.parametrize(("language", "table"), [("fr", "Table de routage"), ("de", "Routingtabelle")])
def test_the_proof_of_a_failure_is_told_in_the_language_of_the_run(language, table):
    estate = changed(sound_estate(), "WEST", RouteDropped(database="Shop", name="There"))
    asserted = assertions.Assertion(name="x", question=SALE, expected=assertions.Expectation(works=True))
    (found,) = assertions.run([asserted], estate, at=NOW, language=language).results
    assert any(line.startswith(table) for line in found.proof)


def test_a_result_that_was_kept_is_worded_again_as_if_it_had_been_run_in_that_language():
    expected = assertions.Expectation(works=True)
    gone = msgspec.structs.replace(SALE, service="Nobody")
    asserted = [
        assertions.Assertion(name="lost", question=SALE, expected=expected, faults=(DOWN,)),
        assertions.Assertion(name="refused", question=gone, expected=expected),
        assertions.Assertion(name="fine", question=SALE, expected=expected),
    ]
    estate = changed(sound_estate(), "WEST", RouteDropped(database="Shop", name="AutoCreatedLocal"))
    by_language = {
        language: assertions.run(asserted, estate, at=NOW, language=language).results for language in ("en", "fr", "de")
    }
    for one in by_language.values():
        for language, other in by_language.items():
            kept = [msgspec.json.decode(msgspec.json.encode(each), type=assertions.AssertionResult) for each in one]
            assert tuple(assertions.worded(each, language) for each in kept) == other
