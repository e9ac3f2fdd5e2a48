"""An incremental answer is the answer: the mistake to fear is a verdict that stands though it should have fallen."""

from collections.abc import Iterable
from itertools import product

from engine.core.catalog.changes import RouteCreated, RouteDropped
from engine.core.catalog.revision import apply_changes, copy
from engine.whatif.evaluation import BOOK_MIN, Evaluation, VerdictChange, is_in
from engine.whatif.faults import Fault
from engine.whatif.flows import new_flows, possible_flows
from engine.whatif.telling import FlowQuestion
from engine.whatif.verdict import FlowVerdicts, Verdict
from engine.whatif.watching import WatchedSnapshot
from tests.support.drawn_estates import IDS, INSTANTS, NOW, SERVICES, Drawing, Estate
from tests.support.each import for_each
from tests.support.thoroughness import share
from tests.support.world import World, route

SEEDS = for_each("seed", share([306, 400, 415, *range(200)], 12))
"""The last ones draw what is seldom: a way that no flow goes any more changes before another flow comes to it."""
Changes = dict[FlowQuestion, tuple[Verdict | None, Verdict | None]]


def every_flow(*estates: Estate) -> list[FlowQuestion]:
    """Every question that can be asked of any of the estates with the few names that there are."""
    return list(
        dict.fromkeys(
            FlowQuestion(
                instance=catalog.name,
                database=database.name,
                service=sender,
                to_service=to_service,
                broker_instance=broker,
            )
            for estate in estates
            for catalog in estate.values()
            for database in catalog.databases.values()
            for sender, to_service, broker in product(database.services, SERVICES, (None, *IDS[:3]))
        )
    )


def alone(estate: Estate, flow: FlowQuestion, at: float, faults: Iterable[Fault] = ()) -> Verdict | None:
    """The verdict of one flow by itself, with nothing remembered from another."""
    return FlowVerdicts(WatchedSnapshot(estate, at=at, faults=faults)).of(flow) if is_in(estate, flow) else None


def by_flow(changes: Iterable[VerdictChange]) -> Changes:
    """The changes, by flow; each flow once."""
    found: Changes = {}
    for change in changes:
        assert change.flow not in found
        found[change.flow] = change.before, change.after
    return found


def differences(before: dict[FlowQuestion, Verdict | None], after: dict[FlowQuestion, Verdict | None]) -> Changes:
    """What the changes must be, by comparing all of both."""
    return {flow: (before[flow], after[flow]) for flow in before if before[flow] != after[flow]}


@SEEDS
def test_changes_are_those_that_comparing_everything_finds(seed):
    drawing = Drawing(seed)
    estate = drawing.estate()
    evaluation = Evaluation(estate, every_flow(estate)[::2], at=NOW)
    # One evaluation is asked again and again: what it remembers of one draft must not show in the next.
    for _ in range(5):
        other, at = drawing.changed(estate), drawing.chance.choice(INSTANTS)
        further = every_flow(other)
        flows = dict.fromkeys((*evaluation.verdicts, *further))
        found = by_flow(evaluation.changes_to(other, further, at=at))
        before = {flow: alone(estate, flow, NOW) for flow in flows}
        assert found == differences(before, {flow: alone(other, flow, at) for flow in flows})


@SEEDS
def test_faults_change_what_comparing_everything_finds(seed):
    drawing = Drawing(seed)
    estate = drawing.estate()
    flows, some = every_flow(estate), drawing.faults(estate)
    evaluation = Evaluation(estate, flows, at=NOW, faults=some)
    before = {flow: alone(estate, flow, NOW, some) for flow in flows}
    for _ in range(3):
        others = drawing.faults(estate)
        found = by_flow(evaluation.changes_to(estate, faults=others))
        assert found == differences(before, {flow: alone(estate, flow, NOW, others) for flow in flows})


@for_each("overtaken", [BOOK_MIN, -BOOK_MIN])
@SEEDS
def test_an_evaluation_that_goes_on_is_the_evaluation_of_where_it_comes_to(seed, overtaken, monkeypatch):
    monkeypatch.setattr("engine.whatif.evaluation.BOOK_MIN", overtaken)
    drawing = Drawing(seed)
    estate = drawing.estate()
    evaluation = Evaluation(estate, every_flow(estate), at=NOW)
    for _ in range(4):
        other, at = drawing.changed(estate), drawing.chance.choice(INSTANTS)
        flows, known = every_flow(other), dict(evaluation.verdicts)
        found = by_flow(evaluation.advance(other, flows, at=at))
        now = {flow: alone(other, flow, at) for flow in flows}
        assert evaluation.verdicts == now
        assert found == differences(dict(known), {flow: alone(other, flow, at) for flow in known})
        estate = other


@SEEDS
def test_verdicts_of_many_flows_are_those_of_each_alone(seed):
    drawing = Drawing(seed)
    estate = drawing.estate()
    flows, faults = every_flow(estate), drawing.faults(estate)
    drawing.chance.shuffle(flows)
    verdicts = Evaluation(estate, flows, at=NOW, faults=faults).verdicts
    assert verdicts == {flow: alone(estate, flow, NOW, faults) for flow in flows}


@SEEDS
def test_new_flows_are_those_that_the_other_state_alone_has(seed):
    drawing = Drawing(seed)
    estate = drawing.estate()
    other = drawing.changed(estate)
    known, possible, found = set(possible_flows(estate)), set(possible_flows(other)), list(new_flows(estate, other))
    assert len(found) == len(set(found))
    assert possible - known <= set(found) <= possible


@SEEDS
def test_a_copy_of_the_estate_is_no_change(seed):
    estate = Drawing(seed).estate()
    evaluation = Evaluation(estate, every_flow(estate), at=NOW)
    assert list(evaluation.changes_to({name: copy(catalog) for name, catalog in estate.items()})) == []


def test_a_route_that_has_no_way_may_let_an_answer_in():
    """LYON answers by HUB, which PARIS believes for a route that another one comes before."""
    world = World()
    other = route(None, "hub")
    paris = world.instance("PARIS", world.database("Ventes", ["Client"], route("Entrepôt", "lyon"), other))
    nodes = [paris, world.instance("LYON", world.database("Stock", ["Entrepôt"], route("Client", "hub")))]
    hub = world.instance("HUB", forwards=True)
    hub.define(RouteCreated(database="msdb", route=route("Client", "paris")))
    before = {node.name: node.instance.catalog for node in (*nodes, hub)}
    flow = FlowQuestion(instance="PARIS", database="Ventes", service="Client", to_service="Entrepôt")
    evaluation = Evaluation(before, [flow], at=NOW)
    assert evaluation.verdicts[flow].works
    after = {
        **before,
        "PARIS": apply_changes(copy(before["PARIS"]), [RouteDropped(database="Ventes", name=other.name)]),
    }
    [change] = evaluation.advance(after, [flow], at=NOW)
    assert not change.after.works
    assert change.after == alone(after, flow, NOW)
    [back] = evaluation.advance(before, [flow], at=NOW)
    assert back.after.works
