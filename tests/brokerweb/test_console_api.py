"""The console against the real engine: what a person does by hand, with the engine's own numbers in every refusal."""

from uuid import uuid4

import pytest

from brokerweb.accounts.rights import Role
from brokerweb.operations.services import commands
from engine import api as engine
from tests.support.each import for_each
from tests.support.waiting import until


@pytest.fixture
def operator(live_estate, api_as):
    return api_as(Role.OPERATOR)


@pytest.fixture
def paris(live_estate):
    return f"/estates/{live_estate.name}/instances/PARIS/databases/Ventes"


@pytest.fixture
def lyon(live_estate):
    return f"/estates/{live_estate.name}/instances/LYON/databases/Stock"


def begin(client, database, **clauses):
    body = {"from_service": "//test/Commandes", "to_service": "//test/Réception", **clauses}
    return client.ask("POST", f"{database}/conversations", body)


def begun(client, database, **clauses):
    answer = begin(client, database, **clauses)
    assert answer.status_code == 201, answer.json()
    return f"{database}/conversations/{answer.json()['conversation_handle']}"


def waiting_in(client, database):
    return client.ask("GET", f"{database}/queues/dbo.File/messages").json()


def test_a_hundred_messages_arrive_once_and_in_order(operator, paris, lyon):
    conversation = begun(operator, paris)
    bodies = [f"Größe {number}" for number in range(1, 101)]
    answer = operator.ask("POST", f"{conversation}/messages", {"bodies": bodies})
    assert answer.status_code == 201
    assert answer.json() == {"first_sequence_number": 0, "last_sequence_number": 99, "count": 100}

    until(lambda: waiting_in(operator, lyon)["total"] == 100, "all hundred are in LYON's queue")
    peeked = operator.ask("GET", f"{lyon}/queues/dbo.File/messages?top=10").json()
    assert peeked["total"] == 100
    assert [message["message_body"] for message in peeked["messages"]] == bodies[:10]

    received = operator.ask("POST", f"{lyon}/queues/dbo.File/receive", {"top": 1000}).json()["messages"]
    assert [message["message_body"] for message in received] == bodies
    assert {message["message_body_encoding"] for message in received} == {"utf-8"}
    assert waiting_in(operator, lyon) == {"messages": [], "total": 0}


@for_each("name", ["File", "dbo.File", "FILE", "DBO.file"])
def test_a_queue_named_without_a_schema_is_one_of_dbo(operator, paris, lyon, name):
    conversation = begun(operator, paris)
    operator.ask("POST", f"{conversation}/messages", {"bodies": ["<Order/>"]})
    until(lambda: waiting_in(operator, lyon)["total"] == 1, "the message arrived")
    assert operator.ask("GET", f"{lyon}/queues/{name}/messages").json()["total"] == 1
    (message,) = operator.ask("POST", f"{lyon}/queues/{name}/receive", {}).json()["messages"]
    assert message["message_body"] == "<Order/>"


def test_a_queue_of_another_schema_is_not_one_of_dbo(operator, lyon):
    answer = operator.ask("GET", f"{lyon}/queues/sales.File/messages")
    assert (answer.status_code, answer.json()["code"]) == (404, 15151)


def test_both_sides_end_a_conversation(operator, paris, lyon):
    conversation = begun(operator, paris)
    operator.ask("POST", f"{conversation}/messages", {"bodies": ["<Order/>"], "encoding": "utf-16"})
    until(lambda: waiting_in(operator, lyon)["total"] == 1, "the message arrived")
    (message,) = operator.ask("POST", f"{lyon}/queues/dbo.File/receive", {}).json()["messages"]
    assert (message["message_body"], message["message_body_encoding"], message["message_body_bytes"]) == (
        "<Order/>",
        "utf-16",
        16,
    )
    target = f"{lyon}/conversations/{message['conversation_handle']}"
    assert operator.ask("POST", f"{target}/end", {}).json()["state"] in ("DO", "CD")
    until(lambda: waiting_in(operator, paris)["total"] == 1, "PARIS hears of the end")
    (end,) = operator.ask("POST", f"{paris}/queues/dbo.File/receive", {}).json()["messages"]
    assert end["message_type_name"].endswith("/EndDialog")
    assert end["message_body"] is None
    assert end["message_body_encoding"] is None
    assert operator.ask("POST", f"{conversation}/end", {}).status_code == 200


