"""What-if, findings, views and what operators do, of a trainee's sandbox under the addresses of estates."""

import json
from datetime import UTC, datetime

import pytest

from brokerweb.jobs.models import Job
from brokerweb.topology.models import Decision, FindingSighting
from brokerweb.training.models import TrainingEntry, TrainingSession
from engine import api as engine
from tests.brokerweb.private_estates import DATABASE, ORDERS, ROUTE, Private
from tests.brokerweb.test_training import begin, browser, restart


@pytest.fixture
def olga(transactional_db):
    return browser("olga")


@pytest.fixture
def sandbox(olga):
    run = begin(olga, seed=5)
    run.pause()
    return Private(run)


# ── what-if ──────────────────────────────────────────────────────────────────────────────────────────────────────────
def test_an_answer_is_the_engines_own_about_the_same_catalogs(sandbox):
    row = TrainingSession.objects.get()
    for script in ("", ROUTE):
        if script:
            sandbox.run.sql("PARIS", "Ventes", script)
        told = sandbox.post("what-if/answer", {"question": ORDERS})
        catalogs, at = engine.sandboxes.sandbox_keeper().look(row.sandbox, lambda box: (box.catalogs(), box.utc))
        own = engine.what_if.ask(catalogs, engine.what_if.FlowQuestion(**ORDERS), at=at)
        assert told["fingerprint"] == engine.what_if.fingerprint(own)
        assert told["basis"]["revision"] == sandbox.ask()["revision"]
        assert datetime.fromisoformat(told["basis"]["at"]).timestamp() == pytest.approx(at, abs=0.01)
    assert at == pytest.approx(datetime(2026, 3, 2, 7, 32, tzinfo=UTC).timestamp(), abs=300)


def test_two_sandboxes_of_one_process_are_never_taken_for_each_other(sandbox):
    other = Private(begin(browser("pavel"), seed=6))
    other.run.pause()
    other.run.sql("PARIS", "Ventes", ROUTE)
    for _ in range(2):
        mine = sandbox.post("what-if/questions/route_trace", {"parameters": ORDERS})
        theirs = other.post("what-if/questions/route_trace", {"parameters": ORDERS})
        assert mine["rows"] != theirs["rows"]
        assert sandbox.ask("findings")["total"] != other.ask("findings")["total"]
        works = [
            each.post("what-if/answer", {"question": ORDERS})["answer"]["light"] == "green" for each in (sandbox, other)
        ]
        assert works == [False, True]


def test_the_other_questions_of_what_if_answer_too(sandbox):
    sandbox.run.sql("PARIS", "Ventes", ROUTE)
    assert sandbox.ask("what-if/examples")
    assert {"kind": "instance", "instance": "LYON"}.items() <= next(
        each for each in sandbox.ask("what-if/failures") if each["instance"] == "LYON" and each["kind"] == "instance"
    ).items()
    assert any(each["instance"] == "LYON" for each in sandbox.post("what-if/dependencies", {"question": ORDERS}))
    matrix = sandbox.post("what-if/matrix", {"failures": [[{"kind": "instance", "instance": "LYON"}]]})
    assert matrix["rows"]
    compared = sandbox.post(
        "what-if/comparison",
        {"question": ORDERS, "before": {}, "after": {"faults": [{"kind": "instance", "instance": "LYON"}]}},
    )
    assert compared["before"]["answer"]["light"] == "green"
    assert compared["after"]["answer"]["light"] == "red"
    (job,) = [each["name"] for each in sandbox.ask("what-if/questions") if each["is_job"]]
    refused = sandbox.post(f"what-if/questions/{job}", {"parameters": ORDERS}, 409)
    assert refused["code"] == "sandbox-has-none"
    assert not Job.objects.exists()
    refused = sandbox.post("what-if/answer", {"question": ORDERS, "revision": 1}, 409)
    assert (refused["code"], refused["pointer"]) == ("sandbox-has-none", "/revision")


def test_a_mirrored_pair_of_a_sandbox_is_asked_three_times(olga):
    run = begin(olga, "mirror-failover", seed=5)
    sandbox = Private(run)
    run.solve()
    question = {**ORDERS, "to_service": "//beispiel.de/Buchhaltung/Rechnungen"}
    found = sandbox.post("what-if/triptych", {"question": question})
    assert len(found["columns"]) == 3
    assert sandbox.ask()["mirrors"]


# ── findings ─────────────────────────────────────────────────────────────────────────────────────────────────────────
def test_findings_are_told_and_not_stored(sandbox):
    found = sandbox.ask("findings")
    assert found["total"] > 0
    assert found["revision"] == sandbox.ask()["revision"]
    assert not FindingSighting.objects.exists()
    sandbox.run.sql("PARIS", "Ventes", ROUTE)
    assert sandbox.ask("findings")["total"] < found["total"]


def test_an_examination_has_the_screens_and_no_findings(olga):
    exam = Private(begin(olga, mode="exam"))
    assert exam.ask()["instances"]
    assert exam.ask("live/queues")["rows"]
    assert exam.ask("findings", status=409)["code"] == "not-in-this-mode"


