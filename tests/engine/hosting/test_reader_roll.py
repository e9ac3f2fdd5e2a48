"""The readers of an instance that run somewhere else, as their host counts them (ADR 21)."""

import asyncio
from uuid import UUID, uuid4

import pytest

from engine.core.exchange.readers import ReaderEnded, ReaderStart
from engine.core.vocabulary.identifiers import ActivatedTaskId
from engine.hosting.entropy import OperatingSystemEntropy
from engine.hosting.errors import ReaderNotExpected
from engine.hosting.reader_tasks.calls import ReaderPass
from engine.hosting.reader_tasks.roll import REPEAT_LOOKS, REPEAT_LOOKS_MAX, SILENT_LOOKS_MAX, ReaderRoll

START = ReaderStart(
    task=ActivatedTaskId(7), database="Ventes", queue="dbo.Guichet", procedure_name="dbo.lire", execute_as="SELF"
)
END = ReaderEnded(task=START.task)


class Desk:
    """A roll with one reader that was called for, and what it told whom."""

    def __init__(self):
        self.calls, self.ends, self.carried_out = [], [], []
        self.answer = asyncio.Event()
        self.answer.set()
        self.roll = ReaderRoll(
            ("démo", "PARIS"),
            lambda key, call: self.calls.append((key, call)),
            self.execute,
            self.ends.append,
            OperatingSystemEntropy(),
        )
        self.roll.start_reader(START)
        self.life = self.calls[0][1].life

    async def execute(self, commands):
        await self.answer.wait()
        self.carried_out.append(commands)
        return []

    def run(self, life: UUID | None = None, task: int = START.task) -> ReaderPass:
        return ReaderPass(life or self.life, ActivatedTaskId(task), uuid4())

    def look(self, times: int) -> None:
        for _ in range(times):
            self.roll.look()


@pytest.fixture
async def desk():
    desk = Desk()
    yield desk
    desk.roll.close()


async def test_the_first_run_that_is_heard_has_the_reader_and_no_other(desk: Desk):
    first, second = desk.run(), desk.run()
    await desk.roll.execute(first, ("a",))
    with pytest.raises(ReaderNotExpected, match="another task"):
        await desk.roll.execute(second, ("b",))
    with pytest.raises(ReaderNotExpected, match="another task"):
        desk.roll.end(second, END)
    desk.roll.lost(second)
    await desk.roll.execute(first, ("c",))
    assert (desk.carried_out, desk.ends) == ([("a",), ("c",)], [])


async def test_a_reader_that_has_ended_is_heard_no_more(desk: Desk):
    run = desk.run()
    await desk.roll.execute(run, ())
    desk.roll.end(run, END)
    with pytest.raises(ReaderNotExpected):
        await desk.roll.execute(run, ("late",))
    with pytest.raises(ReaderNotExpected):
        desk.roll.end(run, END)
    desk.roll.lost(run)
    assert (desk.ends, desk.carried_out) == ([END], [()])


async def test_readers_of_an_earlier_life_and_unknown_ones_are_not_heard(desk: Desk):
    for whose in (desk.run(life=uuid4()), desk.run(task=8)):
        with pytest.raises(ReaderNotExpected):
            await desk.roll.execute(whose, ("a",))
        desk.roll.lost(whose)
    assert (desk.ends, desk.carried_out) == ([], [])


async def test_a_call_is_repeated_until_it_is_answered_twice_as_late_each_time(desk: Desk):
    desk.look(REPEAT_LOOKS - 1)
    assert len(desk.calls) == 1
    desk.look(1)
    assert len(desk.calls) == 2
    desk.look(2 * REPEAT_LOOKS)
    assert len(desk.calls) == 3
    desk.look(100 * REPEAT_LOOKS_MAX)
    assert 90 <= len(desk.calls) <= 110, "the intervals have their bound"
    assert {call.life for _, call in desk.calls} == {desk.life}
    said = len(desk.calls)
    await desk.roll.execute(desk.run(), ())
    desk.look(SILENT_LOOKS_MAX)
    assert (len(desk.calls), desk.ends) == (said, [])


async def test_a_reader_that_is_silent_for_too_long_is_lost_and_what_it_waits_for_ends(desk: Desk):
    run = desk.run()
    await desk.roll.execute(run, ())
    desk.answer.clear()
    waits = asyncio.create_task(desk.roll.execute(run, ("wait",)))
    await asyncio.sleep(0)
    desk.look(SILENT_LOOKS_MAX)
    assert desk.ends == []
    desk.look(1)
    [end] = desk.ends
    assert (end.task, end.number, end.is_lost) == (START.task, 28088, True)
    with pytest.raises(ReaderNotExpected):
        await waits
    assert desk.carried_out == [()]


async def test_a_sign_of_life_is_enough(desk: Desk):
    run = desk.run()
    for _ in range(5):
        await desk.roll.execute(run, ())
        desk.look(SILENT_LOOKS_MAX)
    assert desk.ends == []


async def test_a_broken_session_is_a_lost_reader_at_once(desk: Desk):
    run = desk.run()
    await desk.roll.execute(run, ())
    desk.roll.lost(run)
    assert [end.is_lost for end in desk.ends] == [True]


async def test_an_instance_that_falls_silent_hears_no_reader_and_tells_of_none(desk: Desk):
    run = desk.run()
    await desk.roll.execute(run, ())
    desk.roll.close()
    with pytest.raises(ReaderNotExpected):
        await desk.roll.execute(run, ())
    desk.look(2 * SILENT_LOOKS_MAX)
    assert desk.ends == []
