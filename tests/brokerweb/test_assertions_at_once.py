"""Many assertions at once: from flows, from and into files, switched together, what they exercise, how they stand."""

import pytest
import yaml

from brokerweb.accounts.rights import Role
from brokerweb.topology.models import Decision, Estate
from brokerweb.topology.services import observed_flows
from brokerweb.topology.services.observed_flows import flows_remember
from brokerweb.whatif.models import Assertion
from brokerweb.whatif.services import assertions
from engine import api as engine
from tests.brokerweb.estates import PARIS, decide, make_estate, pair_catalogs

pytestmark = pytest.mark.django_db

ESTATE = "/estates/paire"
ASSERTIONS = f"{ESTATE}/assertions"


def flow(service):
    return engine.what_if.FlowQuestion(
        instance="PARIS", database="Ventes", service=service, to_service="//test/Réception", broker_instance=None
    )


ORDERS = flow("//test/Commandes")


@pytest.fixture(scope="module")
def written(rows_of_file):
    with rows_of_file():
        make_estate(pair_catalogs())


@pytest.fixture(autouse=True)
def estate(written, db, monkeypatch):
    """Nobody runs the estate here, and one look at instances that do not answer is enough."""
    made = Estate.objects.get()
    monkeypatch.setattr(observed_flows, "_looks", {made.pk: (observed_flows.monotonic(), ())})
    return made


def ask(client, path, body=None, method="POST"):
    answer = client.ask(method, f"{ASSERTIONS}{path}", body)
    assert answer.status_code == 200, answer.content.decode()
    return answer.json()


def listed(client, query=""):
    return client.ask("GET", f"{ASSERTIONS}{query}").json()


def take(client, text, **more):
    return client.ask("POST", f"{ASSERTIONS}/file", {"text": text, **more})


def file_of(client):
    answer = client.ask("GET", f"{ASSERTIONS}/file")
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/yaml; charset=utf-8")
    return answer.content.decode()


# ── from flows ───────────────────────────────────────────────────────────────────────────────────────────────────────
def test_every_possible_flow_has_an_assertion_once(editor):
    done = ask(editor, "/from-flows", {"which": "possible", "with_path": True, "tag": "all"})
    flows = list(engine.what_if.possible_flows({each.name: each for each in pair_catalogs()}))
    assert done == {"created": len(flows), "already": 0, "not_asked": 0}
    page = listed(editor)
    assert page["counts"]["never_run"] == len(flows)
    assert {tuple(row["tags"]) for row in page["rows"]} == {("all",)}
    assert all(row["expected"]["path"] for row in page["rows"])
    assert ask(editor, "/run", {})["run"]["passed"] == len(flows)
    again = ask(editor, "/from-flows", {"which": "possible"})
    assert again == {"created": 0, "already": len(flows), "not_asked": 0}
    logged = Decision.objects.order_by("-sequence").first()
    assert logged.summary == f"Create {len(flows)} assertions, one for each flow without"


def test_flows_that_traffic_has_shown_are_asserted_but_those_of_nobody(editor, estate):
    flows_remember(estate, frozenset({ORDERS, flow("//test/Disparu")}))
    assert ask(editor, "/from-flows", {"which": "observed"}) == {"created": 1, "already": 0, "not_asked": 1}
    (row,) = listed(editor)["rows"]
    assert row["question"]["to_service"] == "//test/Réception"


def test_more_flows_than_an_estate_may_assert_make_none(editor, monkeypatch):
    monkeypatch.setattr(assertions, "ASSERTIONS_MAX", 1)
    answer = editor.ask("POST", f"{ASSERTIONS}/from-flows", {"which": "possible"})
    told = answer.json()
    assert (answer.status_code, told["code"]) == (409, "too-many-assertions")
    assert told["parameters"]["most"] == 1
    assert not Assertion.objects.exists()


# ── coverage ─────────────────────────────────────────────────────────────────────────────────────────────────────────
def test_coverage_of_what_is_live_and_of_a_change_set(editor):
    nothing = ask(editor, "/coverage", method="GET")
    assert (nothing["counted"], nothing["exercised"], nothing["flows_asserted"]) == (2, 0, 0)
    assert {each["route"] for each in nothing["never_exercised"]} == {"vers_lyon", "vers_paris"}
    assert nothing["flows_without_total"] == len(nothing["flows_without"]) == nothing["flows"]
    ask(editor, "/from-flows", {"which": "possible"})
    everything = ask(editor, "/coverage", method="GET")
    assert (everything["percent"], everything["flows_without"], everything["never_exercised"]) == (100.0, [], [])
    assert ask(editor, "/run", {})["coverage"] == everything
    assert editor.ask("POST", f"{ESTATE}/change-sets", {}).status_code == 201
    route = {"name": "copie", "service_name": "//test/Autre", "address": "TCP://LYON:4022"}
    where = f"{ESTATE}/instances/PARIS/databases/Ventes/routes?change_set=1"
    assert editor.decide(where, route).status_code in (200, 201)
    drafted = ask(editor, "/coverage?change_set=1", method="GET")
    assert drafted["counted"] == 3
    assert [each["route"] for each in drafted["never_exercised"]] == ["copie"]


