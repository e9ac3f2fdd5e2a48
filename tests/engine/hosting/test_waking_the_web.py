"""The web is woken by the worker that hosts: at once where it takes such tasks itself, else over the broker."""

import time
from collections.abc import Iterator

import pytest
from celery import Task
from celery.signals import before_task_publish

from engine.hosting import client
from engine.hosting.app import celery_app, configure
from engine.hosting.bootstep import WAKE_QUEUE, WAKE_TASK
from engine.hosting.embedded import EmbeddedEngine
from engine.hosting.settings import HostingSettings
from tests.engine.hosting.two_instances import ESTATE, PARIS, begin_dialog, define, send, waiting_at_paris
from tests.support.waiting import until


@pytest.fixture
def woken() -> Iterator[list[tuple[str, str, int]]]:
    """What a web would hear without a way through the broker; the real one's task, if it is loaded, stands aside."""
    heard: list[tuple[str, str, int]] = []
    real = celery_app.tasks.pop(WAKE_TASK, None)

    @celery_app.task(name=WAKE_TASK, ignore_result=True, bind=True)
    def wake(task: Task, estate: str, instance: str, sequence: int) -> None:
        if task.request.called_directly:
            heard.append((estate, instance, sequence))

    yield heard
    del celery_app.tasks[WAKE_TASK]
    if real is not None:
        celery_app.tasks[WAKE_TASK] = real


def test_a_worker_that_does_not_take_wake_ups_sends_them(woken: list[tuple[str, str, int]], settings: HostingSettings):
    configure(HostingSettings(data_directory=settings.data_directory))
    sent: list[str] = []

    def note(sender: str, routing_key: str, **_: object) -> None:
        if sender == WAKE_TASK:
            sent.append(routing_key)

    engine = EmbeddedEngine()
    engine.start()
    before_task_publish.connect(note)
    try:
        define()
        until(lambda: sent, "a wake-up is on its way")
    finally:
        before_task_publish.disconnect(note)
        engine.stop()
    assert set(sent) == {WAKE_QUEUE}
    assert woken == []


def test_the_web_is_woken_with_the_newest_number_and_not_for_every_event(
    woken: list[tuple[str, str, int]], settings: HostingSettings
):
    configure(HostingSettings(data_directory=settings.data_directory))
    engine = EmbeddedEngine(further_queues=[WAKE_QUEUE])
    engine.start()
    try:
        define()
        handle = begin_dialog()
        began = time.monotonic()
        for number in range(100):
            send(handle, number)
        until(lambda: waiting_at_paris() == 0, "all are acknowledged")
        last = client.read_view(ESTATE, PARIS, 0).last_event
        until(lambda: (ESTATE, PARIS, last) in woken, "the newest number is told")
        elapsed = time.monotonic() - began
    finally:
        engine.stop()
    at_paris = [sequence for _, instance, sequence in woken if instance == PARIS]
    assert at_paris == sorted(at_paris)
    assert len(at_paris) <= elapsed / 0.1 + 10
