"""Runs as people ask for them: refusals, cancelling, repeating, deleting; and jobs that wait for their turn."""

from __future__ import annotations

import os
import shutil
from threading import Event, Thread
from uuid import UUID, uuid4

import pytest
from django.utils import timezone

from brokerweb.accounts.rights import Role
from brokerweb.common.errors import ChangeSetClosed
from brokerweb.jobs.kinds import job_kind
from brokerweb.jobs.models import Job, JobState
from brokerweb.jobs.services import job_run, job_start
from brokerweb.jobs.turns import jobs_go_on, jobs_stop
from brokerweb.pipeline.folders import reading_folder, run_folder
from brokerweb.pipeline.models import EstateLake, PipelineRun, SparkWorker
from brokerweb.pipeline.questions import LAKE_READ_AT
from brokerweb.pipeline.selectors.runs import question_of, run_list
from brokerweb.pipeline.services import runs as run_services
from brokerweb.pipeline.services.snapshots import draft_frozen
from brokerweb.pipeline.services.sweeping import runs_sweep
from brokerweb.topology.models import ChangeSet, ChangeSetState, Decision
from brokerweb.topology.selectors.past_catalogs import past_catalogs
from tests.brokerweb.analyses import done_run
from tests.brokerweb.estates import make_estate, pair_catalogs
from tests.support.waiting import SECONDS_MAX

NINE = "2026-11-26T09:00Z"
RUNS = "/estates/paire/runs"
entered, released = Event(), Event()


@job_kind("test-long", queue="test-queue")
def long_work(run, arguments):
    entered.set()
    released.wait(60)
    run.progress("on its way", 1, 2)
    return arguments


@pytest.fixture
def estate(db):
    return make_estate(pair_catalogs(), name="paire")


def start(client, **question) -> dict:
    answer = client.ask("POST", RUNS, question)
    assert answer.status_code == 201, answer.content
    return answer.json()


def refused(client, method, path, body=None) -> tuple[int, str | int, str | None]:
    answer = client.ask(method, path, body)
    said = answer.json()
    return answer.status_code, said["code"], said["pointer"]


