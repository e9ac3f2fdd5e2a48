"""What-if over the API: one question about any state of an estate, compared, with faults and at another time."""

import pytest

from brokerweb.accounts.rights import Role
from brokerweb.accounts.services import user_create
from brokerweb.topology.services.imports import sample_load

pytestmark = pytest.mark.django_db

ESTATE = "/estates/demo-fr-de"
ANSWER = f"{ESTATE}/what-if/answer"
COMPARISON = f"{ESTATE}/what-if/comparison"
VENTES = f"{ESTATE}/instances/PARIS/databases/Ventes"
ORDERS = {
    "instance": "PARIS",
    "database": "Ventes",
    "service": "//exemple.fr/Ventes/Guichet",
    "to_service": "//exemple.fr/Commandes/Réception",
}
SALES = {**ORDERS, "to_service": "//exemple.fr/Soldes/Prix"}


@pytest.fixture(scope="module", autouse=True)
def estate(rows_of_file):
    with rows_of_file():
        sample_load("demo-fr-de", user=user_create("loader", Role.ADMIN))


@pytest.fixture
def viewer(api_as):
    return api_as(Role.VIEWER)


def ask(client, question=ORDERS, **basis):
    return client.ask("POST", ANSWER, {"question": question, **basis})


def told(client, question=ORDERS, **basis):
    answer = ask(client, question, **basis)
    assert answer.status_code == 200, answer.json()
    return answer.json()


def first_route(answer):
    return answer["answer"]["legs"][0]["ways"][0]["hops"][0]["route"]


def draft_without_the_route(editor):
    assert editor.ask("POST", f"{ESTATE}/change-sets", {}).status_code == 201
    name = "Vers%20la%20r%C3%A9ception"
    answer = editor.decide(f"{VENTES}/routes/{name}?change_set=1", method="DELETE")
    assert answer.status_code in (200, 204), answer.content


def test_an_order_arrives_over_the_route_that_is_made_for_it(viewer):
    found = told(viewer)
    answer = found["answer"]
    assert (answer["disposition"], answer["light"], answer["stays_unacknowledged"]) == ("delivered", "green", False)
    assert [leg["kind"] for leg in answer["legs"]] == ["message", "acknowledgement", "reply", "reply-acknowledgement"]
    assert all(leg["arrives"] == 1.0 for leg in answer["legs"])
    way = answer["legs"][0]["ways"][0]
    assert (way["instance"], way["database"]) == ("LYON", "Entrepôt")
    assert first_route(found) == "Vers la réception"
    assert way["hops"][0]["proof"]
    basis = found["basis"]
    assert (basis["revision"], basis["change_set"], basis["sequence"], basis["is_now"]) == (1, None, None, True)
    assert basis["engine_version"] == answer["engine_version"]


def test_the_proof_is_told_in_the_language_of_whoever_asks_and_the_answer_is_the_same(viewer):
    body = {"question": SALES, "at": "2999-01-01T00:00:00Z"}
    told = {each: viewer.ask("POST", ANSWER, body, Accept_Language=each).json() for each in ("en", "fr", "de")}
    assert len({each["fingerprint"] for each in told.values()}) == 1
    first = {name: each["answer"]["legs"][0]["ways"][0]["hops"][0] for name, each in told.items()}
    table = {name: hop["proof"][1] for name, hop in first.items()}
    assert table == {
        "en": "Routing table: sys.routes of Ventes.",
        "fr": "Table de routage\u00a0: sys.routes de Ventes.",
        "de": "Routingtabelle: sys.routes von Ventes.",
    }
    expired = {name: [each["sentence"] for each in hop["losses"]] for name, hop in first.items()}
    assert any("n’est pas candidate" in each and "elle a expiré le" in each for each in expired["fr"])
    assert any("ist kein Kandidat: Sie ist abgelaufen" in each for each in expired["de"])


