"""What goes on in a scenario without its operator: programs that send and receive, and faults on the clock."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from engine.assertions.reading import read_question
from engine.assertions.value_reading import read_fault
from engine.core.catalog.instance import InstanceCatalog
from engine.core.vocabulary.errors import CatalogError
from engine.core.vocabulary.identifiers import InstanceName
from engine.route_check.tree import Node
from engine.training.nodes import TrainingReader
from engine.training.scenario import Receiver, TimedFault, Traffic
from engine.whatif.answering import spelled
from engine.whatif.faults import Faults

_TRAFFIC: Final = (
    "name",
    "from",
    "to",
    "broker_id",
    "contract",
    "message_type",
    "body",
    "begins_at_seconds",
    "every_seconds",
    "conversations",
    "receiver",
    "initiator_ends",
)
_NEEDED: Final = ("name", "from", "to", "contract", "message_type")
_FAULT: Final = ("begins_at_seconds", "ends_at_seconds", "fault")
CONVERSATIONS_MAX: Final = 1_000
EVERY_SECONDS_MIN: Final = 0.1
USUAL_SECONDS: Final = 10.0
"""Between two conversations."""

Catalogs = Mapping[InstanceName, InstanceCatalog]


def read_traffic(reader: TrainingReader, node: Node | None, catalogs: Catalogs | None) -> tuple[Traffic, ...]:
    """The list `traffic`; its senders are in the estate."""
    names: set[str] = set()
    return tuple(
        found
        for item in reader.items(node, "'traffic'")
        if (found := _traffic(reader, item, catalogs, names)) is not None
    )


def _traffic(reader: TrainingReader, node: Node, catalogs: Catalogs | None, names: set[str]) -> Traffic | None:
    given = reader.mapping(node, "a flow of 'traffic'", _TRAFFIC, required=_NEEDED)
    if given is None:
        return None
    name = reader.id(given.get("name"), "the name of a flow")
    if name in names:
        reader.fault(given["name"], f"the name '{name}' stands twice in 'traffic'")
    flow = read_question(reader, given)
    body = reader.text(given.get("body"), "'body'")
    begins = reader.seconds(given.get("begins_at_seconds"), "'begins_at_seconds'")
    every = reader.seconds(given.get("every_seconds"), "'every_seconds'", EVERY_SECONDS_MIN)
    count = reader.whole(given.get("conversations"), "'conversations'", 1, CONVERSATIONS_MAX)
    receiver = reader.word(given.get("receiver"), "'receiver'", [each.value for each in Receiver])
    ends = reader.boolean(given.get("initiator_ends"), "'initiator_ends'")
    if name is None or flow is None:
        return None
    names.add(name)
    if catalogs is not None:
        try:
            flow = spelled(catalogs, flow)
        except CatalogError as error:
            reader.fault(given["from"], f"{error.number}: {error.text}")
    return Traffic(
        name=name,
        flow=flow,
        body=body or "",
        begins_at_seconds=begins or 0.0,
        every_seconds=USUAL_SECONDS if every is None else every,
        conversations=count,
        receiver=Receiver(receiver or Receiver.RECEIVES),
        initiator_ends=ends is not False,
    )


def read_timed_faults(reader: TrainingReader, node: Node | None, catalogs: Catalogs | None) -> tuple[TimedFault, ...]:
    """The list `faults`, each of something that the estate has."""
    return tuple(
        found for item in reader.items(node, "'faults'") if (found := _timed_fault(reader, item, catalogs)) is not None
    )


def _timed_fault(reader: TrainingReader, node: Node, catalogs: Catalogs | None) -> TimedFault | None:
    given = reader.mapping(node, "an entry of 'faults'", _FAULT, required=("fault",))
    if given is None or "fault" not in given:
        return None
    fault = read_fault(reader, given["fault"])
    begins = reader.seconds(given.get("begins_at_seconds"), "'begins_at_seconds'") or 0.0
    ends = reader.seconds(given.get("ends_at_seconds"), "'ends_at_seconds'")
    if ends is not None and ends <= begins:
        reader.fault(given["ends_at_seconds"], "a fault ends after it begins")
    if fault is None:
        return None
    if catalogs is not None:
        try:
            Faults(catalogs, [fault])
        except CatalogError as error:
            reader.fault(given["fault"], f"{error.number}: {error.text}")
    return TimedFault(fault=fault, begins_at_seconds=begins, ends_at_seconds=ends)
