"""Edits of objects with selections and fields that nobody means: answered by a word about them, never by a fault."""

import pytest

from brokerweb.topology.models import Decision, Estate
from brokerweb.topology.services.change_sets import change_set_create
from tests.brokerweb.estates import make_estate, pair_catalogs

pytestmark = pytest.mark.django_db

ESTATE = "/estates/paire"
OBJECTS = f"{ESTATE}/objects"


@pytest.fixture(scope="module", autouse=True)
def written(rows_of_file):
    with rows_of_file():
        make_estate(pair_catalogs())
        change_set_create("paire", title="", user=None)


def tag(client, query):
    return client.ask("GET", f"{ESTATE}{query}")["ETag"]


def edit(client, kind, body, query=""):
    return client.decide(f"{OBJECTS}/{kind}/edits{query}", body)


def make(client, kind, name, fields, database=None, query=""):
    body = {"instance": "PARIS", "database": database, "name": name, "fields": fields}
    return client.ask("POST", f"{OBJECTS}/{kind}{query}", body)


WHERE = pytest.mark.parametrize("where", ["", "?change_set=1"])


@WHERE
def test_a_filter_that_finds_nothing_does_nothing(editor, where):
    before = tag(editor, where)
    done = edit(editor, "route", {"action": "drop", "filter": {"text": "nothing is called this"}}, where)
    assert done.status_code == 200, done.json()
    assert (done.json()["total"], done.json()["rows"]) == (0, [])
    assert (done["ETag"], tag(editor, where)) == (before, before)
    assert not Decision.objects.filter(summary__startswith="Drop").exists()


@WHERE
def test_an_empty_list_of_objects_is_refused(editor, where):
    for more in ({}, {"dry_run": True}):
        answer = edit(editor, "route", {"action": "drop", "objects": [], **more}, where)
        assert (answer.status_code, answer.json()["code"]) == (422, "bad-field")
        assert answer.json()["pointer"] == "/objects"


@WHERE
def test_where_all_are_refused_and_left_nothing_is_decided(editor, where):
    before = tag(editor, where)
    body = {"action": "drop", "objects": [{"instance": "PARIS", "database": "Ventes", "name": "dbo.File"}]}
    done = edit(editor, "queue", {**body, "leave_refused": True}, where)
    assert done.status_code == 200, done.json()
    assert (done.json()["refused"], done.json()["changed"]) == (1, 0)
    assert done.json()["rows"][0]["problem"]["code"] == 3716
    assert tag(editor, where) == before
    assert not Decision.objects.filter(summary__startswith="Drop").exists()


@WHERE
@pytest.mark.parametrize(
    ("fields", "pointer"),
    [
        ({"host_names": 5}, "/fields/host_names"),
        ({"host_names": "abc"}, "/fields/host_names"),
        ({"host_names": ["a", 7]}, "/fields/host_names"),
        ({"colour": "red"}, "/fields/colour"),
    ],
)
def test_a_new_instance_takes_host_names_as_a_list_and_nothing_else(editor, where, fields, pointer):
    answer = make(editor, "instance", "NEU", fields, query=where)
    assert (answer.status_code, answer.json()["code"], answer.json()["pointer"]) == (400, "malformed", pointer)
    assert not Estate.objects.get(name="paire").instances.filter(name="NEU").exists()


@pytest.mark.parametrize(
    ("fields", "pointer"),
    [({"is_broker_enabled": "no"}, "/fields/is_broker_enabled"), ({"broker_instance": 7}, "/fields/broker_instance")],
)
def test_a_new_database_takes_values_of_their_kind(editor, fields, pointer):
    answer = make(editor, "database", "Neu", fields)
    assert (answer.status_code, answer.json()["code"], answer.json()["pointer"]) == (400, "malformed", pointer)


@pytest.mark.parametrize("text", ["\u0301", "\u0301\u0308"])
def test_a_text_of_which_nothing_is_left_finds_nothing(editor, text):
    for where in ("", "?change_set=1"):
        for field in ("text", "service", "target"):
            body = {"action": "drop", "filter": {field: text}, "dry_run": True}
            assert edit(editor, "route", body, where).json()["total"] == 0
    body = {"instance": "PARIS", "database": "Ventes", "name": "neu", "fields": {"address": "LOCAL"}}
    assert editor.ask("POST", f"{OBJECTS}/route?change_set=1", body).status_code == 201
    page = editor.get(f"/api/v1{OBJECTS}/route", {"change_set": 1, "text": text}).json()
    assert page["total"] == 0


@pytest.mark.parametrize(
    ("kind", "name"),
    [("contract", "//test/Commander"), ("queue", "dbo.File"), ("route", "vers_lyon"), ("instance", "PARIS")],
)
def test_an_edit_of_no_field_changes_nothing_whatever_can_be_altered(editor, kind, name):
    where = {"instance": "PARIS", "database": None if kind == "instance" else "Ventes", "name": name}
    answer = edit(editor, kind, {"action": "alter", "objects": [where], "patch": {}})
    assert (answer.status_code, answer.json().get("same")) == (200, 1), answer.json()


@pytest.mark.parametrize("text", ["\0", "\0r"])
def test_a_filter_with_a_nul_is_refused(editor, text):
    """To a database it may end a text, and the empty text is in every row."""
    body = {"action": "drop", "filter": {"text": text}, "dry_run": True}
    answer = edit(editor, "route", body)
    assert (answer.status_code, answer.json()["pointer"]) == (422, "/filter/text")
    assert editor.get(f"/api/v1{OBJECTS}/route", {"text": text}).status_code == 422
