"""Jobs: run once, by one worker; watched, cancelled, found when their worker is gone. The long import is one."""

import json
from datetime import timedelta
from threading import Event

import pytest
from django.utils import timezone

from brokerweb.accounts.rights import Right, Role
from brokerweb.accounts.services import user_create, user_update
from brokerweb.common.job_errors import TooManyJobs
from brokerweb.jobs.kinds import job_kind
from brokerweb.jobs.models import Job, JobState
from brokerweb.jobs.services import PERSON_JOBS_MAX, job_run, job_start, jobs_release, jobs_tidy
from brokerweb.jobs.turns import take_turn
from brokerweb.topology.models import ChangeSet, Estate, Route
from brokerweb.topology.services.import_jobs import DIRECT_LETTERS_MAX
from engine import api as engine
from tests.brokerweb.conftest import is_applied
from tests.support.waiting import SECONDS_MAX, until

ROUTES = 2_500
"""More than a report names."""
COMMENT = "-" * (DIRECT_LETTERS_MAX // ROUTES)
SCRIPT = ":CONNECT PARIS\nCREATE DATABASE Ventes;\nGO\nUSE Ventes;\n" + "".join(
    f"CREATE ROUTE [r{number}] WITH SERVICE_NAME = '//test/{number}', ADDRESS = 'TCP://lyon-{number % 50}:4022';"
    f" {COMMENT}\n"
    for number in range(ROUTES)
)
reached, released = Event(), Event()


@job_kind("test-waits")
def waits(run, arguments):
    for number in range(1000):
        run.progress(f"step {number}", number, 1000)
        reached.set()
        released.wait(0.02)
    return arguments


@job_kind("test-fails")
def fails(run, arguments):
    raise ZeroDivisionError("on purpose")


@job_kind("test-echoes")
def echoes(run, arguments):
    run.progress("echoing", 1, 2)
    return arguments


defined = []


@job_kind("test-defines", needs=Right.EDIT)
def defines(run, arguments):
    defined.append(run.owner)
    return arguments


def start(kind, arguments=b"{}", user=None):
    return job_start(kind, title="A test", arguments=arguments, user=user)


@pytest.mark.django_db
def test_a_person_has_some_jobs_at_once_and_what_is_over_makes_room():
    one, other = (user_create(name, password=None, role=Role.VIEWER) for name in ("vera", "victor"))
    jobs = [start("test-echoes", user=one) for _ in range(PERSON_JOBS_MAX)]
    with pytest.raises(TooManyJobs, match=f"You have {PERSON_JOBS_MAX} jobs"):
        start("test-echoes", user=one)
    start("test-echoes", user=other)
    job_run(jobs[0].pk)
    assert start("test-echoes", user=one).state == JobState.QUEUED


@pytest.mark.django_db
class TestLife:
    def test_a_job_runs_once_and_keeps_its_result_and_not_its_arguments(self, editor):
        job = start("test-echoes", b'{"a":1}')
        job_run(job.pk)
        job_run(job.pk)
        shown = editor.ask("GET", f"/jobs/{job.pk}").json()
        assert (shown["state"], shown["done"], shown["total"], shown["problem"]) == ("done", 1, 2, None)
        assert editor.ask("GET", f"/jobs/{job.pk}/result").json() == {"a": 1}
        assert Job.objects.get().arguments == ""
        assert [each["id"] for each in editor.ask("GET", "/jobs").json()] == [str(job.pk)]

    @pytest.mark.parametrize("change", [{"is_active": False}, {"role": Role.OPERATOR}])
    def test_a_job_that_waited_does_nothing_without_the_right_of_its_owner(self, editor, change):
        owner = user_create("erika", Role.EDITOR)
        job = job_start("test-defines", title="A test", arguments=b"{}", user=owner)
        user_update("erika", **change)
        job_run(job.pk)
        shown = editor.ask("GET", f"/jobs/{job.pk}").json()
        assert (shown["state"], shown["problem"]["code"]) == ("failed", "right-missing")
        assert defined == []
        user_update("erika", is_active=True, role=Role.EDITOR)
        job_run(job_start("test-defines", title="A test", arguments=b"{}", user=owner).pk)
        assert defined == [owner]
        defined.clear()

    def test_a_fault_of_the_program_is_told_as_one(self, editor):
        job = start("test-fails")
        job_run(job.pk)
        shown = editor.ask("GET", f"/jobs/{job.pk}").json()
        assert (shown["state"], shown["problem"]["code"]) == ("failed", "job-failed")
        assert "ZeroDivisionError" in shown["problem"]["why"]
        assert editor.ask("GET", f"/jobs/{job.pk}/result").status_code == 404

    def test_a_queued_job_is_cancelled_at_once_and_never_runs(self, editor):
        job = start("test-echoes")
        assert editor.ask("POST", f"/jobs/{job.pk}/cancel").json()["state"] == "cancelled"
        job_run(job.pk)
        assert Job.objects.get().state == JobState.CANCELLED

    def test_cancelling_what_is_over_changes_nothing(self, editor):
        job = start("test-echoes")
        job_run(job.pk)
        assert editor.ask("POST", f"/jobs/{job.pk}/cancel").json()["state"] == "done"

    def test_somebody_elses_job_takes_the_right_to_edit(self, api_as, editor):
        job = start("test-echoes")
        assert api_as(Role.VIEWER).ask("POST", f"/jobs/{job.pk}/cancel").status_code == 403
        assert editor.ask("POST", f"/jobs/{job.pk}/cancel").status_code == 200

    def test_a_job_without_heartbeat_has_failed(self):
        job = start("test-echoes")
        Job.objects.update(state=JobState.RUNNING, heartbeat_at=timezone.now() - timedelta(minutes=16))
        jobs_tidy()
        job.refresh_from_db()
        assert (job.state, job.problem["code"]) == ("failed", "job-lost")

    def test_a_job_waits_while_another_one_of_its_kind_runs_and_other_kinds_go_on(self, editor):
        job, other = start("test-echoes"), start("test-defines")
        with take_turn("test-echoes"):
            job_run(job.pk)
            job_run(other.pk)
        assert editor.ask("GET", f"/jobs/{job.pk}").json()["stage"] == "waiting"
        assert {each.pk: each.state for each in Job.objects.all()} == {job.pk: "queued", other.pk: "done"}
        defined.clear()
        job_run(job.pk)
        assert Job.objects.get(pk=job.pk).state == JobState.DONE

    def test_what_is_over_is_removed_after_a_month_and_sooner_of_a_person_who_has_many(self, monkeypatch):
        monkeypatch.setattr("brokerweb.jobs.services.PERSON_JOBS_KEPT_MAX", 2)
        one, other = (user_create(name, password=None, role=Role.VIEWER) for name in ("vera", "victor"))
        month = timezone.now() - timedelta(days=31)
        old, queued, *mine = (start("test-echoes", user=one) for _ in range(5))
        theirs = start("test-echoes", user=other)
        for each in (old, *mine, theirs):
            job_run(each.pk)
        Job.objects.filter(pk__in=(old.pk, queued.pk)).update(created_at=month)
        Job.objects.filter(pk=old.pk).update(ended_at=month)
        jobs_tidy()
        assert {each.pk for each in Job.objects.all()} == {queued.pk, mine[1].pk, mine[2].pk, theirs.pk}

    def test_a_process_that_starts_gives_up_what_the_last_one_was_running_and_keeps_what_is_queued(self):
        running, queued = start("test-echoes"), start("test-echoes")
        Job.objects.filter(pk=running.pk).update(state=JobState.RUNNING, heartbeat_at=timezone.now())
        jobs_release()
        assert {job.pk: job.state for job in Job.objects.all()} == {running.pk: "failed", queued.pk: "queued"}

    def test_there_is_no_such_job(self, editor):
        assert editor.ask("GET", "/jobs/0a0a0a0a-0000-0000-0000-000000000000").status_code == 404


@pytest.mark.usefixtures("running_engine", "transactional_db")
class TestInAWorker:
    def test_a_running_job_is_cancelled_where_it_can_be(self, editor):
        reached.clear()
        job = start("test-waits")
        assert reached.wait(SECONDS_MAX)
        answer = editor.ask("POST", f"/jobs/{job.pk}/cancel").json()
        assert answer["state"] in ("cancelling", "cancelled")
        until(lambda: Job.objects.get(pk=job.pk).state == JobState.CANCELLED, "the job has ended")

    def test_a_long_import_is_a_job_that_tells_how_far_it_is(self, editor):
        assert len(SCRIPT) > DIRECT_LETTERS_MAX
        body = {"estate": "lang", "files": [{"name": "lang.sql", "text": SCRIPT}], "dry_run": False}
        answer = editor.ask("POST", "/imports", body)
        assert answer.status_code == 202
        address = f"/jobs/{answer.json()['id']}"
        stages = set()

        def is_over():
            shown = editor.ask("GET", address).json()
            stages.add(shown["stage"])
            return shown["state"] in ("done", "failed")

        until(is_over, "the import is over", seconds=120)
        report = editor.ask("GET", f"{address}/result").json()
        assert (report["is_applied"], report["revision"]) == (True, 1)
        assert report["counts"]["add"] == ROUTES + 2
        assert len(report["rows"]) == 2000
        assert Route.objects.filter(name__startswith="r").count() == ROUTES
        assert {"reading", "planning"} & stages
        until(lambda: is_applied(Estate.objects.get()), "the engine has it", seconds=120)
        Estate.objects.all().delete()
        # What is left behind would be opened by the engines of all later tests.
        engine.close_instance("lang", "PARIS", forgets=True)

    @pytest.mark.slow
    def test_a_long_import_with_a_mistake_does_nothing_and_says_where(self, editor):
        text = SCRIPT + "CREATE ROUTE falsch WITH ADDRESS 'LOCAL';\n"
        body = {"estate": "lang", "files": [{"name": "lang.sql", "text": text}], "dry_run": False}
        address = f"/jobs/{editor.ask('POST', '/imports', body).json()['id']}"
        until(lambda: editor.ask("GET", address).json()["state"] == "failed", "it has failed", seconds=120)
        problem = editor.ask("GET", address).json()["problem"]
        assert (problem["code"], problem["line"]) == ("102", ROUTES + 5)
        assert not Estate.objects.exists()


@pytest.mark.django_db
class TestImports:
    def test_a_collected_server_comes_in_like_a_script_into_a_new_change_set(self, editor):
        Estate.objects.create(name="demo")
        text = json.dumps(COLLECTED)
        body = {
            "estate": "demo",
            "files": [{"name": "paris.json", "text": text}],
            "dry_run": False,
            "change_set": "new",
        }
        report = editor.ask("POST", "/imports", body).json()
        assert (report["is_applied"], report["change_set"], report["revision"]) == (True, 1, 0)
        assert [each["messages"] for each in report["backlogs"]] == [3]
        assert ChangeSet.objects.get().title == "Import paris.json"
        assert not Route.objects.exists()

    def test_a_refused_import_leaves_no_new_change_set(self, editor):
        Estate.objects.create(name="demo")
        files = [{"name": "a.sql", "text": "CREATE ROUTE a WITH ADDRESS 'LOCAL';"}]
        answer = editor.ask(
            "POST", "/imports", {"estate": "demo", "files": files, "dry_run": False, "change_set": "new"}
        )
        assert answer.status_code == 400 or answer.status_code == 422
        assert not ChangeSet.objects.exists()

    def test_lines_and_objects_can_be_left_out(self, editor):
        script = (
            ":CONNECT PARIS\nGO\nUSE msdb;\nCREATE ROUTE a WITH ADDRESS = 'nowhere';\n"
            "CREATE ROUTE b WITH ADDRESS 'x';\nCREATE ROUTE c WITH ADDRESS = 'LOCAL';\n"
        )
        file = {"name": "a.sql", "text": script}
        body = {"estate": "demo", "files": [file], "dry_run": True}
        assert [each["line"] for each in editor.ask("POST", "/imports", body).json()["problems"]] == [4, 5]
        report = editor.ask("POST", "/imports", {**body, "files": [{**file, "left_out": [4, 5]}]}).json()
        assert report["problems"] == []
        left_out = [(row["line"], row["effect"], row["text"]) for row in report["rows"] if row["line"] in (4, 5)]
        assert left_out == [(4, "ignored", "Left out."), (5, "ignored", "Left out.")]

    def test_each_file_may_begin_on_another_instance(self, editor):
        text = "CREATE DATABASE Ventes;"
        files = [{"name": f"{name}.sql", "text": text, "instance": name} for name in ("PARIS", "LYON")]
        report = editor.ask("POST", "/imports", {"estate": "demo", "files": files, "dry_run": True}).json()
        assert [row["instance"] for row in report["rows"]] == ["PARIS", "LYON"]


COLLECTED = {
    "format": "service-broker-collection",
    "format_version": 1,
    "server_name": "PARIS",
    "collected_at": "2026-01-01T00:00:00",
    "databases": [
        {
            "database_id": 5,
            "name": "Ventes",
            "service_broker_guid": "6F9619FF-8B86-D011-B42D-00C04FC964FF",
            "is_broker_enabled": True,
            "sys": {
                "routes": [{"route_id": 65537, "name": "vers_lyon", "address": "TCP://lyon:4022"}],
                "transmission_queue": [
                    {"to_service_name": "//Lager", "messages": 3, "oldest": "2026-01-01T00:00:00"},
                ],
            },
        }
    ],
}
