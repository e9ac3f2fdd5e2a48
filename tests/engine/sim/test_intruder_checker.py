"""The checker of intruders finds who is let in and what passes in silence, and nothing in a sound history."""

import msgspec

from engine.core.exchange.events import MessageUndeliverable
from engine.sim.checkers.intruders import Intruders
from engine.sim.history import Arrived, Committed, Died, LetIn
from engine.sim.intruder import FORGED_LIVES
from tests.engine.sim.histories import BOTH_ENDS, transit, worlds_begin
from tests.engine.sim.worlds import CONVERSATION, judge


def forged():
    return Arrived(at=2.0, instance="LYON", message=msgspec.structs.replace(transit(), time_to_live=FORGED_LIVES))


def commit(*events, instance="LYON"):
    return Committed(at=3.0, instance=instance, changes=(), events=events)


TOLD = MessageUndeliverable(
    at=3.0,
    conversation_id=CONVERSATION,
    from_initiator=True,
    to_service="Entrepôt",
    message_sequence_number=0,
    number=11211,
    text="",
)


def found(*entries):
    return judge(Intruders, *worlds_begin(), *BOTH_ENDS, *entries)


def test_who_has_no_key_is_let_in_by_nobody():
    assert found(LetIn(at=1.0, instance="LYON", machine="MALLORY", has_key=True)) == []
    [text] = found(LetIn(at=1.0, instance="LYON", machine="MALLORY", has_key=False))
    assert "MALLORY was let in" in text


def test_a_lie_is_told_in_the_next_commit_of_whoever_hears_it():
    assert found(forged(), commit(TOLD)) == []
    assert found(forged(), forged(), commit(TOLD, TOLD)) == []
    assert len(found(forged(), commit())) == 1
    assert len(found(forged(), forged(), commit(TOLD))) == 1
    assert found(forged(), commit(instance="PARIS"), commit(TOLD)) == []


def test_a_process_that_dies_tells_nothing_and_an_end_that_is_not_there_needs_no_word():
    died = Died(at=2.5, instance="LYON", reason="killed", is_engine_fault=False)
    assert found(forged(), died, commit()) == []
    elsewhere = msgspec.structs.replace(forged(), instance="BERLIN")
    assert found(elsewhere, commit(instance="BERLIN")) == []
    honest = Arrived(at=2.0, instance="LYON", message=transit())
    assert found(honest, commit()) == []
