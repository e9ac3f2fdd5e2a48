"""Questions whose answers are tables, over the API: of one state, of two, by pages, as files, and as jobs."""

import csv
import io
from uuid import UUID

import pytest

from brokerweb.accounts.rights import Role
from brokerweb.accounts.services import user_create
from brokerweb.jobs.models import Job
from brokerweb.jobs.services import job_cancel, job_run
from brokerweb.topology.models import Estate, Instance
from brokerweb.topology.services.imports import sample_load
from brokerweb.whatif.selectors import tables
from engine import api as engine

pytestmark = pytest.mark.django_db

ESTATE = "/estates/demo-fr-de"
QUESTIONS = f"{ESTATE}/what-if/questions"
VENTES = f"{ESTATE}/instances/PARIS/databases/Ventes"
ORDERS = {
    "instance": "PARIS",
    "database": "Ventes",
    "service": "//exemple.fr/Ventes/Guichet",
    "to_service": "//exemple.fr/Commandes/Réception",
}
LYON = {"kind": "instance", "instance": "LYON"}
DRAFT = {"after": {"change_set": 1}, "before": {}}


@pytest.fixture(scope="module", autouse=True)
def estate(rows_of_file):
    with rows_of_file():
        sample_load("demo-fr-de", user=user_create("loader", Role.ADMIN))


@pytest.fixture
def viewer(api_as):
    return api_as(Role.VIEWER)


@pytest.fixture
def draft(editor):
    """Change set 1, in which Ventes has no route to the orders any more."""
    assert editor.ask("POST", f"{ESTATE}/change-sets", {}).status_code == 201
    answer = editor.decide(f"{VENTES}/routes/Vers%20la%20r%C3%A9ception?change_set=1", method="DELETE")
    assert answer.status_code in (200, 204), answer.content


def ask(client, name, /, **body):
    answer = client.ask("POST", f"{QUESTIONS}/{name}", body)
    assert answer.status_code == 200, answer.json()
    return answer.json()


def refused(client, name, /, **body):
    answer = client.ask("POST", f"{QUESTIONS}/{name}", body)
    return answer.status_code, answer.json()


def named(table, row):
    return None if row is None else dict(zip([column["name"] for column in table["columns"]], row, strict=True))


def told(table):
    return [named(table, row) for row in table["rows"]]


def test_every_question_tells_what_it_takes(viewer):
    found = {each["name"]: each for each in viewer.ask("GET", QUESTIONS).json()}
    assert set(found) == set(engine.questions.QUESTIONS)
    assert [each["name"] for each in found.values() if each["is_job"]] == ["delivery_under_faults"]
    seeds = found["delivery_under_faults"]["parameters"][-2]
    assert seeds == {
        "name": "seeds",
        "kind": "integer",
        "is_required": False,
        "default": 10,
        "minimum": 1,
        "maximum": 100,
    }
    german = viewer.ask("GET", QUESTIONS, Accept_Language="de").json()
    assert german[2]["help"] == "Routen, die nie gewinnen können."
    assert viewer.ask("GET", "/estates/nulle/what-if/questions").status_code == 404


def test_a_trace_of_one_state(viewer):
    table = ask(viewer, "route_trace", parameters={**ORDERS, "instance": "paris", "database": "VENTES"})
    first, *_ = told(table)
    assert (first["leg"], first["instance"], first["table"], first["route"], first["share"]) == (
        "message",
        "PARIS",
        "Ventes",
        "Vers la réception",
        1.0,
    )
    assert (table["same"], table["reference"], table["base"]["is_now"]) == (None, None, True)
    assert (table["total"], table["page"], table["pages"]) == (len(table["rows"]), 1, 1)


def test_a_draft_against_what_is_live_has_before_and_after(viewer, draft):
    table = ask(viewer, "route_trace", parameters=ORDERS, **DRAFT)
    assert table["rows"] == []
    ends = [
        (named(table, each["before"])["route"], named(table, each["after"])["disposition"])
        for each in table["changes"]
        if each["change"] == "changed" and named(table, each["before"])["leg"] == "message"
    ]
    assert ends == [("Vers la réception", "delayed")]
    assert (table["base"]["change_set"], table["reference"]["change_set"]) == (1, None)


