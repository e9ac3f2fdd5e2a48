"""The picture of an estate: complete, cheap, and honest about what is applied."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from brokerweb.accounts.rights import Role
from brokerweb.topology.api.schemas import TopologyOut
from brokerweb.topology.models import Instance
from brokerweb.topology.services.imports import sample_load
from engine import api as engine
from tests.brokerweb.estates import STOCK, VENTES, half, make_estate, pair_catalogs, tcp

pytestmark = pytest.mark.django_db


@pytest.fixture
def viewer(api_as):
    return api_as(Role.VIEWER)


def test_estates_are_listed_with_their_instances(viewer):
    make_estate(pair_catalogs())
    assert viewer.ask("GET", "/estates").json() == [
        {"name": "paire", "pace": 10.0, "revision": 1, "instances": ["LYON", "PARIS"]}
    ]


def test_the_picture_holds_everything_that_is_defined(viewer):
    make_estate(pair_catalogs())
    answer = viewer.ask("GET", "/estates/paire")
    assert answer["ETag"] == '"1"'
    topology = answer.json()
    assert topology["mirrors"] == []
    lyon, paris = topology["instances"]
    assert (lyon["name"], paris["name"]) == ("LYON", "PARIS")
    assert (paris["desired_revision"], paris["applied_revision"], paris["apply_error"]) == (1, 0, "")
    assert paris["endpoint"] == {
        "name": "Broker",
        "port": 4022,
        "state": "STARTED",
        "listener_ip": None,
        "is_message_forwarding_enabled": False,
        "message_forward_size_megabytes": 10,
        "authentication": "WINDOWS NEGOTIATE",
        "encryption": "REQUIRED ALGORITHM AES",
        "trust": {
            "certificate": None,
            "usable_certificates": [],
            "peers": [],
            "lets_strangers_in": False,
            "connect_permissions": [],
        },
    }
    msdb, ventes = paris["databases"]
    assert msdb["name"] == "msdb"
    assert [route["address_kind"] for route in msdb["routes"]] == ["local"]
    assert ventes["broker_instance"] == str(VENTES)
    assert ventes["state"] == "online"
    assert ventes["queues"][0]["name"] == "dbo.File"
    assert ventes["services"] == [
        {
            "name": "//test/Commandes",
            "queue": "dbo.File",
            "contracts": ["//test/Commander", "DEFAULT"],
            "owner": "dbo",
            "send_permissions": [{"grantee": "public", "is_denied": False}],
            "owner_may_receive": True,
        }
    ]
    assert ventes["contracts"] == [
        {"name": "//test/Commander", "uses": [{"message_type": "//test/Commande", "sent_by": "INITIATOR"}]}
    ]
    assert ventes["message_types"] == [{"name": "//test/Commande", "validation": "WELL_FORMED_XML"}]
    assert [route["target_instance"] for route in ventes["routes"]] == [None, "LYON"]


def test_the_answer_has_the_fields_of_its_shape_and_no_others(viewer):
    # It is written without going through the shape, which would only take time.
    sample_load("demo-fr-de", user=None)
    answer = viewer.ask("GET", "/estates/demo-fr-de").json()
    shaped = TopologyOut.model_validate(answer)
    assert shaped.model_dump(mode="json").keys() == answer.keys()
    assert _paths(shaped.model_dump(mode="json")) == _paths(answer)


def _paths(value, path=""):
    """Every place of a document, without what stands there."""
    if isinstance(value, dict):
        return {each for key, inner in value.items() for each in _paths(inner, f"{path}/{key}")}
    if isinstance(value, list):
        return {
            f"{path}[{len(value)}]",
            *(each for number, inner in enumerate(value) for each in _paths(inner, f"{path}/{number}")),
        }
    return {f"{path}: {type(value).__name__}"}


def test_master_is_shown_only_when_something_of_the_broker_is_in_it(viewer):
    paris, lyon = pair_catalogs()
    route = engine.RouteCreated(database="master", route=engine.Route(name="r", address=tcp("lyon")))
    make_estate([engine.apply_changes(paris, [route]), lyon])
    names = {
        instance["name"]: [database["name"] for database in instance["databases"]]
        for instance in viewer.ask("GET", "/estates/paire").json()["instances"]
    }
    assert names == {"LYON": ["msdb", "Stock"], "PARIS": ["master", "msdb", "Ventes"]}


def test_an_estate_that_is_not_there_is_not_found(viewer):
    answer = viewer.ask("GET", "/estates/nowhere")
    assert answer.status_code == 404
    assert answer.json()["detail"] == "There is no estate nowhere."


def test_nobody_sees_anything_without_a_session(client):
    for path in ("/api/v1/estates", "/api/v1/estates/paire", "/api/v1/samples"):
        assert client.get(path).status_code == 401


def test_a_large_estate_takes_as_many_queries_as_a_small_one(viewer):
    make_estate(pair_catalogs(), name="small")
    many = [
        half(f"SITE{number}", 1000 * number, f"Base{number}", STOCK, f"//s/{number}", "//far", "elsewhere")
        for number in range(1, 31)
    ]
    make_estate(many, name="large")
    with CaptureQueriesContext(connection) as small:
        viewer.ask("GET", "/estates/small")
    with CaptureQueriesContext(connection) as large:
        assert len(viewer.ask("GET", "/estates/large").json()["instances"]) == 30
    assert len(large) == len(small) <= 16


def test_an_address_is_an_instance_s_by_name_by_further_host_name_or_by_first_label(viewer):
    paris, lyon = pair_catalogs()
    addresses = {
        "by_name": "lyon",
        "by_first_label": "LYON.exemple.fr",
        "by_host_name": "srv-07",
        "by_number": "10.2.0.7",
        "other_host": "lyon2",
        "loopback": "localhost",
    }
    routes = [
        engine.RouteCreated(database="Ventes", route=engine.Route(name=name, address=tcp(host)))
        for name, host in addresses.items()
    ]
    other_port = engine.Route(name="other_port", address=tcp("lyon", 4023))
    lyon = engine.apply_changes(lyon, [engine.HostNamesSet(host_names=("srv-07", "10.2.0.7"))])
    make_estate(
        [engine.apply_changes(paris, [*routes, engine.RouteCreated(database="Ventes", route=other_port)]), lyon]
    )
    ventes = viewer.ask("GET", "/estates/paire").json()["instances"][1]["databases"][1]
    targets = {route["name"]: route["target_instance"] for route in ventes["routes"]}
    assert {name for name, target in targets.items() if target == "LYON"} == {
        "vers_lyon",
        "by_name",
        "by_first_label",
        "by_host_name",
        "by_number",
    }
    assert targets["loopback"] == "PARIS"
    assert targets["other_host"] is targets["other_port"] is None


def test_drift_is_part_of_the_picture(viewer):
    make_estate(pair_catalogs())
    Instance.objects.filter(name="LYON").update(applied_revision=1)
    Instance.objects.filter(name="PARIS").update(apply_error="9772: refused")
    lyon, paris = viewer.ask("GET", "/estates/paire").json()["instances"]
    assert lyon["applied_revision"] == lyon["desired_revision"] == 1
    assert (paris["applied_revision"], paris["apply_error"]) == (0, "9772: refused")


def test_an_operator_starts_and_stops_an_endpoint(api_as):
    make_estate(pair_catalogs())
    operator = api_as(Role.OPERATOR)
    path = "/estates/paire/instances/LYON/endpoint"
    assert operator.ask("POST", path, {"state": "STOPPED"}).json()["revision"] == 2
    assert operator.ask("POST", path, {"state": "STOPPED"}).json()["revision"] == 2
    assert operator.ask("GET", "/estates/paire").json()["instances"][0]["endpoint"]["state"] == "STOPPED"
    assert operator.ask("POST", path, {"state": "RUNNING"}).status_code == 422
    assert operator.ask("POST", path, {"state": "STARTED"}, If_Match='"1"').status_code == 412


def test_an_instance_without_endpoint_has_nothing_to_start(api_as):
    paris, lyon = pair_catalogs()
    make_estate([engine.apply_changes(paris, [engine.EndpointDropped(name="Broker")]), lyon])
    answer = api_as(Role.OPERATOR).ask("POST", "/estates/paire/instances/PARIS/endpoint", {"state": "STARTED"})
    assert answer.status_code == 404
    assert "CREATE ENDPOINT" in answer.json()["cure"]


def test_an_editor_switches_a_broker_and_an_operator_may_not(api_as):
    make_estate(pair_catalogs())
    path = "/estates/paire/instances/PARIS/databases/Ventes/broker"
    assert api_as(Role.OPERATOR).ask("POST", path, {"is_enabled": False}).status_code == 403
    editor = api_as(Role.EDITOR)
    assert editor.decide(path, {"is_enabled": False}).json()["revision"] == 2
    ventes = editor.ask("GET", "/estates/paire").json()["instances"][1]["databases"][1]
    assert ventes["is_broker_enabled"] is False


def test_a_broker_is_not_enabled_beside_its_twin(api_as):
    paris, lyon = pair_catalogs()
    twin = engine.DatabaseCreated(database="Copie", broker_instance=VENTES)
    make_estate([engine.apply_changes(paris, [twin]), lyon])
    answer = api_as(Role.EDITOR).decide("/estates/paire/instances/PARIS/databases/Copie/broker", {"is_enabled": True})
    assert answer.status_code == 422
    assert answer.json()["code"] == 9772
