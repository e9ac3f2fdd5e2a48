"""Answers pinned as they are: they hold until something changes them."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.api import CatalogError, assertions, what_if
from engine.core.catalog.changes import RouteCreated, RouteDropped
from tests.support.diagnosed_estates import NOW, broken, changed, route, sample_estate, sound_estate
from tests.support.each import for_each
from tests.support.thoroughness import examples

Disposition = what_if.Disposition
SALE = what_if.FlowQuestion(instance="WEST", database="Shop", service="Till", to_service="Stock")
FAULTS = [(), *((fault,) for fault in what_if.single_failures(sample_estate()))]
ROUTES = [
    (catalog.name, database.name, name)
    for catalog in sample_estate().values()
    for database in catalog.databases.values()
    for name in database.routes
]


def pinned(estate, **given):
    return assertions.pin(estate, what_if.possible_flows(estate), at=NOW, **given)


@for_each("faults", FAULTS)
def test_what_was_pinned_holds_as_long_as_nothing_changes(faults):
    estate = sample_estate()
    found = pinned(estate, faults=faults, with_path=True)
    assert len(found) == 11
    assert all(each.faults == faults for each in found)
    assert assertions.run(found, estate, at=NOW).failures == 0


def test_everything_that_is_certain_is_pinned():
    (found,) = assertions.pin(sound_estate(), [SALE], at=NOW, with_path=True)
    assert found.name == "WEST/Shop Till → Stock"
    assert found.expected == assertions.Expectation(
        works=True,
        disposition=Disposition.DELIVERED,
        reaches=(assertions.Place(instance="EAST", database="Store"),),
        path=(
            assertions.PathStep(route="There", instance="WEST", database="Shop"),
            assertions.PathStep(route="AutoCreatedLocal", instance="EAST", database="msdb"),
        ),
    )


def test_a_path_is_pinned_only_on_demand():
    (found,) = assertions.pin(sound_estate(), [SALE], at=NOW)
    assert found.expected.path is None


def test_what_does_not_work_is_pinned_with_its_number():
    down = what_if.Fault(kind=what_if.FaultKind.INSTANCE, instance="EAST")
    (found,) = assertions.pin(sound_estate(), [SALE], at=NOW, faults=(down,))
    assert found.name == "WEST/Shop Till → Stock, when EAST is down"
    assert (found.expected.works, found.expected.disposition) == (False, Disposition.UNREACHABLE)
    assert (found.expected.number is not None, found.expected.reaches) == (True, ())


def test_of_a_draw_only_what_every_way_has():
    estate = broken("WEST", RouteCreated(database="Shop", route=route("Also", "Stock", "north")))
    (found,) = assertions.pin(estate, [SALE], at=NOW, with_path=True)
    assert found.expected == assertions.Expectation(works=True)
    assert assertions.run([found], estate, at=NOW).failures == 0


def test_a_clock_that_is_pinned_stays():
    (found,) = assertions.pin(sound_estate(), [SALE], at=NOW, clock=NOW)
    assert found.at == NOW


def test_names_are_given_once():
    names = [each.name for each in pinned(sample_estate())]
    assert len(set(names)) == len(names)
    (again,) = assertions.pin(sound_estate(), [SALE], at=NOW, taken=["WEST/Shop Till → Stock"])
    assert again.name == "WEST/Shop Till → Stock (2)"


def test_the_same_question_twice_is_one_assertion():
    assert len(assertions.pin(sound_estate(), [SALE, SALE], at=NOW)) == 1


def test_a_question_of_nobody_is_refused():
    with pytest.raises(CatalogError) as caught:
        assertions.pin(sound_estate(), [msgspec.structs.replace(SALE, database="Gone")], at=NOW)
    assert caught.value.number == 911


@examples(40)
@given(st.sets(st.sampled_from(ROUTES), min_size=1, max_size=3))
def test_assertions_fail_for_every_flow_that_is_lost_and_for_none_that_nothing_has_happened_to(dropped):
    """Held against the impact of the same change."""
    estate = sample_estate()
    after = estate
    for instance, database, name in dropped:
        after = changed(after, instance, RouteDropped(database=database, name=name))
    changes = {row.key: row.change for row in what_if.impact(estate, after, at=NOW).changes}
    for result in assertions.run(pinned(estate, with_path=True), after, at=NOW).results:
        change = changes.get(what_if.flow_key(result.assertion.question))
        assert result.passed is (change is None), (result.assertion.name, change, result.actual)