# ── files ────────────────────────────────────────────────────────────────────────────────────────────────────────────
def test_a_file_that_was_written_is_read_as_what_it_was(editor):
    ask(editor, "/from-flows", {"which": "possible", "with_path": True})
    made = {"question": engine_json(ORDERS), "name": "By then", "at": "2031-05-05T12:00:00.25Z", "note": "é\n: x"}
    made["faults"] = [{"kind": "link", "instance": "PARIS", "other": "LYON"}]
    assert editor.ask("POST", ASSERTIONS, made).status_code == 201
    before = listed(editor)["rows"]
    text = file_of(editor)
    unchanged = len(before)
    assert take(editor, text).json() == {"created": 0, "changed": 0, "unchanged": unchanged, "removed": 0}
    for row in before:
        assert editor.ask("DELETE", f"{ASSERTIONS}/{row['id']}?version=1").status_code == 204
    assert take(editor, text).json() == {"created": unchanged, "changed": 0, "unchanged": 0, "removed": 0}
    kept = ("name", "note", "question", "faults", "at", "expected", "state")
    after = listed(editor)["rows"]
    assert [{key: row[key] for key in kept} for row in after] == [{key: row[key] for key in kept} for row in before]
    assert file_of(editor) == text


def engine_json(question):
    return {name: getattr(question, name) for name in ("instance", "database", "service", "to_service")}


def entry(name, **more):
    sender = {"instance": "PARIS", "database": "Ventes", "service": "//test/Commandes"}
    return {"name": name, "from": sender, "to": "//test/Réception", "expected": "works", **more}


def test_a_file_changes_by_name_and_replaces_when_it_shall(editor):
    assert take(editor, yaml.safe_dump([entry("a"), entry("b")])).json()["created"] == 2
    first = listed(editor)["rows"][0]
    tagged = editor.ask("PATCH", f"{ASSERTIONS}/{first['id']}", {"version": 1, "tags": ["kept"]})
    assert tagged.status_code == 200
    ask(editor, "/run", {})
    text = yaml.safe_dump([entry("a", expected="fails"), entry("c")])
    assert take(editor, text).json() == {"created": 1, "changed": 1, "unchanged": 0, "removed": 0}
    rows = {row["name"]: row for row in listed(editor)["rows"]}
    assert (rows["a"]["version"], rows["a"]["tags"], rows["a"]["state"]) == (3, ["kept"], "never-run")
    assert (rows["b"]["version"], rows["b"]["state"]) == (1, "passed")
    assert take(editor, text, replace=True).json() == {"created": 0, "changed": 0, "unchanged": 2, "removed": 1}
    told = editor.ask("GET", f"{ESTATE}/audit").json()["items"][0]
    assert told["summary"] == "Read assertions from a file: 0 created, 0 changed, 1 deleted"
    assert [(each["name"], each["effect"]) for each in told["objects"]] == [("b", "remove")]


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("- name: a\n  from: x\n  to: ''\n  expected: perhaps\n", [(2, 9), (3, 7), (4, 13)]),
        ("a: [", [(1, 5)]),
        ("", [(1, 1)]),
        (yaml.safe_dump([entry("a"), entry("a")]), [(7, 9)]),
        (yaml.safe_dump([entry("a\0b")]), [(1, 1)]),
        (yaml.safe_dump([entry("a", at=1e12)]), [(1, 1)]),
    ],
)
def test_every_mistake_of_a_file_is_told_and_nothing_is_taken(editor, text, places):
    answer = take(editor, text)
    told = answer.json()
    assert (answer.status_code, told["code"], told["pointer"]) == (422, "assertions-unreadable", "/text"), told
    mistakes = told["parameters"]["mistakes"]
    assert all(each["text"].startswith("153: ") for each in mistakes)
    assert (told["parameters"]["count"], len(mistakes)) == (len(places), len(places)), mistakes
    if "yaml" not in text and len(places) == 3:
        assert [(each["line"], each["column"]) for each in mistakes] == places
    assert not Assertion.objects.exists()


def test_mistakes_are_told_in_the_language_of_whoever_sends_the_file(editor):
    body = {"text": yaml.safe_dump([entry("a", expected="perhaps")])}
    answers = [
        editor.ask("POST", f"{ASSERTIONS}/file", body, Accept_Language=each).json() for each in ("en", "fr", "de")
    ]
    assert len({each["parameters"]["mistakes"][0]["text"] for each in answers}) == 3
    assert len({each["detail"] for each in answers}) == 3


