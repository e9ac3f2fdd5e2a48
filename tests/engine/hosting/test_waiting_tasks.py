"""WAITFOR through real Celery tasks: no thread of the worker waits, and nobody polls (ADR 14)."""

import time
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import pytest

from engine.core.exchange.commands import WAIT_FOR_EVER, Receive
from engine.core.exchange.replies import MessagesReceived
from engine.core.vocabulary.identifiers import CommandId
from engine.hosting import client
from engine.hosting.app import celery_app
from engine.hosting.bootstep import running_host
from engine.hosting.embedded import EmbeddedEngine
from engine.hosting.errors import EngineUnavailable
from tests.engine.hosting.two_instances import (
    ESTATE,
    LYON,
    QUEUE,
    STOCK,
    begin_dialog,
    define,
    ready_at_lyon,
    receive_all,
    send,
)
from tests.support.waiting import SECONDS_MAX, until


def wait(waitfor_milliseconds=WAIT_FOR_EVER, command_id=None):
    """Wait at LYON's queue; answers the numbers of the messages that came."""
    command = Receive(
        command_id=CommandId(command_id or uuid4()),
        database=STOCK,
        queue=QUEUE,
        waitfor_milliseconds=waitfor_milliseconds,
    )
    [reply] = client.execute(ESTATE, LYON, [command])
    assert isinstance(reply, MessagesReceived), reply
    return [int(row.message_body) for row in reply.messages]


def processor_share() -> float:
    """How much of a processor this process takes, in two seconds."""
    began, before = time.monotonic(), time.process_time()
    while time.monotonic() < began + 2:
        time.sleep(0.1)
    return (time.process_time() - before) / (time.monotonic() - began)


@pytest.fixture
def threads():
    with ThreadPoolExecutor(64) as threads:
        yield threads


def test_more_callers_wait_than_the_worker_has_threads_and_others_are_answered_meanwhile(
    engine: EmbeddedEngine, threads: ThreadPoolExecutor
):
    define()
    callers = 2 * celery_app.hosting.worker_threads
    answers = [threads.submit(wait) for _ in range(callers)]
    handle = begin_dialog()
    for number in range(callers):
        send(handle, number)
    assert sorted(number for answer in answers for number in answer.result(SECONDS_MAX)) == list(range(callers))
    assert receive_all() == []


def test_the_time_runs_out_with_the_empty_set(engine: EmbeddedEngine):
    define()
    assert wait(waitfor_milliseconds=100) == []


def test_a_wait_is_cancelled_from_another_thread(engine: EmbeddedEngine, threads: ThreadPoolExecutor):
    define()
    command_id = uuid4()
    answer = threads.submit(wait, command_id=command_id)
    until(lambda: client.cancel_wait(ESTATE, LYON, command_id) or answer.done(), "the wait has ended")
    assert answer.result() == []
    send(begin_dialog(), 7)
    until(lambda: ready_at_lyon() == 1, "it has arrived, and nobody took it")


def test_an_instance_that_is_closed_tells_who_waits(engine: EmbeddedEngine, threads: ThreadPoolExecutor):
    define()
    answers = [threads.submit(wait) for _ in range(3)]
    handle = begin_dialog()
    send(handle, 0)
    until(lambda: any(answer.done() for answer in answers), "they wait, and the first was served")
    client.close_instance(ESTATE, LYON)
    ends = [answer.exception(30) for answer in answers]
    assert sum(isinstance(each, EngineUnavailable) for each in ends) == 2


def test_who_waits_leaves_the_process_alone(engine: EmbeddedEngine, threads: ThreadPoolExecutor):
    """Fifty callers and their instance sleep: together with the dashboard's worker less than a tenth of a processor."""
    define()
    handle = begin_dialog()
    callers = 50
    answers = [threads.submit(wait) for _ in range(callers)]
    lyon = running_host()._roster.hosted((ESTATE, LYON))
    until(lambda: len(lyon._late_replies._expected) == callers, "all wait")
    until(lambda: processor_share() < 0.1, "they sleep")
    for number in range(callers):
        send(handle, number)
    assert sorted(number for answer in answers for number in answer.result(SECONDS_MAX)) == list(range(callers))
