"""The log of decisions: one row for each, live or in a draft, wherever it came from; and revisions taken back."""

import csv
import io
import json

import pytest

from brokerweb.accounts.models import User
from brokerweb.accounts.rights import Right, Role
from brokerweb.accounts.tokens import token_create
from brokerweb.common.origin import OriginKind, comes_from
from brokerweb.common.spreadsheet import harmless
from brokerweb.topology.models import Decision, Estate
from brokerweb.topology.selectors.places import InstancePlace
from brokerweb.topology.services.imports import estate_import
from brokerweb.topology.services.moves import move_release, move_reserve, move_settle
from engine import api as engine
from tests.brokerweb.estates import PARIS, decide, make_estate, pair_catalogs

pytestmark = pytest.mark.django_db

ESTATE = "/estates/paire"
ROUTES = f"{ESTATE}/instances/PARIS/databases/Ventes/routes"
SETS = f"{ESTATE}/change-sets"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"


@pytest.fixture(scope="module", autouse=True)
def written(rows_of_file):
    with rows_of_file():
        make_estate(pair_catalogs())


@pytest.fixture
def estate(db):
    return Estate.objects.get()


def audit(client, query=""):
    answer = client.ask("GET", f"{ESTATE}/audit{query}")
    assert answer.status_code == 200, answer.json()
    return answer.json()["items"]


def alter(client, address, tag='"1"', **headers):
    answer = client.ask("PATCH", f"{ROUTES}/vers_lyon", {"address": address}, If_Match=tag, **headers)
    assert answer.status_code == 200, answer.json()
    return answer


def test_a_decision_is_told_with_who_what_before_after_and_from_where(editor):
    answer = alter(editor, "LOCAL", User_Agent=FIREFOX, X_Request_ID="abc-1")
    assert answer["X-Request-ID"] == "abc-1"
    row = audit(editor)[0]
    assert row["objects"] == [
        {
            "instance": "PARIS",
            "database": "Ventes",
            "kind": "route",
            "name": "vers_lyon",
            "effect": "change",
            "fields": [{"name": "address", "before": "TCP://lyon:4022", "after": "LOCAL"}],
        }
    ]
    told = {name: row[name] for name in ("author", "origin", "client_address", "user_agent", "request_id", "revision")}
    assert told == {
        "author": "the-editor",
        "origin": "ui",
        "client_address": "127.0.0.1",
        "user_agent": FIREFOX,
        "request_id": "abc-1",
        "revision": 2,
    }


def test_a_token_is_no_page_whatever_its_user_agent_claims(editor):
    _, token = token_create(User.objects.get(username="the-editor"), "script", [Right.VIEW, Right.EDIT], 1)
    editor.logout()
    with_token = {"Authorization": f"Bearer {token}"}
    alter(editor, "LOCAL", User_Agent=FIREFOX, **with_token)
    answer = editor.ask("GET", f"{ESTATE}/audit", **with_token)
    assert next(row["origin"] for row in answer.json()["items"]) == "api"


def test_every_way_to_decide_has_its_origin(editor, estate):
    alter(editor, "LOCAL", X_Request_ID="a bad one\n")
    change = engine.RouteDropped(database="Ventes", name="vers_lyon")
    decide(PARIS, [change])
    with comes_from(OriginKind.JOB):
        route = engine.RouteCreated(database="Ventes", route=engine.Route(name="x", address=engine.LocalAddress()))
        decide(PARIS, [route])
    script = engine.imports.ImportFile("a.sql", ":CONNECT PARIS\nGO\nUSE Ventes\nGO\nDROP ROUTE x\nGO\n")
    estate_import(estate_name="paire", files=[script], user=None)
    rows = Decision.objects.order_by("sequence")
    assert [row.origin for row in rows] == ["command-line", "api", "command-line", "job", "import"]
    assert [row.sequence for row in rows] == [1, 2, 3, 4, 5]
    assert [row.revision for row in rows] == [1, 2, 3, 4, None]
    assert len(rows[1].request_id) == 36
    assert [bool(row.changes) for row in rows] == [False, False, False, False, True]


