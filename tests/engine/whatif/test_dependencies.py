"""What a flow depends on: nothing else changes what comes of it, and what lies beside its way is not among it."""

import pytest

from engine.api import CatalogError, what_if
from tests.support.diagnosed_estates import NOW, sample_estate, sound_estate
from tests.support.drawn_estates import NOW as DRAWN_NOW
from tests.support.drawn_estates import Drawing
from tests.support.each import for_each
from tests.support.thoroughness import share

Kind, Fault, Flow = what_if.FaultKind, what_if.Fault, what_if.FlowQuestion
TILL = Flow(instance="WEST", database="Shop", service="Till", to_service="Stock")


def legs(answer):
    """What comes of a flow: how each leg ends, by which ways."""
    return [
        (
            leg.light,
            [(way.disposition, way.instance, way.database, [hop.route for hop in way.hops]) for way in leg.ways],
        )
        for leg in answer.legs
    ]


def assert_nothing_else_matters(estate, flow, at):
    as_is = what_if.ask(estate, flow, at=at)
    among = set(what_if.dependencies(estate, flow, at=at))
    for fault in what_if.single_failures(estate, at=at):
        if fault not in among:
            assert legs(what_if.ask(estate, flow, at=at, faults=[fault])) == legs(as_is), (flow, fault)


def test_nothing_else_changes_a_flow_of_the_sample():
    estate = sample_estate()
    for flow in what_if.possible_flows(estate):
        assert_nothing_else_matters(estate, flow, NOW)


@for_each("seed", share(range(60), 15))
def test_nothing_else_changes_a_flow_of_a_drawn_estate(seed):
    estate = Drawing(seed).estate()
    for flow in what_if.possible_flows(estate):
        assert_nothing_else_matters(estate, flow, DRAWN_NOW)


def test_a_flow_between_two_depends_on_both_and_not_on_the_third():
    estate = sound_estate()
    found = what_if.dependencies(estate, TILL, at=NOW)
    assert [(each.kind, each.instance, each.other or each.queue) for each in found] == [
        (Kind.INSTANCE, "WEST", None),
        (Kind.INSTANCE, "EAST", None),
        (Kind.LINK, "WEST", "EAST"),
        (Kind.ENDPOINT, "WEST", None),
        (Kind.ENDPOINT, "EAST", None),
        (Kind.DATABASE, "WEST", None),
        (Kind.DATABASE, "EAST", None),
        (Kind.QUEUE, "WEST", "dbo.Inbox"),
        (Kind.QUEUE, "EAST", "dbo.Inbox"),
    ]


def test_a_mirrored_route_depends_on_both_partners_and_on_their_failover():
    estate = sample_estate()
    flow = next(
        each for each in what_if.possible_flows(estate) if each.to_service == "//beispiel.de/Buchhaltung/Rechnungen"
    )
    found = what_if.dependencies(estate, flow, at=NOW)
    down = {each.instance for each in found if each.kind is Kind.INSTANCE}
    assert {flow.instance, "BERLIN", "LYON"} <= down
    assert [each.instance for each in found if each.kind is Kind.PARTNER] == ["BERLIN"]


def test_what_is_supposed_is_gone_along_with():
    """With the link cut nothing gets to EAST: its queue is out of reach."""
    cut = Fault(kind=Kind.LINK, instance="WEST", other="EAST")
    found = what_if.dependencies(sound_estate(), TILL, at=NOW, faults=[cut])
    assert [each.instance for each in found if each.kind is Kind.QUEUE] == ["WEST"]
    with pytest.raises(CatalogError):
        what_if.dependencies(sound_estate(), TILL, at=NOW, faults=[Fault(kind=Kind.INSTANCE, instance="NOWHERE")])
