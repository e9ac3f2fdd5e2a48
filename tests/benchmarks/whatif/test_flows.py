"""What-if answers about a large estate: one flow explained, all flows, and what a change in one place makes of them.

Between *the draft has changed* and *the rows that tell of changed flows* everything is counted: new routers for the
instance that changed, what may differ, the flows that depend on it, flows that only the draft has, and the rows.
"""

from __future__ import annotations

import gc
import resource
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterator
from random import Random

import msgspec
import pytest

from engine.core.catalog.changes import (
    BrokerSwitched,
    CatalogChange,
    EndpointAltered,
    QueueAltered,
    RouteAltered,
    RouteCreated,
    RouteDropped,
    ServiceCreated,
)
from engine.core.catalog.objects import DEFAULT_CONTRACT, EndpointState, Service
from engine.core.catalog.revision import apply_changes
from engine.whatif.answering import ask
from engine.whatif.evaluation import Evaluation
from engine.whatif.failures import single_failures
from engine.whatif.faults import FaultKind
from engine.whatif.flows import ANYWHERE_MAX, flows_of, possible_flows
from engine.whatif.impact import impact_on
from engine.whatif.snapshot import Snapshot
from engine.whatif.telling import FlowQuestion
from tests.benchmarks.whatif.estate import NOW, Estate, host, make_estate, tcp

ROUNDS = 5
QUESTIONS = 400
FAILURES = 100
REVISIONS = 20
CHANGES = 200
"""Changes of each kind, each of another database or instance."""
Show = Callable[[str, list[list[str]]], None]


@pytest.mark.timeout(1800)
def test_what_answers_about_all_flows_cost(show: Show) -> None:
    estate = make_estate()
    flows = _written_flows(estate)
    assert len(set(flows)) == len(flows) >= 100_000
    # What the estate itself takes is walked through by no collection, as in a process that has kept it for a while.
    gc.collect()
    gc.freeze()
    show("What-if: one flow, explained with all four legs", _one_flow(estate, flows))
    before = _resident()
    rows, evaluation = _all_flows(estate, flows)
    rows.append(["memory of the evaluation, MiB", f"{_resident() - before:.0f}", "", ""])
    began = time.perf_counter()
    list(evaluation.changes_to(estate))
    rows.append(["which flows depend on what, once, s", f"{time.perf_counter() - began:.2f}", "", ""])
    rows.append(["memory with that, MiB", f"{_resident() - before:.0f}", "", ""])
    show(f"What-if: {len(flows):,} flows of {sum(len(each.databases) for each in estate.values()):,} databases", rows)
    show("What-if: how they end", _ends(evaluation))
    show("What-if: a draft that changes one database or instance, ms", list(_changes(estate, evaluation)))
    show("What-if: one failure, ms", list(_failures(estate, evaluation)))
    show("What-if: on to the next revision, read anew from a database, ms", _revisions(evaluation))


def _written_flows(estate: Estate) -> list[FlowQuestion]:
    """Every flow that routes name, those too that nobody can begin because their service takes no dialog."""
    databases = [(catalog.name, each) for catalog in estate.values() for each in catalog.databases.values()]
    takers = dict.fromkeys(
        service.name for _, database in databases for service in database.services.values() if service.contracts
    )
    anywhere = list(takers)[:ANYWHERE_MAX]
    return [flow for instance, database in databases for flow in flows_of(instance, database, anywhere)]


def _resident() -> float:
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize() / 2**20


def _one_flow(estate: Estate, flows: list[FlowQuestion]) -> list[list[str]]:
    asked = Random(1).sample(flows, QUESTIONS)
    taken, worked = [], []
    for flow in asked:
        began, cpu = time.perf_counter(), time.process_time()
        ask(estate, flow, at=NOW)
        taken.append((time.perf_counter() - began) * 1_000)
        worked.append((time.process_time() - cpu) * 1_000)
    return [
        ["of which", "p50 ms", "p99 ms", "slowest ms"],
        ["by the clock", *_quantiles(taken)],
        ["processor", *_quantiles(worked)],
    ]


def _all_flows(estate: Estate, flows: list[FlowQuestion]) -> tuple[list[list[str]], Evaluation]:
    snapshot, listed, evaluated, worked = [], [], [], []
    evaluation = None
    for _ in range(ROUNDS):
        evaluation = None
        began = time.perf_counter()
        Snapshot(estate, at=NOW)
        snapshot.append(time.perf_counter() - began)
        began = time.perf_counter()
        list(possible_flows(estate))
        listed.append(time.perf_counter() - began)
        began, cpu = time.perf_counter(), time.process_time()
        evaluation = Evaluation(estate, flows, at=NOW)
        evaluated.append(time.perf_counter() - began)
        worked.append(time.process_time() - cpu)
    assert evaluation is not None
    rows = [["what", "median", "least", "most"]]
    rows.append(["snapshot, ms", *(f"{each * 1_000:.2f}" for each in _spread(snapshot))])
    rows.append(["list of possible flows, s", *(f"{each:.3f}" for each in _spread(listed))])
    rows.append(["all verdicts, s", *(f"{each:.2f}" for each in _spread(evaluated))])
    rows.append(["all verdicts, processor s", *(f"{each:.2f}" for each in _spread(worked))])
    rows.append(["flows a second", *(f"{len(flows) / each:,.0f}" for each in _spread(evaluated))])
    return rows, evaluation


