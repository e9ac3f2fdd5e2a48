"""An incremental answer is the answer: the mistake to fear is a verdict that stands though it should have fallen."""

from collections.abc import Iterable
from itertools import product

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.core.catalog.revision import copy
from engine.whatif.evaluation import Evaluation, VerdictChange, is_in
from engine.whatif.faults import Fault
from engine.whatif.flows import new_flows, possible_flows
from engine.whatif.telling import FlowQuestion
from engine.whatif.verdict import FlowVerdicts, Verdict
from engine.whatif.watching import WatchedSnapshot
from tests.support import drawn_estates
from tests.support.drawn_estates import IDS, NOW, SERVICES, Estate

AT = st.sampled_from((NOW, NOW, NOW + 10, NOW + 30))
THOROUGH = settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))


def every_flow(*estates: Estate) -> list[FlowQuestion]:
    """Every question that can be asked of any of the estates with the few names that there are."""
    found: dict[FlowQuestion, None] = {}
    for estate in estates:
        for catalog in estate.values():
            for database in catalog.databases.values():
                for sender, to_service, broker in product(database.services, SERVICES, (None, *IDS[:3])):
                    flow = FlowQuestion(
                        instance=catalog.name,
                        database=database.name,
                        service=sender,
                        to_service=to_service,
                        broker_instance=broker,
                    )
                    found[flow] = None
    return list(found)


def alone(estate: Estate, flow: FlowQuestion, at: float, faults: Iterable[Fault] = ()) -> Verdict | None:
    """The verdict of one flow by itself, with nothing remembered from another."""
    return FlowVerdicts(WatchedSnapshot(estate, at=at, faults=faults)).of(flow) if is_in(estate, flow) else None


def by_flow(changes: Iterable[VerdictChange]) -> dict[FlowQuestion, tuple[Verdict | None, Verdict | None]]:
    """The changes, by flow; each flow once."""
    found: dict[FlowQuestion, tuple[Verdict | None, Verdict | None]] = {}
    for change in changes:
        assert change.flow not in found
        found[change.flow] = change.before, change.after
    return found


def expected(
    before: dict[FlowQuestion, Verdict | None], after: dict[FlowQuestion, Verdict | None]
) -> dict[FlowQuestion, tuple[Verdict | None, Verdict | None]]:
    """What the changes must be, by comparing all of both."""
    return {flow: (before[flow], after[flow]) for flow in before if before[flow] != after[flow]}


@THOROUGH
@given(st.data())
def test_changes_are_those_that_comparing_everything_finds(data):
    estate = data.draw(drawn_estates.estates())
    other = data.draw(drawn_estates.changed_estates(estate))
    at = data.draw(AT)
    flows = every_flow(estate, other)
    evaluation = Evaluation(estate, every_flow(estate), at=NOW)
    found = by_flow(evaluation.changes_to(other, flows, at=at))
    before = {flow: alone(estate, flow, NOW) for flow in flows}
    after = {flow: alone(other, flow, at) for flow in flows}
    assert found == expected(before, after)


@THOROUGH
@given(st.data())
def test_faults_change_what_comparing_everything_finds(data):
    estate = data.draw(drawn_estates.estates())
    some = data.draw(drawn_estates.faults(estate))
    others = data.draw(drawn_estates.faults(estate))
    flows = every_flow(estate)
    evaluation = Evaluation(estate, flows, at=NOW, faults=some)
    found = by_flow(evaluation.changes_to(estate, faults=others))
    before = {flow: alone(estate, flow, NOW, some) for flow in flows}
    after = {flow: alone(estate, flow, NOW, others) for flow in flows}
    assert found == expected(before, after)


@THOROUGH
@given(st.data())
def test_an_evaluation_that_goes_on_is_the_evaluation_of_where_it_comes_to(data):
    estate = data.draw(drawn_estates.estates())
    evaluation = Evaluation(estate, every_flow(estate), at=NOW)
    at = NOW
    for _ in range(3):
        other, at = data.draw(drawn_estates.changed_estates(estate)), data.draw(AT)
        flows = every_flow(other)
        known = dict(evaluation.verdicts)
        found = by_flow(evaluation.advance(other, flows, at=at))
        now = {flow: alone(other, flow, at) for flow in flows}
        assert evaluation.verdicts == {flow: verdict for flow, verdict in now.items() if verdict is not None}
        assert found == expected(known, {flow: alone(other, flow, at) for flow in known})
        estate = other


@THOROUGH
@given(st.data())
def test_verdicts_of_many_flows_are_those_of_each_alone(data):
    estate = data.draw(drawn_estates.estates())
    some = data.draw(drawn_estates.faults(estate))
    flows = data.draw(st.permutations(every_flow(estate)))
    verdicts = Evaluation(estate, flows, at=NOW, faults=some).verdicts
    assert verdicts == {flow: alone(estate, flow, NOW, some) for flow in flows}


@THOROUGH
@given(st.data())
def test_new_flows_are_those_that_the_other_state_alone_has(data):
    estate = data.draw(drawn_estates.estates())
    other = data.draw(drawn_estates.changed_estates(estate))
    known = set(possible_flows(estate))
    found = list(new_flows(estate, other))
    assert len(found) == len(set(found))
    assert set(found) - known == set(possible_flows(other)) - known
    assert set(found) <= set(possible_flows(other))


@given(drawn_estates.estates())
def test_a_copy_of_the_estate_is_no_change(estate):
    evaluation = Evaluation(estate, every_flow(estate), at=NOW)
    copied = {name: copy(catalog) for name, catalog in estate.items()}
    assert list(evaluation.changes_to(copied)) == []