@pytest.mark.django_db
class TestAsking:
    def test_a_run_waits_for_its_worker_and_says_what_it_was_asked(self, editor, estate):
        made = start(editor, job="audit", since="2026-11-26T09:00:00+01:00", until="2026-11-26T09:00:00Z", examples=3)
        assert (made["state"], made["job"], made["examples"]) == ("queued", "audit", 3)
        assert (made["since"], made["until"]) == ("2026-11-26T08:00:00Z", "2026-11-26T09:00:00Z")
        assert (made["tables"], made["owner"]) == ([], "the-editor")
        assert editor.ask("GET", f"{RUNS}/{made['id']}").json() == made
        second = editor.ask("POST", f"{RUNS}/{made['id']}/again").json()
        assert [each["id"] for each in editor.ask("GET", RUNS).json()] == [second["id"], made["id"]]
        same = ("job", "since", "until", "examples", "revisions")
        assert [second[name] for name in same] == [made[name] for name in same]

    def test_a_list_goes_on_behind_its_last_run(self, editor, estate):
        ids = [UUID(start(editor, job="audit")["id"]) for _ in range(5)]
        # The same moment for two of them, on either side of a page.
        alike = PipelineRun.objects.filter(pk__in=ids[2:4])
        alike.update(created_at=alike.first().created_at)
        heard, page = [], run_list("paire", most=2)
        while page:
            heard += [each["id"] for each in page]
            page = run_list("paire", heard[-1], most=2)
        assert (heard[0], heard[-2:], sorted(heard)) == (ids[4], [ids[1], ids[0]], sorted(ids))
        older = editor.ask("GET", f"{RUNS}?before={ids[1]}").json()
        assert [each["id"] for each in older] == [str(ids[0])]
        assert refused(editor, "GET", f"{RUNS}?before={uuid4()}")[1] == "not-found"
        assert refused(editor, "GET", f"{RUNS}?before=1")[1] == "bad-field"
        assert refused(editor, "GET", f"{RUNS}?after={heard[0]}")[1] == "unknown-field"

    @pytest.mark.parametrize(
        ("question", "status", "code", "pointer"),
        [
            (
                {"job": "delivery", "since": "2026-11-26T09:00Z", "until": "2026-11-26T09:00Z"},
                400,
                "malformed",
                "/until",
            ),
            ({"job": "delivery", "revisions": [0, 1]}, 400, "malformed", "/revisions"),
            ({"job": "paths", "examples": 3}, 400, "malformed", "/examples"),
            ({"job": "whatif"}, 400, "malformed", "/revisions"),
            ({"job": "whatif", "revisions": [1, 1]}, 400, "malformed", "/revisions"),
            ({"job": "whatif", "revisions": [1, 0]}, 400, "malformed", "/revisions"),
            ({"job": "whatif", "revisions": [0, 99]}, 404, "not-found", "/revisions/1"),
            ({"job": "whatif", "change_set": 99}, 404, "not-found", None),
        ],
    )
    def test_what_cannot_be_asked_is_refused_and_nothing_is_made(self, editor, estate, question, status, code, pointer):
        assert refused(editor, "POST", RUNS, question) == (status, code, pointer)
        assert not PipelineRun.objects.exists()
        assert not Job.objects.exists()

    def test_what_is_no_question_is_refused(self, editor, estate):
        for body in (
            {"job": "ingest"},
            {"job": "audit", "since": "gestern"},
            {"job": "audit", "since": "2026-11-26T09:00"},
            {"job": "audit", "since": "0001-01-01T00:00+14:00"},
            {"job": "audit", "until": "9999-12-31T23:00-14:00"},
            {"job": "audit", "since": 0},
        ):
            assert refused(editor, "POST", RUNS, body)[1] == "bad-field", body
        assert refused(editor, "GET", f"{RUNS}/estimate")[1] == "bad-field"
        odd = f"{RUNS}/estimate?job=audit&since=0001-01-01T00:00%2B14:00"
        assert refused(editor, "GET", odd)[1] == "bad-field"
        assert refused(editor, "POST", "/estates/nulle/runs", {"job": "audit"})[1] == "not-found"

    def test_a_draft_is_compared_with_what_is_live_as_the_next_revision(self, editor, estate):
        number = editor.ask("POST", "/estates/paire/change-sets", {"title": "later"}).json()["number"]
        made = start(editor, job="whatif", change_set=number)
        assert made["revisions"] == [estate.revision, estate.revision + 1]
        ChangeSet.objects.update(state=ChangeSetState.DISCARDED)
        assert refused(editor, "POST", RUNS, {"job": "whatif", "change_set": number})[1] == "change-set-closed"

    def test_without_the_extra_nobody_could_do_it(self, editor, estate, monkeypatch):
        monkeypatch.setattr(run_services, "EXTRA", "a_package_that_nobody_has")
        assert refused(editor, "POST", RUNS, {"job": "audit"}) == (422, 39021, None)

    def test_a_worker_with_spark_is_known_by_what_it_says(self, editor, estate, settings):
        settings.ENVIRONMENT = _several_processes(settings.ENVIRONMENT)
        assert editor.ask("GET", "/estates/paire/lake").json()["is_available"] is False
        SparkWorker.objects.create(heard_at=timezone.now())
        assert editor.ask("GET", "/estates/paire/lake").json()["is_available"] is True


def _several_processes(environment):
    import msgspec

    return msgspec.structs.replace(environment, celery_broker_url="redis://127.0.0.1:1/0")


