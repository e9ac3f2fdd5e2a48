"""Findings over HTTP: what is told, page by page, since when, and what is put aside."""

from datetime import UTC, datetime, timedelta

import pytest

from brokerweb.accounts.rights import Role
from brokerweb.topology.models import Estate, FindingSuppression
from brokerweb.topology.selectors.catalogs import estate_catalogs
from brokerweb.topology.selectors.findings import findings_of, wanted_findings
from engine import api as engine
from tests.brokerweb.estates import make_estate, pair_catalogs

pytestmark = pytest.mark.django_db
FINDINGS = "/estates/paire/findings"


@pytest.fixture(scope="module", autouse=True)
def written(rows_of_file):
    """PARIS and LYON without LYON's way back, and a queue that keeps everything."""
    paris, lyon = pair_catalogs()
    lyon = engine.apply_changes(
        lyon,
        [
            engine.RouteDropped(database="Stock", name="vers_paris"),
            engine.QueueAltered(database="Stock", name="dbo.File", is_retention_enabled=True),
        ],
    )
    with rows_of_file():
        make_estate([paris, lyon])


def read(client, query=""):
    answer = client.ask("GET", FINDINGS + query)
    assert answer.status_code == 200, answer.json()
    return answer.json()


def test_a_finding_says_what_why_and_what_to_do(editor):
    answer = editor.ask("GET", FINDINGS)
    page = answer.json()
    assert answer["ETag"] == '"1"'
    assert (page["errors"], page["warnings"], page["infos"], page["suppressed"]) == (1, 0, 1, 0)
    finding, retention = page["findings"]
    assert (finding["code"], finding["number"], finding["severity"]) == ("SBD-102", 29931, "error")
    assert finding["subject"] == {"instance": "LYON", "database": "Stock", "kind": "database", "name": "Stock"}
    assert finding["fix"] == [
        {
            "instance": "LYON",
            "steps": [
                "Create route To Commandes in database Stock: "
                "ADDRESS = TCP://paris:4022, SERVICE_NAME = //test/Commandes."
            ],
        }
    ]
    assert finding["first_revision"] == 1
    assert finding["first_seen_at"] is not None
    assert retention["code"] == "SBD-411"
    assert "SBD-101" in {check["code"] for check in page["checked"]}
    assert {"SBD-121", "SBD-512"} <= {check["code"] for check in page["unchecked"]}


def test_a_page_beyond_the_last_is_the_last(editor):
    last = read(editor, "?rows=1&page=2")
    assert read(editor, "?rows=1&page=9") == last
    assert (last["page"], last["pages"], len(last["findings"])) == (2, 2, 1)
    assert (read(editor, "?code=SBD-999&page=9")["page"], read(editor, "?code=SBD-999&page=9")["pages"]) == (1, 1)


def test_open_findings_are_counted_by_object_whatever_the_page_is(editor):
    lyon = {"instance": "LYON", "database": "Stock"}
    counted = [
        {"subject": {**lyon, "kind": "database", "name": "Stock"}, "severity": "error", "count": 1},
        {"subject": {**lyon, "kind": "queue", "name": "dbo.File"}, "severity": "info", "count": 1},
    ]
    assert read(editor)["by_object"] is None
    assert read(editor, "?by_object=true&rows=1&level=error&code=SBD-411")["by_object"] == counted


def test_a_suppressed_finding_is_not_counted_by_object(editor):
    [finding, retention] = read(editor)["findings"]
    editor.ask("POST", FINDINGS + "/suppressions", {"key": finding["key"], "reason": "known"})
    [counted] = read(editor, "?by_object=true")["by_object"]
    assert counted["subject"] == retention["subject"]


@pytest.mark.parametrize(
    ("language", "title", "text", "step", "unchecked"),
    [
        (
            "fr-CA,fr;q=0.8",
            "Aucune route de retour vers l’initiateur",
            "La base de données LYON.Stock n’a aucun chemin de retour vers PARIS.Ventes (//test/Commandes)",
            "Créer la route To Commandes dans la base de données Stock\u00a0: "
            "ADDRESS = TCP://paris:4022, SERVICE_NAME = //test/Commandes.",
            "Groupes de disponibilité",
        ),
        (
            "de",
            "Keine Route zurück zum Initiator",
            "Die Datenbank LYON.Stock hat keinen Weg zurück zu PARIS.Ventes (//test/Commandes)",
            "Route To Commandes in Datenbank Stock erstellen: "
            "ADDRESS = TCP://paris:4022, SERVICE_NAME = //test/Commandes.",
            "Verfügbarkeitsgruppen",
        ),
    ],
)
def test_a_finding_speaks_the_language_that_is_asked_for(editor, language, title, text, step, unchecked):
    answer = editor.ask("GET", FINDINGS, Accept_Language=language)
    assert "Accept-Language" in answer["Vary"]
    finding = answer.json()["findings"][0]
    assert finding["title"] == title
    assert finding["text"].startswith(text)
    assert finding["fix"] == [{"instance": "LYON", "steps": [step]}]
    assert unchecked in {each["title"] for each in answer.json()["unchecked"]}
    assert title in {each["title"] for each in answer.json()["checked"]}
    preview = editor.ask("GET", f"/estates/paire/findings/fix?key={finding['key']}", Accept_Language=language)
    assert preview.json()["steps"] == finding["fix"]


