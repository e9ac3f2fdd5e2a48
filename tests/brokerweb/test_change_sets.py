"""Change sets over the API: edited like the live estate, merged with what others do, applied in one revision."""

import pytest

from brokerweb.accounts.rights import Role
from brokerweb.common.outbox.models import OutboxMessage
from brokerweb.topology.models import ChangeSet, Decision, Estate, TopologyRevision
from brokerweb.topology.selectors.catalogs import estate_catalogs
from tests.brokerweb.estates import make_estate, pair_catalogs

pytestmark = pytest.mark.django_db

ESTATE = "/estates/paire"
SETS = f"{ESTATE}/change-sets"
VENTES = f"{ESTATE}/instances/PARIS/databases/Ventes"
STOCK = f"{ESTATE}/instances/LYON/databases/Stock"
ROUTES = f"{VENTES}/routes"
DRAFT = "?change_set=1"
NEW = {"name": "retour", "address": "TCP://lyon:4022", "service_name": "//test/Réception"}
VERS_LYON = {"instance": "PARIS", "database": "Ventes", "kind": "route", "name": "vers_lyon"}


@pytest.fixture(scope="module", autouse=True)
def written(rows_of_file):
    with rows_of_file():
        make_estate(pair_catalogs())


@pytest.fixture
def estate(db):
    return Estate.objects.get()


@pytest.fixture
def other(api_as):
    return api_as(Role.ADMIN)


@pytest.fixture
def draft(editor):
    answer = editor.ask("POST", SETS, {"title": "Vers le sud"})
    assert answer.status_code == 201, answer.json()
    assert answer["ETag"] == '"1-0"'
    return answer.json()


def read(client):
    return client.ask("GET", f"{SETS}/1").json()


def alter(client, address, where="", name="vers_lyon", tag=None):
    """PATCH the route in the draft, or live when `where` is empty, from what is there now."""
    if tag is None:
        tag = client.ask("GET", f"{ESTATE}{where}")["ETag"]
    return client.ask("PATCH", f"{ROUTES}/{name}{where}", {"address": address}, If_Match=tag)


def apply(client):
    client.mean_losses(f"{SETS}/1")
    return client.ask("POST", f"{SETS}/1/apply", If_Match=client.ask("GET", f"{SETS}/1")["ETag"])


def address(client, where="", name="vers_lyon"):
    (paris,) = [each for each in client.ask("GET", f"{ESTATE}{where}").json()["instances"] if each["name"] == "PARIS"]
    (ventes,) = [each for each in paris["databases"] if each["name"] == "Ventes"]
    return next((route["address"] for route in ventes["routes"] if route["name"] == name), None)


def test_an_edit_in_a_draft_is_seen_there_and_nowhere_else(editor, draft):
    answer = editor.ask("POST", f"{ROUTES}{DRAFT}", NEW, If_Match='"1-0"')
    assert answer.status_code == 201, answer.json()
    assert answer["ETag"] == '"1-1"'
    assert (answer.json()["revision"], answer.json()["change_set"], answer.json()["sequence"]) == (1, 1, 1)
    assert answer.json()["route"]["target_instance"] == "LYON"
    assert address(editor, name="retour") is None
    assert address(editor, DRAFT, name="retour") == "TCP://lyon:4022"
    picture = editor.ask("GET", f"{ESTATE}{DRAFT}")
    assert picture["ETag"] == '"1-1"'
    assert picture.json()["draft_objects"] == [
        {"instance": "PARIS", "database": "Ventes", "kind": "route", "name": "retour", "effect": "add"}
    ]
    assert TopologyRevision.objects.count() == 1
    assert OutboxMessage.objects.filter(revision__gt=1).count() == 0