def test_faults_and_the_instant_are_those_that_are_asked(viewer):
    sound = ask(viewer, "unreachable_services")
    struck = ask(viewer, "unreachable_services", after={"faults": [LYON]})
    assert struck["total"] > sound["total"]
    ahead = ask(viewer, "expiring_routes", parameters={"days": 60}, after={"at": "2024-03-01T00:00:00Z"})
    (row,) = told(ahead)
    assert (row["route"], row["at"][:10]) == ("Soldes de printemps", "2024-03-31")
    assert ask(viewer, "shadowed_routes", after={"faults": [LYON]})["notes"] == [
        {"kind": "faults", "count": None, "names": []}
    ]


def test_sentences_of_the_engine_are_said_in_the_asker_s_language(viewer):
    answers = {
        language: viewer.ask("POST", f"{QUESTIONS}/shadowed_routes", {}, Accept_Language=language).json()
        for language in ("en", "fr")
    }
    assert told(answers["en"])[0]["reason"] == "it has expired"
    assert told(answers["fr"])[0]["reason"] == "elle a expiré"


def test_drift_is_told_against_what_instances_have_told(viewer, draft):
    unheard = ask(viewer, "drift")
    assert unheard["notes"] == [{"kind": "not-applied", "count": None, "names": ["BERLIN", "HUB", "LYON", "PARIS"]}]
    for instance in Instance.objects.filter(estate__name="demo-fr-de"):
        instance.applied_revision = instance.desired_revision
        instance.save(update_fields=["applied_revision"])
    assert (ask(viewer, "drift")["notes"], ask(viewer, "drift")["total"]) == ([], 0)
    (row,) = told(ask(viewer, "drift", after={"change_set": 1}))
    assert row == {
        "instance": "PARIS",
        "database": "Ventes",
        "kind": "route",
        "name": "Vers la réception",
        "difference": "left-over",
    }
    assert ask(viewer, "drift", parameters={"instance": "lyon"}, after={"change_set": 1})["total"] == 0


def test_an_instance_that_lags_behind_drifts_by_what_it_has_not_got(viewer, editor):
    Instance.objects.filter(estate__name="demo-fr-de").update(applied_revision=Estate.objects.get().revision)
    answer = editor.decide(
        f"{VENTES}/routes/Vers%20la%20r%C3%A9ception", {"address": "TCP://elsewhere:4022"}, method="PATCH"
    )
    assert answer.status_code == 200, answer.content
    assert [(each["name"], each["difference"]) for each in told(ask(viewer, "drift"))] == [
        ("Vers la réception", "differs")
    ]


