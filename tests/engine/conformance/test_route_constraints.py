"""The constraints of CREATE ROUTE and ALTER ROUTE (routing.md 1.1, 8, 11), one test per rule, named after it."""

from uuid import UUID

import pytest

from engine.core.catalog.changes import RouteAltered, RouteCreated, RouteDropped
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.revision import apply_change, copy, new_instance
from engine.core.catalog.route import LocalAddress, NetworkAddress, Route, TransportAddress
from engine.core.catalog.route_rules import BROKER_CONFIGURATION_SERVICE, make_route
from engine.core.vocabulary.errors import CatalogError
from engine.core.vocabulary.identifiers import MSDB, InstanceName, RouteName, ServiceName
from engine.core.vocabulary.messages import TcpAddress
from engine.core.vocabulary.moment import UtcTime
from tests.support.each import for_each
from tests.support.numbered_entropy import NumberedEntropy

NOW = UtcTime(1_700_000_000)
GUID = "0f8fad5b-d9cb-469f-a165-70867728950e"


def route(address: str = "TCP://lyon:4022", **clauses: object) -> Route:
    return make_route(name="VersLyon", address=address, now=NOW, **clauses)[0]  # type: ignore[arg-type]


def refusal(address: str = "TCP://lyon:4022", **clauses: object) -> CatalogError:
    with pytest.raises(CatalogError) as caught:
        route(address, **clauses)
    return caught.value


@pytest.fixture
def paris() -> InstanceCatalog:
    return new_instance(InstanceName("PARIS"), NumberedEntropy())


@pytest.mark.parametrize("clause", ["service_name", "broker_instance", "mirror_address"])
def test_9659_an_empty_clause_is_refused(clause: str) -> None:
    assert (refusal(**{clause: ""}).number, refusal(address="").number) == (9659, 9659)


def test_9660_a_service_name_or_an_address_of_257_characters_is_refused_one_of_256_is_not() -> None:
    assert refusal(service_name="s" * 257).number == 9660
    assert route(service_name="s" * 256).service_name == "s" * 256
    assert refusal(address="TCP://" + "h" * 246 + ":4022").number == 9660
    assert refusal(broker_instance="0" * 129).number == 9660


def test_9660_characters_are_utf_16_code_units() -> None:
    assert route(service_name="😀" * 128).service_name == "😀" * 128
    assert refusal(service_name="😀" * 129).number == 9660


def test_9661_a_mirror_address_needs_service_name_and_broker_id() -> None:
    mirror = "TCP://berlin:4022"
    assert refusal(mirror_address=mirror).number == 9661
    assert refusal(mirror_address=mirror, service_name="S").number == 9661
    assert route(mirror_address=mirror, service_name="S", broker_instance=GUID).mirror_address is not None


def test_9661_names_what_is_missing() -> None:
    text = refusal(mirror_address="TCP://berlin:4022").text
    assert "SERVICE_NAME and BROKER_INSTANCE" in text


def test_9662_a_broker_id_needs_a_service_name() -> None:
    assert refusal(broker_instance=GUID).number == 9662


@pytest.mark.parametrize("keyword", ["LOCAL", "TRANSPORT"])
def test_9743_neither_address_of_a_mirrored_route_is_a_keyword(keyword: str) -> None:
    assert refusal(mirror_address=keyword, service_name="S", broker_instance=GUID).number == 9743
    mirrored = {"mirror_address": "TCP://berlin:4022", "service_name": "S", "broker_instance": GUID}
    assert refusal(keyword, **mirrored).number == 9743