# ── in bulk ──────────────────────────────────────────────────────────────────────────────────────────────────────────
@pytest.fixture
def ids(editor):
    take(editor, yaml.safe_dump([entry(name) for name in "abc"]))
    return [row["id"] for row in listed(editor)["rows"]]


def bulk(client, ids, action, **more):
    return ask(client, "/bulk", {"ids": ids, "action": action, **more})


def test_several_are_switched_tagged_and_deleted_at_once(editor, ids):
    assert bulk(editor, ids[:2], "disable") == {"changed": 2, "unchanged": 0, "gone": 0}
    assert bulk(editor, ids, "disable") == {"changed": 1, "unchanged": 2, "gone": 0}
    assert listed(editor)["counts"]["disabled"] == 3
    assert bulk(editor, [*ids, 999_999], "enable") == {"changed": 3, "unchanged": 0, "gone": 1}
    assert bulk(editor, ids[1:], "add-tag", tag="night")["changed"] == 2
    assert bulk(editor, ids[:2], "add-tag", tag="night")["changed"] == 1
    assert bulk(editor, ids[:1], "remove-tag", tag="night")["changed"] == 1
    assert [row["tags"] for row in listed(editor)["rows"]] == [[], ["night"], ["night"]]
    assert bulk(editor, ids[:2], "delete") == {"changed": 2, "unchanged": 0, "gone": 0}
    assert [row["name"] for row in listed(editor)["rows"]] == ["c"]
    told = [row["summary"] for row in editor.ask("GET", f"{ESTATE}/audit").json()["items"]]
    assert told[:4] == [
        "Delete 2 assertions",
        "Change assertion a",
        "Change assertion a",
        "Tag 2 assertions with night",
    ]
    assert editor.ask("GET", f"{ESTATE}/audit/chain").json()["is_whole"]


def test_who_changed_one_meanwhile_is_told_of_what_was_done_to_all(editor, ids):
    bulk(editor, ids, "disable")
    answer = editor.ask("PATCH", f"{ASSERTIONS}/{ids[0]}", {"version": 1, "name": "x"})
    assert (answer.status_code, answer.json()["parameters"]["theirs"]["is_enabled"]) == (409, False)


@pytest.mark.parametrize(
    "body",
    [
        {"action": "add-tag"},
        {"action": "disable", "tag": "x"},
        {"action": "explode"},
        {"action": "add-tag", "tag": "21st"},
        {"action": "delete", "ids": []},
    ],
)
def test_what_cannot_be_done_to_all_is_done_to_none(editor, ids, body):
    editor.ask("PATCH", f"{ASSERTIONS}/{ids[1]}", {"version": 1, "tags": [str(number) for number in range(20)]})
    answer = editor.ask("POST", f"{ASSERTIONS}/bulk", {"ids": ids, **body})
    assert answer.status_code in (400, 422), answer.json()
    assert [len(row["tags"]) for row in listed(editor)["rows"]] == [0, 20, 0]
    assert listed(editor)["counts"]["never_run"] == 3


@pytest.mark.parametrize("role", [Role.VIEWER, Role.OPERATOR])
def test_who_may_not_edit_changes_nothing_at_once_but_takes_the_file(api_as, ids, role):
    client = api_as(role)
    for path, body in (
        ("/bulk", {"ids": ids, "action": "delete"}),
        ("/from-flows", {"which": "possible"}),
        ("/file", {"text": "", "replace": True}),
    ):
        assert client.ask("POST", f"{ASSERTIONS}{path}", body).json()["code"] == "right-missing"
    assert "name: a" in file_of(client)
    assert ask(client, "/summary", method="GET")["counts"]["all"] == 3


# ── at a glance ──────────────────────────────────────────────────────────────────────────────────────────────────────
def test_none_unknown_and_failed_are_told_apart(editor):
    none = {"all": 0, "passed": 0, "failed": 0, "never_run": 0, "disabled": 0}
    assert ask(editor, "/summary", method="GET") == {"counts": none, "last_run": None}
    take(editor, yaml.safe_dump([entry("a"), entry("b", expected="fails"), entry("c")]))
    assert ask(editor, "/summary", method="GET")["counts"] == {**none, "all": 3, "never_run": 3}
    run = ask(editor, "/run", {})["run"]
    assert ask(editor, "/summary", method="GET") == {
        "counts": {**none, "all": 3, "passed": 2, "failed": 1},
        "last_run": run,
    }
    assert editor.ask("GET", "/estates/nulle/assertions/summary").status_code == 404


def test_what_is_asserted_goes_with_its_estate(editor, ids):
    ask(editor, "/run", {})
    decide(PARIS, [engine.ServiceDropped(database="Ventes", name="//test/Commandes")])
    Estate.objects.all().delete()
    assert not Assertion.objects.exists()