def test_the_inverse_leads_back(estate):
    before = {catalog.name: catalog for catalog in pair_catalogs()}["PARIS"]
    changes = [
        engine.RouteDropped(database="Ventes", name="vers_lyon"),
        engine.BrokerSwitched(database="Ventes", is_enabled=False),
    ]
    decide(PARIS, changes)
    (decision,) = Decision.objects.filter(revision=2)
    back = [engine.catalog_change_decoder.decode(json.dumps(each)) for each in decision.inverse["PARIS"]]
    assert engine.apply_changes(engine.apply_changes(before, changes), back) == before


def test_a_move_is_logged_when_it_is_reserved_and_told_when_it_is_settled(estate):
    place = InstancePlace("paire", "PARIS")
    estate.instances.update(applied_revision=1)
    move = move_reserve(place, user=None, expected_revision=None, summary="Attach Archive")
    assert Decision.objects.get(revision=2).object_count == 0
    born = engine.DatabaseCreated(
        database="Archive", broker_instance=pair_catalogs()[0].databases["msdb"].broker_instance
    )
    move_settle(move, move.revision, lambda catalog: engine.apply_changes(catalog, [born]))
    decision = Decision.objects.get(revision=2)
    assert {each["name"] for each in json.loads(decision.objects_changed)} == {"Archive", "AutoCreatedLocal"}
    assert decision.inverse["PARIS"] == [{"change": "database-dropped", "database": "Archive"}]
    move = move_reserve(place, user=None, expected_revision=None, summary="Attach another")
    move_release(move, "its file is gone")
    assert Decision.objects.get(revision=3).summary == "Attach another (not done: its file is gone)"


@pytest.mark.parametrize(
    ("query", "revisions"),
    [
        ("?author=the-editor", [2]),
        ("?author=nobody", []),
        ("?object=VERS_LYON", [3, 2, 1]),
        ("?object=vers", []),
        ("?object=Ventes", [1]),
        ("?object=route", []),
        ("?instance=paris", [3, 2, 1]),
        ("?instance=lyon", [1]),
        ("?origin=api", [3, 2]),
        ("?origin=command-line", [1]),
        ("?from=2100-01-01T00:00:00Z", []),
        ("?until=2100-01-01T00:00:00Z&limit=2", [3, 2]),
        ("?before=2", [1]),
        ("?change_set=1", []),
    ],
)
def test_decisions_are_found(editor, api_as, query, revisions):
    alter(editor, "LOCAL")
    alter(api_as(Role.ADMIN), "TCP://rome:4022", '"2"')
    assert [row["revision"] for row in audit(editor, query)] == revisions


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("?autor=x", 400),
        ("?limit=0", 422),
        ("?from=2026-01-01T00:00:00", 422),
        ("?until=1790000000", 422),
        ("?until=2026", 422),
        ("?origin=moon", 422),
    ],
)
def test_a_question_that_is_not_understood_is_refused(editor, query, status):
    assert editor.ask("GET", f"{ESTATE}/audit{query}").status_code == status


def test_reading_the_log_takes_the_right_to_edit(api_as):
    assert api_as(Role.VIEWER).ask("GET", f"{ESTATE}/audit").status_code == 403
    assert api_as(Role.OPERATOR).ask("GET", f"{ESTATE}/audit?format=csv").status_code == 403


def test_a_file_has_a_line_for_each_object_and_no_formula(editor):
    editor.ask("POST", ROUTES, {"name": '=HYPERLINK("http://x","y")', "address": "LOCAL"})
    answer = editor.ask("GET", f"{ESTATE}/audit?format=csv&origin=api")
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    assert answer["Content-Disposition"] == 'attachment; filename="audit.csv"'
    text = b"".join(answer.streaming_content).decode("utf-8-sig")
    (row,) = csv.DictReader(io.StringIO(text))
    assert row["name"] == '\'=HYPERLINK("http://x","y")'
    assert (row["effect"], row["kind"], row["before"]) == ("add", "route", "")
    assert "address=LOCAL" in row["after"]


