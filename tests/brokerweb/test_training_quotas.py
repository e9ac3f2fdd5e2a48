"""What runs of the training keep is bounded: of one run, of a person, of all; and no password is in it."""

import json
from datetime import timedelta

import pytest
from asgiref.sync import sync_to_async
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone

from brokerweb.accounts import tokens
from brokerweb.accounts.rights import Role
from brokerweb.accounts.services import user_create
from brokerweb.jobs.models import Job
from brokerweb.training import quotas
from brokerweb.training.entry_log import DjangoEntryLog
from brokerweb.training.models import Mode, TrainingEntry, TrainingScript, TrainingSession
from brokerweb.training.services import sessions
from brokerweb.training.services.sessions import session_begin
from tests.brokerweb.sql_browser import SqlBrowser
from tests.brokerweb.test_sql_console_in_sandboxes import Trainee, connected
from tests.brokerweb.test_training import SESSIONS, begin, browser

SECRET = "S3cr3t-Sandbox-PW!"
MASTER_KEY = f"CREATE MASTER KEY ENCRYPTION BY PASSWORD = '{SECRET}';"
HELD = "DECLARE @h uniqueidentifier; BEGIN DIALOG @h FROM SERVICE [//exemple.fr/Ventes/Guichet] TO SERVICE 'x';"


@pytest.fixture
def small_runs(monkeypatch):
    """A run may add so many bytes to its beginning."""

    def bound(run, further):
        size = TrainingSession.objects.get(pk=run.now["run"]["id"]).kept_bytes + further
        monkeypatch.setattr(quotas, "RUN_BYTES_MAX", size)
        monkeypatch.setattr(DjangoEntryLog, "bytes_max", size)
        return size

    return bound


@pytest.fixture
def olga(db):
    return browser("olga", Role.VIEWER)


def kept_bytes():
    rows = [len(each.action) for each in TrainingEntry.objects.all()]
    rows += [len(bytes(each.script)) for each in TrainingScript.objects.all()]
    return sum(rows) + len(rows) * quotas.ROW_BYTES


def typed(run, script, status=200):
    return run.post("run", {"instance": "PARIS", "database": "Ventes", "script": script}, status=status)


# ── one run ──────────────────────────────────────────────────────────────────────────────────────────────────────────
def test_scripts_of_a_run_end_where_it_is_full_and_say_so_in_three_languages(olga, small_runs):
    run = begin(olga, seed=5)
    limit = small_runs(run, 40_000)
    big = f"SELECT 1; -- {'x' * 12_000}"
    while kept_bytes() < limit:
        typed(run, big)
    refused = typed(run, "SELECT 1;", status=409)
    assert (refused["code"], bool(refused["why"]), bool(refused["cure"])) == (9002, True, True)
    assert str(limit) in refused["detail"]
    texts = {
        olga.ask(
            "POST",
            f"{run.path}/run",
            {"instance": "PARIS", "database": "Ventes", "script": "SELECT 1;"},
            Accept_Language=each,
        ).json()["detail"]
        for each in ("en", "fr", "de")
    }
    assert len(texts) == 3
    before = kept_bytes()
    assert before < limit + 13_000, "one script beyond it at most"
    assert TrainingSession.objects.get().kept_bytes == before
    assert run.post("check")["run"]["best_score"] is not None
    assert run.post("finish")["run"]["ended_at"] is not None
    assert olga.ask("GET", f"{run.path}/replay").status_code == 200


@pytest.mark.parametrize(
    ("what", "body"),
    [
        ("clock/rate", {"rate": 2.0}),
        ("faults/begin", {"fault": {"kind": "instance", "instance": "LYON"}}),
        pytest.param("clock/step", {"seconds": 1.0}, marks=pytest.mark.slow),
    ],
)
def test_clocks_and_faults_fill_no_disk_either(olga, small_runs, what, body):
    run = begin(olga, seed=5)
    run.pause()
    limit = small_runs(run, 3_000)
    statuses = [olga.ask("POST", f"{run.path}/{what}", body) for _ in range(40)]
    assert statuses[-1].status_code == 409
    assert statuses[-1].json()["code"] == 9002
    assert kept_bytes() <= limit


@pytest.mark.slow
def test_messages_fill_no_disk_either(olga, small_runs):
    run = begin(olga, seed=5)
    run.pause()
    limit = small_runs(run, 60_000)
    script = f"{HELD} WHILE 1 = 1 SEND ON CONVERSATION @h (REPLICATE(CAST(N'y' AS nvarchar(max)), 5000));"
    outputs = typed(run, script)["outputs"]
    assert 9002 in [each.get("number") for each in outputs]
    assert kept_bytes() <= limit + len(script) + quotas.ROW_BYTES


@pytest.mark.django_db(transaction=True)
async def test_the_console_says_it_as_an_error_of_the_script(monkeypatch):
    trainee = await sync_to_async(Trainee)("olga")
    monkeypatch.setattr(quotas, "RUN_BYTES_MAX", 1)
    async with SqlBrowser(trainee.client) as console:
        await connected(console, trainee.run.sandbox)
        outputs = await console.run("SELECT 1;")
    assert [each.get("number") for each in outputs if "number" in each] == [9002]
    assert await trainee.scripts() == []


