"""RECEIVE and GET CONVERSATION GROUP that wait, over HTTP, against the real engine (protocol.md 12)."""

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from time import monotonic

import pytest
from asgiref.sync import async_to_sync
from asgiref.testing import ApplicationCommunicator

from brokerweb.accounts.rights import Role
from brokerweb.common.disconnects import client_has_disconnected
from brokerweb.config.asgi import application
from brokerweb.operations.services import waiting
from brokerweb.operations.services.waiting import WAIT_SECONDS_MAX, WAITING_REQUESTS_MAX
from brokerweb.topology.selectors.places import InstancePlace
from engine import api as engine
from tests.brokerweb.conftest import is_applied
from tests.brokerweb.estates import decide
from tests.support.each import for_each
from tests.support.waiting import SECONDS_MAX, until


@pytest.fixture
def operator(live_estate, api_as):
    return api_as(Role.OPERATOR)


@pytest.fixture
def paris(live_estate):
    return f"/estates/{live_estate.name}/instances/PARIS/databases/Ventes"


@pytest.fixture
def queue(live_estate):
    """A queue with a monitor, which knows how many requests wait; the reader that it wants is nowhere."""
    watched = engine.ActivationPatch(
        procedure_name="dbo.personne", is_enabled=True, max_queue_readers=1, execute_as="SELF"
    )
    change = engine.QueueAltered(database="Stock", name="dbo.File", activation=watched)
    decide(InstancePlace(live_estate.name, "LYON"), [change])
    until(lambda: is_applied(live_estate), "the queue has a monitor")
    return f"/estates/{live_estate.name}/instances/LYON/databases/Stock/queues/File"


def until_waiting(client, queue, count=1):
    """Return when the instance knows that so many requests wait for the queue."""
    monitors = f"{queue.partition('/queues/')[0]}/views/sys.dm_broker_queue_monitors?column=tasks_waiting"
    until(lambda: client.ask("GET", monitors).json()["rows"] == [[count]], f"{count} wait")


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
    until_waiting(operator, queue)
    send(operator, paris, "a")
    assert bodies(answer.result(SECONDS_MAX)) == ["a"]


def test_a_request_for_a_group_is_answered_when_there_is_one(operator, paris, queue, threads):
    answer = threads.submit(operator.ask, "POST", f"{queue}/conversation-group", {"wait_seconds": 20})
    until_waiting(operator, queue)
    send(operator, paris, "a")
    assert answer.result(SECONDS_MAX).json()["conversation_group_id"] is not None
    assert bodies(operator.ask("POST", f"{queue}/receive", {"wait_seconds": 20})) == ["a"]


def test_the_answer_is_empty_when_nothing_comes(operator, queue):
    before = monotonic()
    assert bodies(operator.ask("POST", f"{queue}/receive", {"wait_seconds": 0.2})) == []
    assert operator.ask("POST", f"{queue}/conversation-group", {"wait_seconds": 0.2}).json() == {
        "conversation_group_id": None
    }
    assert monotonic() - before >= 0.4


@for_each("seconds", [-1, WAIT_SECONDS_MAX + 1])
@for_each("verb", ["receive", "conversation-group"])
def test_who_wants_to_wait_longer_or_less_than_nothing_is_refused(operator, queue, verb, seconds):
    answer = operator.ask("POST", f"{queue}/{verb}", {"wait_seconds": seconds})
    assert answer.status_code == 422


def test_a_queue_that_is_switched_off_answers_at_once(operator, queue, threads):
    answer = threads.submit(operator.ask, "POST", f"{queue}/receive", {"wait_seconds": 20})
    until_waiting(operator, queue)
    operator.ask("POST", f"{queue}/status", {"is_enabled": False})
    assert answer.result(SECONDS_MAX).json()["code"] == 9617


def test_as_many_as_may_wait_do_the_others_are_refused_and_what_does_not_wait_is_answered(
    operator, paris, queue, threads
):
    answers = [
        threads.submit(operator.ask, "POST", f"{queue}/receive", {"wait_seconds": 20})
        for _ in range(WAITING_REQUESTS_MAX + 3)
    ]
    until(lambda: sum(answer.done() for answer in answers) == 3, "three have no place to wait")
    assert [answer.result().json()["code"] for answer in answers if answer.done()] == [1204] * 3
    until_waiting(operator, queue, WAITING_REQUESTS_MAX)
    patient = [answer for answer in answers if not answer.done()]
    assert operator.ask("GET", f"{queue}/messages").status_code == 200
    send(operator, paris, *[str(number) for number in range(WAITING_REQUESTS_MAX)])
    assert sorted(int(bodies(answer.result(SECONDS_MAX))[0]) for answer in patient) == list(range(WAITING_REQUESTS_MAX))


def assert_message_stays(operator, paris, queue):
    send(operator, paris, "a")
    until(lambda: operator.ask("GET", f"{queue}/messages").json()["total"] == 1, "the message stays in the queue")
    assert bodies(operator.ask("POST", f"{queue}/receive", {})) == ["a"]


def leave_and_take_nothing(operator, paris, queue, when):
    """A request through the real ASGI application, which learns that the browser has gone once `when` returns."""
    session, token = operator.cookies["brokerweb_session"].value, "t" * 32
    body = json.dumps({"wait_seconds": WAIT_SECONDS_MAX}).encode()
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

    async def stay_and_leave():
        browser = ApplicationCommunicator(application, scope)
        await browser.send_input({"type": "http.request", "body": body})
        await asyncio.to_thread(when)
        await browser.send_input({"type": "http.disconnect"})
        left_at = monotonic()
        await browser.wait(SECONDS_MAX)
        assert monotonic() - left_at < WAIT_SECONDS_MAX - 5, "the request lasted as long as its wait"
        # While the loop of the server lives: its end would end the request too.
        await asyncio.to_thread(assert_message_stays, operator, paris, queue)

    asyncio.run(stay_and_leave())


def test_a_browser_that_leaves_has_taken_nothing(operator, paris, queue):
    leave_and_take_nothing(operator, paris, queue, lambda: until_waiting(operator, queue))


def test_a_browser_that_leaves_before_the_instance_knows_of_it_has_taken_nothing(operator, paris, queue, monkeypatch):
    begun, given_up = Event(), Event()
    reply_to, cancel_wait = waiting.reply_to, engine.cancel_wait

    def reply_late(*asked):
        begun.set()
        assert given_up.wait(SECONDS_MAX)
        return reply_to(*asked)

    def cancel(*asked, **options):
        cancel_wait(*asked, **options)
        given_up.set()

    monkeypatch.setattr(waiting, "reply_to", reply_late)
    monkeypatch.setattr(engine, "cancel_wait", cancel)
    leave_and_take_nothing(operator, paris, queue, lambda: begun.wait(SECONDS_MAX))


def test_a_browser_that_leaves_before_its_request_waits_has_taken_nothing(operator, paris, queue, monkeypatch):
    begun = Event()

    def begin_late(wait):
        begun.set()
        until(client_has_disconnected, "the server knows that the browser has left")
        return async_to_sync(wait)

    monkeypatch.setattr(waiting, "async_to_sync", begin_late)
    leave_and_take_nothing(operator, paris, queue, lambda: begun.wait(SECONDS_MAX))