def test_a_draft_is_applied_in_all_instances_as_one_revision(editor, draft, estate):
    alter(editor, "LOCAL", DRAFT)
    editor.decide(f"{STOCK}/broker{DRAFT}", {"is_enabled": False})
    answer = apply(editor)
    assert answer.status_code == 200, answer.json()
    assert answer.json() == {"number": 1, "revision": 2}
    assert answer["ETag"] == '"2"'
    assert set(TopologyRevision.objects.get(number=2).changes) == {"LYON", "PARIS"}
    assert set(OutboxMessage.objects.filter(revision=2).values_list("instance_name", flat=True)) == {"LYON", "PARIS"}
    assert address(editor) == "LOCAL"
    assert estate_catalogs(estate)["LYON"].databases["Stock"].is_broker_enabled is False
    told = read(editor)
    assert (told["state"], told["applied_revision"], told["is_behind"]) == ("applied", 2, False)
    assert [(each["name"], each["effect"]) for each in told["objects"]] == [
        ("Stock", "change"),
        ("vers_lyon", "change"),
    ]


def test_a_closed_draft_takes_no_edit(editor, draft):
    alter(editor, "LOCAL", DRAFT)
    assert apply(editor).status_code == 200
    answer = editor.ask("POST", f"{ROUTES}{DRAFT}", NEW)
    assert (answer.status_code, answer.json()["code"]) == (409, "change-set-closed")
    assert "became revision 2" in answer.json()["detail"]
    answer = editor.ask("GET", f"{ESTATE}{DRAFT}")
    assert (answer.status_code, answer.json()["code"]) == (409, "change-set-closed")


def test_what_others_do_elsewhere_goes_into_the_draft(editor, other, draft):
    alter(editor, "LOCAL", DRAFT)
    other.ask("POST", ROUTES, NEW)
    assert address(editor, DRAFT, "retour") == "TCP://lyon:4022"
    told = read(editor)
    assert (told["is_behind"], told["conflict_count"], told["revision"]) == (True, 0, 2)
    assert apply(editor).json()["revision"] == 3
    assert (address(editor), address(editor, name="retour")) == ("LOCAL", "TCP://lyon:4022")


def test_what_both_have_changed_is_a_conflict_until_somebody_decides(editor, other, draft):
    alter(editor, "LOCAL", DRAFT)
    alter(other, "TCP://berlin:4022")
    (found,) = read(editor)["objects"]
    assert found["conflict"] == "open"
    assert found["fields"] == [
        {"name": "address", "base": "TCP://lyon:4022", "theirs": "TCP://berlin:4022", "mine": "LOCAL"}
    ]
    answer = apply(editor)
    assert (answer.status_code, answer.json()["code"]) == (409, "conflicts-open")
    assert "route vers_lyon on PARIS" in answer.json()["detail"]
    assert address(editor) == "TCP://berlin:4022"

    answer = editor.ask("POST", f"{SETS}/1/conflicts", {**VERS_LYON, "decision": "mine"})
    assert answer.status_code == 200, answer.json()
    (found,) = read(editor)["objects"]
    assert found["conflict"] == "acknowledged"
    assert apply(editor).status_code == 200
    assert address(editor) == "LOCAL"


def test_an_acknowledged_object_that_changes_once_more_is_a_conflict_once_more(editor, other, draft):
    alter(editor, "LOCAL", DRAFT)
    alter(other, "TCP://berlin:4022")
    editor.ask("POST", f"{SETS}/1/conflicts", {**VERS_LYON, "decision": "mine"})
    alter(other, "TCP://rome:4022")
    assert read(editor)["objects"][0]["conflict"] == "open"
    assert apply(editor).status_code == 409


def test_taking_theirs_gives_ones_own_change_up(editor, other, draft):
    alter(editor, "LOCAL", DRAFT)
    alter(other, "TCP://berlin:4022")
    assert editor.ask("POST", f"{SETS}/1/conflicts", {**VERS_LYON, "decision": "theirs"}).status_code == 200
    assert read(editor)["objects"] == []
    alter(other, "TCP://rome:4022")
    assert address(editor, DRAFT) == "TCP://rome:4022"
    answer = apply(editor)
    assert (answer.status_code, answer.json()["code"]) == (409, "nothing-to-apply")


def test_a_decision_about_no_conflict_is_refused(editor, draft):
    alter(editor, "LOCAL", DRAFT)
    answer = editor.ask("POST", f"{SETS}/1/conflicts", {**VERS_LYON, "decision": "mine"})
    assert (answer.status_code, answer.json()["code"]) == (409, "conflict-gone")


