"""A process that sends a hundred messages, says each number once it is stored, then says what has arrived.

Run as `python -m tests.engine.hosting.engine_process DATA_DIRECTORY BROKER_URL CONVERSATION`. With an empty broker URL
it hosts the engine itself, with its stores where ENGINE_STORE_URL says, and is made to be killed; else it is a client
of workers that may be killed.
"""

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar
from uuid import UUID

from engine.hosting.app import configure
from engine.hosting.embedded import EmbeddedEngine
from engine.hosting.errors import EngineUnavailable
from engine.hosting.settings import HostingSettings
from tests.engine.hosting import two_instances
from tests.engine.hosting.two_instances import (
    WAIT_SECONDS_MAX,
    begin_dialog,
    define,
    ready_at_lyon,
    receive_all,
    send,
    waiting_at_paris,
)
from tests.support.waiting import until

MESSAGES = 100
PATIENCE_SECONDS = 3.0
"""A client that expects workers to die does not wait long before it asks again."""


def engine_alone() -> dict[str, str]:
    """The environment of a process without the web: Celery would set Django up, and that configures the engine."""
    return {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}


def main(data_directory: str, broker_url: str, conversation: str) -> None:
    if broker_url:
        configure(HostingSettings(data_directory=Path(data_directory), broker_url=broker_url))
        two_instances.patience_seconds = PATIENCE_SECONDS
        exchange(UUID(conversation))
        return
    store_url = os.environ.get("ENGINE_STORE_URL") or None
    configure(HostingSettings(data_directory=Path(data_directory), store_url=store_url, wakes_web=False))
    engine = EmbeddedEngine()
    engine.start()
    exchange(UUID(conversation))
    engine.stop()


def exchange(conversation: UUID) -> None:
    persistently(define)
    handle = begin_dialog(conversation)
    for number in range(MESSAGES):
        persistently(lambda number=number: send(handle, number))
        say(number)
    until(lambda: asked(lambda: waiting_at_paris() == 0), "everything is acknowledged")
    until(lambda: asked(lambda: ready_at_lyon() == MESSAGES), "everything is there to be received")
    say("received", *receive_all())


T = TypeVar("T")


def persistently(act: Callable[[], T]) -> T:
    """Try again while the engine is unavailable, as every client may: commands have keys."""
    deadline = time.monotonic() + WAIT_SECONDS_MAX
    while True:
        try:
            return act()
        except EngineUnavailable:
            if time.monotonic() > deadline:
                raise


def asked(question: Callable[[], bool]) -> bool:
    try:
        return question()
    except EngineUnavailable:
        return False


def say(*words: object) -> None:
    sys.stdout.write(" ".join(map(str, words)) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
