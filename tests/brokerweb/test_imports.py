"""Scripts into an estate: all of them or nothing, with line and column of every mistake."""

import pytest

from brokerweb.accounts.rights import Role
from brokerweb.common.outbox.models import OutboxMessage
from brokerweb.topology.models import ChangeSet, Estate, Instance, Route, TopologyRevision

pytestmark = pytest.mark.django_db

PARIS = """\
:CONNECT PARIS
CREATE DATABASE Ventes;
GO
USE Ventes;
CREATE QUEUE File;
CREATE SERVICE [//test/Commandes] ON QUEUE File ([DEFAULT]);
CREATE ROUTE vers_lyon WITH SERVICE_NAME = '//test/Réception', ADDRESS = 'TCP://lyon:4022';
PRINT 'hello';
"""
BROKEN = """\
:CONNECT PARIS
USE Ventes;
CREATE ROUTE retour WITH ADDRESS 'TCP://lyon:4022';
"""


def send(client, *files, dry_run=False, **more):
    body = {"estate": "demo", "files": [{"name": name, "text": text} for name, text in files], "dry_run": dry_run}
    return client.ask("POST", "/imports", {**body, **more})


def apply(client, number=1):
    tag = client.ask("GET", f"/estates/demo/change-sets/{number}")["ETag"]
    return client.ask("POST", f"/estates/demo/change-sets/{number}/apply", If_Match=tag)


def effects(report):
    return [(row["line"], row["object_name"], row["effect"]) for row in report["rows"]]


def test_a_dry_run_says_what_would_happen_and_does_nothing(editor):
    answer = send(editor, ("paris.sql", PARIS), dry_run=True)
    assert answer.status_code == 200
    report = answer.json()
    assert report["is_applied"] is False
    assert report["revision"] is None
    assert report["problems"] == []
    added = [row["object_name"] for row in report["rows"] if row["effect"] == "add"]
    assert {"Ventes", "File", "//test/Commandes", "vers_lyon"} <= set(added)
    assert [row["line"] for row in report["rows"] if row["effect"] == "ignored"] == [8]
    assert not Estate.objects.exists()


def test_an_import_makes_the_estate_in_one_revision_and_puts_it_on_its_way(editor):
    report = send(editor, ("paris.sql", PARIS)).json()
    assert (report["is_applied"], report["revision"]) == (True, 1)
    estate = Estate.objects.get()
    assert (estate.name, estate.pace, estate.revision) == ("demo", 1.0, 1)
    assert list(Instance.objects.values_list("name", "desired_revision")) == [("PARIS", 1)]
    message = OutboxMessage.objects.get()
    assert (message.base_revision, message.revision) == (0, 1)
    assert TopologyRevision.objects.get().summary == "Import paris.sql"
    assert set(Route.objects.values_list("database__name", "name")) == {
        ("Ventes", "AutoCreatedLocal"),
        ("msdb", "AutoCreatedLocal"),
        ("Ventes", "vers_lyon"),
    }


def test_the_same_script_again_changes_nothing(editor):
    send(editor, ("paris.sql", PARIS))
    report = send(editor, ("paris.sql", PARIS)).json()
    assert report["revision"] == 1
    assert {row["effect"] for row in report["rows"]} == {"same", "ignored"}
    assert report["change_set"] is None
    assert TopologyRevision.objects.count() == 1
    assert not ChangeSet.objects.exists()


def test_an_estate_in_which_nothing_is_yet_takes_its_first_import_at_once(editor):
    Estate.objects.create(name="demo")
    report = send(editor, ("paris.sql", PARIS)).json()
    assert (report["revision"], report["change_set"]) == (1, None)


def test_conversations_are_not_ended_by_an_import_into_an_estate_that_runs(editor):
    send(editor, ("paris.sql", PARIS))
    script = ":CONNECT PARIS\nALTER DATABASE Ventes SET ERROR_BROKER_CONVERSATIONS;\n"
    answer = send(editor, ("end.sql", script))
    assert (answer.status_code, answer.json()["code"]) == (409, "not-in-change-set")
    assert answer.json()["cure"].startswith("Leave it out here")
    assert not ChangeSet.objects.exists()


def test_a_mistake_gives_its_place_and_what_was_expected_and_nothing_is_changed(editor):
    send(editor, ("paris.sql", PARIS))
    report = send(editor, ("broken.sql", BROKEN), dry_run=True).json()
    (problem,) = report["problems"]
    assert (problem["file"], problem["line"], problem["column"], problem["code"]) == ("broken.sql", 3, 34, 102)
    assert "expected" in problem["detail"]
    answer = send(editor, ("fine.sql", PARIS), ("broken.sql", BROKEN))
    assert answer.status_code == 400
    refusal = answer.json()
    assert refusal["code"] == 102
    assert refusal["parameters"]["file"] == "broken.sql"
    assert (refusal["parameters"]["line"], refusal["parameters"]["column"]) == (3, 34)
    assert refusal["parameters"]["problem_count"] == 1
    assert Estate.objects.get().revision == 1


def test_a_refused_import_leaves_no_empty_estate_behind(editor):
    assert send(editor, ("broken.sql", BROKEN)).status_code in (400, 404, 422)
    assert not Estate.objects.exists()


def test_an_address_without_port_is_taken_from_a_script_with_a_warning(editor):
    script = PARIS.replace("TCP://lyon:4022", "TCP://lyon")
    report = send(editor, ("paris.sql", script)).json()
    ungranted, warning = report["warnings"]
    assert (warning["file"], warning["line"]) == ("paris.sql", 7)
    assert "Nobody is granted SEND" in ungranted["detail"]
    assert "4022" in warning["detail"]
    assert Route.objects.get(name="vers_lyon").address_port == 4022


