"""A small part of `make fuzz` in every run: messages of one fixed seed; in `make test-all` of the day's seed too."""

from __future__ import annotations

import gc
from collections import Counter

import msgspec
import pytest

from engine.core.handlers import inbound, opening
from engine.core.vocabulary.messages import DialogMessage
from tests.support import fuzzing
from tests.support.link_fuzzing import Leak
from tests.support.message_fuzzing import Harm, MessageFuzzer
from tests.support.thoroughness import FIRST_SEED, share

MESSAGES = 6_000


FIXED_SEED = 1


@pytest.mark.parametrize("seed", share([FIXED_SEED, FIRST_SEED], 1))
def test_hostile_messages_raise_nothing_harm_nobody_and_leave_nothing_behind(seed: int):
    fuzzer = MessageFuzzer(seed)
    fuzzer.run(MESSAGES // 3)
    gc.collect()
    before = len(gc.get_objects())
    fuzzer.run(MESSAGES - MESSAGES // 3)
    gc.collect()
    assert len(gc.get_objects()) - before < 2_000


def test_it_gets_as_far_as_it_should():
    """Conversations in every state, and each wall that is there to be run against.

    Of one seed: what comes a dozen times on average comes five times with one seed in fifty.
    """
    fuzzer = MessageFuzzer(FIXED_SEED)
    fuzzer.run(MESSAGES)
    states = {outcome.partition(": ")[2] for outcome in fuzzer.outcomes if outcome.startswith("ended by")}
    assert states >= {"CONVERSING", "STARTED_INBOUND", "CLOSED", "DISCONNECTED_OUTBOUND", "ERROR"}
    told = {outcome for outcome, count in fuzzer.outcomes.items() if count > 5}
    assert told >= {f"dropped: {number}" for number in (11209, 11218, 11232, 11298, 28007, 28010, 28062)}


def test_one_seed_is_one_stream():
    one, other = MessageFuzzer(7), MessageFuzzer(7)
    for fuzzer in (one, other):
        fuzzer.run(500)
    assert one.outcomes == other.outcomes


@pytest.mark.interpreted
def test_it_notices_what_is_raised(monkeypatch: pytest.MonkeyPatch):
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(inbound, "_take_error", broken)
    with pytest.raises(ZeroDivisionError):
        MessageFuzzer(1).run(MESSAGES)


def believed(message: DialogMessage, *_: object) -> DialogMessage:
    return msgspec.structs.replace(message, security=msgspec.UNSET)


@pytest.mark.interpreted
@pytest.mark.parametrize(
    ("owner", "name", "instead"),
    [
        pytest.param(opening, "opened", lambda broker, database, known, message: message, id="nothing is opened"),
        pytest.param(opening, "open_message", believed, id="no integrity check is made"),
        pytest.param(inbound, "may_speak", lambda *_: True, id="nobody asks who speaks"),
        pytest.param(inbound, "_close_unheard", lambda *_: 1 // 0, id="a corner raises that few come to"),
    ],
)
def test_it_notices_a_wall_that_is_missing(monkeypatch: pytest.MonkeyPatch, owner, name, instead):
    fuzzer = MessageFuzzer(1)
    monkeypatch.setattr(owner, name, instead)
    with pytest.raises((Harm, ZeroDivisionError)):
        fuzzer.run(MESSAGES)


class Hoarder:
    """Keeps what is thrown."""

    def __init__(self) -> None:
        self.outcomes: Counter[str] = Counter()
        self._kept: list[list[int]] = []

    def run(self, count: int, _: object) -> None:
        self._kept += ([] for _ in range(count))


@pytest.mark.slow
def test_growth_is_a_finding(capsys: pytest.CaptureFixture[str]):
    # 20,000 are kept; meanwhile something else of this process may have been made, or let go.
    with pytest.raises(Leak, match=r"\b(19[5-9]|20[0-4])\d\d objects"):
        fuzzing.throw(Hoarder(), 22_222, "things", 1)
    assert "memory after the first 2,222" in capsys.readouterr().out


@pytest.mark.slow
def test_both_parts_are_told_in_one_report(capsys: pytest.CaptureFixture[str]):
    fuzzing.main(120, 60, 5)
    said = capsys.readouterr().out
    assert "seed 5: 120 frames in" in said
    assert "No exception but RemoteProtocolError, no growth." in said
    assert "seed 5: 60 messages in" in said
    assert said.rstrip().endswith("nothing else was left.")
