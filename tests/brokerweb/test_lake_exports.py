"""Exports of a real engine into a real lake: each event once, whatever happens between."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Thread
from urllib.parse import unquote

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from brokerweb.common.database import borrowed_connections
from brokerweb.jobs.models import Job, JobState
from brokerweb.pipeline.folders import lake_folder
from brokerweb.pipeline.models import EstateLake, LakeInstance
from brokerweb.pipeline.services import exporting
from brokerweb.pipeline.services.exporting import estate_export, lake_export_all, nobody
from brokerweb.topology.models import Estate
from engine import api as engine
from engine.pipeline.lake.writing import Lake
from tests.brokerweb.conftest import ApiClient
from tests.support.waiting import until

EVENTS_MAX = 100_000


@pytest.fixture(autouse=True)
def empty_lake() -> Iterator[None]:
    shutil.rmtree(lake_folder(), ignore_errors=True)
    yield
    shutil.rmtree(lake_folder(), ignore_errors=True)


def send(editor: ApiClient, estate: Estate, messages: int) -> None:
    """A dialog from PARIS to LYON with so many messages, all of them arrived."""
    known = len(told(estate, "LYON"))
    here = f"/estates/{estate.name}/instances/PARIS/databases/Ventes/conversations"
    begun = editor.ask(
        "POST", here, {"from_service": "//test/Commandes", "to_service": "//test/Réception", "encryption": False}
    )
    assert begun.status_code == 201, begun.content
    path = f"{here}/{begun.json()['conversation_handle']}/messages"
    sent = editor.ask("POST", path, {"bodies": [f"n {number}" for number in range(messages)]})
    assert sent.status_code in (200, 201), sent.content
    until(lambda: len(told(estate, "LYON")) >= known + messages, "all have arrived")


def told(estate: Estate, instance: str) -> list[tuple[int, engine.BrokerEvent]]:
    return engine.events_after(estate.name, instance, 0, EVENTS_MAX)


def in_lake(estate: Estate) -> list[tuple[str, int]]:
    rows = Lake(lake_folder()).read()
    names = zip(*(rows.column(name).to_pylist() for name in ("estate", "instance", "event_number")), strict=True)
    return sorted((instance, number) for name, instance, number in names if name == estate.name)


def wanted(estate: Estate) -> set[tuple[str, int]]:
    return {(name, number) for name in ("PARIS", "LYON") for number, _event in told(estate, name)}


def assert_each_once(estate: Estate, before: set[tuple[str, int]]) -> None:
    """All that was told before the export, nothing that was not told, and nothing twice; instances go on telling."""
    found = in_lake(estate)
    assert len(found) == len(set(found))
    assert before <= set(found) <= wanted(estate)


def test_events_of_all_instances_are_there_once(live_estate, editor):
    send(editor, live_estate, 5)
    lake_export_all()
    first = in_lake(live_estate)
    assert len(first) > 10
    assert len(first) == len(set(first))
    send(editor, live_estate, 3)
    threads = [Thread(target=_export_in_thread) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    before = wanted(live_estate)
    lake_export_all()
    assert_each_once(live_estate, before)
    shown = editor.ask("GET", f"/estates/{live_estate.name}/lake").json()
    assert shown["events"] == len(in_lake(live_estate))
    assert {each["instance"]: (each["lost"], each["problem"]) for each in shown["instances"]} == {
        "LYON": (0, None),
        "PARIS": (0, None),
    }
    assert all(each["waiting"] < 10 for each in shown["instances"])
    assert sum(each["events"] for each in shown["instances"]) == shown["events"]
    assert sum(hour[1] for hour in EstateLake.objects.get().hours) == shown["events"]
    assert shown["first_at"] < shown["last_at"] < shown["exported_at"]


def _export_in_thread() -> None:
    with borrowed_connections():
        lake_export_all()


def test_who_dies_between_the_lake_and_the_database_loses_and_doubles_nothing(live_estate, editor, monkeypatch):
    send(editor, live_estate, 5)

    class Died(BaseException):
        pass

    def die(_estate: Estate) -> None:
        raise Died

    with monkeypatch.context() as broken:
        broken.setattr(exporting, "lake_look", die)
        with pytest.raises(Died):
            estate_export(live_estate, nobody)
    before = wanted(live_estate)
    estate_export(live_estate, nobody)
    assert_each_once(live_estate, before)
    assert EstateLake.objects.get().events == len(in_lake(live_estate))


@contextmanager
def closed(estate: Estate, name: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """An instance does not answer, and is not waited for as long as one that may."""
    events_after = engine.events_after

    def read(estate, instance, *asked, timeout_seconds):
        return events_after(estate, instance, *asked, timeout_seconds=0.3 if instance == name else timeout_seconds)

    engine.close_instance(estate.name, name)
    with monkeypatch.context() as patience:
        patience.setattr(engine, "events_after", read)
        yield
    engine.open_instance(estate.name, name)


def test_an_instance_that_does_not_answer_is_said_and_the_others_go_on(live_estate, editor, monkeypatch):
    send(editor, live_estate, 2)
    with closed(live_estate, "PARIS", monkeypatch):
        estate_export(live_estate, nobody)
        shown = editor.ask("GET", f"/estates/{live_estate.name}/lake").json()
        by_name = {each["instance"]: each for each in shown["instances"]}
        assert by_name["PARIS"]["problem"]["code"] == "engine-unavailable"
        assert by_name["PARIS"]["problem"]["cure"]
        assert by_name["PARIS"]["waiting"] is None
        assert by_name["LYON"]["problem"] is None
        assert by_name["LYON"]["events"] > 0
        assert {instance for instance, _number in in_lake(live_estate)} == {"LYON"}
    before = wanted(live_estate)
    estate_export(live_estate, nobody)
    assert LakeInstance.objects.get(instance="PARIS").problem is None
    assert_each_once(live_estate, before)


def test_events_that_cannot_be_written_are_said_of_each_instance(live_estate, editor):
    send(editor, live_estate, 2)
    blocked = lake_folder() / f"estate={live_estate.name}"
    blocked.parent.mkdir(parents=True)
    blocked.write_text("in the way")
    estate_export(live_estate, nobody)
    here = f"/estates/{live_estate.name}/lake"
    problems = [each["problem"] for each in editor.ask("GET", here).json()["instances"]]
    assert [(each["code"], bool(each["why"]), bool(each["cure"])) for each in problems] == [("5123", True, True)] * 2
    assert str(lake_folder()) in problems[0]["detail"]
    german = editor.ask("GET", here, accept_language="de").json()["instances"][0]["problem"]
    assert german["detail"].startswith("Der See")
    blocked.unlink()
    before = wanted(live_estate)
    estate_export(live_estate, nobody)
    assert {each.problem for each in LakeInstance.objects.all()} == {None}
    assert_each_once(live_estate, before)


def test_a_lake_that_fails_for_one_estate_is_exported_for_the_next(live_estate, editor, monkeypatch):
    monkeypatch.setattr(exporting, "SMALL_FILES_MIN", 1)
    monkeypatch.setattr(exporting, "EXPORTS_BETWEEN", 0)
    send(editor, live_estate, 2)
    with closed(live_estate, "LYON", monkeypatch):
        estate_export(live_estate, nobody)
        [file] = Lake(lake_folder()).files()
        Path(unquote(file)).write_bytes(b"no Parquet")
    after = Estate.objects.create(name="after")
    lake_export_all()
    assert EstateLake.objects.get(estate=after).exported_at is not None
    with pytest.raises(engine.LocalProtocolError, match="5123"):
        estate_export(live_estate, nobody)


def test_an_instance_that_was_removed_is_passed_over_no_more(live_estate, editor):
    problem = {"code": "engine-unavailable", "detail": "It did not answer."}
    LakeInstance.objects.create(estate=live_estate, instance="GONE", problem=problem)
    shown = editor.ask("GET", f"/estates/{live_estate.name}/lake").json()["instances"]
    assert {each["instance"]: each["problem"] for each in shown}["GONE"] is None


def test_an_export_is_a_job_of_a_worker_that_tells_how_far_it_is(live_estate, editor):
    send(editor, live_estate, 3)
    answer = editor.ask("POST", f"/estates/{live_estate.name}/lake/export")
    assert answer.status_code == 202, answer.content
    job = answer.json()
    until(lambda: Job.objects.get(pk=job["id"]).state == JobState.DONE, "the worker has exported")
    found = editor.ask("GET", f"/jobs/{job['id']}/result").json()
    assert found["events"] == len(in_lake(live_estate)) > 0
    assert job["kind"] == "lake-export"


def test_many_small_files_become_few(live_estate, editor, monkeypatch):
    monkeypatch.setattr(exporting, "SMALL_FILES_MIN", 3)
    monkeypatch.setattr(exporting, "EXPORTS_BETWEEN", 1)
    other = Lake(lake_folder())
    for _ in range(4):
        send(editor, live_estate, 1)
        other.append("another", "PARIS", told(live_estate, "PARIS"))
        untouched = other.files("another")
        before = wanted(live_estate)
        estate_export(live_estate, nobody)
        assert other.files("another") == untouched
    assert EstateLake.objects.get().files <= 5
    assert_each_once(live_estate, before)


def test_hours_of_many_instances_are_not_compacted_at_every_export():
    now = datetime(2026, 11, 26, 12, 50, tzinfo=UTC)

    def crowded(hours_ago: int, small_files: int, instances: int) -> bool:
        begins_at = now.replace(minute=0) - timedelta(hours=hours_ago)
        hour = engine.pipeline.HourInLake(begins_at=begins_at, events=1, bytes=1, files=900, small_files=small_files)
        return exporting.crowded_hours([hour], instances, now) == [begins_at]

    assert [crowded(0, count, 100) for count in (100, 300, 800, 801)] == [False, False, False, True]
    assert [crowded(0, count, 2) for count in (2, 64, 65)] == [False, False, True]
    assert [crowded(1, count, 2) for count in (64, 65)] == [False, True]
    assert [crowded(2, count, 100) for count in (8, 9)] == [False, True]
    assert [crowded(24, count, 100) for count in (8, 9)] == [False, True]
    assert [crowded(25, count, 100) for count in (1, 2)] == [False, True]


def test_a_trace_of_a_live_instance_hides_and_doubles_none_of_its_events(live_estate, editor):
    send(editor, live_estate, 2)
    estate_export(live_estate, nobody)
    numbers = (1, 10_000_000)
    rows = [f"Broker:Conversation,2026-11-26T06:00:00,11 - BEGIN DIALOG,{number}" for number in numbers]
    trace = SimpleUploadedFile("t.csv", "\n".join(["EventClass,StartTime,EventSubClass,EventSequence", *rows]).encode())
    here = f"/estates/{live_estate.name}/lake"
    answer = editor.post(f"/api/v1{here}/traces", {"instance": "paris", "file": trace})
    assert answer.status_code == 202, answer.content
    job = answer.json()["id"]
    until(lambda: Job.objects.get(pk=job).state == JobState.DONE, "the worker has imported")
    assert editor.ask("GET", f"/jobs/{job}/result").json()["written"] == 2
    send(editor, live_estate, 3)
    before = wanted(live_estate)
    estate_export(live_estate, nobody)
    found = in_lake(live_estate)
    for number in numbers:
        found.remove(("PARIS", number))
    assert len(found) == len(set(found))
    assert before <= set(found) <= wanted(live_estate)
    shown = editor.ask("GET", here).json()
    assert all(each["last_number"] < numbers[1] and each["waiting"] < 10 for each in shown["instances"])
    assert sum(each["events"] for each in shown["instances"]) == shown["events"] == len(found) + 2
