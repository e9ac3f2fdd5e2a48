"""What DDL may do to a catalog: who is refused, with which number, and that a refusal changes nothing."""

import contextlib

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.contracts.codec import catalog_change_decoder, catalog_decoder, json_encoder
from engine.core.catalog.changes import (
    BrokerRenewed,
    BrokerSwitched,
    CatalogChange,
    DatabaseCreated,
    DatabaseDropped,
    DatabaseStateSet,
    EndpointAltered,
    EndpointCreated,
    EndpointDropped,
    HostNamesSet,
    PartnerSet,
)
from engine.core.catalog.database import DatabaseState
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.objects import (
    Endpoint,
)
from engine.core.catalog.revision import apply_change, apply_changes, copy
from engine.core.catalog.route import LocalAddress, Route
from engine.core.vocabulary.errors import CatalogError
from engine.core.vocabulary.identifiers import (
    MASTER,
    MSDB,
    DatabaseName,
    EndpointName,
    RouteName,
)
from tests.support.catalogs import (
    ENDPOINT,
    ID,
    OTHER_ID,
    VENTES,
    after,
    catalog_changes,
    catalogs,
    paris,
    refusal_of,
    ventes,
)


class TestNewInstance:
    def test_master_has_neither_catch_all_route_nor_broker_msdb_has_both(self) -> None:
        databases = paris().databases
        assert (databases[MASTER].routes, databases[MASTER].is_broker_enabled) == ({}, False)
        catch_all = Route(name=RouteName("AutoCreatedLocal"), address=LocalAddress())
        assert (list(databases[MSDB].routes.values()), databases[MSDB].is_broker_enabled) == ([catch_all], True)

    def test_each_database_has_an_id_of_its_own(self) -> None:
        assert len({database.broker_instance for database in paris().databases.values()}) == 2


class TestDatabases:
    def test_a_database_is_born_with_its_broker_on_and_the_catch_all_route(self) -> None:
        born = after()
        assert (born.is_broker_enabled, list(born.routes)) == (True, ["AutoCreatedLocal"])

    def test_a_twin_of_an_active_database_is_born_with_its_broker_off(self) -> None:
        twin = DatabaseName("Copie")
        catalog = apply_changes(ventes(), [DatabaseCreated(database=twin, broker_instance=ID)])
        assert not catalog.databases[twin].is_broker_enabled
        assert refusal_of(BrokerSwitched(database=twin, is_enabled=True), catalog) == 9772

    def test_a_twin_is_switched_on_once_the_other_is_off(self) -> None:
        twin = DatabaseName("Copie")
        changes = [
            DatabaseCreated(database=twin, broker_instance=ID),
            BrokerSwitched(database=VENTES, is_enabled=False),
            BrokerSwitched(database=twin, is_enabled=True),
        ]
        assert apply_changes(ventes(), changes).databases[twin].is_broker_enabled

    def test_new_broker_gives_a_new_id_and_switches_the_broker_on(self) -> None:
        off = BrokerSwitched(database=VENTES, is_enabled=False)
        renewed = after(off, BrokerRenewed(database=VENTES, broker_instance=OTHER_ID))
        assert (renewed.broker_instance, renewed.is_broker_enabled) == (OTHER_ID, True)

    @pytest.mark.parametrize(
        ("state", "number"), [(DatabaseState.READ_ONLY, 9775), (DatabaseState.MIRROR, 9778)], ids=str
    )
    def test_new_broker_is_refused_for_read_only_and_mirrored_databases(
        self, state: DatabaseState, number: int
    ) -> None:
        catalog = apply_changes(ventes(), [DatabaseStateSet(database=VENTES, state=state)])
        assert refusal_of(BrokerRenewed(database=VENTES, broker_instance=OTHER_ID), catalog) == number

    def test_a_mirrored_database_gets_no_new_broker_and_is_not_switched_on(self) -> None:
        mirrored = [
            BrokerSwitched(database=VENTES, is_enabled=False),
            PartnerSet(database=VENTES, partner_address="TCP://lyon:5022"),
        ]
        catalog = apply_changes(ventes(), mirrored)
        assert refusal_of(BrokerRenewed(database=VENTES, broker_instance=OTHER_ID), catalog) == 9778
        assert refusal_of(BrokerSwitched(database=VENTES, is_enabled=True), catalog) == 1468

    @pytest.mark.parametrize(
        ("change", "number"),
        [
            (DatabaseCreated(database=DatabaseName("VENTES"), broker_instance=OTHER_ID), 1801),
            (DatabaseCreated(database=DatabaseName(" "), broker_instance=OTHER_ID), 1038),
            (DatabaseCreated(database=DatabaseName("x" * 129), broker_instance=OTHER_ID), 103),
            (DatabaseDropped(database=DatabaseName("Achats")), 911),
            (DatabaseDropped(database=MSDB), 3708),
            (PartnerSet(database=VENTES, partner_address="LOCAL"), 9744),
            (PartnerSet(database=VENTES, partner_address="TCP://lyon"), 9744),
            (PartnerSet(database=MSDB, partner_address="TCP://lyon:5022"), 153),
            (DatabaseStateSet(database=MASTER, state=DatabaseState.MIRROR), 153),
        ],
    )
    def test_what_no_database_may_be(self, change: CatalogChange, number: int) -> None:
        assert refusal_of(change) == number

    def test_a_database_is_found_in_any_letter_case_and_keeps_its_spelling(self) -> None:
        catalog = apply_changes(ventes(), [BrokerSwitched(database=DatabaseName("vEnTeS"), is_enabled=False)])
        assert not catalog.databases[VENTES].is_broker_enabled


