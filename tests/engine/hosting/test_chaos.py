"""The short form of `make chaos`, and that its judge sees what it is to see."""

from collections import Counter
from itertools import islice
from pathlib import Path
from random import Random

import pytest

from tests.chaos.__main__ import drawn, kinds_of
from tests.chaos.run import run
from tests.chaos.storage import Stores
from tests.chaos.strikes import STRIKES
from tests.chaos.verdict import findings
from tests.support.thoroughness import FIRST_SEED

SENT = [(0, 0), (0, 1), (1, 0)]


SHORT = {
    Stores.SQLITE: ("disk full", "backup taken", "links cut", "broker cut off"),
    Stores.POSTGRES: ("PostgreSQL killed", "kill -9"),
}


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("stores", list(Stores))
def test_what_was_confirmed_is_received_once_and_in_order_whatever_strikes(stores: Stores, tmp_path: Path):
    seed = str(FIRST_SEED)
    report = run(stores, SHORT[stores], seed, tmp_path, workers=("one", "two"), length=0.2, pause_seconds=0.1)
    assert report.found == [], f"seed {seed}"
    assert report.received > 0


@pytest.mark.parametrize("stores", list(Stores))
def test_no_strike_comes_again_before_all_others_have_come_as_often(stores: Stores):
    names = drawn(stores, 3 * len(STRIKES[stores]) - 1, Random(1))
    counts = Counter(names)
    assert counts.keys() == set(STRIKES[stores])
    assert set(counts.values()) == {2, 3}
    assert names != drawn(stores, len(names), Random(2))


def test_stretches_take_turns_unless_one_kind_is_chosen():
    firsts = set()
    for seed in range(20):
        kinds = list(islice(kinds_of(None, Random(seed)), 4))
        assert kinds == 2 * kinds[:2]
        assert set(kinds) == set(Stores)
        firsts.add(kinds[0])
    assert firsts == set(Stores)
    assert list(islice(kinds_of(Stores.POSTGRES, Random(1)), 3)) == 3 * [Stores.POSTGRES]


@pytest.mark.parametrize(
    ("received", "what"),
    [
        ([(0, 0), (0, 1)], "1 messages are lost"),
        ([*SENT, (0, 1)], "more than once"),
        ([*SENT, (1, 1)], "nobody was told"),
        ([(0, 1), (0, 0), (1, 0)], "dialog 0 is out of order"),
    ],
)
def test_whatever_is_wrong_is_said(received, what):
    assert any(what in each for each in findings(SENT, received))


def test_dialogs_may_come_in_any_order_among_each_other():
    assert findings(SENT, [(1, 0), (0, 0), (0, 1)]) == []
