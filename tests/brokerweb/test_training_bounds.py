"""What a run of the training may take: steps in several goes, a budget, runs of one and of all; other engines."""

import math
from datetime import timedelta

import msgspec
import pytest
from django.utils import timezone

from brokerweb.accounts.rights import Role
from brokerweb.training.entry_log import DjangoEntryLog
from brokerweb.training.library import scenarios
from brokerweb.training.models import TrainingSession
from brokerweb.training.services import sessions
from engine import api as engine
from tests.brokerweb.test_training import SESSIONS, begin, browser, world

LANGUAGES = ("en", "fr", "de")
BUDGET = 2_000
DAY = 86_400.0


@pytest.fixture
def olga(db):
    return browser("olga")


class Busy:
    """A processor that is always much slower than one hopes: each look at its clock finds it this much later."""

    def __init__(self, seconds):
        self.seconds, self.each = 0.0, seconds

    def __call__(self):
        self.seconds += self.each
        return self.seconds


def kept(log=None, worked=None):
    observe = {"observe": lambda: [engine.training.Manifest()]}
    if worked is not None:
        observe["worked"] = worked
    return engine.sandboxes.keeping_sandboxes(log or DjangoEntryLog(), **observe)


class SmallBudget(DjangoEntryLog):
    """Runs may do little."""

    def spec(self, name):
        spec = super().spec(name)
        return None if spec is None else msgspec.structs.replace(spec, happenings_max=BUDGET)


def until_restored(run):
    """As a page does: it asks again."""
    while run.client.ask("GET", run.path).status_code == 503:
        pass


def test_a_step_that_takes_too_long_is_gone_on_with_from_where_it_came(olga):
    run = begin(olga, seed=5)
    run.pause()
    start = run.now["clock"]["seconds"]
    goal, reached = start + 1_200.0, [start]
    with kept(worked=Busy(0.45)):
        until_restored(run)
        run.post("clock/step", {"seconds": 1_200.0})
        while run.now["clock"]["goal_seconds"] is not None:
            assert run.now["clock"]["goal_seconds"] == pytest.approx(goal)
            reached.append(run.now["clock"]["seconds"])
            run.post("clock/step", {"seconds": goal - reached[-1]})
        assert run.now["clock"]["seconds"] == pytest.approx(goal)
        assert len(reached) > 3
        assert reached == sorted(set(reached)), "each time it came further"
        before = world(run)
    with kept():
        until_restored(run)
        assert world(run) == before, "where a step ended is in the log: another process is where this one was"


def test_a_run_that_is_used_up_says_so_with_its_number_and_can_be_read_checked_and_ended(olga):
    with kept(SmallBudget()):
        run = begin(olga, seed=5)
        run.pause()
        run.step(6 * 3_600.0)
        clock = run.now["clock"]
        assert (clock["is_used_up"], clock["used_percent"], clock["goal_seconds"]) == (True, 100, None)
        assert clock["seconds"] < 6 * 3_600.0
        assert clock["notice"]["number"] == 10928
        assert str(BUDGET) in clock["notice"]["text"]
        for what, body in (
            ("clock/step", {"seconds": 1.0}),
            ("clock/jump", {}),
            ("clock/rate", {"rate": 1.0}),
            ("faults/begin", {"fault": {"kind": "instance", "instance": "PARIS"}}),
        ):
            told = run.post(what, body, status=409)
            assert (told["code"], bool(told["cure"])) == (10928, True), what
        failed = run.sql("PARIS", "Ventes", "CREATE QUEUE dbo.[Trop];")
        assert [each["number"] for each in failed if each["kind"] == "failed"] == [10928]
        looked = run.sql("PARIS", "Ventes", "SELECT 1 AS one;")
        assert [each["rows"] for each in looked if each["kind"] == "result-set"] == [[["1"]]]
        texts = {
            olga.ask("GET", run.path, Accept_Language=each).json()["clock"]["notice"]["text"] for each in LANGUAGES
        }
        assert len(texts) == len(LANGUAGES)
        assert run.read()["clock"]["seconds"] == clock["seconds"]
        assert run.post("check")["run"]["best_score"] is not None
        assert run.post("finish")["run"]["ended_at"] is not None
        again = olga.ask("GET", f"{run.path}/replay").json()
        assert again["ended_seconds"] == clock["seconds"]
        moment = olga.ask("GET", f"{run.path}/replay/moment?seconds={again['ended_seconds']}").json()
        assert moment["clock"]["is_used_up"]


def test_a_run_is_restored_bit_by_bit_for_whoever_asks(olga):
    run = begin(olga, seed=5)
    run.pause()
    run.step(1_200.0)
    before = world(run)
    percents = []
    with kept(worked=Busy(0.9)):
        while (answer := olga.ask("GET", run.path)).status_code == 503:
            told = answer.json()
            assert (told["code"], answer["Retry-After"]) == ("sandbox-restoring", "1")
            percents.append(told["parameters"]["percent"])
        assert answer.status_code == 200
        assert len(percents) > 2
        assert percents == sorted(percents)
        assert world(run) == before


def test_one_goes_through_a_replay_without_doing_everything_again(olga):
    run = begin(olga, seed=5)
    run.pause()
    ends_at = run.step(600.0)["clock"]["seconds"]
    run.post("finish")
    with kept():
        again = olga.ask("GET", f"{run.path}/replay").json()
        begun, ended = again["begun_seconds"], again["ended_seconds"]
        assert ended == ends_at
        for number in range(6):
            at = begun + (ended - begun) * number / 5
            moment = olga.ask("GET", f"{run.path}/replay/moment?seconds={at}").json()
            assert moment["clock"]["seconds"] == pytest.approx(at)
        assert engine.sandboxes.sandbox_player().source.rebuilt == 1


