"""Scripts over HTTP: none holds a request for as long as it likes, and what was stopped says so."""

import pytest

from brokerweb.accounts.rights import Role
from brokerweb.accounts.services import user_create
from brokerweb.training.models import Mode, TrainingScript
from brokerweb.training.services.acting import OUTPUTS_MAX, script_run
from brokerweb.training.services.sessions import session_begin
from engine import api as engine


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
