"""What a routing decision costs, by the size of the table, against one look-up in a plain dictionary."""

from __future__ import annotations

import random
from collections.abc import Callable
from uuid import UUID

import pytest

from engine.core.catalog.changes import RouteAltered
from engine.core.catalog.database import DatabaseCatalog
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.objects import Endpoint, EndpointState
from engine.core.catalog.route import LocalAddress, NetworkAddress, Route
from engine.core.routing.classifier import MessageClassifier
from engine.core.routing.explanation import LIVE_LISTED_MAX
from engine.core.vocabulary.messages import DialogTarget, TcpAddress
from tests.benchmarks.measure import in_turns

SIZES = (10, 50, 1_000, 100_000)
DECISIONS = 5_000
NOW = 1_000.0


def make_routes(size: int) -> dict[str, Route]:
    """Five routes a service: three with an id, one of them expiring, one by name alone; and a catch-all."""
    routes = {"catch-all": Route(name="catch-all", address=LocalAddress())}
    for number in range(1, size):
        kind = number % 5
        routes[f"route {number}"] = Route(
            name=f"route {number}",
            service_name=f"//example.org/Service{number // 5}",
            broker_instance=UUID(int=number) if kind < 4 else None,
            address=NetworkAddress(f"TCP://host{number}:4022", TcpAddress(f"host{number}", 4022)),
            expires_at=NOW + 3_600 if kind == 1 else None,
        )
    return routes


def make_classifier(size: int) -> MessageClassifier:
    """An instance whose database `Sales` has a table of that size."""
    sales = DatabaseCatalog(name="Sales", broker_instance=UUID(int=2**64), routes=make_routes(size))
    msdb = DatabaseCatalog(name="msdb", broker_instance=UUID(int=2**65))
    endpoint = Endpoint("broker", 4022, EndpointState.STARTED)
    return MessageClassifier(InstanceCatalog(name="PARIS", databases={"Sales": sales, "msdb": msdb}, endpoint=endpoint))


def conversations(size: int) -> list[DialogTarget]:
    """Half with an id, half without; one in ten to a service without route."""
    chance = random.Random(size)
    found = []
    for _ in range(DECISIONS):
        number = chance.randrange(1, size)
        service = f"//example.org/Service{number // 5}" if chance.random() < 0.9 else f"//example.org/Other{number}"
        found.append(DialogTarget(service, UUID(int=number) if chance.random() < 0.5 else None))
    return found


def decide(size: int, explain: bool) -> Callable[[], int]:
    classifier, targets = make_classifier(size), conversations(size)

    def run() -> int:
        for target in targets:
            classifier.from_inside("Sales", target, NOW, explain=explain)
        return len(targets)

    return run


def look_up(size: int) -> Callable[[], int]:
    """The yardstick: one `get` of a service's name in a dictionary of as many entries."""
    names = {route.service_name: route for route in make_routes(size).values()}
    wanted = [target.service_name for target in conversations(size)]

    def run() -> int:
        for service in wanted:
            names.get(service)
        return len(wanted)

    return run


def change(size: int) -> Callable[[], int]:
    """One route's address is altered to and fro in the table, and the next decision is made."""
    classifier = make_classifier(size)
    catalog = classifier.catalog
    name = "route 1"
    both = [catalog.databases["Sales"].routes[name]]
    both.append(Route(name=name, service_name=both[0].service_name, address=LocalAddress()))
    altered = (RouteAltered(database="Sales", name=name, address=LocalAddress()),)
    target = DialogTarget(both[0].service_name, both[0].broker_instance)

    def run() -> int:
        for number in range(1_000):
            catalog.databases["Sales"].routes[name] = both[number % 2]
            classifier.redefine(catalog, altered)
            classifier.from_inside("Sales", target, NOW, explain=False)
        return 1_000

    return run


@pytest.mark.timeout(900)
def test_decisions(show: Callable[[str, list[list[str]]], None]) -> None:
    contestants: dict[str, Callable[[], int]] = {}
    for size in SIZES:
        contestants[f"look-up {size}"] = look_up(size)
        contestants[f"decide {size}"] = decide(size, explain=False)
        contestants[f"explain {size}"] = decide(size, explain=True)
        contestants[f"change {size}"] = change(size)
    figures = in_turns(contestants)
    rows = [["routes", "look-up ns", "decision us", "x look-up", "x 50", "explained us", "x 50", "change us", "x 50"]]
    for size in SIZES:
        fast, full, altered = (figures[f"{what} {size}"].median for what in ("decide", "explain", "change"))
        plain = figures[f"look-up {size}"].median
        rows.append(
            [
                f"{size:,}",
                f"{plain * 1e9:.0f}",
                f"{fast * 1e6:.2f}",
                f"{fast / plain:.1f}",
                f"{fast / figures['decide 50'].median:.2f}",
                f"{full * 1e6:.1f}",
                f"{full / figures['explain 50'].median:.2f}",
                f"{altered * 1e6:.1f}",
                f"{altered / figures['change 50'].median:.2f}",
            ]
        )
    show("one routing decision, by the number of routes in the table", rows)


def decide_for_one_service(routes: int, *, with_ids: bool, explain: bool) -> Callable[[], int]:
    """A table whose routes all name one service: an id, or a route, is drawn for each conversation."""
    rows = [
        Route(
            name=f"route {number}",
            service_name="S",
            broker_instance=UUID(int=number) if with_ids else None,
            address=NetworkAddress(f"TCP://host{number}:4022", TcpAddress(f"host{number}", 4022)),
        )
        for number in range(1, routes + 1)
    ]
    sales = DatabaseCatalog(name="Sales", broker_instance=UUID(int=2**64), routes={row.name: row for row in rows})
    msdb = DatabaseCatalog(name="msdb", broker_instance=UUID(int=2**65))
    endpoint = Endpoint("broker", 4022, EndpointState.STARTED)
    catalog = InstanceCatalog(name="PARIS", databases={"Sales": sales, "msdb": msdb}, endpoint=endpoint)
    classifier, target = MessageClassifier(catalog, listed_max=LIVE_LISTED_MAX), DialogTarget("S", None)

    def run() -> int:
        for _ in range(200):
            classifier.from_inside("Sales", target, NOW, explain=explain)
        return 200

    return run


@pytest.mark.timeout(900)
def test_decisions_among_routes_of_one_service(show: Callable[[str, list[list[str]]], None]) -> None:
    sizes = (2, 10, 100, 1_000, 10_000)
    contestants = {
        f"{drawn} {size} {explain}": decide_for_one_service(size, with_ids=drawn == "id", explain=explain)
        for size in sizes
        for drawn in ("id", "route")
        for explain in (False, True)
    }
    figures = in_turns(contestants)
    rows = [["routes of the service", "id drawn us", "explained us", "route drawn us", "explained us"]]
    for size in sizes:
        cells = (figures[f"{drawn} {size} {explain}"] for drawn in ("id", "route") for explain in (False, True))
        rows.append([f"{size:,}", *(f"{each.median * 1e6:.1f}" for each in cells)])
    show("one decision of the live engine where something is drawn, by the number of routes of the service", rows)