@pytest.mark.parametrize(
    ("query", "codes"),
    [
        ("?level=error", ["SBD-102"]),
        ("?code=SBD-411", ["SBD-411"]),
        ("?instance=PARIS", ["SBD-102"]),
        ("?database=Stock", ["SBD-102", "SBD-411"]),
        ("?database=stock", []),
        ("?rows=1&page=2", ["SBD-411"]),
        ("?rows=1&page=3", ["SBD-411"]),
        ("?suppressed=only", []),
    ],
)
def test_findings_are_filtered_and_paged(editor, query, codes):
    page = read(editor, query)
    assert [each["code"] for each in page["findings"]] == codes
    assert (page["errors"], page["infos"]) == (1, 1)


def test_a_finding_keeps_its_first_revision_until_it_is_mended(editor):
    read(editor)
    path = "/estates/paire/instances/LYON/databases/Stock/routes"
    body = {"name": "autre", "address": "TCP://paris:4022", "service_name": "//test/Autre"}
    assert editor.ask("POST", path, body).status_code == 201
    first = next(each for each in read(editor)["findings"] if each["code"] == "SBD-102")
    assert first["first_revision"] == 1
    later = next(each for each in read(editor)["findings"] if each["code"] == "SBD-401")
    assert later["first_revision"] == 2
    body = {"name": "retour", "address": "TCP://paris:4022", "service_name": "//test/Commandes"}
    assert editor.ask("POST", path, body).status_code == 201
    assert "SBD-102" not in {each["code"] for each in read(editor)["findings"]}


def test_a_finding_is_put_aside_and_taken_back(editor):
    key = read(editor, "?code=SBD-411")["findings"][0]["key"]
    made = editor.ask("POST", f"{FINDINGS}/suppressions", {"key": key, "reason": "The auditors read it."})
    assert made.status_code == 201
    page = read(editor)
    assert (page["infos"], page["suppressed"], [each["code"] for each in page["findings"]]) == (0, 1, ["SBD-102"])
    (kept,) = read(editor, "?suppressed=only")["findings"]
    assert kept["suppression"]["reason"] == "The auditors read it."
    assert kept["suppression"]["author"] == "the-editor"
    assert editor.ask("DELETE", f"{FINDINGS}/suppressions/{made.json()['id']}").status_code == 204
    assert read(editor)["suppressed"] == 0
    assert editor.ask("DELETE", f"{FINDINGS}/suppressions/{made.json()['id']}").status_code == 404


def test_a_suppression_that_has_expired_counts_no_more(editor):
    key = read(editor, "?code=SBD-411")["findings"][0]["key"]
    until = datetime.now(UTC) + timedelta(hours=1)
    body = {"key": key, "reason": "Until the audit.", "expires_at": until.isoformat()}
    assert editor.ask("POST", f"{FINDINGS}/suppressions", body).status_code == 201
    assert read(editor)["suppressed"] == 1
    FindingSuppression.objects.update(expires_at=datetime.now(UTC) - timedelta(seconds=1))
    assert read(editor)["suppressed"] == 0


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"key": "0" * 32, "reason": "x"}, 404),
        ({"reason": "x"}, 422),
        ({"reason": "   "}, 400),
        ({"reason": "x", "expires_at": "2020-01-01T00:00:00Z"}, 400),
        ({"reason": "x", "until": "never"}, 400),
    ],
)
def test_what_is_no_suppression_is_refused(editor, body, status):
    if status != 404 and body != {"reason": "x"}:
        body = {"key": read(editor)["findings"][0]["key"], **body}
    assert editor.ask("POST", f"{FINDINGS}/suppressions", body).status_code == status
    assert not FindingSuppression.objects.exists()


def test_who_may_only_look_puts_nothing_aside(editor, api_as):
    viewer = api_as(Role.VIEWER)
    key = read(viewer)["findings"][0]["key"]
    assert viewer.ask("POST", f"{FINDINGS}/suppressions", {"key": key, "reason": "x"}).status_code == 403


