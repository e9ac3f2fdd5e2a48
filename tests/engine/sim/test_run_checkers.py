"""Checkers of bounds and of the run as a whole find what they are for, and nothing in a sound history."""

from uuid import UUID

import msgspec
import pytest

from engine.core.exchange.commands import ApplyCatalog
from engine.core.exchange.replies import MessageSent, Refusal
from engine.core.vocabulary.rows import (
    QueueRowStatus,
)
from engine.sim.checkers.bounds import Bounds
from engine.sim.checkers.catalogue import CHECKERS
from engine.sim.checkers.outcome import Amplification, Convergence, Health
from engine.sim.checkers.replies import Replies
from engine.sim.history import Died, Measured, Remained, Replied, RepliedAgain
from tests.engine.sim.histories import (
    BOTH_ENDS,
    delivered,
    endpoint,
    said,
    sent,
    stored,
    worlds_begin,
)
from tests.engine.sim.worlds import HERE, OTHER_HANDLE, judge, pair


# ── bounds, and the run as a whole ───────────────────────────────────────────────────────────────────────────────────
def measured(**fields):
    usual = {"conversations": 0, "agenda": 0, "forwarding_bytes": 0, "forwarding_bytes_max": 10, "destinations": 2}
    return Measured(at=1.0, instance="PARIS", **{**usual, **fields})


@pytest.mark.parametrize(
    ("happens", "words"),
    [
        ([delivered(3, order=1), delivered(3, order=2)], "in the queue 2 times"),
        ([delivered(at, order=at, status=QueueRowStatus.DISABLED) for at in range(520)], "early messages"),
        ([*(stored(at) for at in range(258)), sent(number=257)], "258 messages"),
        ([measured(conversations=3)], "3 conversations in memory, 2 on disk"),
        ([measured(agenda=400)], "400 deadlines"),
        ([measured(forwarding_bytes=11)], "11 bytes wait"),
        ([measured(destinations=3)], "3 destinations"),
    ],
)
def test_bounds_finds(happens, words):
    both_here = [BOTH_ENDS[0], endpoint(("PARIS", "Ventes", OTHER_HANDLE), is_initiator=False, far=HERE)]
    findings = judge(Bounds, *worlds_begin(), *both_here, BOTH_ENDS[1], *happens)
    assert any(words in finding for finding in findings), findings


def test_bounds_are_kept_by_a_full_window_and_a_measured_idle_instance():
    assert (
        judge(Bounds, *worlds_begin(), *BOTH_ENDS, *(stored(at) for at in range(256)), sent(number=255), measured())
        == []
    )


def test_bounds_finds_rows_that_belong_to_no_conversation():
    assert "belong to no conversation" in judge(Bounds, *worlds_begin(), delivered(0))[0]


def test_amplification_judges_from_fifty_messages_on():
    many = [stored(at) for at in range(60)]
    scenario = pair(amplification_max=2.0)
    assert judge(Amplification, *worlds_begin(), *many, *([sent()] * 120), scenario=scenario) == []
    [finding] = judge(Amplification, *worlds_begin(), *many, *([sent()] * 121), scenario=scenario)
    assert "121 transmissions for 60 messages" in finding
    assert judge(Amplification, *worlds_begin(), *many[:40], *([sent()] * 500), scenario=scenario) == []


def test_whatever_remains_is_found_and_so_is_an_exception_of_the_engine_but_no_planned_death():
    assert judge(Convergence, Remained(at=1.0, instance="", text="a message")) == ["a message"]
    assert judge(Health, Died(at=1.0, instance="PARIS", reason="KeyError", is_engine_fault=True)) == ["KeyError"]
    assert judge(Health, Died(at=1.0, instance="PARIS", reason="killed")) == []


def test_replies_finds_two_answers_to_one_command_and_refusals_without_a_reason():
    send = said(0)[1]
    again = RepliedAgain(at=2.0, instance="PARIS", command=send.command, reply=send.reply)
    other = RepliedAgain(at=2.0, instance="PARIS", command=send.command, reply=MessageSent(message_sequence_number=1))
    assert judge(Replies, send, again) == []
    assert "in two ways" in judge(Replies, send, other)[0]
    refused = Refusal(number=8429, text="over")
    assert judge(Replies, msgspec.structs.replace(send, reply=refused)) == []
    change = ApplyCatalog(command_id=UUID(int=1), base=0, revision=1, changes=())
    assert "8429" in judge(Replies, Replied(at=1.0, instance="PARIS", command=change, reply=refused))[0]


def test_every_checker_has_a_name_of_its_own():
    assert len({checker.name for checker in CHECKERS}) == len(CHECKERS) == 23