@for_each(
    ("address", "reason"),
    [
        ("lyon:4022", "begins with none of"),
        ("HTTP://lyon:4022", "begins with none of"),
        (" LOCAL", "begins with none of"),
        ("TCP://:4022", "host is missing"),
        ("TCP://lyon", "port is missing"),
        ("TCP://lyon:", "not a port number"),
        ("TCP://lyon:quatre", "not a port number"),
        ("TCP://lyon:-1", "not a port number"),
        ("TCP://lyon:٤٠٢٢", "not a port number"),
        ("TCP://lyon:0", "outside the range"),
        ("TCP://lyon:65536", "outside the range"),
        ("TCP://lyon:" + "9" * 200, "outside the range"),
        ("TCP://ly on:4022", "the host holds ' '"),
        ("TCP://moi@lyon:4022", "the host holds '@'"),
        ("TCP://300.1.2.3:4022", "not an IPv4 address"),
        ("TCP://[::g]:4022", "not an IPv6 address"),
        ("TCP://::1:4022", "stands in brackets"),
    ],
)
def test_9744_an_address_that_cannot_be_parsed_is_refused_with_the_reason(address: str, reason: str) -> None:
    error = refusal(address)
    assert (error.number, error.parameters["clause"]) == (9744, "ADDRESS")
    assert reason in error.text


def test_9745_transport_goes_without_service_name() -> None:
    assert refusal("TRANSPORT", service_name="S").number == 9745
    assert route("TRANSPORT").address == TransportAddress()


@pytest.mark.parametrize("seconds", [0, -1, 2_147_483_648])
def test_9746_a_lifetime_outside_1_to_2147483647_is_refused(seconds: int) -> None:
    assert refusal(lifetime_seconds=seconds).number == 9746


@pytest.mark.parametrize("seconds", [1, 2_147_483_647])
def test_a_lifetime_becomes_the_utc_instant_of_expiry(seconds: int) -> None:
    assert route(lifetime_seconds=seconds).expires_at == NOW + seconds


def test_a_route_without_lifetime_never_expires() -> None:
    assert route().expires_at is None


@pytest.mark.parametrize("mirror", ["TCP://lyon:4022", "tcp://LYON:4022", "TCP://lyon:4022/"])
def test_9747_address_and_mirror_address_differ_by_host_or_port_not_by_spelling(mirror: str) -> None:
    assert refusal(mirror_address=mirror, service_name="S", broker_instance=GUID).number == 9747


@pytest.mark.parametrize("text", ["not-a-guid", "0f8fad5bd9cb469fa16570867728950e", "urn:uuid:" + GUID, GUID + "0"])
def test_8413_a_broker_id_that_is_no_guid_is_refused(text: str) -> None:
    assert refusal(service_name="S", broker_instance=text).number == 8413


def test_e18_a_broker_id_is_read_in_any_letter_case_with_or_without_braces() -> None:
    spellings = (GUID, GUID.upper(), "{" + GUID + "}")
    read = {route(service_name="S", broker_instance=text).broker_instance for text in spellings}
    assert read == {UUID(GUID)}


def test_8412_a_service_name_with_a_control_character_is_refused() -> None:
    assert refusal(service_name="Entre\x00pôt").number == 8412


def test_e19_a_service_name_keeps_its_blanks_and_its_letter_case() -> None:
    assert route(service_name=" Entrepôt ").service_name == " Entrepôt "


def test_the_route_to_the_configuration_service_carries_no_broker_id() -> None:
    error = refusal("LOCAL", service_name=BROKER_CONFIGURATION_SERVICE, broker_instance=GUID)
    assert (error.number, error.parameters["clause"]) == (153, "BROKER_INSTANCE")


def test_e20_scheme_and_host_are_folded_and_the_text_is_kept() -> None:
    address = route("tcp://Lyon.Exemple.FR:04022/").address
    assert address == NetworkAddress("tcp://Lyon.Exemple.FR:04022/", TcpAddress("lyon.exemple.fr", 4022))


def test_e21_where_the_port_is_not_required_4022_is_assumed_with_a_warning() -> None:
    made, warnings = make_route(name="R", address="TCP://dispatch.exemple.fr", now=NOW, port_required=False)
    assert made.address == NetworkAddress("TCP://dispatch.exemple.fr", TcpAddress("dispatch.exemple.fr", 4022))
    assert len(warnings) == 1
    assert "4022" in warnings[0]


