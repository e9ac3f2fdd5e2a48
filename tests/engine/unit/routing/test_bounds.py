"""What routing remembers and what it explains stays bounded, however long an instance lives and however large it is."""

import tracemalloc
from uuid import UUID

import msgspec

from engine.core.catalog.route import Route
from engine.core.routing import draws
from engine.core.routing.classifier import MessageClassifier
from engine.core.routing.draws import Question, Rotation
from engine.core.routing.table import RoutingTable
from tests.support.each import for_each
from tests.support.routing_tables import NOW, inside, paris, tcp
from tests.support.thoroughness import share

OPTIONS = ("a", "b")


@for_each("turns_max", share([draws.TURNS_MAX // 50, draws.TURNS_MAX], 1))
def test_turns_of_the_questions_asked_longest_ago_begin_anew(turns_max, monkeypatch):
    monkeypatch.setattr(draws, "TURNS_MAX", turns_max)
    rotation = Rotation()

    def take(service):
        rotation.begin()
        return rotation.take("Ventes", service, Question.DATABASE, OPTIONS)

    assert take("first") == 0
    for number in range(turns_max - 1):
        take(str(number))
    assert take("first") == 1, "remembered: there was room for as many"
    for number in range(turns_max):
        take(f"other {number}")
    assert take("first") == 0


def test_a_route_that_is_given_a_new_expiry_again_and_again_costs_no_more_memory():
    table = RoutingTable("Ventes")

    def renew(times):
        for number in range(times):
            expiry = NOW + 1_000_000 + number
            table.put(Route(name="r", service_name="S", address=tcp("lyon"), expires_at=expiry))

    renew(1_000)
    tracemalloc.start()
    try:
        renew(20_000)
        grown, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert grown < 100_000, "each of 20,000 expiries would take more than 100 bytes"
    table.at(NOW + 1_000_000 + 19_999)
    assert list(table.services) == []


def test_whether_a_service_is_named_is_asked_of_the_routes_that_live_then():
    classifier = paris([("r", "S", None, "lyon", {"expires_at": NOW})])
    assert classifier.names("Ventes", "S", NOW - 1)
    assert not classifier.names("Ventes", "S", NOW)


def bounded(classifier, most):
    return MessageClassifier(classifier.catalog, listed_max=most)


def test_a_bounded_explanation_lists_so_many_and_counts_the_rest():
    rows = [(f"r{number}", "S", UUID(int=number + 1), f"host{number}") for number in range(10)]
    rows += [(f"q{number}", "Q", None, f"host{number}") for number in range(10)]
    whole = inside(paris(rows))
    decision = inside(bounded(paris(rows), 4))
    assert decision.candidates == whole.candidates == ("r0",)
    assert (len(whole.losses), whole.others) == (19, 0)
    assert (decision.losses, decision.others) == (whole.losses[:4], 15)
    assert decision.alternatives == whole.alternatives[:4]
    assert len(whole.alternatives) == 10


def test_a_bounded_explanation_is_of_the_same_decision():
    rows = [(f"r{number}", "S", None, f"host{number}") for number in range(10)]
    whole, decision = inside(paris(rows)), inside(bounded(paris(rows), 4))
    assert decision.candidates == whole.candidates[:4]
    explanation = {"candidates": (), "losses": (), "others": 0, "alternatives": ()}
    assert msgspec.structs.replace(decision, **explanation) == msgspec.structs.replace(whole, **explanation)
