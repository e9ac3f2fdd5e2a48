"""Which route does each of ten million conversations take? The router beside DuckDB, on the same question, in one run.

Both hold everything in memory, names coded as numbers and rows grouped by database when they are taken in; both answer
one number a row, the place of the route among all, or -1. DuckDB answers with five equi-joins, row by row, and once
more by distinct questions that are joined back. The router, the very code that the engine routes by, is asked once for
every distinct question, and its answers are handed to the rows by numpy. All answers are compared.

A draft is a new table of routes, so both begin with routes: DuckDB derives what it joins with, the router its indexes.
`CONVERSATIONS` says how many.
"""

from __future__ import annotations

import gc
import os
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from uuid import UUID

import duckdb
import numpy as np
import numpy.typing as npt
import pytest

from engine.core.catalog.database import DatabaseCatalog
from engine.core.catalog.route import LocalAddress, Route
from engine.core.routing.draws import Question
from engine.core.routing.locator import ServiceLocator
from engine.core.routing.matching import choose, match
from engine.core.routing.table import RoutingTable, is_live
from engine.core.vocabulary.messages import DialogTarget
from tests.benchmarks.whatif.estate import NOW, Estate, make_estate

ROWS = int(os.environ.get("CONVERSATIONS") or 10_000_000)
ROUNDS = 5
DRAFTS = 100
"""Databases that change, one at a time, in each round."""
Column = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Asked:
    """What conversations of one database ask: a service, and perhaps a broker id."""

    database: int
    target: DialogTarget
    service: int
    broker: int


class Coded:
    """The estate, coded: databases, services and broker ids by number."""

    def __init__(self, estate: Estate) -> None:
        self.homes: list[tuple[ServiceLocator, DatabaseCatalog]] = []
        self.services: dict[str, int] = {}
        self.brokers: dict[UUID, int] = {}
        self.hosted: set[tuple[int, int]] = set()
        self.questions: list[Asked] = []
        for catalog in estate.values():
            locator = ServiceLocator(catalog)
            named = sorted({name for each in catalog.databases.values() for name in each.services})
            for database in catalog.databases.values():
                if database.name.startswith("Db"):
                    at = len(self.homes)
                    self.homes.append((locator, database))
                    self.hosted |= {(at, self._service(name)) for name in named if locator.hosts(name)}
                    self._ask(at, database)
        self.places = self._places()

    def _service(self, name: str) -> int:
        return self.services.setdefault(name, len(self.services))

    def _ask(self, at: int, database: DatabaseCatalog) -> None:
        """Everything that its routes name, with the id, without any and with another one; and what no route names."""
        chance = Random(at)
        wishes: dict[tuple[str, UUID | None], None] = {}
        for route in database.routes.values():
            if route.service_name is not None:
                wishes[route.service_name, None] = None
                if route.broker_instance is not None:
                    wishes[route.service_name, route.broker_instance] = None
        for name in database.services:
            wishes[name, None] = None
            wishes[name, database.broker_instance] = None
        for number in range(20):
            wishes[f"//example.org/{chance.randrange(100)}/{chance.randrange(10)}/stock", None] = None
            wishes[f"//nowhere/{number}", UUID(int=chance.randrange(1, 9))] = None
        for service, broker in wishes:
            code = -1 if broker is None else self.brokers.setdefault(broker, len(self.brokers))
            self.questions.append(Asked(at, DialogTarget(service, broker), self._service(service), code))

    def _places(self) -> list[dict[str, int]]:
        places, number = [], 0
        for _, database in self.homes:
            places.append({name: number + at for at, name in enumerate(database.routes)})
            number += len(database.routes)
        return places

    def route_rows(self, at: int) -> list[tuple[int, int, int, int, int, bool]]:
        """The live routes of a database as DuckDB has them; their order decides between equals."""
        return [
            (
                self.places[at][route.name],
                at,
                -1 if route.service_name is None else self._service(route.service_name),
                -1
                if route.broker_instance is None
                else self.brokers.setdefault(route.broker_instance, len(self.brokers)),
                _rank(route),
                isinstance(route.address, LocalAddress),
            )
            for route in self.homes[at][1].routes.values()
            if is_live(route, NOW)
        ]


def _rank(route: Route) -> int:
    """The steps of CHOOSE: mirrored, local, network."""
    if route.mirror_address is not None:
        return 1
    return 2 if isinstance(route.address, LocalAddress) else 3


class _First:
    """Draws: whoever is first, as DuckDB takes it too."""

    def take(self, table: str, service: str, question: Question, options: Sequence[object]) -> int:
        """The first of all."""
        return 0


