"""From trees to the values of statements about priorities and event notifications (see `build`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.core.catalog.objects import ANY
from engine.core.vocabulary.limits import PRIORITY_LEVEL_DEFAULT
from engine.tsql.reading_statements import (
    AlterPriority,
    CreateEventNotification,
    CreatePriority,
    DropEventNotification,
    PriorityClauses,
    ReadingStatement,
)
from engine.tsql.statement_base import ObjectName
from engine.tsql.trees import Node, check_once, clause_of, integer, leaves, names, parts

_CRITERIA = {
    "CONTRACT_NAME": "contract",
    "LOCAL_SERVICE_NAME": "local_service",
    "REMOTE_SERVICE_NAME": "remote_service",
}


def _priority_clauses(tree: Node, name: ObjectName) -> PriorityClauses:
    pairs = [leaves(clause) for clause in parts(tree, "priority_clause")]
    check_once((word.type for word, _ in pairs), name)
    given: dict[str, Any] = {}
    for word, value in pairs:
        if word.type == "PRIORITY_LEVEL":
            given["level"] = PRIORITY_LEVEL_DEFAULT if value.type == "DEFAULT" else integer(value)
        else:
            given[_CRITERIA[word.type]] = ANY if value.type == "ANY" else str(value)
    return PriorityClauses(**given)


def _create_priority(tree: Node, **base: Any) -> CreatePriority:
    name = names(tree)[0]
    return CreatePriority(name=name, clauses=_priority_clauses(tree, name), **base)


def _alter_priority(tree: Node, **base: Any) -> AlterPriority:
    name = names(tree)[0]
    return AlterPriority(name=name, clauses=_priority_clauses(tree, name), **base)


def _create_event_notification(tree: Node, **base: Any) -> CreateEventNotification:
    name, *queues = names(tree)
    service, broker_instance = leaves(tree, "STRING")
    return CreateEventNotification(
        name=name,
        queue=queues[0] if queues else None,
        events=tuple(clause_of(leaf) for leaf in leaves(tree, "NAME")),
        service=clause_of(service),
        broker_instance=clause_of(broker_instance),
        **base,
    )


def _drop_event_notification(tree: Node, **base: Any) -> DropEventNotification:
    *notifications, queue = names(tree)
    return DropEventNotification(names=tuple(notifications), queue=queue, **base)


READING_BUILDERS: dict[str, Callable[..., ReadingStatement]] = {
    "create_priority": _create_priority,
    "alter_priority": _alter_priority,
    "create_event_notification": _create_event_notification,
    "drop_event_notification": _drop_event_notification,
}
