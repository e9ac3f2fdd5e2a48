"""A file of assertions, read whole: every fault of it is found, and with a single one it holds no assertion at all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from engine.assertions.assertion import Assertion, Expectation
from engine.assertions.expectation_reading import read_expected
from engine.assertions.value_reading import read_broker, read_fault, read_instant
from engine.core.vocabulary.identifiers import ContractName, DatabaseName, InstanceName, MessageTypeName, ServiceName
from engine.route_check.nodes import NodeReader, is_null
from engine.route_check.tree import Fault, Node, Sequence, compose, numbered
from engine.whatif.telling import FlowQuestion

_KEYS: Final = (
    "name",
    "note",
    "from",
    "to",
    "broker_id",
    "contract",
    "message_type",
    "encryption",
    "at",
    "faults",
    "expected",
)
_REQUIRED: Final = ("name", "from", "to", "expected")
_SENDER: Final = ("instance", "database", "service")
_SAID: Final = ("contract", "message_type")
NAME_MAX: Final = 200
"""Letters of a name."""


class PlacedAssertion(msgspec.Struct, frozen=True, kw_only=True):
    """An assertion and where it stands."""

    assertion: Assertion
    file: str
    line: int


def read_files(files: Mapping[str, str]) -> tuple[list[PlacedAssertion], list[Fault]]:
    """The assertions of several files, texts in YAML by the name to show; none when any of them has a fault.

    Names are told apart across all of them.
    """
    found: list[PlacedAssertion] = []
    faults: list[Fault] = []
    names: dict[str, tuple[str, int]] = {}
    for file, text in files.items():
        of_file, at_fault = read_assertions(file, text, names)
        found += of_file
        faults += at_fault
    return ([] if faults else found), faults


def read_assertions(
    file: str, text: str, names: dict[str, tuple[str, int]] | None = None
) -> tuple[list[PlacedAssertion], list[Fault]]:
    """The assertions of a file, and its faults, each with its line and column; no assertion when there are faults.

    `names` are those that other files have used; those of this one are added.
    """
    tree, fault = compose(file, text)
    if fault is not None:
        return [], [numbered(fault)]
    if tree is None or is_null(tree) or (isinstance(tree, Sequence) and not tree.value):
        return [], [numbered(Fault(file=file, line=1, column=1, text="the file holds no assertions"))]
    reader = NodeReader(file)
    known = {} if names is None else names
    found = [
        PlacedAssertion(assertion=assertion, file=file, line=node.line)
        for node in reader.items(tree, "a file of assertions")
        if (assertion := _read_assertion(reader, node, known)) is not None
    ]
    faults = sorted(reader.faults, key=lambda each: (each.line, each.column))
    return ([] if faults else found), [numbered(each) for each in faults]


def _read_assertion(reader: NodeReader, node: Node, names: dict[str, tuple[str, int]]) -> Assertion | None:
    given = reader.mapping(node, "an assertion", _KEYS, required=_REQUIRED)
    if given is None:
        return None
    name = _name(reader, given.get("name"), names)
    question = read_question(reader, given)
    faults = [read_fault(reader, item) for item in reader.items(given.get("faults"), "'faults'")]
    at = read_instant(reader, given.get("at"), "'at'")
    note = reader.text(given.get("note"), "'note'")
    expected: Expectation | None = None
    if "expected" in given:
        expected = read_expected(reader, given["expected"])
    if name is None or question is None or expected is None:
        return None
    return Assertion(
        name=name,
        question=question,
        expected=expected,
        faults=tuple(fault for fault in faults if fault is not None),
        at=at,
        note=note or "",
    )


def _name(reader: NodeReader, node: Node | None, names: dict[str, tuple[str, int]]) -> str | None:
    if node is None:
        return None
    name = reader.identifier(node, "the name of an assertion")
    if not name or not name.strip():
        reader.fault(node, "the name of an assertion is not empty")
        return None
    if len(name) > NAME_MAX:
        reader.fault(node, f"the name of an assertion has at most {NAME_MAX} letters, this one {len(name)}")
        return None
    if name in names:
        file, line = names[name]
        reader.fault(node, f"the name '{name}' stands twice; first in {file}, line {line}")
    names.setdefault(name, (reader.file, node.line))
    return name


def read_question(reader: NodeReader, given: Mapping[str, Node]) -> FlowQuestion | None:
    """The question of a mapping: `from`, `to`, and what else a message may name."""
    sender: Mapping[str, Node] = {}
    if "from" in given:
        sender = reader.mapping(given["from"], "'from'", _SENDER, required=_SENDER) or {}
    texts = {key: _needed(reader, sender[key], f"the {key} of 'from'") for key in _SENDER if key in sender}
    to_service = _needed(reader, given["to"], "'to'") if "to" in given else None
    broker = read_broker(reader, given.get("broker_id"), "'broker_id'")
    said = {key: _needed(reader, given[key], f"'{key}'") for key in _SAID if key in given}
    contract, message_type = (said.get(key) for key in _SAID)
    encryption = reader.boolean(given.get("encryption"), "'encryption'")
    instance, database, service = (texts.get(key) for key in _SENDER)
    if instance is None or database is None or service is None or to_service is None:
        return None
    return FlowQuestion(
        instance=InstanceName(instance),
        database=DatabaseName(database),
        service=ServiceName(service),
        to_service=ServiceName(to_service),
        broker_instance=broker,
        contract=None if contract is None else ContractName(contract),
        message_type=None if message_type is None else MessageTypeName(message_type),
        encryption=bool(encryption),
    )


def _needed(reader: NodeReader, node: Node, what: str) -> str | None:
    """A text that is there."""
    if is_null(node):
        reader.fault(node, f"{what} is not null")
        return None
    text = reader.text(node, what)
    if text == "":
        reader.fault(node, f"{what} is not empty")
        return None
    return text
