"""Assertions when the dashboard's database is PostgreSQL: two people at once, and runs of many."""

import pytest

from brokerweb.common.errors import AssertionChanged, AssertionNameTaken
from brokerweb.common.outbox.models import OutboxMessage
from brokerweb.topology.models import Decision, Estate
from brokerweb.whatif.models import Assertion, AssertionRun, AssertionVerdict
from brokerweb.whatif.selectors.assertions import AssertionsAsked, assertion_page, assertions_summary
from brokerweb.whatif.selectors.basis import BasisAsked
from brokerweb.whatif.services import assertion_runs
from brokerweb.whatif.services.assertion_bulk import assertions_bulk, flows_assert
from brokerweb.whatif.services.assertion_files import assertions_file, assertions_take
from brokerweb.whatif.services.assertion_runs import assertions_run
from brokerweb.whatif.services.assertions import AssertionChange, AssertionDraft, assertion_change, assertion_create
from engine import api as engine
from tests.brokerweb.draft_contract import at_once
from tests.brokerweb.estates import PARIS, decide, make_estate, pair_catalogs
from tests.brokerweb.test_assertion_runs import NOWHERE, ORDERS


@pytest.fixture
def estate(postgres):
    yield make_estate(pair_catalogs())
    Estate.objects.all().delete()
    OutboxMessage.objects.all().delete()


def pinned(**more):
    return assertion_create("paire", AssertionDraft(question=ORDERS, **more), user=None)


def told(call):
    """What it answers, or the problem that it raises."""

    def ask():
        try:
            return call()
        except (AssertionChanged, AssertionNameTaken) as problem:
            return problem

    return ask


def test_of_two_changes_from_one_version_one_is_told_of_the_other(estate):
    row = pinned()
    answers = at_once(
        *(
            told(lambda note=note: assertion_change("paire", row.pk, AssertionChange(note=note), version=1, user=None))
            for note in ("one", "other")
        )
    )
    refused = [each for each in answers if isinstance(each, AssertionChanged)]
    (made,) = [each for each in answers if isinstance(each, Assertion)]
    assert len(refused) == 1
    assert refused[0].parameters["theirs"]["note"] == made.note
    row.refresh_from_db()
    assert (row.version, row.note) == (2, made.note)
    assert Decision.objects.filter(summary__startswith="Change assertion").count() == 1


def test_of_two_assertions_of_one_name_there_is_one(estate):
    answers = at_once(*(told(lambda: pinned(name="Orders")) for _ in range(2)))
    assert sorted(type(each).__name__ for each in answers) == ["Assertion", "AssertionNameTaken"]
    assert Assertion.objects.count() == 1


def test_runs_at_once_are_all_kept_and_old_ones_are_not(estate, monkeypatch):
    monkeypatch.setattr(assertion_runs, "RUNS_KEPT", 3)
    flows = flows_assert("paire", "possible", with_path=True, tags=["é"], user=None)

    def run():
        return assertions_run("paire", BasisAsked(), trigger="person", user=None).run.failed

    assert at_once(run, run) == [0, 0]
    assert AssertionRun.objects.count() == 2
    decide(PARIS, [NOWHERE])
    failed, *others = [run() for _ in range(3)]
    assert failed > 0
    assert others == [failed, failed]
    assert AssertionRun.objects.count() == 3
    assert AssertionVerdict.objects.count() == 3 * flows.created
    counts, last = assertions_summary("paire")
    assert (counts["failed"], counts["passed"], last.revision) == (failed, flows.created - failed, 2)
    page = assertion_page("paire", AssertionsAsked(state="failed", tag="é"))
    assert len(page.rows) == failed
    assert all(each.last is not None and not each.last.passed for each in page.rows)


def test_files_and_bulk(estate):
    pinned(name="Orders", faults=(engine.what_if.Fault(kind=engine.what_if.FaultKind.INSTANCE, instance="LYON"),))
    flows_assert("paire", "possible", with_path=False, tags=[], user=None)
    text = assertions_file("paire")
    count = Assertion.objects.count()
    assert assertions_take("paire", text, replaces=True, user=None).unchanged == count
    ids = list(Assertion.objects.values_list("pk", flat=True))
    assert assertions_bulk("paire", ids, "delete", tag=None, user=None).changed == count
    assert assertions_take("paire", text, replaces=True, user=None).created == count
    assert assertions_file("paire") == text
