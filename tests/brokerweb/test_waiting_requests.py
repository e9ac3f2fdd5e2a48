"""RECEIVE and GET CONVERSATION GROUP that wait, over HTTP, against the real engine (protocol.md 12)."""

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from time import monotonic

import pytest
from asgiref.testing import ApplicationCommunicator
from django.core.asgi import get_asgi_application

from brokerweb.accounts.rights import Role
from brokerweb.operations.services.waiting import WAIT_SECONDS_MAX, WAITING_REQUESTS_MAX
from tests.brokerweb.waiting import until


@pytest.fixture
def operator(live_estate, api_as):
    return api_as(Role.OPERATOR)


@pytest.fixture
def paris(live_estate):
    return f"/estates/{live_estate.name}/instances/PARIS/databases/Ventes"


@pytest.fixture
def queue(live_estate):
    return f"/estates/{live_estate.name}/instances/LYON/databases/Stock/queues/File"


@pytest.fixture
def threads():
    with ThreadPoolExecutor(WAITING_REQUESTS_MAX + 4) as threads:
        yield threads


def send(client, database, *bodies):
    begun = client.ask(
        "POST", f"{database}/conversations", {"from_service": "//test/Commandes", "to_service": "//test/Réception"}
    )
    handle = begun.json()["conversation_handle"]
    assert client.ask("POST", f"{database}/conversations/{handle}/messages", {"bodies": bodies}).status_code == 201


def bodies(answer):
    assert answer.status_code == 200, answer.json()
    return [message["message_body"] for message in answer.json()["messages"]]


def test_a_request_is_answered_when_a_message_comes(operator, paris, queue, threads):
    answer = threads.submit(operator.ask, "POST", f"{queue}/receive", {"wait_seconds": 20})
    send(operator, paris, "a")
    assert bodies(answer.result(30)) == ["a"]


def test_a_request_for_a_group_is_answered_when_there_is_one(operator, paris, queue, threads):
    answer = threads.submit(operator.ask, "POST", f"{queue}/conversation-group", {"wait_seconds": 20})
    send(operator, paris, "a")
    assert answer.result(30).json()["conversation_group_id"] is not None
    assert bodies(operator.ask("POST", f"{queue}/receive", {"wait_seconds": 20})) == ["a"]


def test_the_answer_is_empty_when_nothing_comes(operator, queue):
    before = monotonic()
    assert bodies(operator.ask("POST", f"{queue}/receive", {"wait_seconds": 0.2})) == []
    assert operator.ask("POST", f"{queue}/conversation-group", {"wait_seconds": 0.2}).json() == {
        "conversation_group_id": None
    }
    assert 0.4 <= monotonic() - before < 10


@pytest.mark.parametrize("seconds", [-1, WAIT_SECONDS_MAX + 1])
@pytest.mark.parametrize("verb", ["receive", "conversation-group"])
def test_who_wants_to_wait_longer_or_less_than_nothing_is_refused(operator, queue, verb, seconds):
    answer = operator.ask("POST", f"{queue}/{verb}", {"wait_seconds": seconds})
    assert answer.status_code == 422


def test_a_queue_that_is_switched_off_answers_at_once(operator, queue, threads):
    answer = threads.submit(operator.ask, "POST", f"{queue}/receive", {"wait_seconds": 20})
    operator.ask("POST", f"{queue}/status", {"is_enabled": False})
    assert answer.result(10).json()["code"] == 9617


def test_as_many_as_may_wait_do_the_others_are_refused_and_what_does_not_wait_is_answered(
    operator, paris, queue, threads
):
    answers = [
        threads.submit(operator.ask, "POST", f"{queue}/receive", {"wait_seconds": 20})
        for _ in range(WAITING_REQUESTS_MAX + 3)
    ]
    until(lambda: sum(answer.done() for answer in answers) == 3, "three have no place to wait")
    assert [answer.result().json()["code"] for answer in answers if answer.done()] == [1204] * 3
    waiting = [answer for answer in answers if not answer.done()]
    assert operator.ask("GET", f"{queue}/messages").status_code == 200
    send(operator, paris, *[str(number) for number in range(WAITING_REQUESTS_MAX)])
    assert sorted(int(bodies(answer.result(30))[0]) for answer in waiting) == list(range(WAITING_REQUESTS_MAX))


def test_a_browser_that_leaves_has_taken_nothing(operator, paris, queue):
    """Through Django's real ASGI handler, which is told that the browser has gone."""
    session, token = operator.cookies["brokerweb_session"].value, "t" * 32
    body = json.dumps({"wait_seconds": 20}).encode()
    scope = {
        "type": "http",
        "method": "POST",
        "path": f"/api/v1{queue}/receive",
        "query_string": b"",
        "headers": [
            (b"host", b"testserver"),
            (b"content-type", b"application/json"),
            (b"content-length", str(len(body)).encode()),
            (b"cookie", f"brokerweb_session={session}; brokerweb_csrftoken={token}".encode()),
            (b"x-csrftoken", token.encode()),
        ],
    }

    async def leave():
        browser = ApplicationCommunicator(get_asgi_application(), scope)
        await browser.send_input({"type": "http.request", "body": body})
        assert await browser.receive_nothing(1.0)
        await browser.send_input({"type": "http.disconnect"})
        await browser.wait(10)

    asyncio.run(leave())
    send(operator, paris, "a")
    until(lambda: operator.ask("GET", f"{queue}/messages").json()["total"] == 1, "it arrived, and nobody took it")
    assert bodies(operator.ask("POST", f"{queue}/receive", {})) == ["a"]
