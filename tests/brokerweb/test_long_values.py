"""An error says what was given, and never more of it than a person reads."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from brokerweb.accounts.rights import Role
from engine import api as engine
from tests.brokerweb.estates import make_estate, pair_catalogs
from tests.brokerweb.live_browser import Browser
from tests.brokerweb.sql_browser import SqlBrowser
from tests.brokerweb.test_training import begin

DIGITS = "9" * 20_000
ANSWER_BYTES_MAX = 3_000
"""Of one error: a few sentences with a value or two."""


@pytest.fixture
def trainer(api_as):
    make_estate(pair_catalogs(), name="e")
    return api_as(Role.TRAINER)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", f"/estates/{DIGITS}", None),
        ("GET", f"/estates/e/instances/{DIGITS}/databases/x/queues", None),
        ("GET", f"/jobs/{DIGITS}", None),
        ("GET", f"/nothing/{DIGITS}", None),
        ("GET", f"/estates/e/script.sql?{DIGITS}=1", None),
        ("POST", f"/estates/e/{DIGITS}", {}),
        ("PATCH", "/me/preferences", {DIGITS: 1}),
        ("PATCH", "/me/preferences", {"theme": DIGITS}),
        ("POST", "/me/tokens", {"name": "x", "scopes": [DIGITS]}),
        ("POST", "/training/sessions", {"scenario": "x", "mode": DIGITS}),
        ("POST", "/login", {"username": DIGITS, "password": DIGITS}),
    ],
)
def test_a_problem_of_a_request_is_short(trainer, method, path, body):
    answer = trainer.ask(method, path, body)
    assert 400 <= answer.status_code < 500
    assert len(answer.content) < ANSWER_BYTES_MAX
    assert answer.json()["detail"]


@pytest.mark.django_db
def test_a_name_that_is_asked_for_is_told_whole(trainer):
    name = "n" * 256
    assert name in trainer.ask("GET", f"/estates/{name}").json()["detail"]


@pytest.mark.django_db
@pytest.mark.parametrize(
    "text",
    [
        f":CONNECT {DIGITS}\nGO\nCREATE DATABASE x;",
        f":CONNECT A\nGO\nCREATE DATABASE x;\nGO\nUSE x;\nGO\nCREATE QUEUE [{DIGITS}];",
        f":CONNECT A\nGO\nUSE [{DIGITS}];\nGO\nCREATE QUEUE q;",
        f":CONNECT A\nGO\nCREATE DATABASE x;\nGO\nUSE x;\nGO\nGRANT SEND ON SERVICE::[{DIGITS}] TO [{DIGITS}];",
        f":CONNECT A\nGO\nCREATE DATABASE x;\nGO\nUSE x;\nGO\nCREATE ROUTE r WITH ADDRESS = '{DIGITS}';",
        f":CONNECT A\nGO\n{DIGITS}",
    ],
)
def test_a_mistake_in_an_imported_script_is_short(trainer, text):
    files = [{"name": "a.sql", "text": text}]
    report = trainer.ask("POST", "/imports", {"estate": "neu", "files": files, "dry_run": True}).json()
    mistakes = [*report.get("problems", []), *report.get("warnings", [])] or [report]
    assert max(len(json.dumps(each)) for each in mistakes) < ANSWER_BYTES_MAX
    assert max((len(row["text"]) for row in report.get("rows", [])), default=0) < ANSWER_BYTES_MAX


@pytest.mark.django_db
@pytest.mark.parametrize(
    "script",
    [
        f"SELECT CAST('{DIGITS}' AS int);",
        f"SELECT * FROM [{DIGITS}];",
        f"SELECT {DIGITS} + 1;",
        f"SELECT @{DIGITS};",
        f"CREATE ROUTE [{DIGITS}] WITH ADDRESS = 'LOCAL';",
        f"CREATE QUEUE q WITH STATUS = {DIGITS};",
        f"USE [{DIGITS}];",
        f"SEND ON CONVERSATION '{DIGITS}';",
    ],
)
def test_an_error_of_the_console_is_short(trainer, script):
    run = begin(trainer, seed=5)
    (failed,) = (each for each in run.sql("PARIS", "Ventes", script) if each["kind"] == "failed")
    assert len(json.dumps(failed)) < ANSWER_BYTES_MAX


@pytest.mark.django_db
def test_so_is_one_of_a_command():
    with pytest.raises(CommandError) as refused:
        call_command("diagnose", DIGITS, stdout=StringIO())
    assert len(str(refused.value)) < ANSWER_BYTES_MAX


async def test_and_one_of_a_websocket(viewer):
    async with Browser(viewer) as browser:
        await browser.greet()
        await browser.say(type="sub", sub=1, estate=DIGITS, topic="estate", params={}, cursor=None)
        assert len(json.dumps(await browser.hear("denied"))) < ANSWER_BYTES_MAX
        await browser.say(type="sub", sub=2, estate="e", topic=DIGITS, params={}, cursor=None)
        assert len(json.dumps(await browser.hear("denied", sub=2))) < ANSWER_BYTES_MAX
    async with SqlBrowser(viewer) as console:
        await console.say(type="hello", protocol=1, estate="e", instance=DIGITS, database="x")
        assert len(json.dumps(await console.hear("refused"))) < ANSWER_BYTES_MAX


def test_what_an_error_keeps_is_short_and_says_that_something_is_left_out():
    error = engine.LocalProtocolError(911, database=DIGITS)
    assert error.parameters["database"] == "9" * 400 + "…"
    assert engine.LocalProtocolError(911, database="d" * 400).parameters["database"] == "d" * 400
    words = " ".join(["word"] * 500)
    assert engine.errors.shortened(words) == words, "a long explanation stays"
    assert len(engine.errors.shortened(words * 100)) == 4_001
