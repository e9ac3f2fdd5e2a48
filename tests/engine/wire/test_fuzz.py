"""A small part of `make fuzz` in every run: one fixed seed; in `make test-all` the seed of the day as well."""

import gc

import pytest

from engine.core.vocabulary.errors import RemoteProtocolError
from tests.support.link_fuzzing import Fuzzer, Leak
from tests.support.thoroughness import FIRST_SEED, share

FRAMES = 12_000


@pytest.mark.parametrize("seed", share([1, FIRST_SEED], 1))
def test_hostile_frames_raise_nothing_but_breaches_and_leave_nothing_behind(seed: int):
    fuzzer = Fuzzer(seed)
    fuzzer.run(FRAMES // 4)
    gc.collect()
    before = len(gc.get_objects())
    fuzzer.run(FRAMES - FRAMES // 4)
    gc.collect()
    assert len(gc.get_objects()) - before < 2_000
    assert {outcome for outcome in fuzzer.outcomes if outcome.startswith("connection: LOGGED_IN")}
    assert fuzzer.outcomes["reader: 11281"] > FRAMES // 10


@pytest.mark.interpreted
def test_the_fuzzer_notices_an_exception_that_is_no_breach(monkeypatch: pytest.MonkeyPatch):
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("engine.core.link.codec._frame", broken)
    with pytest.raises(ZeroDivisionError):
        Fuzzer(1).run(1000)


@pytest.mark.interpreted
def test_the_fuzzer_notices_a_breach_that_does_not_close(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("engine.core.link.connection.AdjacentBrokerConnection._breach", lambda *_: None)
    with pytest.raises((Leak, RemoteProtocolError)):
        Fuzzer(1).run(1000)
