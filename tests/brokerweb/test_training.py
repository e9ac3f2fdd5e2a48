"""Operator training over HTTP: runs of scenarios from their beginning to their report, by real sandboxes."""

from datetime import timedelta

import pytest
from django.utils import timezone

from brokerweb.accounts.rights import Role
from brokerweb.accounts.services import user_create
from brokerweb.topology.models import Decision, Estate
from brokerweb.training.entry_log import DjangoEntryLog
from brokerweb.training.library import scenarios
from brokerweb.training.models import TrainingSession
from brokerweb.training.selectors.sessions import session_now
from engine import api as engine
from tests.brokerweb.conftest import ApiClient
from tests.brokerweb.estates import make_estate, pair_catalogs

SESSIONS = "/training/sessions"
PARIS_DOWN = {"kind": "instance", "instance": "PARIS"}


def browser(name, role=Role.OPERATOR):
    client = ApiClient()
    client.force_login(user_create(name, role))
    return client


@pytest.fixture
def olga(db):
    return browser("olga")


@pytest.fixture
def other(db):
    return browser("pavel")


def begin(client, scenario="first-route", mode="practise", **more):
    answer = client.ask("POST", SESSIONS, {"scenario": scenario, "mode": mode, **more})
    assert answer.status_code == 201, answer.content
    return Run(client, answer.json())


class Run:
    """A run in somebody's browser; `now` is what it was told last."""

    def __init__(self, client, now):
        self.client, self.now = client, now
        self.path = f"{SESSIONS}/{now['run']['id']}"

    def post(self, what, body=None, status=200):
        answer = self.client.ask("POST", f"{self.path}/{what}", body or {})
        assert answer.status_code == status, answer.content
        told = answer.json()
        if status == 200:
            self.now = told.get("session", told)
        return told

    def read(self):
        self.now = self.client.ask("GET", self.path).json()
        return self.now

    def pause(self):
        return self.post("clock/rate", {"rate": 0.0})

    def step(self, seconds):
        """Let time pass as the page does: what a busy machine leaves of a step is asked for again."""
        goal = self.now["clock"]["seconds"] + seconds
        self.post("clock/step", {"seconds": seconds})
        while self.now["clock"]["goal_seconds"] is not None:
            self.post("clock/step", {"seconds": goal - self.now["clock"]["seconds"]})
        return self.now

    def sql(self, instance, database, script):
        return self.post("run", {"instance": instance, "database": database, "script": script})["outputs"]

    def take(self, steps):
        for step in steps:
            if isinstance(step, engine.training.Wait):
                self.step(step.seconds)
            else:
                said = self.sql(step.instance, step.database, step.sql)
                assert not [each for each in said if each["kind"] == "failed"], said

    def solve(self):
        self.take(scenarios()[self.now["run"]["scenario"]].solution)


def restart():
    """A process that has just come up remembers nothing."""
    engine.sandboxes.keep_sandboxes(DjangoEntryLog(), observe=lambda: [engine.training.Manifest()])


# ── a run ────────────────────────────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("name", ["first-route", "silent-queue", "mirror-failover"])
def test_a_scenario_is_played_to_full_marks(olga, name):
    run = begin(olga, name, seed=5)
    run.pause()
    assert run.now["estate"] == TrainingSession.objects.get().sandbox
    assert run.now["grading"]["score"] == 0
    assert not any(task["is_done"] for task in run.now["tasks"])
    run.solve()
    assert run.now["grading"]["score"] == 100, run.now["tasks"]
    assert run.post("check")["run"]["best_score"] == 100
    report = run.post("finish")
    assert report["run"]["ended_at"] is not None
    assert report["clock"] is None
    assert report["estate"] is None
    assert all(task["is_done"] and task["sentence"] for task in report["tasks"])
    assert report["end"]["solution"]
    assert report["end"]["explanation"]
    (card,) = [each for each in olga.ask("GET", "/training/scenarios").json()["scenarios"] if each["id"] == name]
    assert (card["runs"], card["best_score"], card["running"]) == (1, 100, None)


def test_every_scenario_is_in_the_catalogue_in_the_askers_language(olga):
    cards = olga.ask("GET", "/training/scenarios").json()["scenarios"]
    assert {card["id"] for card in cards} == set(scenarios())
    french = olga.ask("GET", "/training/scenarios", Accept_Language="fr").json()["scenarios"]
    for told in ("title", "brief"):
        assert all(a[told] and a[told] != b[told] for a, b in zip(cards, french, strict=True))


