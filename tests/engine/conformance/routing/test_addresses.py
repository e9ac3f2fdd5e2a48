"""Address forms as the router uses them (routing.md 5); what DDL refuses is in test_route_constraints."""

import pytest

from engine.core.catalog.objects import EndpointState
from engine.core.routing.transport_name import derive_address
from engine.core.vocabulary.messages import TcpAddress
from tests.support.each import for_each
from tests.support.routing_tables import B1, DELAYED, REMOTE, end, inside, paris
from tests.support.world import World, route

TRANSPORT = ("t", None, None, "TRANSPORT")


@pytest.mark.parametrize(
    ("service", "host", "port"),
    [
        ("tcp://rushi.desai.name:4256/MyService", "rushi.desai.name", 4256),
        ("TCP://Rushi.Desai.NAME:4256/MyService", "rushi.desai.name", 4256),
        ("tcp://lyon:4022", "lyon", 4022),
        ("tcp://lyon:4022/", "lyon", 4022),
        ("tcp://lyon/MyService", "lyon", 4022),
        ("tcp://10.0.0.7:4022/a/b:c", "10.0.0.7", 4022),
        ("tcp://[2001:db8::7]:4022/x", "2001:db8::7", 4022),
        ("tcp://[2001:DB8:0::7]:4022/x", "2001:db8::7", 4022),
        ("tcp://lyon:65535/x", "lyon", 65535),
    ],
)
def test_transport_the_next_hop_is_what_the_service_name_begins_with(service, host, port):
    assert derive_address(service) == TcpAddress(host, port)
    assert inside(paris([TRANSPORT]), service).address == TcpAddress(host, port)


@for_each(
    "service",
    [
        "MyService",
        "",
        "LOCAL",
        "TRANSPORT",
        " tcp://lyon:4022/x",
        "http://lyon:4022/x",
        "tcp://",
        "tcp:///x",
        "tcp://:4022/x",
        "tcp://lyon:/x",
        "tcp://lyon:0/x",
        "tcp://lyon:65536/x",
        "tcp://lyon:4022MyService",
        "tcp://lyon:٤٠٢٢/x",
        "tcp://ly on:4022/x",
        "tcp://moi@lyon:4022/x",
        "tcp://300.1.2.3:4022/x",
        "tcp://[::g]:4022/x",
        "tcp://[1.2]:4022/x",
        "tcp://::1:4022/x",
        "tcp://lyon:4022\n",
    ],
)
def test_transport_a_name_that_begins_with_no_legal_address_waits_with_9785(service):
    """What CREATE ROUTE would refuse as an address is none here either."""
    assert derive_address(service) is None
    assert end(inside(paris([TRANSPORT]), service)) == (DELAYED, 9785)


def test_transport_the_whole_name_is_matched_at_the_far_end():
    world = World()
    service = "tcp://lyon:4022/Entrepôt"
    paris = world.instance("PARIS", world.database("Ventes", ["Client"], *_transport()))
    paris.define(_drop("Ventes"))
    lyon = world.instance("LYON", world.database("Stock", [service], route("Client", "paris")))
    paris.say("Ventes", paris.begin("Ventes", "Client", service), "x")
    world.run(2)
    assert [row.message_body for row in lyon.receive("Stock", service)] == [b"x"]
    assert not any(each.service_name for each in paris.instance.catalog.databases["Ventes"].routes.values())


def test_transport_one_route_answers_any_number_of_initiators_named_after_their_address():
    """routing.md 5.3: LYON knows no initiator, its one catch-all finds them all."""
    world = World()
    lyon = world.instance("LYON", world.database("Stock", ["Entrepôt"], *_transport()))
    lyon.define(_drop("Stock"))
    for town in ("PARIS", "NANTES"):
        service = f"tcp://{town.lower()}:4022/Client"
        node = world.instance(town, world.database("Ventes", [service], route("Entrepôt", "lyon")))
        node.say("Ventes", node.begin("Ventes", service, "Entrepôt"), town)
    world.run(2)
    for question in lyon.receive("Stock", "Entrepôt", 1) + lyon.receive("Stock", "Entrepôt", 1):
        lyon.say("Stock", question.conversation_handle, question.message_body)
    world.run(2)
    for town in ("PARIS", "NANTES"):
        node = world.nodes[TcpAddress(town.lower(), 4022)]
        assert [row.message_body for row in node.receive("Ventes", f"tcp://{town.lower()}:4022/Client")] == [
            town.encode()
        ]


def _transport():
    from engine.core.catalog.route import Route, TransportAddress

    return [Route(name="anyone", address=TransportAddress())]


def _drop(database):
    from engine.core.catalog.changes import RouteDropped

    return RouteDropped(database=database, name="AutoCreatedLocal")


def test_e18_ids_are_compared_as_numbers():
    from uuid import UUID

    assert inside(paris([("f", "S", B1, "x")]), broker=UUID(str(B1).upper())).match_step == 1


def test_e21_an_address_without_port_means_4022():
    assert inside(paris([("n", "S", None, "TCP://dispatch.Adventure-Works.com")])).address == TcpAddress(
        "dispatch.adventure-works.com", 4022
    )


def test_e22_an_ipv6_literal_is_an_address():
    assert inside(paris([("n", "S", None, "tcp://[2001:db8::7]:4022")])).address == TcpAddress("2001:db8::7", 4022)


def test_e23_a_path_after_host_and_port_is_ignored():
    assert inside(paris([("n", "S", None, "TCP://lyon:4022/x")])).address == TcpAddress("lyon", 4022)


@pytest.mark.parametrize("text", ["local", "Local", "LOCAL"])
def test_e24_keywords_in_any_letter_case_mean_the_same(text):
    from engine.core.catalog.address import parse_route_address

    assert str(parse_route_address(text, port_required=True)[0]) == "LOCAL"


# ── E25: which addresses are this very instance ──
OWN_ADDRESSES = [
    "localhost", "LOCALHOST", "127.0.0.1", "127.3.2.1", "TCP://[::1]:4022", "paris", "PARIS", "paris.exemple.fr",
    "10.1.1.1", "listener.exemple.fr",
]  # fmt: skip


@pytest.mark.parametrize("host", OWN_ADDRESSES)
def test_e25_ones_own_names_and_addresses_with_ones_own_port_are_this_instance(host):
    names = ("10.1.1.1", "listener.exemple.fr")
    decision = inside(paris([("self", "S", None, host)], host_names=names))
    assert (decision.table, decision.via.route.name) == ("msdb", "self")


@pytest.mark.parametrize(
    "host", ["TCP://localhost:4023", "TCP://paris:4023", "lyon", "10.1.1.2", "parisien", "128.0.0.1"]
)
def test_e25_another_port_or_another_host_is_another_instance(host):
    decision = inside(paris([("far", "S", None, host)], host_names=("10.1.1.1",)))
    assert (decision.classification, decision.via) == (REMOTE, None)


@pytest.mark.parametrize("endpoint", [None, EndpointState.STOPPED, EndpointState.DISABLED])
def test_e25_without_a_started_endpoint_no_address_is_this_instance(endpoint):
    decision = inside(paris([("self", "S", None, "paris")], endpoint=endpoint))
    assert (decision.classification, decision.via) == (REMOTE, None)
