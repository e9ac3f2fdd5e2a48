"""What the pages of a what-if wait for: whole requests through the product, by its own client, on SQLite.

Two estates: the large one of the other figures, and one of the size that a company has. Answers are asked about many
flows, and about a draft that grows: a route leads elsewhere, then another, so that no answer was given before. The
first question about all flows after a process began evaluates all of them, and is told apart.
"""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client

from brokerweb.accounts.rights import Role
from brokerweb.accounts.services import user_create
from brokerweb.topology.models import Estate as EstateRow
from brokerweb.topology.models import Instance
from brokerweb.topology.names import fold
from brokerweb.topology.services.revision import InstanceStep, revision_write
from engine import api as engine
from engine.whatif.telling import FlowQuestion
from tests.benchmarks.whatif.estate import Estate, Size, host, make_estate

SIZES = {
    "20 instances, 100 databases": Size(instances=20, databases=5, regions=4),
    "100 instances, 1,000 databases": Size(),
}
ASKED = 60
DRAFTS = 20
Taken = dict[str, list[float]]


@pytest.mark.django_db
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("size", SIZES)
def test_what_pages_wait_for(size: str, show: Callable[[str, list[list[str]]], None]) -> None:
    estate = make_estate(SIZES[size])
    _write(estate)
    client = Client()
    client.force_login(user_create("somebody", Role.EDITOR))
    flows = list(engine.what_if.possible_flows(estate))
    taken: Taken = {}
    _ask(client, taken, "the first answer of a process", "what-if/answer", {"question": _question(flows[0])})
    for flow in Random(4).sample(flows, ASKED):
        _ask(client, taken, "an answer: four legs, proofs, statements", "what-if/answer", {"question": _question(flow)})
        _ask(client, taken, "examples", "what-if/examples", None)
    _ask(client, taken, "begin a draft", "change-sets", {})
    _drafts(client, taken, estate, flows)
    show(f"What-if pages: {size}, {len(flows):,} flows", _rows(taken))


def _drafts(client: Client, taken: Taken, estate: Estate, flows: list[FlowQuestion]) -> None:
    chance = Random(5)
    tag = '"1-0"'
    for _ in range(DRAFTS):
        catalog = chance.choice(list(estate.values()))
        database = catalog.databases["Db1"]
        routes = [route for route in database.routes.values() if route.service_name and not route.mirror_address]
        route = chance.choice(routes)
        change = {
            "action": "alter",
            "objects": [{"instance": catalog.name, "database": database.name, "name": route.name}],
            "patch": {"address": f"TCP://{host(chance.randrange(len(estate)))}:4022"},
        }
        tag = _ask(client, taken, "a route in the draft", "objects/route/edits?change_set=1", change, tag)["ETag"]
        flow = chance.choice(flows)
        sides = {"question": _question(flow), "before": {}, "after": {"change_set": 1}}
        _ask(client, taken, "an answer before and after the draft", "what-if/comparison", sides)


def _write(estate: Estate) -> None:
    row = EstateRow.objects.create(name="large", pace=1.0)
    steps = []
    for catalog in estate.values():
        instance = Instance.objects.create(estate=row, name=catalog.name, folded_name=fold(catalog.name))
        steps.append(InstanceStep(instance, engine.InstanceCatalog(name=catalog.name), catalog, ()))
    revision_write(row, steps, user=None, summary="A large estate")


def _question(flow: FlowQuestion) -> dict[str, Any]:
    return {
        "instance": flow.instance,
        "database": flow.database,
        "service": flow.service,
        "to_service": flow.to_service,
        "broker_instance": None if flow.broker_instance is None else str(flow.broker_instance),
    }


def _ask(
    client: Client, taken: Taken, what: str, path: str, body: dict[str, Any] | None, tag: str = ""
) -> HttpResponse:
    where = f"/api/v1/estates/large/{path}"
    headers = {"If-Match": tag} if tag else {}
    began = time.perf_counter()
    if body is None:
        answer = client.get(where)
    else:
        answer = client.post(where, json.dumps(body), content_type="application/json", headers=headers)
    taken.setdefault(what, []).append((time.perf_counter() - began) * 1_000)
    assert answer.status_code in (200, 201), answer.content
    return answer


def _rows(taken: Taken) -> list[list[str]]:
    found = [["request", "asked", "p50 ms", "p95 ms", "slowest ms"]]
    for what, each in taken.items():
        ordered = sorted(each)
        p95 = ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))]
        found.append([what, str(len(each)), *(f"{ms:.0f}" for ms in (statistics.median(ordered), p95, ordered[-1]))])
    return found
