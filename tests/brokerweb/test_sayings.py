"""What is stored for people to read is stored without a language, and said in that of whoever reads it."""

import ast
import json
from collections.abc import Iterator
from string import Formatter

import pytest
from django.http import HttpRequest
from django.utils.translation import gettext, override
from ninja import NinjaAPI

from brokerweb.accounts.models import User
from brokerweb.common.api.errors import add_problem_handlers
from brokerweb.common.api.field_words import WORDS, field_mistake
from brokerweb.common.sayings import Saying, said_of, saying, worded
from brokerweb.jobs.models import Job, JobState
from brokerweb.jobs.services import job_run
from brokerweb.pipeline import sayings as pipeline_sayings
from brokerweb.topology import summaries
from brokerweb.topology.models import Decision, TopologyRevision
from brokerweb.topology.selectors.audit_chain import chain_report
from brokerweb.topology.services.import_jobs import DIRECT_LETTERS_MAX
from brokerweb.topology.services.moves import move_release, move_reserve
from brokerweb.topology.summaries import PLURALS, Kind
from engine import api as engine
from tests.brokerweb.estates import PARIS, make_estate, pair_catalogs
from tests.support.catalogues import LOCALE

TEMPLATES = {**summaries.TEMPLATES, **pipeline_sayings.TEMPLATES}
ESTATE = "/estates/paire"
ROUTE = f"{ESTATE}/instances/PARIS/databases/Ventes/routes/vers_lyon"
TELLING = {"summary", "title"}
"""Parameters of services under which a sentence is stored."""
STORING = {"decision_log", "decision_append", "history_append", "revision_write", "draft_decide", "job_start"}
PROPOSING = {"Proposal": 1, "_decide": 4}
"""The place of the sentence among what is given without a name."""

pytestmark = pytest.mark.django_db


def in_language(language):
    return {"Accept-Language": language}


def calls() -> Iterator[tuple[str, ast.Call, str]]:
    """Every call in the web by its place, with the name of what is called."""
    for path in sorted(LOCALE.parent.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call):
                name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
                yield f"{path.relative_to(LOCALE.parent)}:{node.lineno}", node, name


def is_english(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and bool(node.value))


def stored_english(node: ast.Call, name: str) -> bool:
    """Whether a call stores a sentence that can be said in English alone."""
    named = [keyword.value for keyword in node.keywords if keyword.arg in TELLING] if name in STORING else []
    place = PROPOSING.get(name)
    placed = [] if place is None or len(node.args) <= place else [node.args[place]]
    return any(is_english(each) for each in [*named, *placed])


def placeholders(template: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(template) if name is not None}


def test_no_sentence_is_stored_that_only_english_has():
    assert [where for where, node, name in calls() if stored_english(node, name)] == []


def test_the_search_for_stored_english_bites():
    for text in ('Proposal([x], f"Drop {y}")', 'job_start(K, title="Import")', 'draft_decide(d, s, summary=f"Do {x}")'):
        node = ast.parse(text).body[0].value
        assert stored_english(node, node.func.id)
    assert not stored_english(ast.parse("Proposal((), '')").body[0].value, "Proposal")


def test_every_saying_has_a_template_and_gets_what_fills_it():
    used = [
        (where, node) for where, node, name in calls() if name == "saying" and isinstance(node.args[0], ast.Constant)
    ]
    assert len(used) > 15
    for where, node in used:
        given = {keyword.arg for keyword in node.keywords}
        assert node.args[0].value in TEMPLATES, where
        assert None in given or given == placeholders(TEMPLATES[node.args[0].value]), where


@pytest.mark.parametrize("language", ["fr", "de"])
def test_every_template_and_every_kind_has_words_of_the_language(language):
    with override(language):
        same = {text for text in (*TEMPLATES.values(), *WORDS.values()) if gettext(text) == text}
        assert same == ({"{kind} {name} on {instance}"} & same)
        assert all(gettext(text) for text in PLURALS.values())
    assert set(PLURALS) == set(Kind)


def test_a_saying_is_english_text_that_knows_its_parts():
    told = saying("drop-objects", count=3, kinds="message-type")
    assert told == "Drop 3 message types"
    assert isinstance(told, Saying)
    with override("fr"):
        assert worded(said_of(told), told) == "Supprimer 3 types de message"
        assert saying("drop-objects", count=3, kinds="route") == "Drop 3 routes"
        assert worded({"name": "of another version", "parameters": {}}, "Done") == "Done"
    assert said_of("a person's own words") is None


