"""The law of the difference: applied to what was before, the changes give what is after."""

import msgspec
from hypothesis import given

from engine.core.catalog.changes import (
    ContractCreated,
    ContractDropped,
    DatabaseCreated,
    EndpointAltered,
    EndpointCreated,
    EndpointDropped,
    MessageTypeDropped,
    QueueDropped,
    RouteAltered,
    RouteCreated,
    RouteDropped,
    ServiceAltered,
    ServiceDropped,
)
from engine.core.catalog.database import DatabaseCatalog
from engine.core.catalog.difference import diff
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.objects import Contract, Endpoint, SentBy
from engine.core.catalog.revision import apply_change, apply_changes, copy, new_instance
from engine.core.catalog.route import LocalAddress, Route
from engine.core.vocabulary.identifiers import (
    MSDB,
    BrokerInstanceId,
    DatabaseName,
    EndpointName,
    InstanceName,
    RouteName,
)
from engine.core.vocabulary.moment import UtcTime
from tests.support.catalogs import ID, LIVRAISON, VENTES, catalogs, paris, uses, ventes
from tests.support.numbered_entropy import NumberedEntropy
from tests.support.thoroughness import examples


def folded(catalog: InstanceCatalog) -> InstanceCatalog:
    """The catalog without what is no difference: letter case of names that stay at home."""

    def fold(database: DatabaseCatalog) -> DatabaseCatalog:
        replace = msgspec.structs.replace
        return replace(
            database,
            name=database.name.lower(),
            queues={key.lower(): replace(queue, name=key.lower()) for key, queue in database.queues.items()},
            services={key: replace(item, queue=item.queue.lower()) for key, item in database.services.items()},
            routes={key.lower(): replace(route, name=key.lower()) for key, route in database.routes.items()},
        )

    endpoint = catalog.endpoint
    return msgspec.structs.replace(
        catalog,
        endpoint=None if endpoint is None else msgspec.structs.replace(endpoint, name=endpoint.name.lower()),
        databases={name.lower(): fold(database) for name, database in catalog.databases.items()},
    )


@examples(300)
@given(catalogs, catalogs)
def test_the_changes_make_of_the_first_catalog_the_second(before: InstanceCatalog, after: InstanceCatalog) -> None:
    untouched = copy(before)
    assert folded(apply_changes(before, diff(before, after))) == folded(after)
    assert before == untouched


@given(catalogs)
def test_a_catalog_does_not_differ_from_itself(catalog: InstanceCatalog) -> None:
    assert diff(catalog, copy(catalog)) == ()


@given(catalogs)
def test_an_instance_can_be_built_from_nothing(after: InstanceCatalog) -> None:
    empty = InstanceCatalog(name=after.name)
    assert folded(apply_changes(empty, diff(empty, after))) == folded(after)


def test_two_new_instances_differ_in_their_identities_only() -> None:
    one, other = (new_instance(InstanceName("PARIS"), NumberedEntropy(first)) for first in (1, 9))
    assert apply_changes(one, diff(one, other)) == other


def test_a_route_that_loses_a_clause_is_made_anew_and_one_that_gains_is_altered() -> None:
    before, after = paris(), paris()
    plain = Route(name=RouteName("R"), address=LocalAddress())
    limited = msgspec.structs.replace(plain, expires_at=UtcTime(5.0))
    apply_change(before, RouteCreated(database=MSDB, route=plain))
    apply_change(after, RouteCreated(database=MSDB, route=limited))
    assert diff(before, after) == (RouteAltered(database=MSDB, name=plain.name, expires_at=UtcTime(5.0)),)
    assert diff(after, before) == (
        RouteDropped(database=MSDB, name=plain.name),
        RouteCreated(database=MSDB, route=plain),
    )


def test_two_databases_can_exchange_their_ids() -> None:
    one, other = (BrokerInstanceId(NumberedEntropy(first).new_uuid()) for first in (50, 60))
    before, after = paris(), paris()
    for catalog, ids in ((before, (one, other)), (after, (other, one))):
        for name, broker_instance in zip(("A", "B"), ids, strict=True):
            apply_change(catalog, DatabaseCreated(database=DatabaseName(name), broker_instance=broker_instance))
    assert apply_changes(before, diff(before, after)) == after


def test_an_id_can_pass_from_a_database_to_one_that_is_made() -> None:
    one, other = (BrokerInstanceId(NumberedEntropy(first).new_uuid()) for first in (50, 60))
    before = apply_changes(paris(), [DatabaseCreated(database=DatabaseName("B"), broker_instance=one)])
    after = apply_changes(
        paris(),
        [
            DatabaseCreated(database=DatabaseName("A"), broker_instance=other),
            DatabaseCreated(database=DatabaseName("B"), broker_instance=other),
        ],
    )
    assert apply_changes(before, diff(before, after)) == after


def test_an_endpoint_that_listened_on_one_address_can_listen_on_all() -> None:
    restricted = Endpoint(EndpointName("Broker"), 4022, listener_ip="10.0.0.1")
    before = apply_changes(paris(), [EndpointCreated(endpoint=restricted)])
    after = apply_changes(paris(), [EndpointCreated(endpoint=msgspec.structs.replace(restricted, listener_ip=None))])
    assert diff(before, after) == (EndpointAltered(name="Broker", listener_ip="ALL"),)
    assert apply_changes(before, diff(before, after)) == after


def test_services_go_before_what_they_use() -> None:
    before, after = ventes(), apply_changes(paris(), [DatabaseCreated(database=VENTES, broker_instance=ID)])
    changes = diff(before, after)
    assert [type(change) for change in changes] == [
        EndpointDropped, ServiceDropped, ContractDropped, QueueDropped, MessageTypeDropped, MessageTypeDropped,
    ]  # fmt: skip
    assert apply_changes(before, changes) == after


def test_a_contract_that_differs_is_made_anew_and_its_services_get_it_back() -> None:
    before = ventes()
    other = Contract(LIVRAISON, uses(Ordre=SentBy.ANY))
    after = copy(before)
    after.databases[VENTES].contracts[LIVRAISON] = other
    assert [type(change) for change in diff(before, after)] == [
        ServiceAltered, ContractDropped, ContractCreated, ServiceAltered,
    ]  # fmt: skip
    assert apply_changes(before, diff(before, after)) == after
