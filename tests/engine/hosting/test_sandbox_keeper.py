"""`SandboxKeeper`: processes that keep the same sandboxes by one log, clocks, waits, and full memory."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from threading import Event
from typing import Any
from uuid import uuid4

import pytest

from engine.core.exchange.commands import BeginDialog, Receive, Send
from engine.core.exchange.replies import DialogBegun, MessagesReceived
from engine.core.vocabulary.errors import LocalProtocolError
from engine.hosting.errors import EngineUnavailable, SandboxClosed
from engine.hosting.sandboxes.entry_log import Append, MemoryEntryLog
from engine.hosting.sandboxes.keeper import SandboxKeeper
from engine.hosting.sandboxes.kept_hands import KeptHands
from engine.sandbox.actions import ActionOutcome, ClockSet, CommandsGiven, Entry, FaultBegun, TrafficBegun
from engine.sandbox.clock import LASTS_SECONDS_MAX, RUNS_SECONDS_MAX, RUNS_WALL_SECONDS_MAX
from engine.sandbox.sandbox import Sandbox
from engine.sandbox.server import InstanceDown
from engine.sandbox.spec import BadSandbox, SandboxSpec, TrafficPair, TrafficPlan
from engine.sandbox.target import OwnHands, SandboxTarget
from engine.whatif.faults import Fault, FaultKind
from tests.support.diagnosed_estates import NOW, sound_estate
from tests.support.numbered_entropy import NumberedEntropy

NAME = "~mine"
PAIR = TrafficPair(
    from_instance="WEST",
    from_database="Shop",
    from_service="Till",
    to_service="Stock",
    contract="Sale",
    message_type="Order",
)
TRAFFIC = TrafficBegun(name="test", plan=TrafficPlan(pairs=(PAIR,), rate=2.0))


class Wall:
    """A clock on the wall that goes when it is told to, a little with each look if wanted."""

    def __init__(self) -> None:
        self.seconds, self.with_each_look = 1_000.0, 0.0

    def __call__(self) -> float:
        self.seconds += self.with_each_look
        return self.seconds


class Broken(MemoryEntryLog):
    """Cannot be written."""

    is_broken = False

    def append(self, name: str, entry: Entry) -> Append:
        if self.is_broken:
            raise OSError("disk full")
        return super().append(name, entry)


@pytest.fixture
def wall() -> Wall:
    return Wall()


@pytest.fixture
def log() -> MemoryEntryLog:
    log = MemoryEntryLog()
    open_sandbox(log, NAME)
    return log


def open_sandbox(log: MemoryEntryLog, name: str) -> None:
    log.open(name, SandboxSpec(seed=1, begins_at=NOW, instances=tuple(sound_estate().values())))


@pytest.fixture
def keeper(log: MemoryEntryLog, wall: Wall) -> SandboxKeeper:
    return SandboxKeeper(log, wall)


def order(keeper: SandboxKeeper, name: str = NAME) -> None:
    (begun,) = keeper.perform(
        name,
        CommandsGiven(
            instance="WEST",
            commands=(
                BeginDialog(
                    command_id=uuid4(), database="Shop", from_service="Till", to_service="Stock", contract="Sale"
                ),
            ),
        ),
    ).replies
    assert isinstance(begun, DialogBegun)
    send = Send(
        command_id=uuid4(), database="Shop", conversation_handle=begun.conversation_handle, message_type="Order"
    )
    keeper.perform(name, CommandsGiven(instance="WEST", commands=(send,)))


def seconds(keeper: SandboxKeeper, name: str = NAME) -> float:
    return keeper.look(name, lambda sandbox: sandbox.seconds)


def in_queue(keeper: SandboxKeeper, name: str = NAME) -> int:
    return keeper.look(name, lambda sandbox: len(sandbox.peek("EAST", "Store", "dbo.Inbox", 100).messages))


def test_time_stands_still_until_it_is_let_run_and_passes_as_fast_as_that(keeper, wall):
    wall.seconds += 100.0
    assert seconds(keeper) == 0.0
    keeper.set_rate(NAME, 600.0)
    wall.seconds += 2.0
    assert seconds(keeper) == 1_200.0
    keeper.set_rate(NAME, 0.0)
    wall.seconds += 50.0
    assert seconds(keeper) == 1_200.0
    keeper.step(NAME, 30.0)
    assert seconds(keeper) == 1_230.0
    with pytest.raises(BadSandbox):
        keeper.set_rate(NAME, 601.0)


def test_a_step_leaves_the_clock_going_as_it_went(keeper, wall):
    keeper.set_rate(NAME, 10.0)
    wall.seconds += 1.0
    keeper.step(NAME, 100.0)
    assert seconds(keeper) == 110.0
    wall.seconds += 1.0
    assert seconds(keeper) == 120.0


@pytest.mark.parametrize(("rate", "seconds_max"), [(1.0, RUNS_WALL_SECONDS_MAX), (600.0, RUNS_SECONDS_MAX)])
def test_a_clock_that_nobody_looks_at_stands_still_in_the_end(keeper, wall, rate, seconds_max):
    keeper.set_rate(NAME, rate)
    assert keeper.goes(NAME)
    wall.seconds += 86_400.0
    assert seconds(keeper) == seconds_max
    assert not keeper.goes(NAME)
    wall.seconds += 5.0
    assert seconds(keeper) == seconds_max
    keeper.set_rate(NAME, rate)
    wall.seconds += 2.0
    assert seconds(keeper) == seconds_max + 2.0 * rate


def test_a_clock_that_is_looked_at_goes_on_until_the_day_is_over(keeper, log, wall):
    keeper.set_rate(NAME, 600.0)
    began = wall.seconds
    for number in range(1, 140):
        wall.seconds += 1.0
        assert seconds(keeper) == pytest.approx(600.0 * number, abs=1e-3)
    assert 40 < len(log.read_after(NAME, 0)) < 80, "it is set anew now and then, not with every look"
    wall.seconds = began + 1_000.0
    keeper.set_rate(NAME, 600.0)
    wall.seconds += 5.0
    keeper.step(NAME, 3_600.0)
    assert seconds(keeper) == LASTS_SECONDS_MAX
    assert not keeper.goes(NAME)
    KeptHands(keeper, NAME).wait(60.0, lambda sandbox: False)
    assert seconds(keeper) == LASTS_SECONDS_MAX


def test_a_log_that_takes_no_more_can_be_looked_at(wall):
    log = MemoryEntryLog()
    open_sandbox(log, NAME)
    keeper = SandboxKeeper(log, wall)
    keeper.set_rate(NAME, 1.0)
    log.close(NAME)
    for number in (700.0, 1_400.0, 1_800.0, 1_800.0):
        wall.seconds += 700.0
        assert seconds(keeper) == number
    for act in (lambda: keeper.step(NAME, 30.0), lambda: order(keeper), lambda: keeper.set_rate(NAME, 0.0)):
        with pytest.raises(SandboxClosed):
            act()
    assert seconds(keeper) == 1_800.0


def test_a_log_that_cannot_be_written_is_no_reason_to_go_on_as_if_nothing_were(wall):
    log = Broken()
    open_sandbox(log, NAME)
    keeper = SandboxKeeper(log, wall)
    keeper.set_rate(NAME, 1.0)
    log.is_broken = True
    wall.seconds += 700.0
    with pytest.raises(OSError, match="disk full"):
        seconds(keeper)
    log.is_broken = False
    assert seconds(keeper) == 700.0


def test_a_jump_leads_to_what_happens_next(keeper):
    order(keeper)
    keeper.jump(NAME)
    assert 0.0 < seconds(keeper) < 1.0
    for _ in range(20):
        keeper.jump(NAME, 5.0)
    assert in_queue(keeper) == 1


def test_a_restart_finds_everything_where_it_was(keeper, log, wall):
    keeper.perform(NAME, TRAFFIC)
    keeper.set_rate(NAME, 60.0)
    order(keeper)
    wall.seconds += 3.0
    before = keeper.look(NAME, everything)
    assert SandboxKeeper(log, wall).look(NAME, everything) == before


def everything(sandbox: Sandbox) -> Any:
    places = [sandbox.events_after(name, 0, 10_000) for name in sandbox.instances()]
    return sandbox.seconds, sandbox.sequence, sandbox.clock, sandbox.traffic(), places


def test_two_processes_that_write_at_once_agree(log, wall):
    wall.with_each_look = 0.003
    one, other = SandboxKeeper(log, wall), SandboxKeeper(log, wall)
    one.set_rate(NAME, 600.0)

    def many(keeper: SandboxKeeper) -> None:
        for _ in range(15):
            order(keeper)
            keeper.step(NAME, 1.0)

    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(many, keeper) for keeper in (one, other, one, other)]:
            done.result()
    one.set_rate(NAME, 0.0)
    entries = log.read_after(NAME, 0)
    assert [entry.sequence for entry in entries] == list(range(1, 4 * 15 * 3 + 3))
    assert sorted(entries, key=lambda entry: entry.at_seconds) == list(entries)
    assert one.look(NAME, everything) == other.look(NAME, everything)
    one.step(NAME, 60.0)
    assert in_queue(other) == 60


def test_a_replica_that_is_ahead_of_another_processs_line_is_made_anew(log, wall):
    fast = Wall()
    ahead, behind = SandboxKeeper(log, fast), SandboxKeeper(log, wall)
    behind.set_rate(NAME, 10.0)
    fast.seconds, wall.seconds = wall.seconds + 3.0, wall.seconds + 2.0
    assert seconds(ahead) == 30.0
    order(behind)
    fast.seconds += 1.0
    wall.seconds += 2.0
    assert ahead.look(NAME, everything) == behind.look(NAME, everything)
    assert (in_queue(ahead), ahead.rebuilt, behind.rebuilt) == (1, 2, 1)


class Late(MemoryEntryLog):
    """Somebody else's line is written just before one of ours."""

    def __init__(self) -> None:
        super().__init__()
        self.first: Callable[[], object] | None = None

    def append(self, name: str, entry: Entry) -> Append:
        if self.first is not None:
            first, self.first = self.first, None
            first()
        return super().append(name, entry)


