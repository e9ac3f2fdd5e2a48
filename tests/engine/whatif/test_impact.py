"""What a change makes of all flows: counted, told, the gravest first; from one evaluation or from several."""

from engine.core.catalog.changes import RouteDropped
from engine.whatif.disposition import Disposition, FlowChange
from engine.whatif.evaluation import Evaluation
from engine.whatif.impact import flow_key, impact, impact_on
from engine.whatif.telling import FlowQuestion
from tests.engine.whatif.test_incremental import alone, every_flow
from tests.support.diagnosed_estates import NOW, changed, sound_estate
from tests.support.drawn_estates import Drawing
from tests.support.each import for_each
from tests.support.thoroughness import share

TILL = FlowQuestion(instance="WEST", database="Shop", service="Till", to_service="Stock")


def test_a_flow_whose_route_is_dropped_is_lost_and_told_by_its_numbers_and_routes():
    estate = sound_estate()
    found = impact(estate, changed(estate, "WEST", RouteDropped(database="Shop", name="There")), at=NOW)
    (row,) = (row for row in found.changes if row.question == TILL)
    assert (row.change, row.key) == (FlowChange.LOST, flow_key(TILL))
    assert (row.before, row.before_route, row.before_number) == (Disposition.DELIVERED, "There", None)
    assert (row.after, row.after_route, row.after_number) == (Disposition.DELAYED, None, 9796)


def test_a_way_back_that_is_lost_loses_the_flow_though_its_message_arrives():
    estate = sound_estate()
    found = impact(estate, changed(estate, "EAST", RouteDropped(database="Store", name="Back")), at=NOW)
    row = next(row for row in found.changes if row.question == TILL)
    assert (row.change, row.before, row.after) == (FlowChange.LOST, Disposition.DELIVERED, Disposition.DELIVERED)


def test_what_works_since_a_route_was_made_is_gained_and_only_known_flows_are_counted():
    cut = changed(sound_estate(), "WEST", RouteDropped(database="Shop", name="There"))
    found = impact(cut, sound_estate(), at=NOW)
    assert {row.question: row.change for row in found.changes} == {TILL: FlowChange.GAINED}
    # No route of the first state names what Till asks for: that flow only the second one has.
    assert (found.flows, found.unchanged) == (0, 0)


def test_losses_stand_before_what_moves_and_what_is_gained():
    order = [FlowChange.LOST, FlowChange.MOVED, FlowChange.GAINED]
    seen = set()
    for seed in range(80):
        drawing = Drawing(seed)
        estate = drawing.estate()
        changes = [row.change for row in impact(estate, drawing.changed(estate), at=NOW).changes]
        assert changes == sorted(changes, key=order.index)
        seen |= set(changes)
    assert seen == set(order)


@for_each("seed", share(range(60), 15))
def test_several_evaluations_tell_what_one_of_all_flows_tells(seed: int):
    drawing = Drawing(seed)
    estate = drawing.estate()
    other = drawing.changed(estate)
    flows = every_flow(estate)
    whole = impact_on([Evaluation(estate, flows, at=NOW)], other)
    parts = [Evaluation(estate, flows[::2], at=NOW), Evaluation(estate, flows[1::2] + flows[:4], at=NOW)]
    # Flows that are new in the other state are found beside either.
    assert impact_on(parts, other) == whole
    assert whole.flows == len(flows)
    kept = [flow for flow in flows if alone(estate, flow, NOW) == alone(other, flow, NOW)]
    assert whole.unchanged == len(kept)
