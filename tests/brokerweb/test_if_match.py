"""Whatever alters or drops says what it was made from, live and in a change set; what only adds need not."""

import pytest

from brokerweb.topology.models import Estate
from brokerweb.topology.services.change_sets import change_set_create
from engine import api as engine
from tests.brokerweb.estates import make_estate, pair_catalogs

pytestmark = pytest.mark.django_db

ESTATE = "/estates/paire"
PARIS = f"{ESTATE}/instances/PARIS"
VENTES = f"{PARIS}/databases/Ventes"
ALTERING = {
    "objects-alter": (
        f"{ESTATE}/objects/queue/edits",
        {
            "action": "alter",
            "objects": [{"instance": "PARIS", "database": "Ventes", "name": "dbo.File"}],
            "patch": {"is_enabled": False},
        },
    ),
    "objects-drop": (f"{ESTATE}/objects/route/edits", {"action": "drop", "filter": {"text": "vers_lyon"}}),
    "changes": (
        f"{ESTATE}/changes",
        {
            "summary": "Off",
            "changes": {"PARIS": [{"change": "route-dropped", "database": "Ventes", "name": "vers_lyon"}]},
        },
    ),
    "fix": (f"{ESTATE}/findings/fix", {"code": "SBD-405"}),
    "broker": (f"{VENTES}/broker", {"is_enabled": False}),
    "new-broker": (f"{VENTES}/new-broker", None),
    "connect": (f"{PARIS}/endpoint/permissions", {"grantee": "public", "verb": "GRANT"}),
    "send": (f"{VENTES}/services/%2F%2Ftest%2FCommandes/permissions", {"grantee": "public", "verb": "DENY"}),
    "receive": (f"{VENTES}/queues/dbo.File/permissions", {"grantee": "public", "verb": "DENY"}),
}
ADDING = {
    "route": (f"{VENTES}/routes", {"name": "neu", "address": "LOCAL"}),
    "object": (
        f"{ESTATE}/objects/user",
        {"instance": "PARIS", "database": "Ventes", "name": "Neu", "fields": {}},
    ),
    "preview": (f"{ESTATE}/objects/route/edits", {"action": "drop", "filter": {"text": "vers_lyon"}, "dry_run": True}),
}
WHERE = pytest.mark.parametrize(("where", "stale"), [("", '"0"'), ("?change_set=1", '"1-7"')])


@pytest.fixture(scope="module", autouse=True)
def written(rows_of_file):
    paris, lyon = pair_catalogs()
    off = engine.QueueAltered(database="Stock", name="dbo.File", is_enabled=False)
    with rows_of_file():
        make_estate([paris, engine.apply_changes(lyon, [off])])
        change_set_create("paire", title="", user=None)


@pytest.fixture
def estate(db):
    return Estate.objects.get()


@WHERE
@pytest.mark.parametrize("name", ALTERING)
def test_a_change_says_what_it_was_made_from(editor, estate, name, where, stale):
    path, body = ALTERING[name]
    before = editor.ask("GET", f"{ESTATE}{where}")["ETag"]
    missing = editor.ask("POST", path + where, body)
    assert (missing.status_code, missing.json()["code"]) == (428, "revision-required")
    late = editor.ask("POST", path + where, body, If_Match=stale)
    assert (late.status_code, late.json()["code"]) == (412, "revision-conflict")
    assert editor.ask("GET", f"{ESTATE}{where}")["ETag"] == before
    done = editor.decide(path + where, body)
    assert done.status_code == 200, done.json()
    assert done["ETag"] != before
    assert Estate.objects.get().revision == (1 if where else 2)


@WHERE
@pytest.mark.parametrize("name", ADDING)
def test_what_only_adds_or_looks_need_not(editor, name, where, stale):
    path, body = ADDING[name]
    assert editor.ask("POST", path + where, body).status_code in (200, 201)


def test_to_stop_an_endpoint_waits_for_nobodys_change(editor, api_as):
    assert editor.ask("POST", f"{PARIS}/endpoint", {"state": "STOPPED"}).status_code == 200
