"""The law of a sandbox: its state is a function of its description, its log and its time, and of nothing else.

Somebody does anything at any time; then others read the log, passing time in steps of their own and looking at
whatever they like meanwhile. All must have seen the same commits, transmissions and processes, in the same order.
"""

from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.core.catalog.changes import RouteCreated, RouteDropped
from engine.core.exchange import pictures
from engine.core.exchange.commands import BackupDatabase, GetConversationGroup
from engine.core.exchange.replies import DatabaseBackedUp
from engine.sandbox.actions import (
    BackupKept,
    ClockSet,
    DefinitionsChanged,
    Entry,
    FaultBegun,
    FaultEnded,
    TrafficBegun,
    TrafficEnded,
    WaitGivenUp,
)
from engine.sandbox.sandbox import OutOfOrder, Sandbox
from engine.sandbox.server import InstanceDown
from engine.sandbox.spec import NamedTraffic, SandboxSpec, TimedFault
from engine.whatif.faults import Fault, FaultKind
from tests.engine.sandbox.worlds import PLAN, Driven, spec
from tests.support.diagnosed_estates import route
from tests.support.thoroughness import examples

FAULTS = (
    Fault(kind=FaultKind.INSTANCE, instance="EAST"),
    Fault(kind=FaultKind.INSTANCE, instance="WEST"),
    Fault(kind=FaultKind.LINK, instance="WEST", other="EAST"),
    Fault(kind=FaultKind.ENDPOINT, instance="EAST"),
    Fault(kind=FaultKind.DATABASE, instance="WEST", database="Shop"),
    Fault(kind=FaultKind.QUEUE, instance="EAST", database="Store", queue="dbo.Inbox"),
    Fault(kind=FaultKind.PARTNER, instance="EAST", database="Store"),
)
BY_ITSELF = spec(
    traffic=(NamedTraffic(name="scenario", plan=PLAN),),
    faults=(
        TimedFault(at_seconds=9.0, fault=FAULTS[2], lasts_seconds=30.0),
        TimedFault(at_seconds=20.0, fault=FAULTS[6]),
    ),
)

deeds = st.one_of(
    st.tuples(st.just("pass"), st.floats(0.0, 40.0)),
    st.tuples(st.just("begin"), st.just(0)),
    st.tuples(st.just("order"), st.integers(0, 5)),
    st.tuples(st.just("end"), st.integers(0, 5)),
    st.tuples(st.just("receive"), st.sampled_from(["EAST", "NORTH"])),
    st.tuples(st.just("wait"), st.integers(-1, 20_000)),
    st.tuples(st.just("wait for group"), st.integers(-1, 20_000)),
    st.tuples(st.just("give up"), st.integers(0, 3)),
    st.tuples(st.just("fault"), st.sampled_from(FAULTS)),
    st.tuples(st.just("mend"), st.sampled_from(FAULTS)),
    st.tuples(st.just("traffic"), st.booleans()),
    st.tuples(st.just("route"), st.booleans()),
    st.tuples(st.just("clock"), st.sampled_from([0.0, 1.0, 600.0])),
    st.tuples(st.just("back up"), st.just(0)),
)


class Person(Driven):
    """Does what is drawn, as far as there is something to do it with."""

    def __init__(self, what: SandboxSpec) -> None:
        super().__init__(what)
        self.handles: list[Any] = []
        self.waits: list[Any] = []

    def deed(self, what: str, how: Any) -> None:
        match what:
            case "pass":
                self.pass_seconds(how)
            case "begin" if self.sandbox.runs("WEST") and FAULTS[4] not in self.sandbox.faults():
                self.handles.append(self.begin())
            case "order" if self.handles:
                self.order(self.handles[how % len(self.handles)])
            case "end" if self.handles:
                self.end(self.handles[how % len(self.handles)])
            case "receive":
                self.receive(how)
            case "wait":
                self.waits += self.receive(waitfor_milliseconds=how).waiting
            case "wait for group":
                wait = GetConversationGroup(
                    command_id=self.new_id(), database="Store", queue="dbo.Inbox", waitfor_milliseconds=how
                )
                self.waits += self.give("EAST", wait).waiting
            case "give up" if self.waits:
                self.do(WaitGivenUp(instance="EAST", command_id=self.waits[how % len(self.waits)]))
            case "fault":
                self.do(FaultBegun(fault=how))
            case "mend":
                self.do(FaultEnded(fault=how))
            case "traffic":
                self.do(TrafficBegun(name="own", plan=PLAN) if how else TrafficEnded(name="own"))
            case "route":
                far = RouteCreated(database="Shop", route=route("Far", "Stock", "nowhere"))
                change = far if how else RouteDropped(database="Shop", name="Far")
                self.do(DefinitionsChanged(instance="WEST", changes=(change,)))
            case "clock":
                self.do(ClockSet(wall_seconds=1_000.0, rate=how))
            case "back up" if self.sandbox.runs("EAST"):
                (reply,) = self.give("EAST", BackupDatabase(command_id=self.new_id(), database="Store")).replies
                if isinstance(reply, DatabaseBackedUp):
                    self.do(BackupKept(file=r"C:\Store.bak", backup=reply.backup))
            case _:
                pass


