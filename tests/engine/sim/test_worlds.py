"""The worlds beside the standard one: no promise is broken in them, and what each is for does happen in it."""

import secrets
from collections import Counter

import pytest

from engine.core.exchange.events import (
    DatabaseMirroringStateChanged,
    MessageCorrupted,
    QueueDisabled,
    TransactionRolledBack,
)
from engine.core.exchange.replies import DatabaseAttached
from engine.core.vocabulary.messages import MessageKind
from engine.sim.history import Arrived, Committed, Happened, Replied, Transmitted
from engine.sim.questions import simulate_seed
from engine.sim.scenario_reading import STANDARD, shipped_scenario, shipped_scenarios
from engine.sim.simulation import run

WORLDS = sorted(set(shipped_scenarios()) - {STANDARD})
FIXED_SEEDS = range(15)
FRESH_SEEDS = 4


class Tally:
    """Counts events by their type, faults by their kind, and what else a world is for."""

    watches = (Arrived, Committed, Happened, Replied, Transmitted)

    def __init__(self):
        self.of = Counter()

    def observe(self, entry):
        match entry:
            case Committed():
                self.of.update(type(event) for event in entry.events)
            case Happened() if entry.is_strike:
                self.of[entry.text.split()[0]] += 1
            case Replied():
                self.of[type(entry.reply)] += 1
            case Transmitted():
                message = entry.message.message
                self.of["fragments"] += message.fragment is not None
                self.of["secured"] += bool(message.security)
                self.of[message.target.service_name, message.kind] += 1
            case _:
                pass


HAPPENS = {
    "mirrors": ["failover", "forced-failover", DatabaseMirroringStateChanged, ("//sim/Werk", MessageKind.USER)],
    "restores": ["restore", "detach", "attach-copy", DatabaseAttached],
    "secured": ["secured", "fragments", MessageCorrupted, "failover"],
    "traffic": ["fragments", TransactionRolledBack, QueueDisabled, ("//sim/Urgences", MessageKind.USER)],
}


@pytest.mark.parametrize("world", WORLDS)
def test_no_promise_is_broken_in_the_fixed_seeds_and_there_is_something_to_break(world):
    tally = Tally()
    for seed in FIXED_SEEDS:
        report = run(shipped_scenario(world), seed, [tally])
        assert report.valid, f"manage.py simulate {world} --first-seed {seed} --seeds 1: {report.findings[0]}"
        assert report.figures.rested_at is not None
    assert all(tally.of[happening] for happening in HAPPENS[world]), tally.of


@pytest.mark.parametrize("world", WORLDS)
def test_no_promise_is_broken_in_fresh_seeds(world):
    first = secrets.randbelow(10**12)
    for seed in range(first, first + FRESH_SEEDS):
        report = simulate_seed(shipped_scenario(world), seed)
        assert report.valid, f"manage.py simulate {world} --first-seed {seed} --seeds 1: {report.findings[0]}"


@pytest.mark.parametrize("world", WORLDS)
def test_a_seed_gives_the_same_report_every_time(world):
    assert simulate_seed(shipped_scenario(world), 4) == simulate_seed(shipped_scenario(world), 4)