def test_a_script_answers_with_rows_messages_and_numbers(olga):
    run = begin(olga)
    run.pause()
    said = run.sql(
        "PARIS",
        "Ventes",
        "SELECT name, is_broker_enabled FROM sys.databases WHERE name = 'Ventes';\nPRINT 'é';\nDROP ROUTE [Nulle];\n"
        "GO\nSELECT NULL AS nothing;",
    )
    assert [each["kind"] for each in said if each["kind"] != "rows-affected"] == [
        "result-set",
        "printed",
        "failed",
        "result-set",
    ]
    rows, failed = said[0], next(each for each in said if each["kind"] == "failed")
    assert rows["rows"] == [["Ventes", "1"]]
    assert (failed["number"], failed["line"]) == (15151, 3)
    assert [each["rows"] for each in said if each["kind"] == "result-set"][1] == [[None]]


def test_where_there_is_nothing_is_told_with_its_number(olga):
    run = begin(olga)
    for place, number, pointer in (
        ({"instance": "NULLE", "database": "Ventes"}, 15151, "/instance"),
        ({"instance": "PARIS", "database": "Nulle"}, 911, "/database"),
    ):
        told = run.post("run", {**place, "script": "PRINT 1"}, status=404)
        assert (told["code"], told["pointer"]) == (number, pointer)
    told = run.post("clock/rate", {"rate": 601.0}, status=422)
    assert (told["code"], told["pointer"], told["parameters"]["value"]) == (15021, "/rate", "601")
    told = run.post("faults/begin", {"fault": {"kind": "instance", "instance": "NULLE"}}, status=404)
    assert told["code"] == 15151
    assert olga.ask("POST", SESSIONS, {"scenario": "nulle", "mode": "learn"}).json()["code"] == "not-found"
    assert olga.ask("POST", SESSIONS, {"scenario": "first-route", "mode": "play"}).status_code == 422


def test_the_clock_stands_steps_goes_and_jumps(olga):
    run = begin(olga)
    begun = run.pause()["clock"]["seconds"]
    assert run.read()["clock"]["seconds"] == begun
    assert run.step(30.0)["clock"]["seconds"] == begun + 30.0
    later = run.post("clock/jump")["clock"]["seconds"]
    assert begun + 30.0 < later < begun + 90.0
    assert run.post("clock/rate", {"rate": 600.0})["clock"]["rate"] == 600.0
    assert run.read()["clock"]["seconds"] > later


def test_one_breaks_and_mends_what_is_ones_own_only(olga):
    run = begin(olga, "mirror-failover")
    run.pause()
    theirs = [each["fault"] for each in run.now["faults"]]
    assert theirs, "the scenario has cut a link"
    assert not any(each["is_own"] for each in run.now["faults"])
    assert run.post("faults/end", {"fault": theirs[0]}, status=409)["code"] == "not-in-this-mode"
    run.post("faults/begin", {"fault": theirs[0]})
    assert not any(each["is_own"] for each in run.now["faults"]), "broken twice, it is still the scenario's"
    assert run.post("faults/end", {"fault": theirs[0]}, status=409)["code"] == "not-in-this-mode"
    swapped = {"kind": "link", "instance": theirs[0]["other"], "other": theirs[0]["instance"]}
    run.post("faults/begin", {"fault": swapped})
    run.post("faults/end", {"fault": swapped})
    assert [each["fault"] for each in run.now["faults"]][:1] == theirs[:1]
    run.post("faults/begin", {"fault": PARIS_DOWN})
    assert [each["fault"]["instance"] for each in run.now["faults"] if each["is_own"]] == ["PARIS"]
    assert not next(each["runs"] for each in run.now["servers"] if each["name"] == "PARIS")
    assert run.now["grading"]["collateral"], "what is broken elsewhere has names"
    down = run.sql("PARIS", "master", "SELECT name FROM sys.databases")
    assert [each["kind"] for each in down] == ["failed"]
    run.post("faults/end", {"fault": PARIS_DOWN})
    assert next(each["runs"] for each in run.now["servers"] if each["name"] == "PARIS")


# ── modes ────────────────────────────────────────────────────────────────────────────────────────────────────────────
def test_hints_cost_what_they_say_when_one_practises(olga):
    run = begin(olga, seed=5)
    run.pause()
    costs = [hint.cost for hint in scenarios()["first-route"].hints]
    for taken, cost in enumerate(costs):
        assert run.now["next_hint_cost"] == cost
        assert len(run.post("hint")["hints"]) == taken + 1
    assert run.post("hint", status=409)["code"] == "no-more-hints"
    run.solve()
    assert run.post("finish")["run"]["best_score"] == 100 - sum(costs)


