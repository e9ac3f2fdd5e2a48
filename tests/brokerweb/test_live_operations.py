"""What operators do from the live views, over HTTP against the real engine: explain, retry, end, bodies; the log."""

from __future__ import annotations

from functools import cache
from uuid import uuid4

import pytest

from brokerweb.accounts.rights import Role
from brokerweb.operations.bodies import SHOWN_BYTES_MAX
from brokerweb.operations.services import commands, transmissions
from brokerweb.topology.selectors.places import InstancePlace
from engine import api as engine
from tests.brokerweb.estates import decide
from tests.support.each import for_each
from tests.support.waiting import until

NOWHERE = "//test/Nulle part"
REMOTE = "//test/Réception"
NO_ROUTE = 9796


@pytest.fixture
def person(live_estate, api_as):
    """The browser of somebody of a role; the same one each time."""
    return cache(api_as)


@pytest.fixture
def operator(person):
    return person(Role.OPERATOR)


@pytest.fixture
def base(live_estate):
    return f"/estates/{live_estate.name}"


@pytest.fixture
def paris(base):
    return f"{base}/instances/PARIS/databases/Ventes"


def begun(client, paris, *bodies, to_service=NOWHERE):
    """A dialog from PARIS in which so much was sent; nobody has the service that it is for unless one is named."""
    clauses = {"from_service": "//test/Commandes", "to_service": to_service}
    handle = client.ask("POST", f"{paris}/conversations", clauses).json()["conversation_handle"]
    if bodies:
        sent = client.ask("POST", f"{paris}/conversations/{handle}/messages", {"bodies": list(bodies)})
        assert sent.status_code == 201, sent.json()
    return handle


def explained(client, paris, handle):
    answer = client.ask("GET", f"{paris}/conversations/{handle}/transmission")
    assert answer.status_code == 200, answer.json()
    return answer.json()


def stuck(client, paris, *bodies):
    handle = begun(client, paris, *(bodies or ("x",)))
    until(lambda: explained(client, paris, handle)["number"] == NO_ROUTE, "it waits for a route")
    return handle


def named(*handles, instance="PARIS", database="Ventes"):
    return [{"instance": instance, "database": database, "conversation_handle": handle} for handle in handles]


def newest(live_estate, person):
    (row, *_) = person(Role.EDITOR).ask("GET", f"/estates/{live_estate.name}/audit").json()["items"]
    return row


def asked(client, path, body, status=200):
    answer = client.ask("POST", path, body)
    assert answer.status_code == status, answer.json()
    return answer.json()


# ── explain ──────────────────────────────────────────────────────────────────────────────────────────────────────────
def test_a_stuck_message_is_explained_and_now_follows_the_topology(live_estate, operator, person, paris):
    handle = stuck(operator, paris)
    told = explained(person(Role.VIEWER), paris, handle)
    assert (told["then"]["classification"], told["then"]["status"], told["waiting"]) == ("delayed", NO_ROUTE, 1)
    assert (told["is_same"], told["retry"]["end"], told["retry"]["number"]) == (True, "waits", NO_ROUTE)
    assert told["then"]["proof"][0].startswith("A message leaves database ")
    french = operator.ask("GET", f"{paris}/conversations/{handle}/transmission", Accept_Language="fr")
    assert french.json()["then"]["proof"][0].startswith("Un message quitte la base de données ")
    assert french.json()["retry"]["text"].startswith("9796: Une route LOCAL convient au service «")

    forecast = person(Role.VIEWER).ask("GET", f"{paris}/conversations/{handle}/forecast").json()
    way = forecast["what_if"]["answer"]["legs"][0]["ways"][0]
    assert (forecast["leg"], way["disposition"], way["number"]["number"]) == ("message", "delayed", NO_ROUTE)
    assert forecast["broken_by"] is None, "it never arrived"

    editor = person(Role.EDITOR)
    route = {"name": "enfin", "service_name": NOWHERE, "address": "TCP://lyon:4022"}
    assert editor.decide(f"{paris}/routes", route).status_code == 201
    until(lambda: not explained(operator, paris, handle)["is_same"], "the instance has the route")
    now = explained(operator, paris, handle)["now"]
    assert (now["classification"], now["route"], now["address"]) == ("remote", "enfin", "TCP://lyon:4022")


