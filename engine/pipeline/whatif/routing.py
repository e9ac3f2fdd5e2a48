"""`verdicts_of`: the engine asked about flows, over each of several states of an estate; pure Python over Arrow tables.

Nothing here decides where a message goes: `engine.whatif` does. One `Evaluation` goes from revision to revision, and
asks again only what a difference may have changed.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, Final, NamedTuple
from uuid import UUID

import pyarrow as pa

from engine.core.vocabulary.errors import CatalogError
from engine.core.vocabulary.identifiers import BrokerInstanceId, DatabaseName, InstanceName, ServiceName
from engine.pipeline.whatif.columns import NAMES, PATH, VERDICTS_SCHEMA, Direction
from engine.pipeline.whatif.snapshots import Catalogs, Estate, decoded
from engine.whatif.answering import spelled
from engine.whatif.answers import answer_from
from engine.whatif.disposition import FlowChange
from engine.whatif.evaluation import Evaluation, change_of, is_in
from engine.whatif.odds import Odds
from engine.whatif.telling import FlowQuestion
from engine.whatif.verdict import Verdict

Found = tuple[Verdict, Odds] | None


class Asked(NamedTuple):
    """A flow of the table: its number, its question, and which end sends."""

    flow: int
    question: FlowQuestion | None
    """None where it is none: a name is missing, or a broker id is no broker id."""
    direction: str


def asked_of(table: pa.Table) -> list[Asked]:
    """The flows of a table of `FLOWS_SCHEMA`, by its rows."""
    names = [table[name].to_pylist() for name in NAMES]
    return [
        Asked(flow, _question(*row), row[3] or "") for flow, *row in zip(table["flow"].to_pylist(), *names, strict=True)
    ]


def _question(
    instance: str | None,
    database: str | None,
    service: str | None,
    direction: str | None,
    to_service: str | None,
    broker: str | None,
) -> FlowQuestion | None:
    if instance is None or database is None or service is None or to_service is None:
        return None
    if direction not in (Direction.INITIATOR, Direction.TARGET):
        return None
    try:
        number = None if broker is None else BrokerInstanceId(UUID(broker))
    except ValueError:
        return None
    return FlowQuestion(
        instance=InstanceName(instance),
        database=DatabaseName(database),
        service=ServiceName(service),
        to_service=ServiceName(to_service),
        broker_instance=number,
    )


def in_estate(catalogs: Catalogs, question: FlowQuestion | None) -> FlowQuestion | None:
    """The question with the database as it is spelled; None where the estate does not have its sender."""
    if question is None or is_in(catalogs, question):
        return question
    try:
        return spelled(catalogs, question)
    except CatalogError:
        return None


def verdicts_of(flows: Sequence[Asked], estates: Sequence[Estate]) -> Iterator[pa.Table]:
    """A table of `VERDICTS_SCHEMA` for each estate, ascending by flow as they are given."""
    beginning = [each for each in flows if each.direction != Direction.TARGET]
    answering = [each for each in flows if each.direction == Direction.TARGET]
    first: dict[int, Found] = {}
    evaluation: Evaluation | None = None
    for at, estate in enumerate(estates):
        questions = {each.flow: in_estate(estate.catalogs, each.question) for each in beginning}
        wanted = dict.fromkeys(question for question in questions.values() if question is not None)
        if evaluation is None:
            evaluation = Evaluation(estate.catalogs, wanted, at=estate.at)
        else:
            evaluation.advance(estate.catalogs, wanted, at=estate.at)
        found = {flow: _evaluated(evaluation, question) for flow, question in questions.items()}
        found |= _answers(evaluation, estate.catalogs, answering)
        first = first or found
        yield _table(flows, estate.revision, found, None if at == 0 else first)


def _evaluated(evaluation: Evaluation, question: FlowQuestion | None) -> Found:
    return None if question is None else (evaluation.verdicts[question], evaluation.odds(question))


def _answers(evaluation: Evaluation, catalogs: Catalogs, flows: Iterable[Asked]) -> dict[int, Found]:
    """Of answers: all services of a database answer by the same ways."""
    known: dict[tuple[object, ...], Found] = {}
    found: dict[int, Found] = {}
    for each in flows:
        question = in_estate(catalogs, each.question)
        if question is None:
            found[each.flow] = None
            continue
        key = (question.instance, question.database, question.to_service, question.broker_instance)
        if key not in known:
            known[key] = answer_from(evaluation.snapshot, question)
        found[each.flow] = known[key]
    return found


def change_between(before: Found, now: Found) -> FlowChange:
    """What has become of a flow."""
    one, other = (None if each is None else each[0] for each in (before, now))
    return FlowChange.UNCHANGED if one == other else change_of(one, other)


_NOBODY: Final[tuple[None, ...]] = (None,) * 10


def _table(flows: Sequence[Asked], revision: int, found: dict[int, Found], first: dict[int, Found] | None) -> pa.Table:
    answers = [found[each.flow] for each in flows]
    told = [_told(each) for each in answers]
    changes = [None if first is None else change_between(first[each.flow], found[each.flow]).value for each in flows]
    plain: list[list[Any]] = [list(column) for column in zip(*told, strict=True)] or [[] for _ in _NOBODY]
    paths = [None if each is None else each[0].path for each in answers]
    columns = [
        [each.flow for each in flows],
        [revision] * len(flows),
        *plain[:7],
        _paths(paths),
        *plain[7:],
        changes,
    ]
    arrays = [
        column if isinstance(column, pa.Array) else pa.array(column, field.type)
        for column, field in zip(columns, VERDICTS_SCHEMA, strict=True)
    ]
    return pa.table(arrays, schema=VERDICTS_SCHEMA)


def _told(found: Found) -> tuple[Any, ...]:
    """All of a verdict but its path."""
    if found is None:
        return _NOBODY
    verdict, odds = found
    return (
        verdict.disposition.value,
        verdict.works,
        verdict.light.value,
        verdict.number,
        verdict.instance,
        verdict.database,
        verdict.route,
        odds.way,
        odds.arrives,
        odds.heard,
    )


def _paths(paths: Sequence[Sequence[tuple[str, str, str | None]] | None]) -> pa.Array:
    hops = [hop for path in paths for hop in path or ()]
    parts = [pa.array([hop[at] for hop in hops], pa.string()) for at in range(3)]
    offsets, total = [0], 0
    for path in paths:
        total += len(path or ())
        offsets.append(total)
    missing = pa.array([path is None for path in paths], pa.bool_())
    return pa.ListArray.from_arrays(
        pa.array(offsets, pa.int32()), pa.StructArray.from_arrays(parts, fields=list(PATH)), mask=missing
    )


def route_batches(batches: Iterable[pa.RecordBatch], estates: bytes) -> Iterator[pa.RecordBatch]:
    """What a task does: all of its flows at once, for they share what is remembered."""
    given = list(batches)
    if not given:
        return
    flows = asked_of(pa.Table.from_batches(given))
    with _without_collections():
        for table in verdicts_of(flows, _kept(estates)):
            yield from table.to_batches()


@contextmanager
def _without_collections() -> Iterator[None]:
    """Answers stay until the task ends, and none of them is part of a cycle: whoever looks for some finds nothing."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@lru_cache(maxsize=1)
def _kept(estates: bytes) -> tuple[Estate, ...]:
    """Decoded once in the life of a worker. They are a few million objects that stay: no collection walks over them."""
    found = decoded(estates)
    gc.freeze()
    return found
