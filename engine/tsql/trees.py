"""Pieces of a statement's tree, as the builders of statements ask for them."""

from __future__ import annotations

from collections.abc import Iterable

from lark import Token as Leaf
from lark import Tree

from engine.core.vocabulary.errors import CatalogError
from engine.tsql.statement_base import Clause, ObjectName, Place

Node = Tree[Leaf]
_DIGITS_MAX = 1000
"""Digits of a number that is read exactly; Python itself refuses to read one of more than 4,300."""


class Incomplete(Exception):
    """A statement ended without a compulsory clause."""

    def __init__(self, expected: str) -> None:
        super().__init__(expected)
        self.expected = expected


class Unexpected(Exception):
    """A word that the grammar takes for a name of anything, where another one must have been meant."""

    def __init__(self, leaf: Leaf, expected: str) -> None:
        super().__init__(expected)
        self.found = str(leaf)
        self.place = clause_of(leaf).place
        self.expected = expected


def parts(tree: Node, *rules: str) -> list[Node]:
    """The children that one of the rules has made."""
    return [child for child in tree.children if isinstance(child, Tree) and child.data in rules]


def part(tree: Node, rule: str) -> Node | None:
    """The first child that a rule has made; None when there is none."""
    found = parts(tree, rule)
    return found[0] if found else None


def leaves(tree: Node, *kinds: str) -> list[Leaf]:
    """The words right below a tree; with `kinds` only those."""
    return [child for child in tree.children if isinstance(child, Leaf) and (not kinds or child.type in kinds)]


def names(tree: Node) -> list[ObjectName]:
    """The object names right below a tree."""
    return [object_name_of(part) for part in parts(tree, "object_name")]


def object_name_of(tree: Node) -> ObjectName:
    """`a..b` has an empty part between its dots."""
    parts: list[str] = []
    after_dot = False
    for leaf in leaves(tree):
        if leaf.type != "DOT":
            parts.append(str(leaf))
        elif after_dot:
            parts.append("")
        after_dot = leaf.type == "DOT"
    return ObjectName(tuple(parts))


def integer(leaf: Leaf) -> int:
    """A whole number. One of more than 1,000 digits is far beyond every range: the power of ten below it is enough."""
    digits = leaf.lstrip("0")
    return int(leaf) if len(digits) <= _DIGITS_MAX else 10 ** (len(digits) - 1)


def clause_of(leaf: Leaf) -> Clause:
    """A value with its place."""
    assert leaf.line is not None
    assert leaf.column is not None
    return Clause(str(leaf), Place(leaf.line, leaf.column))


def check_once(words: Iterable[str], name: ObjectName) -> None:
    """Refuse a clause that is given twice (153)."""
    seen: set[str] = set()
    for word in words:
        if word in seen:
            raise CatalogError(153, value=word, name=str(name), detail="it is given twice")
        seen.add(word)


def is_on(tree: Node) -> bool:
    """Whether the switch right below a tree is ON."""
    switch = part(tree, "switch")
    assert switch is not None
    return leaves(switch)[0].type == "ON"