def test_who_comes_second_begins_again_where_the_other_has_left_it(wall):
    log = Late()
    open_sandbox(log, NAME)
    keeper, other = SandboxKeeper(log, wall), SandboxKeeper(log, wall)
    log.first = lambda: other.step(NAME, 5.0)
    keeper.step(NAME, 30.0)
    assert seconds(keeper) == seconds(other) == 35.0, "five seconds of the other, then thirty of ours"
    assert keeper.rebuilt == 2


def test_what_is_not_in_the_log_has_not_happened(wall):
    log = Broken()
    open_sandbox(log, NAME)
    keeper = SandboxKeeper(log, wall)
    log.is_broken = True
    for fail in (lambda: keeper.step(NAME, 30.0), lambda: order(keeper), lambda: keeper.perform(NAME, TRAFFIC)):
        with pytest.raises(OSError, match="disk full"):
            fail()
    assert keeper.look(NAME, everything)[:2] == (0.0, 0)


def test_memory_is_bounded_and_who_was_evicted_comes_back(log, wall):
    names = [f"~{number}" for number in range(5)]
    for name in names:
        open_sandbox(log, name)
    keeper = SandboxKeeper(log, wall, replicas_max=2)
    for name in names:
        order(keeper, name)
        keeper.step(name, 1.0)
    assert keeper.rebuilt == 5
    assert [in_queue(keeper, name) for name in names] == [1] * 5
    assert keeper.rebuilt == 10, "each had been evicted"
    assert in_queue(keeper, names[-1]) == 1
    assert keeper.rebuilt == 10, "the last one is still there"


