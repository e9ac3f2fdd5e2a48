"""What an assertion in a file expects: `works`, `fails`, or a mapping of claims."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from engine.assertions.assertion import Expectation, PathStep, Place
from engine.core.vocabulary.errors import catalogue
from engine.core.vocabulary.identifiers import DatabaseName, InstanceName, RouteName
from engine.route_check.nodes import NodeReader, is_null, shown
from engine.route_check.tree import Mapping as MappingNode
from engine.route_check.tree import Node, Scalar
from engine.whatif.disposition import Disposition

_WORDS: Final[Mapping[str, bool]] = {"works": True, "fails": False}
_CLAIMS: Final = ("works", "disposition", "reaches", "path", "number")
_STEP: Final = ("route", "instance", "database")


def read_expected(reader: NodeReader, node: Node) -> Expectation | None:
    """A word or a mapping."""
    if isinstance(node, Scalar):
        if node.value in _WORDS:
            return Expectation(works=_WORDS[node.value])
        reader.fault(node, f"'expected' is one of {', '.join(_WORDS)} or a mapping, not {shown(node)}")
        return None
    before = len(reader.faults)
    given = reader.mapping(node, "'expected'", _CLAIMS)
    if given is None:
        return None
    word = reader.word(given.get("disposition"), "the disposition", [each.value for each in Disposition])
    expected = Expectation(
        works=reader.boolean(given.get("works"), "'works'"),
        disposition=None if word is None else Disposition(word),
        reaches=read_places(reader, given.get("reaches")),
        path=_path(reader, given.get("path")),
        number=_number(reader, given.get("number")),
    )
    if len(reader.faults) > before:
        return None
    if expected.is_empty:
        reader.fault(node, "'expected' claims nothing")
        return None
    return expected


def read_places(reader: NodeReader, node: Node | None) -> tuple[Place, ...]:
    """One database, or a list of them."""
    if node is None or is_null(node):
        return ()
    items = [node] if isinstance(node, MappingNode) else reader.items(node, "'reaches'")
    places = [_place(reader, item) for item in items]
    return tuple(place for place in places if place is not None)


def _place(reader: NodeReader, node: Node) -> Place | None:
    keys = ("instance", "database")
    given = reader.mapping(node, "a place of 'reaches'", keys, required=keys) or {}
    texts = [_name(reader, given[key], f"the {key} of 'reaches'") for key in keys if key in given]
    if len(texts) < len(keys) or texts[0] is None or texts[1] is None:
        return None
    return Place(instance=InstanceName(texts[0]), database=DatabaseName(texts[1]))


def _path(reader: NodeReader, node: Node | None) -> tuple[PathStep, ...] | None:
    if node is None or is_null(node):
        return None
    return tuple(step for item in reader.items(node, "'path'") if (step := _step(reader, item)) is not None)


def _step(reader: NodeReader, node: Node) -> PathStep | None:
    """The name of a route, or a mapping, in which null is a decision without a route."""
    if isinstance(node, Scalar):
        name = _name(reader, node, "a step of 'path'")
        return None if name is None else PathStep(route=RouteName(name))
    given = reader.mapping(node, "a step of 'path'", _STEP, required=("route",))
    if given is None or "route" not in given:
        return None
    texts = {key: _name(reader, given[key], f"the {key} of a step") for key in given if not is_null(given[key])}
    route, instance, database = (texts.get(key) for key in _STEP)
    return PathStep(
        route=None if route is None else RouteName(route),
        instance=None if instance is None else InstanceName(instance),
        database=None if database is None else DatabaseName(database),
    )


def _name(reader: NodeReader, node: Node, what: str) -> str | None:
    if is_null(node):
        reader.fault(node, f"{what} is not null")
        return None
    text = reader.text(node, what)
    if text == "":
        reader.fault(node, f"{what} is not empty")
        return None
    return text


def _number(reader: NodeReader, node: Node | None) -> int | None:
    number = reader.number(node, "'number'")
    if number is not None and node is not None and number not in catalogue():
        reader.fault(node, f"nothing has the number {shown(node)}")
        return None
    return number
