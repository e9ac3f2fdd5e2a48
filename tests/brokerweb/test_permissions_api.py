"""Who may send to a service and receive from a queue, through the API."""

import pytest

from brokerweb.accounts.rights import Role
from brokerweb.topology.models import Database, Estate, TopologyRevision
from brokerweb.topology.selectors.catalogs import estate_catalogs
from engine import api as engine
from tests.brokerweb.estates import make_estate, pair_catalogs

pytestmark = pytest.mark.django_db


def with_users(catalog: engine.InstanceCatalog) -> engine.InstanceCatalog:
    """Every database but the system's has the user Acheteur."""
    made = [
        engine.security_changes.UserCreated(database=name, user=engine.User(engine.UserName("Acheteur")))
        for name in catalog.databases
        if name not in ("master", "msdb")
    ]
    return engine.apply_changes(catalog, made)


@pytest.fixture
def editor(api_as):
    make_estate([with_users(catalog) for catalog in pair_catalogs()])
    return api_as(Role.EDITOR)


def target(client) -> tuple[str, dict, dict]:
    """The first service of LYON: the address of its database, its picture, and the picture of its queue."""
    topology = client.ask("GET", "/estates/paire").json()
    lyon = next(each for each in topology["instances"] if each["name"] == "LYON")
    database = next(each for each in lyon["databases"] if each["services"])
    service = database["services"][0]
    queue = next(each for each in database["queues"] if each["name"] == service["queue"])
    return f"/estates/paire/instances/LYON/databases/{database['name']}", service, queue


def ask(client, kind: str, grantee: str, verb: str):
    path, service, queue = target(client)
    name = service["name"] if kind == "services" else queue["name"]
    return client.decide(f"{path}/{kind}/{name}/permissions", {"grantee": grantee, "verb": verb})


def test_a_service_is_open_to_public_and_belongs_to_dbo(editor):
    _, service, queue = target(editor)
    everybody = [{"grantee": "public", "is_denied": False}]
    assert (service["owner"], service["send_permissions"], service["owner_may_receive"]) == ("dbo", everybody, True)
    assert queue["receive_permissions"] == everybody


def test_send_is_granted_denied_and_revoked_and_kept(editor):
    for verb, grantee, permissions in (
        ("REVOKE", "public", []),
        ("GRANT", "acheteur", [{"grantee": "Acheteur", "is_denied": False}]),
        ("DENY", "Acheteur", [{"grantee": "Acheteur", "is_denied": True}]),
    ):
        assert ask(editor, "services", grantee, verb).status_code == 200
        assert target(editor)[1]["send_permissions"] == permissions
    assert TopologyRevision.objects.order_by("number").last().summary.startswith("Deny SEND on service ")
    assert ask(editor, "services", "Acheteur", "DENY").json()["revision"] == 4


def test_what_is_stored_is_the_catalog_that_was_decided(editor):
    ask(editor, "services", "public", "REVOKE")
    ask(editor, "queues", "Acheteur", "GRANT")
    lyon = estate_catalogs(Estate.objects.get())["LYON"]
    name = target(editor)[1]["name"]
    database = next(each for each in lyon.databases.values() if name in each.services)
    assert database.services[name].send_permissions == ()
    assert [each.grantee for each in database.queues[database.services[name].queue].receive_permissions] == [
        "public",
        "Acheteur",
    ]


def test_a_database_from_before_permissions_is_open(editor):
    for row in Database.objects.all():
        del row.security["permissions"]
        row.save()
    assert target(editor)[1]["send_permissions"] == [{"grantee": "public", "is_denied": False}]


def test_who_may_not_receive_is_said_at_the_service(editor):
    path, *_ = target(editor)
    assert ask(editor, "queues", "public", "REVOKE").status_code == 200
    assert target(editor)[1]["owner_may_receive"] is True
    row = Database.objects.get(name=path.rsplit("/", 1)[1])
    row.services.update(owner="Acheteur")
    # Rows that change without a revision are not seen before the next one.
    assert ask(editor, "services", "public", "REVOKE").status_code == 200
    assert target(editor)[1]["owner_may_receive"] is False
    assert ask(editor, "queues", "Acheteur", "GRANT").status_code == 200
    assert target(editor)[1]["owner_may_receive"] is True


@pytest.mark.parametrize(
    ("grantee", "status", "code"), [("Nemo", 404, 15151), ("dbo", 422, 4624), ("db_owner", 422, 4617)]
)
def test_what_the_engine_refuses_stands_at_its_field_and_changes_nothing(editor, grantee, status, code):
    answer = ask(editor, "services", grantee, "GRANT")
    problem = answer.json()
    assert (answer.status_code, problem["code"], problem["pointer"]) == (status, code, "/grantee")
    assert problem["cure"]
    assert target(editor)[1]["send_permissions"] == [{"grantee": "public", "is_denied": False}]


def test_a_service_that_is_not_there_is_not_found(editor):
    path, *_ = target(editor)
    body = {"grantee": "public", "verb": "GRANT"}
    assert editor.decide(f"{path}/services/weg/permissions", body).json()["code"] == 15151


def test_only_editors_say_who_may_send(editor, api_as):
    assert ask(api_as(Role.OPERATOR), "services", "public", "REVOKE").status_code == 403
