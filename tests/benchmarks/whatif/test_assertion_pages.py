"""What people wait for with an estate's assertions: lists, changes and runs, as whole requests."""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from django.test import Client

from brokerweb.accounts.rights import Role
from brokerweb.accounts.services import user_create
from brokerweb.topology.models import Estate as EstateRow
from brokerweb.whatif.services.assertion_bulk import rows_made
from brokerweb.whatif.services.assertions import ASSERTIONS_MAX
from engine import api as engine
from tests.benchmarks.whatif.estate import Size, make_estate
from tests.benchmarks.whatif.write_estate import ESTATE, write

CASES = {
    "20 instances, 100 databases, 300 assertions": (Size(instances=20, databases=5, regions=4), 300),
    f"20 instances, 100 databases, {ASSERTIONS_MAX:,} assertions": (
        Size(instances=20, databases=5, regions=4),
        ASSERTIONS_MAX,
    ),
    f"100 instances, 1,000 databases, {ASSERTIONS_MAX:,} assertions": (Size(), ASSERTIONS_MAX),
}
ROUNDS = 6
Taken = dict[str, list[tuple[float, float]]]


@pytest.mark.django_db
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("case", CASES)
def test_what_pages_of_assertions_wait_for(case: str, show: Callable[[str, list[list[str]]], None]) -> None:
    size, count = CASES[case]
    estate = make_estate(size)
    write(estate)
    flows = list(engine.what_if.possible_flows(estate))
    step = len(flows) // count
    at = engine.UtcTime(1_790_000_000.0)
    pinned = engine.assertions.pin(estate, flows[:: max(step, 1)][: count - 2], at=at, with_path=True)
    rows_made(EstateRow.objects.get(), pinned, None)
    client = Client()
    client.force_login(user_create("somebody", Role.EDITOR))
    taken: Taken = {}
    failing = {"faults": [{"kind": "instance", "instance": next(iter(estate))}]}
    bodies: tuple[tuple[str, str, dict[str, Any] | None], ...] = (
        ("a run of what is live, kept", "assertions/run", {}),
        ("a run with an instance down", "assertions/run", failing),
        ("the first page", "assertions", None),
        ("a page that is searched for", "assertions?search=stock&state=passed", None),
        ("coverage", "assertions/coverage", None),
        ("the summary", "assertions/summary", None),
        ("the file", "assertions/file", None),
    )
    _ask(client, {}, "", "assertions/run", {})
    for _ in range(ROUNDS):
        for what, path, body in bodies:
            _ask(client, taken, what, path, body)
    _ask(client, taken, "one more is pinned", "assertions", {"question": msgspec.to_builtins(flows[1])})
    show(f"Assertions: {case}", _rows(taken))


def _ask(client: Client, taken: Taken, what: str, path: str, body: dict[str, Any] | None) -> None:
    where = f"/api/v1/estates/{ESTATE}/{path}"
    began, worked = time.perf_counter(), time.process_time()
    answer = client.get(where) if body is None else client.post(where, json.dumps(body), "application/json")
    took = ((time.perf_counter() - began) * 1_000, (time.process_time() - worked) * 1_000)
    taken.setdefault(what, []).append(took)
    assert answer.status_code in (200, 201), answer.content


def _rows(taken: Taken) -> list[list[str]]:
    found = [["request", "asked", "p50 ms", "slowest ms", "p50 ms of work"]]
    for what, each in taken.items():
        waited, worked = zip(*each, strict=True)
        told = (statistics.median(waited), max(waited), statistics.median(worked))
        found.append([what, str(len(each)), *(f"{ms:.0f}" for ms in told)])
    return found
