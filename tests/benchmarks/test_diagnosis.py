"""What the diagnosis of an estate costs: how long for one route, and whether that depends on how many there are."""

from __future__ import annotations

import time
from collections.abc import Callable
from uuid import UUID

import pytest

from engine.core.catalog.database import DatabaseCatalog
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.objects import (
    DEFAULT_CONTRACT,
    Endpoint,
    EndpointState,
    Queue,
    Service,
)
from engine.core.catalog.route import LocalAddress, NetworkAddress, Route
from engine.core.vocabulary.messages import TcpAddress
from engine.diagnosis.diagnose import diagnose

NOW = 1_790_000_000.0
SIZES = ((40, 25), (100, 100), (400, 250))
"""Instances, and routes of each: 1,000, 10,000 and 100,000 routes."""
SERVICES = 5
ROUNDS = 3


def make_estate(instances: int, routes: int) -> dict[str, InstanceCatalog]:
    """Each instance has a database with a few services and names those of its neighbours, one of fifty wrongly."""
    estate = {}
    for number in range(instances):
        services = {
            f"//example.org/{number}/{at}": Service(f"//example.org/{number}/{at}", "dbo.Q", (DEFAULT_CONTRACT,))
            for at in range(SERVICES)
        }
        table = {"AutoCreatedLocal": Route(name="AutoCreatedLocal", address=LocalAddress())}
        for at in range(routes):
            step = at // SERVICES
            other = (number + (step // 2 + 1) * (1 if step % 2 else -1)) % instances
            service = f"//example.org/{other}/{at % SERVICES}"
            wrong = at % 100
            host = f"host{(other + 1) % instances if wrong == 7 else other}"
            table[f"route {at}"] = Route(
                name=f"route {at}",
                service_name=service.upper() if wrong == 42 else service,
                broker_instance=UUID(int=other + 1) if at % 3 == 0 else None,
                address=NetworkAddress(f"TCP://{host}:4022", TcpAddress(host, 4022)),
                expires_at=NOW + 3600 if at % 50 == 0 else None,
            )
        name = f"host{number}"
        estate[name] = InstanceCatalog(
            name=name,
            databases={
                "Sales": DatabaseCatalog(
                    name="Sales",
                    broker_instance=UUID(int=number + 1),
                    queues={"dbo.Q": Queue("dbo.Q")},
                    services=services,
                    routes=table,
                ),
                "msdb": DatabaseCatalog(
                    name="msdb",
                    broker_instance=UUID(int=2**64 + number),
                    routes={"AutoCreatedLocal": table["AutoCreatedLocal"]},
                ),
            },
            endpoint=Endpoint("Broker", 4022, EndpointState.STARTED),
        )
    return estate


@pytest.mark.timeout(900)
def test_what_a_diagnosis_costs(show: Callable[[str, list[list[str]]], None]) -> None:
    rows = [["instances", "routes", "findings", "seconds of one core", "µs a route"]]
    for instances, routes in SIZES:
        estate = make_estate(instances, routes)
        seconds = []
        for _ in range(ROUNDS):
            begin = time.process_time()
            found = len(diagnose(estate, NOW).findings)
            seconds.append(time.process_time() - begin)
        best = min(seconds)
        rows.append(
            [
                str(instances),
                f"{instances * routes:,}",
                f"{found:,}",
                f"{best:.2f}",
                f"{best / (instances * routes) * 1e6:.0f}",
            ]
        )
    show("Diagnosis of an estate", rows)