@pytest.mark.django_db
class TestEnds:
    def test_a_queued_run_is_cancelled_at_once(self, editor, estate):
        made = start(editor, job="delivery")
        assert editor.ask("POST", f"{RUNS}/{made['id']}/cancel").json()["state"] == "cancelled"

    def test_somebody_elses_run_takes_the_right_to_edit(self, api_as, editor, estate):
        made = start(editor, job="delivery")
        operator = api_as(Role.OPERATOR)
        assert refused(operator, "POST", f"{RUNS}/{made['id']}/cancel")[1] == "right-missing"

    def test_and_so_does_deleting_it_with_its_tables(self, api_as, editor, estate):
        made = start(editor, job="delivery")
        editor.ask("POST", f"{RUNS}/{made['id']}/cancel")
        operator = api_as(Role.OPERATOR)
        assert refused(operator, "DELETE", f"{RUNS}/{made['id']}")[:2] == (403, "right-missing")
        own = start(operator, job="delivery")
        operator.ask("POST", f"{RUNS}/{own['id']}/cancel")
        assert operator.ask("DELETE", f"{RUNS}/{own['id']}").status_code == 204
        assert editor.ask("DELETE", f"{RUNS}/{made['id']}").status_code == 204

    def test_a_run_is_deleted_with_its_files_and_the_log_says_so(self, editor, estate):
        row = done_run(estate, "delivery", {"messages": ["SELECT 1 AS number"]})
        folder = run_folder(row.pk)
        assert folder.is_dir()
        Job.objects.update(state=JobState.RUNNING)
        assert refused(editor, "DELETE", f"{RUNS}/{row.pk}")[:2] == (409, "run-under-way")
        assert folder.is_dir()
        Job.objects.update(state=JobState.DONE)
        before = Decision.objects.count()
        assert editor.ask("DELETE", f"{RUNS}/{row.pk}").status_code == 204
        assert refused(editor, "GET", f"{RUNS}/{row.pk}")[1] == "not-found"
        assert Decision.objects.count() == before + 1
        shutil.rmtree(folder, ignore_errors=True)

    def test_an_estimate_goes_by_the_hours_and_by_the_runs_there_were(self, editor, estate):
        hours = [["2026-11-26T08", 100, 1000, 1], ["2026-11-26T09", 50, 500, 2], ["2026-11-26T10", 7, 70, 1]]
        EstateLake.objects.create(estate=estate, hours=hours)
        asked = f"{RUNS}/estimate?job=audit&since=2026-11-26T09:30:00Z&until=2026-11-26T10:00:00Z"
        found = editor.ask("GET", asked).json()
        assert (found["events"], found["bytes"], found["files"]) == (50, 500, 2)
        assert (found["seconds"], found["judged_by"]) == (None, None)
        work = {"estate": estate, "job": "audit", "question": {"job": "audit"}, "created_at": timezone.now()}
        PipelineRun.objects.create(**work, events=50, seconds=10.0)
        PipelineRun.objects.create(**work, events=5_000, seconds=600.0)
        PipelineRun.objects.create(**work, events=50, seconds=1.0, notes={LAKE_READ_AT: NINE})
        found = editor.ask("GET", asked).json()
        assert (found["seconds"], found["judged_by"]) == (10.0, {"events": 50, "seconds": 10.0})
        whole = editor.ask("GET", f"{RUNS}/estimate?job=audit").json()
        assert (whole["events"], whole["seconds"]) == (157, 31.4)


