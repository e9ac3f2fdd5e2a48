"""Undo and redo in a change set: one action, one step, one's own, and only while nobody has built on it."""

import pytest

from brokerweb.accounts.rights import Role
from brokerweb.topology.services.change_sets import change_set_create
from tests.brokerweb.estates import make_estate, pair_catalogs

pytestmark = pytest.mark.django_db

ESTATE = "/estates/paire"
SET = f"{ESTATE}/change-sets/1"
ROUTES = f"{ESTATE}/instances/PARIS/databases/Ventes/routes"
DRAFT = "?change_set=1"


@pytest.fixture(scope="module", autouse=True)
def written(rows_of_file):
    with rows_of_file():
        make_estate(pair_catalogs())
        change_set_create("paire", title="", user=None)


@pytest.fixture
def other(api_as):
    return api_as(Role.ADMIN)


def alter(client, address):
    tag = client.ask("GET", SET)["ETag"]
    answer = client.ask("PATCH", f"{ROUTES}/vers_lyon{DRAFT}", {"address": address}, If_Match=tag)
    assert answer.status_code == 200, answer.json()


def create(client, *names):
    changes = [
        {"change": "route-created", "database": "Ventes", "route": {"name": name, "address": {"type": "local"}}}
        for name in names
    ]
    body = {"summary": f"Create {len(names)} routes", "changes": {"PARIS": changes}}
    answer = client.decide(f"{ESTATE}/changes{DRAFT}", body)
    assert answer.status_code == 200, answer.json()


def addresses(client):
    (paris,) = [each for each in client.ask("GET", f"{ESTATE}{DRAFT}").json()["instances"] if each["name"] == "PARIS"]
    (ventes,) = [each for each in paris["databases"] if each["name"] == "Ventes"]
    return {route["name"]: route["address"] for route in ventes["routes"]}


def turn(client, which, status=200, **headers):
    answer = client.ask("POST", f"{SET}/{which}", **headers)
    assert answer.status_code == status, answer.json()
    return answer.json()


def test_many_objects_are_one_step(editor):
    before = addresses(editor)
    create(editor, *(f"r{number}" for number in range(12)))
    told = editor.ask("GET", SET).json()
    assert (told["can_undo"], told["undo_summary"], told["can_redo"]) == (True, "Create 12 routes", False)
    assert turn(editor, "undo") == {"number": 1, "sequence": 2, "summary": "Create 12 routes"}
    assert addresses(editor) == before
    told = editor.ask("GET", SET).json()
    assert (told["objects"], told["can_undo"], told["can_redo"]) == ([], False, True)
    assert [each["is_undone"] for each in told["commands"]] == [True]
    turn(editor, "redo")
    assert len(addresses(editor)) == len(before) + 12


def test_steps_are_undone_and_redone_in_their_order_and_another_action_ends_redoing(editor):
    for address in ("LOCAL", "TCP://berlin:4022", "TCP://rome:4022"):
        alter(editor, address)
    turn(editor, "undo")
    turn(editor, "undo")
    assert addresses(editor)["vers_lyon"] == "LOCAL"
    turn(editor, "redo")
    assert addresses(editor)["vers_lyon"] == "TCP://berlin:4022"
    alter(editor, "TCP://oslo:4022")
    problem = turn(editor, "redo", 409)
    assert problem["code"] == "cannot-undo"
    turn(editor, "undo")
    assert addresses(editor)["vers_lyon"] == "TCP://berlin:4022"


def test_everybody_undoes_what_is_his_own(editor, other):
    alter(editor, "LOCAL")
    create(other, "autre")
    turn(editor, "undo")
    assert addresses(editor) == {"AutoCreatedLocal": "LOCAL", "vers_lyon": "TCP://lyon:4022", "autre": "LOCAL"}
    assert turn(editor, "undo", 409)["detail"] == "You have nothing to undo in change set #1."


def test_what_others_have_built_on_is_not_undone_and_the_problem_names_them(editor, other):
    alter(editor, "LOCAL")
    alter(other, "TCP://berlin:4022")
    problem = turn(editor, "undo", 409)
    assert "Change route vers_lyon" in problem["detail"]
    assert problem["why"].startswith("the-admin changed route vers_lyon in ventes on paris after it")
    told = editor.ask("GET", SET).json()
    assert (told["can_undo"], told["undo_hindrance"]) == (False, problem["why"])
    turn(other, "undo")
    turn(editor, "undo")
    assert addresses(editor)["vers_lyon"] == "TCP://lyon:4022"


def test_what_stood_on_something_that_is_undone_is_not_done_again(editor, other):
    alter(editor, "LOCAL")
    alter(other, "TCP://berlin:4022")
    turn(other, "undo")
    turn(editor, "undo")
    problem = turn(other, "redo", 409)
    assert "undone since" in problem["why"]


def test_what_others_objects_need_is_not_undone(editor, other):
    queue = {"change": "queue-created", "database": "Ventes", "queue": {"name": "dbo.Autre"}}
    moved = {"change": "service-altered", "database": "Ventes", "name": "//test/Commandes", "queue": "dbo.Autre"}
    for client, change in ((editor, queue), (other, moved)):
        body = {"summary": "x", "changes": {"PARIS": [change]}}
        assert client.decide(f"{ESTATE}/changes{DRAFT}", body).status_code == 200
    answer = editor.ask("POST", f"{SET}/undo")
    assert answer.status_code in (404, 422)
    assert "dbo.Autre" in answer.json()["detail"]
    assert editor.ask("GET", SET).json()["problems"] == []


def test_a_decision_about_a_conflict_is_undone_like_anything_else(editor, other):
    alter(editor, "LOCAL")
    other.ask("PATCH", f"{ROUTES}/vers_lyon", {"address": "TCP://berlin:4022"}, If_Match='"1"')
    body = {"instance": "PARIS", "database": "Ventes", "kind": "route", "name": "vers_lyon", "decision": "mine"}
    editor.ask("POST", f"{SET}/conflicts", body)
    assert editor.ask("GET", SET).json()["conflict_count"] == 0
    turn(editor, "undo")
    assert editor.ask("GET", SET).json()["conflict_count"] == 1


def test_undoing_from_an_old_state_is_refused(editor):
    alter(editor, "LOCAL")
    assert turn(editor, "undo", 412, If_Match='"1-0"')["code"] == "revision-conflict"
    turn(editor, "undo", 200, If_Match='"1-1"')