def test_e22_an_ipv6_literal_is_read_in_brackets() -> None:
    assert route("tcp://[0:0::1]:4022").address == NetworkAddress("tcp://[0:0::1]:4022", TcpAddress("::1", 4022))


def test_e23_what_follows_host_and_port_is_ignored() -> None:
    address = route("TCP://lyon:4022/x/y").address
    assert isinstance(address, NetworkAddress)
    assert address.tcp == TcpAddress("lyon", 4022)


def test_e24_keywords_are_read_in_any_letter_case() -> None:
    assert (route("local").address, route("Transport").address) == (LocalAddress(), TransportAddress())


def test_a_route_name_is_unique_in_its_table_without_regard_to_letter_case(paris: InstanceCatalog) -> None:
    apply_change(paris, RouteCreated(database=MSDB, route=route()))
    again = Route(name=RouteName("VERSLYON"), address=LocalAddress())
    with pytest.raises(CatalogError) as caught:
        apply_change(paris, RouteCreated(database=MSDB, route=again))
    assert caught.value.number == 2714


def test_routes_may_share_service_address_and_broker_id(paris: InstanceCatalog) -> None:
    for name in ("un", "deux"):
        made, _ = make_route(name=name, address="LOCAL", service_name="S", broker_instance=GUID, now=NOW)
        apply_change(paris, RouteCreated(database=MSDB, route=made))
    assert {"un", "deux"} < paris.databases[MSDB].routes.keys()


def test_alter_changes_the_given_clauses_and_keeps_the_others(paris: InstanceCatalog) -> None:
    apply_change(paris, RouteCreated(database=MSDB, route=route(service_name="S", lifetime_seconds=60)))
    change = RouteAltered(database=MSDB, name=RouteName("verslyon"), address=LocalAddress())
    apply_change(paris, change)
    expected = Route(
        name=RouteName("VersLyon"), address=LocalAddress(), service_name=ServiceName("S"), expires_at=UtcTime(NOW + 60)
    )
    assert paris.databases[MSDB].routes[RouteName("VersLyon")] == expected


def test_alter_cannot_make_a_route_that_create_refuses_and_then_changes_nothing(paris: InstanceCatalog) -> None:
    apply_change(paris, RouteCreated(database=MSDB, route=route(service_name="S")))
    before = copy(paris)
    with pytest.raises(CatalogError) as caught:
        apply_change(paris, RouteAltered(database=MSDB, name=RouteName("VersLyon"), address=TransportAddress()))
    assert caught.value.number == 9745
    assert paris == before


def test_a_new_lifetime_revives_an_expired_route(paris: InstanceCatalog) -> None:
    apply_change(paris, RouteCreated(database=MSDB, route=route(lifetime_seconds=1)))
    later = UtcTime(NOW + 1000)
    apply_change(paris, RouteAltered(database=MSDB, name=RouteName("VersLyon"), expires_at=later))
    assert paris.databases[MSDB].routes[RouteName("VersLyon")].expires_at == later


def test_15151_a_route_that_is_not_there_cannot_be_altered_or_dropped(paris: InstanceCatalog) -> None:
    for change in (
        RouteAltered(database=MSDB, name=RouteName("Nulle"), address=LocalAddress()),
        RouteDropped(database=MSDB, name=RouteName("Nulle")),
    ):
        with pytest.raises(CatalogError) as caught:
            apply_change(paris, change)
        assert caught.value.number == 15151


def test_9744_a_value_whose_text_and_target_disagree_is_refused(paris: InstanceCatalog) -> None:
    forged = Route(name=RouteName("F"), address=NetworkAddress("TCP://lyon:4022", TcpAddress("berlin", 4022)))
    with pytest.raises(CatalogError) as caught:
        apply_change(paris, RouteCreated(database=MSDB, route=forged))
    assert caught.value.number == 9744
