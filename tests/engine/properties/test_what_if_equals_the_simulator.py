"""What a what-if foresees is what the simulator then does with that message, on each branch of each leg.

A seed makes an estate, a question and faults. Every course that the what-if foresees is taken by a world of its own,
in which routing draws what the course needs; then a world takes turns as it will, and must come to an end that was
foreseen. `make whatif-truth TOPOLOGIES=10000` runs more of them; a failure names its seed, and SEED= runs it again.
"""

import os
import sys
from collections import Counter

import pytest

from engine.core.vocabulary.dialog_security import SecurityKind
from engine.whatif.asking import ask
from engine.whatif.disposition import Disposition, LegKind, Light
from engine.whatif.flows import possible_flows
from engine.whatif.legs import round_trip
from engine.whatif.snapshot import Snapshot
from engine.whatif.verdict import FlowVerdicts
from engine.whatif.watching import WatchedSnapshot
from tests.support import thoroughness
from tests.support.odd_estates import odd_case
from tests.support.random_estates import NOW, random_case
from tests.support.secured_estates import secured_case
from tests.support.truth import COURSES_MAX, Forecast, at_large, replay

TOPOLOGIES = int(os.environ.get("WHATIF_TOPOLOGIES") or (1000 if thoroughness.THOROUGH else 80))
FIRST_SEED = int(os.environ.get("WHATIF_SEED") or (thoroughness.FIRST_SEED if thoroughness.THOROUGH else 0))
SECURED_ONCE_WRONG = (104, 184, 1201, 20261885)
"""Seeds of secured estates of which what-if, simulator or their comparison once said something wrong."""
VERDICT_ONCE_WRONG = (20262057,)
"""An Error about a message that is refused within its instance goes out, and comes back by a neighbour."""
BLOCKS = 8
"""Tests into which the seeds are divided, so that one that takes long is told apart."""
ANSWERS_TOLD = 300
RARE_FROM = 1000
"""So many topologies, from seed 0 on, are enough to see whatever can happen."""
TOO_RARE = 1e-4
"""A course that takes the same turn again and again to its own instance: one wish for each question is not enough."""
WAYS_BACK_END_IN = frozenset(Disposition) - {
    Disposition.SENDER_DOWN,
    Disposition.NOT_BEGUN,
    Disposition.REFUSED,
    Disposition.REFUSED_UNHEARD,
    Disposition.HELD_QUEUE_OFF,
}
"""Ends of an acknowledgement: it is nobody's to refuse, and waits in no queue."""


def seeds(block):
    return range(FIRST_SEED + block, FIRST_SEED + TOPOLOGIES, BLOCKS)


@pytest.mark.parametrize("block", range(BLOCKS))
def test_every_course_that_is_foreseen_is_taken_and_no_other(block):
    taken = 0
    for seed in seeds(block):
        forecast = Forecast(random_case(seed))
        for course in forecast.courses[:COURSES_MAX]:
            difference = replay(forecast, course, seed)
            assert difference is None, f"WHATIF_SEED={seed}: {difference}"
            taken += 1
        difference = at_large(forecast, seed)
        assert difference is None, f"WHATIF_SEED={seed}, taking turns: {difference}"
    assert taken >= len(seeds(block))


