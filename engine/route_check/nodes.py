"""Values taken out of a tree of YAML, and the faults found in it.

Faults are gathered, not raised: whoever keeps a file of cases wants to hear of all of them at once. Every function
that reads a value answers None when the value was at fault, and has then said so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from collections.abc import Mapping as Found
from typing import Final

from engine.route_check.tree import TAG, Fault, Mapping, Node, Scalar, Sequence

_STR, _INT, _BOOL, _NULL = (TAG + kind for kind in ("str", "int", "bool", "null"))
_NUMBER: Final = re.compile(r"([-+]?)([0-9]++)")
_DIGITS_MAX: Final = 18
NUMBER_MAX: Final = 10**_DIGITS_MAX
"""Far beyond every limit of the format; Python refuses to read a number of some thousand digits at all."""
_SHOWN_MAX: Final = 60

_KINDS: Final = {
    "str": "a text",
    "int": "a number",
    "float": "a number",
    "bool": "true or false",
    "null": "null",
    "timestamp": "a date",
    "map": "a mapping",
    "seq": "a list",
}


class NodeReader:
    """Takes values out of the nodes of one file, and the faults down."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.faults: list[Fault] = []
        self.warnings: list[Fault] = []

    def fault(self, node: Node, text: str) -> None:
        """Take a fault down, with the place of the node."""
        self.faults.append(self._at(node, text))

    def warn(self, node: Node, text: str) -> None:
        """Take down what is accepted and hardly meant."""
        self.warnings.append(self._at(node, text))

    def _at(self, node: Node, text: str) -> Fault:
        return Fault(file=self.file, line=node.line, column=node.column, text=text)

    def mapping(
        self, node: Node, what: str, allowed: Iterable[str], required: Iterable[str] = ()
    ) -> Found[str, Node] | None:
        """The values of a mapping by their keys: none unknown, none twice, none of the required missing."""
        if not isinstance(node, Mapping):
            self.fault(node, f"{what} is a mapping, not {kind_of(node)}")
            return None
        known = tuple(allowed)
        found: dict[str, Node] = {}
        for key, value in node.value:
            name = key.value if isinstance(key, Scalar) else None
            if name not in known:
                self.fault(key, f"unknown key {shown(key)} in {what}; known are {', '.join(known)}")
            elif name in found:
                self.fault(key, f"the key '{name}' stands twice in {what}")
            else:
                found[name] = value
        for name in required:
            if name not in found and not any(_is_key(key, name) for key, _ in node.value):
                self.fault(node, f"{what} lacks the key '{name}'")
        return found

    def items(self, node: Node | None, what: str) -> list[Node]:
        """The nodes of a list; none for null."""
        if node is None or is_null(node):
            return []
        if not isinstance(node, Sequence):
            self.fault(node, f"{what} is a list, not {kind_of(node)}")
            return []
        entries = [item for item in node.value if not is_null(item)]
        if len(entries) < len(node.value):
            for item in node.value:
                if is_null(item):
                    self.fault(item, f"an entry of {what} is null")
        return entries

    def text(self, node: Node | None, what: str) -> str | None:
        """A text; a plain word that YAML takes for something else needs quotes. None for null."""
        if node is None or is_null(node):
            return None
        if isinstance(node, Scalar) and node.tag == _STR:
            return node.value
        quotes = f"; put it in quotes: {shown(node)}" if isinstance(node, Scalar) else ""
        self.fault(node, f"{what} is a text, not {kind_of(node)}{quotes}")
        return None

    def identifier(self, node: Node | None, what: str) -> str | None:
        """As `text`, but whatever stands there is taken as it is written: 101 is the text "101"."""
        if node is None or is_null(node):
            return None
        if isinstance(node, Scalar):
            return node.value
        self.fault(node, f"{what} is a text, not {kind_of(node)}")
        return None

    def boolean(self, node: Node | None, what: str) -> bool | None:
        """True or false; None for null."""
        if node is None or is_null(node):
            return None
        if isinstance(node, Scalar) and node.tag == _BOOL:
            return node.value.lower() in ("true", "yes", "on")
        self.fault(node, f"{what} is true or false, not {shown(node)}")
        return None

    def number(self, node: Node | None, what: str) -> int | None:
        """A whole number in decimal digits; None for null. One beyond `NUMBER_MAX` either way stands at that bound."""
        if node is None or is_null(node):
            return None
        found = None
        if isinstance(node, Scalar) and node.tag == _INT:
            found = _NUMBER.fullmatch(node.value.replace("_", ""))
        if found is None:
            self.fault(node, f"{what} is a whole number, not {shown(node)}")
            return None
        sign, digits = found[1], found[2].lstrip("0") or "0"
        size = int(digits) if len(digits) <= _DIGITS_MAX else NUMBER_MAX
        return -size if sign == "-" else size

    def word(self, node: Node | None, what: str, words: Iterable[str]) -> str | None:
        """One of a few words; None for null."""
        if node is None or is_null(node):
            return None
        known = tuple(words)
        if isinstance(node, Scalar) and node.value in known:
            return node.value
        self.fault(node, f"{what} is one of {', '.join(known)}, not {shown(node)}")
        return None


def is_null(node: Node) -> bool:
    """Whether nothing, null or ~ stands there."""
    return isinstance(node, Scalar) and node.tag == _NULL


def kind_of(node: Node) -> str:
    """What a node is, in words."""
    return _KINDS.get(node.tag.removeprefix(TAG), f"something tagged {node.tag}")


def shown(node: Node) -> str:
    """What stands there, in quotes and not at any length; what kind of node it is when that is no single value."""
    return f"'{_shortened(node.value)}'" if isinstance(node, Scalar) else kind_of(node)


def _shortened(text: str) -> str:
    return text if len(text) <= _SHOWN_MAX else f"{text[:_SHOWN_MAX]}… ({len(text)} characters)"


def _is_key(node: Node, name: str) -> bool:
    return isinstance(node, Scalar) and node.value == name
