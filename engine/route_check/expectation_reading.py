"""What a case expects: `expected` and each of `also_acceptable`."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

import msgspec

from engine.core.catalog.address import parse_route_address
from engine.core.catalog.route import NetworkAddress
from engine.core.routing.precedence import MatchStep
from engine.core.vocabulary.errors import CatalogError
from engine.route_check.cases import Address, Expectation, Outcome, Said
from engine.route_check.nodes import NodeReader, is_null, shown
from engine.route_check.tree import Node, Scalar

_KEYS: Final = ("outcome", "candidates", "chosen", "address", "match_step", "alternatives")
_WORDS: Final = tuple(outcome.value for outcome in Outcome)
_CERTAIN: Final = tuple(outcome.value for outcome in Outcome if outcome is not Outcome.ONE_OF)


def read_expected(reader: NodeReader, node: Node, what: str, routes: Collection[str]) -> Expectation | None:
    """An outcome word or a mapping. `routes` are the names, case folded, that a plain alternative may give."""
    if isinstance(node, Scalar) and not is_null(node):
        if node.value in _CERTAIN:
            return Expectation(outcome=Outcome(node.value), text=node.value)
        reader.fault(node, f"{what} is one of {', '.join(_CERTAIN)} or a mapping, not {shown(node)}")
        return None
    return _mapping(reader, node, what, routes, is_alternative=False)


def _mapping(
    reader: NodeReader, node: Node, what: str, routes: Collection[str], *, is_alternative: bool
) -> Expectation | None:
    keys = _KEYS[:-1] if is_alternative else _KEYS
    given = reader.mapping(node, what, keys, required=() if is_alternative else ("outcome",))
    if given is None:
        return None
    if not is_alternative and "outcome" in given and is_null(given["outcome"]):
        reader.fault(given["outcome"], f"the outcome of {what} is not null")
    if is_alternative and not given and not node.value:
        reader.fault(node, f"{what} says nothing")
    words = _CERTAIN if is_alternative else _WORDS
    word = reader.word(given.get("outcome"), f"the outcome of {what}", words)
    outcome = None if word is None else Outcome(word)
    alternatives: tuple[Expectation, ...] = ()
    if outcome is Outcome.ONE_OF:
        alternatives = _alternatives(reader, node, given.get("alternatives"), what, routes)
    elif "alternatives" in given:
        reader.fault(given["alternatives"], f"alternatives belong to the outcome one_of, in {what}")
    # Where several ends are possible, null in a place that differs between them says nothing.
    varies = outcome is Outcome.ONE_OF
    expectation = Expectation(
        outcome=outcome,
        candidates=_candidates(reader, given.get("candidates"), what, varies=varies),
        chosen=_chosen(reader, given.get("chosen"), what, varies=varies),
        address=_address(reader, given.get("address"), what, varies=varies),
        match_step=_match_step(reader, given.get("match_step"), what, varies=varies),
        alternatives=alternatives,
        text="",
    )
    return _told(expectation, {key: given[key] for key in given if key != "alternatives"})


def _alternatives(
    reader: NodeReader, parent: Node, node: Node | None, what: str, routes: Collection[str]
) -> tuple[Expectation, ...]:
    items = reader.items(node, "'alternatives'")
    if not items:
        reader.fault(node or parent, f"the outcome one_of needs alternatives, in {what}")
    found: list[Expectation | None] = []
    for item in items:
        if not isinstance(item, Scalar):
            found.append(_mapping(reader, item, "an alternative", routes, is_alternative=True))
        elif item.value in _CERTAIN:
            found.append(Expectation(outcome=Outcome(item.value), text=item.value))
        elif item.value.casefold() in routes:
            found.append(Expectation(chosen=item.value.casefold(), text=item.value))
        else:
            reader.fault(item, f"the alternative {shown(item)} is neither an outcome nor a route of this case")
    return tuple(each for each in found if each is not None)


def _candidates(reader: NodeReader, node: Node | None, what: str, *, varies: bool) -> frozenset[str] | None:
    if node is None or (varies and is_null(node)):
        return None
    names = [reader.text(item, f"a candidate of {what}") for item in reader.items(node, f"the candidates of {what}")]
    return frozenset(name.casefold() for name in names if name is not None)


def _chosen(reader: NodeReader, node: Node | None, what: str, *, varies: bool) -> str | Said | None:
    if node is None or (varies and is_null(node)):
        return Said.NOTHING
    name = reader.text(node, f"the chosen route of {what}")
    return None if name is None else name.casefold()


def _address(reader: NodeReader, node: Node | None, what: str, *, varies: bool) -> Address | Said | None:
    if node is None or (varies and is_null(node)):
        return Said.NOTHING
    text = reader.text(node, f"the address of {what}")
    if text is None:
        return None
    try:
        address, _ = parse_route_address(text, port_required=False)
    except CatalogError as error:
        reader.fault(node, str(error))
        return None
    return address.tcp if isinstance(address, NetworkAddress) else str(address)


def _match_step(reader: NodeReader, node: Node | None, what: str, *, varies: bool) -> int | Said | None:
    if node is None or (varies and is_null(node)):
        return Said.NOTHING
    step = reader.number(node, f"the match step of {what}")
    if step is not None and step not in list(MatchStep):
        reader.fault(node, f"the match step of {what} is 0 to {max(MatchStep)}, not {shown(node)}")
    return step


def _told(expectation: Expectation, given: dict[str, Node]) -> Expectation:
    """With the words of the file, in its order."""
    parts = [f"{_SAID[key]} {_written(node)}".strip() for key, node in given.items()]
    if expectation.alternatives:
        parts.append("of " + "; ".join(f"[{each.text}]" for each in expectation.alternatives))
    return msgspec.structs.replace(expectation, text=", ".join(parts))


_SAID: Final = {
    "outcome": "",
    "candidates": "candidates",
    "chosen": "chosen",
    "address": "address",
    "match_step": "match step",
}


def _written(node: Node) -> str:
    if isinstance(node, Scalar):
        return "none" if is_null(node) else str(node.value)
    return ", ".join(_written(item) for item in node.value if isinstance(item, Scalar)) or "none"
