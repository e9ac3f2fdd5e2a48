"""A trainee's sandbox under the addresses of estates, over HTTP: whose it is, what it shows, and what it has not."""

from datetime import datetime, timedelta

import pytest
from django.core.files.base import ContentFile
from django.utils import timezone

from brokerweb.accounts.models import User
from brokerweb.accounts.rights import Role
from brokerweb.config.operation_rights import ACTS_IN_SANDBOXES, LOOKS_AT_SANDBOXES
from brokerweb.topology.models import Estate
from brokerweb.training.models import TrainingEntry, TrainingSession
from tests.brokerweb.private_estates import DATABASE, ORDERS, ROUTE, Private
from tests.brokerweb.test_training import begin, browser, restart
from tests.support.api_calls import api_document


@pytest.fixture
def olga(transactional_db):
    return browser("olga")


@pytest.fixture
def sandbox(olga):
    run = begin(olga, seed=5)
    run.pause()
    return Private(run)


def trainer_of(*members):
    client = browser("tatiana", Role.TRAINER)
    group = client.ask("POST", "/training/groups", {"name": "Equipe", "members": list(members)})
    assert group.status_code == 201, group.content
    return client, group.json()["id"]


# ── whose it is ──────────────────────────────────────────────────────────────────────────────────────────────────────
def told(client, name, path, method="GET", body=None):
    answer = client.ask(method, f"/estates/{name}{path}", body)
    said = answer.json()
    return answer.status_code, {key: str(value).replace(name, "NAME") for key, value in said.items()}


def fills(path):
    return (
        path.removeprefix("/api/v1/estates/{estate}")
        .replace("{instance}", "PARIS")
        .replace("{database}", "Ventes")
        .replace("{topic}", "queues")
        .replace("{view}", "sys.routes")
        .replace("{queue}", "Réponses")
        .replace("{handle}", "00000000-0000-4000-8000-00000000abcd")
        .replace("{transaction}", "00000000-0000-4000-8000-00000000abcd")
        .replace("{job}", "00000000-0000-4000-8000-00000000abcd")
        .replace("{run}", "00000000-0000-4000-8000-00000000abcd")
        .replace("{kind}", "route")
        .replace("{question}", "flows")
        .replace("{service}", "x")
        .replace("{route}", "x")
        .replace("{backup}", "1")
        .replace("{number}", "1")
        .replace("{revision}", "1")
        .replace("{suppression}", "1")
        .replace("{assertion}", "1")
    )


DOCUMENT = api_document()
QUERIES = {
    "assertion_delete": "?version=1",
    "object_read": "?instance=PARIS&database=Ventes&name=x",
    "run_estimate": "?job=audit",
    "run_sums": "?by=route&of=rows",
}
"""Parameters without which an operation is not asked for."""
OF_ESTATES = [
    (operation["operationId"], method.upper(), fills(path))
    for path, operations in DOCUMENT["paths"].items()
    if "{estate}" in path
    for method, operation in operations.items()
]


def test_every_operation_tells_others_what_it_tells_of_a_name_that_no_sandbox_has(sandbox):
    admin = browser("admin", Role.ADMIN)
    nobody = "~" + "0" * 32
    for _, method, path in OF_ESTATES:
        body = None if method == "GET" else {}
        assert told(admin, sandbox.name, path, method, body) == told(admin, nobody, path, method, body), path
    status, said = told(admin, sandbox.name, "")
    assert (status, said["code"]) == (404, "not-found")


def test_a_name_that_is_no_estate_says_the_same(olga):
    missing, private = told(olga, "no-such", ""), told(olga, "~no-such", "")
    assert missing == private


def test_a_sandbox_has_one_name(sandbox):
    for name in (sandbox.name.upper(), f"~{{{sandbox.name[1:]}}}", "~urn:uuid:" + sandbox.name[1:]):
        assert told(sandbox.client, name, "")[0] == 404, name


def test_every_operation_either_answers_of_a_sandbox_or_says_that_it_has_none(sandbox):
    names = {name for name, _, _ in OF_ESTATES}
    assert names >= {*LOOKS_AT_SANDBOXES, *ACTS_IN_SANDBOXES}
    admin = User.objects.get(username="olga")
    admin.role = Role.ADMIN
    admin.reads_payloads = True
    admin.save()
    before = TrainingEntry.objects.count()
    heard = {}
    for name, method, path in OF_ESTATES:
        if name in LOOKS_AT_SANDBOXES or name in ACTS_IN_SANDBOXES:
            continue
        address = f"/estates/{sandbox.name}{path}{QUERIES.get(name, '')}"
        answer = smallest_asked(sandbox.client, name, method, address)
        heard[name] = (answer.status_code, answer.json()["code"])
    assert heard == dict.fromkeys(heard, (409, "sandbox-has-none"))
    assert TrainingEntry.objects.count() == before


def smallest_asked(client, name, method, address):
    """Ask with the smallest body that an operation takes: who is wrong about that hears so first, of any estate."""
    kind, schema = smallest_body(name)
    body = sample(schema, "")
    if kind == "multipart/form-data":
        fields = {each: ContentFile(b"x", "x") if each == "file" else value for each, value in body.items()}
        return client.post(f"/api/v1{address}", fields)
    return client.ask(method, address, body, If_Match='"1"')


def smallest_body(name):
    (operation,) = [
        each for operations in DOCUMENT["paths"].values() for each in operations.values() if each["operationId"] == name
    ]
    if "requestBody" not in operation:
        return "application/json", {"type": "object"}
    ((kind, content),) = operation["requestBody"]["content"].items()
    return kind, content["schema"]


