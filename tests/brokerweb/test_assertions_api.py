"""Assertions over the API: made from what comes of a question, changed by several people, run, and kept."""

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
from django.utils import timezone

from brokerweb.accounts.rights import Role
from brokerweb.topology.models import Decision
from brokerweb.whatif.models import Assertion, AssertionRun
from brokerweb.whatif.selectors import basis
from brokerweb.whatif.services import assertion_runs
from engine import api as engine
from tests.brokerweb.estates import PARIS, decide, make_estate, pair_catalogs

pytestmark = pytest.mark.django_db

ESTATE = "/estates/paire"
ASSERTIONS = f"{ESTATE}/assertions"
RUN = f"{ASSERTIONS}/run"
ROUTES = f"{ESTATE}/instances/PARIS/databases/Ventes/routes"
ORDERS = {
    "instance": "PARIS",
    "database": "Ventes",
    "service": "//test/Commandes",
    "to_service": "//test/Réception",
}
LYON = {"instance": "LYON", "database": "Stock"}


@pytest.fixture(scope="module", autouse=True)
def written(rows_of_file):
    with rows_of_file():
        make_estate(pair_catalogs())


@pytest.fixture
def other(api_as):
    return api_as(Role.ADMIN)


def create(client, **body):
    answer = client.ask("POST", ASSERTIONS, {"question": ORDERS, **body})
    assert answer.status_code == 201, answer.json()
    return answer.json()


def run(client, **body):
    answer = client.ask("POST", RUN, body)
    assert answer.status_code == 200, answer.json()
    return answer.json()


def listed(client, query=""):
    answer = client.ask("GET", f"{ASSERTIONS}{query}")
    assert answer.status_code == 200, answer.json()
    return answer.json()


def only(client):
    (row,) = listed(client)["rows"]
    return row


def lead_nowhere(client):
    assert client.decide(f"{ROUTES}/vers_lyon", {"address": "TCP://nowhere:4022"}, method="PATCH").status_code == 200


def problem(answer, status, code):
    told = answer.json()
    assert (answer.status_code, told["code"]) == (status, code), told
    return told


# ── made ─────────────────────────────────────────────────────────────────────────────────────────────────────────────
def test_what_comes_of_a_question_is_pinned_and_listed(editor):
    made = create(editor, note="The shop", tags=["orders", " night ", "orders"])
    assert made["expected"] == {
        "works": True,
        "disposition": "delivered",
        "reaches": [LYON],
        "path": None,
        "number": None,
    }
    assert "//test/Réception" in made["name"]
    assert (made["version"], made["tags"], made["created_by"]) == (1, ["orders", "night"], "the-editor")
    assert (made["last"], made["history"], made["state"]) == (None, [], "never-run")
    assert only(editor) == made
    assert listed(editor)["counts"] == {"all": 1, "passed": 0, "failed": 0, "never_run": 1, "disabled": 0}


def test_a_given_expectation_is_kept_as_it_is_given(editor):
    expected = {
        "works": True,
        "disposition": "delivered",
        "reaches": [LYON],
        "path": [{"route": "vers_lyon", "instance": "PARIS", "database": "Ventes"}],
        "number": None,
    }
    at = "2030-01-01T00:00:00Z"
    fault = {"kind": "instance", "instance": "lyon"}
    made = create(editor, name="Orders", expected=expected, at=at, faults=[fault], is_enabled=False)
    assert (made["name"], made["expected"], made["state"]) == ("Orders", expected, "disabled")
    assert datetime.fromisoformat(made["at"]) == datetime(2030, 1, 1, tzinfo=UTC)
    assert made["faults"][0]["instance"] == "LYON"


def test_a_pin_may_hold_the_path_and_the_state_of_a_change_set(editor):
    assert editor.ask("POST", f"{ESTATE}/change-sets", {}).status_code == 201
    where = f"{ROUTES}/vers_lyon?change_set=1"
    assert editor.decide(where, {"address": "TCP://nowhere:4022"}, method="PATCH").status_code == 200
    live = create(editor, pin={"with_path": True})
    drafted = create(editor, pin={"change_set": 1})
    assert [step["route"] for step in live["expected"]["path"]] == ["vers_lyon", "AutoCreatedLocal"]
    assert (drafted["expected"]["works"], drafted["expected"]["disposition"]) == (False, "nobody-there")
    assert drafted["name"] == f"{live['name']} (2)"


