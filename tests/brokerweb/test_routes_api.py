"""Routes made, changed and removed through the API: numbered errors at their fields, no lost updates."""

from urllib.parse import quote
from uuid import uuid4

import pytest

from brokerweb.accounts.rights import Role
from brokerweb.common.outbox.models import OutboxMessage
from brokerweb.topology.changes import changes_from_json
from brokerweb.topology.models import Route, TopologyRevision
from engine import api as engine
from tests.brokerweb.estates import STOCK, make_estate, pair_catalogs

pytestmark = pytest.mark.django_db

ROUTES = "/estates/paire/instances/PARIS/databases/Ventes/routes"
NEW = {"name": "retour", "address": "TCP://LYON.exemple.fr:4022", "service_name": "//test/Réception"}


@pytest.fixture(scope="module", autouse=True)
def written(rows_of_file):
    with rows_of_file():
        make_estate(pair_catalogs())


def latest_changes(instance="PARIS"):
    return changes_from_json(TopologyRevision.objects.first().changes[instance])


def test_a_route_is_made_kept_as_typed_and_put_on_its_way(editor):
    answer = editor.ask("POST", ROUTES, {**NEW, "broker_instance": str(STOCK).upper(), "lifetime_seconds": 600})
    assert answer.status_code == 201
    assert answer["ETag"] == '"2"'
    body = answer.json()
    assert body["revision"] == 2
    route = body["route"]
    assert route["address"] == "TCP://LYON.exemple.fr:4022"
    assert route["address_kind"] == "tcp"
    assert route["broker_instance"] == str(STOCK)
    assert route["target_instance"] == "LYON"
    assert route["is_expired"] is False
    message = OutboxMessage.objects.get(revision=2)
    assert (message.instance_name, message.base_revision) == ("PARIS", 1)
    revision = TopologyRevision.objects.first()
    assert revision.author.username == "the-editor"
    assert revision.summary == "Create route retour in Ventes on PARIS"


@pytest.mark.parametrize(
    ("clauses", "status", "code", "pointer"),
    [
        ({"name": "VERS_LYON"}, 409, 2714, "/name"),
        ({"name": " "}, 422, 1038, "/name"),
        ({"name": "x" * 129}, 422, 103, "/name"),
        ({"address": "TCP://lyon"}, 422, 9744, "/address"),
        ({"address": ""}, 422, 9659, "/address"),
        ({"address": "TCP://lyon:70000"}, 422, 9744, "/address"),
        ({"mirror_address": "TCP://berlin:4022"}, 422, 9661, "/broker_instance"),
        ({"mirror_address": "TCP://berlin", "broker_instance": str(STOCK)}, 422, 9744, "/mirror_address"),
        ({"mirror_address": "LOCAL", "broker_instance": str(STOCK)}, 422, 9743, "/mirror_address"),
        (
            {"mirror_address": "tcp://lyon.exemple.fr:4022", "broker_instance": str(STOCK)},
            422,
            9747,
            "/mirror_address",
        ),
        ({"service_name": None, "broker_instance": str(STOCK)}, 422, 9662, "/service_name"),
        ({"broker_instance": "not an id"}, 422, 8413, "/broker_instance"),
        ({"address": "TRANSPORT"}, 422, 9745, "/service_name"),
        ({"lifetime_seconds": 0}, 422, 9746, "/lifetime_seconds"),
        ({"service_name": ""}, 422, 9659, "/service_name"),
        ({"service_name": "x" * 257}, 422, 9660, "/service_name"),
    ],
)
def test_bad_clauses_give_the_numbered_error_at_their_field_and_change_nothing(editor, clauses, status, code, pointer):
    answer = editor.ask("POST", ROUTES, {**NEW, **clauses})
    problem = answer.json()
    assert (answer.status_code, problem["code"], problem["pointer"]) == (status, code, pointer)
    assert answer["Content-Type"] == "application/problem+json"
    assert problem["detail"]
    assert problem["cure"]
    assert not TopologyRevision.objects.filter(number__gt=1).exists()
    assert not OutboxMessage.objects.filter(revision__gt=1).exists()


def test_a_body_of_another_shape_names_the_field(editor):
    answer = editor.ask("POST", ROUTES, {"name": "retour", "address": 7})
    assert answer.status_code == 422
    assert answer.json()["code"] == "bad-field"
    assert answer.json()["pointer"] == "/address"


def test_what_is_no_json_is_refused_as_malformed(editor):
    answer = editor.generic("POST", f"/api/v1{ROUTES}", b"{", content_type="application/json")
    assert answer.status_code == 400
    assert answer.json()["code"] == "malformed"


def test_a_change_sends_only_the_clauses_that_differ(editor):
    answer = editor.ask("PATCH", f"{ROUTES}/vers_lyon", {"address": "TCP://lyon2:4022"}, If_Match='"1"')
    assert answer.status_code == 200
    (change,) = latest_changes()
    assert isinstance(change, engine.RouteAltered)
    assert str(change.address) == "TCP://lyon2:4022"
    assert change.service_name is None
    assert answer.json()["route"]["service_name"] == "//test/Réception"
    assert answer.json()["route"]["target_instance"] is None


def test_taking_a_clause_away_drops_the_route_and_makes_it_anew_in_one_revision(editor):
    answer = editor.ask("PATCH", f"{ROUTES}/vers_lyon", {"service_name": None}, If_Match='"1"')
    assert answer.json()["revision"] == 2
    assert answer.json()["route"]["service_name"] is None
    dropped, created = latest_changes()
    assert isinstance(dropped, engine.RouteDropped)
    assert isinstance(created, engine.RouteCreated)
    assert created.route.service_name is None