def test_an_object_edited_after_a_foreign_change_is_no_conflict_since_that_was_seen(editor, other, draft):
    alter(other, "TCP://berlin:4022")
    alter(editor, "TCP://rome:4022", DRAFT)
    assert read(editor)["objects"][0]["conflict"] is None
    assert apply(editor).status_code == 200


def test_an_object_that_was_given_up_and_is_changed_anew_stands_on_what_is_live_then(editor, other, draft):
    alter(editor, "LOCAL", DRAFT)
    alter(editor, "TCP://lyon:4022", DRAFT)
    alter(other, "TCP://berlin:4022")
    alter(editor, "TCP://rome:4022", DRAFT)
    (found,) = read(editor)["objects"]
    assert (found["conflict"], found["fields"][0]["base"]) == (None, "TCP://berlin:4022")
    alter(other, "TCP://oslo:4022")
    editor.ask("POST", f"{SETS}/1/conflicts", {**VERS_LYON, "decision": "theirs"})
    alter(editor, "LOCAL", DRAFT)
    (found,) = read(editor)["objects"]
    assert (found["conflict"], found["fields"][0]["base"]) == (None, "TCP://oslo:4022")


def test_two_people_in_one_draft_lose_nothing(editor, other, draft):
    tag = editor.ask("GET", f"{SETS}/1")["ETag"]
    assert alter(editor, "LOCAL", DRAFT, tag=tag).status_code == 200
    answer = alter(other, "TCP://berlin:4022", DRAFT, tag=tag)
    assert answer.status_code == 412
    problem = answer.json()
    assert problem["code"] == "revision-conflict"
    assert "the-editor" in problem["detail"]
    assert "Change route vers_lyon" in problem["why"]
    assert address(other, DRAFT) == "LOCAL"


@pytest.mark.parametrize("first", [0, 1])
def test_two_drafts_of_one_object_lose_nothing_in_either_order(editor, other, draft, first):
    other.ask("POST", SETS, {})
    alter(editor, "LOCAL", "?change_set=1")
    alter(other, "TCP://berlin:4022", "?change_set=2")
    for number in (first + 1, 2 - first):
        editor.mean_losses(f"{SETS}/{number}")
        tag = editor.ask("GET", f"{SETS}/{number}")["ETag"]
        answer = editor.ask("POST", f"{SETS}/{number}/apply", If_Match=tag)
        statuses = answer.status_code, answer.json().get("code")
        assert statuses == ((200, None) if number == first + 1 else (409, "conflicts-open"))
    assert address(editor) == ["LOCAL", "TCP://berlin:4022"][first]


def test_applying_something_else_than_was_looked_at_is_refused(editor, other, draft):
    alter(editor, "LOCAL", DRAFT)
    tag = editor.ask("GET", f"{SETS}/1")["ETag"]
    other.ask("POST", f"{ROUTES}{DRAFT}", NEW)
    assert editor.ask("POST", f"{SETS}/1/apply", If_Match=tag).status_code == 412
    assert editor.ask("POST", f"{SETS}/1/apply").status_code == 428
    assert editor.ask("POST", f"{SETS}/1/apply", If_Match='"1"').status_code == 400


def test_a_database_that_the_draft_removes_is_not_lost_with_what_came_into_it(editor, other, draft):
    body = {"summary": "Drop Ventes", "changes": {"PARIS": [{"change": "database-dropped", "database": "Ventes"}]}}
    assert editor.decide(f"{ESTATE}/changes{DRAFT}", body).status_code == 200
    other.ask("POST", ROUTES, NEW)
    (found,) = [each for each in read(editor)["objects"] if each["conflict"] == "open"]
    assert (found["kind"], found["name"], found["effect"]) == ("route", "retour", "remove")
    assert apply(editor).status_code == 409
    body = {**VERS_LYON, "name": "retour", "decision": "theirs"}
    assert editor.ask("POST", f"{SETS}/1/conflicts", body).status_code == 409
    assert editor.ask("POST", f"{SETS}/1/conflicts", {**body, "decision": "mine"}).status_code == 200
    assert apply(editor).status_code == 200


