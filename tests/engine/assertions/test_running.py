"""Assertions put to an estate: what passes, what fails in which aspect, and the sentence that says why."""

import msgspec
import pytest

from engine.api import assertions, what_if
from engine.core.catalog.changes import QueueAltered, RouteAltered, RouteCreated, RouteDropped
from engine.core.catalog.route import LocalAddress
from tests.support.diagnosed_estates import NOW, broken, changed, route, sample_estate, sound_estate

Aspect, Expectation, Place = assertions.Aspect, assertions.Expectation, assertions.Place
PathStep, Disposition = assertions.PathStep, what_if.Disposition
SALE = what_if.FlowQuestion(instance="WEST", database="Shop", service="Till", to_service="Stock")
STORE = Place(instance="EAST", database="Store")
EAST_DOWN = what_if.Fault(kind=what_if.FaultKind.INSTANCE, instance="EAST")


def asserted(expected, question=SALE, **given):
    return assertions.Assertion(name="an assertion", question=question, expected=expected, **given)


def result(assertion, estate=None, **given):
    (found,) = assertions.run([assertion], estate or sound_estate(), at=NOW, **given).results
    return found


def failed(estate=None, /, faults=(), **claims):
    return result(asserted(Expectation(**claims)), estate, faults=faults).failed


THERE = (PathStep(route="There"), PathStep(route="AutoCreatedLocal"))


@pytest.mark.parametrize(
    ("claims", "aspect"),
    [
        ({"works": True}, None),
        ({"works": False}, Aspect.WORKS),
        ({"disposition": Disposition.DELIVERED}, None),
        ({"disposition": Disposition.DELAYED}, Aspect.DISPOSITION),
        ({"reaches": (STORE,)}, None),
        ({"reaches": (Place(instance="EAST", database="sTORE"),)}, None),
        ({"reaches": (Place(instance="WEST", database="Store"), STORE)}, None),
        ({"reaches": (Place(instance="WEST", database="Store"),)}, Aspect.REACHES),
        ({"path": THERE}, None),
        ({"path": (PathStep(route="THERE", instance="WEST", database="shop"), THERE[1])}, None),
        ({"path": THERE[:1]}, Aspect.PATH),
        ({"path": (PathStep(route="Elsewhere"), THERE[1])}, Aspect.PATH),
        ({"path": (PathStep(route="There", instance="EAST"), THERE[1])}, Aspect.PATH),
        ({"path": (PathStep(route=None), THERE[1])}, Aspect.PATH),
        ({"number": 9750}, Aspect.NUMBER),
    ],
)
def test_each_claim_by_itself(claims, aspect):
    assert failed(**claims) == (() if aspect is None else (aspect,))


def test_all_that_does_not_hold_is_told():
    found = result(asserted(Expectation(works=True, reaches=(STORE,), number=9750)), faults=[EAST_DOWN])
    assert found.failed == (Aspect.WORKS, Aspect.REACHES, Aspect.NUMBER)
    assert found.passed is False
    assert found.expected == "works, reaches EAST/Store, number 9750"
    assert found.actual.startswith("stays with WEST: EAST cannot be reached (")
    assert found.number is not None
    assert found.why.startswith(found.number.text)
    assert found.proof


def test_a_lost_acknowledgement_is_a_failure_although_the_message_arrives():
    estate = broken(
        "EAST",
        RouteDropped(database="Store", name="Back"),
        RouteDropped(database="Store", name="AutoCreatedLocal"),
    )
    found = result(asserted(Expectation(works=True, disposition=Disposition.DELIVERED)), estate)
    assert found.failed == (Aspect.WORKS,)
    assert found.actual == "is delivered to EAST/Store; no acknowledgement finds its way back"
    assert found.outcome.light is what_if.Light.AMBER
    assert any("Store" in line for line in found.proof)


def test_faults_of_its_own_and_of_the_run_come_together():
    cut = what_if.Fault(kind=what_if.FaultKind.LINK, instance="WEST", other="EAST")
    assert result(asserted(Expectation(works=False), faults=(cut,))).passed
    assert result(asserted(Expectation(works=False)), faults=[cut]).passed
    assert not result(asserted(Expectation(works=False))).passed