def test_nobody_waits_for_a_sandbox_that_is_not_there(keeper):
    for _ in range(3):
        with pytest.raises(EngineUnavailable, match="no sandbox ~other"):
            seconds(keeper, "~other")


# ── waits ────────────────────────────────────────────────────────────────────────────────────────────────────────────
def test_a_wait_goes_as_the_clock_goes(keeper, wall):
    wall.with_each_look = 0.01
    keeper.set_rate(NAME, 100.0)
    started = seconds(keeper)
    KeptHands(keeper, NAME).wait(30.0, lambda sandbox: False)
    assert started + 30.0 <= seconds(keeper) < started + 60.0


def test_a_wait_while_time_stands_still_is_a_step(keeper):
    order(keeper)
    outcome = wait_for_message(keeper)
    (command_id,) = outcome.waiting
    hands = KeptHands(keeper, NAME)
    hands.wait(60.0, lambda sandbox: sandbox.reply("EAST", command_id) is not None)
    assert isinstance(hands.look(lambda sandbox: sandbox.reply("EAST", command_id)), MessagesReceived)
    assert 0.0 < seconds(keeper) < 1.0


def wait_for_message(keeper: SandboxKeeper) -> ActionOutcome:
    wait = Receive(command_id=uuid4(), database="Store", queue="dbo.Inbox", waitfor_milliseconds=-1)
    return keeper.perform(NAME, CommandsGiven(instance="EAST", commands=(wait,)))