# ── live rows ────────────────────────────────────────────────────────────────────────────────────────────────────────
def test_views_queues_and_reasons_are_those_of_the_sandbox(sandbox):
    waiting = sandbox.ask("live/transmissions?instances=PARIS")
    names = [each["name"] for each in waiting["columns"]]
    assert waiting["rows"], "orders wait in Paris"
    row = dict(zip(names, waiting["rows"][0], strict=True))
    explained = sandbox.ask(f"{DATABASE}/conversations/{row['conversation_handle']}/transmission")
    assert explained["to_service"] == ORDERS["to_service"]
    assert sandbox.ask("instances/paris/databases/ventes/views/sys.routes")["rows"]
    put_one_message(sandbox)
    (message,) = sandbox.ask(f"{DATABASE}/queues/Notes/messages")["messages"]
    assert "une note" in json.dumps(message, ensure_ascii=False), "bodies of a sandbox are nobody's"
    body = sandbox.ask(f"{DATABASE}/views/Notes?column=message_body")
    assert body["columns"][0]["withheld"] is None
    assert body["rows"][0][0].startswith("0x")
    assert sandbox.ask("instances/PARIS/view")
    assert sandbox.ask("instances/ROME/databases/Ventes/views/sys.routes", status=404)["code"] == "not-found"
    facts = sandbox.ask("live/estate")["facts"]
    assert facts["state"] == sandbox.ask()["state"]
    assert facts["clock"]["rate"] == 0


def test_an_instance_that_is_down_says_so(sandbox):
    sandbox.run.post("faults/begin", {"fault": {"kind": "instance", "instance": "LYON"}})
    facts = sandbox.ask("live/queues")["facts"]
    assert "unavailable" in facts["LYON"]
    assert "unavailable" not in facts["PARIS"]
    assert {each["name"] for each in sandbox.ask()["instances"]} == {"PARIS", "LYON"}


# ── acting ───────────────────────────────────────────────────────────────────────────────────────────────────────────
def test_what_operators_do_about_rows_is_a_line_of_the_log_and_of_no_estate(sandbox):
    def commands():
        rows = TrainingEntry.objects.filter(action__contains="commands-given").order_by("sequence")
        return [each["command"] for row in rows for each in json.loads(row.action)["commands"]]

    put_one_message(sandbox)
    before = len(commands())
    done = sandbox.post("instances/PARIS/databases/Facturation/queues/Factures/status", {"is_enabled": False})
    assert done["is_enabled"] is False
    (queue,) = [
        row
        for row in _rows(sandbox.ask("live/queues?instances=PARIS"))
        if row["database_name"] == "Facturation" and row["name"] == "Factures"
    ]
    assert not queue["is_receive_enabled"]
    sandbox.post("instances/PARIS/databases/Facturation/queues/Factures/status", {"is_enabled": True})
    taken = sandbox.post(f"{DATABASE}/queues/Notes/receive", {"top": 1})
    assert len(taken["messages"]) == 1
    sandbox.run.sql("PARIS", "Ventes", ROUTE)
    retried = sandbox.post("transmissions/retry-group", {"number": _reason(sandbox)})
    assert retried["results"]
    (ended, *_) = [
        row for row in _rows(sandbox.ask("live/conversations?instances=PARIS&database=Ventes")) if row["state"] == "CO"
    ]
    named = {"instance": "PARIS", "database": "Ventes", "conversation_handle": ended["conversation_handle"]}
    (result,) = sandbox.post("conversations/end", {"conversations": [named]})["results"]
    assert result["problem"] is None
    assert list(dict.fromkeys(commands()[before:])) == [
        "set-queue-status",
        "receive",
        "retry-transmission",
        "end-conversation",
    ]
    assert not Decision.objects.exists()
    restart()
    assert _rows(sandbox.ask("live/queues?instances=PARIS")), "whoever reads the log comes to the same"


def put_one_message(sandbox):
    sandbox.run.sql(
        "PARIS",
        "Ventes",
        "CREATE QUEUE [Notes];\nCREATE SERVICE [Notes] ON QUEUE [Notes] ([DEFAULT]);\n"
        "CREATE ROUTE [Ici] WITH SERVICE_NAME = N'Notes', ADDRESS = N'LOCAL';\nGO\n"
        "DECLARE @h uniqueidentifier;\n"
        "BEGIN DIALOG @h FROM SERVICE [//exemple.fr/Ventes/Guichet] TO SERVICE N'Notes' WITH ENCRYPTION = OFF;\n"
        "SEND ON CONVERSATION @h (N'une note');",
    )
    sandbox.run.step(5.0)


def _rows(snapshot):
    names = [each["name"] for each in snapshot["columns"]]
    return [dict(zip(names, row, strict=True)) for row in snapshot["rows"]]


def _reason(sandbox):
    (groups,) = [each["groups"] for each in sandbox.ask("live/transmissions?instances=PARIS")["facts"].values()]
    return groups[0]["number"]
