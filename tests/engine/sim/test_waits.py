"""Readers that wait: what the checker of waits finds, and what becomes of a wait when its server dies."""

from uuid import UUID

import msgspec
import pytest

from engine.core.exchange.changes import PutCommandReply
from engine.core.exchange.commands import Receive
from engine.core.exchange.replies import MessagesReceived, Refusal
from engine.sim.checkers.waits import Waits
from engine.sim.history import Died, RepliedLate, WaitBegun
from engine.sim.simulation import run
from tests.engine.sim.histories import committed, delivered, queue_row, worlds_begin
from tests.engine.sim.worlds import Recorder, judge, pair

COMMAND = Receive(command_id=UUID(int=700), database="Stock", queue="dbo.Entrepôt", waitfor_milliseconds=2000)
SOME = MessagesReceived(messages=(queue_row(0),))
NONE = MessagesReceived(messages=())


def begun(at=1.0, **fields):
    return WaitBegun(at=at, instance="LYON", command=msgspec.structs.replace(COMMAND, **fields))


def answered(at, reply=NONE):
    return RepliedLate(at=at, instance="LYON", command_id=COMMAND.command_id, reply=reply)


def stored(reply=SOME):
    return PutCommandReply(command_id=COMMAND.command_id, reply=reply, replied_at=0.0)


@pytest.mark.parametrize(
    ("happens", "words"),
    [
        ([begun(), answered(9.0)], "has waited for 8.000 s"),
        ([begun()], "has waited for 998.000 s"),
        ([begun(), answered(2.0)], "without messages after 1.000 s"),
        ([begun(waitfor_milliseconds=-1), answered(200.0)], "without messages"),
        ([begun(), answered(3.0), answered(3.0)], "a second time"),
        ([answered(3.0)], "nobody waits"),
        ([begun(), delivered(0), answered(1.5, SOME)], "goes on though message"),
    ],
)
def test_a_wait_that_ends_late_or_early_or_twice_is_found(happens, words):
    findings = judge(Waits, *worlds_begin(), *happens)
    assert any(words in each for each in findings), findings


@pytest.mark.parametrize(
    "happens",
    [
        [begun(), answered(3.0)],
        [begun(), answered(1.5, SOME)],
        [begun(), answered(1.5, Refusal(9617, "off"))],
        [begun(waitfor_milliseconds=-1), answered(400.0, SOME)],
        [begun(), Died(at=2.0, instance="LYON", reason="power"), begun(at=20.0), answered(22.0)],
        [begun(), committed("LYON", stored(), *delivered(0).changes), answered(1.5, SOME)],
    ],
)
def test_a_wait_that_ends_in_time_is_not(happens):
    assert judge(Waits, *worlds_begin(), *happens) == []


def test_readers_that_wait_receive_everything_though_their_servers_die():
    recorder = Recorder()
    world = pair(readers=("waitfor",), faults={"crash": 20.0}, draws_subset=False)
    report = run(world, 4, [recorder])
    assert report.findings == ()
    late = recorder.of(RepliedLate)
    assert any(entry.reply.messages for entry in late), "messages ended waits"
    assert any(not entry.reply.messages for entry in late), "and so did time"
    assert len(recorder.of(WaitBegun)) > len(late), "some waits died with their process"
    assert len(recorder.of(Died)) > 0
