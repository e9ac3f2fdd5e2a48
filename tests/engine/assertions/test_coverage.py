"""What assertions exercise: routes taken, routes that nobody can be given, flows nobody asserts anything of."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.api import assertions, what_if
from engine.core.catalog.changes import RouteAltered, RouteCreated
from engine.core.catalog.revision import apply_changes
from engine.core.catalog.route import LocalAddress, TransportAddress
from engine.core.routing.classifier import MessageClassifier
from engine.core.routing.draws import Branch
from engine.core.vocabulary.messages import DialogTarget
from tests.support.diagnosed_estates import NOW, broken, changed, route, sample_estate, sound_estate
from tests.support.thoroughness import examples

SALE = what_if.FlowQuestion(instance="WEST", database="Shop", service="Till", to_service="Stock")
WORKS = assertions.Expectation(works=True)


def covered(estate, given):
    run = assertions.run(given, estate, at=NOW)
    return assertions.coverage(given, run.used, estate, at=NOW)


def sale(question=SALE):
    return assertions.Assertion(name=what_if.flow_key(question), question=question, expected=WORKS)


def test_the_way_out_and_the_way_back_are_exercised():
    found = covered(sound_estate(), [sale()])
    counts = {(each.instance, each.database, each.route): each.assertions for each in found.routes}
    assert counts["WEST", "Shop", "There"] == 1
    assert counts["EAST", "Store", "Back"] == 1
    assert counts["EAST", "msdb", "AutoCreatedLocal"] == 1
    assert counts["NORTH", "msdb", "AutoCreatedLocal"] == 0


def test_routes_that_came_with_their_database_are_told_and_not_counted():
    found = covered(sound_estate(), [sale()])
    assert (found.counted, found.exercised, found.percent) == (2, 2, 100.0)
    assert covered(sound_estate(), []).percent == 0.0
    altered = broken("WEST", RouteAltered(database="Shop", name="AutoCreatedLocal", service_name="Stock"))
    assert covered(altered, []).counted == 3


def test_an_estate_without_routes_has_nothing_left_to_exercise():
    assert assertions.coverage((), {}, {}, at=NOW).percent == 100.0


def test_what_fails_exercises_the_routes_that_it_takes():
    estate = broken("WEST", RouteAltered(database="Shop", name="There", address=route("x", None, "north").address))
    found = covered(estate, [sale()])
    assert {each.route for each in found.routes if each.assertions} >= {"There"}
    assert "Back" in {each.route for each in found.never_exercised}


def test_a_route_that_has_expired_and_one_that_is_outranked_can_never_win():
    estate = broken(
        "WEST",
        RouteCreated(database="Shop", route=route("Old", "Stock", "north", expires_at=NOW)),
        RouteCreated(database="Shop", route=route("Twin", "Stock", "east")),
        RouteCreated(database="Shop", route=route("Soon", "Other", "north", expires_at=NOW + 1)),
    )
    found = covered(estate, [sale()])
    never = {each.route: each.never for each in found.never_win}
    assert never["Old"] == assertions.NeverWins(reason=assertions.NeverReason.EXPIRED)
    # Of two that count as one the engine takes one for good.
    assert len({"There", "Twin"} & never.keys()) == 1
    (twin,) = {"There", "Twin"} & never.keys()
    assert never[twin].reason is assertions.NeverReason.COUNTS_AS_ONE
    (other,) = {"There", "Twin"} - {twin}
    said = {language: assertions.never_text(never[twin], language) for language in ("en", "fr", "de")}
    assert said == {
        "en": f"it counts as one with {other}",
        "fr": f"elle ne fait qu’une avec {other}",
        "de": f"sie zählt mit {other} als eine",
    }
    assert "Soon" not in never
    assert {each.route for each in found.never_exercised} & {"Soon"}


def test_flows_without_an_assertion():
    estate = sample_estate()
    flows = list(what_if.possible_flows(estate))
    found = covered(estate, [sale(flow) for flow in flows[:5]])
    assert (found.flows, found.flows_asserted) == (len(flows), 5)
    assert found.flows_without == tuple(flows[5:])


def test_an_assertion_of_a_flow_that_is_not_possible_counts_for_none():
    other = what_if.FlowQuestion(instance="WEST", database="Shop", service="Till", to_service="Nobody")
    found = covered(sound_estate(), [sale(other)])
    assert found.flows_asserted == 0


SERVICES = ("A", "B", "tcp://east:4022/C")
ADDRESSES = (LocalAddress(), TransportAddress(), "east", "north")


@st.composite
def tables(draw):
    """A handful of routes that get in each other's way."""
    found = []
    for number in range(draw(st.integers(1, 6))):
        address = draw(st.sampled_from(ADDRESSES))
        service = None if isinstance(address, TransportAddress) else draw(st.sampled_from((None, *SERVICES)))
        expires_at = draw(st.sampled_from((None, None, NOW - 1, NOW + 1)))
        found.append(route(f"R{number}", service, address, expires_at=expires_at))
    return found


@pytest.mark.parametrize("database", ["Shop", "msdb"])
@examples(60)
@given(tables())
def test_no_route_that_is_said_never_to_win_is_ever_given_by_the_router(database, routes):
    """Every conversation about every service is put to the production router, and every draw is followed."""
    estate = sound_estate()
    created = [RouteCreated(database=database, route=each) for each in routes]
    estate = {**estate, "WEST": apply_changes(estate["WEST"], created)}
    never = {each.route for each in assertions.never_wins(estate, at=NOW) if each.database == database}
    winners = set()
    guide = _Guide()
    classifier = MessageClassifier(estate["WEST"], draws=guide)
    for service in (*SERVICES, "another", "Till", "Stock"):
        branch = guide.branch = Branch(())
        while True:
            target = DialogTarget(service)
            if database == "msdb":
                decision = classifier.from_outside(target, NOW, from_target=False, explain=False)
            else:
                decision = classifier.from_inside("Shop", target, NOW, explain=False)
            if decision.route is not None:
                winners.add(decision.route.name)
            answers = branch.next_answers()
            if answers is None:
                break
            branch = guide.branch = Branch(answers)
    assert not winners & never


class _Guide:
    """Draws that follow a branch."""

    def __init__(self):
        self.branch = Branch(())

    def take(self, table, service, question, options):
        return self.branch.take(table, service, question, options)


def test_what_is_alone_with_its_service_is_given_to_whoever_asks_for_it():
    """The shortcut: such routes are not put to the router, and it does choose them."""
    estate = changed(sound_estate(), "WEST", RouteCreated(database="Shop", route=route("Lone", "Lone", "north")))
    assert not [each for each in assertions.never_wins(estate, at=NOW) if each.route in ("Lone", "There")]