def look_around(sandbox: Sandbox) -> None:
    """Everything that a screen would ask."""
    for instance in sandbox.instances():
        try:
            sandbox.view(instance, 50)
            sandbox.pictures(instance, [pictures.SummaryQuery(), pictures.ConversationsQuery(database="Store")])
            sandbox.events_after(instance, 0, 100)
        except InstanceDown:
            continue
    sandbox.traffic()
    sandbox.faults()


def read_again(what: SandboxSpec, log: Sequence[Entry], steps: Sequence[float], until: float) -> Sandbox:
    """From the texts alone, as another process would, in steps of its own, with looks between them."""
    described = msgspec.json.decode(msgspec.json.encode(what), type=SandboxSpec)
    entries = msgspec.json.decode(msgspec.json.encode(log), type=list[Entry])
    sandbox = Sandbox(described, is_hashed=True)
    for number, entry in enumerate(entries):
        while steps and (at := sandbox.seconds + steps[number % len(steps)]) < entry.at_seconds:
            sandbox.advance(at)
            look_around(sandbox)
        sandbox.replay([entry])
        look_around(sandbox)
    sandbox.advance(until)
    return sandbox


@given(st.lists(deeds, max_size=25), st.lists(st.floats(0.3, 17.0), max_size=3), st.booleans())
@examples(60)
def test_whoever_reads_the_log_has_the_same_world(drawn, steps, is_by_itself):
    person = Person(BY_ITSELF if is_by_itself else spec())
    for what, how in drawn:
        person.deed(what, how)
    person.pass_seconds(70.0)
    first = person.sandbox
    second = read_again(first.spec, person.log, steps, first.seconds)
    assert second.hash == first.hash
    assert (second.sequence, second.clock, second.faults()) == (first.sequence, first.clock, first.faults())
    assert second.traffic() == first.traffic()
    assert [second.backup(name) for name in (r"c:\store.bak",)] == [first.backup(name) for name in (r"C:\STORE.BAK",)]
    for handle in person.waits:
        assert reply_or_down(second, handle) == reply_or_down(first, handle)


def reply_or_down(sandbox: Sandbox, command_id: Any) -> Any:
    try:
        return sandbox.reply("EAST", command_id)
    except InstanceDown as error:
        return str(error)


@pytest.mark.parametrize("steps", [[20.0], [10.0, 20.0], [0.1 * number for number in range(1, 201)]])
def test_time_passes_in_any_steps(steps):
    whole, pieces = Sandbox(BY_ITSELF, is_hashed=True), Sandbox(BY_ITSELF, is_hashed=True)
    whole.advance(steps[-1])
    for until in steps:
        pieces.advance(until)
    assert (pieces.hash, pieces.seconds) == (whole.hash, whole.seconds)


def test_what_the_spec_plans_for_a_second_comes_before_what_is_done_at_it():
    person = Driven(spec(faults=(TimedFault(at_seconds=0.0, fault=FAULTS[5]),)))
    assert person.sandbox.faults() == ()
    person.do(FaultEnded(fault=FAULTS[5]))
    again = Sandbox(person.spec, is_hashed=True)
    again.advance(0.0)
    again.replay(person.log)
    assert again.hash == person.sandbox.hash
    assert again.faults() == person.sandbox.faults() == ()


def test_another_seed_another_course():
    courses = {seed: Sandbox(spec(seed=seed, traffic=BY_ITSELF.traffic), is_hashed=True) for seed in (1, 2)}
    for sandbox in courses.values():
        sandbox.advance(20.0)
    assert courses[1].hash != courses[2].hash


def test_a_line_that_does_not_follow_is_not_read():
    person = Person(spec())
    person.pass_seconds(5.0)
    person.begin()
    person.begin()
    sandbox = Sandbox(person.spec)
    with pytest.raises(OutOfOrder, match="entry 2 does not follow entry 0"):
        sandbox.replay(person.log[1:])
    sandbox.advance(6.0)
    with pytest.raises(OutOfOrder, match=r"of second 5\.0, and it is 6\.0"):
        sandbox.replay(person.log)
    assert sandbox.sequence == 0