def test_a_second_import_goes_into_a_new_change_set_and_adds_to_what_is_there(editor):
    send(editor, ("paris.sql", PARIS))
    paris = ":CONNECT PARIS\nUSE Ventes;\nCREATE ROUTE autre WITH ADDRESS = 'LOCAL';\n"
    lyon = ":CONNECT LYON\nCREATE DATABASE Stock;\n"
    report = send(editor, ("paris.sql", paris), ("lyon.sql", lyon)).json()
    assert (report["is_applied"], report["revision"], report["change_set"], report["sequence"]) == (True, 1, 1, 1)
    assert ChangeSet.objects.get().title == "Import paris.sql, lyon.sql"
    assert Estate.objects.get().revision == 1
    assert list(Instance.objects.values_list("name", "desired_revision")) == [("PARIS", 1)]
    assert apply(editor).json()["revision"] == 2
    assert sorted(Instance.objects.values_list("name", "desired_revision")) == [("LYON", 2), ("PARIS", 2)]
    assert sorted(OutboxMessage.objects.filter(revision=2).values_list("instance_name", "base_revision")) == [
        ("LYON", 0),
        ("PARIS", 1),
    ]


def test_a_script_without_connect_begins_on_the_only_instance_or_on_one_named_like_it(editor):
    script = "CREATE DATABASE Stock;\n"
    send(editor, ("lyon.sql", script))
    assert Instance.objects.get().name == "LYON"
    send(editor, ("anything.sql", "CREATE DATABASE Archive;\n"))
    assert Instance.objects.get().name == "LYON"
    send(editor, ("anything.sql", "CREATE DATABASE Ventes;\n"), default_instance="PARIS", change_set=1)
    apply(editor)
    assert set(Instance.objects.values_list("name", flat=True)) == {"LYON", "PARIS"}


@pytest.mark.parametrize("name", ["", "été", "a/b", "..", "x" * 65])
def test_an_estate_has_a_plain_name(editor, name):
    answer = send(editor, ("paris.sql", PARIS), estate=name)
    assert answer.status_code == 422
    assert answer.json()["pointer"] == "/estate"


@pytest.mark.parametrize("dry_run", [True, False])
@pytest.mark.parametrize(
    ("texts", "happened"),
    [
        ([], "The import has no file."),
        ([""], "There is no statement in 0.sql."),
        (["\ufeff \n\t", "GO\n", "-- later\n/* much later */"], "There is no statement in 0.sql, 1.sql, 2.sql."),
    ],
)
def test_an_import_without_any_statement_is_refused(editor, texts, happened, dry_run):
    files = [(f"{number}.sql", text) for number, text in enumerate(texts)]
    answer = send(editor, *files, dry_run=dry_run)
    assert answer.status_code == 400, answer.content
    problem = answer.json()
    assert (problem["detail"], problem["pointer"]) == (happened, "/files")
    assert problem["why"]
    assert problem["cure"]
    assert not Estate.objects.exists()


def test_an_empty_file_beside_one_with_statements_is_no_fault(editor):
    assert send(editor, ("empty.sql", ""), ("paris.sql", PARIS)).status_code == 200


def test_an_operator_may_not_import(api_as):
    assert send(api_as(Role.OPERATOR), ("paris.sql", PARIS), dry_run=True).status_code == 403


def test_the_sample_comes_through_the_importer_with_everything_it_is_there_to_show(editor):
    (sample,) = [sample for sample in editor.ask("GET", "/samples").json() if sample["name"] == "demo-fr-de"]
    assert sample["title"]
    answer = editor.ask("POST", "/samples/demo-fr-de/load")
    assert answer.status_code == 201
    assert answer.json() == {"estate": "demo-fr-de", "revision": 1, "change_set": None}
    topology = editor.ask("GET", "/estates/demo-fr-de").json()
    assert topology["pace"] == 10.0
    assert [instance["name"] for instance in topology["instances"]] == ["BERLIN", "HUB", "LYON", "PARIS"]
    routes = [
        route
        for instance in topology["instances"]
        for database in instance["databases"]
        for route in database["routes"]
    ]
    assert any(route["is_expired"] for route in routes)
    assert any(route["mirror_address"] for route in routes)
    assert {route["target_instance"] for route in routes} >= {"PARIS", "LYON", "HUB"}
    (mirror,) = topology["mirrors"]
    assert len(mirror["instances"]) == 2


def test_loading_the_sample_twice_changes_nothing(editor):
    editor.ask("POST", "/samples/demo-fr-de/load")
    assert editor.ask("POST", "/samples/demo-fr-de/load").json()["revision"] == 1
    assert not ChangeSet.objects.exists()


def test_what_a_sample_has_no_longer_is_put_back_in_a_change_set(editor):
    editor.ask("POST", "/samples/demo-fr-de/load")
    route = Route.objects.filter(service_name__isnull=False).select_related("database__instance").first()
    place = f"instances/{route.database.instance.name}/databases/{route.database.name}/routes/{route.name}"
    assert editor.ask("DELETE", f"/estates/demo-fr-de/{place}", If_Match='"1"').status_code == 200
    again = editor.ask("POST", "/samples/demo-fr-de/load").json()
    assert again == {"estate": "demo-fr-de", "revision": 2, "change_set": 1}
    assert not Route.objects.filter(pk=route.pk).exists()


def test_a_sample_that_is_not_there_is_not_found(editor):
    assert editor.ask("POST", "/samples/demo-xx/load").status_code == 404
