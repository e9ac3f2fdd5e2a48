"""Proposed fixes over the API: looked at, taken into a draft as one step, and what a draft does to the findings."""

import pytest

from brokerweb.accounts.rights import Role
from brokerweb.topology.models import Decision, TopologyRevision
from engine import api as engine
from tests.brokerweb.estates import make_estate, pair_catalogs, tcp

pytestmark = pytest.mark.django_db
ESTATE = "/estates/paire"
FINDINGS = f"{ESTATE}/findings"
FIX = f"{FINDINGS}/fix"
SETS = f"{ESTATE}/change-sets"
EXPIRED = ("ancien", "vieux")


@pytest.fixture(autouse=True)
def estate():
    """PARIS with two expired routes, and LYON without its way back."""
    paris, lyon = pair_catalogs()
    old = [
        engine.RouteCreated(
            database="Ventes",
            route=engine.Route(name=name, address=tcp("lyon"), service_name="//test/Ailleurs", expires_at=1.0),
        )
        for name in EXPIRED
    ]
    return make_estate(
        [
            engine.apply_changes(paris, old),
            engine.apply_changes(lyon, [engine.RouteDropped(database="Stock", name="vers_paris")]),
        ]
    )


def read(client, path):
    answer = client.ask("GET", path)
    assert answer.status_code == 200, answer.json()
    return answer.json()


def found(client, query=""):
    return [each["code"] for each in read(client, FINDINGS + query)["findings"]]


def key_of(client, code):
    return read(client, f"{FINDINGS}?code={code}")["findings"][0]["key"]


@pytest.fixture
def draft(editor):
    assert editor.ask("POST", SETS, {}).status_code == 201
    return f"{SETS}/1"


def test_a_preview_shows_sentences_objects_and_sql_and_changes_nothing(editor):
    key = key_of(editor, "SBD-102")
    told = read(editor, f"{FIX}?key={key}")
    assert told["summary"] == "Fix SBD-102, no route back to the initiator: database Stock of LYON"
    assert (told["revision"], told["change_set"]) == (1, None)
    assert (told["asked"], told["mended"], told["left"], told["revealed"]) == (1, 1, [], [])
    assert told["steps"][0]["instance"] == "LYON"
    assert told["steps"][0]["steps"][0].startswith("Create route To Commandes in database Stock")
    (changed,) = told["objects"]
    assert (changed["name"], changed["effect"], told["object_count"]) == ("To Commandes", "add", 1)
    assert {"name": "address", "before": None, "after": "TCP://paris:4022"} in changed["fields"]
    script = told["script"]["text"]
    assert ":CONNECT LYON" in script
    assert "CREATE ROUTE [To Commandes]" in script
    assert TopologyRevision.objects.count() == 1


def test_who_may_only_look_may_preview_and_not_fix(editor, api_as):
    viewer = api_as(Role.VIEWER)
    assert viewer.ask("GET", f"{FIX}?code=SBD-103").status_code == 200
    assert viewer.ask("POST", FIX, {"code": "SBD-103"}).status_code == 403


def test_all_of_a_kind_enter_a_draft_as_one_step_of_undo(editor, draft):
    answer = editor.ask("POST", f"{FIX}?change_set=1", {"code": "SBD-103"}, If_Match='"1-0"')
    assert answer.status_code == 200, answer.json()
    assert answer["ETag"] == '"1-1"'
    made = answer.json()
    assert (made["asked"], made["mended"], made["sequence"], made["left_count"]) == (2, 2, 1, 0)
    assert made["summary"] == "Fix 2 findings SBD-103, route has expired"
    assert found(editor) == ["SBD-102", "SBD-103", "SBD-103"]
    assert found(editor, "?change_set=1") == ["SBD-102"]
    (command,) = read(editor, draft)["commands"]
    assert (command["summary"], command["object_count"]) == (made["summary"], 2)
    assert editor.ask("POST", f"{draft}/undo").status_code == 200
    assert found(editor, "?change_set=1") == ["SBD-102", "SBD-103", "SBD-103"]


def test_a_fix_on_top_of_a_draft_is_made_for_what_the_draft_has(editor, draft):
    """The name that the fix would take is taken in the draft; live it is free."""
    body = {"name": "To Commandes", "address": "LOCAL", "service_name": "//test/Autre"}
    path = f"{ESTATE}/instances/LYON/databases/Stock/routes?change_set=1"
    assert editor.ask("POST", path, body, If_Match='"1-0"').status_code == 201
    key = key_of(editor, "SBD-102")
    assert read(editor, f"{FIX}?key={key}")["objects"][0]["name"] == "To Commandes"
    assert read(editor, f"{FIX}?key={key}&change_set=1")["objects"][0]["name"] == "To Commandes 2"
    answer = editor.decide(f"{FIX}?change_set=1", {"key": key})
    assert answer.status_code == 200, answer.json()
    assert {each["name"] for each in read(editor, draft)["objects"]} == {"To Commandes", "To Commandes 2"}