def test_ending_with_an_error_takes_code_and_description_together(operator, paris):
    conversation = begun(operator, paris)
    answer = operator.ask("POST", f"{conversation}/end", {"error_code": 50_000})
    assert answer.status_code == 400
    assert answer.json()["pointer"] == "/error_description"
    answer = operator.ask("POST", f"{conversation}/end", {"error_code": 50_000, "error_description": "épuisé"})
    assert answer.status_code == 200


def test_the_same_key_sends_once(operator, paris, lyon):
    conversation = begun(operator, paris)
    key = str(uuid4())
    first = operator.ask("POST", f"{conversation}/messages", {"bodies": ["a", "b"]}, Idempotency_Key=key)
    again = operator.ask("POST", f"{conversation}/messages", {"bodies": ["a", "b"]}, Idempotency_Key=key)
    assert first.json() == again.json()
    other = operator.ask("POST", f"{conversation}/messages", {"bodies": ["c"]})
    assert other.json()["first_sequence_number"] == 2


def test_a_key_that_is_no_uuid_is_refused(operator, paris):
    answer = operator.ask("POST", f"{paris}/conversations", {}, Idempotency_Key="twice")
    assert answer.status_code == 422


@for_each(
    ("clauses", "pointer", "code"),
    [
        ({"from_service": "//test/commandes"}, None, 8407),
        ({"to_broker_instance": "no id"}, "/to_broker_instance", 8413),
        ({"contract": "//test/Autre"}, None, 8408),
    ],
)
def test_a_dialog_that_cannot_begin_says_why_with_a_number(operator, paris, clauses, pointer, code):
    answer = begin(operator, paris, **clauses)
    problem = answer.json()
    assert answer.status_code in (404, 422)
    assert problem["pointer"] == pointer
    assert isinstance(problem["code"], int)
    assert problem["detail"]


def test_a_conversation_that_is_not_there_is_not_found(operator, paris):
    answer = operator.ask("POST", f"{paris}/conversations/{uuid4()}/messages", {"bodies": ["x"]})
    assert answer.status_code == 404
    assert answer.json()["code"] == 8426


def test_a_message_type_that_the_contract_does_not_know_is_refused_and_counted(operator, paris):
    conversation = begun(operator, paris)
    answer = operator.ask("POST", f"{conversation}/messages", {"bodies": ["a", "b"], "message_type": "//test/Rien"})
    problem = answer.json()
    assert answer.status_code in (404, 422)
    assert problem["pointer"] == "/bodies/0"
    assert problem["parameters"]["stored"] == 0


def test_a_queue_that_is_not_there_is_refused_with_its_name(operator, paris):
    peek = operator.ask("GET", f"{paris}/queues/dbo.Rien/messages")
    receive = operator.ask("POST", f"{paris}/queues/dbo.Rien/receive", {})
    for answer in (peek, receive):
        assert answer.status_code in (404, 422)
        assert "dbo.Rien" in answer.json()["detail"]


@for_each("bodies", [[], ["x"] * 1001])
def test_a_send_has_one_to_a_thousand_bodies(operator, paris, bodies):
    answer = operator.ask("POST", f"{paris}/conversations/{uuid4()}/messages", {"bodies": bodies})
    assert answer.status_code == 422
    assert answer.json()["pointer"] == "/bodies"


def test_half_a_character_is_refused_before_anything_is_sent(operator, paris):
    conversation = begun(operator, paris)
    answer = operator.ask("POST", f"{conversation}/messages", {"bodies": ["ok", "\ud800"]})
    assert answer.status_code == 400
    assert answer.json()["pointer"] == "/bodies/1"


