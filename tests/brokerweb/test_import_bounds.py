"""Imports lock the dashboard's database for a short time: planned before, and bounded when they come over HTTP."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection

from brokerweb.common.errors import EngineRefused, RevisionConflict
from brokerweb.topology.api import imports as import_addresses
from brokerweb.topology.models import ChangeSet, Estate
from brokerweb.topology.services import import_jobs, imports
from brokerweb.topology.services.import_jobs import import_run
from brokerweb.topology.services.imports import estate_import
from engine import api as engine
from tests.support.each import for_each

SCRIPT = "CREATE DATABASE [D];\nGO\nUSE [D];\nGO\nCREATE QUEUE q1;\nCREATE QUEUE q2;\n"
OTHER = "CREATE DATABASE [Other];\n"
CHANGES = 5
"""Of the script: master and msdb of the new instance, and three of its own."""


def file(text: str = SCRIPT) -> engine.imports.ImportFile:
    return engine.imports.ImportFile("a.sql", text, instance="PARIS")


@pytest.fixture
def _bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (import_addresses, import_jobs):
        monkeypatch.setattr(module, "WEB_CHANGES_MAX", CHANGES - 1)


@pytest.mark.usefixtures("_bounded")
@for_each("dry_run", [True, False])
def test_an_import_with_too_many_changes_is_refused_with_its_number(dry_run: bool, editor: Any):
    body = {"estate": "demo", "files": [{"name": "a.sql", "text": SCRIPT}], "dry_run": dry_run}
    answer = editor.ask("POST", "/imports", body)
    problem = answer.json()
    assert (answer.status_code, problem["code"], problem["pointer"]) == (422, 8621, "/files")
    assert (problem["parameters"]["value"], problem["parameters"]["limit"]) == (CHANGES, CHANGES - 1)
    assert not Estate.objects.exists()


class Run:
    """The run of a job without an owner."""

    owner = None

    def progress(self, *_where: object) -> None:
        pass


@pytest.mark.usefixtures("_bounded", "db")
def test_a_job_has_the_same_bound():
    order = import_jobs.ImportOrder("demo", (file(),), False, None, None, None)
    with pytest.raises(EngineRefused) as refused:
        import_run(Run(), import_jobs._encoder.encode(order))
    assert refused.value.error.number == 8621


def test_the_command_line_has_no_bound(db: None):
    assert estate_import(estate_name="demo", files=[file()], user=None).revision == 1


@pytest.fixture
def planned(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], None]], list[bool]]:
    """Call it with what others do while an import is planned; it answers whether that was within a transaction."""
    plan = imports._plan

    def watch(others: Callable[[], None]) -> list[bool]:
        seen: list[bool] = []

        def watched(*arguments: Any) -> engine.ImportPlan:
            seen.append(connection.in_atomic_block)
            others()
            return plan(*arguments)

        monkeypatch.setattr(imports, "_plan", watched)
        return seen

    return watch


@pytest.mark.django_db(transaction=True)
def test_an_import_is_planned_before_its_transaction(planned: Callable[[Callable[[], None]], list[bool]]):
    seen = planned(lambda: None)
    assert estate_import(estate_name="demo", files=[file()], user=None).revision == 1
    assert seen == [False]


@pytest.mark.django_db(transaction=True)
def test_an_estate_that_changes_meanwhile_is_planned_for_again(planned: Callable[[Callable[[], None]], list[bool]]):
    left = ["once"]

    def change() -> None:
        if left:
            left.clear()
            estate_import(estate_name="demo", files=[file(OTHER)], user=None)

    seen = planned(change)
    result = estate_import(estate_name="demo", files=[file()], user=None)
    assert seen == [False] * 3, "the import, that of the other, the import again"
    assert (result.revision, result.change_set) == (1, 1), "what the other has made is live: this goes into a draft"
    assert "Other" in result.plan.catalogs["PARIS"].databases


@pytest.mark.django_db(transaction=True)
def test_an_estate_that_changes_all_the_time_is_a_conflict(
    planned: Callable[[Callable[[], None]], list[bool]], monkeypatch: pytest.MonkeyPatch
):
    estate_import(estate_name="demo", files=[file(OTHER)], user=None)

    def change() -> None:
        Estate.objects.filter(name="demo").update(revision=Estate.objects.get(name="demo").revision + 1)

    seen = planned(lambda: None)
    prepare = imports._prepared

    def prepared(*arguments: Any) -> Any:
        made = prepare(*arguments)
        change()
        return made

    monkeypatch.setattr(imports, "_prepared", prepared)
    with pytest.raises(RevisionConflict):
        estate_import(estate_name="demo", files=[file()], user=None)
    assert seen == [False] * imports.ATTEMPTS
    assert not ChangeSet.objects.exists()
