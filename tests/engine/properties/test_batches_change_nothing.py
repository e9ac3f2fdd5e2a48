"""How inputs fall into batches changes nothing on disk, and prediction is nothing but a shorter way (ADR 1).

A batch shares one look at each conversation and one commit; by far the most of what arrives is taken in by
`prediction.take_expected` without being judged in full. Neither may be noticed by anybody.
"""

from random import Random

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from engine.core.handlers import inbound
from tests.support.recorded import LYON, PARIS, Recording, play
from tests.support.thoroughness import examples

CALM = (
    *("begin", "answer", "again", "read", "wait"),
    *("reroute", "switch", "back up") * 2,
    *("say",) * 8,
    *("deliver",) * 6,
)
"""Nothing ends, and no connection is lost."""
ACTS = (*CALM, *("end", "break", "restore"))


def steps_of(acts):
    step = st.tuples(st.sampled_from(acts), st.integers(0, 11), st.integers(0, 41))
    return st.lists(step, min_size=5, max_size=60).map(lambda steps: [("begin", 0, 0), *steps])


EXAMPLES = examples(150)
BOTH = (PARIS, LYON)
REROUTED = [("begin", 0, 0), ("say", 0, 0), ("say", 0, 4), ("deliver", 0, 9), ("reroute", 1, 0), ("answer", 0, 0)]
"""A route goes while an acknowledgement may be owed or may have left, and only then its dialog has something to say."""


def assert_same(player, other):
    assert player.disk() == other.disk()
    assert player.replies == other.replies
    assert player.delivered() == other.delivered()
    assert player.stored() == player.remembered(), "what is in memory is on disk"


@EXAMPLES
@given(steps=steps_of(ACTS), cuts=st.randoms(use_true_random=False))
def test_any_batches_of_the_same_inputs_lead_to_the_same_disk_and_deliveries(steps, cuts):
    recording = Recording(steps)
    for name in BOTH:
        one_by_one = recording.players[name]
        for batched in (
            play(recording.tape, name, lambda: False),
            play(recording.tape, name, lambda: cuts.random() < 0.4),
        ):
            assert_same(batched, one_by_one)
            if all(act != "break" for act, _, _ in steps):
                # Where connections are lost, an acknowledgement more or less decides when one is dialled again. And
                # an end that arrives with a SEND finds its message unsent, so it will never be (protocol.md 8.2, 10).
                assert batched.said().keys() <= one_by_one.said().keys()
                assert [each for each in batched.forgotten() if each not in one_by_one.forgotten()] == []


@EXAMPLES
@given(steps=steps_of(CALM), cuts=st.randoms(use_true_random=False))
@example(steps=REROUTED, cuts=Random(0))
def test_where_nothing_ends_the_same_messages_leave_at_the_same_time_in_any_batches(steps, cuts):
    recording = Recording(steps)
    assume(not any(player.has_told_an_end() for player in recording.players.values()))
    for name in BOTH:
        one_by_one = recording.players[name]
        for batched in (
            play(recording.tape, name, lambda: False),
            play(recording.tape, name, lambda: cuts.random() < 0.4),
        ):
            assert_same(batched, one_by_one)
            assert batched.said() == one_by_one.said()


@EXAMPLES
@given(steps=steps_of(ACTS))
def test_without_prediction_everything_is_the_same_whatever_arrives(steps):
    recording = Recording(steps)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(inbound, "take_expected", lambda broker, database, message: False)
        judged = {name: play(recording.tape, name, lambda: True) for name in BOTH}
    for name in BOTH:
        assert_same(judged[name], recording.players[name])
        assert judged[name].port == recording.players[name].port