def test_history_audit_and_refusals_say_a_decision_in_the_language_of_the_reader(editor):
    make_estate(pair_catalogs())
    assert editor.ask("PATCH", ROUTE, {"address": "TCP://lyon:4023"}, If_Match='"1"').status_code == 200
    english = "Change route vers_lyon in Ventes on PARIS"
    assert TopologyRevision.objects.get(number=2).summary == english
    for language, said in (
        ("en", english),
        ("fr", "Modifier la route vers_lyon dans Ventes sur PARIS"),
        ("de", "Route vers_lyon in Ventes auf PARIS ändern"),
    ):
        history = editor.ask("GET", f"{ESTATE}/revisions", **in_language(language)).json()["items"]
        audit = editor.ask("GET", f"{ESTATE}/audit", **in_language(language)).json()["items"]
        assert (history[0]["summary"], audit[0]["summary"]) == (said, said)
        late = editor.ask("PATCH", ROUTE, {"address": "LOCAL"}, If_Match='"1"', **in_language(language))
        assert said in late.json()["why"]
    # Files have the sentence that the hash covers.
    file = b"".join(editor.ask("GET", f"{ESTATE}/audit?format=json", **in_language("fr")).streaming_content)
    assert json.loads(file)[0]["summary"] == english


def test_a_draft_tells_what_was_done_in_it_and_what_hinders_undo_in_the_language_of_the_reader(editor):
    make_estate(pair_catalogs())
    editor.ask("POST", f"{ESTATE}/change-sets", {"title": "Lyon"})
    tag = editor.ask("GET", f"{ESTATE}?change_set=1")["ETag"]
    assert editor.ask("DELETE", f"{ROUTE}?change_set=1", If_Match=tag).status_code in (200, 204)
    shown = editor.ask("GET", f"{ESTATE}/change-sets/1", **in_language("de")).json()
    assert shown["undo_summary"] == shown["commands"][0]["summary"] == "Route vers_lyon in Ventes auf PARIS löschen"
    turned = editor.ask("POST", f"{ESTATE}/change-sets/1/undo", **in_language("fr")).json()
    assert turned["summary"] == "Supprimer la route vers_lyon dans Ventes sur PARIS"
    tag = editor.ask("GET", f"{ESTATE}/change-sets/1")["ETag"]
    assert editor.ask("DELETE", f"{ESTATE}/change-sets/1", If_Match=tag).status_code == 200
    audit = editor.ask("GET", f"{ESTATE}/audit", **in_language("de")).json()["items"]
    assert audit[0]["summary"] == "Entwurf Nr. 1 (Lyon) verwerfen"


def test_what_came_to_nothing_says_why_in_the_language_of_the_reader(editor):
    make_estate(pair_catalogs()).instances.update(applied_revision=1, desired_revision=1)
    told = saying("restore", database="Ventes", instance="PARIS")
    move = move_reserve(PARIS, user=None, expected_revision=1, summary=told)
    refused = engine.CatalogError(3104, database="Ventes")
    move_release(move, f"{refused.number}: {refused.text}")
    shown = editor.ask("GET", f"{ESTATE}/revisions", **in_language("de")).json()["items"][0]["summary"]
    assert shown == (
        "Ventes auf PARIS wiederherstellen (nicht geschehen: "
        "3104: Über die Datenbank „Ventes“ kann nicht wiederhergestellt werden: Sie ist gespiegelt)"
    )
    assert chain_report(TopologyRevision.objects.get(number=2).estate).is_whole


def test_old_decisions_and_a_person_s_own_words_stay_as_they_were_written(editor):
    make_estate(pair_catalogs())
    assert editor.ask("PATCH", ROUTE, {"address": "TCP://lyon:4023"}, If_Match='"1"').status_code == 200
    TopologyRevision.objects.filter(number=2).update(said=None)
    shown = editor.ask("GET", f"{ESTATE}/revisions", **in_language("fr")).json()["items"][0]["summary"]
    assert shown == "Change route vers_lyon in Ventes on PARIS"


def test_the_chain_covers_what_other_languages_read(editor):
    estate = make_estate(pair_catalogs())
    assert editor.ask("PATCH", ROUTE, {"address": "TCP://lyon:4023"}, If_Match='"1"').status_code == 200
    assert chain_report(estate).is_whole
    last = Decision.objects.order_by("-sequence").first()
    last.said = {**last.said, "parameters": {**last.said["parameters"], "name": "another"}}
    last.save(update_fields=["said"])
    assert [each.sequence for each in chain_report(estate).breaks] == [last.sequence]