def sample(schema, name):
    if "$ref" in schema:
        return sample(DOCUMENT["components"]["schemas"][schema["$ref"].rpartition("/")[2]], name)
    for several in ("anyOf", "oneOf", "allOf"):
        if several in schema:
            return sample(schema[several][0], name)
    if "const" in schema or "enum" in schema:
        return schema.get("const", schema.get("enum", [None])[0])
    match schema["type"]:
        case "object":
            return {each: sample(schema["properties"][each], each) for each in schema.get("required", ())}
        case "array":
            return [sample(schema["items"], "")] * schema.get("minItems", 1)
        case "string":
            return "00000000-0000-4000-8000-00000000abcd" if schema.get("format") == "uuid" else "x"
        case "boolean":
            return True
        case _:
            return schema.get("minimum", 1)


def test_a_trainer_of_the_trainees_group_looks_and_does_not_touch(sandbox):
    stranger, _ = trainer_of()
    assert told(stranger, sandbox.name, "")[0] == 404
    stranger.ask("POST", "/training/groups", {"name": "Autre", "members": ["olga"]})
    seen = sandbox.seen_by(stranger)
    assert seen.ask()["sandbox"]["owner"] == "olga"
    assert seen.ask("live/queues")["rows"]
    assert seen.post("what-if/answer", {"question": ORDERS})["answer"]
    refused = seen.post(f"{DATABASE}/queues/Réponses/status", {"is_enabled": False}, 403)
    assert refused["code"] == "right-missing"
    assert "somebody else's" in refused["detail"]
    ids = [group["id"] for group in stranger.ask("GET", "/training/groups").json()["groups"]]
    for each in ids:
        stranger.ask("DELETE", f"/training/groups/{each}")
    assert told(stranger, sandbox.name, "")[0] == 404


def test_whoever_may_not_train_does_not_look(sandbox):
    trainer, _ = trainer_of("olga")
    assert told(trainer, sandbox.name, "")[0] == 200
    User.objects.filter(username="tatiana").update(role=Role.OPERATOR)
    assert told(trainer, sandbox.name, "")[0] == 404


def test_a_run_that_has_ended_says_so_to_its_trainee_alone(sandbox):
    sandbox.run.post("finish")
    for path in ("", "/live/queues", "/findings", "/script"):
        assert told(sandbox.client, sandbox.name, path)[1]["code"] == "training-over", path
    assert told(browser("pavel"), sandbox.name, "")[0] == 404


def test_an_examination_whose_time_is_over_ends_when_somebody_looks_at_its_map(olga):
    exam = Private(begin(olga, mode="exam"))
    assert exam.ask()["sandbox"]["title"]
    TrainingSession.objects.update(ends_by=timezone.now() - timedelta(seconds=1))
    assert exam.ask(status=409)["code"] == "training-over"
    assert TrainingSession.objects.get().ended_at is not None


def test_no_estate_of_people_is_called_as_a_sandbox(olga):
    User.objects.filter(username="olga").update(role=Role.ADMIN)
    body = {"estate": "~" + "a" * 32, "files": [{"name": "a.sql", "text": "-- instance: A"}]}
    answer = olga.ask("POST", "/imports", body)
    assert answer.status_code == 422, answer.content
    assert answer.json()["code"] == "bad-field"
    assert not Estate.objects.exists()


# ── the map ──────────────────────────────────────────────────────────────────────────────────────────────────────────
def test_the_map_is_that_of_the_sandbox_and_follows_what_is_typed(sandbox):
    before = sandbox.ask()
    row = TrainingSession.objects.get()
    assert before["name"] == sandbox.name == row.sandbox
    assert before["revision"] == row.entries.count()
    assert (before["pace"], before["change_set"], before["draft_objects"]) == (1.0, None, [])
    assert {each["name"] for each in before["instances"]} == {"PARIS", "LYON"}
    assert [each["name"] for each in sandbox.database("PARIS", "Ventes")["routes"]] == ["Facturation sur place"]
    sandbox.run.sql("PARIS", "Ventes", ROUTE)
    after = sandbox.ask()
    assert after["revision"] > before["revision"]
    assert after["state"] != before["state"]
    (route,) = [each for each in sandbox.database("PARIS", "Ventes")["routes"] if each["name"] == "Vers Lyon"]
    assert route["target_instance"] == "LYON"
    assert not Estate.objects.exists()
    restart()
    assert sandbox.ask() == {**after, "sandbox": {**after["sandbox"], "utc": sandbox.ask()["sandbox"]["utc"]}}


def test_what_changes_no_object_leaves_the_map_as_it_was_told(sandbox):
    before = sandbox.ask()
    sandbox.run.step(60.0)
    after = sandbox.ask()
    assert after["revision"] > before["revision"]
    assert after["state"] == before["state"]


def test_a_route_expires_by_the_clock_of_the_sandbox(sandbox):
    sandbox.run.sql("PARIS", "Ventes", ROUTE.replace("ADDRESS", "LIFETIME = 3600, ADDRESS"))

    def route():
        return next(each for each in sandbox.database("PARIS", "Ventes")["routes"] if each["name"] == "Vers Lyon")

    told_at = sandbox.ask()
    assert not route()["is_expired"]
    assert sandbox.post("what-if/answer", {"question": ORDERS})["answer"]["light"] == "green"
    expires_at = datetime.fromisoformat(route()["expires_at"])
    assert expires_at.year == 2026, "by the scenario's calendar"
    while sandbox.ask()["sandbox"]["utc"] <= expires_at.timestamp():
        sandbox.run.step(1000.0)
    assert route()["is_expired"]
    assert sandbox.ask()["state"] != told_at["state"]
    assert sandbox.post("what-if/answer", {"question": ORDERS})["answer"]["light"] == "red"
