"""Scripts over HTTP: none holds a request for as long as it likes, and what was stopped says so."""

import tracemalloc

import pytest

from brokerweb.accounts.rights import Role
from brokerweb.accounts.services import user_create
from brokerweb.common.training_errors import ScriptRuns
from brokerweb.training.models import Mode, TrainingScript
from brokerweb.training.services.acting import script_run
from brokerweb.training.services.script_answers import ANSWER_BYTES_MAX, OUTPUTS_MAX, ROWS_MAX
from brokerweb.training.services.sessions import session_begin
from engine import api as engine
from engine.storage.scratch_memory import MEMORY
from tests.brokerweb.conftest import logged_in


@pytest.fixture
def run(transactional_db):
    olga = user_create("olga", Role.OPERATOR)
    row = session_begin(olga, "first-route", Mode.LEARN, seed=5)

    def give(script, **more):
        return script_run(olga, row.pk, instance="PARIS", database="Ventes", script=script, **more)

    give.row = row
    return give


def errors():
    return TrainingScript.objects.get().errors


def test_a_wait_on_a_running_clock_ends_when_time_is_up(run):
    engine.sandboxes.sandbox_keeper().set_rate(run.row.sandbox, 1.0)
    ran = run("PRINT N'before'; WAITFOR DELAY '05:00:00'; PRINT N'after';", seconds_max=0.3)
    assert [each.text for each in ran.outputs] == ["before"]
    assert ran.stopped.number == 10929
    assert errors() == [10929]


def test_a_loop_that_waits_again_and_again_ends_too(run):
    engine.sandboxes.sandbox_keeper().set_rate(run.row.sandbox, 1.0)
    assert run("WHILE 1 = 1 WAITFOR DELAY '05:00:00';", seconds_max=0.3).stopped.number == 10929


def test_what_is_beyond_the_outputs_is_told_and_kept_for_the_replay(run):
    ran = run("WHILE 1 = 1 PRINT N'again';")
    assert len(ran.outputs) == OUTPUTS_MAX + 1, "what has run is told"
    assert ran.stopped.number == 8657
    assert errors() == [8657]


def test_as_many_outputs_as_may_be_are_no_reason_to_stop(run):
    ran = run(f"DECLARE @n int = 0; WHILE @n < {OUTPUTS_MAX} BEGIN SET @n = @n + 1; PRINT N'one more'; END;")
    assert (len(ran.outputs), ran.stopped, errors()) == (OUTPUTS_MAX, None, [])


@pytest.mark.parametrize(
    "value",
    [
        "REPLICATE(N'😀', 1000000)",  # four bytes each
        "REPLICATE(N'語', 1000000)",  # three bytes when sent
        "REPLICATE(NCHAR(1), 500000)",  # six when sent
        "CAST(REPLICATE('a', 1000000) AS varbinary(max))",  # two digits when sent
    ],
)
def test_an_answer_is_bounded_by_its_bytes_and_says_so(run, value):
    path = f"/training/sessions/{run.row.pk}/run"
    answer = logged_in(run.row.trainee).ask(
        "POST",
        path,
        {"instance": "PARIS", "database": "Ventes", "script": "SET NOCOUNT ON; " + f"SELECT {value}; " * 10},
    )
    body = answer.json()
    assert 1 <= len(body["outputs"]) < 10
    assert (body["stopped"]["number"], errors()) == (8657, [8657])
    assert "4 MiB" in str(body["stopped"])
    assert len(answer.content) < ANSWER_BYTES_MAX + 65_536


def test_the_outputs_of_a_script_take_no_more_memory_than_they_may(run):
    run("SELECT 1")
    tracemalloc.start()
    try:
        ran = run("SET NOCOUNT ON; " + "SELECT REPLICATE(N'😀', 900000);" * 12)
        kept, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert ran.stopped.number == 8657
    assert kept < 2 * ANSWER_BYTES_MAX
    assert peak < 8 * ANSWER_BYTES_MAX


def test_rows_that_are_not_shown_are_counted_and_not_kept(run):
    digits = "(VALUES (0),(1),(2),(3),(4),(5),(6),(7),(8),(9)) AS {0}(n)"
    ran = run(f"SELECT 1 FROM {', '.join(digits.format(name) for name in 'abc')}")
    assert (len(ran.outputs[0].rows), ran.totals[0], ran.stopped) == (ROWS_MAX, 1000, None)


def test_what_scripts_answer_counts_with_the_memory_of_all_sessions(run, monkeypatch):
    monkeypatch.setattr(MEMORY, "_bytes_max", 1_000_000)
    ran = run("SET NOCOUNT ON; " + "SELECT REPLICATE(N'x', 90000);" * 20)
    assert ran.stopped.number == 8657 or ran.outputs[-1].number == 8657
    assert 1 <= len(ran.outputs) <= 11
    monkeypatch.undo()
    assert MEMORY._values == 0


def test_one_script_runs_in_a_session_at_a_time(run, monkeypatch):
    refused = []

    def another(*_):
        with pytest.raises(ScriptRuns) as raised:
            run("PRINT 'second'")
        refused.append(raised.value.code)

    monkeypatch.setattr("brokerweb.training.services.acting.script_refuse_if_full", another)
    assert [each.text for each in run("PRINT 'first'").outputs] == ["first"]
    assert refused == ["script-runs"]
    monkeypatch.undo()
    assert [each.text for each in run("PRINT 'third'").outputs] == ["third"]


def test_an_answer_has_its_characters_as_they_are_and_half_a_character_escaped(run):
    script = "SELECT N'é😀', NCHAR(55357)"
    answer = logged_in(run.row.trainee).ask(
        "POST", f"/training/sessions/{run.row.pk}/run", {"instance": "PARIS", "database": "Ventes", "script": script}
    )
    assert "é😀".encode() in answer.content
    assert answer.json()["outputs"][0]["rows"][0][0] == "é😀"