def test_an_object_whose_database_somebody_removes_cannot_be_kept(editor, other, draft):
    editor.ask("POST", f"{ROUTES}{DRAFT}", NEW)
    drop = {"summary": "Drop Ventes", "changes": {"PARIS": [{"change": "database-dropped", "database": "Ventes"}]}}
    assert other.decide(f"{ESTATE}/changes", drop).status_code == 200
    assert read(editor)["conflict_count"] == 1
    assert editor.ask("GET", f"{ESTATE}{DRAFT}").status_code == 200
    body = {**VERS_LYON, "name": "retour"}
    answer = editor.ask("POST", f"{SETS}/1/conflicts", {**body, "decision": "mine"})
    assert "its database is gone" in answer.json()["detail"]
    assert editor.ask("POST", f"{SETS}/1/conflicts", {**body, "decision": "theirs"}).status_code == 200
    assert read(editor)["objects"] == []


def test_a_draft_that_no_longer_fits_says_so_and_is_not_applied(editor, other, draft):
    queue = {"change": "queue-created", "database": "Ventes", "queue": {"name": "dbo.Autre"}}
    assert other.decide(f"{ESTATE}/changes", {"summary": "q", "changes": {"PARIS": [queue]}}).status_code == 200
    moved = {"change": "service-altered", "database": "Ventes", "name": "//test/Commandes", "queue": "dbo.Autre"}
    assert editor.decide(f"{ESTATE}/changes{DRAFT}", {"summary": "s", "changes": {"PARIS": [moved]}}).status_code == 200
    gone = {"change": "queue-dropped", "database": "Ventes", "name": "dbo.Autre"}
    assert other.decide(f"{ESTATE}/changes", {"summary": "d", "changes": {"PARIS": [gone]}}).status_code == 200
    (problem,) = read(editor)["problems"]
    assert problem["instance"] == "PARIS"
    assert "dbo.Autre" in problem["detail"]
    answer = apply(editor)
    assert answer.status_code in (404, 422)
    assert answer.json()["code"] == problem["code"]
    assert ChangeSet.objects.get().state == "open"


def test_deeds_cannot_wait_and_a_new_broker_id_can(editor, draft, estate):
    answer = editor.ask("POST", f"{VENTES}/error-conversations{DRAFT}")
    assert (answer.status_code, answer.json()["code"]) == (409, "not-in-change-set")
    before = estate_catalogs(estate)["PARIS"].databases["Ventes"].broker_instance
    assert editor.decide(f"{VENTES}/new-broker{DRAFT}").status_code == 200
    assert estate_catalogs(estate)["PARIS"].databases["Ventes"].broker_instance == before
    apply(editor)
    assert estate_catalogs(estate)["PARIS"].databases["Ventes"].broker_instance != before


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", f"{ESTATE}/key-suite", {"key_suite": "aes-256-gcm"}),
        ("POST", f"{VENTES}/failover", None),
        ("POST", f"{VENTES}/backups", {"name": "x"}),
        ("POST", f"{VENTES}/detach", {"name": "x"}),
        ("GET", f"{ESTATE}/instances/PARIS/view", None),
        (
            "POST",
            "/imports",
            {"estate": "paire", "files": [{"name": "a", "text": "DROP DATABASE Ventes"}], "dry_run": False},
        ),
    ],
)
def test_what_knows_no_change_set_is_refused_in_one_and_not_done_live(editor, draft, estate, method, path, body):
    answer = editor.ask(method, f"{path}{DRAFT}", body)
    assert (answer.status_code, answer.json()["code"]) == (409, "not-in-change-set")
    estate.refresh_from_db()
    assert (estate.revision, estate.key_suite) == (1, "md5")


