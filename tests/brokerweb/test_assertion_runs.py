"""Runs of an estate's assertions that nobody asks for by the page: by a worker after a revision, and by the command."""

import json
from datetime import timedelta

import pytest
from django.utils import timezone

from brokerweb.accounts.rights import Role
from brokerweb.topology.models import Route
from brokerweb.topology.services import announcing
from brokerweb.topology.services.announcing import revision_announce
from brokerweb.topology.services.change_sets import change_set_create
from brokerweb.whatif.models import Assertion, AssertionRun
from brokerweb.whatif.selectors.basis import BasisAsked
from brokerweb.whatif.services.assertion_following import LOST_AFTER, assertions_due, assertions_follow
from brokerweb.whatif.services.assertion_runs import assertions_run
from brokerweb.whatif.services.assertions import (
    AssertionChange,
    AssertionDraft,
    assertion_change,
    assertion_create,
    assertion_delete,
)
from engine import api as engine
from tests.brokerweb.estates import InstancePlace, apply_meant, decide, make_estate, pair_catalogs
from tests.brokerweb.test_assertion_commands import called
from tests.support.waiting import until

ORDERS = engine.what_if.FlowQuestion(
    instance="PARIS",
    database="Ventes",
    service="//test/Commandes",
    to_service="//test/Réception",
    broker_instance=None,
)
NOWHERE = engine.RouteAltered(database="Ventes", name="vers_lyon", address=engine.LocalAddress())


def pinned(estate, **more):
    return assertion_create(estate.name, AssertionDraft(question=ORDERS, **more), user=None)


def runs(estate):
    found = AssertionRun.objects.filter(estate=estate).order_by("pk")
    return list(found.values_list("trigger", "revision", "passed", "failed"))


# ── by a worker ──────────────────────────────────────────────────────────────────────────────────────────────────────
def test_after_each_revision_a_worker_runs_what_is_asserted(live_estate):
    row = pinned(live_estate)
    pinned(live_estate, is_enabled=False)
    decide(InstancePlace(live_estate.name, "PARIS"), [NOWHERE])
    until(lambda: runs(live_estate), "a worker has run them")
    assert runs(live_estate) == [("revision", 2, 0, 1)]
    row.refresh_from_db()
    assert row.last_passed is False


def test_a_change_set_that_is_applied_is_a_revision_too(live_estate):
    pinned(live_estate)
    draft = change_set_create(live_estate.name, title="", user=None)
    decide(InstancePlace(live_estate.name, "PARIS", draft.number), [NOWHERE])
    assert runs(live_estate) == []
    assert apply_meant(live_estate.name, draft.number) == 2
    until(lambda: runs(live_estate) == [("revision", 2, 0, 1)], "a worker has run them")


@pytest.mark.django_db
def test_tasks_of_many_revisions_run_what_is_newest_once():
    estate = make_estate(pair_catalogs())
    pinned(estate)
    assertions_run(estate.name, BasisAsked(), trigger="person", user=None)
    for _ in range(3):
        assertions_follow(estate.name)
    assert runs(estate) == [("person", 1, 1, 0), ("revision", 1, 1, 0)]
    # What a reserved revision became is known after its number.
    estate.settled_count += 1
    estate.save()
    assertions_follow(estate.name)
    assert len(runs(estate)) == 3
    assertions_follow("nulle")


# ── by the clock ─────────────────────────────────────────────────────────────────────────────────────────────────────
def test_when_a_route_expires_what_is_asserted_is_run_without_anybody_asking(live_estate):
    row = pinned(live_estate)
    assertions_run(live_estate.name, BasisAsked(), trigger="person", user=None)
    now = timezone.now()
    Route.objects.filter(name="vers_lyon").update(expires_at=now + timedelta(days=1))
    assert assertions_due() == [], "it is not over yet"
    Route.objects.filter(name="vers_lyon").update(expires_at=now - timedelta(seconds=1))
    assert assertions_due() == [], "the run came after its end"
    AssertionRun.objects.update(at=now - timedelta(seconds=2))
    assert assertions_due() == [(live_estate.name, "expiry")]
    until(lambda: len(runs(live_estate)) > 1, "a worker has run them")
    assert [trigger for trigger, *_ in runs(live_estate)] == ["person", "expiry"]
    row.refresh_from_db()
    assert row.last_run.trigger == "expiry"
    assert assertions_due() == [], "once is enough"


def test_the_run_of_a_revision_that_was_lost_is_made_up_for(live_estate, monkeypatch):
    pinned(live_estate)
    assertions_run(live_estate.name, BasisAsked(), trigger="person", user=None)
    monkeypatch.setattr(announcing, "_followers", [])
    decide(InstancePlace(live_estate.name, "PARIS"), [NOWHERE])
    assert assertions_due() == [], "a worker may be about to do it"
    live_estate.revisions.update(created_at=timezone.now() - LOST_AFTER - timedelta(seconds=1))
    assert assertions_due() == [(live_estate.name, "revision")]
    until(lambda: len(runs(live_estate)) > 1, "a worker has run them")
    assert runs(live_estate) == [("person", 1, 1, 0), ("revision", 2, 0, 1)]
    assert assertions_due() == []


