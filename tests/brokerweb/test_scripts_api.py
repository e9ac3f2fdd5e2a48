"""An estate as T-SQL over the API: the text with its places, and the same text as a file."""

import pytest

from brokerweb.topology.services.instance import endpoint_set_state
from tests.brokerweb.estates import PARIS, make_estate, pair_catalogs

pytestmark = pytest.mark.django_db


def test_the_script_with_the_lines_of_each_object(editor):
    make_estate(pair_catalogs())
    answer = editor.ask("GET", "/estates/paire/script?guards=true")
    assert answer.status_code == 200
    script = answer.json()
    lines = script["text"].splitlines()
    (route,) = [each for each in script["statements"] if each["name"] == "vers_lyon"]
    assert (route["instance"], route["database"], route["kind"]) == ("PARIS", "Ventes", "route")
    assert "\n".join(lines[route["line"] - 1 : route["end_line"]]) == (
        "IF NOT EXISTS (SELECT * FROM sys.routes WHERE name = N'vers_lyon')\n"
        "    CREATE ROUTE [vers_lyon] WITH\n"
        "        SERVICE_NAME = N'//test/Réception',\n"
        "        ADDRESS = N'TCP://lyon:4022';"
    )
    for warning in script["warnings"]:
        assert lines[warning["line"] - 1] == f"-- {warning['detail']}"


def test_one_database_changes_and_rollback(editor):
    make_estate(pair_catalogs())
    endpoint_set_state(PARIS, "STOPPED", user=None)
    text = editor.ask("GET", "/estates/paire/script?instance=lyon&database=stock").json()["text"]
    assert "vers_paris" in text
    assert ":CONNECT PARIS" not in text
    changes = editor.ask("GET", "/estates/paire/script?from=1&to=2").json()
    assert [each["kind"] for each in changes["statements"]] == ["instance", "endpoint"]
    assert "STATE = STOPPED" in changes["text"]
    assert "STATE = STARTED" in editor.ask("GET", "/estates/paire/script?from=1&rollback=true").json()["text"]


def test_several_places_give_one_script(editor):
    make_estate(pair_catalogs())
    whole = editor.ask("GET", "/estates/paire/script?header=false").json()["text"]
    both = editor.ask("GET", "/estates/paire/script?header=false&place=LYON&place=paris").json()["text"]
    assert both == whole
    paris = editor.ask("GET", "/estates/paire/script?header=false&place=PARIS").json()["text"]
    assert paris == editor.ask("GET", "/estates/paire/script?header=false&instance=PARIS").json()["text"]
    mixed = editor.ask("GET", "/estates/paire/script?place=PARIS&place=LYON/Stock").json()
    places = {(each["instance"], each["database"]) for each in mixed["statements"]}
    assert places >= {("PARIS", None), ("PARIS", "Ventes"), ("LYON", "Stock")}
    assert "endpoint" not in {each["kind"] for each in mixed["statements"] if each["instance"] == "LYON"}
    assert {"vers_lyon", "vers_paris"} <= {each["name"] for each in mixed["statements"]}
    lines = mixed["text"].splitlines()
    routes = [each for each in mixed["statements"] if each["name"] in ("vers_lyon", "vers_paris")]
    assert all(f"[{each['name']}]" in lines[each["line"] - 1] for each in routes)
    named = editor.ask("GET", "/estates/paire/script.sql?place=PARIS&place=LYON/Stock")
    assert 'filename="paire-2-places.sql"' in named.headers["Content-Disposition"]


def test_the_file_holds_the_same_text(editor):
    make_estate(pair_catalogs())
    shown = editor.ask("GET", "/estates/paire/script?instance=PARIS").json()["text"]
    answer = editor.ask("GET", "/estates/paire/script.sql?instance=PARIS")
    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert answer.headers["Content-Disposition"] == 'attachment; filename="paire-PARIS.sql"'
    assert answer.content.decode() == shown


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("instance=ROM", 404),
        ("database=nulle", 404),
        ("place=PARIS&place=ROM", 404),
        ("place=LYON/nulle", 404),
        ("place=LYON/Stock/x", 422),
        ("place=", 422),
        ("to=9", 404),
        ("from=9", 404),
        ("rollback=true", 400),
        ("from_=1", 400),
        ("from=-1", 422),
    ],
)
@pytest.mark.parametrize("path", ["script", "script.sql"])
def test_what_there_is_not_is_refused_before_anything_is_sent(editor, path, query, status):
    make_estate(pair_catalogs())
    answer = editor.ask("GET", f"/estates/paire/{path}?{query}")
    assert (answer.status_code, answer.headers["Content-Type"]) == (status, "application/problem+json")


def test_without_the_right_to_view_there_is_nothing(client):
    make_estate(pair_catalogs())
    assert client.get("/api/v1/estates/paire/script").status_code == 401


def test_a_change_set_as_a_script_and_as_its_rollback_before_and_after_it_is_applied(editor):
    make_estate(pair_catalogs())
    editor.ask("POST", "/estates/paire/change-sets", {"title": "Plus loin"})
    routes = "/estates/paire/instances/PARIS/databases/Ventes/routes"
    body = {"name": "retour", "address": "TCP://lyon:4022", "service_name": "//test/Retour"}
    assert editor.ask("POST", f"{routes}?change_set=1", body).status_code == 201

    def texts():
        there = editor.ask("GET", "/estates/paire/script?change_set=1").json()["text"]
        back = editor.ask("GET", "/estates/paire/script?change_set=1&rollback=true").json()["text"]
        return there, back

    there, back = texts()
    assert "CREATE ROUTE [retour] WITH" in there
    assert "Change set #1 (Plus loin) on revision 1:" in there
    assert "vers_lyon" not in there
    assert "DROP ROUTE [retour]" in back
    tag = editor.ask("GET", "/estates/paire/change-sets/1")["ETag"]
    assert editor.ask("POST", "/estates/paire/change-sets/1/apply", If_Match=tag).status_code == 200
    assert texts() == (there, back)


@pytest.mark.parametrize(
    ("query", "status"), [("change_set=9", 404), ("change_set=1&from=1", 400), ("change_set=1", 400)]
)
def test_a_change_set_without_a_script(editor, query, status):
    make_estate(pair_catalogs())
    editor.ask("POST", "/estates/paire/change-sets", {"title": ""})
    editor.ask("DELETE", "/estates/paire/change-sets/1")
    answer = editor.ask("GET", f"/estates/paire/script?{query}")
    assert (answer.status_code, answer.headers["Content-Type"]) == (status, "application/problem+json")
