"""Traces that somebody sends: taken into a real lake by a job, refused with a reason, kept no longer than needed."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from datetime import timedelta
from time import time
from typing import Any
from uuid import uuid4

import msgspec
import pytest
from deltalake import DeltaTable
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from brokerweb.accounts.rights import Role
from brokerweb.jobs.kinds import JobCancelled
from brokerweb.jobs.models import Job, JobState
from brokerweb.jobs.services import job_run, jobs_tidy
from brokerweb.pipeline.folders import lake_folder, uploads_folder
from brokerweb.pipeline.models import LakeInstance
from brokerweb.pipeline.services import runs as run_services
from brokerweb.pipeline.services import trace_imports
from brokerweb.pipeline.services.uploads import PART_SECONDS_MAX, uploads_sweep
from brokerweb.topology.models import Estate
from engine.pipeline.lake.writing import Lake
from tests.brokerweb.conftest import ApiClient
from tests.brokerweb.estates import make_estate, pair_catalogs

HERE = "/estates/paire/lake"
REMOVAL = "traces/removal"
HEADER = "EventClass,StartTime,EventSubClass,EventSequence,GUID\n"
GOOD = "124,2026-11-26T06:00:00,11 - BEGIN DIALOG,{number},6F9619FF-8B86-D011-B42D-00C04FC964FF\n"
TRACE = HEADER + "".join(GOOD.format(number=number) for number in range(1, 4)) + "1,2\n1,2\n9999,,,,\n"
REJECTS = lake_folder().with_name("lake.rejects")
Send = Callable[..., Any]

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def empty_folders() -> Iterator[None]:
    _remove_all()
    yield
    _remove_all()


def _remove_all() -> None:
    for folder in (lake_folder(), REJECTS, uploads_folder()):
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def written(rows_of_file):
    with rows_of_file():
        make_estate(pair_catalogs(), name="paire")


@pytest.fixture
def estate(written, db):
    return Estate.objects.get()


@pytest.fixture
def send(editor: ApiClient, estate, django_capture_on_commit_callbacks) -> Send:
    """Send a trace as a browser does; the answer."""

    def sent(
        content: str | bytes = TRACE,
        client: ApiClient = editor,
        address: str = HERE,
        path: str = "traces",
        **fields: Any,
    ) -> Any:
        content = content.encode() if isinstance(content, str) else content
        given = {"instance": "PARIS", "file": SimpleUploadedFile("mine.csv", content), **fields}
        with django_capture_on_commit_callbacks(execute=True):
            return client.post(
                f"/api/v1{address}/{path}", {name: value for name, value in given.items() if value is not None}
            )

    return sent


@pytest.fixture
def result(send: Send, editor: ApiClient) -> Callable[..., dict[str, Any]]:
    """What became of a trace that was sent, and done by a worker."""

    def done(content: str | bytes = TRACE, **fields: Any) -> dict[str, Any]:
        answer = send(content, **fields)
        assert answer.status_code == 202, answer.content
        job_run(answer.json()["id"])
        found: dict[str, Any] = editor.ask("GET", f"/jobs/{answer.json()['id']}/result").json()
        return found

    return done


def kept() -> list[str]:
    return sorted(path.name for path in uploads_folder().iterdir()) if uploads_folder().is_dir() else []


class TestTaken:
    def test_rows_are_in_the_lake_and_those_that_are_not_have_a_reason(self, send, editor):
        job = send(instance="paris").json()
        assert (job["kind"], job["state"]) == ("lake-import", "queued")
        assert job["title"] == "Import of a trace of PARIS into the lake of paire"
        (waiting,) = kept()
        assert (uploads_folder() / waiting).read_text() == TRACE
        job_run(job["id"])
        assert editor.ask("GET", f"/jobs/{job['id']}/result").json() == {
            "rows": 6,
            "written": 3,
            "known": 0,
            "rejected": 3,
            "unkept": 0,
            "reasons": [
                {"reason": "other-width", "column": "", "rows": 2},
                {"reason": "no-class", "column": "", "rows": 1},
            ],
            "other_reasons": 0,
        }
        assert kept() == []
        rejected = DeltaTable(REJECTS).to_pyarrow_table().to_pylist()
        assert {(row["file"], row["instance"]) for row in rejected} == {("mine.csv", "PARIS")}
        shown = editor.ask("GET", HERE).json()
        assert (shown["events"], shown["first_at"], shown["exported_at"]) == (3, "2026-11-26T06:00:00Z", None)
        by_name = {each["instance"]: (each["events"], each["last_number"]) for each in shown["instances"]}
        assert by_name == {"PARIS": (3, 0), "LYON": (0, 0)}

    def test_the_same_file_again_adds_nothing_whatever_it_is_called(self, result):
        assert result()["written"] == 3
        again = result(file=SimpleUploadedFile("other.csv", TRACE.encode()))
        assert (again["rows"], again["written"], again["rejected"], again["known"]) == (6, 0, 3, 3)
        assert [each["reason"] for each in again["reasons"]] == ["other-width", "no-class"]
        assert DeltaTable(REJECTS).to_pyarrow_table().num_rows == 3
        assert Lake(lake_folder()).rows() == LakeInstance.objects.get().events == 3

    def test_profiler_writes_utf_16(self, result):
        assert result(TRACE.encode("utf-16"))["written"] == 3

    def test_times_are_of_the_clock_of_the_server(self, result):
        assert result(time_zone="Europe/Paris")["written"] == 3
        (first, *_) = Lake(lake_folder()).read()["event_time"].to_pylist()
        assert first.isoformat().startswith("2026-11-26T05:00:00")

    def test_of_many_reasons_the_most_frequent_are_told(self, result, monkeypatch):
        monkeypatch.setattr(trace_imports, "REASONS_MAX", 1)
        found = result()
        assert ([each["reason"] for each in found["reasons"]], found["other_reasons"]) == (["other-width"], 1)


class TestTakenOut:
    def test_what_an_import_has_brought_is_gone_and_may_be_imported_as_it_should_have_been(self, result, send, editor):
        assert result()["written"] == 3
        job = send(path=REMOVAL, instance="paris").json()
        assert (job["kind"], job["title"]) == ("lake-take-out", "Taking a trace of PARIS out of the lake of paire")
        uploads_sweep()
        assert len(kept()) == 1
        job_run(job["id"])
        assert editor.ask("GET", f"/jobs/{job['id']}/result").json() == {
            "rows": 3,
            "taken": 3,
            "missing": 0,
            "rejected": 3,
        }
        assert kept() == []
        shown = editor.ask("GET", HERE).json()
        assert (shown["events"], shown["first_at"]) == (0, None)
        assert {each["instance"]: each["events"] for each in shown["instances"]} == {"PARIS": 0, "LYON": 0}
        assert result(time_zone="Europe/Paris")["written"] == 3

    @pytest.mark.parametrize("other", [{"instance": "LYON"}, {"time_zone": "Asia/Tokyo"}])
    def test_of_another_instance_or_zone_nothing_is(self, result, other):
        result()
        found = result(path=REMOVAL, **other)
        assert found == {"rows": 3, "taken": 0, "missing": 3, "rejected": 0}
        assert Lake(lake_folder()).rows() == 3
        assert list(LakeInstance.objects.values_list("instance", flat=True)) == ["PARIS"]

    def test_where_there_is_no_lake_yet_the_job_says_so(self, send, editor):
        job = send(path=REMOVAL).json()["id"]
        job_run(job)
        ended = editor.ask("GET", f"/jobs/{job}").json()
        assert (ended["state"], ended["problem"]["code"]) == ("failed", "13807")
        assert kept() == []
        assert not lake_folder().exists()


class TestRefused:
    @pytest.mark.parametrize("path", ["traces", REMOVAL])
    @pytest.mark.parametrize(
        ("given", "status", "code", "pointer"),
        [
            ({"instance": "ROME"}, 404, "not-found", None),
            ({"address": "/estates/none/lake"}, 404, "not-found", None),
            ({"content": b""}, 400, "malformed", "/file"),
            ({"content": TRACE + "x" * 2048}, 413, "too-large", "/file"),
            ({"file": None}, 422, "bad-field", None),
            ({"file": "no file"}, 422, "bad-field", None),
            ({"instance": None}, 422, "bad-field", None),
            ({"instance": "PAR\0IS"}, 422, "bad-field", None),
            ({"time_zone": "Mars/Olympus"}, 422, 9820, "/time_zone"),
            ({"time_zone": "x" * 65}, 422, "bad-field", None),
        ],
    )
    def test_what_cannot_be_taken_is_refused_and_nothing_is_kept(
        self, send, settings, given, status, code, pointer, path
    ):
        settings.ENVIRONMENT = msgspec.structs.replace(settings.ENVIRONMENT, trace_bytes=2048)
        answer = send(path=path, **given)
        said = answer.json()
        assert (answer.status_code, said["code"], said["pointer"]) == (status, code, pointer)
        assert said["detail"]
        assert said["cure"]
        assert not Job.objects.exists()
        assert kept() == []

    @pytest.mark.parametrize(
        "content_type", ["application/json", "multipart/form-data", "multipart/form-data; boundary=a", "text/csv"]
    )
    def test_a_body_that_has_no_parts_is_refused(self, estate, editor, content_type):
        answer = editor.generic("POST", f"/api/v1{HERE}/traces", b"{}", content_type=content_type)
        assert answer.status_code in (400, 422)
        assert answer["Content-Type"] == "application/problem+json"

    def test_where_nobody_could_do_it(self, send, monkeypatch):
        monkeypatch.setattr(run_services, "is_installed", lambda: False)
        answer = send()
        assert (answer.status_code, answer.json()["code"]) == (422, 39021)
        assert kept() == []

    @pytest.mark.parametrize("path", ["traces", REMOVAL])
    def test_who_may_only_look_does_not_send(self, send, api_as, path):
        assert send(client=api_as(Role.VIEWER), path=path).status_code == 403
        assert kept() == []

    def test_where_files_cannot_be_kept(self, send):
        uploads_folder().parent.mkdir(parents=True, exist_ok=True)
        uploads_folder().write_text("no folder")
        answer = send()
        uploads_folder().unlink()
        assert (answer.status_code, answer.json()["code"]) == (503, "upload-unwritable")
        assert not Job.objects.exists()


class TestKept:
    def test_one_that_is_cancelled_while_it_waits_goes_with_the_next_look(self, send, editor):
        job = send().json()["id"]
        uploads_sweep()
        assert len(kept()) == 1
        assert editor.ask("POST", f"/jobs/{job}/cancel").json()["state"] == "cancelled"
        job_run(job)
        uploads_sweep()
        assert kept() == []
        assert not lake_folder().exists()

    def test_one_that_is_cancelled_while_it_is_read_goes_at_once(self, send):
        class Cancelled:
            owner = None

            def progress(self, stage: str, done: int, total: int) -> None:
                raise JobCancelled

        job = Job.objects.get(pk=send().json()["id"])
        with pytest.raises(JobCancelled):
            trace_imports.import_work(Cancelled(), job.arguments.encode())
        assert kept() == []
        assert not lake_folder().exists()

    def test_one_that_cannot_be_taken_goes_and_the_job_says_why(self, send, editor, estate):
        job = send().json()["id"]
        estate.delete()
        job_run(job)
        shown = editor.ask("GET", f"/jobs/{job}").json()
        assert (shown["state"], shown["problem"]["code"]) == ("failed", "not-found")
        assert kept() == []

    def test_one_whose_worker_was_killed_goes_when_the_job_is_given_up(self, send):
        job = send().json()["id"]
        Job.objects.filter(pk=job).update(state=JobState.RUNNING, heartbeat_at=timezone.now())
        uploads_sweep()
        assert len(kept()) == 1
        Job.objects.filter(pk=job).update(heartbeat_at=timezone.now() - timedelta(hours=1))
        jobs_tidy()
        uploads_sweep()
        assert kept() == []

    def test_one_that_is_being_sent_stays_and_what_nobody_sends_any_more_goes(self):
        uploads_folder().mkdir(parents=True)
        sent, left = (uploads_folder() / f"{uuid4()}.part" for _ in range(2))
        for path in (sent, left, uploads_folder() / "mine.csv"):
            path.write_text("x")
        long_ago = time() - PART_SECONDS_MAX - 60
        os.utime(left, (long_ago, long_ago))
        uploads_sweep()
        assert kept() == sorted([sent.name, "mine.csv"])
