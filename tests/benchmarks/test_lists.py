"""What a page of a list costs with 100,000 routes: every sort, every filter, the first, a middle and the last page.

DATABASE=postgres: in a PostgreSQL server of its own instead of SQLite; ROUTES=100000 says how many.
"""

from __future__ import annotations

import itertools
import json
import os
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from pytest_django import DjangoDbBlocker

from brokerweb.accounts.rights import Role
from brokerweb.accounts.services import user_create
from brokerweb.topology.listing import SORTS
from brokerweb.topology.models import Estate, Instance
from brokerweb.topology.names import fold
from brokerweb.topology.services.listing import listing_write
from brokerweb.topology.services.revision import InstanceStep, revision_write
from brokerweb.topology.services.rows import catalog_write
from engine import api as engine
from tests.brokerweb.postgres_dashboard import dashboard_in
from tests.support.numbered_entropy import NumberedEntropy
from tests.support.postgres_server import running_postgres

IS_IN_POSTGRES = os.environ.get("DATABASE") == "postgres"
ROUTES = int(os.environ.get("ROUTES") or 100_000)
INSTANCES = 20
IN_A_DRAFT = ("none", "text that some have", "instance")
"""Filters that are measured in a change set too."""
FILTERS: dict[str, dict[str, str]] = {
    "none": {},
    "text that some have": {"text": "depot-77"},
    "text that all have": {"text": "entrepot"},
    "text that none has": {"text": "nowhere"},
    "service": {"service": "dépôt-5"},
    "address": {"target": "host7:"},
    "instance": {"instance": "SERVER3"},
    "database": {"instance": "SERVER3", "database": "Ventes"},
    "expired": {"expired": "true"},
    "not expired": {"expired": "false"},
    "kind of address": {"state": "TCP"},
}
PATH = "/api/v1/estates/large/objects/route"