def failed_import(editor, language, **more):
    """A long import with a mistake, asked for and run; its row."""
    script = "CREATE ROUTE [r] WITH ADDRESS = 'lyon';\n" + "-- nothing\n" * (DIRECT_LETTERS_MAX // 10)
    body = {"estate": "neu", "files": [{"name": "a.sql", "text": script}], "dry_run": False, **more}
    answer = editor.ask("POST", "/imports", body, **in_language(language))
    assert answer.status_code == 202
    job_run(answer.json()["id"])
    return Job.objects.get(pk=answer.json()["id"])


def test_a_job_says_what_it_does_and_why_it_failed_in_the_language_of_the_reader(editor):
    job = failed_import(editor, "fr")
    assert (job.state, job.title) == (JobState.FAILED, "Import a.sql")
    for language, title, detail in (
        ("en", "Import a.sql", "The address 'lyon' is not valid: it begins with none of TCP://, LOCAL, TRANSPORT"),
        ("de", "a.sql importieren", "Die Adresse „lyon“ ist nicht gültig: sie beginnt weder mit TCP://"),
        ("fr", "Importer a.sql", "L’adresse «\u00a0lyon\u00a0» n’est pas valide\u00a0: elle ne commence ni par TCP://"),
    ):
        shown = editor.ask("GET", f"/jobs/{job.pk}", **in_language(language)).json()
        assert shown["title"] == title
        assert shown["problem"]["code"] == "9744"
        assert shown["problem"]["detail"].startswith(detail)


def test_what_the_web_refuses_in_a_job_is_said_in_the_language_of_whoever_asked_for_it(editor):
    make_estate(pair_catalogs())
    job = failed_import(editor, "de", estate="paire", change_set=7)
    assert job.state == JobState.FAILED
    with override("de"):
        assert job.problem["detail"] == gettext("Estate {name} has no change set #{number}.").format(
            name="paire", number=7
        )


def test_what_a_job_alone_can_say_is_said_in_every_language(editor):
    owner = User.objects.first()
    job = Job.objects.create(
        kind="x", title="Old", owner=owner, created_at="2026-01-01T00:00Z", state=JobState.FAILED,
        problem={"code": "job-lost"},
    )  # fmt: skip
    shown = editor.ask("GET", f"/jobs/{job.pk}", **in_language("de")).json()
    assert (shown["title"], shown["problem"]["code"]) == ("Old", "job-lost")
    assert shown["problem"]["detail"] == "Der Worker, der diesen Auftrag ausgeführt hat, ist nicht mehr da."
    Job.objects.update(problem={"code": "job-failed", "detail": "of an earlier version", "why": "", "cure": ""})
    assert editor.ask("GET", f"/jobs/{job.pk}").json()["problem"]["detail"] == "of an earlier version"


def test_an_import_tells_of_statements_warnings_and_mistakes_in_the_language_of_the_reader(editor):
    script = (
        "CREATE DATABASE Shop;\nGO\nUSE Shop;\nCREATE QUEUE q;\nIF 1 = 1 CREATE SERVICE [//s] ON QUEUE q;\n"
        "DROP CONTRACT [//none];\n"
    )
    body = {"estate": "neu", "files": [{"name": "a.sql", "text": script}]}
    report = editor.ask("POST", "/imports", body, **in_language("de")).json()
    assert "Die Bedingung wird nicht ausgewertet." in [row["text"] for row in report["rows"]]
    assert any(
        each["detail"].startswith("Die Bedingung dieses IF wird nicht ausgewertet") for each in report["warnings"]
    )
    assert report["problems"][0]["detail"] == "Vertrag „//none“ ist in Shop nicht zu finden"
    assert report["problems"][0]["parameters"]["value"] == "contract"
    english = editor.ask("POST", "/imports", body).json()
    assert english["problems"][0]["detail"] == "Cannot find the contract '//none' in Shop"


@pytest.mark.parametrize(
    ("body", "language", "detail"),
    [
        ({"estate": "neu"}, "fr", "files\u00a0: Le champ est obligatoire."),
        ({"estate": "neu", "files": 7}, "de", "files: Der Wert muss eine Liste sein."),
        ({"estate": "neu", "files": [], "dry_run": "x"}, "fr", "dry_run\u00a0: La valeur doit être true ou false."),
        (
            {"estate": "neu", "files": [{"name": "", "text": ""}]},
            "de",
            "files/0/name: Der Text muss mindestens 1 Zeichen haben.",
        ),
        ({"estate": "neu"}, "en", "files: Field required."),
    ],
)  # fmt: skip
def test_a_mistake_in_a_field_is_told_in_the_language_of_the_reader(editor, body, language, detail):
    problem = editor.ask("POST", "/imports", body, **in_language(language)).json()
    assert problem["detail"] == detail
    assert problem["parameters"]["problems"][0]["text"] in detail


def test_a_mistake_that_is_not_known_is_said_as_pydantic_says_it():
    with override("fr"):
        assert field_mistake({"type": "of-tomorrow", "msg": "Too late"}) == "Too late"
        assert field_mistake({"type": "greater_than", "msg": "Too small", "ctx": {}}) == "Too small"
        said = field_mistake({"type": "literal_error", "msg": "x", "ctx": {"expected": "'a' or 'b'"}})
        assert said == "La valeur doit être 'a' ou 'b'"


def test_the_engine_that_does_not_answer_says_why_in_the_language_of_the_reader(db):
    api = NinjaAPI(urls_namespace="languages")
    add_problem_handlers(api)
    with override("de"):
        answer = api.on_exception(HttpRequest(), engine.EngineUnavailable("The engine is stopped."))
    assert json.loads(answer.content)["detail"] == "Die Engine ist angehalten."