@pytest.mark.parametrize("cell", ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\r=1", "  =1", "\u00a0=1", "\uff1d1"])
def test_what_a_spreadsheet_would_carry_out_is_a_text(cell):
    assert harmless(cell) == f"'{cell}"


@pytest.mark.parametrize(
    ("cell", "shown"), [("dbo.x;=cmd|' /C calc'!A0", "dbo.x;'=cmd|' /C calc'!A0"), ("=1; +2", "'=1;' +2")]
)
def test_no_formula_begins_behind_what_separates_cells_elsewhere(cell, shown):
    assert harmless(cell) == shown


@pytest.mark.parametrize("cell", ["", "a=b", "a;b", "1,2", "1-1", "vers_lyon", "'=1"])
def test_other_cells_stay_as_they_are(cell):
    assert harmless(cell) == cell


def test_a_json_file_is_a_list_of_all(editor):
    alter(editor, "LOCAL")
    answer = editor.ask("GET", f"{ESTATE}/audit?format=json")
    rows = json.loads(b"".join(answer.streaming_content))
    assert [row["revision"] for row in rows] == [2, 1]
    assert rows[1]["object_count"] == len(rows[1]["objects"])
    empty = editor.ask("GET", f"{ESTATE}/audit?format=json&author=nobody")
    assert json.loads(b"".join(empty.streaming_content)) == []


def test_the_history_says_which_change_set_a_revision_came_of(editor):
    editor.ask("POST", SETS, {"title": "Vers le sud"})
    editor.ask("POST", f"{ROUTES}?change_set=1", {"name": "x", "address": "LOCAL"})
    editor.ask("POST", f"{SETS}/1/apply", If_Match='"1-1"')
    page = editor.ask("GET", f"{ESTATE}/revisions?limit=1").json()
    (row,) = page["items"]
    assert (row["number"], row["change_set"], row["author"], row["origin"]) == (2, 1, "the-editor", "api")
    assert row["summary"] == "Apply change set #1 (Vers le sud)"
    assert (page["total"], page["next_before"]) == (2, 2)
    (row,) = editor.ask("GET", f"{ESTATE}/revisions?before=2").json()["items"]
    assert (row["number"], row["change_set"]) == (1, None)
    kinds = [(row["change_set"], row["revision"]) for row in audit(editor)]
    assert kinds == [(1, 2), (1, None), (None, 1)]


def test_a_revision_is_taken_back_by_a_change_set(editor, estate):
    alter(editor, "LOCAL")
    answer = editor.ask("POST", f"{ESTATE}/revisions/2/revert")
    assert answer.status_code == 201, answer.json()
    told = answer.json()
    assert (told["title"], told["conflict_count"], answer["ETag"]) == ("Revert revision 2", 0, '"1-1"')
    (found,) = told["objects"]
    assert found["fields"] == [{"name": "address", "base": "LOCAL", "theirs": "LOCAL", "mine": "TCP://lyon:4022"}]
    assert editor.ask("POST", f"{SETS}/1/apply", If_Match='"1-1"').json()["revision"] == 3
    assert audit(editor)[0]["objects"][0]["fields"][0]["after"] == "TCP://lyon:4022"


def test_what_was_changed_again_since_is_a_conflict_of_the_revert(editor):
    alter(editor, "LOCAL")
    alter(editor, "TCP://rome:4022", '"2"')
    (found,) = editor.ask("POST", f"{ESTATE}/revisions/2/revert").json()["objects"]
    assert found["conflict"] == "open"


def test_a_revision_without_objects_or_none_at_all_cannot_be_taken_back(editor):
    editor.ask("POST", f"{ESTATE}/instances/PARIS/databases/Ventes/error-conversations")
    answer = editor.ask("POST", f"{ESTATE}/revisions/2/revert")
    assert (answer.status_code, answer.json()["code"]) == (409, "nothing-to-revert")
    assert editor.ask("POST", f"{ESTATE}/revisions/9/revert").status_code == 404


def test_a_decision_that_is_refused_is_not_in_the_log(editor):
    assert editor.ask("POST", ROUTES, {"name": "VERS_LYON", "address": "LOCAL"}).status_code == 409
    assert Decision.objects.count() == 1


@pytest.mark.parametrize("field", ["from", "until"])
@pytest.mark.parametrize("instant", ["9999-12-31T23:59:59-12:00", "0001-01-01T00:00:00%2B14:00", "2026-01-01T00:00:00"])
def test_an_instant_that_is_none_in_utc_is_refused(editor, field, instant):
    answer = editor.ask("GET", f"{ESTATE}/audit?{field}={instant}")
    assert (answer.status_code, answer.json()["code"]) == (422, "bad-field")