def test_a_lifetime_is_kept_by_a_change_that_does_not_speak_of_it(editor):
    editor.ask("POST", ROUTES, {**NEW, "lifetime_seconds": 600})
    before = editor.ask("GET", "/estates/paire").json()
    expiry = _route(before, "retour")["expires_at"]
    answer = editor.ask("PATCH", f"{ROUTES}/retour", {"address": "LOCAL"}, If_Match='"2"')
    assert answer.json()["route"]["expires_at"] == expiry
    answer = editor.ask("PATCH", f"{ROUTES}/retour", {"lifetime_seconds": None}, If_Match='"3"')
    assert answer.json()["route"]["expires_at"] is None


def test_a_change_that_changes_nothing_makes_no_revision(editor):
    answer = editor.ask("PATCH", f"{ROUTES}/vers_lyon", {"service_name": "//test/Réception"}, If_Match='"1"')
    assert answer.json()["revision"] == 1
    assert TopologyRevision.objects.count() == 1


def test_a_change_from_an_old_revision_is_refused_and_says_who_was_first(api_as):
    first, second = api_as(Role.EDITOR), api_as(Role.ADMIN)
    first.ask("PATCH", f"{ROUTES}/vers_lyon", {"address": "LOCAL"}, If_Match='"1"')
    answer = second.ask("PATCH", f"{ROUTES}/vers_lyon", {"address": "TCP://lyon3:4022"}, If_Match='"1"')
    assert answer.status_code == 412
    problem = answer.json()
    assert problem["code"] == "revision-conflict"
    assert "the-editor" in problem["detail"]
    assert "Change route vers_lyon" in problem["why"]
    assert _route(second.ask("GET", "/estates/paire").json(), "vers_lyon")["address"] == "LOCAL"


@pytest.mark.parametrize("method", ["PATCH", "DELETE"])
def test_a_change_without_a_revision_is_refused(editor, method):
    answer = editor.ask(method, f"{ROUTES}/vers_lyon", {"address": "LOCAL"})
    assert answer.status_code == 428
    assert answer.json()["code"] == "revision-required"


def test_a_revision_that_is_no_number_is_refused(editor):
    answer = editor.ask("DELETE", f"{ROUTES}/vers_lyon", If_Match="W/x")
    assert answer.status_code == 400


def test_a_route_is_removed(editor):
    answer = editor.ask("DELETE", f"{ROUTES}/Vers_Lyon", If_Match='"1"')
    assert answer.json()["revision"] == 2
    names = [route["name"] for route in _routes(editor.ask("GET", "/estates/paire").json())]
    assert names == ["AutoCreatedLocal"]


@pytest.mark.parametrize("name", ["a/b", "été 2026", "100%", "[klammer]", "a/routes/b", "?x#y"])
def test_a_route_may_be_called_anything(editor, name):
    assert editor.ask("POST", ROUTES, {**NEW, "name": name}).status_code == 201
    answer = editor.ask("DELETE", f"{ROUTES}/{quote(name, safe='')}", If_Match='"2"')
    assert answer.status_code == 200, answer.json()


@pytest.mark.parametrize(
    "path",
    [
        "/estates/nowhere/instances/PARIS/databases/Ventes/routes/vers_lyon",
        "/estates/paire/instances/ROME/databases/Ventes/routes/vers_lyon",
        "/estates/paire/instances/PARIS/databases/Achats/routes/vers_lyon",
        "/estates/paire/instances/PARIS/databases/Ventes/routes/vers_rome",
    ],
)
def test_an_address_of_nothing_is_not_found_and_says_what_is_missing(editor, path):
    answer = editor.ask("DELETE", path, If_Match='"1"')
    assert answer.status_code == 404
    assert answer.json()["code"] == "not-found"


def test_names_of_instances_and_databases_are_found_in_any_letter_case(editor):
    path = "/estates/paire/instances/paris/databases/VENTES/routes"
    assert editor.ask("POST", path, NEW).status_code == 201


@pytest.mark.parametrize(("role", "right"), [(Role.VIEWER, "edit"), (Role.OPERATOR, "edit")])
def test_a_role_without_the_right_is_told_which_one_is_missing(api_as, role, right):
    answer = api_as(role).ask("POST", ROUTES, NEW)
    assert answer.status_code == 403
    problem = answer.json()
    assert problem["code"] == "right-missing"
    assert f"the right {right}" in problem["detail"]
    assert "editor" in problem["cure"]


def test_an_expired_route_says_so(editor):
    editor.ask("POST", ROUTES, {**NEW, "lifetime_seconds": 600})
    Route.objects.filter(name="retour").update(expires_at="2024-03-31T22:00:00Z")
    route = _route(editor.ask("GET", "/estates/paire").json(), "retour")
    assert route["is_expired"] is True
    assert route["expires_at"] == "2024-03-31T22:00:00Z"


def test_two_routes_for_two_services_of_one_broker_are_both_kept(editor):
    key = str(uuid4())
    for name in ("une", "deux"):
        body = {**NEW, "name": name, "service_name": f"//test/{name}", "broker_instance": key}
        assert editor.ask("POST", ROUTES, body).status_code == 201
    assert len(_routes(editor.ask("GET", "/estates/paire").json())) == 4


def _routes(topology):
    (paris,) = [instance for instance in topology["instances"] if instance["name"] == "PARIS"]
    (ventes,) = [database for database in paris["databases"] if database["name"] == "Ventes"]
    return ventes["routes"]


def _route(topology, name):
    (route,) = [route for route in _routes(topology) if route["name"] == name]
    return route
