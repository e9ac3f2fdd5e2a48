"""A copy of a sandbox does what the original does, in every scenario that is shipped, whenever it is taken."""

from typing import Any

import pytest

from brokerweb.training.library import scenarios
from engine.sandbox import FaultBegun, FaultEnded, Sandbox
from engine.sandbox.snapshot import Snapshot
from engine.training.manifest import Manifest
from engine.training.playing import begin
from engine.whatif.faults import Fault, FaultKind


def everything(sandbox: Sandbox) -> Any:
    (manifest,) = [each for each in sandbox.observers if isinstance(each, Manifest)]
    events = [sandbox.events_after(name, 0, 100_000) for name in sandbox.instances() if sandbox.runs(name)]
    sent = [(each, shipped) for each, shipped in manifest._flows.items()]
    return (
        (sandbox.seconds, sandbox.sequence, sandbox.clock, sandbox.used, sandbox.next_event_seconds()),
        (sandbox.faults(), sandbox.traffic(), sandbox.catalogs()),
        events,
        [(flow, [(one.begun_at, one.arrived_at, one.has_failed) for one in shipped]) for flow, shipped in sent],
    )


@pytest.mark.parametrize("name", sorted(scenarios()))
def test_a_copy_goes_on_as_the_original_does(name):
    sandbox = begin(scenarios()[name], seed=11).sandbox
    first = next(iter(sandbox.instances()))
    down = Fault(kind=FaultKind.INSTANCE, instance=first)
    for action in (None, FaultBegun(fault=down), FaultEnded(fault=down)):
        if action is not None:
            sandbox.perform(action)
        # In the middle of what goes on: connections half open, turns and timers planned.
        sandbox.advance(sandbox.seconds + 40.013)
        copy = Snapshot(sandbox).copy()
        assert everything(copy) == everything(sandbox)
        before = everything(sandbox)
        copy.advance(copy.seconds + 120.0)
        assert everything(sandbox) == before, "what a copy does, the original does not"
        sandbox.advance(sandbox.seconds + 120.0)
        assert everything(copy) == everything(sandbox)


def test_a_sandbox_that_is_hashed_is_not_copied():
    scenario = scenarios()["first-route"]
    hashed = Sandbox(begin(scenario, seed=1).sandbox.spec, is_hashed=True)
    hashed.advance(10.0)
    with pytest.raises(TypeError):
        Snapshot(hashed)
