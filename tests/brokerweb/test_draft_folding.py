"""What a draft wants is the sum of its decisions, through the form in which the log keeps them."""

import itertools
import json

from hypothesis import given
from hypothesis import strategies as st

from brokerweb.topology.object_changes import InstanceObject, name_in_touched, objects_kept, turned_round
from brokerweb.topology.selectors.drafts import edits_of
from engine import api as engine
from tests.support.catalogs import catalogs
from tests.support.thoroughness import examples

merge, changed_objects = engine.revisions.merge, engine.revisions.changed_objects


def decision(before, after):
    """The text of a decision's objects, as the database has it."""
    return kept(before, after).text


def kept(before, after):
    """The objects of a decision, as the database has them."""
    objects = [InstanceObject("PARIS", each.key, each.before, each.after) for each in changed_objects(before, after)]
    return objects_kept(objects)


def wanted(decisions):
    return edits_of(decisions).edits.get("PARIS", {})


@examples(60)
@given(st.lists(catalogs, min_size=1, max_size=4), st.data())
def test_decisions_that_follow_each_other_lead_to_the_last_and_undone_from_behind_to_any(states, data):
    decisions = [decision(*pair) for pair in itertools.pairwise(states)]
    kept = data.draw(st.integers(0, len(decisions)))
    merged = merge(states[0], wanted(decisions[:kept]))
    assert changed_objects(merged.catalog, states[kept]) == []
    assert merged.conflicts == ()


@examples(60)
@given(st.lists(catalogs, min_size=2, max_size=5), st.data())
def test_what_was_folded_before_needs_no_folding_again(states, data):
    decisions = [decision(*pair) for pair in itertools.pairwise(states)]
    known = data.draw(st.integers(0, len(decisions)))
    first = edits_of(decisions[:known])
    before = {name: dict(each) for name, each in first.edits.items()}
    assert edits_of(decisions[known:], first) == edits_of(decisions)
    assert first.edits == before


@examples(60)
@given(catalogs, catalogs)
def test_a_decision_turned_round_takes_it_back(before, after):
    merged = merge(after, wanted([turned_round(kept(before, after)).text]))
    assert changed_objects(merged.catalog, before) == []
    assert merged.conflicts == ()


@examples(60)
@given(catalogs, catalogs, catalogs)
def test_taking_back_what_was_changed_again_since_is_a_conflict_at_least_where_it_was(before, after, now):
    """The law of journeys 17 and 18: a revert loses nothing that came after the revision."""
    merged = merge(now, wanted([turned_round(kept(before, after)).text]))
    conflicts = {each.key for each in merged.conflicts}
    since = {each.key for each in changed_objects(after, now)}
    back = {each.key for each in changed_objects(now, merged.catalog)}
    assert back & since <= conflicts


@given(catalogs, catalogs)
def test_every_object_of_a_decision_is_found_by_its_name(before, after):
    changes = changed_objects(before, after)
    log = kept(before, after)
    assert log.count == len(json.loads(log.text)) == len(changes)
    assert log.touched.count("\n") == (len(changes) + 1 if changes else 0)
    assert all(name_in_touched(each["name"].upper().lower()) in log.touched for each in json.loads(log.text))