def test_a_fix_without_a_draft_is_a_revision(editor):
    answer = editor.ask("POST", FIX, {"code": "SBD-103"}, If_Match='"1"')
    assert answer.status_code == 200, answer.json()
    assert (answer.json()["revision"], answer["ETag"]) == (2, '"2"')
    assert Decision.objects.get(revision=2).object_count == 2
    assert found(editor) == ["SBD-102"]
    again = editor.ask("POST", FIX, {"code": "SBD-102"}, If_Match='"1"')
    assert (again.status_code, again.json()["code"]) == (412, "revision-conflict")


@pytest.mark.parametrize(
    ("query", "status", "code"),
    [
        ("", 400, "malformed"),
        ("?code=SBD-103&key=" + "0" * 32, 400, "malformed"),
        ("?code=SBD-000", 400, "malformed"),
        ("?key=" + "0" * 32, 409, "finding-gone"),
        ("?code=SBD-405", 409, "finding-gone"),
        ("?code=SBD-103&change_set=7", 404, "not-found"),
        ("?kode=SBD-103", 400, "unknown-field"),
    ],
)
def test_what_cannot_be_fixed_says_why(editor, query, status, code):
    answer = editor.ask("GET", FIX + query)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert answer.json()["cure"]


def test_a_finding_that_somebody_has_mended_meanwhile_is_gone(editor, draft):
    key = key_of(editor, "SBD-103")
    assert editor.decide(FIX, {"code": "SBD-103"}).status_code == 200
    answer = editor.decide(f"{FIX}?change_set=1", {"key": key})
    assert (answer.status_code, answer.json()["code"]) == (409, "finding-gone")
    assert read(editor, draft)["commands"] == []


def test_what_is_put_aside_is_not_fixed_with_the_others(editor, draft):
    key = key_of(editor, "SBD-103")
    assert editor.ask("POST", f"{FINDINGS}/suppressions", {"key": key, "reason": "Kept."}).status_code == 201
    assert editor.decide(f"{FIX}?change_set=1", {"code": "SBD-103"}).json()["asked"] == 1
    assert editor.decide(f"{FIX}?change_set=1", {"key": key}).json()["mended"] == 1


def test_a_draft_tells_what_it_does_to_the_findings(editor, draft):
    editor.decide(f"{FIX}?change_set=1", {"code": "SBD-103"})
    path = f"{ESTATE}/instances/PARIS/databases/Ventes/routes/vers_lyon?change_set=1"
    assert editor.ask("PATCH", path, {"address": "TCP://lyon:4999"}, If_Match='"1-1"').status_code == 200
    compared = editor.ask("GET", f"{draft}/findings")
    told = compared.json()
    assert compared["ETag"] == '"1-2"'
    assert (told["new"]["errors"], told["gone"]["errors"]) == (1, 2)
    assert [each["code"] for each in told["findings"]] == ["SBD-106"]
    assert [each["code"] for each in read(editor, f"{draft}/findings?fate=gone")["findings"]] == ["SBD-103", "SBD-103"]
    still = read(editor, f"{draft}/findings?fate=still&rows=1&page=1")
    assert (still["pages"], len(still["findings"])) == (still["still"]["errors"], 1)


def test_an_applied_draft_tells_what_it_did_and_a_discarded_one_nothing(editor, draft):
    editor.decide(f"{FIX}?change_set=1", {"code": "SBD-103"})
    assert editor.ask("POST", f"{draft}/apply", If_Match='"1-1"').status_code == 200
    editor.ask("POST", FIX, {"code": "SBD-102"})
    told = read(editor, f"{draft}/findings")
    assert (told["new"]["errors"], told["gone"]["errors"], told["still"]["errors"]) == (0, 2, 1)
    editor.ask("POST", SETS, {})
    editor.ask("DELETE", f"{SETS}/2")
    answer = editor.ask("GET", f"{SETS}/2/findings")
    assert (answer.status_code, answer.json()["code"]) == (409, "change-set-closed")
    assert editor.ask("GET", f"{FINDINGS}?change_set=2").status_code == 409