@pytest.mark.parametrize(
    ("body", "status", "code", "pointer"),
    [
        ({"question": {**ORDERS, "service": "//test/Commande"}}, 404, "not-found", "/question/service"),
        ({"question": {**ORDERS, "instance": "BERLIN"}}, 404, "not-found", "/question/instance"),
        ({"faults": [{"kind": "instance", "instance": "BERLIN"}]}, 404, "not-found", "/faults/0/instance"),
        ({"expected": {}}, 422, "nothing-claimed", "/expected"),
        ({"expected": {"works": True}, "pin": {}}, 400, "malformed", "/pin"),
        ({"pin": {"revision": 7}}, 404, "not-found", None),
        ({"expected": {"works": "true"}}, 422, "bad-field", "/expected/works"),
        ({"expected": {"worx": True}}, 400, "unknown-field", "/expected/worx"),
        ({"name": " "}, 422, "bad-field", "/name"),
        ({"tags": ["x" * 41]}, 422, "bad-field", "/tags/0"),
        ({"name": "taken"}, 409, "assertion-name-taken", "/name"),
    ],
)
def test_what_cannot_be_asserted_is_refused_with_its_place(editor, body, status, code, pointer):
    create(editor, name="taken")
    answer = editor.ask("POST", ASSERTIONS, {"question": ORDERS, **body})
    assert problem(answer, status, code)["pointer"] == pointer
    assert Assertion.objects.count() == 1


# ── changed ──────────────────────────────────────────────────────────────────────────────────────────────────────────
def test_two_people_change_one_assertion_and_the_second_is_told_of_both(editor, other):
    made = create(editor, name="Orders")
    at = f"{ASSERTIONS}/{made['id']}"
    first = editor.ask("PATCH", at, {"version": 1, "name": "Orders arrive", "tags": ["shop"]})
    assert (first.status_code, first.json()["version"], first.json()["changed_by"]) == (200, 2, "the-editor")
    second = other.ask("PATCH", at, {"version": 1, "name": "Orders reach LYON", "is_enabled": False})
    told = problem(second, 409, "assertion-changed")
    assert "the-editor" in told["detail"]
    assert told["parameters"]["mine"] == {"name": "Orders reach LYON", "is_enabled": False}
    theirs = told["parameters"]["theirs"]
    assert (theirs["name"], theirs["tags"], theirs["is_enabled"]) == ("Orders arrive", ["shop"], True)
    assert (told["parameters"]["version"], told["parameters"]["changed_by"]) == (2, "the-editor")
    problem(other.ask("DELETE", f"{at}?version=1"), 409, "assertion-changed")
    assert only(editor)["name"] == "Orders arrive"
    assert other.ask("PATCH", at, {"version": 2, "is_enabled": False}).json()["state"] == "disabled"
    assert other.ask("DELETE", f"{at}?version=3").status_code == 204
    problem(editor.ask("PATCH", at, {"version": 3, "name": "x"}), 404, "not-found")


def test_every_change_stands_in_the_log_with_before_and_after(editor):
    made = create(editor, name="Orders")
    at = f"{ASSERTIONS}/{made['id']}"
    editor.ask("PATCH", at, {"version": 1, "note": "By night", "expected": {"works": False}})
    assert editor.ask("PATCH", at, {"version": 2, "note": "By night"}).json()["version"] == 2
    editor.ask("DELETE", f"{at}?version=2")
    rows = editor.ask("GET", f"{ESTATE}/audit").json()["items"][:3]
    assert [row["summary"] for row in rows] == [
        "Delete assertion Orders",
        "Change assertion Orders",
        "Create assertion Orders",
    ]
    assert {row["author"] for row in rows} == {"the-editor"}
    assert [[each["effect"] for each in row["objects"]] for row in rows] == [["remove"], ["change", "change"], ["add"]]
    changed = {field["name"]: field for each in rows[1]["objects"] for field in each["fields"]}
    assert changed["note"] == {"name": "note", "before": "", "after": "By night"}
    assert changed["expected"]["after"] == "does not work"
    french = editor.ask("GET", f"{ESTATE}/audit", Accept_Language="fr").json()["items"][2]["summary"]
    assert french == "Créer l’assertion Orders"
    assert editor.ask("GET", f"{ESTATE}/audit/chain").json()["is_whole"] is True