def test_who_learns_is_told_everything_and_nothing_is_counted(olga):
    run = begin(olga, mode="learn", seed=5)
    run.pause()
    assert run.post("hint")["next_hint_cost"] is None
    run.solve()
    assert run.post("check")["grading"]["score"] == 100
    assert run.post("finish")["run"]["best_score"] is None


def test_who_gives_up_sees_the_solution_and_earns_nothing(olga):
    run = begin(olga, seed=5)
    run.pause()
    run.solve()
    report = run.post("give-up")
    assert (report["grading"]["score"], report["run"]["best_score"]) == (0, None)
    assert report["run"]["has_given_up"]
    assert report["end"]["solution"][0]["sql"]
    for what in ("hint", "check", "give-up", "clock/jump"):
        assert run.post(what, status=409)["code"] == "training-over"
    told = run.post("run", {"instance": "PARIS", "database": "Ventes", "script": "PRINT 1"}, status=409)
    assert told["code"] == "training-over"


def test_an_examination_tells_nothing_and_ends_with_its_check(olga):
    run = begin(olga, mode="exam", seed=5)
    assert run.now["grading"] is None
    assert {task["is_done"] for task in run.now["tasks"]} == {None}
    for what, body in (
        ("hint", None),
        ("give-up", None),
        ("clock/step", {"seconds": 1.0}),
        ("clock/jump", None),
        ("clock/rate", {"rate": 0.0}),
        ("faults/begin", {"fault": PARIS_DOWN}),
    ):
        assert run.post(what, body, status=409)["code"] == "not-in-this-mode", what
    report = run.post("check")
    assert report["run"]["ended_at"] is not None
    assert report["grading"]["score"] == 0


def test_an_examination_is_over_when_its_minutes_are(olga):
    run = begin(olga, mode="exam", seed=5)
    run.sql("PARIS", "Ventes", scenarios()["first-route"].solution[0].sql)
    ends_by = timezone.now() - timedelta(seconds=1)
    TrainingSession.objects.update(ends_by=ends_by)
    told = run.post("run", {"instance": "PARIS", "database": "Ventes", "script": "PRINT 1"}, status=409)
    assert told["code"] == "training-over"
    row = TrainingSession.objects.get()
    assert row.ended_at == ends_by
    assert row.best_score is not None
    begin(olga, mode="exam")


def test_after_its_minutes_nothing_more_is_done_in_an_examination(olga):
    begin(olga, mode="exam", seed=5)
    TrainingSession.objects.update(ends_by=timezone.now() - timedelta(seconds=1))
    row = TrainingSession.objects.get()
    lines = row.entries.count()
    again = engine.sandbox.ClockSet(wall_seconds=timezone.now().timestamp(), rate=1.0)
    typed = engine.sandbox.CommandsGiven(instance="PARIS", commands=())
    for action in (again, typed):
        # Also where the time of the sandbox stands still, and the second is one that counts.
        entry = engine.sandbox.Entry(sequence=lines + 1, at_seconds=row.entries.last().at_seconds, action=action)
        assert DjangoEntryLog().append(row.sandbox, entry) is engine.sandboxes.Append.CLOSED
    assert row.entries.count() == lines


def test_a_scenario_is_played_once_at_a_time(olga):
    run = begin(olga)
    again = olga.ask("POST", SESSIONS, {"scenario": "first-route", "mode": "exam"})
    assert again.status_code == 409
    assert again.json()["parameters"]["session"] == run.now["run"]["id"]
    run.post("finish")
    begin(olga)


# ── what stays ───────────────────────────────────────────────────────────────────────────────────────────────────────
def test_a_restart_finds_a_run_where_it_was(olga):
    run = begin(olga, "silent-queue", seed=9)
    run.pause()
    run.sql("LYON", "Entrepôt", "CREATE QUEUE dbo.[Neuve ☃];")
    run.step(45.0)
    run.post("faults/begin", {"fault": PARIS_DOWN})
    run.step(45.0)
    before = world(run)
    restart()
    assert world(run) == before
    run.step(45.0)
    assert world(run) != before


def world(run):
    row = TrainingSession.objects.get(pk=run.now["run"]["id"])
    keeper = engine.sandboxes.sandbox_keeper()
    moment = session_now(row).moment
    return moment, keeper.look(
        row.sandbox,
        lambda sandbox: [sandbox.events_after(name, 0, 10_000) for name in sandbox.instances() if sandbox.runs(name)],
    )


