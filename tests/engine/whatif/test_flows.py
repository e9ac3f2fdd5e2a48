"""Which flows an estate has, what they are called, and that the verdict of one is what its explanation says."""

from itertools import pairwise
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from engine.core.catalog.changes import DatabaseCreated, QueueCreated, RouteCreated, ServiceCreated
from engine.core.catalog.objects import DEFAULT_CONTRACT, Queue, Service
from engine.core.catalog.revision import apply_changes
from engine.core.catalog.route_rules import BROKER_CONFIGURATION_SERVICE
from engine.whatif.answering import ask
from engine.whatif.disposition import Light
from engine.whatif.evaluation import Evaluation
from engine.whatif.flows import possible_flows
from engine.whatif.impact import flow_key
from engine.whatif.telling import FlowQuestion
from tests.engine.whatif.test_incremental import every_flow
from tests.support.diagnosed_estates import LOCAL, Estate, bystander, route
from tests.support.drawn_estates import NOW, Drawing
from tests.support.each import for_each
from tests.support.thoroughness import share

SOME, OTHER = UUID(int=7), UUID(int=8)
NAMES = st.text(alphabet="[]-a ", min_size=1, max_size=5)
FLOWS = st.builds(
    FlowQuestion,
    instance=NAMES,
    database=NAMES,
    service=NAMES,
    to_service=NAMES,
    broker_instance=st.sampled_from((None, SOME, OTHER)),
)


def estate_with(*changes: object, services: tuple[tuple[str, bool], ...] = (("ask", False),)) -> Estate:
    """WEST with a database and its services, each with whether it takes dialogs; EAST with one that takes them."""
    born = [DatabaseCreated(database="Shop", broker_instance=SOME), QueueCreated(database="Shop", queue=Queue("dbo.Q"))]
    own = [
        ServiceCreated(database="Shop", service=Service(name, "dbo.Q", (DEFAULT_CONTRACT,) if takes else ()))
        for name, takes in services
    ]
    far = [
        DatabaseCreated(database="Store", broker_instance=OTHER),
        QueueCreated(database="Store", queue=Queue("dbo.Q")),
        ServiceCreated(database="Store", service=Service("far", "dbo.Q", (DEFAULT_CONTRACT,))),
    ]
    return {
        "WEST": apply_changes(bystander("WEST"), [*born, *own, *changes]),
        "EAST": apply_changes(bystander("EAST"), far),
    }


def asked_in(estate: Estate, database: str = "Shop") -> list[tuple[str, str, UUID | None]]:
    """Who asks whom under which id in a database."""
    return [
        (flow.service, flow.to_service, flow.broker_instance)
        for flow in possible_flows(estate)
        if flow.database == database
    ]


def named(name: str, service: str | None, address: object = "east", **clauses: object) -> RouteCreated:
    return RouteCreated(database="Shop", route=route(name, service, address, **clauses))


def test_a_database_asks_for_what_its_routes_name_under_the_ids_that_they_name():
    estate = estate_with(named("r1", "stock"), named("r2", "stock", broker_instance=OTHER), named("r3", "stock"))
    assert asked_in(estate) == [("ask", "stock", None), ("ask", "stock", OTHER)]


def test_a_database_asks_its_neighbours_that_take_dialogs_and_never_itself():
    estate = estate_with(services=(("ask", False), ("take", True)))
    assert asked_in(estate) == [("ask", "take", None)]


def test_where_every_service_takes_dialogs_each_of_them_asks():
    estate = estate_with(services=(("one", True), ("two", True)))
    assert asked_in(estate) == [("one", "two", None), ("two", "one", None)]


def test_a_route_for_everything_out_into_the_network_leads_to_all_who_take_dialogs():
    assert asked_in(estate_with(named("rest", None))) == [("ask", "far", None)]
    assert asked_in(estate_with(named("rest", None, LOCAL))) == []


def test_nobody_asks_the_configuration_service_by_himself():
    assert asked_in(estate_with(named("c", BROKER_CONFIGURATION_SERVICE))) == []


def test_flows_of_the_system_are_those_of_services_that_somebody_made_there():
    estate = estate_with(
        QueueCreated(database="msdb", queue=Queue("dbo.Q")),
        ServiceCreated(database="msdb", service=Service("job", "dbo.Q")),
    )
    found = [flow for flow in possible_flows(estate) if flow.instance == "WEST"]
    assert {flow.database for flow in found} <= {"msdb", "Shop"}
    routed = {
        **estate,
        "WEST": apply_changes(estate["WEST"], [RouteCreated(database="msdb", route=route("r", "far", "east"))]),
    }
    assert asked_in(routed, "msdb") == [("job", "far", None)]


@given(FLOWS, FLOWS)
def test_two_flows_have_two_keys(one: FlowQuestion, other: FlowQuestion):
    assert (flow_key(one) == flow_key(other)) is (one == other)


def test_names_that_run_into_each_other_have_keys_apart():
    flows = [
        FlowQuestion(instance=f"a{']' * at}", database=f"{'[' * (3 - at)}b", service="] [", to_service=" ")
        for at in range(4)
    ]
    assert all(flow_key(one) != flow_key(other) for one, other in pairwise(flows))


@for_each("seed", share(range(60), 15))
def test_the_verdict_of_a_flow_is_what_its_explanation_says(seed: int):
    drawing = Drawing(seed)
    estate = drawing.estate()
    faults = drawing.faults(estate)
    for flow, verdict in Evaluation(estate, every_flow(estate), at=NOW, faults=faults).verdicts.items():
        told = ask(estate, flow, at=NOW, faults=faults)
        message, acknowledgement = told.legs[:2]
        way = message.ways[0]
        assert (verdict.disposition, verdict.instance, verdict.database) == (
            way.disposition,
            way.instance,
            way.database,
        )
        assert verdict.number == (None if way.number is None else way.number.number)
        assert verdict.path == tuple((hop.instance, hop.table, hop.route) for hop in way.hops)
        assert verdict.works is (message.arrives > 0 and acknowledgement.arrives > 0)
        assert (verdict.light is Light.GREEN) is (message.light is acknowledgement.light is Light.GREEN)
        assert (verdict.light is Light.RED) is (message.arrives == 0)
