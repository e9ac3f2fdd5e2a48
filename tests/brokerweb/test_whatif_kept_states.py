"""What is remembered of a state that is asked about: the same for the same state, and never that of another one."""

import pytest

from brokerweb.whatif.selectors.kept_states import EVALUATIONS_MAX, STATES_MAX, kept_state, remembered
from engine import api as engine
from engine.core.catalog.changes import RouteCreated
from tests.support.diagnosed_estates import NOW, changed, route, sound_estate, tcp

EXPIRY = NOW + 60.0


@pytest.fixture
def estate():
    leaving = route("Leaving", "//example.org/Nobody", tcp("elsewhere"), expires_at=EXPIRY)
    estate = sound_estate()
    name = next(iter(estate))
    database = next(name for name, each in estate[name].databases.items() if each.services)
    return changed(estate, name, RouteCreated(database=database, route=leaving))


def test_the_same_catalogs_are_the_same_state_until_a_route_expires(estate):
    before = kept_state(estate, NOW)
    assert kept_state(dict(estate), NOW + 59.0) is before
    assert kept_state(estate, EXPIRY) is not before
    assert kept_state(estate, NOW) is before


def test_equal_catalogs_that_are_other_objects_are_another_state(estate):
    name = next(iter(estate))
    assert kept_state(changed(estate, name), NOW) is not kept_state(estate, NOW)


def test_an_instance_more_or_less_is_another_state(estate):
    fewer = dict(list(estate.items())[1:])
    assert kept_state(fewer, NOW) is not kept_state(estate, NOW)
    assert kept_state(estate, NOW).catalogs.keys() == estate.keys()


def test_what_is_remembered_is_what_the_engine_says_of_either_side_of_the_expiry(estate):
    for at in (NOW, EXPIRY):
        kept = kept_state(estate, at)
        instant = engine.UtcTime(at)
        assert kept.flows == tuple(engine.what_if.possible_flows(estate))
        assert kept.failures == engine.what_if.single_failures(estate, at=instant)
        assert kept.examples == engine.what_if.examples(estate, at=instant)
        fresh = engine.what_if.Evaluation(estate, kept.flows, at=instant)
        assert kept.evaluation("all", kept.flows, ()).verdicts == fresh.verdicts


def test_evaluations_are_told_apart_by_what_is_supposed(estate):
    kept = kept_state(estate, NOW)
    down = engine.what_if.Fault(kind=engine.what_if.FaultKind.INSTANCE, instance=next(iter(estate)))
    plain = kept.evaluation("all", kept.flows, ())
    assert kept.evaluation("all", kept.flows, (down,)).verdicts != plain.verdicts
    assert kept.evaluation("all", kept.flows, ()) is plain


def test_of_many_states_the_ones_asked_about_last_are_remembered(estate):
    name = next(iter(estate))
    first = kept_state(estate, NOW)
    for _ in range(STATES_MAX):
        kept_state(changed(estate, name), NOW)
    assert kept_state(estate, NOW) is not first


def test_what_was_asked_for_longest_ago_is_let_go():
    memory: dict[int, str] = {}
    for number in range(EVALUATIONS_MAX):
        remembered(memory, number, lambda: "kept", EVALUATIONS_MAX)
    remembered(memory, 0, lambda: "made anew", EVALUATIONS_MAX)
    remembered(memory, 99, lambda: "kept", EVALUATIONS_MAX)
    assert memory[0] == "kept"
    assert 1 not in memory
    assert len(memory) == EVALUATIONS_MAX