def test_it_is_pinned_anew_and_has_not_run_since(editor):
    made = create(editor, name="Orders", pin={"with_path": True})
    run(editor)
    lead_nowhere(editor)
    at = f"{ASSERTIONS}/{made['id']}"
    both = {"version": 1, "re_pin": True, "expected": {"works": True}}
    problem(editor.ask("PATCH", at, both), 400, "malformed")
    pinned = editor.ask("PATCH", at, {"version": 1, "re_pin": True}).json()
    assert (pinned["expected"]["works"], pinned["state"], pinned["last"]) == (False, "never-run", None)
    assert pinned["expected"]["path"][0]["route"] == "vers_lyon"
    assert len(pinned["history"]) == 1
    assert run(editor)["run"]["passed"] == 1


@pytest.mark.parametrize("role", [Role.VIEWER, Role.OPERATOR])
def test_who_may_not_edit_may_look_and_run(api_as, editor, role):
    made = create(editor)
    client = api_as(role)
    assert run(client)["run"]["by"] == f"the-{role}"
    assert only(client)["state"] == "passed"
    at = f"{ASSERTIONS}/{made['id']}"
    for method, path, body in (
        ("POST", ASSERTIONS, {"question": ORDERS}),
        ("PATCH", at, {"version": 1, "name": "x"}),
        ("DELETE", f"{at}?version=1", None),
    ):
        problem(client.ask(method, path, body), 403, "right-missing")


# ── run ──────────────────────────────────────────────────────────────────────────────────────────────────────────────
def test_a_run_of_what_is_live_is_kept_and_tells_what_failed_and_why(editor):
    made = create(editor, name="Orders")
    create(editor, name="Off", is_enabled=False)
    assert run(editor)["results"][0]["passed"] is True
    lead_nowhere(editor)
    found = run(editor)
    summary = found["run"]
    assert (summary["passed"], summary["failed"], summary["disabled"], summary["trigger"]) == (0, 1, 1, "person")
    assert (summary["basis"]["revision"], summary["by"]) == (2, "the-editor")
    (result,) = found["results"]
    assert result["failed"] == ["works", "disposition", "reaches"]
    assert (result["disposition"], result["light"], result["assertion_id"]) == ("nobody-there", "red", made["id"])
    assert result["expected_text"] == "works, delivered, reaches LYON/Stock"
    assert result["outcome"]["ends"][0]["instance"] == "PARIS"
    assert result["proof"]
    row = listed(editor)["rows"][0]
    assert row["last"] == result
    assert [(each["passed"], each["revision"]) for each in row["history"]] == [(False, 2), (True, 1)]
    assert row["is_flaky"] is False
    assert listed(editor)["last_run"] == summary


def test_a_run_of_anything_else_is_answered_and_not_kept(editor):
    made = create(editor, name="Orders")
    assert editor.ask("POST", f"{ESTATE}/change-sets", {}).status_code == 201
    for asked in (
        {"change_set": 1},
        {"revision": 1},
        {"at": "2031-01-01T00:00:00Z"},
        {"faults": [{"kind": "instance", "instance": "LYON"}]},
    ):
        found = run(editor, **asked)
        assert found["run"]["id"] is None
        assert found["results"][0]["passed"] is ("faults" not in asked)
    assert not AssertionRun.objects.exists()
    assert only(editor)["state"] == "never-run"
    assert run(editor, ids=[made["id"]])["run"]["id"] is not None
    problem(editor.ask("POST", RUN, {"ids": [made["id"] + 1]}), 404, "not-found")


