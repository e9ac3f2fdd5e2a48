"""Whoever may not read payloads reads none, whichever way they ask: every operation that reads, and the websocket."""

from __future__ import annotations

import re
from itertools import product
from uuid import uuid4

import pytest

from brokerweb.accounts.rights import Role
from brokerweb.live.topics import TOPICS, EstateTopic
from brokerweb.operations.bodies import readable_message
from engine import api as engine
from tests.brokerweb.live_browser import Browser
from tests.support.api_calls import api_document
from tests.support.waiting import until

SECRET = "Kontonummer-4711"
TRACES = [
    SECRET.encode(),
    SECRET.encode("utf-16-le"),
    SECRET.encode().hex().encode(),
    SECRET.encode("utf-16-le").hex().encode(),
]
"""The body as anything that tells it would spell it; compared without regard to case."""
VIEWS = ("dbo.File", "sys.transmission_queue", "sys.conversation_endpoints")


def tells(content: bytes) -> bool:
    return any(trace.lower() in content.lower() for trace in TRACES)


@pytest.fixture
def operator(live_estate, api_as):
    return api_as(Role.OPERATOR)


@pytest.fixture
def unread(live_estate, operator, api_as):
    """Addresses of PARIS and LYON: one message waits in LYON's queue, one in the transmission queue of PARIS."""
    paris = f"/estates/{live_estate.name}/instances/PARIS/databases/Ventes"
    lyon = f"/estates/{live_estate.name}/instances/LYON/databases/Stock"
    for to_service in ("//test/Réception", "//nowhere"):
        clauses = {"from_service": "//test/Commandes", "to_service": to_service}
        handle = operator.ask("POST", f"{paris}/conversations", clauses).json()["conversation_handle"]
        for encoding in ("utf-8", "utf-16"):
            sent = {"bodies": [SECRET], "encoding": encoding}
            assert operator.ask("POST", f"{paris}/conversations/{handle}/messages", sent).status_code == 201
    until(lambda: operator.ask("GET", f"{lyon}/queues/dbo.File/messages").json()["total"] == 2, "they have arrived")
    return paris, lyon


def addresses(paris: str, lyon: str):
    """Every operation that reads, of both databases; what is numbered is number 1."""
    for path, operations in api_document()["paths"].items():
        if "get" in operations:
            short = path.removeprefix("/api/v1")
            for place in (paris, lyon):
                _, estate, _, instance, _, database = place.removeprefix("/").split("/")
                for view, topic in product(VIEWS, TOPICS):
                    named = {
                        "estate": estate,
                        "instance": instance,
                        "database": database,
                        "queue": "dbo.File",
                        "view": view,
                        "topic": topic,
                    }
                    yield re.sub(r"{(\w+)}", lambda found, named=named: named.get(found[1], "1"), short)


def test_nothing_that_is_read_tells_a_body_to_who_may_not_read_payloads(unread, operator, api_as):
    seen_by_operator = 0
    stranger = api_as(Role.ADMIN, reads_payloads=False)
    for address in sorted(set(addresses(*unread))):
        answer = stranger.ask("GET", address)
        content = b"".join(answer.streaming_content) if answer.streaming else answer.content
        assert answer.status_code < 500, address
        assert not tells(content), address
        seen_by_operator += tells(operator.ask("GET", address).content)
    # The same walk shows the body to who may read it: in the queue, its view and the transmission queue.
    assert seen_by_operator == 3


def test_a_look_and_a_receive_say_which_right_is_missing(unread, api_as):
    _, lyon = unread
    stranger = api_as(Role.OPERATOR, reads_payloads=False)
    (message, _) = stranger.ask("GET", f"{lyon}/queues/dbo.File/messages").json()["messages"]
    assert message["message_body"] is None
    assert message["message_body_withheld"] == "read-payloads"
    assert message["message_body_bytes"] == len(SECRET)
    assert message["message_type_name"] == "DEFAULT"
    received = stranger.ask("POST", f"{lyon}/queues/dbo.File/receive", {"top": 10})
    assert [each["message_body_withheld"] for each in received.json()["messages"]] == ["read-payloads"] * 2
    assert not tells(received.content)


def test_a_message_without_a_body_withholds_nothing(unread, live_estate, operator, api_as):
    paris, _ = unread
    stranger = api_as(Role.OPERATOR, reads_payloads=False)
    handle = operator.ask(
        "POST", f"{paris}/conversations", {"from_service": "//test/Commandes", "to_service": "//test/Réception"}
    ).json()["conversation_handle"]
    assert operator.ask("POST", f"{paris}/conversations/{handle}/timer", {"timeout_seconds": 1}).status_code == 200
    until(lambda: stranger.ask("GET", f"{paris}/queues/dbo.File/messages").json()["total"] == 1, "the timer has fired")
    (message,) = stranger.ask("GET", f"{paris}/queues/dbo.File/messages").json()["messages"]
    assert (message["message_body"], message["message_body_withheld"]) == (None, None)


async def test_the_websocket_tells_no_body_to_anybody(unread, live_estate, operator):
    async with Browser(operator) as browser:
        await browser.greet()
        folds = {
            topic: await browser.subscribe(number, live_estate.name, topic)
            for number, topic in enumerate(TOPICS, start=1)
        }
        tables = [folds[topic] for topic, kind in TOPICS.items() if kind is not EstateTopic]
        # A message that waits and one that has arrived are among what is told.
        await browser.until(lambda: all({"PARIS", "LYON"} <= set(fold.table.facts) for fold in tables))
        assert folds["transmissions"].rows(to_service_name="//nowhere")
        assert folds["queues"].rows(ready=2)
        assert not tells(repr(browser.heard).encode())


def test_no_body_leaves_the_engine_for_who_may_not_read_payloads(unread, operator, api_as, monkeypatch):
    _, lyon = unread
    peeks = []
    peek_queue = engine.peek_queue

    def seen(*arguments, **more):
        peeks.append(peek_queue(*arguments, **more))
        return peeks[-1]

    monkeypatch.setattr(engine, "peek_queue", seen)
    address = f"{lyon}/queues/dbo.File/messages"
    withheld = api_as(Role.VIEWER, reads_payloads=False).ask("GET", address).json()["messages"]
    shown = operator.ask("GET", address).json()["messages"]
    assert [row.message_body for row in peeks[0].messages] == [b"", b""]
    assert [each["message_body_withheld"] for each in withheld] == ["read-payloads"] * 2
    assert [each["message_body"] for each in shown] == [SECRET] * 2
    assert [each["message_body_bytes"] for each in withheld] == [each["message_body_bytes"] for each in shown]
    assert [each["message_body_shown_bytes"] for each in withheld] == [0, 0]
    assert [each["message_body_shown_bytes"] for each in shown] == [each["message_body_bytes"] for each in shown]


def test_how_much_of_a_body_is_shown_stands_beside_its_size():
    row = engine.QueueRow(
        status=engine.QueueRowStatus.READY,
        priority=5,
        queuing_order=1,
        conversation_group_id=uuid4(),
        conversation_handle=uuid4(),
        message_sequence_number=0,
        service_name="s",
        service_contract_name="c",
        message_type_name="t",
        message_enqueue_time=engine.UtcTime(0.0),
        message_body=b"abc",
    )
    whole, cut, withheld = (
        readable_message(row, shows_body=True),
        readable_message(row, shows_body=True, size=9),
        readable_message(row, shows_body=False, size=9),
    )
    sizes = [(each["message_body_shown_bytes"], each["message_body_bytes"]) for each in (whole, cut, withheld)]
    assert sizes == [(3, 3), (3, 9), (0, 9)]
