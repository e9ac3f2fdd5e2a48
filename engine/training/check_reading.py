"""The checks of a task: what-if, query, delivery, traffic."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import msgspec

from engine.assertions.assertion import Assertion
from engine.assertions.expectation_reading import read_expected, read_places
from engine.assertions.reading import read_question
from engine.assertions.value_reading import read_fault, read_instant
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.names import spelling_in
from engine.core.exchange.system_views import ColumnFilter, SystemViewQuery
from engine.core.system_views.definition import SystemView
from engine.core.system_views.filtering import find_column, row_test
from engine.core.system_views.query import SYSTEM_VIEWS
from engine.core.vocabulary.errors import BrokerError
from engine.core.vocabulary.identifiers import DatabaseName, InstanceName, MessageTypeName
from engine.core.vocabulary.limits import SYSTEM_VIEW_ROWS_MAX
from engine.route_check.nodes import is_null
from engine.route_check.tree import Mapping as MappingNode
from engine.route_check.tree import Node, Scalar
from engine.training.nodes import TrainingReader
from engine.training.scenario import (
    AnyCheck,
    Check,
    DeliveryCheck,
    QueryCheck,
    SelectCheck,
    Sender,
    TrafficCheck,
    WhatIfCheck,
)
from engine.whatif.faults import Fault

_KINDS: Final = ("what_if", "query", "select", "delivery", "traffic", "any")
_QUESTION: Final = ("from", "to", "broker_id", "contract", "message_type")
_WHAT_IF: Final = (*_QUESTION, "at", "faults", "expected")
_QUERY: Final = ("instance", "database", "view", "where", "rows", "rows_min", "rows_max")
_SELECT: Final = ("instance", "database", "sql", "rows", "rows_min", "rows_max")
_DELIVERY: Final = (*_QUESTION, "within_seconds", "faults", "reaches")
_TRAFFIC: Final = ("flow", "within_seconds", "since_seconds", "reaches", "answer", "only_whole")
_ROWS_MAX: Final = 1_000_000
_VIEWS: Final = {view.name: view for view in SYSTEM_VIEWS}

Given = Mapping[str, Node]


class Known(msgspec.Struct, frozen=True):
    """What checks may speak of."""

    catalogs: Mapping[InstanceName, InstanceCatalog]
    senders: Sequence[Sender]


def read_check(reader: TrainingReader, node: Node, known: Known | None, name: str) -> Check | None:
    """One check: a mapping of its kind, and perhaps `keep` or `needed`; an assertion is called `name`."""
    given = reader.mapping(node, "a check", (*_KINDS, "keep", "needed"))
    if given is None:
        return None
    is_kept = bool(reader.boolean(given.get("keep"), "'keep'"))
    is_needed = bool(reader.boolean(given.get("needed"), "'needed'"))
    if is_kept and is_needed:
        reader.fault(given["needed"], "a check is kept or needed, not both")
    check = _of_kind(reader, node, given, known, name, is_kept)
    return msgspec.structs.replace(check, is_needed=True) if check is not None and is_needed else check


def _of_kind(
    reader: TrainingReader, node: Node, given: Given, known: Known | None, name: str, is_kept: bool
) -> Check | None:
    kinds = [kind for kind in _KINDS if kind in given]
    if len(kinds) != 1:
        reader.fault(node, f"a check is one of {', '.join(_KINDS)}")
        return None
    body = given[kinds[0]]
    match kinds[0]:
        case "what_if":
            return _what_if(reader, body, name, is_kept)
        case "query":
            return _query(reader, body, known, is_kept)
        case "select":
            return _select(reader, body, known, is_kept)
        case "delivery":
            return _delivery(reader, body, is_kept)
        case "any":
            return _any(reader, body, known, name, is_kept)
        case _:
            return _traffic(reader, body, known, is_kept)


def _any(reader: TrainingReader, node: Node, known: Known | None, name: str, is_kept: bool) -> AnyCheck | None:
    items = reader.items(node, "'any'")
    found = [read_check(reader, item, known, f"{name}/{number}") for number, item in enumerate(items, start=1)]
    checks = tuple(check for check in found if check is not None)
    if len(checks) < len(items):
        return None
    if len(checks) < 2 or any(check.is_kept or check.is_needed for check in checks):
        reader.fault(node, "'any' holds two checks or more, and says itself whether it is kept or needed")
        return None
    return AnyCheck(checks=checks, is_kept=is_kept)


def _what_if(reader: TrainingReader, node: Node, name: str, is_kept: bool) -> WhatIfCheck | None:
    given = reader.mapping(node, "'what_if'", _WHAT_IF, required=("from", "to", "expected"))
    if given is None:
        return None
    question = read_question(reader, given)
    faults = _faults(reader, given)
    at = read_instant(reader, given.get("at"), "'at'")
    expected = read_expected(reader, given["expected"]) if "expected" in given else None
    if question is None or expected is None:
        return None
    assertion = Assertion(name=name, question=question, expected=expected, faults=faults, at=at)
    return WhatIfCheck(assertion=assertion, is_kept=is_kept)


def _faults(reader: TrainingReader, given: Given) -> tuple[Fault, ...]:
    found = [read_fault(reader, item) for item in reader.items(given.get("faults"), "'faults'")]
    return tuple(fault for fault in found if fault is not None)


def _delivery(reader: TrainingReader, node: Node, is_kept: bool) -> DeliveryCheck | None:
    given = reader.mapping(node, "'delivery'", _DELIVERY, required=("from", "to", "within_seconds"))
    if given is None:
        return None
    question = read_question(reader, given)
    within = reader.seconds(given.get("within_seconds"), "'within_seconds'", 1.0)
    faults = _faults(reader, given)
    if question is None or within is None:
        return None
    reaches = read_places(reader, given.get("reaches"))
    return DeliveryCheck(flow=question, within_seconds=within, faults=faults, reaches=reaches, is_kept=is_kept)


def _traffic(reader: TrainingReader, node: Node, known: Known | None, is_kept: bool) -> TrafficCheck | None:
    given = reader.mapping(node, "'traffic'", _TRAFFIC, required=("flow", "within_seconds"))
    if given is None:
        return None
    within = reader.seconds(given.get("within_seconds"), "'within_seconds'", 1.0)
    since = reader.seconds(given.get("since_seconds"), "'since_seconds'")
    flows = {} if known is None else {sender.name: sender for sender in known.senders}
    name = reader.word(given.get("flow"), "the flow of a check", flows) if known is not None else None
    answer = reader.some_text(given.get("answer"), "'answer'") if "answer" in given else None
    only_whole = bool(reader.boolean(given.get("only_whole"), "'only_whole'"))
    reaches = read_places(reader, given.get("reaches"))
    if name is None or within is None:
        return None
    return TrafficCheck(
        flow=flows[name].flow,
        name=name,
        within_seconds=within,
        since_seconds=since or 0.0,
        reaches=reaches,
        answer=None if answer is None else MessageTypeName(answer),
        only_whole=only_whole,
        is_kept=is_kept,
    )


# ── queries ──────────────────────────────────────────────────────────────────────────────────────────────────────────
def _query(reader: TrainingReader, node: Node, known: Known | None, is_kept: bool) -> QueryCheck | None:
    given = reader.mapping(node, "'query'", _QUERY, required=("instance", "view"))
    if given is None:
        return None
    instance = reader.some_text(given.get("instance"), "the instance of a query")
    database = reader.some_text(given.get("database"), "the database of a query")
    view = reader.some_text(given.get("view"), "the view of a query")
    filters = _filters(reader, given.get("where"))
    low, high = _rows(reader, node, given)
    if instance is None or view is None:
        return None
    query = SystemViewQuery(
        view=view,
        database=None if database is None else DatabaseName(database),
        filters=filters,
        rows_max=SYSTEM_VIEW_ROWS_MAX,
    )
    if known is not None:
        _check_query(reader, given, known, InstanceName(instance), query)
    return QueryCheck(instance=InstanceName(instance), query=query, rows_min=low, rows_max=high, is_kept=is_kept)


def _select(reader: TrainingReader, node: Node, known: Known | None, is_kept: bool) -> SelectCheck | None:
    given = reader.mapping(node, "'select'", _SELECT, required=_SELECT[:3])
    if given is None:
        return None
    instance = reader.some_text(given.get("instance"), "the instance of a SELECT")
    database = reader.some_text(given.get("database"), "the database of a SELECT")
    block = reader.script(given.get("sql"), "the SELECT of a check")
    low, high = _rows(reader, node, given)
    if instance is None or database is None or block is None:
        return None
    if known is not None:
        _check_place(reader, given, known, InstanceName(instance), DatabaseName(database))
    return SelectCheck(
        instance=InstanceName(instance),
        database=DatabaseName(database),
        sql=block.text,
        rows_min=low,
        rows_max=high,
        is_kept=is_kept,
    )


def _rows(reader: TrainingReader, node: Node, given: Given) -> tuple[int, int | None]:
    exactly = reader.whole(given.get("rows"), "'rows'", 0, _ROWS_MAX)
    low = reader.whole(given.get("rows_min"), "'rows_min'", 0, _ROWS_MAX)
    high = reader.whole(given.get("rows_max"), "'rows_max'", 0, _ROWS_MAX)
    if "rows" in given and ("rows_min" in given or "rows_max" in given):
        reader.fault(given["rows"], "a query has 'rows', or 'rows_min' and 'rows_max'")
    elif not {"rows", "rows_min", "rows_max"} & given.keys():
        reader.fault(node, "a query expects 'rows', 'rows_min' or 'rows_max'")
    elif low is not None and high is not None and low > high:
        reader.fault(given["rows_min"], "'rows_min' is at most 'rows_max'")
    return (low or 0, high) if exactly is None else (exactly, exactly)


def _filters(reader: TrainingReader, node: Node | None) -> tuple[ColumnFilter, ...]:
    """Columns and what they hold, each value as it is written; null is IS NULL."""
    if node is None or is_null(node):
        return ()
    if not isinstance(node, MappingNode):
        reader.fault(node, "'where' is a mapping of columns to values")
        return ()
    found = []
    for key, value in node.value:
        column = reader.some_text(key, "a column of 'where'")
        if not isinstance(value, Scalar):
            reader.fault(value, "a value of 'where' is a single value")
        elif column is not None:
            found.append(ColumnFilter(column=column, value=None if is_null(value) else value.value))
    return tuple(found)


def _check_query(
    reader: TrainingReader, given: Given, known: Known, instance: InstanceName, query: SystemViewQuery
) -> None:
    """Instance and database are there, and so are the view and the columns; a queue may be made later."""
    _check_place(reader, given, known, instance, query.database)
    view = _VIEWS.get(query.view.lower())
    if view is not None:
        for each in query.filters:
            _try(reader, given["where"], lambda each=each: _test(view, each))  # type: ignore[misc]
    elif query.view.lower().startswith("sys."):
        reader.fault(given["view"], f"208: there is no view '{query.view}'")


def _check_place(
    reader: TrainingReader, given: Given, known: Known, instance: InstanceName, database: DatabaseName | None
) -> None:
    catalog = known.catalogs.get(instance)
    if catalog is None:
        reader.fault(given["instance"], f"no instance of the estate is called '{instance}'")
    elif database is not None and spelling_in(catalog.databases, database) is None:
        reader.fault(given["database"], f"911: no database of {instance} is called '{database}'")


def _test(view: SystemView[object], each: ColumnFilter) -> None:
    find_column(view, each.column)
    row_test(view, each)


def _try(reader: TrainingReader, node: Node, do: Callable[[], None]) -> None:
    try:
        do()
    except BrokerError as error:
        reader.fault(node, f"{error.number}: {error.text}")
