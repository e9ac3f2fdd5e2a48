"""Faults, instants and broker ids as a file of assertions writes them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final

from engine.core.catalog.address import parse_broker_instance
from engine.core.vocabulary.errors import CatalogError
from engine.core.vocabulary.identifiers import BrokerInstanceId, DatabaseName, InstanceName, QueueName
from engine.core.vocabulary.moment import UtcTime
from engine.route_check.nodes import NodeReader, is_null, shown
from engine.route_check.tree import Node, Scalar
from engine.whatif.faults import Fault, FaultKind

_NEEDS: Final[Mapping[FaultKind, tuple[str, ...]]] = {
    FaultKind.INSTANCE: ("instance",),
    FaultKind.LINK: ("instance", "other"),
    FaultKind.ENDPOINT: ("instance",),
    FaultKind.DATABASE: ("instance", "database"),
    FaultKind.QUEUE: ("instance", "database", "queue"),
    FaultKind.PARTNER: ("instance", "database"),
}
"""What each kind of fault names, in the order in which commands write it too."""

_FAULT: Final = ("kind", "instance", "other", "database", "queue")


def needs_of(kind: FaultKind) -> tuple[str, ...]:
    """What a kind of fault names."""
    return _NEEDS[kind]


def fault_of(kind: FaultKind, names: Mapping[str, str]) -> Fault:
    """A fault of a kind, its names by what they name."""
    other, database, queue = names.get("other"), names.get("database"), names.get("queue")
    return Fault(
        kind=kind,
        instance=InstanceName(names["instance"]),
        other=None if other is None else InstanceName(other),
        database=None if database is None else DatabaseName(database),
        queue=None if queue is None else QueueName(queue),
    )


def read_fault(reader: NodeReader, node: Node) -> Fault | None:
    """One of the list `faults`."""
    given = reader.mapping(node, "a fault", _FAULT, required=("kind", "instance"))
    if given is None:
        return None
    word = reader.word(given.get("kind"), "the kind of a fault", [kind.value for kind in FaultKind])
    if word is None:
        if "kind" in given and is_null(given["kind"]):
            reader.fault(given["kind"], "the kind of a fault is not null")
        return None
    kind = FaultKind(word)
    names: dict[str, str] = {}
    for key in _NEEDS[kind]:
        text = reader.text(given.get(key), f"the {key} of a fault")
        if text:
            names[key] = text
        elif key in given and (is_null(given[key]) or text == ""):
            reader.fault(given[key], f"the {key} of a fault is not empty")
        elif key != "instance" and key not in given:
            reader.fault(node, f"a fault of the kind '{kind}' lacks the key '{key}'")
    for key in given:
        if key not in ("kind", *_NEEDS[kind]):
            reader.fault(given[key], f"a fault of the kind '{kind}' has no '{key}'")
    return fault_of(kind, names) if len(names) == len(_NEEDS[kind]) else None


def read_instant(reader: NodeReader, node: Node | None, what: str) -> UtcTime | None:
    """An instant in ISO 8601 with its time zone, or seconds since 1970; None for null."""
    if node is None or is_null(node):
        return None
    found = instant_of(node.value) if isinstance(node, Scalar) else None
    if found is None:
        reader.fault(node, f"{what} is an instant with its time zone, as in 2026-12-31T23:59:59Z, not {shown(node)}")
    return found


def instant_of(text: str) -> UtcTime | None:
    """The instant that a text says; None when it says none, or leaves the time zone open."""
    try:
        seconds = float(text)
    except ValueError:
        try:
            moment = datetime.fromisoformat(text)
        except ValueError:
            return None
        return None if moment.tzinfo is None else UtcTime(moment.astimezone(UTC).timestamp())
    return UtcTime(seconds) if math.isfinite(seconds) else None


def read_broker(reader: NodeReader, node: Node | None, what: str) -> BrokerInstanceId | None:
    """A broker id; None for null."""
    text = reader.identifier(node, what)
    if text is None or node is None:
        return None
    try:
        return parse_broker_instance(text)
    except CatalogError as error:
        reader.fault(node, str(error))
        return None
