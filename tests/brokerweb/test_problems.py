"""Every problem of the API is a document that says what happened, why, and what to do."""

import json
from http import HTTPStatus

import pytest
from django.http import HttpRequest
from django.test import Client

from brokerweb.accounts.rights import Role
from brokerweb.common.api import errors, statuses
from brokerweb.common.errors import WebProblem
from brokerweb.topology.services import route as route_service
from engine import api as engine
from tests.brokerweb.estates import make_estate, pair_catalogs

ROUTES = "/estates/paire/instances/PARIS/databases/Ventes/routes"
RAW = {"content_type": "application/json"}


@pytest.fixture
def estate(db):
    return make_estate(pair_catalogs())


def checked(answer, status, code):
    """The problem of an answer, complete."""
    assert answer.status_code == status, answer.content
    assert answer["Content-Type"] == "application/problem+json"
    problem = answer.json()
    assert (problem["status"], problem["code"]) == (status, code)
    assert problem["type"] == f"urn:brokerweb:problem:{code}"
    assert problem["title"]
    for part in ("detail", "why", "cure"):
        if isinstance(code, str):
            assert problem[part].endswith("."), f"{status} {code} does not say its {part}"
    assert problem["detail"]
    # The engine leaves out a reason that its text says already.
    assert problem["cure"]
    return problem


def test_every_status_has_a_title_of_its_own():
    titles = [errors.TITLES[status] for status in map(HTTPStatus, statuses.PROBLEM_STATUSES)]
    assert len(set(titles)) == len(titles)
    assert {status.value for status in statuses.WEB_STATUS.values()} <= set(statuses.PROBLEM_STATUSES)
    assert {status.value for status in statuses.ENGINE_STATUS.values()} <= set(statuses.PROBLEM_STATUSES)


def test_every_kind_of_problem_has_a_status():
    assert set(statuses.WEB_STATUS) == set(WebProblem.__subclasses__())


def test_nobody_logged_in(client, db):
    checked(client.get("/api/v1/estates"), 401, "unauthenticated")


def test_a_wrong_password(client, db):
    checked(client.post("/api/v1/login", {"username": "a", "password": "b"}, **RAW), 401, "unauthenticated")


def test_a_role_without_the_right(api_as):
    checked(api_as(Role.VIEWER).ask("POST", ROUTES, {"name": "a", "address": "LOCAL"}), 403, "right-missing")


def test_a_request_without_the_token_of_the_page(db):
    answer = Client(enforce_csrf_checks=True).post("/api/v1/login", {"username": "a", "password": "b"}, **RAW)
    assert "own page" in checked(answer, 403, "csrf")["title"]


@pytest.mark.parametrize(
    "path", ["/estates/none", "/estates/paire/instances/NONE/view", ROUTES.replace("Ventes", "None")]
)
def test_an_object_that_is_not_there(estate, editor, path):
    method, body = ("POST", {"name": "a", "address": "LOCAL"}) if path.endswith("/routes") else ("GET", None)
    checked(editor.ask(method, path, body), 404, "not-found")


def test_a_route_that_is_not_there(estate, editor):
    checked(editor.ask("DELETE", f"{ROUTES}/none", If_Match='"1"'), 404, "not-found")


@pytest.mark.parametrize("path", ["/api/v1/nothing", "/api/", "/api/v2/estates"])
def test_an_address_of_nobody(client, db, path):
    assert checked(client.get(path), 404, "no-address")["title"] == "There is nothing at this address"


def test_a_method_that_the_address_does_not_take(editor):
    answer = editor.ask("DELETE", "/estates")
    checked(answer, 405, "method-not-allowed")
    assert answer["Allow"] == "GET"


def test_a_name_that_exists(estate, editor):
    body = {"name": "retour", "address": "LOCAL"}
    assert editor.ask("POST", ROUTES, body).status_code == 201
    assert checked(editor.ask("POST", ROUTES, body), 409, 2714)["title"] == "Something of that name exists already"


def test_a_revision_that_is_old_missing_or_none(estate, editor):
    editor.ask("POST", ROUTES, {"name": "retour", "address": "LOCAL"})
    change = ("PATCH", f"{ROUTES}/retour", {"address": "TRANSPORT"})
    checked(editor.ask(*change, If_Match='"1"'), 412, "revision-conflict")
    checked(editor.ask(*change), 428, "revision-required")
    checked(editor.ask(*change, If_Match="new"), 400, "malformed")


@pytest.mark.parametrize("how", ["announced", "unannounced"])
def test_a_body_over_the_limit(editor, settings, monkeypatch, how):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024
    body = json.dumps({"estate": "demo", "files": [{"name": "a.sql", "text": "x" * 1024 * 1024}]})
    if how == "unannounced":
        # A chunked body: Django reads it whole, whatever its length turns out to be.
        monkeypatch.setattr(HttpRequest, "body", body.encode())
    answer = editor.generic("POST", "/api/v1/imports", body, **RAW)
    assert "larger than 1 MB" in checked(answer, 413, "too-large")["detail"]


def test_a_body_that_is_not_json_by_its_own_word(editor):
    answer = editor.post("/api/v1/imports", {"estate": "demo"})
    assert "multipart/form-data" in checked(answer, 415, "unsupported-media")["detail"]


@pytest.mark.parametrize("body", ["{", "\xff", '{"estate": NaN}', "[" * 100_000])
def test_a_body_that_is_no_json(editor, body):
    checked(editor.generic("POST", "/api/v1/imports", body.encode("latin-1"), **RAW), 400, "malformed")


