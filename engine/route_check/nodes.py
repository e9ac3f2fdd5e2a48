"""YAML read as a tree whose every node knows its line, and the faults found in it.

Faults are gathered, not raised: whoever keeps a file of cases wants to hear of all of them at once. Every function
that reads a value answers None when the value was at fault, and has then said so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

import msgspec
import yaml

_TAG: Final = "tag:yaml.org,2002:"
_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The parser written in C where there is one; it is ten times as fast."""
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


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """What is wrong with a file. Lines and columns count from 1."""

    file: str
    line: int
    column: int
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.text}"


def compose(file: str, text: str) -> tuple[yaml.Node | None, Fault | None]:
    """The tree of the one YAML document in `text`, or the fault that keeps it from being one."""
    try:
        return yaml.compose(text, Loader=_LOADER), None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        said = ", ".join(part for part in (error.context, error.problem) if part)
        line, column = (mark.line + 1, mark.column + 1) if mark is not None else (1, 1)
        return None, Fault(file=file, line=line, column=column, text=f"not YAML: {said}")
    except yaml.YAMLError:
        line, column = _first_unprintable(text)
        return None, Fault(file=file, line=line, column=column, text="not YAML: a character that YAML does not allow")


def _first_unprintable(text: str) -> tuple[int, int]:
    found = yaml.reader.Reader.NON_PRINTABLE.search(text)
    before = text[: found.start()] if found is not None else ""
    return before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1


class NodeReader:
    """Takes values out of the nodes of one file, and the faults down."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.faults: list[Fault] = []
        self.warnings: list[Fault] = []

    def fault(self, node: yaml.Node, text: str) -> None:
        """Take a fault down, with the place of the node."""
        self.faults.append(self._at(node, text))

    def warn(self, node: yaml.Node, text: str) -> None:
        """Take down what is accepted and hardly meant."""
        self.warnings.append(self._at(node, text))

    def _at(self, node: yaml.Node, text: str) -> Fault:
        mark = node.start_mark
        return Fault(file=self.file, line=mark.line + 1, column=mark.column + 1, text=text)

    def mapping(
        self, node: yaml.Node, what: str, allowed: Iterable[str], required: Iterable[str] = ()
    ) -> Mapping[str, yaml.Node] | None:
        """The values of a mapping by their keys: none unknown, none twice, none of the required missing."""
        if not isinstance(node, yaml.MappingNode):
            self.fault(node, f"{what} is a mapping, not {kind_of(node)}")
            return None
        known = tuple(allowed)
        found: dict[str, yaml.Node] = {}
        for key, value in node.value:
            name = key.value if isinstance(key, yaml.ScalarNode) else None
            if name not in known:
                shown = f"'{name}'" if name is not None else kind_of(key)
                self.fault(key, f"unknown key {shown} in {what}; known are {', '.join(known)}")
            elif name in found:
                self.fault(key, f"the key '{name}' stands twice in {what}")
            else:
                found[name] = value
        for name in required:
            if name not in found and not any(_is_key(key, name) for key, _ in node.value):
                self.fault(node, f"{what} lacks the key '{name}'")
        return found

    def items(self, node: yaml.Node | None, what: str) -> list[yaml.Node]:
        """The nodes of a list; none for null."""
        if node is None or is_null(node):
            return []
        if not isinstance(node, yaml.SequenceNode):
            self.fault(node, f"{what} is a list, not {kind_of(node)}")
            return []
        for item in node.value:
            if is_null(item):
                self.fault(item, f"an entry of {what} is null")
        return [item for item in node.value if not is_null(item)]

    def text(self, node: yaml.Node | None, what: str) -> str | None:
        """A text; a plain word that YAML takes for something else needs quotes. None for null."""
        if node is None or is_null(node):
            return None
        if node.tag == _TAG + "str" and isinstance(node, yaml.ScalarNode):
            return str(node.value)
        quotes = f"; put it in quotes: '{node.value}'" if isinstance(node, yaml.ScalarNode) else ""
        self.fault(node, f"{what} is a text, not {kind_of(node)}{quotes}")
        return None

    def identifier(self, node: yaml.Node | None, what: str) -> str | None:
        """As `text`, but whatever stands there is taken as it is written: 101 is the text "101"."""
        if node is None or is_null(node):
            return None
        if isinstance(node, yaml.ScalarNode):
            return str(node.value)
        self.fault(node, f"{what} is a text, not {kind_of(node)}")
        return None

    def boolean(self, node: yaml.Node | None, what: str) -> bool | None:
        """True or false; None for null."""
        if node is None or is_null(node):
            return None
        if node.tag == _TAG + "bool" and isinstance(node, yaml.ScalarNode):
            return str(node.value).lower() in ("true", "yes", "on")
        self.fault(node, f"{what} is true or false, not {_shown(node)}")
        return None

    def number(self, node: yaml.Node | None, what: str) -> int | None:
        """A whole number in decimal digits; None for null."""
        if node is None or is_null(node):
            return None
        if node.tag == _TAG + "int" and isinstance(node, yaml.ScalarNode):
            digits = str(node.value).replace("_", "")
            if digits.lstrip("+-").isdecimal():
                return int(digits)
        self.fault(node, f"{what} is a whole number, not {_shown(node)}")
        return None

    def word(self, node: yaml.Node | None, what: str, words: Iterable[str]) -> str | None:
        """One of a few words; None for null."""
        if node is None or is_null(node):
            return None
        known = tuple(words)
        if isinstance(node, yaml.ScalarNode) and node.value in known:
            return str(node.value)
        self.fault(node, f"{what} is one of {', '.join(known)}, not {_shown(node)}")
        return None


def is_null(node: yaml.Node) -> bool:
    """Whether nothing, null or ~ stands there."""
    return node.tag == _TAG + "null"


def kind_of(node: yaml.Node) -> str:
    """What a node is, in words."""
    return _KINDS.get(node.tag.removeprefix(_TAG), f"something tagged {node.tag}")


def _shown(node: yaml.Node) -> str:
    return f"'{node.value}'" if isinstance(node, yaml.ScalarNode) else kind_of(node)


def _is_key(node: yaml.Node, name: str) -> bool:
    return isinstance(node, yaml.ScalarNode) and node.value == name