def test_what_hardly_anybody_would_plan_is_foreseen_too():
    """Such estates beside the others, a fifth as many."""
    for seed in range(FIRST_SEED, FIRST_SEED + max(1, TOPOLOGIES // 5)):
        forecast = Forecast(odd_case(seed))
        for course in forecast.courses[:COURSES_MAX]:
            difference = None if course.share < TOO_RARE else replay(forecast, course, seed)
            assert difference is None, f"WHATIF_SEED={seed}: {difference}"
        difference = at_large(forecast, seed)
        assert difference is None, f"WHATIF_SEED={seed}, taking turns: {difference}"


@pytest.mark.parametrize("block", range(BLOCKS))
def test_what_security_refuses_is_foreseen(block):
    """Of as many estates with owners, certificates, bindings, SEND, and endpoints that log in by certificate."""
    for seed in (*seeds(block), *SECURED_ONCE_WRONG[block : block + 1]):
        forecast = Forecast(secured_case(seed))
        for course in forecast.courses[:COURSES_MAX]:
            difference = replay(forecast, course, seed)
            assert difference is None, f"WHATIF_SEED={seed}, secured: {difference}"
        difference = at_large(forecast, seed)
        assert difference is None, f"WHATIF_SEED={seed}, secured, taking turns: {difference}"


def test_most_of_what_security_refuses_occurs():
    """The estates are of use: what is delivered is delivered under each kind of security, and each refusal happens."""
    numbers, kinds = set(), Counter()
    for seed in range(TOPOLOGIES):
        case = secured_case(seed)
        first, second = round_trip(Snapshot(case.catalogs, at=NOW, faults=case.faults), case.flow, legs=2)
        numbers |= {way.number for way in first.ways}
        for way in first.ways:
            if way.first is not None and way.first.security is not None and second.arrives:
                kinds[way.first.security.kind] += 1
    assert {9727, 9731, 11229} <= numbers
    assert kinds[SecurityKind.FULL] + kinds[SecurityKind.ANONYMOUS]
    if TOPOLOGIES >= RARE_FROM:
        assert all(kinds[kind] for kind in SecurityKind)
        assert numbers >= {8494, 9733, 9735, 9751, 9752, 28024, 28025, 28034, 28036, 28050, 28051, 28054, 28056}


def test_the_verdict_of_a_flow_is_what_its_legs_say():
    """Flows share their ways; each for itself it is the same."""
    for seed in (*range(FIRST_SEED, FIRST_SEED + TOPOLOGIES), *VERDICT_ONCE_WRONG):
        case = secured_case(seed) if seed % 3 == 0 else random_case(seed)
        verdicts = FlowVerdicts(WatchedSnapshot(case.catalogs, at=NOW, faults=case.faults))
        for flow in [case.flow, *possible_flows(case.catalogs)]:
            first, second = round_trip(verdicts.snapshot, flow, legs=2)
            verdict, way = verdicts.of(flow), first.ways[0]
            place = (way.disposition, way.number, way.instance, way.database)
            assert (verdict.disposition, verdict.number, verdict.instance, verdict.database) == place, seed
            assert verdict.works is (first.arrives > 0.0 and second.arrives > 0.0), seed
            is_green = first.light is second.light is Light.GREEN
            assert (verdict.light is Light.GREEN) is is_green, seed
            assert (verdict.light is Light.RED) is (first.arrives == 0.0), seed


def test_every_answer_can_be_told_in_every_language():
    for seed in range(FIRST_SEED, FIRST_SEED + min(TOPOLOGIES, ANSWERS_TOLD)):
        case = secured_case(seed) if seed % 3 == 0 else random_case(seed)
        for language in ("en", "fr", "de"):
            answer = ask(case.catalogs, case.flow, at=NOW, faults=case.faults, language=language)
            assert len(answer.legs) == len(LegKind)


def counted():
    """How often each end and each light of each leg is foreseen."""
    found = Counter()
    for seed in range(TOPOLOGIES):
        case = random_case(seed)
        for leg in round_trip(Snapshot(case.catalogs, at=NOW, faults=case.faults), case.flow):
            assert leg.followed > 0.999, f"WHATIF_SEED={seed}: not every draw was followed"
            found[leg.kind, leg.light] += 1
            found.update((leg.kind, disposition) for disposition in {way.disposition for way in leg.ways})
    return found


def test_every_end_and_every_light_occurs():
    found = counted()
    lines = [f"{kind:24} {what:16} {count}" for (kind, what), count in sorted(found.items())]
    sys.stdout.write("\n".join([f"{TOPOLOGIES} topologies from seed 0 on", *lines, ""]))
    if TOPOLOGIES < RARE_FROM:
        return
    assert {what for kind, what in found if kind is LegKind.MESSAGE} >= set(Disposition)
    assert all(found[kind, light] for kind in LegKind for light in (Light.GREEN, Light.AMBER, Light.RED))
    assert found[LegKind.MESSAGE, Light.GREY] == 0
    assert all(found[LegKind.ACKNOWLEDGEMENT, what] for what in (Disposition.DELIVERED, Disposition.DELAYED))
    assert not [what for what in set(Disposition) - WAYS_BACK_END_IN if found[LegKind.ACKNOWLEDGEMENT, what]]