def test_a_field_of_the_wrong_kind(estate, editor):
    assert checked(editor.ask("POST", ROUTES, {"name": "a", "address": 7}), 422, "bad-field")["pointer"] == "/address"


@pytest.mark.parametrize(
    ("path", "body", "pointer"),
    [
        (ROUTES, {"name": "a", "adress": "LOCAL"}, "/adress"),
        ("/imports", {"estate": "demo", "files": [{"name": "a", "text": "GO", "mode": 1}]}, "/files/0/mode"),
        ("/login", {"username": "a", "password": "b", "remember": True}, "/remember"),
    ],
)
def test_a_field_that_is_not_known_is_named(estate, editor, path, body, pointer):
    problem = checked(editor.ask("POST", path, body), 400, "unknown-field")
    assert problem["pointer"] == pointer
    assert f"a field {pointer[1:]}," in problem["detail"]


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        (r'{"name": "a\ud800", "address": "LOCAL"}', "/name"),
        (r'{"name": "a", "address": "LOCAL", "service_name": "\uDFFF\ud83d"}', "/service_name"),
        (r'{"na\ud800me": "a"}', None),
        (r'{"a/b": [1, "\udc00"]}', "/a~1b/1"),
    ],
)
def test_half_a_surrogate_pair_is_refused_where_it_stands(estate, editor, body, pointer):
    problem = checked(editor.generic("POST", f"/api/v1{ROUTES}", body, **RAW), 400, "malformed")
    assert problem["pointer"] == pointer
    assert "half a surrogate pair" in problem["detail"]


def test_a_whole_pair_is_a_character(estate, editor):
    answer = editor.generic("POST", f"/api/v1{ROUTES}", r'{"name": "\ud83d\ude00", "address": "LOCAL"}', **RAW)
    assert answer.status_code == 201
    assert answer.json()["route"]["name"] == "😀"


def test_a_refusal_of_the_engine(estate, editor):
    problem = checked(editor.ask("POST", ROUTES, {"name": "a", "address": "TCP://lyon"}), 422, 9744)
    assert problem["title"] == "The engine refused this"


def test_a_fault_of_ours(estate, editor, monkeypatch, caplog):
    def fail(*_arguments, **_names):
        raise RuntimeError("broken")

    monkeypatch.setattr(route_service, "change_decide", fail)
    checked(editor.ask("POST", ROUTES, {"name": "a", "address": "LOCAL"}), 500, "internal")
    assert "RuntimeError: broken" in caplog.text


def test_an_engine_that_does_not_answer(estate, editor, monkeypatch):
    def fail(*_arguments, **_names):
        raise engine.EngineUnavailable("PARIS did not answer within 5 seconds.")

    monkeypatch.setattr(engine, "read_view", fail)
    problem = checked(editor.ask("GET", "/estates/paire/instances/PARIS/view"), 503, "engine-unavailable")
    assert problem["detail"].startswith("PARIS did not answer")


@pytest.mark.parametrize("number", [10**30, -(10**30)])
def test_a_number_that_nothing_can_hold_is_not_our_fault(estate, editor, number):
    answer = editor.ask("POST", ROUTES, {"name": "a", "address": "LOCAL", "lifetime_seconds": number})
    assert answer.status_code in (400, 422), answer.content


def test_a_host_that_is_not_ours_is_told_so_to_a_reader_of_json(client, db):
    checked(client.get("/api/v1/me", headers={"host": "evil.example"}), 400, "malformed")


@pytest.mark.parametrize(
    ("language", "detail", "cure"),
    [
        ("de-AT,de;q=0.9", "Die Adresse „TCP://lyon“ ist nicht gültig", "Schreiben Sie sie wie TCP://paris:4022."),
        ("fr", "L’adresse « TCP://lyon » n’est pas valide", "Écrivez-la comme TCP://paris:4022."),
        ("pt-BR", "The address 'TCP://lyon' is not valid", "Write it like TCP://paris:4022."),
    ],
)
def test_a_refusal_of_the_engine_is_told_in_the_language_of_the_asker(estate, editor, language, detail, cure):
    body = {"name": "a", "address": "TCP://lyon"}
    problem = checked(editor.ask("POST", ROUTES, body, Accept_Language=language), 422, 9744)
    assert problem["detail"].replace("\u00a0", " ").startswith(detail)
    assert problem["cure"] == cure


@pytest.mark.parametrize(
    ("language", "title", "detail", "cure"),
    [
        (
            "fr",
            "Il n’y a pas d’objet de ce nom",
            "Il n’y a pas de parc nulle.",
            "Relisez le parc et choisissez parmi ce qui s’y trouve.",
        ),
        (
            "de-AT",
            "Das gibt es nicht",
            "Es gibt kein Netz nulle.",
            "Lesen Sie das Netz neu und wählen Sie unter dem, was da ist.",
        ),
        (
            "pt",
            "There is no such object",
            "There is no estate nulle.",
            "Read the estate again and choose among what is there.",
        ),
    ],
)
def test_the_web_words_its_own_refusals_in_the_language_that_is_asked_for(editor, language, title, detail, cure):
    told = editor.ask("GET", "/estates/nulle/findings", Accept_Language=language).json()
    assert (told["title"], told["detail"], told["cure"]) == (title, detail, cure)
    assert told["code"] == "not-found"