def test_a_service_that_has_vanished_fails_its_assertion_and_no_page(editor):
    create(editor, name="Orders")
    decide(PARIS, [engine.ServiceDropped(database="Ventes", name="//test/Commandes")])
    (result,) = run(editor)["results"]
    assert (result["passed"], result["failed"], result["outcome"]) == (False, ["asked"], None)
    assert (result["number"]["number"], result["light"]) == (15151, "red")
    row = only(editor)
    assert (row["state"], row["last"]) == ("failed", result)
    problem(editor.ask("PATCH", f"{ASSERTIONS}/{row['id']}", {"version": 1, "re_pin": True}), 404, "not-found")


def test_a_route_that_expires_between_two_runs_makes_it_flaky(editor, monkeypatch):
    assert editor.decide(f"{ROUTES}/vers_lyon", {"lifetime_seconds": 3600}, method="PATCH").status_code == 200
    create(editor, name="Orders")
    run(editor)
    later = timezone.now() + timedelta(hours=2)
    monkeypatch.setattr(basis, "timezone", SimpleNamespace(now=lambda: later))
    (result,) = run(editor)["results"]
    assert result["failed"][0] == "works"
    row = only(editor)
    assert [(each["passed"], each["revision"]) for each in row["history"]] == [(False, 2), (True, 2)]
    assert row["is_flaky"] is True


def test_the_newest_runs_are_kept(editor, monkeypatch):
    monkeypatch.setattr(assertion_runs, "RUNS_KEPT", 3)
    create(editor)
    ids = [run(editor)["run"]["id"] for _ in range(5)]
    assert list(AssertionRun.objects.order_by("pk").values_list("pk", flat=True)) == ids[2:]
    assert len(only(editor)["history"]) == 3


def test_what_is_asked_for(editor):
    for number in range(60):
        create(editor, name=f"Écho {number:02}", tags=["odd" if number % 2 else "even"])
    create(editor, name="Other", expected={"works": False}, is_enabled=True)
    run(editor)
    page = listed(editor)
    assert (len(page["rows"]), page["pages"], page["rows"][0]["name"]) == (50, 2, "Other")
    assert page["tags"] == ["even", "odd"]
    assert page["counts"] == {"all": 61, "passed": 60, "failed": 1, "never_run": 0, "disabled": 0}
    assert [row["name"] for row in listed(editor, "?search=%C3%A9CHO%2001")["rows"]] == ["Écho 01"]
    assert len(listed(editor, "?tag=odd")["rows"]) == 30
    assert [row["name"] for row in listed(editor, "?state=failed")["rows"]] == ["Other"]
    assert len(listed(editor, "?page=9")["rows"]) == 11
    problem(editor.ask("GET", f"{ASSERTIONS}?stat=failed"), 400, "unknown-field")


def test_the_log_knows_nothing_of_runs(editor):
    create(editor)
    before = Decision.objects.count()
    run(editor)
    assert Decision.objects.count() == before


def test_a_kept_result_is_told_in_the_language_of_whoever_reads_it(editor):
    create(editor, name="orders", expected={"works": True})
    lead_nowhere(editor)
    english = run(editor)["results"][0]
    assert english["proof"][0].startswith("A message leaves database Ventes")
    told = {}
    for language in ("en", "fr", "de"):
        row = editor.ask("GET", ASSERTIONS, Accept_Language=language).json()["rows"][0]
        asked = editor.ask("POST", RUN, {}, Accept_Language=language).json()["results"][0]
        assert asked == row["last"]
        told[language] = row["last"]
    assert told["en"] == english
    assert told["fr"]["proof"][0].startswith("Un message quitte la base de données Ventes")
    assert told["de"]["proof"][0].endswith("verlässt die Datenbank Ventes.")
    for part in ("expected_text", "actual_text", "why", "proof"):
        assert len({str(each[part]) for each in told.values()}) == len(told), part
    assert len({each["number"]["number"] for each in told.values()}) == 1
    assert len({each["number"]["text"] for each in told.values()}) == len(told)
