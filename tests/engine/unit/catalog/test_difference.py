"""The law of the difference: applied to what was before, the changes give what is after."""

import msgspec
from hypothesis import given, settings

from engine.core.catalog.changes import DatabaseCreated, RouteAltered, RouteCreated, RouteDropped
from engine.core.catalog.database import DatabaseCatalog
from engine.core.catalog.difference import diff
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.revision import apply_change, apply_changes, copy, new_instance
from engine.core.catalog.route import LocalAddress, Route
from engine.core.vocabulary.identifiers import MSDB, BrokerInstanceId, DatabaseName, InstanceName, RouteName
from engine.core.vocabulary.moment import UtcTime
from tests.support.catalogs import catalogs, paris
from tests.support.numbered_entropy import NumberedEntropy


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


@settings(max_examples=300)
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