def test_the_forecast_follows_all_hops_and_names_what_is_wrong_on_them(live_estate, operator, person, paris):
    """LYON's endpoint is stopped: the first hop is as it was, the revision that has stopped it is named."""
    editor = person(Role.EDITOR)
    stopped = operator.ask("POST", f"/estates/{live_estate.name}/instances/LYON/endpoint", {"state": "STOPPED"})
    assert stopped.status_code == 200, stopped.json()
    handle = begun(operator, paris, "x", to_service="//test/Réception")
    path = f"{paris}/conversations/{handle}/forecast"
    found = person(Role.VIEWER).ask("GET", path).json()
    answer = found["what_if"]["answer"]
    assert answer["question"] | {"broker_instance": None} == {
        "instance": "PARIS",
        "database": "Ventes",
        "service": "//test/Commandes",
        "to_service": "//test/Réception",
        "broker_instance": None,
        "contract": "DEFAULT",
        "message_type": "DEFAULT",
        "encryption": False,
    }
    assert answer["disposition"] == "unreachable"
    assert found["stopped"] == ["LYON"]
    assert found["broken_by"]["number"] == stopped.json()["revision"]
    assert [each["code"].startswith("SBD-") for each in found["findings"]].count(True) >= 1
    assert editor.ask("GET", path, Accept_Language="fr").json()["broken_by"]["summary"]
    started = operator.ask("POST", f"/estates/{live_estate.name}/instances/LYON/endpoint", {"state": "STARTED"})
    assert started.status_code == 200
    now = editor.ask("GET", path).json()
    assert now["what_if"]["answer"]["light"] == "green"
    assert (now["stopped"], now["findings"], now["broken_by"]) == ([], [], None)


def test_what_is_not_there_is_explained_by_a_number(operator, base, paris):
    answer = operator.ask("GET", f"{paris}/conversations/{uuid4()}/transmission")
    assert (answer.status_code, answer.json()["code"]) == (404, 8426)
    answer = operator.ask("GET", f"{base}/instances/PARIS/databases/Nulle/conversations/{uuid4()}/transmission")
    assert (answer.status_code, answer.json()["code"]) == (404, "not-found")


# ── retry ────────────────────────────────────────────────────────────────────────────────────────────────────────────
def test_each_conversation_is_retried_and_has_a_result(live_estate, operator, person, base, paris):
    handle, gone = stuck(operator, paris), str(uuid4())
    wanted = [*named(handle, gone), *named(handle, database="Nulle")]
    waits, refused, nowhere = asked(operator, f"{base}/transmissions/retry", {"conversations": wanted})["results"]
    assert (waits["before"], waits["number"], waits["waiting"], waits["problem"]) == (NO_ROUTE, NO_ROUTE, 1, None)
    assert (refused["problem"]["code"], refused["waiting"]) == (8426, None)
    assert nowhere["problem"]["code"] == "not-found"
    row = newest(live_estate, person)
    assert (row["author"], row["summary"]) == ("the-operator", "Retry transmission of 3 conversations")
    assert [each["fields"][0] for each in row["objects"]] == [
        {"name": "transmission_status", "before": NO_ROUTE, "after": NO_ROUTE},
        {"name": "problem", "before": None, "after": 8426},
        {"name": "problem", "before": None, "after": "not-found"},
    ]


def test_a_group_is_retried_by_its_reason_the_oldest_first(operator, base, paris, monkeypatch):
    monkeypatch.setattr(transmissions, "RETRIED_MAX", 2)
    handles = [stuck(operator, paris, "a", "b") for _ in range(3)]
    done = asked(operator, f"{base}/transmissions/retry-group", {"number": NO_ROUTE})
    assert [each["conversation_handle"] for each in done["results"]] == handles[:2]
    assert (done["left"], done["silent"]) == (1, [])
    here = {"number": NO_ROUTE, "instance": "lyon", "database": "stock"}
    assert asked(operator, f"{base}/transmissions/retry-group", here) == {"results": [], "left": 0, "silent": []}
    assert asked(operator, f"{base}/transmissions/retry-group", {"number": None})["results"] == []


def test_a_group_in_a_database_of_no_instance_is_refused(operator, base):
    answer = asked(operator, f"{base}/transmissions/retry-group", {"number": 1, "database": "Ventes"}, 400)
    assert answer["pointer"] == "/instance"