class Router:
    """The engine's own match and choose, asked each distinct question once."""

    def __init__(self, coded: Coded, rows: Column, first_row: Column) -> None:
        self._coded = coded
        self._rows = rows
        self._first_row = first_row
        self._by_database: list[list[tuple[int, DialogTarget]]] = [[] for _ in coded.homes]
        for number, question in enumerate(coded.questions):
            self._by_database[question.database].append((number, question.target))
        self._answers = np.full(len(coded.questions), -1, np.int32)
        self.answered = np.full(len(rows), -1, np.int32)

    def everything(self) -> int:
        """All databases, all rows."""
        for at in range(len(self._coded.homes)):
            self._decide(at, self._coded.homes[at][1])
        np.take(self._answers, self._rows, out=self.answered, mode="clip")
        return len(self._rows)

    def one(self, at: int, database: DatabaseCatalog) -> None:
        """One database with other routes, and its rows."""
        self._decide(at, database)
        first, last = self._first_row[at], self._first_row[at + 1]
        np.take(self._answers, self._rows[first:last], out=self.answered[first:last], mode="clip")

    def _decide(self, at: int, database: DatabaseCatalog) -> None:
        locator, places, answers = self._coded.homes[at][0], self._coded.places[at], self._answers
        draws = _First()
        table = RoutingTable(database.name, database.routes.values())
        table.at(NOW)
        for number, target in self._by_database[at]:
            _, candidates, _ = match(table, target, True, locator, draws)
            chosen = None if candidates is None else choose(table, target, candidates, locator, draws)
            answers[number] = -1 if chosen is None else places[chosen[1].name]


DERIVED = """
create or replace temp table {p}best as
  select db, svc, broker, id, kind,
         is_local and not exists (select 1 from hosts h where h.db = r.db and h.svc = r.svc) as unfit
  from {p}routes r where svc >= 0;
create or replace temp table {p}exact as
  select db, svc, broker, coalesce(arg_min(id, kind * 1000000 + id) filter (not unfit), -1) as route
  from {p}best where broker >= 0 group by all;
create or replace temp table {p}named as
  select db, svc, coalesce(arg_min(id, kind * 1000000 + id) filter (not unfit), -1) as route
  from {p}best where broker < 0 group by all;
create or replace temp table {p}any_id as
  select e.db, e.svc, arg_min(e.route, f.first) as route
  from {p}exact e join (select db, svc, broker, min(id) as first from {p}best group by all) f
    on f.db = e.db and f.svc = e.svc and f.broker = e.broker
  group by all;
create or replace temp table {p}rest as
  select db, coalesce(arg_min(id, id) filter (is_local), -1) as local_route,
         coalesce(arg_min(id, id) filter (not is_local), -1) as network_route
  from {p}routes where svc < 0 group by all;
"""
ROUTED = """
select c.{column}, coalesce(
       e.route, n.route, case when c.broker < 0 then a.route end,
       case when h.svc is not null and r.local_route >= 0 then r.local_route else r.network_route end, -1
  )::integer as route
from {rows} c
left join {p}exact e on e.db = c.db and e.svc = c.svc and e.broker = c.broker
left join {p}named n on n.db = c.db and n.svc = c.svc
left join {p}any_id a on a.db = c.db and a.svc = c.svc
left join {p}rest r on r.db = c.db
left join hosts h on h.db = c.db and h.svc = c.svc
"""


class DuckDb:
    """The same in SQL."""

    def __init__(self, coded: Coded, columns: dict[str, Column]) -> None:
        self._coded = coded
        self.connection = connection = duckdb.connect()
        connection.execute("set threads to 2")
        connection.execute("set preserve_insertion_order to true")
        frame = {**columns}
        connection.register("given", frame)
        connection.execute("create table conversations as select db, svc, broker, question from given order by db")
        questions = {
            "question": np.arange(len(coded.questions), dtype=np.int32),
            "db": np.array([each.database for each in coded.questions], np.int32),
            "svc": np.array([each.service for each in coded.questions], np.int32),
            "broker": np.array([each.broker for each in coded.questions], np.int32),
        }
        connection.register("given_questions", questions)
        connection.execute("create table questions as select * from given_questions")
        hosts = np.array(sorted(coded.hosted), np.int32)
        connection.register("given_hosts", {"db": hosts[:, 0].copy(), "svc": hosts[:, 1].copy()})
        connection.execute("create table hosts as select * from given_hosts")
        self._put("", [row for at in range(len(coded.homes)) for row in coded.route_rows(at)])

    def _put(self, prefix: str, rows: list[tuple[int, int, int, int, int, bool]]) -> None:
        names = ("id", "db", "svc", "broker", "kind", "is_local")
        columns = {
            name: np.array(column, bool if name == "is_local" else np.int32)
            for name, column in zip(names, zip(*rows, strict=True), strict=True)
        }
        self.connection.register("given_routes", columns)
        self.connection.execute(f"create or replace temp table {prefix}routes as select * from given_routes")

    def everything(self) -> int:
        """Row by row."""
        self.connection.execute(DERIVED.format(p=""))
        select = ROUTED.format(p="", rows="conversations", column="question")
        self.connection.execute(f"create or replace table answered as {select}")
        return ROWS

    def by_questions(self) -> int:
        """Distinct questions, joined back."""
        self.connection.execute(DERIVED.format(p=""))
        select = ROUTED.format(p="", rows="questions", column="question")
        self.connection.execute(f"create or replace temp table decided as {select}")
        self.connection.execute(
            "create or replace table answered as select c.question, d.route from conversations c "
            "join decided d on d.question = c.question"
        )
        return ROWS

    def one(self, at: int) -> npt.NDArray[np.int32]:
        """The rows of one database, joined with tables of its own routes."""
        select = ROUTED.format(p=f"one{at}_", rows=f"(select * from conversations where db = {at})", column="question")
        answer: npt.NDArray[np.int32] = self.connection.execute(select).fetchnumpy()["route"]
        return answer

    def prepare_one(self, at: int) -> None:
        """What its routes amount to, ready to be joined with: not part of what is measured."""
        self._put(f"one{at}_", self._coded.route_rows(at))
        self.connection.execute(DERIVED.format(p=f"one{at}_"))

    def sums(self) -> tuple[int, int]:
        """Of the answers, to be compared."""
        found = self.connection.execute(
            "select sum(route::bigint), sum((route + 2)::hugeint * (question + 1)) from answered"
        )
        first, second = found.fetchall()[0]
        return int(first), int(second)