def test_every_route_of_an_answer_comes_with_its_statement(viewer):
    found = told(viewer)
    lines = {(each["instance"], each["database"], each["name"]): each["text"] for each in found["lines"]}
    text = lines["PARIS", "Ventes", "Vers la réception"]
    assert text.startswith("CREATE ROUTE [Vers la réception] WITH")
    assert "SERVICE_NAME = N'//exemple.fr/Commandes/Réception'" in text
    hops = [hop for leg in found["answer"]["legs"] for way in leg["ways"] for hop in way["hops"]]
    named = {(hop["instance"], hop["table"], loss["route"]) for hop in hops for loss in hop["losses"]}
    named |= {(hop["instance"], hop["table"], hop["route"]) for hop in hops if hop["route"] is not None}
    assert named <= lines.keys()
    assert len(lines) == len(found["lines"])


def test_names_but_those_of_services_are_taken_in_any_case(viewer):
    found = told(viewer, {**ORDERS, "instance": "paris", "database": "VENTES"})
    assert found["answer"]["question"] == ORDERS | {
        "broker_instance": None,
        "contract": None,
        "message_type": None,
        "encryption": False,
    }


def test_what_is_down_keeps_the_message_and_the_fault_is_spelled_as_it_is_defined(viewer):
    found = told(viewer, faults=[{"kind": "instance", "instance": "lyon"}])
    assert found["answer"]["disposition"] == "unreachable"
    assert found["answer"]["faults"] == [
        {"kind": "instance", "instance": "LYON", "other": None, "database": None, "queue": None}
    ]
    assert found["fingerprint"] != told(viewer)["fingerprint"]


@pytest.mark.parametrize(
    ("fault", "disposition"),
    [
        ({"kind": "link", "instance": "PARIS", "other": "LYON"}, "unreachable"),
        ({"kind": "endpoint", "instance": "LYON"}, "unreachable"),
        ({"kind": "database", "instance": "PARIS", "database": "Ventes"}, "sender-down"),
        ({"kind": "queue", "instance": "LYON", "database": "Entrepôt", "queue": "FILE_RÉCEPTION"}, "held-queue-off"),
    ],
)
def test_each_kind_of_fault_ends_the_message_in_its_own_way(viewer, fault, disposition):
    if fault["kind"] == "queue":
        fault = {**fault, "queue": queue_of_reception(viewer).removeprefix("dbo.").upper()}
    assert told(viewer, faults=[fault])["answer"]["disposition"] == disposition


def queue_of_reception(client):
    (lyon,) = [each for each in client.ask("GET", ESTATE).json()["instances"] if each["name"] == "LYON"]
    (database,) = [each for each in lyon["databases"] if each["name"] == "Entrepôt"]
    return next(each["queue"] for each in database["services"] if each["name"] == ORDERS["to_service"])


def test_a_route_that_expires_is_there_before_and_not_after(viewer):
    before = told(viewer, SALES, at="2020-01-01T00:00:00Z")
    after = told(viewer, SALES, at="2999-01-01T00:00:00Z")
    assert first_route(before) == "Soldes de printemps"
    assert after["answer"]["disposition"] == "delayed"
    assert after["answer"]["legs"][0]["ways"][0]["number"]["number"] == 9750
    assert after["answer"]["at"] == after["basis"]["at"] == "2999-01-01T00:00:00Z"
    assert after["basis"]["is_now"] is False
    (loss,) = [
        each
        for each in after["answer"]["legs"][0]["ways"][0]["hops"][0]["losses"]
        if each["route"] == "Soldes de printemps"
    ]
    assert loss["reason"] == "expired"


def test_the_fingerprint_is_the_same_at_another_time_and_in_another_language(viewer):
    question = {**ORDERS, "to_service": "//nobody/has/this"}
    one = told(viewer, question)
    other = viewer.ask(
        "POST", ANSWER, {"question": question, "at": "2030-01-01T00:00:00Z"}, Accept_Language="de"
    ).json()
    number = other["answer"]["legs"][0]["ways"][0]["number"]
    assert number["text"] != one["answer"]["legs"][0]["ways"][0]["number"]["text"]
    assert one["fingerprint"] == other["fingerprint"]
    assert len(one["fingerprint"]) == 12


def test_a_change_set_is_asked_about_without_applying_it(editor, viewer):
    draft_without_the_route(editor)
    found = told(viewer, change_set=1)
    assert found["answer"]["disposition"] == "delayed"
    assert (found["basis"]["revision"], found["basis"]["change_set"], found["basis"]["sequence"]) == (1, 1, 1)
    assert told(viewer)["answer"]["disposition"] == "delivered"