def test_a_viewer_neither_sends_nor_reads_bodies(live_estate, api_as, paris):
    viewer = api_as(Role.VIEWER)
    assert begin(viewer, paris).status_code == 403
    # What lies there is told, but not what is in it: tests/brokerweb/test_payloads.py.
    assert viewer.ask("GET", f"{paris}/queues/dbo.File/messages").json() == {"messages": [], "total": 0}
    assert viewer.ask("POST", f"{paris}/queues/dbo.File/receive", {}).status_code == 403


def test_one_look_at_an_instance_shows_the_rows_that_the_live_view_pushes(live_estate, api_as, operator, paris):
    begun(operator, paris)
    path = f"/estates/{live_estate.name}/instances/PARIS/view"
    view = api_as(Role.VIEWER).ask("GET", path).json()
    (ventes,) = [database for database in view["databases"] if database["name"] == "Ventes"]
    (row,) = ventes["conversation_endpoints"]
    assert (row["state"], row["far_service"]) == ("SO", "//test/Réception")
    counted = operator.ask("GET", f"{path}?rows=0").json()
    (ventes,) = [database for database in counted["databases"] if database["name"] == "Ventes"]
    assert (ventes["conversation_endpoints"], ventes["conversation_endpoints_total"]) == ([], 1)


def test_an_instance_that_nobody_hosts_is_unavailable(operator, live_estate, paris, monkeypatch):
    engine.close_instance(live_estate.name, "PARIS")
    monkeypatch.setattr(commands, "COMMAND_SECONDS", 0.3)
    answer = begin(operator, paris)
    assert answer.status_code == 503
    problem = answer.json()
    assert problem["code"] == "engine-unavailable"
    assert "PARIS" in problem["detail"]
    assert problem["cure"]


@for_each(
    ("clauses", "number"),
    [
        ({"lifetime_seconds": 10**30}, 8411),
        ({"to_service": "a\x00b"}, 8412),
        ({"lifetime_seconds": "7"}, "bad-field"),
        ({"lifetime_seconds": True}, "bad-field"),
        ({"encryption": "yes"}, "bad-field"),
        ({"encryption": 1}, "bad-field"),
        ({"contract": ""}, "bad-field"),
    ],
)
def test_a_clause_that_is_none_is_refused_and_the_instance_lives(operator, paris, clauses, number):
    answer = begin(operator, paris, **clauses)
    assert (answer.status_code, answer.json()["code"]) == (422, number)
    assert begin(operator, paris).status_code == 201


@for_each(
    ("operation", "body", "number"),
    [
        ("timer", {"timeout_seconds": 10**20}, 8410),
        ("timer", {"timeout_seconds": "5"}, "bad-field"),
        ("end", {"error_code": -(10**40), "error_description": "x"}, 8424),
        ("end", {"error_code": 2**31, "error_description": "x"}, 8424),
        ("end", {"with_cleanup": "no"}, "bad-field"),
        ("messages", {"bodies": ["x"], "message_type": ""}, "bad-field"),
    ],
)
def test_a_number_that_is_none_is_refused_and_the_conversation_lives(operator, paris, operation, body, number):
    conversation = begun(operator, paris, lifetime_seconds=600)
    answer = operator.ask("POST", f"{conversation}/{operation}", body)
    assert (answer.status_code, answer.json()["code"]) == (422, number)
    assert operator.ask("POST", f"{conversation}/messages", {"bodies": ["x"]}).status_code == 201


def test_a_handle_is_found_in_capitals_as_the_views_show_it(operator, paris):
    database, _, handle = begun(operator, paris).rpartition("/")
    conversation = f"{database}/{handle.upper()}"
    assert operator.ask("POST", f"{conversation}/messages", {"bodies": ["x"]}).status_code == 201
    assert operator.ask("POST", f"{conversation}/end", {}).status_code == 200
