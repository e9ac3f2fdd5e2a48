"""A change set told page by page: which objects, how many of what, and what stands in the list of drafts."""

import pytest
from django.db import transaction

from brokerweb.accounts.rights import Role
from brokerweb.accounts.services import user_create
from brokerweb.topology.selectors.drafts import change_set_at, draft_catalogs
from tests.brokerweb.conftest import logged_in
from tests.brokerweb.draft_contract import PLACE, new_route
from tests.brokerweb.estates import make_estate, pair_catalogs

pytestmark = pytest.mark.django_db
SETS = "/estates/paire/change-sets"
ROUTES = "/estates/paire/instances/PARIS/databases/Ventes/routes"


@pytest.fixture(scope="module")
def editor(rows_of_file):
    with rows_of_file():
        return logged_in(user_create("the-editor", Role.EDITOR, reads_payloads=True))


@pytest.fixture(scope="module", autouse=True)
def draft(rows_of_file, editor):
    with rows_of_file():
        write_draft(editor)


def write_draft(editor):
    """Seven new routes, a changed one that is a conflict by now, and a queue of LYON that goes with its service."""
    make_estate(pair_catalogs())
    assert editor.ask("POST", SETS, {}).status_code == 201
    changes = {
        "PARIS": [
            *(
                {"change": "route-created", "database": "Ventes", "route": {"name": name, "address": {"type": "local"}}}
                for name in ("Été", "b", "c", "d", "e", "f", "g")
            ),
            {"change": "route-altered", "database": "Ventes", "name": "vers_lyon", "address": {"type": "local"}},
        ],
        "LYON": [
            {"change": "service-dropped", "database": "Stock", "name": "//test/Réception"},
            {"change": "queue-dropped", "database": "Stock", "name": "dbo.File"},
        ],
    }
    answer = editor.decide("/estates/paire/changes?change_set=1", {"summary": "Much", "changes": changes})
    assert answer.status_code == 200, answer.json()
    live = {"address": "TCP://lyon:4999"}
    assert editor.ask("PATCH", f"{ROUTES}/vers_lyon", live, If_Match='"1"').status_code == 200


def read(client, query=""):
    answer = client.ask("GET", f"{SETS}/1{query}")
    assert answer.status_code == 200, answer.json()
    return answer.json()


def test_counts_are_those_of_all_and_the_page_begins_with_conflicts(editor):
    told = read(editor, "?rows=3")
    assert told["objects"][0]["name"] == "vers_lyon"
    assert (len(told["objects"]), told["object_count"], told["pages"]) == (3, 10, 4)
    assert told["object_counts"] == {"add": 7, "change": 1, "remove": 2}
    assert told["object_kinds"] == ["queue", "route", "service"]
    assert told["object_instances"] == ["LYON", "PARIS"]
    assert told["conflict_count"] == 1
    pages = [read(editor, f"?rows=3&page={page}")["objects"] for page in (1, 2, 3, 4)]
    assert sorted(each["name"] for page in pages for each in page) == sorted(
        each["name"] for each in read(editor)["objects"]
    )
    assert read(editor, "?rows=3&page=5") == read(editor, "?rows=3&page=4")


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("?kind=route", 8),
        ("?instance=lyon", 2),
        ("?effect=remove", 2),
        ("?conflict=open", 1),
        ("?text=%C3%A9T%C3%89", 1),
        ("?text=stock", 2),
        ("?kind=route&effect=add&text=c", 1),
        ("?kind=queue&instance=PARIS", 0),
    ],
)
def test_objects_are_chosen_by_kind_place_effect_and_name(editor, query, count):
    told = read(editor, query)
    assert (told["matching_count"], len(told["objects"]), told["object_count"]) == (count, count, 10)


@pytest.mark.parametrize("query", ["?kind=table", "?page=0", "?rows=5000"])
def test_what_cannot_be_asked_is_refused(editor, query):
    assert editor.ask("GET", f"{SETS}/1{query}").status_code == 422
    assert editor.ask("GET", f"{SETS}/1?colour=red").status_code == 400


def test_a_draft_in_which_nothing_stands_is_told_as_empty(editor):
    def is_empty():
        return editor.ask("GET", SETS).json()["items"][0]["is_empty"]

    assert not is_empty()
    assert editor.ask("POST", f"{SETS}/1/undo").status_code == 200
    assert is_empty()
    assert read(editor)["object_count"] == 0
    assert editor.ask("POST", f"{SETS}/1/redo").status_code == 200
    assert not is_empty()
    editor.ask("POST", SETS, {})
    assert is_empty()


def test_a_closed_draft_is_paged_as_well(editor):
    assert editor.ask("DELETE", f"{SETS}/1").status_code == 200
    told = read(editor, "?rows=4&kind=route")
    assert (len(told["objects"]), told["matching_count"], told["pages"]) == (4, 8, 2)


def test_what_a_transaction_took_back_is_not_remembered(editor):
    """Its decision had the number that the next one gets."""

    def routes():
        return set(draft_catalogs(change_set_at("paire", 1))["PARIS"].databases["Ventes"].routes)

    before = routes()
    with transaction.atomic():
        new_route(PLACE, "never")
        assert "never" in routes()
        transaction.set_rollback(True)
    assert routes() == before
    new_route(PLACE, "once")
    assert routes() == before | {"once"}


def test_what_others_make_live_is_in_the_draft_at_once(editor):
    assert "later" not in draft_catalogs(change_set_at("paire", 1))["PARIS"].databases["Ventes"].routes
    body = {"name": "later", "address": "LOCAL"}
    assert editor.ask("POST", ROUTES, body, If_Match='"2"').status_code == 201
    assert "later" in draft_catalogs(change_set_at("paire", 1))["PARIS"].databases["Ventes"].routes