def test_every_operation_of_the_editor_works_in_a_draft_and_changes_nothing_live(editor, draft, estate):
    before = estate_catalogs(estate)
    paris = f"{ESTATE}/instances/PARIS"
    script = [{"name": "a.sql", "text": ":CONNECT PARIS\nGO\nUSE Ventes\nGO\nCREATE USER Acheteur WITHOUT LOGIN\nGO\n"}]
    body = {"estate": "paire", "files": script, "dry_run": False, "change_set": 1}
    answer = editor.ask("POST", "/imports", body)
    assert (answer.status_code, answer.json()["change_set"]) == (200, 1), answer.json()
    requests = [
        ("POST", f"{paris}/endpoint", {"state": "STOPPED"}),
        ("PATCH", f"{paris}/endpoint", {"encryption": "SUPPORTED ALGORITHM AES"}),
        ("POST", f"{paris}/endpoint/permissions", {"grantee": "public", "verb": "GRANT"}),
        ("POST", f"{VENTES}/services/%2F%2Ftest%2FCommandes/permissions", {"grantee": "Acheteur", "verb": "DENY"}),
        ("POST", f"{VENTES}/queues/dbo.File/permissions", {"grantee": "Acheteur", "verb": "DENY"}),
        ("POST", f"{VENTES}/broker", {"is_enabled": False}),
        ("POST", ROUTES, NEW),
        ("PATCH", f"{ROUTES}/retour", {"address": "LOCAL"}),
        ("DELETE", f"{ROUTES}/retour", None),
    ]
    for method, path, body in requests:
        tag = editor.ask("GET", f"{SETS}/1")["ETag"]
        answer = editor.ask(method, f"{path}{DRAFT}", body, If_Match=tag)
        assert answer.status_code in (200, 201), (path, answer.json())
    assert estate_catalogs(estate) == before
    assert Decision.objects.filter(change_set__number=1).count() == 1 + len(requests)
    answer = apply(editor)
    assert answer.status_code == 200, answer.json()
    after = estate_catalogs(estate)["PARIS"]
    assert (after.endpoint.state, after.endpoint.encryption) == ("STOPPED", "SUPPORTED ALGORITHM AES")
    assert "retour" not in after.databases["Ventes"].routes


def test_an_operator_may_stop_an_endpoint_but_not_draft_it(api_as, draft):
    operator = api_as(Role.OPERATOR)
    answer = operator.ask("POST", f"{ESTATE}/instances/PARIS/endpoint{DRAFT}", {"state": "STOPPED"})
    assert (answer.status_code, answer.json()["code"]) == (403, "right-missing")


@pytest.mark.parametrize(
    ("method", "path"),
    [("POST", ""), ("PATCH", "/1"), ("DELETE", "/1"), ("POST", "/1/undo"), ("POST", "/1/apply"), ("POST", "/1/rebase")],
)
def test_a_viewer_looks_and_changes_nothing(api_as, draft, method, path):
    viewer = api_as(Role.VIEWER)
    assert viewer.ask("GET", f"{SETS}/1").status_code == 200
    assert viewer.ask(method, f"{SETS}{path}", {"title": "x"}, If_Match='"1-0"').status_code == 403


def test_a_draft_is_brought_up_renamed_listed_and_discarded(editor, other, draft):
    other.ask("POST", ROUTES, NEW)
    assert read(editor)["is_behind"] is True
    assert editor.ask("POST", f"{SETS}/1/rebase").json() == {"number": 1, "sequence": 1}
    assert (read(editor)["is_behind"], read(editor)["base_revision"]) == (False, 2)
    assert editor.ask("PATCH", f"{SETS}/1", {"title": "Autre"}).json()["title"] == "Autre"
    editor.ask("POST", SETS, {})
    assert editor.ask("DELETE", f"{SETS}/1").status_code == 200
    page = editor.ask("GET", f"{SETS}?state=open").json()
    assert [each["number"] for each in page["items"]] == [2]
    page = editor.ask("GET", f"{SETS}?limit=1").json()
    assert ([each["number"] for each in page["items"]], page["total"], page["next_before"]) == ([2], 2, 2)
    page = editor.ask("GET", f"{SETS}?limit=1&before=2").json()
    assert ([each["state"] for each in page["items"]], page["next_before"]) == (["discarded"], None)


def test_an_unknown_draft_is_not_found(editor):
    for path in (f"{SETS}/7", f"{ESTATE}?change_set=7"):
        answer = editor.ask("GET", path)
        assert (answer.status_code, answer.json()["code"]) == (404, "not-found")
    assert editor.ask("POST", f"{ROUTES}?change_set=7", NEW).status_code == 404
