"""What the pages of a what-if wait for: the product as `manage.py run` starts it, asked over HTTP within a session.

Server, engine and outbox are one process of their own on a data directory with a SQLite file; who asks is another one,
so what is measured is what a browser waits for, without the drawing. Three estates: a small one, one of hundreds of
instances, and the large one of the other figures. Everything is asked in turns, about flows and drafts that were not
asked about before; the first of each kind, in a process that has answered nothing, is told apart.
"""

from __future__ import annotations

import os
import sqlite3
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import httpx
import pytest

from engine import api as engine
from engine.whatif.telling import FlowQuestion
from tests.benchmarks.whatif.estate import Estate, Size, host, make_estate
from tests.benchmarks.whatif.write_estate import ESTATE
from tests.support.running import REPOSITORY, Client, running
from tests.support.waiting import until

SIZES = {
    "8 instances, 24 databases": Size(instances=8, databases=3, routes=12, regions=2),
    "300 instances, 600 databases": Size(instances=300, databases=2, routes=20, regions=15),
    "100 instances, 1,000 databases": Size(),
}
ROUNDS = 30
COLUMNS = 30
"""Failures that the page of the matrix asks about at once."""
DELIVERED_SECONDS = 600.0
Taken = dict[str, list[tuple[float, float]]]
"""By request: seconds by the clock, and seconds that the server has worked meanwhile, in hundredths."""


@pytest.mark.timeout(2400)
@pytest.mark.parametrize("size", SIZES)
def test_what_served_pages_wait_for(size: str, tmp_path: Path, show: Callable[[str, list[list[str]]], None]) -> None:
    chosen = SIZES[size]
    _written(tmp_path, chosen)
    estate = make_estate(chosen)
    flows = list(engine.what_if.possible_flows(estate))
    with running(tmp_path) as (_, client):
        until(lambda: _is_delivered(tmp_path), seconds=DELIVERED_SECONDS, what="that the engine has every instance")
    # A process that has only just begun, with an engine that has nothing left to do.
    with running(tmp_path) as (product, client):
        asker = _Asker(client, estate, flows, lambda: worked_seconds(product.pid))
        asker.round("the first: ")
        for _ in range(ROUNDS):
            asker.round()
    show(f"What-if pages over HTTP: {size}, {len(flows):,} flows", _rows(asker.taken))


class _Asker:
    """Asks one of each, again and again, of a flow that was not asked about before."""

    def __init__(self, client: Client, estate: Estate, flows: list[FlowQuestion], worked: Callable[[], float]) -> None:
        """`worked` tells the processor seconds of the server so far."""
        self._client = client
        self._estate = estate
        self._flows = flows
        self._mirrored = _to_pairs(estate, flows)
        self._chance = Random(5)
        self._failures: list[dict[str, Any]] = []
        self._tag = ""
        self._worked = worked
        self.taken: Taken = {}

    def round(self, before: str = "") -> None:
        """One of each."""
        question = {"question": _question(self._chance.choice(self._flows))}
        self._ask(f"{before}answer", "what-if/answer", question)
        self._ask(f"{before}examples", "what-if/examples")
        self._ask(f"{before}triptych", "what-if/triptych", {"question": _question(self._to_a_pair())})
        self._failures = self._ask(f"{before}failures", "what-if/failures").json()
        columns = self._chance.sample(self._failures, min(COLUMNS, len(self._failures)))
        self._ask(f"{before}matrix, {COLUMNS} failures", "what-if/matrix", {"failures": [[each] for each in columns]})
        self._change(before)
        sides = {**question, "before": {}, "after": {"change_set": 1}}
        self._ask(f"{before}before and after a draft", "what-if/comparison", sides)
        self._ask(f"{before}the gate: flows of a draft", "change-sets/1/flows")

    def _to_a_pair(self) -> FlowQuestion:
        """One that comes as far as to the route that is mirrored: not all do."""
        while True:
            flow = self._chance.choice(self._mirrored)
            with suppress(engine.CatalogError):
                engine.what_if.triptych(self._estate, flow, at=engine.UtcTime(time.time()))
                return flow

    def _change(self, before: str) -> None:
        if not self._tag:
            self._ask("begin a draft", "change-sets", {})
            self._tag = '"1-0"'
        catalog = self._chance.choice(list(self._estate.values()))
        database = catalog.databases["Db1"]
        route = self._chance.choice([each for each in database.routes.values() if each.service_name])
        change = {
            "action": "alter",
            "objects": [{"instance": catalog.name, "database": database.name, "name": route.name}],
            "patch": {"address": f"TCP://{host(self._chance.randrange(len(self._estate)))}:4022"},
        }
        self._tag = self._ask(f"{before}a route in the draft", "objects/route/edits?change_set=1", change).headers[
            "ETag"
        ]

    def _ask(self, what: str, path: str, body: dict[str, Any] | None = None) -> httpx.Response:
        where = f"estates/{ESTATE}/{path}"
        headers = self._client.csrf | ({"If-Match": self._tag} if self._tag else {})
        worked, began = self._worked(), time.perf_counter()
        if body is None:
            answer = self._client.get(where)
        else:
            answer = self._client.post(where, json=body, headers=headers)
        took = (time.perf_counter() - began, self._worked() - worked)
        self.taken.setdefault(what, []).append(took)
        assert answer.is_success, answer.text
        return answer


def _written(directory: Path, size: Size) -> None:
    numbers = [str(number) for number in (size.instances, size.databases, size.routes, size.regions)]
    kept = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
    subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.whatif.write_estate", *numbers],
        cwd=REPOSITORY,
        env={**kept, "BROKERWEB_DATA": str(directory)},
        check=True,
    )


def _is_delivered(directory: Path) -> bool:
    with sqlite3.connect(f"file:{directory / 'brokerweb.sqlite3'}?mode=ro", uri=True) as connection:
        return connection.execute("SELECT count(*) FROM outbox_outboxmessage").fetchone() == (0,)


def _to_pairs(estate: Estate, flows: list[FlowQuestion]) -> list[FlowQuestion]:
    """Flows by routes to a mirrored pair; all flows where there is none."""
    named = {
        (catalog.name, database.name, route.service_name, route.broker_instance)
        for catalog in estate.values()
        for database in catalog.databases.values()
        for route in database.routes.values()
        if route.mirror_address is not None
    }
    return [
        flow for flow in flows if (flow.instance, flow.database, flow.to_service, flow.broker_instance) in named
    ] or flows


def _question(flow: FlowQuestion) -> dict[str, Any]:
    return {
        "instance": flow.instance,
        "database": flow.database,
        "service": flow.service,
        "to_service": flow.to_service,
        "broker_instance": None if flow.broker_instance is None else str(flow.broker_instance),
    }


def _rows(taken: Taken) -> list[list[str]]:
    found = [["request", "asked", "p50 ms", "p95 ms", "slowest ms", "worked, mean ms"]]
    for what, each in taken.items():
        ordered = sorted(clock for clock, _ in each)
        p95 = ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))]
        times = (statistics.median(ordered), p95, ordered[-1], statistics.mean(worked for _, worked in each))
        found.append([what, str(len(each)), *(f"{seconds * 1_000:.0f}" for seconds in times)])
    return found


def worked_seconds(process: int) -> float:
    """Processor seconds of a process so far, as the kernel counts them: in hundredths."""
    after_name = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(after_name[11]) + int(after_name[12])) / os.sysconf("SC_CLK_TCK")