def test_pages_are_of_one_answer_sorted_as_asked(viewer, monkeypatch):
    monkeypatch.setattr(tables, "ROWS_OF_PAGE", 4)
    whole = ask(viewer, "route_trace", parameters=ORDERS, sort="instance", descending=True)
    at = whole["base"]["at"]
    assert (len(whole["rows"]), whole["pages"]) == (4, -(-whole["total"] // 4))
    asked = []
    monkeypatch.setattr(tables, "asked_of", lambda *given: asked.append(given))
    rest = ask(viewer, "route_trace", parameters=ORDERS, sort="instance", descending=True, page=2, after={"at": at})
    assert asked == []
    instances = [each["instance"] for each in (*told(whole), *told(rest))]
    assert instances == sorted(instances, reverse=True)
    beyond = ask(viewer, "route_trace", parameters=ORDERS, page=99, after={"at": at})
    assert beyond["page"] == beyond["pages"]


def test_what_is_empty_stands_last_whichever_way_rows_are_sorted(viewer):
    for descending in (False, True):
        table = ask(viewer, "route_trace", parameters=ORDERS, sort="address", descending=descending)
        addresses = [each["address"] for each in told(table)]
        full = [each for each in addresses if each is not None]
        assert addresses == [*sorted(full, key=str.casefold, reverse=descending), *[None] * addresses.count(None)]


def test_the_whole_answer_as_a_file(viewer, draft):
    answer = viewer.ask("POST", f"{QUESTIONS}/route_trace/csv", {"parameters": ORDERS, **DRAFT})
    assert answer["Content-Disposition"] == 'attachment; filename="route_trace.csv"'
    head, *lines = csv.reader(io.StringIO(b"".join(answer.streaming_content).decode("utf-8-sig")))
    table = ask(viewer, "route_trace", parameters=ORDERS, **DRAFT)
    assert head == ["change", "state", *(column["name"] for column in table["columns"])]
    sides = sum((each["before"] is not None) + (each["after"] is not None) for each in table["changes"])
    assert len(lines) == sides
    assert {tuple(line[:2]) for line in lines} >= {("changed", "before"), ("changed", "after")}


@pytest.mark.parametrize(
    ("name", "body", "status", "code", "pointer"),
    [
        ("weather", {}, 404, 15151, None),
        ("expiring_routes", {"parameters": {"days": 40_000}}, 422, 153, "/parameters/days"),
        ("expiring_routes", {"parameters": {"colour": "blue"}}, 422, 153, "/parameters"),
        ("delivery_under_faults", {"parameters": {**ORDERS, "seeds": 101}}, 422, 153, "/parameters/seeds"),
        ("delivery_under_faults", {"parameters": {**ORDERS, "to_service": "x" * 257}}, 422, None, None),
        ("route_trace", {}, 422, 153, "/parameters/instance"),
        ("route_trace", {"parameters": {**ORDERS, "service": "x"}}, 404, None, "/parameters/service"),
        ("drift", {"parameters": {"instance": "NANTES"}}, 404, None, "/parameters/instance"),
        ("shadowed_routes", {"sort": "colour"}, 422, None, "/sort"),
        ("shadowed_routes", {"page": 0}, 422, None, "/page"),
        ("shadowed_routes", {"parameters": {"a": True}}, 422, None, None),
        ("delivery_under_faults/csv", {"parameters": ORDERS}, 422, None, None),
    ],
)
def test_what_cannot_be_asked_is_refused_where_it_stands(viewer, name, body, status, code, pointer):
    found, problem = refused(viewer, name, **body)
    assert found in {status, 400} if code is None else found == status, problem
    assert problem["detail"]
    if code is not None:
        assert problem["code"] == code
    if pointer is not None:
        assert problem["pointer"].startswith(pointer)


def simulate(client, **body):
    status, job = refused(client, "delivery_under_faults", **{"parameters": {**ORDERS, "seeds": 3}, **body})
    assert status == 202, job
    return job


def test_simulated_deliveries_are_a_job_whose_table_names_the_seeds(viewer, draft):
    job = simulate(viewer, **DRAFT)
    assert job["title"] == f"Simulate a message from {ORDERS['service']} to {ORDERS['to_service']}"
    job_run(UUID(job["id"]))
    shown = viewer.ask("GET", f"/jobs/{job['id']}").json()
    assert (shown["state"], shown["total"]) == ("done", 6)
    table = viewer.ask("GET", f"/jobs/{job['id']}/result").json()
    rows = [(named(table, each["before"]), named(table, each["after"])) for each in table["changes"]]
    assert [(before["seed"], before["arrived"], after["arrived"]) for before, after in rows] == [
        (seed, "LYON/Entrepôt", None) for seed in (1, 2, 3)
    ]
    assert {after["status"] for _, after in rows} == {9750}
    assert (table["base"]["change_set"], table["same"], table["pages"]) == (1, 0, 1)
    answer = viewer.ask("GET", f"{ESTATE}/what-if/simulations/{job['id']}/csv")
    lines = list(csv.reader(io.StringIO(b"".join(answer.streaming_content).decode("utf-8-sig"))))
    assert (lines[0][:3], len(lines)) == (["change", "state", "seed"], 7)


def test_a_job_that_is_cancelled_ends_before_its_next_world(viewer, monkeypatch):
    job = simulate(viewer)
    user = Job.objects.get(pk=job["id"]).owner
    worlds = []

    answered = engine.questions.ask

    def ask_and_cancel(name, parameters, state, reference=None):
        def watch():
            worlds.append(len(worlds))
            if len(worlds) == 2:
                job_cancel(UUID(job["id"]), user=user)
            state.watch()

        return answered(name, parameters, engine.questions.EstateState(**fields(state, watch=watch)), reference)

    monkeypatch.setattr(engine.questions, "ask", ask_and_cancel)
    monkeypatch.setattr("brokerweb.jobs.services.TELL_SECONDS", 0.0)
    job_run(UUID(job["id"]))
    assert viewer.ask("GET", f"/jobs/{job['id']}").json()["state"] == "cancelled"
    assert worlds == [0, 1]
    assert viewer.ask("GET", f"{ESTATE}/what-if/simulations/{job['id']}/csv").status_code == 404


def fields(state, **others):
    return {**{name: getattr(state, name) for name in state.__struct_fields__}, **others}
