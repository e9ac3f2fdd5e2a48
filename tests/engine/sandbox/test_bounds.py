"""How much work there is in a sandbox: as long as an allowance lasts, and a budget that is part of its state."""

import pytest

from engine.core.vocabulary.errors import LimitExceeded
from engine.sandbox import NamedTraffic, Sandbox, SandboxSpec, TrafficEnded, TrafficPair, TrafficPlan
from engine.sandbox.allowance import UNBOUNDED, Allowance
from tests.support.diagnosed_estates import NOW, sound_estate

PAIR = TrafficPair(
    from_instance="WEST",
    from_database="Shop",
    from_service="Till",
    to_service="Stock",
    contract="Sale",
    message_type="Order",
)
TRAFFIC = NamedTraffic(name="test", plan=TrafficPlan(pairs=(PAIR,), rate=2.0))
BUDGET = 3_000


def world(**more):
    instances = tuple(sound_estate().values())
    return Sandbox(SandboxSpec(seed=1, begins_at=NOW, instances=instances, traffic=(TRAFFIC,), **more))


def state(sandbox):
    events = [sandbox.events_after(name, 0, 100_000) for name in sandbox.instances()]
    return sandbox.seconds, sandbox.used, sandbox.traffic(), events


class Work:
    """A processor on which every look at the clock finds it one second later."""

    seconds = 0.0

    def __call__(self):
        self.seconds += 1.0
        return self.seconds


def test_time_passes_as_long_as_an_allowance_lasts_and_in_the_end_it_is_the_same():
    bounded, whole, worked = world(), world(), Work()
    goes, reached = 0, 0.0
    while not bounded.advance(300.0, Allowance(worked, 4.0)):
        goes += 1
        assert reached < bounded.seconds < 300.0
        assert bounded.behind_seconds == pytest.approx(300.0 - bounded.seconds)
        reached = bounded.seconds
        whole.advance(reached)
        assert state(bounded) == state(whole), "it ends between two moments"
    assert goes > 3
    assert bounded.behind_seconds == 0.0
    whole.advance(300.0)
    assert state(bounded) == state(whole)


def test_a_jump_to_what_can_be_seen_ends_with_its_allowance_too():
    quiet = Sandbox(SandboxSpec(seed=1, begins_at=NOW, instances=tuple(sound_estate().values())))
    quiet.advance(5.0)
    assert not quiet.advance_to_change(80_000.0, Allowance(Work(), 3.0))
    assert quiet.seconds < 80_000.0 or quiet.next_event_seconds() is None
    assert not quiet.advance_to_change(80_000.0, UNBOUNDED)
    assert quiet.seconds == 80_000.0


@pytest.mark.parametrize("strides", [(10_000.0,), (1.0, 7.0, 10_000.0), tuple(map(float, range(3, 10_000, 11)))])
def test_a_budget_ends_at_the_same_second_in_whichever_steps_time_was_let_pass(strides):
    whole, stepped = world(happenings_max=BUDGET), world(happenings_max=BUDGET)
    whole.advance(10_000.0)
    for until in strides:
        stepped.advance(until)
    assert whole.is_worn_out
    assert state(stepped) == state(whole)
    assert whole.seconds < 10_000.0
    assert (whole.used, whole.behind_seconds) == (1.0, 0.0)
    with pytest.raises(LimitExceeded) as caught:
        whole.refuse_if_worn_out()
    assert (caught.value.number, caught.value.parameters) == (10928, {"limit": BUDGET})


def test_what_is_done_counts_too():
    sandbox = Sandbox(SandboxSpec(seed=1, begins_at=NOW, instances=tuple(sound_estate().values()), happenings_max=50))
    for _ in range(50):
        sandbox.perform(TrafficEnded(name="none"))
    assert sandbox.is_worn_out