@pytest.mark.django_db
class TestDrafts:
    """What others apply between asking and beginning never looks like a change of the draft."""

    @pytest.fixture
    def asked(self, editor, estate):
        """Others apply a route after a run about a draft with another one was asked for."""
        routes = "/estates/paire/instances/PARIS/databases/Ventes/routes"
        number = editor.ask("POST", "/estates/paire/change-sets", {"title": "later"}).json()["number"]
        answer = editor.decide(f"{routes}?change_set={number}", {"name": "mine", "address": "LOCAL"})
        assert answer.status_code == 201, answer.content
        made = start(editor, job="whatif", change_set=number)
        named = start(editor, job="whatif", change_set=number, revisions=[estate.revision])
        answer = editor.decide(routes, {"name": "theirs", "address": "LOCAL"})
        assert answer.status_code == 201, answer.content
        return made, named

    def test_the_draft_and_what_is_live_are_of_the_moment_when_the_worker_begins(self, editor, estate, asked):
        made, named = asked
        before = estate.revision
        row = PipelineRun.objects.get(pk=made["id"])
        question, draft = draft_frozen(row, question_of(row))
        estate.refresh_from_db()
        assert estate.revision == before + 1
        assert question.revisions == (before + 1, before + 2)
        live = past_catalogs(estate, question.revisions[0])
        assert routes_of(draft) - routes_of(live) == {"mine"}
        assert editor.ask("GET", f"{RUNS}/{made['id']}").json()["revisions"] == [before + 1, before + 2]
        row = PipelineRun.objects.get(pk=named["id"])
        assert draft_frozen(row, question_of(row))[0].revisions == (before, before + 2), "who names one gets that"

    def test_the_same_again_is_about_what_is_live_then(self, editor, estate, asked):
        made, named = asked
        again = editor.ask("POST", f"{RUNS}/{made['id']}/again").json()
        assert again["revisions"] == [made["revisions"][0] + 1, made["revisions"][1] + 1]
        assert editor.ask("POST", f"{RUNS}/{named['id']}/again").json()["revisions"][0] == named["revisions"][0]

    def test_a_draft_that_is_closed_meanwhile_ends_the_run(self, estate, asked):
        ChangeSet.objects.update(state=ChangeSetState.DISCARDED)
        row = PipelineRun.objects.get(pk=asked[0]["id"])
        with pytest.raises(ChangeSetClosed):
            draft_frozen(row, question_of(row))


def routes_of(catalogs) -> set[str]:
    return {str(route) for database in catalogs["PARIS"].databases.values() for route in database.routes}


@pytest.mark.django_db
class TestSweeping:
    def test_what_a_killed_worker_left_goes_once_its_run_is_over_and_it_is_old(self, estate):
        rows = [done_run(estate, "delivery", {"messages": ["SELECT 1 AS number"]}) for _ in range(2)]
        over, under_way = (run_folder(row.pk) for row in rows)
        Job.objects.filter(pk=rows[1].work_id).update(state=JobState.RUNNING)
        spilled = reading_folder() / str(rows[0].pk)
        for folder in (over / ".result.0a.new", over / "between", under_way / ".result.0a.new", spilled):
            (folder / "part").mkdir(parents=True)
            for path in (folder, folder / "part"):
                os.utime(path, (1, 1))
        young = over / "download-1"
        young.mkdir()
        runs_sweep()
        assert {each.name for each in over.iterdir()} == {"result", "download-1"}
        assert {each.name for each in under_way.iterdir()} == {"result", ".result.0a.new"}
        assert not spilled.exists()
        for folder in (over, under_way):
            shutil.rmtree(folder)


@pytest.mark.django_db(transaction=True)
class TestTurns:
    def test_a_second_job_of_the_queue_waits_and_says_so(self):
        entered.clear()
        released.clear()
        first, second = (job_start("test-long", title="A test", arguments=b"{}", user=None) for _ in range(2))
        thread = Thread(target=job_run, args=(first.pk,))
        thread.start()
        try:
            assert entered.wait(SECONDS_MAX)
            job_run(second.pk)
            waiting = Job.objects.get(pk=second.pk)
            assert (waiting.state, waiting.stage) == (JobState.QUEUED, "waiting")
        finally:
            released.set()
            thread.join(SECONDS_MAX)
        job_run(second.pk)
        assert set(Job.objects.values_list("state", "stage")) == {(JobState.DONE, "")}

    def test_the_end_of_the_process_does_not_wait_for_it_and_begins_no_other(self):
        entered.clear()
        released.clear()
        first, second = (job_start("test-long", title="A test", arguments=b"{}", user=None) for _ in range(2))
        thread = Thread(target=job_run, args=(first.pk,))
        thread.start()
        try:
            assert entered.wait(SECONDS_MAX)
            jobs_stop()
            released.set()
            thread.join(SECONDS_MAX)
            job_run(second.pk)
        finally:
            released.set()
            jobs_go_on()
        row = Job.objects.get(pk=first.pk)
        assert (row.state, row.problem) == (JobState.FAILED, {"code": "job-lost"})
        assert Job.objects.get(pk=second.pk).state == JobState.QUEUED
