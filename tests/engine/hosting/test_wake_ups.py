"""Wake-ups are few, and the last one of a burst is never lost."""

import pytest

from engine.core.vocabulary.identifiers import EstateName, EventSequence, InstanceName
from engine.hosting.wakeups import INTERVAL_SECONDS, UNWATCHED_SECONDS, WATCHED_SECONDS, WakeUps
from tests.support.hand_clock import HandTime

DEMO, PARIS, LYON = EstateName("demo"), InstanceName("PARIS"), InstanceName("LYON")


class Web:
    """Hears wake-ups in the sender's thread; its time passes when the test says so."""

    def __init__(self) -> None:
        self.woken: list[tuple[str, int]] = []
        self.time = HandTime()
        self.wakeups = WakeUps(self.wake)

    def wake(self, estate: EstateName, instance: InstanceName, sequence: EventSequence) -> None:
        self.woken.append((instance, sequence))

    def note(self, instance: InstanceName, *numbers: int) -> None:
        for number in numbers:
            self.wakeups.note(DEMO, instance, EventSequence(number))

    async def woken_after(self, seconds: float) -> list[tuple[str, int]]:
        """What it has heard since the beginning, once so much more time has passed."""
        await self.time.advance(seconds)
        # The sender has one thread: what was sent before this was heard.
        self.wakeups._sender.submit(lambda: None).result()
        return self.woken


@pytest.fixture
async def web() -> Web:
    return Web()


async def test_an_instance_that_nobody_looks_at_is_told_of_seldom_and_soon_once_somebody_does(web: Web):
    web.note(PARIS, *range(1, 1001))
    assert await web.woken_after(3 * INTERVAL_SECONDS) == [("PARIS", 1)]
    web.wakeups.looked(DEMO, PARIS)
    assert await web.woken_after(INTERVAL_SECONDS / 2) == [("PARIS", 1)]
    assert await web.woken_after(INTERVAL_SECONDS) == [("PARIS", 1), ("PARIS", 1000)]
    web.note(PARIS, 1001, 1002)
    assert await web.woken_after(INTERVAL_SECONDS) == [("PARIS", 1), ("PARIS", 1000), ("PARIS", 1002)]
    web.wakeups.close()


async def test_an_instance_that_nobody_looks_at_any_more_is_told_of_seldom_again(web: Web):
    web.wakeups.looked(DEMO, PARIS)
    await web.time.advance(WATCHED_SECONDS)
    web.note(PARIS, 1, 2)
    assert await web.woken_after(UNWATCHED_SECONDS - INTERVAL_SECONDS) == [("PARIS", 1)]
    assert await web.woken_after(INTERVAL_SECONDS) == [("PARIS", 1), ("PARIS", 2)]
    web.wakeups.close()


async def test_who_looks_again_and_again_does_not_put_off_what_is_due(web: Web):
    web.wakeups.looked(DEMO, PARIS)
    web.note(PARIS, 1, 2)
    for _ in range(15):
        await web.time.advance(INTERVAL_SECONDS / 10)
        web.wakeups.looked(DEMO, PARIS)
    assert await web.woken_after(0) == [("PARIS", 1), ("PARIS", 2)]
    web.wakeups.close()


async def test_a_burst_is_two_wake_ups_the_first_at_once_and_the_newest_after_the_rest(web: Web):
    web.wakeups.looked(DEMO, PARIS)
    web.note(PARIS, *range(1, 1001))
    assert await web.woken_after(0) == [("PARIS", 1)]
    for _ in range(3):
        assert await web.woken_after(INTERVAL_SECONDS) == [("PARIS", 1), ("PARIS", 1000)]
    web.wakeups.close()


async def test_after_a_rest_the_next_event_is_told_at_once(web: Web):
    web.wakeups.looked(DEMO, PARIS)
    web.note(PARIS, 1)
    await web.time.advance(1.5 * INTERVAL_SECONDS)
    web.note(PARIS, 2)
    assert await web.woken_after(0) == [("PARIS", 1), ("PARIS", 2)]
    web.wakeups.close()


async def test_instances_do_not_wait_for_each_other(web: Web):
    web.note(PARIS, 1, 2)
    web.note(LYON, 7)
    web.wakeups.close()
    assert sorted(web.woken) == [("LYON", 7), ("PARIS", 1), ("PARIS", 2)]


async def test_what_is_still_due_is_told_before_the_end(web: Web):
    web.note(PARIS, 1, 2, 3)
    web.wakeups.close()
    assert web.woken == [("PARIS", 1), ("PARIS", 3)]


async def test_a_web_that_cannot_be_told_harms_nobody(caplog):
    def broken(estate: EstateName, instance: InstanceName, sequence: EventSequence) -> None:
        raise ConnectionRefusedError

    wakeups = WakeUps(broken)
    wakeups.note(DEMO, PARIS, EventSequence(1))
    wakeups.close()
    assert "could not be told" in caplog.text