def test_live_and_draft_are_compared_hop_by_hop(editor, viewer):
    draft_without_the_route(editor)
    body = {"question": ORDERS, "before": {}, "after": {"change_set": 1}}
    found = viewer.ask("POST", COMPARISON, body).json()
    difference = found["difference"]
    assert (difference["change"], difference["before"], difference["after"]) == ("lost", "delivered", "delayed")
    step = difference["steps"][0]
    assert (step["leg"], step["before"]["route"]) == ("message", "Vers la réception")
    assert found["before"]["fingerprint"] != found["after"]["fingerprint"]
    assert found["before"]["basis"]["change_set"] is None


def test_what_only_one_state_can_be_asked_is_answered_by_that_one(editor, viewer):
    assert editor.ask("POST", f"{ESTATE}/change-sets", {}).status_code == 201
    dropped = {"PARIS": [{"change": "service-dropped", "database": "Ventes", "name": ORDERS["service"]}]}
    answer = editor.decide(f"{ESTATE}/changes?change_set=1", {"summary": "Drop it", "changes": dropped})
    assert answer.status_code == 200, answer.json()
    found = viewer.ask("POST", COMPARISON, {"question": ORDERS, "before": {}, "after": {"change_set": 1}}).json()
    assert found["before"]["answer"]["disposition"] == "delivered"
    assert (found["after"], found["difference"]) == (None, None)


def test_a_revision_that_is_past_is_asked_about_for_ever(editor, viewer):
    draft_without_the_route(editor)
    editor.mean_losses(f"{ESTATE}/change-sets/1")
    tag = editor.ask("GET", f"{ESTATE}/change-sets/1")["ETag"]
    assert editor.ask("POST", f"{ESTATE}/change-sets/1/apply", If_Match=tag).status_code == 200
    assert told(viewer)["answer"]["disposition"] == "delayed"
    past = told(viewer, revision=1)
    assert (past["answer"]["disposition"], past["basis"]["revision"]) == ("delivered", 1)
    assert ask(viewer, revision=0).status_code == 404
    closed = ask(viewer, change_set=1)
    assert (closed.status_code, closed.json()["code"]) == (409, "change-set-closed")
    assert "revision 2" in closed.json()["cure"]


def test_examples_tell_different_ends_and_can_all_be_asked(viewer):
    found = viewer.ask("GET", f"{ESTATE}/what-if/examples").json()
    assert 5 <= len(found) <= 8
    assert {each["light"] for each in found} >= {"red", "amber", "green"}
    for each in found:
        assert told(viewer, each["question"])["answer"]["disposition"] == each["disposition"]
    refused = viewer.ask("GET", f"{ESTATE}/what-if/examples?draft=1")
    assert refused.json()["code"] == "unknown-field"


@pytest.mark.parametrize(
    ("changed", "pointer", "cure"),
    [
        ({"instance": "PARSI"}, "/question/instance", "PARIS"),
        ({"database": "Vente"}, "/question/database", "Ventes"),
        ({"service": "//exemple.fr/ventes/guichet"}, "/question/service", "//exemple.fr/Ventes/Guichet"),
    ],
)
def test_who_is_not_there_cannot_ask_and_is_told_what_may_be_meant(viewer, changed, pointer, cure):
    answer = ask(viewer, {**ORDERS, **changed})
    problem = answer.json()
    assert (answer.status_code, problem["code"], problem["pointer"]) == (404, "not-found", pointer)
    assert cure in problem["cure"]


def test_a_service_that_is_nowhere_is_a_question_like_others_with_what_may_be_meant(viewer):
    for meant, given in (
        ("//exemple.fr/Commandes/Réception", "//exemple.fr/Commandes/Reception"),
        ("//exemple.fr/Archives/Dépôt", "//exemple.fr/archives/dépôt"),
        ("//beispiel.de/Einkauf/Bestellungen", "//beispiel.de/Einkauf/Bestelungen"),
    ):
        found = told(viewer, {**ORDERS, "to_service": given})
        assert found["near_misses"][0] == meant
    assert told(viewer)["near_misses"] == []