def _ends(evaluation: Evaluation) -> list[list[str]]:
    counts = Counter(
        (verdict.disposition.value, "works" if verdict.works else "does not", len(verdict.path))
        for verdict in evaluation.verdicts.values()
    )
    rows = [["end", "round trip", "decisions on the way", "flows"]]
    return rows + [[end, works, str(hops), f"{count:,}"] for (end, works, hops), count in counts.most_common()]


# ── changes ──────────────────────────────────────────────────────────────────────────────────────────────────────────
Draft = tuple[str, list[CatalogChange]]


def _drafts(estate: Estate, chance: Random) -> Iterator[tuple[str, Draft]]:
    """Changes of every kind, each with the instance that it changes."""
    for _ in range(CHANGES):
        catalog = chance.choice(list(estate.values()))
        database = catalog.databases[f"Db{chance.randrange(10)}"]
        routes = [route for route in database.routes.values() if route.service_name is not None]
        route = chance.choice(routes)
        to = catalog.name
        altered = RouteAltered(database=database.name, name=route.name, address=tcp(host(chance.randrange(100))))
        if route.mirror_address is None:
            yield "a route leads elsewhere", (to, [altered])
        yield "a route is dropped", (to, [RouteDropped(database=database.name, name=route.name)])
        added = msgspec.structs.replace(route, name="New", service_name=f"//example.org/new/{chance.random()}")
        yield "a route is added", (to, [RouteCreated(database=database.name, route=added)])
        gone = [RouteDropped(database=database.name, name=each.name) for each in routes]
        yield "all routes of a database are dropped", (to, gone)
        yield "a broker is switched off", (to, [BrokerSwitched(database=database.name, is_enabled=False)])
        yield (
            "a queue is switched off",
            (to, [QueueAltered(database=database.name, name="dbo.Taking", is_enabled=False)]),
        )
        service = Service(f"//example.org/made/{chance.random()}", "dbo.Taking", (DEFAULT_CONTRACT,))
        yield "a service is added", (to, [ServiceCreated(database=database.name, service=service)])
    for catalog in estate.values():
        stopped = EndpointAltered(name="Broker", state=EndpointState.STOPPED)
        yield "an endpoint is stopped (whole instance)", (catalog.name, [stopped])
        name = next(iter(catalog.databases["msdb"].routes))
        yield "msdb loses its first route (whole instance)", (catalog.name, [RouteDropped(database="msdb", name=name)])


def _changes(estate: Estate, evaluation: Evaluation) -> Iterator[list[str]]:
    taken: dict[str, list[float]] = {}
    found: dict[str, list[float]] = {}
    for kind, (name, changes) in _drafts(estate, Random(2)):
        draft = {**estate, name: apply_changes(estate[name], changes)}
        began = time.perf_counter()
        changed = impact_on([evaluation], draft).changes
        taken.setdefault(kind, []).append((time.perf_counter() - began) * 1_000)
        found.setdefault(kind, []).append(len(changed))
    yield ["the draft", "drafts", "p50 ms", "p99 ms", "slowest ms", "verdicts changed, median", "most"]
    for kind, each in taken.items():
        counts = found[kind]
        yield [kind, str(len(each)), *_quantiles(each), f"{statistics.median(counts):.0f}", f"{max(counts):,.0f}"]


def _failures(estate: Estate, evaluation: Evaluation) -> Iterator[list[str]]:
    taken: dict[str, list[float]] = {}
    chance = Random(6)
    possible = list(single_failures(estate))
    yield ["what fails", "failures", "p50 ms", "p99 ms", "slowest ms"]
    for kind in FaultKind:
        faults = [fault for fault in possible if fault.kind is kind]
        for fault in chance.sample(faults, min(len(faults), FAILURES)):
            began = time.perf_counter()
            list(evaluation.changes_to(estate, faults=(fault,)))
            taken.setdefault(kind.value, []).append((time.perf_counter() - began) * 1_000)
    for name, each in taken.items():
        yield [name, str(len(each)), *_quantiles(each)]


def _revisions(evaluation: Evaluation) -> list[list[str]]:
    """A route leads elsewhere in each; all catalogs are other objects."""
    taken: list[float] = []
    for number in range(REVISIONS):
        estate = make_estate()
        name = f"SRV{10 + number:03}"
        route = next(each for each in estate[name].databases["Db1"].routes.values() if each.name.startswith("To "))
        altered = RouteAltered(database="Db1", name=route.name, address=tcp(host(number)))
        estate[name] = apply_changes(estate[name], [altered] if route.mirror_address is None else [])
        began = time.perf_counter()
        evaluation.advance(estate, possible_flows(estate))
        taken.append((time.perf_counter() - began) * 1_000)
    return [["revisions", "p50 ms", "p99 ms", "slowest ms"], [str(REVISIONS), *_quantiles(taken)]]


def _quantiles(values: list[float]) -> list[str]:
    ordered = sorted(values)
    p99 = ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))]
    return [f"{each:.2f}" for each in (statistics.median(ordered), p99, ordered[-1])]


def _spread(values: list[float]) -> tuple[float, float, float]:
    return statistics.median(values), min(values), max(values)