def catalog(number: int) -> engine.InstanceCatalog:
    """One of the instances, with its share of the routes."""
    born = engine.new_instance(engine.InstanceName(f"SERVER{number}"), NumberedEntropy(1_000 * (number + 1)))
    home = engine.DatabaseName("Ventes")
    broker = engine.BrokerInstanceId(NumberedEntropy(500_000 + number).new_uuid())
    found = engine.apply_changes(born, [engine.DatabaseCreated(database=home, broker_instance=broker)])
    now = time.time()
    for at in range(ROUTES // INSTANCES):
        host = f"host{(at * 7 + number) % 500}"
        name = engine.RouteName(f"vers_Entrepôt_{number}_{at}")
        found.databases[home].routes[name] = engine.Route(
            name=name,
            address=engine.NetworkAddress(f"TCP://{host}:4022", engine.TcpAddress(host, 4022)),
            service_name=engine.ServiceName(f"//exemple.fr/Dépôt-{at % 1_000}"),
            expires_at=engine.UtcTime(round(now + (at % 200 - 20) * 3_600, 3)) if at % 4 == 0 else None,
        )
    return found


def make_estate() -> tuple[float, float]:
    """The estate; answers how many seconds its rows took, and of these those of the lists."""
    estate = Estate.objects.create(name="large", pace=1.0)
    steps = []
    rows = lists = 0.0
    for number in range(INSTANCES):
        after = catalog(number)
        row = Instance.objects.create(estate=estate, name=after.name, folded_name=fold(after.name))
        empty = engine.InstanceCatalog(name=after.name)
        if number == 0:
            began = time.process_time()
            catalog_write(row, empty, after)
            rows = (time.process_time() - began) * INSTANCES
            row.listed_objects.all().delete()
            began = time.process_time()
            listing_write(row, empty, after)
            lists = (time.process_time() - began) * INSTANCES
            row.delete()
            row = Instance.objects.create(estate=estate, name=after.name, folded_name=fold(after.name))
        steps.append(InstanceStep(row, empty, after, ()))
    revision_write(estate, steps, user=None, summary="A large estate")
    return rows, lists


Taken = tuple[float, float]
"""Milliseconds by the clock, and those of them that this process has worked: SQLite's work is among them."""


def asked(client: Client, query: dict[str, Any]) -> tuple[Taken, dict[str, Any]]:
    """What it took, and the answer."""
    began, worked = time.perf_counter(), time.process_time()
    answer = client.get(PATH, query)
    taken = (time.perf_counter() - began) * 1_000, (time.process_time() - worked) * 1_000
    assert answer.status_code == 200, answer.content
    return taken, json.loads(answer.content)


def measured(client: Client, names: Iterable[str], more: dict[str, Any]) -> dict[str, list[Taken]]:
    """What every sort and page took, by filter, after a first page, for which the process reads its code."""
    asked(client, more)
    times: dict[str, list[Taken]] = {}
    for name, sort, descending in itertools.product(names, SORTS, ("false", "true")):
        base = {**FILTERS[name], **more, "sort": sort, "descending": descending}
        taken, first = asked(client, base)
        times.setdefault(name, []).append(taken)
        for page in sorted({max(1, first["pages"] // 2), first["pages"]} - {1}):
            times[name].append(asked(client, {**base, "page": page})[0])
    return times


def rows_of(times: dict[str, list[Taken]]) -> list[list[str]]:
    figures = ("p50", "p95", "slowest")
    found = [
        ["filter", "pages asked for", *(f"{each} ms" for each in figures), *(f"{each} worked" for each in figures)]
    ]
    times = {**times, "all of them": list(itertools.chain(*times.values()))}
    for name, taken in times.items():
        cells = [name, str(len(taken))]
        for side in zip(*taken, strict=True):
            ordered = sorted(side)
            p50, p95 = ordered[len(ordered) // 2], ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))]
            cells += [f"{each:.0f}" for each in (p50, p95, ordered[-1])]
        found.append(cells)
    return found


@pytest.fixture
def database(request: pytest.FixtureRequest, django_db_blocker: DjangoDbBlocker) -> Iterator[str]:
    """The database that is measured, by its name."""
    if not IS_IN_POSTGRES:
        request.getfixturevalue("db")
        yield "SQLite"
        return
    with running_postgres(is_synced=True) as server, django_db_blocker.unblock(), dashboard_in(server):
        call_command("migrate", verbosity=0)
        yield "PostgreSQL"


@pytest.mark.timeout(1800)
def test_what_a_page_of_a_list_costs(database: str, show: Callable[[str, list[list[str]]], None]) -> None:
    rows, lists = make_estate()
    client = Client()
    client.force_login(user_create("somebody", Role.EDITOR))
    show(f"Pages of 50 of {ROUTES:,} routes in {database}, live", rows_of(measured(client, FILTERS, {})))
    change: dict[str, Any] = {"action": "alter", "filter": {"text": "depot-77"}}
    headers = {"content_type": "application/json"}
    assert client.post("/api/v1/estates/large/change-sets", "{}", **headers).status_code == 201
    edits = []
    for seconds in (600, 1_200):
        change["patch"] = {"lifetime_seconds": seconds}
        began, worked = time.perf_counter(), time.process_time()
        tag = {"If-Match": f'"1-{len(edits)}"'}
        answer = client.post(f"{PATH}/edits?change_set=1", json.dumps(change), headers=tag, **headers)
        assert answer.status_code == 200, answer.content
        edits.append(f"{time.perf_counter() - began:.1f}, worked {time.process_time() - worked:.1f}")
    count = json.loads(answer.content)["changed"]
    show(f"The same in a change set of {count:,} routes", rows_of(measured(client, IN_A_DRAFT, {"change_set": "1"})))
    show(
        "Work with the table of lists",
        [
            ["what", "seconds"],
            ["rows of the estate, worked", f"{rows:.1f}"],
            ["of these, its lists", f"{lists:.1f}"],
            [f"first bulk edit of {count:,} routes in a change set", edits[0]],
            ["the next one of the same", edits[1]],
        ],
    )