@pytest.mark.parametrize(
    ("basis", "status", "code", "pointer"),
    [
        ({"change_set": 7}, 404, "not-found", None),
        ({"revision": 7}, 404, "not-found", None),
        ({"change_set": 1, "revision": 1}, 400, "malformed", "/revision"),
        ({"at": "1969-12-31T00:00:00Z"}, 400, "malformed", "/at"),
        ({"at": "9999-12-31T12:00:00Z"}, 400, "malformed", "/at"),
        ({"at": 1790000000}, 422, "bad-field", "/at"),
        ({"faults": [{"kind": "flood", "instance": "PARIS"}]}, 422, "bad-field", "/faults/0/kind"),
        ({"faults": [{"kind": "instance", "instance": "ROME"}]}, 404, "not-found", "/faults/0/instance"),
        ({"faults": [{"kind": "endpoint", "instance": "X"}]}, 404, "not-found", "/faults/0/instance"),
        ({"faults": [{"kind": "link", "instance": "PARIS"}]}, 400, "malformed", "/faults/0/other"),
        ({"faults": [{"kind": "link", "instance": "PARIS", "other": "paris"}]}, 400, "malformed", "/faults/0/other"),
        ({"faults": [{"kind": "instance", "instance": "PARIS", "queue": "q"}]}, 400, "malformed", "/faults/0/queue"),
        (
            {"faults": [{"kind": "database", "instance": "PARIS", "database": "Nulle"}]},
            404,
            "not-found",
            "/faults/0/database",
        ),
        (
            {"faults": [{"kind": "queue", "instance": "PARIS", "database": "Ventes", "queue": "Nulle"}]},
            404,
            "not-found",
            "/faults/0/queue",
        ),
        (
            {"faults": [{"kind": "partner", "instance": "PARIS", "database": "Ventes"}]},
            404,
            "not-found",
            "/faults/0/database",
        ),
        ({"faults": [{"kind": "instance", "instance": "PARIS"}] * 201}, 422, "bad-field", "/faults"),
        ({"fault": []}, 400, "unknown-field", "/fault"),
    ],
)
def test_a_state_that_is_none_is_refused_where_it_is_wrong(viewer, basis, status, code, pointer):
    answer = ask(viewer, **basis)
    problem = answer.json()
    assert (answer.status_code, problem["code"], problem["pointer"]) == (status, code, pointer), problem
    assert problem["cure"]


def test_a_discarded_change_set_cannot_be_asked_about(editor, viewer):
    editor.ask("POST", f"{ESTATE}/change-sets", {})
    assert editor.ask("DELETE", f"{ESTATE}/change-sets/1").status_code == 200
    answer = ask(viewer, change_set=1)
    assert (answer.status_code, answer.json()["code"]) == (409, "change-set-closed")


def test_a_comparison_says_in_which_state_something_is_wrong(viewer):
    body = {"question": ORDERS, "before": {}, "after": {"faults": [{"kind": "instance", "instance": "ROME"}]}}
    problem = viewer.ask("POST", COMPARISON, body).json()
    assert problem["pointer"] == "/after/faults/0/instance"


def test_the_failover_of_a_mirrored_pair_moves_who_takes_the_message(viewer):
    question = {**ORDERS, "to_service": "//beispiel.de/Buchhaltung/Rechnungen"}
    (berlin, lyon) = (
        told(viewer, question, faults=faults)["answer"]["legs"][0]["ways"][0]["instance"]
        for faults in ([], [{"kind": "partner", "instance": "BERLIN", "database": "buchhaltung"}])
    )
    assert {berlin, lyon} == {"BERLIN", "LYON"}


def test_nobody_but_who_may_view_is_answered(client):
    assert client.post(f"/api/v1{ANSWER}", "{}", content_type="application/json").status_code == 401


def test_encryption_without_a_binding_waits(viewer):
    """PARIS has no remote service binding for the service: ON waits for one, OFF sends in clear."""
    found = told(viewer, {**ORDERS, "encryption": True})
    way = found["answer"]["legs"][0]["ways"][0]
    assert (way["disposition"], way["number"]["number"]) == ("delayed", 9727)
    assert way["number"]["cure"]
    assert any("ENCRYPTION = ON" in line for line in way["hops"][0]["proof"])
    assert told(viewer)["answer"]["legs"][0]["light"] == "green"
