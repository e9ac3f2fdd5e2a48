"""Faults as values: checked against the estate, applied to catalogs that stay as they are, struck alike in a world."""

import pytest

from engine.core.catalog.database import DatabaseState
from engine.core.catalog.objects import EndpointState
from engine.core.vocabulary.errors import CatalogError
from engine.sim.estate_world import EstateWorld
from engine.whatif.faults import Fault, FaultKind, Faults
from engine.whatif.snapshot import Snapshot
from tests.support.random_estates import NOW
from tests.support.small_estates import MIRROR, cut, down, estate, failed_over, instance, offline, shop, store, to

THERE = to("TCP://east:4022")


def pair():
    """EAST/Store is the principal, NORTH/Store its copy."""
    return estate(
        shop(THERE),
        store(partner="TCP://north:5022"),
        store(name="NORTH", partner="TCP://east:5022", state=MIRROR),
    )


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (Fault(kind=FaultKind.INSTANCE, instance="SOUTH"), "SOUTH"),
        (Fault(kind=FaultKind.LINK, instance="EAST", other="SOUTH"), "SOUTH"),
        (Fault(kind=FaultKind.LINK, instance="EAST"), "instance"),
        (Fault(kind=FaultKind.DATABASE, instance="EAST", database="Cellar"), "Cellar"),
        (Fault(kind=FaultKind.DATABASE, instance="EAST"), "database"),
        (Fault(kind=FaultKind.QUEUE, instance="EAST", database="Store", queue="dbo.Nothing"), "dbo.Nothing"),
        (Fault(kind=FaultKind.QUEUE, instance="EAST", database="Store"), "queue"),
        (Fault(kind=FaultKind.PARTNER, instance="EAST", database="Cellar"), "Cellar"),
        (Fault(kind=FaultKind.ENDPOINT, instance="DEAF"), "endpoint"),
    ],
)
def test_a_fault_of_what_is_not_there_is_refused_with_15151_and_named(fault, words):
    catalogs = {**pair(), **estate(instance("DEAF", endpoint=None))}
    with pytest.raises(CatalogError) as caught:
        Faults(catalogs, [fault])
    assert caught.value.number == 15151
    assert words in caught.value.text
    assert "{" not in caught.value.text


def test_each_fault_changes_what_it_names_and_nothing_else():
    catalogs = pair()
    before = {name: [repr(each) for each in catalog.databases.values()] for name, catalog in catalogs.items()}
    faults = [
        offline("EAST"),
        Fault(kind=FaultKind.ENDPOINT, instance="EAST"),
        Fault(kind=FaultKind.QUEUE, instance="WEST", database="Shop", queue="dbo.Till"),
    ]
    found = Snapshot(catalogs, at=NOW, faults=faults).catalogs
    assert found["EAST"].databases["Store"].state is DatabaseState.OFFLINE
    assert found["EAST"].endpoint.state is EndpointState.STOPPED
    assert not found["WEST"].databases["Shop"].queues["dbo.Till"].is_enabled
    assert found["NORTH"] is catalogs["NORTH"]
    assert {name: [repr(each) for each in catalog.databases.values()] for name, catalog in catalogs.items()} == before


def test_names_of_databases_and_queues_are_found_in_any_letter_case():
    faults = [
        offline("EAST", "STORE"),
        Fault(kind=FaultKind.QUEUE, instance="EAST", database="store", queue="DBO.STOCK"),
    ]
    found = Snapshot(pair(), at=NOW, faults=faults).catalogs["EAST"].databases["Store"]
    assert found.state is DatabaseState.OFFLINE
    assert not found.queues["dbo.Stock"].is_enabled


@pytest.mark.parametrize("named", ["EAST", "NORTH"])
def test_a_pair_changes_its_roles_whichever_partner_is_named(named):
    found = Snapshot(pair(), at=NOW, faults=[failed_over(named)]).catalogs
    states = [found[name].databases["Store"].state for name in ("EAST", "NORTH")]
    assert states == [DatabaseState.MIRROR, DatabaseState.ONLINE]


def test_a_database_without_a_partner_fails_over_to_nobody():
    catalogs = estate(shop(THERE), store())
    assert Snapshot(catalogs, at=NOW, faults=[failed_over("EAST")]).catalogs == catalogs


def test_the_order_in_which_faults_are_named_does_not_matter():
    faults = [failed_over("EAST"), offline("NORTH"), cut("WEST", "EAST"), down("WEST"), cut("EAST", "WEST")]
    one, other = (Snapshot(pair(), at=NOW, faults=each) for each in (faults, faults[::-1]))
    assert one.catalogs == other.catalogs
    assert one.faults.all == other.faults.all
    assert one.faults.cut == {frozenset(("EAST", "WEST"))}


@pytest.mark.parametrize(
    "faults",
    [
        [failed_over("EAST")],
        [failed_over("NORTH"), offline("NORTH")],
        [Fault(kind=FaultKind.ENDPOINT, instance="EAST"), offline("EAST")],
        [Fault(kind=FaultKind.QUEUE, instance="EAST", database="Store", queue="dbo.Stock")],
    ],
    ids=["failover", "failover and offline", "endpoint and database", "queue"],
)
def test_what_is_supposed_is_what_operators_make_of_it(faults):
    """Commands in a world lead to the catalogs that the what-if supposes."""
    world = EstateWorld(pair(), at=NOW, seed=1, faults=faults)
    supposed = Snapshot(pair(), at=NOW, faults=faults).catalogs
    for name, server in world.servers.items():
        assert server.instance.catalog.databases == supposed[name].databases
        assert server.instance.catalog.endpoint == supposed[name].endpoint