RUNS_OF_ONE_MAX = 2


@pytest.fixture
def few_runs(monkeypatch):
    """A person may have two at once: a run takes a moment to begin."""
    monkeypatch.setattr(sessions, "RUNS_OF_ONE_MAX", RUNS_OF_ONE_MAX)


def test_one_person_has_some_runs_at_once_and_no_more(olga, few_runs):
    names = list(scenarios())
    runs = [begin(olga, name) for name in names[:RUNS_OF_ONE_MAX]]
    answer = olga.ask("POST", SESSIONS, {"scenario": names[RUNS_OF_ONE_MAX], "mode": "learn"})
    assert (answer.status_code, answer.json()["code"]) == (409, "too-many-runs")
    assert answer.json()["parameters"] == {"limit": RUNS_OF_ONE_MAX}
    runs[0].post("finish")
    begin(olga, names[RUNS_OF_ONE_MAX])


@pytest.mark.parametrize("why", [{"digest": "0" * 64}, {"ends_by": timezone.now() - timedelta(seconds=1)}])
def test_runs_that_nobody_can_go_on_with_are_in_nobodys_way(olga, few_runs, why):
    names = list(scenarios())
    for name in names[:RUNS_OF_ONE_MAX]:
        begin(olga, name, mode="exam")
    TrainingSession.objects.update(**why)
    begin(olga, names[RUNS_OF_ONE_MAX])


def test_an_examination_left_alone_has_its_score_for_whoever_looks(olga):
    begin(olga, mode="exam", seed=5)
    TrainingSession.objects.update(ends_by=timezone.now() - timedelta(seconds=1))
    (card,) = (
        each for each in olga.ask("GET", "/training/scenarios").json()["scenarios"] if each["id"] == "first-route"
    )
    assert (card["runs"], card["running"], card["best_score"]) == (1, None, 0)


def test_an_examination_that_is_not_graded_yet_is_shown_as_going_on_to_nobody(olga):
    tanja = browser("tanja", Role.TRAINER)
    group = tanja.ask("POST", "/training/groups", {"name": "Schicht", "members": ["olga"]}).json()
    begin(olga, mode="exam", seed=5)
    TrainingSession.objects.update(ends_by=timezone.now() - timedelta(seconds=1))
    with kept(worked=Busy(60.0)):
        (member,) = tanja.ask("GET", f"/training/groups/{group['id']}/progress").json()["members"]
    assert TrainingSession.objects.get().ended_at is None, "not yet"
    assert not any(each["running"] for each in member["scenarios"])


def test_a_server_has_some_runs_at_once_and_those_that_rest_do_not_count(olga, settings):
    settings.TRAINING_RUNS_MAX = 1
    pavel = browser("pavel")
    first = begin(pavel)
    answer = olga.ask("POST", SESSIONS, {"scenario": "first-route", "mode": "learn"})
    assert (answer.status_code, answer.json()["code"]) == (409, "too-many-runs")
    TrainingSession.objects.update(touched_at=timezone.now() - timedelta(days=2))
    begin(olga)
    first.pause()
    row = TrainingSession.objects.get(pk=first.now["run"]["id"])
    assert row.touched_at > timezone.now() - timedelta(minutes=5), "whoever goes on with one has it counted again"


def test_a_run_of_another_engine_is_gone_on_with_and_says_that_it_may_differ(olga):
    run = begin(olga, seed=5)
    assert run.now["run"]["engine"] == engine.sandbox.engine_version()
    assert run.now["run"]["notice"] is None
    TrainingSession.objects.update(engine="0.0.9+0123456789")
    told = run.pause()["run"]
    assert told["notice"]["number"] == 3169
    assert "0.0.9+0123456789" in told["notice"]["text"]
    assert engine.sandbox.engine_version() in told["notice"]["text"]
    texts = {olga.ask("GET", run.path, Accept_Language=each).json()["run"]["notice"]["text"] for each in LANGUAGES}
    assert len(texts) == len(LANGUAGES)
    run.post("finish")
    assert olga.ask("GET", f"{run.path}/replay").json()["run"]["notice"]["number"] == 3169


@pytest.mark.parametrize("rate", [0.5, 601.0, 9_999.0])
def test_a_clock_beyond_its_bounds_is_refused_with_its_number_in_three_languages(olga, rate):
    run = begin(olga)
    texts = set()
    for language in LANGUAGES:
        answer = olga.ask("POST", f"{run.path}/clock/rate", {"rate": rate}, Accept_Language=language)
        told = answer.json()
        assert (answer.status_code, told["code"], told["pointer"]) == (422, 15021, "/rate")
        assert "600" in told["detail"]
        texts.add(told["detail"])
    assert len(texts) == len(LANGUAGES)


def test_a_day_is_stepped_through_and_then_is_over(olga):
    run = begin(olga, "conversation-leak", seed=5)
    run.pause()
    run.step(DAY)
    clock = run.now["clock"]
    assert (clock["seconds"], clock["goal_seconds"], clock["is_used_up"]) == (DAY, None, False)
    assert math.isclose(clock["behind_seconds"], 0.0)
