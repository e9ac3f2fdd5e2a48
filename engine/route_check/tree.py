"""YAML text as a tree whose every node knows its line.

The tree is built from parser events without recursion: a file may be nested as deeply as somebody likes to write it,
and is then refused rather than exhausting the stack. What a plain word means to YAML is found out when it is asked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, Final

import msgspec
import yaml

UNUSABLE: Final = 153
"""The vendor's number for what a statement cannot use, borrowed for whatever a file cannot say."""

_NUMBERED: Final = re.compile(r"\d+: ")

NESTING_MAX: Final = 64
"""The format needs 7 levels."""

TAG: Final = "tag:yaml.org,2002:"
_PARSER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The parser written in C where there is one; it is ten times as fast."""


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """What is wrong with a file. Lines and columns count from 1."""

    file: str
    line: int
    column: int
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}: {self.text}"


def numbered(fault: Fault) -> Fault:
    """The fault with a number in front of its text: its own where it has one, else 153."""
    if _NUMBERED.match(fault.text):
        return fault
    return msgspec.structs.replace(fault, text=f"{UNUSABLE}: {fault.text}")


# A file has a million nodes: the collector of cycles has nothing to find in them and shall not look.
class Scalar(msgspec.Struct, gc=False):
    """A single value as written; `given_tag` is None for a plain word, whose meaning depends on its letters."""

    value: str
    given_tag: str | None
    line: int
    column: int

    @property
    def tag(self) -> str:
        """What YAML takes the value for."""
        return _meaning(self.value) if self.given_tag is None else self.given_tag


class Sequence(msgspec.Struct, gc=False):
    """A list."""

    value: list[Node]
    tag: str
    line: int
    column: int


class Mapping(msgspec.Struct, gc=False):
    """Keys and values in their order; nothing is known yet of keys that stand twice."""

    value: list[tuple[Node, Node]]
    tag: str
    line: int
    column: int


Node = Scalar | Sequence | Mapping


@lru_cache(maxsize=4096)
def _meaning(word: str) -> str:
    resolvers = yaml.SafeLoader.yaml_implicit_resolvers
    for tag, pattern in (*resolvers.get(word[:1], ()), *resolvers.get(None, ())):
        if pattern.match(word):
            return str(tag)
    return TAG + "str"


class _NotOne(Exception):
    """The text is YAML, but not one tree that can be read."""

    def __init__(self, mark: Any, text: str) -> None:
        super().__init__(text)
        self.mark = mark


def compose(file: str, text: str) -> tuple[Node | None, Fault | None]:
    """The tree of the one YAML document in `text`, None for an empty one; or the fault that keeps it from being one."""
    try:
        return _Composer().compose(text), None
    except _NotOne as error:
        return None, Fault(file=file, line=error.mark.line + 1, column=error.mark.column + 1, text=str(error))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        said = ", ".join(part for part in (error.context, error.problem) if part)
        line, column = (mark.line + 1, mark.column + 1) if mark is not None else (1, 1)
        return None, Fault(file=file, line=line, column=column, text=f"not YAML: {said}")
    except (yaml.YAMLError, UnicodeError):
        line, column = _first_unprintable(text)
        return None, Fault(file=file, line=line, column=column, text="not YAML: a character that YAML does not allow")


def _first_unprintable(text: str) -> tuple[int, int]:
    found = yaml.reader.Reader.NON_PRINTABLE.search(text)
    before = text[: found.start()] if found is not None else ""
    return before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1


class _Composer:
    """Puts events together, the open lists and mappings on a stack of its own."""

    def __init__(self) -> None:
        self._root: Node | None = None
        self._documents = 0
        self._anchors: dict[str, Node] = {}
        self._open: list[Sequence | Mapping] = []
        self._keys: list[Node | None] = []
        """For each open mapping the key whose value is to come."""

    def compose(self, text: str) -> Node | None:
        """The tree."""
        events: Iterable[Any] = yaml.parse(text, Loader=_PARSER)
        for event in events:
            if isinstance(event, yaml.ScalarEvent):
                self._put(self._scalar(event), event)
            elif isinstance(event, yaml.CollectionStartEvent):
                self._begin(event)
            elif isinstance(event, yaml.CollectionEndEvent):
                self._open.pop()
                self._keys.pop()
            elif isinstance(event, yaml.AliasEvent):
                if event.anchor not in self._anchors:
                    raise _NotOne(event.start_mark, f"nothing is called &{event.anchor}")
                self._put(self._anchors[event.anchor], event)
            elif isinstance(event, yaml.DocumentStartEvent):
                self._documents += 1
                if self._documents > 1:
                    raise _NotOne(event.start_mark, "a second document begins; a file of cases is one")
        return self._root

    def _scalar(self, event: Any) -> Scalar:
        plain, quoted = event.implicit
        tag = None if plain else TAG + "str" if quoted else event.tag
        mark = event.start_mark
        return Scalar(event.value, tag, mark.line + 1, mark.column + 1)

    def _begin(self, event: Any) -> None:
        mark = event.start_mark
        if len(self._open) == NESTING_MAX:
            raise _NotOne(mark, f"nested more than {NESTING_MAX} levels deep")
        node: Sequence | Mapping
        if isinstance(event, yaml.SequenceStartEvent):
            node = Sequence([], event.tag or TAG + "seq", mark.line + 1, mark.column + 1)
        else:
            node = Mapping([], event.tag or TAG + "map", mark.line + 1, mark.column + 1)
        self._put(node, event)
        self._open.append(node)
        self._keys.append(None)

    def _put(self, node: Node, event: Any) -> None:
        """Where the next node belongs: into the list, as key or value into the mapping, or at the root."""
        if event.anchor is not None and not isinstance(event, yaml.AliasEvent):
            self._anchors[event.anchor] = node
        if not self._open:
            self._root = node
            return
        parent = self._open[-1]
        if isinstance(parent, Sequence):
            parent.value.append(node)
            return
        key = self._keys[-1]
        if key is None:
            self._keys[-1] = node
        else:
            parent.value.append((key, node))
            self._keys[-1] = None
