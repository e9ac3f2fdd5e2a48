"""A catalog is its objects: taken out and put in again they make it, and no two catalogs differ in anything else."""

import json

import pytest
from hypothesis import given

from engine.api import revisions
from engine.core.catalog.changes import (
    DatabaseCreated,
    EndpointCreated,
    RouteCreated,
    ServiceAltered,
)
from engine.core.catalog.difference import diff
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.objects import Endpoint, EndpointState
from engine.core.catalog.revision import apply_changes, copy
from engine.core.catalog.route import LocalAddress, Route
from engine.core.catalog.security import Login, MasterKey
from engine.core.catalog.security_changes import MasterKeyCreated
from engine.core.catalog.server_changes import ConnectPermissionSet, LoginCreated, PermissionVerb
from engine.core.vocabulary.dialog_security import SealedKey
from engine.core.vocabulary.moment import UtcTime
from tests.support.catalogs import COMMANDES, VENTES, catalogs, ventes
from tests.support.thoroughness import examples

Kind = revisions.ObjectKind


def after_all(before: InstanceCatalog, after: InstanceCatalog) -> InstanceCatalog:
    changes = revisions.changed_objects(before, after)
    return revisions.with_objects(before, {change.key: change.after for change in changes})


@given(catalogs)
def test_a_catalog_can_be_made_of_its_objects_alone(catalog: InstanceCatalog) -> None:
    empty = InstanceCatalog(name=catalog.name)
    assert revisions.with_objects(empty, revisions.objects_of(catalog)) == catalog


@examples(100)
@given(catalogs, catalogs)
def test_the_objects_that_differ_make_of_one_catalog_the_other(before: InstanceCatalog, after: InstanceCatalog) -> None:
    untouched = copy(before)
    made = after_all(before, after)
    assert diff(made, after) == ()
    assert revisions.changed_objects(made, after) == []
    assert before == untouched


@examples(100)
@given(catalogs, catalogs)
def test_objects_differ_where_changes_lead_from_one_to_the_other(
    before: InstanceCatalog, after: InstanceCatalog
) -> None:
    assert bool(revisions.changed_objects(before, after)) == bool(diff(before, after))


@given(catalogs)
def test_every_object_is_found_by_its_key_and_comes_back_from_json(catalog: InstanceCatalog) -> None:
    for key, found in revisions.objects_of(catalog).items():
        assert found.key == key
        assert revisions.object_at(catalog, key) == found
        stored = revisions.value_to_json(found)
        assert revisions.value_from_json(found.kind, found.database, found.name, stored) == found


def test_spelling_and_order_are_no_difference() -> None:
    before = ventes()
    after = apply_changes(
        before,
        [ServiceAltered(database=VENTES, name=COMMANDES, queue="dbo.FILE")],
    )
    database = after.databases[VENTES]
    contract = next(iter(database.contracts.values()))
    database.contracts[contract.name] = type(contract)(contract.name, tuple(reversed(contract.uses)))
    assert revisions.changed_objects(before, after) == []


def test_permissions_to_connect_go_with_the_endpoint() -> None:
    without = apply_changes(ventes(), [LoginCreated(login=Login("Lyon"))])
    granted = apply_changes(without, [ConnectPermissionSet(name="Broker", verb=PermissionVerb.GRANT, grantee="Lyon")])
    (change,) = revisions.changed_objects(without, granted)
    assert change.key.kind is Kind.ENDPOINT
    assert revisions.described(change.after)["connect_permissions"] == ["GRANT Lyon"]
    assert revisions.with_objects(granted, {change.key: None}).connect_permissions == {}


def test_an_object_without_its_database_has_no_place() -> None:
    route = Route(name="R", address=LocalAddress())
    key = revisions.object_key("nowhere", Kind.ROUTE, "R")
    found = revisions.CatalogObject(Kind.ROUTE, "nowhere", "R", route)
    assert revisions.with_objects(ventes(), {key: None}) == ventes()
    with pytest.raises(KeyError):
        revisions.with_objects(ventes(), {key: found})


def test_a_person_reads_texts_and_never_a_key() -> None:
    sealed = b"what nobody shall read"
    catalog = apply_changes(ventes(), [MasterKeyCreated(database=VENTES, master_key=MasterKey(SealedKey(sealed)))])
    catalog = apply_changes(
        catalog,
        [
            DatabaseCreated(database="Autre", broker_instance=catalog.databases["msdb"].broker_instance),
            RouteCreated(database=VENTES, route=Route(name="R", address=LocalAddress(), expires_at=UtcTime(5.5))),
        ],
    )
    told = {key: revisions.described(found) for key, found in revisions.objects_of(catalog).items()}
    text = json.dumps(list(told.values()))
    assert "what nobody" not in text
    assert told[revisions.object_key(VENTES, Kind.MASTER_KEY, "")]["key"].startswith("sealed, ")
    route = told[revisions.object_key(VENTES, Kind.ROUTE, "r")]
    assert (route["address"], route["service_name"]) == ("LOCAL", None)
    assert route["expires_at"].endswith("Z")
    contract = told[revisions.object_key(VENTES, Kind.CONTRACT, "Livraison")]
    assert contract["uses"] == ["Ordre SENT BY INITIATOR", "Reçu SENT BY TARGET"]
    assert told[revisions.object_key(None, Kind.ENDPOINT, "")]["port"] == 4022


def test_another_endpoint_is_the_endpoint_changed() -> None:
    before = ventes()
    after = copy(before)
    after.endpoint = Endpoint("Autre", 4030, EndpointState.STARTED)
    (change,) = revisions.changed_objects(before, after)
    assert (change.before.name, change.after.name) == ("Broker", "Autre")
    assert EndpointCreated(endpoint=after.endpoint) in diff(before, after_all(before, after))