# ── a person, all ────────────────────────────────────────────────────────────────────────────────────────────────────
def finished(client, scenario="first-route"):
    run = begin(client, scenario, seed=5)
    run.post("finish")
    return run


def test_the_oldest_replays_of_a_person_make_room_and_their_results_stay(olga, monkeypatch):
    first, second, other = finished(olga), finished(olga), finished(browser("pavel"))
    size = TrainingSession.objects.first().kept_bytes
    monkeypatch.setattr(quotas, "PERSON_BYTES_MAX", size + 10)
    begin(olga)
    gone = olga.ask("GET", f"{first.path}/replay")
    assert (gone.status_code, gone.json()["code"]) == (409, "replay-removed")
    assert olga.ask("GET", f"{first.path}/replay/moment?seconds=1").status_code == 409
    assert olga.ask("GET", first.path).json()["run"]["ended_at"] is not None
    assert olga.ask("GET", f"{second.path}/replay").status_code == 200
    assert other.client.ask("GET", f"{other.path}/replay").status_code == 200, "nobody makes room for somebody else"
    assert TrainingSession.objects.filter(has_replay=False).count() == 1


def test_the_oldest_of_all_make_room_and_then_no_further_run_begins(olga, monkeypatch):
    pavel = browser("pavel")
    first = finished(pavel)
    monkeypatch.setattr(quotas, "ALL_BYTES_MAX", TrainingSession.objects.get().kept_bytes + 10)
    begin(olga)
    begin(olga, "silent-queue")
    assert pavel.ask("GET", f"{first.path}/replay").status_code == 409
    refused = pavel.ask("POST", SESSIONS, {"scenario": "first-route", "mode": "learn"})
    assert (refused.status_code, refused.json()["code"]) == (409, "too-many-runs")


def test_a_person_begins_some_runs_a_day(olga, monkeypatch):
    monkeypatch.setattr(sessions, "RUNS_A_DAY_MAX", 2)
    finished(olga)
    finished(olga)
    refused = olga.ask("POST", SESSIONS, {"scenario": "first-route", "mode": "learn"})
    assert (refused.status_code, refused.json()["parameters"]) == (409, {"limit": 2})
    TrainingSession.objects.update(begun_at=timezone.now() - timedelta(hours=25))
    begin(olga)


def test_a_person_makes_some_tokens_a_day(olga, monkeypatch):
    monkeypatch.setattr(tokens, "TOKENS_A_DAY_MAX", 2)
    body = {"name": "x", "scopes": ["view"]}
    for _ in range(2):
        made = olga.ask("POST", "/me/tokens", body).json()
        olga.ask("DELETE", f"/me/tokens/{made['id']}")
    refused = olga.ask("POST", "/me/tokens", body)
    assert (refused.status_code, refused.json()["code"]) == (409, "too-many-tokens")


# ── passwords ────────────────────────────────────────────────────────────────────────────────────────────────────────
def test_no_password_is_kept_in_a_run(olga):
    run = begin(olga, seed=5)
    typed(run, f"{MASTER_KEY}\nPRINT 'left';")
    run.post("finish")
    replay = json.dumps(olga.ask("GET", f"{run.path}/replay").json())
    assert SECRET not in replay
    assert "PRINT 'left';" in replay
    assert not [row for row in TrainingEntry.objects.all() if SECRET in row.action]
    assert not [row for row in TrainingScript.objects.all() if SECRET.encode() in bytes(row.script)]


def test_no_password_waits_in_a_job(api_as, monkeypatch):
    monkeypatch.setattr("brokerweb.topology.services.import_jobs.DIRECT_LETTERS_MAX", 10)
    editor = api_as(Role.EDITOR)
    files = [{"name": "a.sql", "text": f":CONNECT PARIS\nGO\nUSE master;\nGO\n{MASTER_KEY}\n"}]
    answer = editor.ask("POST", "/imports", {"estate": "neu", "files": files, "dry_run": True})
    assert answer.status_code == 202, answer.content
    assert SECRET not in Job.objects.get().arguments
    assert "CREATE MASTER KEY" in Job.objects.get().arguments


# ── data of before ───────────────────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.django_db(transaction=True)
def test_runs_of_before_are_counted_and_their_passwords_hidden():
    row = session_begin(user_create("olga", Role.VIEWER), "first-route", Mode.LEARN, seed=5)
    place = {"session": row, "after_sequence": 1, "at_seconds": 1.0, "instance": "PARIS", "database": "Ventes"}
    TrainingScript.objects.create(script=MASTER_KEY.encode(), **place)
    TrainingScript.objects.create(script="PRINT 'é\0'".encode(), **place)
    MigrationExecutor(connection).migrate([("training", "0002_bounds")])
    executor = MigrationExecutor(connection)
    executor.migrate(executor.loader.graph.leaf_nodes())
    scripts = [bytes(each.script).decode() for each in TrainingScript.objects.order_by("pk")]
    assert scripts == [MASTER_KEY.replace(SECRET, "***"), "PRINT 'é\0'"]
    counted = TrainingSession.objects.get().kept_bytes
    assert abs(counted - kept_bytes()) <= len(SECRET), "as what the run of then keeps, to the length of a password"