@pytest.mark.django_db
def test_what_never_ran_or_names_its_own_instant_waits_for_nobody():
    estate = make_estate(pair_catalogs())
    pinned(estate)
    Route.objects.filter(name="vers_lyon").update(expires_at=timezone.now() - timedelta(seconds=1))
    assert assertions_due() == []
    Assertion.objects.update(at=timezone.now())
    assertions_run(estate.name, BasisAsked(), trigger="person", user=None)
    AssertionRun.objects.update(at=timezone.now() - timedelta(seconds=5))
    assert assertions_due() == []


@pytest.mark.django_db
def test_a_follower_that_fails_undoes_no_revision(caplog, monkeypatch):
    heard = []

    def refuses(estate_name):
        raise ConnectionError(f"nobody listens to {estate_name}")

    monkeypatch.setattr(announcing, "_followers", [refuses, heard.append])
    revision_announce("paire")
    assert heard == ["paire"]
    assert "refuses did not follow a revision of paire" in caplog.text
    assert "nobody listens to paire" in caplog.text


@pytest.mark.django_db
def test_what_is_deleted_or_changed_while_it_runs_gets_no_result(monkeypatch):
    estate = make_estate(pair_catalogs())
    stays, goes, moves = (pinned(estate, name=name) for name in ("stays", "goes", "moves"))
    run = engine.assertions.run

    def meanwhile(*args, **more):
        if Assertion.objects.filter(pk=goes.pk).exists():
            assertion_delete(estate.name, goes.pk, version=1, user=None)
            opposite = AssertionChange(expected=engine.assertions.Expectation(works=False))
            assertion_change(estate.name, moves.pk, opposite, version=1, user=None)
        return run(*args, **more)

    monkeypatch.setattr(engine.assertions, "run", meanwhile)
    assertions_run(estate.name, BasisAsked(), trigger="person", user=None)
    found = dict(Assertion.objects.values_list("name", "last_passed"))
    assert found == {"stays": True, "moves": None}
    assert stays.verdicts.count() == moves.verdicts.count() == 1


# ── by the command ───────────────────────────────────────────────────────────────────────────────────────────────────
@pytest.fixture
def kept(db):
    estate = make_estate(pair_catalogs())
    pinned(estate, name="Orders")
    pinned(estate, name="Off", is_enabled=False)
    return estate


def test_the_command_runs_what_the_estate_asserts_and_keeps_the_run(kept):
    code, text, _ = called("assertions", "run", "paire")
    assert (code, text.splitlines()[0]) == (0, "ok      Orders: is delivered to LYON/Stock")
    assert text.endswith("1 assertion: 1 passed, 0 failed.\n")
    decide(InstancePlace("paire", "PARIS"), [NOWHERE])
    code, text, _ = called("assertions", "run", "paire", "--json")
    assert (code, [each["passed"] for each in json.loads(text)["results"]]) == (1, [False])
    assert runs(kept) == [("command", 1, 1, 0), ("command", 2, 0, 1)]


def test_the_command_keeps_no_run_of_anything_but_what_is_live(kept, tmp_path):
    out = tmp_path / "results.xml"
    code, _, _ = called("assertions", "run", "--fault", "instance=LYON", "--junit", str(out))
    assert code == 1
    assert 'name="Orders"' in out.read_text("utf-8")
    assert called("assertions", "run", "paire", "--revision", "1", "--fail-under", "100")[0] == 0
    assert runs(kept) == []


def test_the_command_tells_of_an_estate_that_asserts_nothing(db):
    make_estate(pair_catalogs())
    code, _, text = called("assertions", "run", "paire")
    assert (code, text.startswith("153: Estate paire has no enabled assertion.")) == (2, True)
    code, _, text = called("assertions", "run", "nulle")
    assert (code, text[:7]) == (2, "15151: ")


# ── in another language ──────────────────────────────────────────────────────────────────────────────────────────────
def test_a_kept_run_is_told_in_the_language_of_whoever_reads_it(kept, api_as):
    decide(InstancePlace("paire", "PARIS"), [NOWHERE])
    client = api_as(Role.VIEWER)
    path = "/estates/paire/assertions"
    german = client.ask("POST", f"{path}/run", {}, Accept_Language="de").json()["results"][0]
    english = client.ask("GET", path).json()["rows"][0]["last"]
    assert english["expected_text"] == "works, delivered, reaches LYON/Stock"
    french = client.ask("GET", path, Accept_Language="fr").json()["rows"][0]["last"]
    again = client.ask("GET", path, Accept_Language="de").json()["rows"][0]["last"]
    assert again == german
    for field in ("expected_text", "actual_text", "why", "proof"):
        assert len({str(each[field]) for each in (german, english, french)}) == 3, field