# ── end ──────────────────────────────────────────────────────────────────────────────────────────────────────────────
def test_several_are_ended_one_is_refused_and_the_log_has_one_row(live_estate, operator, person, base, paris):
    open_one, gone = begun(operator, paris), str(uuid4())
    body = {"conversations": named(open_one, gone), "with_cleanup": True}
    ended, refused = asked(operator, f"{base}/conversations/end", body)["results"]
    assert (ended["before"], ended["state"], ended["problem"]) == ("SO", None, None)
    assert (refused["state"], refused["problem"]["code"]) == (None, 8426)
    row = newest(live_estate, person)
    assert (row["summary"], row["object_count"], row["client_address"]) == (
        "End 2 conversations with cleanup",
        2,
        "127.0.0.1",
    )
    assert row["objects"][0] == {
        "instance": "PARIS",
        "database": "Ventes",
        "kind": "conversation",
        "name": open_one,
        "effect": "remove",
        "fields": [{"name": "state", "before": "SO", "after": None}],
    }
    chain = person(Role.ADMIN).ask("GET", f"{base}/audit/chain").json()
    assert chain["is_whole"], chain
    found = person(Role.ADMIN).ask("GET", f"{base}/audit?object={open_one}").json()["items"]
    assert [each["sequence"] for each in found] == [row["sequence"]]


def test_one_that_is_ended_in_the_console_is_in_the_log_too(live_estate, operator, person, paris):
    handle = begun(operator, paris, "x", to_service=REMOTE)
    until(lambda: explained(operator, paris, handle)["waiting"] == 0, "it was acknowledged")
    asked(operator, f"{paris}/conversations/{handle}/end", {})
    row = newest(live_estate, person)
    assert row["summary"] == f"End conversation {handle} in Ventes on PARIS"
    assert row["objects"][0]["fields"] == [{"name": "state", "before": "CO", "after": "DO"}]
    (line, *_) = [
        line
        for line in b"".join(
            person(Role.ADMIN).ask("GET", f"/estates/{live_estate.name}/audit?format=csv").streaming_content
        )
        .decode()
        .splitlines()
        if handle in line and "conversation," in line
    ]
    assert line.endswith("state=CO,state=DO")


def test_what_is_refused_whole_is_not_in_the_log(live_estate, operator, person, base):
    before = newest(live_estate, person)["sequence"]
    asked(operator, f"{base}/conversations/end", {"conversations": named(str(uuid4()))})
    assert newest(live_estate, person)["sequence"] == before


@for_each("conversations", [[], named(str(uuid4())) * 201])
def test_none_and_too_many_are_refused(operator, base, conversations):
    answer = operator.ask("POST", f"{base}/conversations/end", {"conversations": conversations})
    assert (answer.status_code, answer.json()["code"], answer.json()["pointer"]) == (422, "bad-field", "/conversations")


# ── queues ───────────────────────────────────────────────────────────────────────────────────────────────────────────
def test_the_switch_of_a_queue_is_in_the_log_with_before_and_after(live_estate, operator, person, paris):
    asked(operator, f"{paris}/queues/dbo.File/status", {"is_enabled": False})
    row = newest(live_estate, person)
    assert row["summary"] == "Switch queue dbo.File in Ventes on PARIS off, at once"
    assert row["objects"][0]["fields"] == [{"name": "is_enabled", "before": True, "after": False}]


def test_the_switch_of_a_queue_that_nobody_answers_is_in_the_log_as_not_known(
    live_estate, operator, person, paris, monkeypatch
):
    with monkeypatch.context() as patience:
        patience.setattr(commands, "COMMAND_SECONDS", 0.3)
        engine.close_instance(live_estate.name, "PARIS")
        asked(operator, f"{paris}/queues/dbo.File/status", {"is_enabled": False}, status=503)
    row = newest(live_estate, person)
    assert row["summary"] == "Switch queue dbo.File in Ventes on PARIS off, at once"
    assert row["objects"][0]["fields"] == [{"name": "problem", "before": None, "after": "engine-unavailable"}]


