"""Training sessions when the dashboard's database is PostgreSQL: several processes write one log, with one end."""

import threading
import time

import pytest

from brokerweb.accounts.rights import Role
from brokerweb.accounts.services import user_create
from brokerweb.common.errors import TrainingRuns
from brokerweb.training.entry_log import DjangoEntryLog
from brokerweb.training.models import Mode, TrainingSession
from brokerweb.training.selectors.sessions import scenes_of
from brokerweb.training.services.acting import script_run
from brokerweb.training.services.sessions import hint_take, session_begin, session_finish
from engine import api as engine
from tests.brokerweb.draft_contract import at_once


@pytest.fixture
def olga(postgres):
    user = user_create("olga", Role.OPERATOR)
    yield user
    user.delete()


def keeper():
    """Of another process: it shares nothing with the others but the database."""
    return engine.sandboxes.SandboxKeeper(DjangoEntryLog(), time.time, observe=lambda: [engine.training.Manifest()])


def begun(olga, mode=Mode.PRACTISE):
    row = session_begin(olga, "first-route", mode, seed=5)
    engine.sandboxes.sandbox_keeper().set_rate(row.sandbox, 0.0)
    return row


def told(call):
    def ask():
        try:
            return call()
        except (TrainingRuns, engine.sandboxes.SandboxClosed) as problem:
            return problem

    return ask


def down(name):
    return engine.sandbox.FaultBegun(fault=engine.what_if.Fault(kind=engine.what_if.FaultKind.INSTANCE, instance=name))


def test_what_two_processes_do_at_once_is_all_done(olga):
    row = begun(olga)
    first = row.entries.count()
    processes = [keeper(), keeper()]

    def act(process):
        for _ in range(10):
            process.step(row.sandbox, 2.0)
            process.perform(row.sandbox, down("PARIS"))

    at_once(*(lambda each=each: act(each) for each in processes))
    entries = list(row.entries.values_list("sequence", flat=True))
    assert entries == list(range(1, first + 40 + 1))
    seen = [
        each.look(
            row.sandbox, lambda sandbox: (sandbox.seconds, sandbox.sequence, sandbox.faults(), sandbox.catalogs())
        )
        for each in (*processes, keeper())
    ]
    assert seen[0] == seen[1] == seen[2], "and one that has just come up has it from the log"


def everything(sandbox):
    return sandbox.seconds, sandbox.sequence, sandbox.faults(), sandbox.catalogs()


def test_nothing_is_written_behind_the_end(olga):
    row = begun(olga)
    over = threading.Event()

    def act():
        process = keeper()
        while not over.is_set():
            process.step(row.sandbox, 1.0)

    def end():
        try:
            return session_finish(olga, row.pk)
        finally:
            over.set()

    refused, ended = at_once(told(act), end)
    row.refresh_from_db()
    assert row.ended_at == ended.ended_at
    last = row.entries.count()
    with pytest.raises(engine.sandboxes.SandboxClosed):
        keeper().step(row.sandbox, 1.0)
    assert row.entries.count() == last
    assert refused is None or isinstance(refused, engine.sandboxes.SandboxClosed)


def test_two_browsers_begin_one_run(olga):
    answers = at_once(*(told(lambda: session_begin(olga, "first-route", Mode.PRACTISE)) for _ in range(2)))
    assert sorted(type(each).__name__ for each in answers) == ["TrainingRuns", "TrainingSession"]
    assert TrainingSession.objects.filter(trainee=olga).count() == 1


def test_two_browsers_take_two_hints(olga):
    row = begun(olga)
    at_once(*(lambda: hint_take(olga, row.pk) for _ in range(2)))
    row.refresh_from_db()
    assert row.hints_taken == 2


def test_a_script_is_kept_as_it_was_written(olga):
    row = begun(olga)
    script = "PRINT 'a\0b ☃';"
    script_run(olga, row.pk, instance="PARIS", database="Ventes", script=script)
    assert [each.script for each in scenes_of(row) if each.kind == "script"] == [script]
