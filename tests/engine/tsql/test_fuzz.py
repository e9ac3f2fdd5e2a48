"""A small part of `make fuzz-tsql` in every run: one fixed seed; in `make test-all` the seed of the day too."""

import pytest

from engine.tsql import parse
from tests.support.thoroughness import FIRST_SEED, share
from tests.support.tsql_fuzzing import Defect, TsqlFuzzer

SCRIPTS = 250


@pytest.mark.parametrize("seed", share([1, FIRST_SEED], 1))
def test_damaged_scripts_are_read_to_the_end(seed: int) -> None:
    fuzzer = TsqlFuzzer(seed)
    fuzzer.run(SCRIPTS)
    assert fuzzer.outcomes["mistake 102"] > SCRIPTS // 10
    assert fuzzer.outcomes["wounds that leave nothing open"] > SCRIPTS // 3
    assert fuzzer.outcomes["statements read"] > SCRIPTS


def test_the_fuzzer_notices_a_reader_that_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(parse._ScriptReader, "_nonsense", broken)
    with pytest.raises(Defect, match="ZeroDivisionError"):
        TsqlFuzzer(1).run(SCRIPTS)


def test_the_fuzzer_notices_statements_that_get_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    def lost(reader: parse._ScriptReader, expected: str) -> None:
        while reader._token.kind is not parse.TokenKind.END:
            reader._index += 1

    monkeypatch.setattr(parse._ScriptReader, "_unexpected", lost)
    with pytest.raises(Defect, match="after the wound"):
        TsqlFuzzer(1).run(SCRIPTS)