def _rows(coded: Coded) -> dict[str, Column]:
    """Conversations grouped by database; of the questions of one some are asked a hundred times as often as others."""
    generator = np.random.default_rng(8)
    weights = generator.pareto(1.2, len(coded.questions)) + 0.05
    question = generator.choice(len(coded.questions), ROWS, p=weights / weights.sum()).astype(np.int32)
    database = np.array([each.database for each in coded.questions], np.int32)
    question = question[np.argsort(database[question], kind="stable")]
    service = np.array([each.service for each in coded.questions], np.int32)
    broker = np.array([each.broker for each in coded.questions], np.int32)
    return {"db": database[question], "svc": service[question], "broker": broker[question], "question": question}


@pytest.mark.timeout(1800)
def test_which_route_each_conversation_takes(show: Callable[[str, list[list[str]]], None]) -> None:
    coded = Coded(make_estate())
    columns = _rows(coded)
    first_row = np.searchsorted(columns["db"], np.arange(len(coded.homes) + 1)).astype(np.int64)
    ours, theirs = Router(coded, columns["question"], first_row), DuckDb(coded, columns)
    taken: dict[str, list[float]] = {}
    gc.collect()
    gc.freeze()
    gc.disable()
    for _ in range(ROUNDS + 1):
        for name, work in (
            ("router", ours.everything),
            ("DuckDB, row by row", theirs.everything),
            ("DuckDB, by distinct questions", theirs.by_questions),
        ):
            began = time.perf_counter()
            work()
            taken.setdefault(name, []).append(time.perf_counter() - began)
            if name != "router":
                answered = ours.answered.astype(np.int64)
                weighted = int(((answered + 2) * (columns["question"].astype(np.int64) + 1)).sum())
                assert theirs.sums() == (int(answered.sum()), weighted), name
    show(f"Which route: {ROWS:,} conversations, {len(coded.questions):,} distinct questions", _table(taken, ROWS))
    show("Which route: one of 1,000 databases has changed, ms", _one_by_one(coded, ours, theirs, first_row))
    gc.enable()
    gc.unfreeze()


def _table(taken: dict[str, list[float]], rows: int) -> list[list[str]]:
    own = statistics.median(taken["router"][1:])
    found = [["all of it", "s", "least", "most", "million rows/s", "router is × as fast"]]
    for name, each in taken.items():
        median = statistics.median(each[1:])
        cells = [f"{median:.3f}", f"{min(each[1:]):.3f}", f"{max(each[1:]):.3f}", f"{rows / median / 1e6:.1f}"]
        found.append([name, *cells, f"{median / own:.2f}"])
    return found


def _one_by_one(coded: Coded, ours: Router, theirs: DuckDb, first_row: npt.NDArray[np.int64]) -> list[list[str]]:
    taken: dict[str, list[float]] = {"router": [], "DuckDB": []}
    chosen = Random(3).sample(range(len(coded.homes)), min(DRAFTS, len(coded.homes)))
    for at in chosen:
        theirs.prepare_one(at)
    for _ in range(ROUNDS):
        for at in chosen:
            began = time.perf_counter()
            ours.one(at, coded.homes[at][1])
            taken["router"].append((time.perf_counter() - began) * 1_000)
        for at in chosen:
            began = time.perf_counter()
            answer = theirs.one(at)
            taken["DuckDB"].append((time.perf_counter() - began) * 1_000)
            assert sorted(answer) == sorted(ours.answered[first_row[at] : first_row[at + 1]])
    own = statistics.median(taken["router"])
    found = [["one database", "p50 ms", "p99 ms", "slowest ms", "router is × as fast"]]
    for name, each in taken.items():
        ordered = sorted(each)
        p99 = ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))]
        median = statistics.median(ordered)
        found.append([name, f"{median:.2f}", f"{p99:.2f}", f"{ordered[-1]:.2f}", f"{median / own:.1f}"])
    return found
