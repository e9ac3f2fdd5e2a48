"""From traffic in the engine to tables on the page: export, run, rows, with a real worker and a real Spark."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from pyspark.sql import SparkSession

from brokerweb.jobs.turns import jobs_go_on, jobs_stop
from brokerweb.pipeline.folders import interned_folder, lake_folder, result_folder, run_folder, runs_folder
from brokerweb.pipeline.models import EstateLake, PipelineRun
from brokerweb.pipeline.questions import LAKE_READ_AT
from brokerweb.pipeline.services.exporting import estate_export, nobody
from brokerweb.pipeline.services.sweeping import runs_sweep
from brokerweb.topology.models import Estate
from engine.pipeline import manifest_of
from tests.brokerweb.conftest import ApiClient
from tests.brokerweb.test_lake_exports import send
from tests.pipeline.conftest import MASTER, spark, work  # noqa: F401  fixtures
from tests.support.waiting import until

MESSAGES = 4


@pytest.fixture(autouse=True)
def on_this_session(spark: SparkSession, settings: Any) -> Iterator[None]:  # noqa: F811
    settings.ENVIRONMENT = msgspec.structs.replace(settings.ENVIRONMENT, spark_master=MASTER)
    shutil.rmtree(lake_folder(), ignore_errors=True)
    yield
    shutil.rmtree(lake_folder(), ignore_errors=True)
    shutil.rmtree(runs_folder(), ignore_errors=True)
    shutil.rmtree(interned_folder(), ignore_errors=True)


@pytest.fixture
def runs(live_estate: Estate, editor: ApiClient) -> str:
    send(editor, live_estate, MESSAGES)
    estate_export(live_estate, nobody)
    return f"/estates/{live_estate.name}/runs"


def ended(client: ApiClient, runs: str, **question: Any) -> dict[str, Any]:
    answer = client.ask("POST", runs, question)
    assert answer.status_code == 201, answer.content
    return awaited(client, f"{runs}/{answer.json()['id']}")


def awaited(client: ApiClient, run: str) -> dict[str, Any]:
    until(lambda: client.ask("GET", run).json()["ended_at"] is not None, "the run has ended", 480)
    found: dict[str, Any] = client.ask("GET", run).json()
    return found


def test_a_run_of_the_page_makes_the_tables_that_its_manifest_names(runs, editor):
    made = ended(editor, runs, job="delivery")
    assert made["state"] == "done", made
    assert made["rows_in"] == [{"name": "events", "rows": EstateLake.objects.get().events}]
    manifest = manifest_of(result_folder(made["id"]))
    assert manifest is not None
    assert {each["name"]: (each["rows"], each["checksum"]) for each in made["tables"]} == {
        name: (table.rows, table.checksum) for name, table in manifest.tables.items()
    }
    sent = editor.ask("GET", f"{runs}/{made['id']}/tables/messages?where=to_service://test/Réception").json()
    assert sent["total"] == MESSAGES
    delivered = [column["name"] for column in sent["columns"]].index("delivered_at")
    assert all(row[delivered].endswith("Z") for row in sent["rows"])
    assert editor.ask("GET", f"{runs}/estimate?job=delivery").json()["seconds"] > 0


@pytest.mark.slow
def test_what_becomes_of_conversations_between_two_states(runs, live_estate, editor):
    path = f"/estates/{live_estate.name}/instances/PARIS/databases/Ventes/routes/vers_lyon"
    dropped = editor.decide(path, method="DELETE")
    assert dropped.status_code in (200, 202, 204), dropped.content
    live_estate.refresh_from_db()
    made = ended(editor, runs, job="whatif", revisions=[live_estate.revision - 1, live_estate.revision])
    assert made["state"] == "done", made
    assert made["revisions"] == [live_estate.revision - 1, live_estate.revision]
    lost = editor.ask("GET", f"{runs}/{made['id']}/samples?change=lost").json()
    assert [(each["instance"], each["to_service"]) for each in lost] == [("PARIS", "//test/Réception")]
    assert [each["disposition"] == "delivered" for each in lost[0]["verdicts"]] == [True, False]
    assert sorted(each["name"] for each in made["tables"]) == ["changes", "conversations", "flows", "heat", "verdicts"]
    assert sorted(each.name for each in run_folder(made["id"]).iterdir()) == ["result"]


@pytest.mark.slow
class TestTheSameConversationsAgain:
    """Those that an earlier what-if has made are taken, as long as the lake has nothing new of them."""

    @pytest.fixture
    def asked(self, runs, live_estate, editor):
        """Ask the same; whether it made them itself, and what came of it."""

        def ask(**span: str) -> tuple[bool, dict[str, Any]]:
            made = ended(editor, runs, job="whatif", revisions=[0, live_estate.revision], **span)
            assert made["state"] == "done", made
            row = PipelineRun.objects.get(pk=made["id"])
            sums = {name: table["checksum"] for name, table in row.tables.items()}
            return LAKE_READ_AT not in row.notes, {"rows_in": row.rows_in, "sums": sums, "events": row.events}

        return ask

    @pytest.fixture
    def kept(self, live_estate) -> Path:
        return interned_folder() / str(live_estate.pk)

    def test_the_lake_is_read_once_and_the_answers_are_the_same(self, asked, kept):
        first, second = asked(), asked()
        assert (first[0], second[0]) == (True, False)
        assert first[1] == second[1]
        assert first[1]["events"] == first[1]["rows_in"]["events"] == EstateLake.objects.get().events
        assert len(list(kept.iterdir())) == 1

    def test_new_events_and_another_span_are_made_anew_and_the_one_used_last_stays(
        self, asked, kept, live_estate, editor
    ):
        before = asked()[1]["rows_in"]["conversations"]
        send(editor, live_estate, 1)
        estate_export(live_estate, nobody)
        old = set(kept.iterdir())
        is_new, after = asked()
        assert is_new
        assert after["rows_in"]["conversations"] > before
        (new,) = set(kept.iterdir()) - old
        os.utime(new, (1, 1))
        assert asked() == (False, after)
        assert asked(until="2100-01-01T00:00:00Z") == (True, after)
        assert len(list(kept.iterdir())) == 2
        assert set(kept.iterdir()) & {new, *old} == {new}

    def test_what_is_new_after_a_span_changes_nothing_of_it(self, asked, live_estate, editor):
        assert asked(until="2020-01-01T00:00:00Z")[0]
        send(editor, live_estate, 1)
        estate_export(live_estate, nobody)
        assert not asked(until="2020-01-01T00:00:00Z")[0]

    def test_what_is_damaged_fails_once_and_is_made_anew(self, asked, kept, runs, live_estate, editor):
        asked()
        for file in kept.glob("*/interned/flows/*.parquet"):
            file.unlink()
        broken = ended(editor, runs, job="whatif", revisions=[0, live_estate.revision])
        assert (broken["state"], broken["problem"]["code"]) == ("failed", "8951")
        assert asked()[0]

    def test_what_is_there_in_part_is_made_anew(self, asked, kept):
        asked()
        shutil.rmtree(next(kept.glob("*/read")))
        assert asked()[0]
        assert not asked()[0]

    def test_where_nothing_can_be_kept_each_run_makes_its_own(self, asked):
        interned_folder().write_text("no folder")
        try:
            assert [asked()[0] for _ in range(2)] == [True, True]
        finally:
            interned_folder().unlink()

    def test_what_nobody_asks_about_any_more_is_swept(self, asked, kept, live_estate):
        asked()
        runs_sweep()
        (folder,) = kept.iterdir()
        os.utime(folder, (1, 1))
        runs_sweep()
        assert not list(kept.iterdir())
        asked()
        kept.rename(kept.with_name("0"))
        runs_sweep()
        assert not list(interned_folder().iterdir()), "of an estate that is gone"


def test_a_run_that_is_cancelled_leaves_nothing(runs, editor):
    run = f"{runs}/{editor.ask('POST', runs, {'job': 'paths'}).json()['id']}"
    until(lambda: editor.ask("GET", run).json()["stage"] not in ("", "starting"), "Spark works")
    assert editor.ask("DELETE", run).json()["code"] == "run-under-way"
    assert editor.ask("POST", f"{run}/cancel").json()["state"] in ("cancelling", "cancelled")
    assert awaited(editor, run)["state"] == "cancelled"
    row = PipelineRun.objects.get()
    assert not result_folder(row.pk).exists()
    assert editor.ask("GET", f"{run}/tables/messages").json()["code"] == "run-has-no-tables"
    assert editor.ask("DELETE", run).status_code == 204
    assert not run_folder(row.pk).exists()


@pytest.mark.slow
def test_a_process_that_is_stopped_does_not_wait_for_its_run(runs, editor):
    run = f"{runs}/{editor.ask('POST', runs, {'job': 'paths'}).json()['id']}"
    until(lambda: editor.ask("GET", run).json()["stage"] not in ("", "starting"), "Spark works")
    jobs_stop()
    try:
        found = awaited(editor, run)
    finally:
        jobs_go_on()
    assert (found["state"], found["problem"]["code"]) == ("failed", "job-lost")
    assert found["problem"]["cure"]


def test_a_lake_that_is_not_there_is_told_with_its_number_in_the_language_of_who_asked(live_estate, editor):
    runs = f"/estates/{live_estate.name}/runs"
    made = ended(editor, runs, job="audit")
    assert (made["state"], made["problem"]["code"]) == ("failed", "13807")
    assert made["problem"]["cure"]
