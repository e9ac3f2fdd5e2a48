"""The law of the live view in every simulated world: a snapshot and what is told since make a fresh snapshot.

Each turn of each simulated instance is followed as the web follows it: the part reads what was touched since, the
follower compares and numbers, its text goes over the wire, and a browser folds it.
"""

import json

import msgspec
import pytest

from brokerweb.live.services.asking import Asking
from brokerweb.live.services.book import EstateBook
from brokerweb.live.services.follower import Follower
from brokerweb.live.services.parts import PicturePart, SummaryPart, joined
from brokerweb.live.services.reading import ReadingThreads
from brokerweb.live.tables import Ops, Table, fold
from brokerweb.live.topics import InstancesTopic, topic_of
from engine.core.pictures.journal import PictureJournal
from engine.runtime.driver import InstanceDriver
from engine.sim import server
from engine.sim.scenario_reading import shipped_scenario, shipped_scenarios
from engine.sim.simulation import run
from tests.support.live_tab import Snapshot as Heard
from tests.support.thoroughness import THOROUGH, share

TOPICS = (
    ("instances", {}),
    ("conversations", {"rows": 5}),
    ("conversations", {"rows": 1000, "order": "eldest"}),
    ("conversations", {"rows": 20, "states": ["CD", "ER"]}),
    ("transmissions", {"rows": 7}),
    ("transmissions", {"rows": 1000, "numbers": [None]}),
    ("queues", {}),
    ("queues", {"rows": 2}),
    ("mirrors", {}),
    ("forwarded", {"rows": 3}),
)
RUNS = [(world, seed) for seed in range(4) for world in sorted(shipped_scenarios())]
ESTATE = "world"
# Each of the first turns is compared. Later a mistake in what is told stays in what was folded, until a tenth turn.
COMPARED_FIRST = 200
COMPARED_EVERY = 1 if THOROUGH else 10


class Wire:
    """A browser at the end of a follower."""

    def __init__(self, follower):
        self.follower = follower
        self.table = None
        self.seq = 0
        # Without `join`, which would begin to read: the world says when it is time.
        follower._subscribers.add(self)

    def told(self, text, from_, to):
        message = json.loads(text)
        assert (message["from"], message["to"]) == (from_, to) == (self.seq + 1, to)
        self.table, self.seq = fold(self.table, msgspec.convert(message["ops"], Ops)), to

    def begun_anew(self, reason):
        message = msgspec.json.decode(self.follower.snapshot(), type=Heard)
        rows = dict(zip(message.keys, message.rows, strict=True))
        self.table, self.seq = Table(message.columns, rows, message.facts), message.seq


class Watched:
    """A driver in a simulated world, every turn of which is followed."""

    turns = 0

    def __init__(self, instance, *, sink, clock, **ports):
        self._sink, self._clock, self._last = sink, clock, 0
        self._journal = PictureJournal(0)
        self._driver = InstanceDriver(instance, sink=self, clock=clock, **ports)
        journal, topics = self._journal, [topic_of(name, params) for name, params in TOPICS]

        def reading(kind):
            class Reading(kind):
                def _picture(self, query):
                    return instance.picture(query, journal, clock.now())

            return Reading

        self._part = lambda topic: (
            reading(SummaryPart)(ESTATE, "A", Asking())
            if isinstance(topic, InstancesTopic)
            else reading(PicturePart)(ESTATE, "A", topic, Asking())
        )
        self._followed = [(topic, self._part(topic), Wire(_follower(topic))) for topic in topics]

    def publish(self, first, events):
        self._journal.note(self._last + 1, events)
        self._last += len(events)
        self._sink.publish(first, events)

    def process(self, inputs):
        replies = self._driver.process(inputs)
        self._driver.settle()
        Watched.turns += 1
        for topic, part, wire in self._followed:
            wire.follower.tell(joined({"A": part.read(looks_anew=False)}))
            if Watched.turns <= COMPARED_FIRST or Watched.turns % COMPARED_EVERY == 0:
                fresh = joined({"A": self._part(topic).read(looks_anew=True)})
                assert seen(wire.table) == seen(fresh), topic
        return replies

    def settle(self):
        self._driver.settle()


def _follower(topic):
    return Follower(ESTATE, topic, book=EstateBook(ESTATE), threads=ReadingThreads(), asking=Asking(), make_part=None)


def seen(table):
    """A table as a browser has it, without what the clock alone changes.

    That is what closed endpoints wait for, and the seconds that a message in transit has used.
    """
    timeless = [place for place, column in enumerate(table.columns) if column.name != "time_consumed"]
    rows = [[row[place] for place in timeless] for row in table.rows.values()]
    shown = {"keys": list(table.rows), "rows": rows, "facts": table.facts}
    return without_clock(json.loads(msgspec.json.encode(shown)))


def without_clock(value):
    if isinstance(value, dict):
        return {name: without_clock(each) for name, each in value.items() if name != "closed"}
    return [without_clock(each) for each in value] if isinstance(value, list) else value


@pytest.mark.django_db
@pytest.mark.parametrize(("world", "seed"), share(RUNS, 2))
def test_a_snapshot_and_what_is_told_since_make_a_fresh_snapshot(world, seed, monkeypatch):
    monkeypatch.setattr(server, "InstanceDriver", Watched)
    monkeypatch.setattr(Watched, "turns", 0)
    report = run(shipped_scenario(world), seed)
    assert report.valid, report.findings[0]
    assert Watched.turns > 100, "there was something to follow"
