"""The regular look at the outbox ends with its process: no delivery is cut off, and none begins that would be."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from brokerweb.config.process.outbox_loop import OutboxLoop
from brokerweb.topology.services.publish import DELIVERIES, publish_begin

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def deliveries_afterwards() -> Iterator[None]:
    """Those of the process of these tests."""
    yield
    publish_begin()


def may_begin() -> bool:
    with DELIVERIES.one() as may:
        return may


def test_its_end_waits_for_the_delivery_of_another_thread() -> None:
    loop = OutboxLoop()
    loop.start()
    with ThreadPoolExecutor() as threads:
        with DELIVERIES.one():
            ending = threads.submit(loop.stop)
            with pytest.raises(TimeoutError):
                ending.result(0.5)
        ending.result(60)
    assert not may_begin()


def test_a_process_that_begins_once_more_delivers_again() -> None:
    first, second = OutboxLoop(), OutboxLoop()
    first.start()
    first.stop()
    assert not may_begin()
    second.start()
    assert may_begin()
    second.stop()
