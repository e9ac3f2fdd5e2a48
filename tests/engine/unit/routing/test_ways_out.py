"""What is remembered of ways out is what the classifier would say, and asks it again whenever that might differ."""

from engine.core.catalog.changes import RouteAltered
from engine.core.routing import ways_out
from engine.core.routing.ways_out import WaysOut
from engine.core.vocabulary.messages import DialogTarget
from tests.support.routing_tables import B1, NOW, change, inside, paris, tcp


def way(ways, service="S", broker=None, now=NOW, before=None, advances=False):
    target = DialogTarget(service, broker)
    return ways.of("Ventes", target, now, from_target=False, before=before, advances=advances)


def test_a_way_without_a_draw_is_decided_once():
    classifier = paris([("r", "S", None, "lyon"), ("late", "Z", None, "lyon")])
    ways = WaysOut(classifier)
    first = way(ways)
    assert first == inside(classifier)
    assert way(ways, before=first) is first
    assert way(ways, broker=B1) == inside(classifier, broker=B1)
    assert way(ways, "Z") == inside(classifier, "Z")


def test_another_catalog_decides_anew():
    classifier = paris([("r", "S", None, "lyon")])
    ways = WaysOut(classifier)
    assert way(ways).address.host == "lyon"
    change(classifier, RouteAltered(database="Ventes", name="r", address=tcp("berlin")))
    assert way(ways).address.host == "berlin"


def test_a_route_that_has_expired_is_not_remembered():
    classifier = paris([("r", "S", None, "lyon", {"expires_at": NOW + 5}), ("all", None, None, "berlin")])
    ways = WaysOut(classifier)
    assert [way(ways, now=NOW + seconds).address.host for seconds in (0, 4, 5, 9)] == [
        "lyon",
        "lyon",
        "berlin",
        "berlin",
    ]
    assert way(ways, now=NOW).address.host == "lyon", "the clock was set back"


def test_a_draw_is_made_each_time():
    classifier = paris([("one", "S", None, "lyon"), ("two", "S", None, "berlin")])
    ways = WaysOut(classifier)
    drawn = [way(ways).address.host for _ in range(4)]
    assert sorted(drawn) == ["berlin", "berlin", "lyon", "lyon"]
    first = way(ways)
    assert way(ways, before=first).address == first.address
    assert way(ways, before=first, advances=True).address != first.address


def test_while_a_request_for_a_route_is_pending_nothing_is_remembered():
    classifier = paris([("asks", "SQL/ServiceBroker/BrokerConfiguration", None, "LOCAL")])
    ways = WaysOut(classifier)
    asking = way(ways)
    classifier.pending.add(("Ventes", "S"))
    assert way(ways) == inside(classifier) != asking
    classifier.pending.clear()
    assert way(ways) == asking


def test_a_way_by_an_own_address_is_asked_of_msdb_each_time():
    classifier = paris(
        [("r", "S", None, "paris")], msdb=[("m", "S", None, "lyon", {"expires_at": NOW + 5})], forwards=True
    )
    ways = WaysOut(classifier)
    assert way(ways) == inside(classifier)
    assert way(ways, now=NOW + 9) == inside(classifier, now=NOW + 9) != inside(classifier)


def test_services_in_any_number_are_bounded(monkeypatch):
    monkeypatch.setattr(ways_out, "WAYS_OUT_MAX", 10)
    ways = WaysOut(paris([("all", None, None, "lyon")]))
    for number in range(25):
        way(ways, f"S{number}")
    assert len(ways) <= 10