class TestEndpoint:
    @pytest.mark.parametrize(
        ("change", "number"),
        [
            (EndpointCreated(endpoint=Endpoint(EndpointName("Second"), 4023)), 7862),
            (EndpointAltered(name="Broker"), 7863),
            (EndpointAltered(name="Broker", port=1023), 5837),
            (EndpointAltered(name="Broker", port=32768), 5837),
            (EndpointAltered(name="Broker", message_forward_size_megabytes=0), 5839),
            (EndpointAltered(name="Broker", listener_ip="paris"), 153),
            (EndpointAltered(name="Autre", port=4023), 15151),
            (EndpointDropped(name="Autre"), 15151),
        ],
    )
    def test_what_no_endpoint_may_be(self, change: CatalogChange, number: int) -> None:
        assert refusal_of(change) == number

    def test_alter_keeps_what_is_not_given_and_all_lifts_the_restriction_to_one_address(self) -> None:
        restricted = EndpointAltered(name="BROKER", listener_ip="10.0.0.1", is_message_forwarding_enabled=True)
        catalog = apply_changes(ventes(), [restricted, EndpointAltered(name="Broker", listener_ip="all")])
        assert catalog.endpoint == msgspec.structs.replace(ENDPOINT, is_message_forwarding_enabled=True)

    def test_a_dropped_endpoint_is_gone(self) -> None:
        assert apply_changes(ventes(), [EndpointDropped(name="broker")]).endpoint is None

    def test_host_names_are_folded_and_kept_once(self) -> None:
        catalog = apply_changes(
            ventes(), [HostNamesSet(host_names=("Paris.Exemple.FR", "paris.exemple.fr", "10.0.0.1"))]
        )
        assert catalog.host_names == ("paris.exemple.fr", "10.0.0.1")
        assert refusal_of(HostNamesSet(host_names=("deux mots",))) == 153


@given(catalogs, catalog_changes)
def test_a_refused_change_changes_nothing_and_an_obeyed_one_says_the_same_over_the_wire(
    catalog: InstanceCatalog, change: CatalogChange
) -> None:
    before = copy(catalog)
    received = catalog_change_decoder.decode(json_encoder.encode(change))
    assert received == change
    try:
        apply_change(catalog, change)
    except CatalogError:
        assert catalog == before
    assert catalog_decoder.decode(json_encoder.encode(catalog)) == catalog


@given(catalogs, st.lists(catalog_changes, max_size=3))
def test_changes_apply_to_a_copy_whole_or_not_at_all(catalog: InstanceCatalog, changes: list[CatalogChange]) -> None:
    before = copy(catalog)
    with contextlib.suppress(CatalogError):
        apply_changes(catalog, changes)
    assert catalog == before