def test_a_wait_at_an_instance_that_goes_down_ends(keeper):
    (command_id,) = wait_for_message(keeper).waiting
    keeper.perform(NAME, FaultBegun(fault=Fault(kind=FaultKind.INSTANCE, instance="EAST")))
    with pytest.raises(InstanceDown):
        KeptHands(keeper, NAME).wait(60.0, lambda sandbox: sandbox.reply("EAST", command_id) is not None)


def test_a_wait_for_which_no_processor_is_to_be_had_ends_and_says_so(log, wall):
    working = count(step=10.0)
    keeper = SandboxKeeper(log, wall, worked=lambda: next(working))
    keeper.perform(NAME, TRAFFIC)
    target = SandboxTarget(KeptHands(keeper, NAME), "WEST", NumberedEntropy())
    with pytest.raises(LocalProtocolError) as refused:
        target.pause(3_600.0)
    assert refused.value.number == 10930
    hear = Receive(command_id=uuid4(), database="Shop", queue="dbo.Inbox", waitfor_milliseconds=3_600_000)
    with pytest.raises(LocalProtocolError) as refused:
        target.execute([hear])
    assert refused.value.number == 10930


def test_a_wait_in_a_sandbox_that_is_used_up_ends_and_says_so():
    spec = SandboxSpec(seed=1, begins_at=NOW, instances=tuple(sound_estate().values()), happenings_max=50)
    sandbox = Sandbox(spec)
    hands = OwnHands(sandbox)
    hands.perform(TRAFFIC)
    with pytest.raises(LocalProtocolError) as refused:
        SandboxTarget(hands, "EAST", NumberedEntropy()).pause(3_600.0)
    assert refused.value.number == 10930
    assert sandbox.is_worn_out


def test_who_waits_is_told_when_the_server_stops(keeper):
    keeper.set_rate(NAME, 1.0)
    waits = Event()
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(KeptHands(keeper, NAME).wait, 10_000.0, lambda sandbox: waits.set())
        assert waits.wait(60)
        keeper.retire()
        with pytest.raises(InstanceDown):
            waiting.result(60)
    with pytest.raises(EngineUnavailable):
        keeper.perform(NAME, TRAFFIC)


def test_a_line_of_the_log_says_when_the_clock_was_set(keeper, log, wall):
    keeper.set_rate(NAME, 5.0)
    (entry,) = log.read_after(NAME, 0)
    assert entry.action == ClockSet(wall_seconds=wall.seconds, rate=5.0)
