"""The worlds beside the standard one: no promise is broken in them, and what each is for does happen in it."""

from collections import Counter

import msgspec
import pytest

from engine.core.exchange.events import (
    ConversationTimerFired,
    DatabaseMirroringStateChanged,
    MessageCorrupted,
    MessageUndeliverable,
    QueueDisabled,
    TransactionRolledBack,
)
from engine.core.exchange.replies import ConversationMoved, DatabaseAttached
from engine.core.vocabulary.messages import MessageKind
from engine.sim.history import Arrived, Committed, Happened, LetIn, Replied, Transmitted
from engine.sim.network import LinkProfile
from engine.sim.questions import simulate_seed
from engine.sim.scenario import Ending
from engine.sim.scenario_reading import STANDARD, shipped_scenario, shipped_scenarios
from engine.sim.simulation import run
from tests.engine.sim.worlds import Recorder, pair
from tests.support.thoroughness import FIRST_SEED, THOROUGH

WORLDS = sorted(set(shipped_scenarios()) - {STANDARD})
FIXED_SEEDS = range(15)
FEW_SEEDS = 2
"""`make test` ends with the first seed from here on by which all that a world is for has happened."""
FRESH_SEEDS = 4


class Tally:
    """Counts events by their type, faults by their kind, and what else a world is for."""

    watches = (Arrived, Committed, Happened, LetIn, Replied, Transmitted)

    def __init__(self):
        self.of = Counter()

    def observe(self, entry):
        match entry:
            case LetIn():
                self.of[LetIn] += 1
            case Committed():
                self.of.update(type(event) for event in entry.events)
                self.of.update(event.number for event in entry.events if isinstance(event, MessageUndeliverable))
            case Happened() if entry.is_strike:
                self.of[entry.text.split()[0]] += 1
            case Replied():
                self.of[type(entry.reply)] += 1
            case Transmitted():
                message = entry.message.message
                self.of[entry.address.host] += 1
                self.of["fragments"] += message.fragment is not None
                self.of["secured"] += bool(message.security)
                self.of[message.target.service_name, message.kind] += 1
            case _:
                pass


HAPPENS = {
    "intruders": ["stranger", "impostor", "outsider", LetIn, "secured", 11211],
    "loopback": ["localhost", "127.0.0.1", "paris", "secured", "fragments", "route-drop", "endpoint-stop"],
    "mirrors": ["failover", "forced-failover", DatabaseMirroringStateChanged, ("//sim/Werk", MessageKind.USER)],
    "operators": [
        "service-drop",
        "service-move",
        "new-broker",
        "error-conversations",
        "end-with-error",
        "end-with-cleanup",
        "conversation-move",
        ConversationMoved,
        ConversationTimerFired,
        "secured",
        "fragments",
    ],
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
        if not THOROUGH and seed + 1 >= FEW_SEEDS and all(tally.of[happening] for happening in HAPPENS[world]):
            break
    assert all(tally.of[happening] for happening in HAPPENS[world]), tally.of


@pytest.mark.slow
@pytest.mark.parametrize("world", WORLDS)
def test_no_promise_is_broken_in_fresh_seeds(world):
    for seed in range(FIRST_SEED, FIRST_SEED + FRESH_SEEDS):
        report = simulate_seed(shipped_scenario(world), seed)
        assert report.valid, f"manage.py simulate {world} --first-seed {seed} --seeds 1: {report.findings[0]}"


@pytest.mark.parametrize("world", WORLDS)
def test_a_seed_gives_the_same_report_every_time(world):
    assert simulate_seed(shipped_scenario(world), 4) == simulate_seed(shipped_scenario(world), 4)


def test_small_messages_pass_a_large_one():
    """protocol.md 3.3: what is sent while a large message is on its way does not wait for the end of it."""
    [flow] = pair().flows
    common = {"pause_seconds": 0.3, "replies": 0.0, "dialogs": (1, 1), "endings": (Ending.INITIATOR,)}
    large = msgspec.structs.replace(flow, name="large", messages=(3, 3), body_bytes=(600_000, 600_000), **common)
    small = msgspec.structs.replace(flow, name="small", messages=(80, 80), **{**common, "dialogs": (6, 6)})
    link = LinkProfile(kilobytes_per_second=100.0)
    recorder = Recorder()
    report = run(pair(flows=(large, small), link=link, fragment_bytes=1024), 1, [recorder])
    assert report.valid, report.findings
    came = [entry.message.message for entry in recorder.of(Arrived) if entry.instance == "LYON"]
    pieces = [at for at, message in enumerate(came) if message.fragment is not None]
    between = [message for message in came[pieces[0] : pieces[-1]] if message.is_sequenced and message.fragment is None]
    assert len(between) > 10
