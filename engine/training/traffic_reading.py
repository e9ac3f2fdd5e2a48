"""What goes on in a scenario without its operator: programs that send and receive, and faults on the clock."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from engine.assertions.reading import read_question
from engine.assertions.value_reading import read_fault
from engine.core.catalog.instance import InstanceCatalog
from engine.core.catalog.names import spelling_in
from engine.core.vocabulary.errors import CatalogError
from engine.core.vocabulary.identifiers import DatabaseName, InstanceName, MessageTypeName, QueueName
from engine.route_check.nodes import is_null
from engine.route_check.tree import Node
from engine.training.nodes import TrainingReader
from engine.training.scenario import Reader, Sender, TimedFault, Traffic
from engine.whatif.answering import spelled
from engine.whatif.faults import Fault, FaultKind, Faults

_TRAFFIC: Final = ("every_seconds", "begins_at_seconds", "senders", "readers")
_NEEDED: Final = ("name", "from", "to", "contract", "message_type")
_SENDER: Final = (*_NEEDED, "broker_id")
_READER: Final = ("instance", "database", "queue", "fails_on", "ends", "answer")
_FAULT: Final = ("begins_at_seconds", "ends_at_seconds", "fault")
EVERY_SECONDS_MIN: Final = 0.1

Catalogs = Mapping[InstanceName, InstanceCatalog]


def read_traffic(reader: TrainingReader, node: Node | None, catalogs: Catalogs | None) -> Traffic:
    """The mapping `traffic`; its senders and queues are in the estate."""
    if node is None or is_null(node):
        return Traffic()
    given = reader.mapping(node, "'traffic'", _TRAFFIC) or {}
    names: set[str] = set()
    senders = [_sender(reader, item, catalogs, names) for item in reader.items(given.get("senders"), "'senders'")]
    readers = [_reader(reader, item, catalogs) for item in reader.items(given.get("readers"), "'readers'")]
    every = reader.seconds(given.get("every_seconds"), "'every_seconds'", EVERY_SECONDS_MIN)
    return Traffic(
        senders=tuple(each for each in senders if each is not None),
        readers=tuple(each for each in readers if each is not None),
        every_seconds=Traffic().every_seconds if every is None else every,
        begins_at_seconds=reader.seconds(given.get("begins_at_seconds"), "'begins_at_seconds'") or 0.0,
    )


def _sender(reader: TrainingReader, node: Node, catalogs: Catalogs | None, names: set[str]) -> Sender | None:
    given = reader.mapping(node, "a sender", _SENDER, required=_NEEDED)
    if given is None:
        return None
    name = reader.id(given.get("name"), "the name of a sender")
    if name in names:
        reader.fault(given["name"], f"the name '{name}' stands twice in 'senders'")
    flow = read_question(reader, given)
    if name is None or flow is None:
        return None
    names.add(name)
    if catalogs is not None:
        try:
            flow = spelled(catalogs, flow)
        except CatalogError as error:
            reader.fault(given["from"], f"{error.number}: {error.text}")
    return Sender(name=name, flow=flow)


def _reader(reader: TrainingReader, node: Node, catalogs: Catalogs | None) -> Reader | None:
    given = reader.mapping(node, "a reader", _READER, required=_READER[:3])
    if given is None:
        return None
    names = [reader.some_text(given.get(key), f"the {key} of a reader") for key in _READER[:3]]
    fails_on = reader.some_text(given.get("fails_on"), "'fails_on'") if "fails_on" in given else None
    ends = bool(reader.boolean(given.get("ends"), "'ends'"))
    answer = reader.some_text(given.get("answer"), "'answer'") if "answer" in given else None
    instance, database, queue = names
    if instance is None or database is None or queue is None:
        return None
    found = Reader(
        instance=InstanceName(instance),
        database=DatabaseName(database),
        queue=QueueName(queue),
        fails_on=fails_on,
        ends=ends,
        answer=None if answer is None else MessageTypeName(answer),
    )
    if catalogs is not None:
        # That a queue fails asks for the same: instance, database and queue are there.
        fault = Fault(kind=FaultKind.QUEUE, instance=found.instance, database=found.database, queue=found.queue)
        _check_fault(reader, node, catalogs, fault)
        _check_answer(reader, given, catalogs, found)
    return found


def _check_answer(reader: TrainingReader, given: Mapping[str, Node], catalogs: Catalogs, found: Reader) -> None:
    """What a reader answers is a message type of its database."""
    catalog = catalogs.get(found.instance)
    name = None if catalog is None else spelling_in(catalog.databases, found.database)
    if catalog is None or name is None or found.answer is None:
        return
    if found.answer not in catalog.databases[name].message_types:
        reader.fault(given["answer"], f"no message type of {found.database} is called '{found.answer}'")


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
        _check_fault(reader, given["fault"], catalogs, fault)
    return TimedFault(fault=fault, begins_at_seconds=begins, ends_at_seconds=ends)


def _check_fault(reader: TrainingReader, node: Node, catalogs: Catalogs, fault: Fault) -> None:
    try:
        Faults(catalogs, [fault])
    except CatalogError as error:
        reader.fault(node, f"{error.number}: {error.text}")
