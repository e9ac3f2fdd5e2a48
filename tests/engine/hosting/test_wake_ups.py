"""Wake-ups are few, and the last one of a burst is never lost."""

import asyncio

from engine.core.vocabulary.identifiers import EstateName, EventSequence, InstanceName
from engine.hosting.wakeups import INTERVAL_SECONDS, WakeUps

DEMO, PARIS, LYON = EstateName("demo"), InstanceName("PARIS"), InstanceName("LYON")


class Web:
    """Hears wake-ups in the sender's thread and tells the test's loop."""

    def __init__(self) -> None:
        self.woken: list[tuple[str, int]] = []
        self.wakeups = WakeUps(self.wake)

    def wake(self, estate: EstateName, instance: InstanceName, sequence: EventSequence) -> None:
        self.woken.append((instance, sequence))

    def note(self, instance: InstanceName, *numbers: int) -> None:
        for number in numbers:
            self.wakeups.note(DEMO, instance, EventSequence(number))


async def test_an_instance_that_nobody_looks_at_is_told_of_seldom_and_soon_once_somebody_does():
    web = Web()
    web.note(PARIS, *range(1, 1001))
    await asyncio.sleep(3 * INTERVAL_SECONDS)
    assert web.woken == [("PARIS", 1)]
    web.wakeups.looked(DEMO, PARIS)
    await asyncio.sleep(1.5 * INTERVAL_SECONDS)
    assert web.woken == [("PARIS", 1), ("PARIS", 1000)]
    web.note(PARIS, 1001, 1002)
    await asyncio.sleep(1.5 * INTERVAL_SECONDS)
    assert web.woken[2:] == [("PARIS", 1002)]
    web.wakeups.close()


async def test_who_looks_again_and_again_does_not_put_off_what_is_due():
    web = Web()
    web.wakeups.looked(DEMO, PARIS)
    web.note(PARIS, 1, 2)
    for _ in range(15):
        await asyncio.sleep(INTERVAL_SECONDS / 10)
        web.wakeups.looked(DEMO, PARIS)
    assert web.woken == [("PARIS", 1), ("PARIS", 2)]
    web.wakeups.close()


async def test_a_burst_is_two_wake_ups_the_first_at_once_and_the_newest_after_the_rest():
    web = Web()
    web.wakeups.looked(DEMO, PARIS)
    web.note(PARIS, *range(1, 1001))
    await asyncio.sleep(2.5 * INTERVAL_SECONDS)
    assert web.woken == [("PARIS", 1), ("PARIS", 1000)]
    web.wakeups.close()


async def test_after_a_rest_the_next_event_is_told_at_once():
    web = Web()
    web.wakeups.looked(DEMO, PARIS)
    web.note(PARIS, 1)
    await asyncio.sleep(1.5 * INTERVAL_SECONDS)
    web.note(PARIS, 2)
    web.wakeups.close()
    assert web.woken == [("PARIS", 1), ("PARIS", 2)]


async def test_instances_do_not_wait_for_each_other():
    web = Web()
    web.note(PARIS, 1, 2)
    web.note(LYON, 7)
    web.wakeups.close()
    assert sorted(web.woken) == [("LYON", 7), ("PARIS", 1), ("PARIS", 2)]


async def test_what_is_still_due_is_told_before_the_end():
    web = Web()
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