def test_an_unknown_estate_and_an_unknown_parameter(editor):
    assert editor.ask("GET", "/estates/nulle/findings").status_code == 404
    assert editor.ask("GET", FINDINGS + "?lewel=error").status_code == 400


def test_catalogs_of_a_draft_are_judged_with_the_memory_of_the_estate(editor):
    read(editor)
    estate = Estate.objects.get()
    catalogs = estate_catalogs(estate)
    catalogs["PARIS"] = engine.apply_changes(
        catalogs["PARIS"], [engine.QueueAltered(database="Ventes", name="dbo.File", is_enabled=False)]
    )
    picture = findings_of(estate, catalogs, datetime.now(UTC))
    found = {each.finding.code: each.first_revision for each in picture.findings}
    assert found == {"SBD-102": 1, "SBD-405": None, "SBD-411": 1}


def test_a_route_that_expires_meanwhile_is_told_without_another_revision(editor):
    estate = Estate.objects.get()
    path = "/estates/paire/instances/PARIS/databases/Ventes/routes"
    body = {"name": "bref", "address": "LOCAL", "service_name": "//test/Commandes", "lifetime_seconds": 200_000}
    assert editor.ask("POST", path, body).status_code == 201
    estate.refresh_from_db()

    def codes(hours):
        found = wanted_findings(estate, datetime.now(UTC) + timedelta(hours=hours)).findings
        return {each.finding.code for each in found if each.finding.subject.name == "bref"}

    assert (codes(0), codes(32), codes(56)) == (set(), {"SBD-104"}, {"SBD-103"})


@pytest.mark.parametrize(
    ("until", "status", "code"),
    [
        ("2999-01-01T00:00:00", 422, "bad-field"),
        ("2999-01-01", 422, "bad-field"),
        ("2999-01-01T00:00:00+02:00", 400, "malformed"),
        ("9999-12-31T23:59:59.999999-12:00", 400, "malformed"),
        ("9999-12-31T23:59:59-23:59", 400, "malformed"),
        ("0001-01-01T00:00:00+14:00", 400, "malformed"),
        (10**18, 422, "bad-field"),
        ("never", 422, "bad-field"),
    ],
)
def test_an_end_without_a_zone_or_beyond_a_lifetime_is_refused(editor, until, status, code):
    body = {"key": read(editor)["findings"][0]["key"], "reason": "x", "expires_at": until}
    problem = editor.ask("POST", f"{FINDINGS}/suppressions", body)
    assert (problem.status_code, problem.json()["code"]) == (status, code), problem.json()
    assert problem.json()["pointer"] == "/expires_at"
    assert not FindingSuppression.objects.exists()


def test_who_has_put_a_finding_aside_and_taken_it_back_stands_in_the_log(editor):
    key = read(editor, "?code=SBD-411")["findings"][0]["key"]
    until = (datetime.now(UTC) + timedelta(hours=1)).replace(microsecond=0)
    body = {"key": key, "reason": "The auditors read it."}
    made = editor.ask("POST", f"{FINDINGS}/suppressions", body).json()
    editor.ask("POST", f"{FINDINGS}/suppressions", {**body, "expires_at": until.isoformat()})
    editor.ask("DELETE", f"{FINDINGS}/suppressions/{made['id']}")
    editor.ask("DELETE", f"{FINDINGS}/suppressions/{made['id']}")
    log = editor.ask("GET", "/estates/paire/audit").json()["items"][:3]
    finding = "SBD-411, "
    assert [each["summary"].startswith(("Suppress " + finding, "Report " + finding)) for each in log] == [True] * 3
    assert "The auditors read it." in log[2]["summary"]
    assert until.strftime("%Y-%m-%dT%H:%M:%S") in log[1]["summary"]
    assert all("dbo.File" in each["summary"] for each in log)
    assert {(each["author"], each["change_set"], each["revision"]) for each in log} == {("the-editor", None, None)}
    assert editor.ask("GET", "/estates/paire/audit/chain").json()["is_whole"]
    german = editor.ask("GET", "/estates/paire/audit", Accept_Language="de").json()["items"]
    assert "unterdrücken" in german[2]["summary"]
    assert Estate.objects.get().revision == 1


def test_a_suppression_of_a_finding_that_is_gone_is_taken_back_by_its_code(editor):
    key = read(editor, "?code=SBD-411")["findings"][0]["key"]
    made = editor.ask("POST", f"{FINDINGS}/suppressions", {"key": key, "reason": "x"}).json()
    FindingSuppression.objects.update(key="0" * 32)
    assert editor.ask("DELETE", f"{FINDINGS}/suppressions/{made['id']}").status_code == 204
    log = editor.ask("GET", "/estates/paire/audit").json()["items"]
    assert log[0]["summary"].startswith("Report SBD-411, ")