def test_activation_is_switched_by_a_revision(live_estate, operator, person, paris):
    missing = operator.ask("POST", f"{paris}/queues/dbo.File/activation", {"is_enabled": False})
    assert (missing.status_code, missing.json()["code"]) == (404, "not-found")
    activation = engine.ActivationPatch(
        procedure_name="dbo.Lire", max_queue_readers=1, execute_as="SELF", is_enabled=True
    )
    change = engine.QueueAltered(database="Ventes", name="dbo.File", activation=activation)
    revision = decide(InstancePlace(live_estate.name, "PARIS"), [change])
    done = asked(operator, f"{paris}/queues/DBO.FILE/activation", {"is_enabled": False})
    assert done["revision"] == revision + 1
    row = newest(live_estate, person)
    assert row["objects"][0]["fields"] == [{"name": "activation.is_enabled", "before": True, "after": False}]
    again = asked(operator, f"{paris}/queues/dbo.File/activation", {"is_enabled": False})
    assert again["revision"] == done["revision"]


# ── bodies ───────────────────────────────────────────────────────────────────────────────────────────────────────────
def body_of(client, paris, handle, number=0, status=200):
    asked_for = {"message_sequence_number": number, "to_service_name": NOWHERE}
    return asked(client, f"{paris}/conversations/{handle}/transmission/body", asked_for, status)


def test_a_body_is_shown_as_text_and_bytes_and_the_log_says_to_whom(live_estate, operator, person, paris):
    handle = stuck(operator, paris, "é", "")
    assert body_of(operator, paris, handle) == {
        "has_body": True,
        "whole_bytes": 2,
        "shown_bytes": 2,
        "limit_bytes": SHOWN_BYTES_MAX,
        "text": "é",
        "encoding": "utf-8",
        "hexadecimal": "c3a9",
    }
    row = newest(live_estate, person)
    assert row["summary"] == f"Read the body of message 0 of conversation {handle} in Ventes on PARIS"
    assert (row["author"], row["objects"][0]["fields"][0]["after"]) == ("the-operator", "2 / 2")


def test_of_a_large_body_the_beginning_is_shown(operator, paris):
    handle = stuck(operator, paris, "x" * (SHOWN_BYTES_MAX + 10))
    told = body_of(operator, paris, handle)
    assert (told["whole_bytes"], told["shown_bytes"]) == (SHOWN_BYTES_MAX + 10, SHOWN_BYTES_MAX)
    assert (len(told["text"]), len(told["hexadecimal"])) == (SHOWN_BYTES_MAX, 2 * SHOWN_BYTES_MAX)


def test_a_message_that_is_gone_has_no_body(operator, paris):
    assert body_of(operator, paris, stuck(operator, paris), number=7, status=404)["code"] == "not-found"


def test_reading_a_body_is_a_right_of_its_own(live_estate, operator, person, paris):
    handle = stuck(operator, paris, "secret")
    before = newest(live_estate, person)["sequence"]
    refused = body_of(person(Role.ADMIN, reads_payloads=False), paris, handle, status=403)
    assert (refused["code"], "secret" in str(refused)) == ("right-missing", False)
    assert newest(live_estate, person)["sequence"] == before
    assert body_of(person(Role.VIEWER, reads_payloads=True), paris, handle)["text"] == "secret"


# ── keys ─────────────────────────────────────────────────────────────────────────────────────────────────────────────
def test_a_key_of_another_request_is_refused_and_nothing_is_done(live_estate, operator, person, base, paris):
    handle, key = begun(operator, paris), str(uuid4())
    wanted = {"conversations": named(handle)}
    assert operator.ask("POST", f"{base}/transmissions/retry", wanted, Idempotency_Key=key).status_code == 200
    before = newest(live_estate, person)["sequence"]
    both = {"conversations": named(handle, str(uuid4()))}
    again = operator.ask("POST", f"{base}/conversations/end", both, Idempotency_Key=key).json()["results"]
    assert [each["problem"]["code"] for each in again] == ["malformed", 8426]
    assert newest(live_estate, person)["sequence"] == before
    assert explained(operator, paris, handle)["state"] == "SO"
    single = str(uuid4())
    began = operator.ask("POST", f"{base}/instances/PARIS/transactions", Idempotency_Key=single)
    assert began.status_code == 201
    refused = operator.ask("POST", f"{paris}/conversations/{handle}/end", {}, Idempotency_Key=single)
    assert (refused.status_code, refused.json()["code"]) == (400, "malformed")