def test_the_clock_of_an_assertion_is_its_own():
    estate = changed(sound_estate(), "WEST", RouteAltered(database="Shop", name="There", expires_at=NOW + 60))
    assert result(asserted(Expectation(works=True)), estate).passed
    later = asserted(Expectation(works=False, disposition=Disposition.DELAYED), at=NOW + 60)
    assert result(later, estate).passed


def test_a_queue_that_is_off_is_arrival_and_no_delivery():
    estate = broken("EAST", QueueAltered(database="Store", name="dbo.Inbox", is_enabled=False))
    assert failed(estate, reaches=(STORE,), works=True) == ()
    assert failed(estate, disposition=Disposition.DELIVERED) == (Aspect.DISPOSITION,)


def drawn_estate():
    """Two ways with equal rights, one of which ends in this very instance, where nobody has the service."""
    return broken("WEST", RouteCreated(database="Shop", route=route("Also", "Stock", "north")))


def test_where_the_engine_draws_a_claim_must_hold_for_every_way():
    found = result(asserted(Expectation(reaches=(STORE,))), drawn_estate())
    assert found.failed == (Aspect.REACHES,)
    assert len(found.outcome.ends) == 2
    assert sum(end.share for end in found.outcome.ends) == pytest.approx(1.0)
    assert "50%" in found.actual
    assert failed(drawn_estate(), works=True) == ()


@pytest.mark.parametrize(
    ("question", "number"),
    [
        (msgspec.structs.replace(SALE, instance="SOUTH"), 15151),
        (msgspec.structs.replace(SALE, database="Shoppe"), 911),
        (msgspec.structs.replace(SALE, service="till"), 15151),
    ],
)
def test_what_cannot_be_asked_fails_with_its_number(question, number):
    found = result(asserted(Expectation(works=True), question))
    assert (found.passed, found.failed, found.number.number) == (False, (Aspect.ASKED,), number)
    assert found.why.startswith(f"{number}: ")


def test_a_fault_of_what_is_gone_fails_as_well():
    gone = what_if.Fault(kind=what_if.FaultKind.QUEUE, instance="EAST", database="Store", queue="dbo.Gone")
    assert result(asserted(Expectation(works=True), faults=(gone,))).failed == (Aspect.ASKED,)


def test_one_that_cannot_be_asked_keeps_no_other_from_being_run():
    gone = asserted(Expectation(works=True), msgspec.structs.replace(SALE, instance="SOUTH"))
    found = assertions.run([gone, asserted(Expectation(works=True))], sound_estate(), at=NOW)
    assert [each.passed for each in found.results] == [False, True]
    assert found.failures == 1


def test_numbers_are_told_in_the_language_asked_for():
    texts = {
        language: result(asserted(Expectation(works=True)), faults=[EAST_DOWN], language=language).number.text
        for language in ("en", "fr", "de")
    }
    assert len(set(texts.values())) == 3


def test_the_verdict_is_the_one_of_the_question():
    estate = sample_estate()
    for flow in what_if.possible_flows(estate):
        found = result(asserted(Expectation(works=True), flow), estate)
        answer = what_if.ask(estate, flow, at=NOW)
        assert found.outcome.ends[0].disposition is answer.disposition
        assert found.passed is (answer.legs[0].arrives > 0.0 and answer.legs[1].arrives > 0.0), what_if.flow_key(flow)


def test_results_are_values_that_can_be_told():
    told = msgspec.json.decode(msgspec.json.encode(result(asserted(Expectation(works=True)))))
    assert told["passed"] is True
    assert msgspec.convert(told["assertion"], assertions.Assertion) == asserted(Expectation(works=True))


def test_a_local_route_is_told_apart_from_one_over_the_network():
    estate = broken("WEST", RouteAltered(database="Shop", name="There", address=LocalAddress()))
    assert failed(estate, path=THERE) == (Aspect.PATH,)