def test_one_plays_ones_own_run_again(olga):
    run = begin(olga, seed=5)
    run.pause()
    assert olga.ask("GET", f"{run.path}/replay").json()["code"] == "not-in-this-mode"
    run.solve()
    run.post("finish")
    again = olga.ask("GET", f"{run.path}/replay").json()
    scripts = [each for each in again["scenes"] if each["kind"] == "script"]
    assert [each["script"] for each in scripts] == [
        step.sql for step in scenarios()["first-route"].solution if isinstance(step, engine.training.Statements)
    ]
    scores = [
        olga.ask("GET", f"{run.path}/replay/moment?seconds={seconds}").json()["grading"]["score"]
        for seconds in (again["begun_seconds"], again["ended_seconds"])
    ]
    assert scores == [0, 100]


def test_a_scenario_that_has_changed_is_not_gone_on_with(olga):
    run = begin(olga)
    TrainingSession.objects.update(digest="0" * 64)
    answer = olga.ask("GET", run.path)
    assert (answer.status_code, answer.json()["code"]) == (409, "scenario-changed")
    (card,) = [
        each for each in olga.ask("GET", "/training/scenarios").json()["scenarios"] if each["id"] == "first-route"
    ]
    assert (card["runs"], card["running"]) == (1, None)
    anew = begin(olga)
    assert anew.path != run.path
    assert olga.ask("POST", f"{run.path}/hint", {}).json()["code"] == "training-over"


# ── people ───────────────────────────────────────────────────────────────────────────────────────────────────────────
def test_two_trainees_and_a_trainer_at_once(olga, other):
    estate = make_estate(pair_catalogs())
    revision, decisions = estate.revision, Decision.objects.count()
    trainer = browser("tanja", Role.TRAINER)
    group = trainer.ask("POST", "/training/groups", {"name": "Schicht 2", "members": ["olga", "pavel"]}).json()
    mine, theirs = begin(olga, seed=5), begin(other, seed=5)
    for run in (mine, theirs):
        run.pause()
    mine.solve()
    assert (mine.read()["grading"]["score"], theirs.read()["grading"]["score"]) == (100, 0)
    assert other.ask("GET", mine.path).status_code == 404
    assert other.ask("POST", f"{mine.path}/finish", {}).status_code == 404
    mine.post("finish")
    progress = trainer.ask("GET", f"/training/groups/{group['id']}/progress").json()
    cells = {
        member["username"]: next(each for each in member["scenarios"] if each["scenario"] == "first-route")
        for member in progress["members"]
    }
    assert (cells["olga"]["best_score"], cells["olga"]["running"]) == (100, None)
    assert (cells["pavel"]["best_score"], cells["pavel"]["running"]["mode"]) == (None, "practise")
    estate.refresh_from_db()
    assert (estate.revision, Decision.objects.count(), Estate.objects.count()) == (revision, decisions, 1)


def test_groups_belong_to_their_trainer(olga):
    trainer, colleague = browser("tanja", Role.TRAINER), browser("tom", Role.TRAINER)
    group = trainer.ask("POST", "/training/groups", {"name": "A", "members": ["olga"]}).json()
    assert trainer.ask("POST", "/training/groups", {"name": "A", "members": []}).json()["code"] == "group-name-taken"
    missing = trainer.ask("POST", "/training/groups", {"name": "B", "members": ["olga", "nobody"]})
    assert (missing.status_code, missing.json()["pointer"]) == (404, "/members/1")
    path = f"/training/groups/{group['id']}"
    assert colleague.ask("GET", f"{path}/progress").status_code == 404
    assert colleague.ask("DELETE", path).status_code == 404
    assert olga.ask("GET", f"{path}/progress").status_code == 403
    assert trainer.ask("PUT", path, {"name": "C", "members": ["tom"]}).json()["members"] == ["tom"]
    assert trainer.ask("DELETE", path).status_code == 204
    assert trainer.ask("GET", "/training/groups").json() == {"groups": []}


def test_a_trainer_looks_into_runs_of_the_group_and_does_nothing_there(olga, other):
    trainer, colleague = browser("tanja", Role.TRAINER), browser("tom", Role.TRAINER)
    run = begin(olga, mode="exam")
    assert trainer.ask("GET", run.path).status_code == 404
    group = trainer.ask("POST", "/training/groups", {"name": "A", "members": ["olga"]}).json()
    seen = trainer.ask("GET", run.path).json()
    assert (seen["trainee"], seen["is_own"], run.read()["is_own"]) == ("olga", False, True)
    # Who is examined is told nothing; who examines sees how it stands.
    assert (seen["grading"]["score"], run.read()["grading"]) == (0, None)
    for what in ("finish", "hint", "clock/jump"):
        assert trainer.ask("POST", f"{run.path}/{what}", {}).status_code == 404
    assert colleague.ask("GET", run.path).status_code == 404
    assert trainer.ask("DELETE", f"/training/groups/{group['id']}").status_code == 204
    assert trainer.ask("GET", run.path).status_code == 404
