"""Paths of the xml methods: steps with positions, groups, attributes, `text()` and namespaces."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

PATH_LENGTH_MAX: Final = 4000
STEPS_MAX: Final = 100
GROUPS_MAX: Final = 10
"""Parentheses inside of parentheses."""
TEXT: Final = "text()"
SEPARATOR: Final = "\x01"
"""Between namespace and name as the parser spells them: no document can have it."""

_NAMESPACES: Final = re.compile(
    r"\s*+declare\s++(?:default\s++element\s++namespace|namespace\s++(?P<prefix>[\w-]++)\s*+=)\s*+"
    r"(?:\"(?P<quoted>[^\"]*+)\"|'(?P<single>[^']*+)')\s*+;"
)
_AXIS: Final = re.compile(r"\s*+(?P<axis>//?+)\s*+")
_TEST: Final = re.compile(r"text\(\s*+\)|@?+(?:(?:[\w-]++|\*):)?+(?:[^\W\d][\w.-]*+|\*)")
_POSITION: Final = re.compile(r"\s*+\[\s*+(?P<number>\d{1,6})\s*+\]")
_SELF: Final = re.compile(r"\.(?![\w.])")
_BLANKS: Final = re.compile(r"\s*+")


class Step(NamedTuple):
    """One step to child elements, or to any below."""

    is_below: bool
    space: str | None
    """The namespace; None for any."""
    name: str
    """`*` for any."""
    position: int | None = None
    """Which of the elements of one parent that pass the test."""
    overall: int | None = None
    """Which of all elements that the steps so far find, in document order."""


class Last(NamedTuple):
    """The attribute or the text behind the steps."""

    is_below: bool
    name: str
    """An attribute as the parser spells it, or `text()`."""
    position: int | None = None


class Path(NamedTuple):
    """Steps from the document on, and which of all that they find is meant."""

    elements: tuple[Step, ...]
    last: Last | None
    """None where the elements themselves are meant; without any, the document."""
    number: int | None


class _Raw(NamedTuple):
    """A step as it is written."""

    is_below: bool
    test: str
    position: int | None
    overall: int | None = None


class _NotUnderstood(Exception):
    """A path beyond what is carried out."""


@lru_cache(256)
def path_of(text: str) -> Path | None:
    """The path that a text spells; None for one beyond what is understood here.

    Understood are `/a/b`, `a/b`, `//b`, `.`, `@c`, `text()`, `*`, `p:a`, `*:a`, a number in brackets behind a step or
    a group in parentheses, with namespaces declared before it.
    """
    if len(text) > PATH_LENGTH_MAX:
        return None
    spaces, at = {"": ""}, 0
    while (declared := _NAMESPACES.match(text, at)) is not None:
        spaces[declared["prefix"] or ""] = declared["quoted"] or declared["single"] or ""
        at = declared.end()
    reader = _Reader(text, at)
    try:
        steps, number = reader.path()
        if reader.at != len(text) or len(steps) > STEPS_MAX:
            return None
        return _path(steps, spaces, number)
    except _NotUnderstood:
        return None


class _Reader:
    """Reads steps and groups from left to right."""

    def __init__(self, text: str, at: int) -> None:
        self._text = text
        self.at = at
        self._groups = 0

    def path(self) -> tuple[list[_Raw], int | None]:
        """Steps, and the number of a group around all of them that has none (`(.)[1]`)."""
        self._skip()
        steps, number = self._first()
        while (axis := _AXIS.match(self._text, self.at)) is not None:
            self.at = axis.end()
            steps.append(self._step(is_below=axis["axis"] == "//"))
            if number is not None:
                raise _NotUnderstood
        self._skip()
        return steps, number

    def _first(self) -> tuple[list[_Raw], int | None]:
        """A group, the document itself, or a step that begins there; nothing before a `/`."""
        if self._text.startswith("(", self.at):
            return self._group()
        found = _SELF.match(self._text, self.at)
        if found is not None:
            self.at = found.end()
            return [], None
        axis = _AXIS.match(self._text, self.at)
        if axis is None:
            return [self._step(is_below=False)], None
        is_document = axis["axis"] == "/" and self._text[axis.end() : axis.end() + 1] in ("", ")")
        if is_document:
            self.at = axis.end()
        return [], None

    def _group(self) -> tuple[list[_Raw], int | None]:
        self._groups += 1
        if self._groups > GROUPS_MAX:
            raise _NotUnderstood
        self.at += 1
        steps, number = self.path()
        if not self._text.startswith(")", self.at):
            raise _NotUnderstood
        self.at += 1
        position = self._position()
        if position is None:
            return steps, number
        if not steps:
            return steps, position if number in (None, 1) else 0
        if steps[-1].overall is not None:
            raise _NotUnderstood
        steps[-1] = steps[-1]._replace(overall=position)
        return steps, number

    def _step(self, *, is_below: bool) -> _Raw:
        found = _TEST.match(self._text, self.at)
        if found is None:
            raise _NotUnderstood
        self.at = found.end()
        test = TEXT if found[0].startswith("text(") else found[0]
        return _Raw(is_below, test, self._position())

    def _position(self) -> int | None:
        found = _POSITION.match(self._text, self.at)
        if found is None:
            return None
        self.at = found.end()
        return int(found["number"])

    def _skip(self) -> None:
        blanks = _BLANKS.match(self._text, self.at)
        assert blanks is not None, "no blanks are some"
        self.at = blanks.end()


def _path(steps: list[_Raw], spaces: dict[str, str], number: int | None) -> Path:
    if not steps:
        return Path((), None, number)
    *before, final = steps
    last = None
    if final.test == TEXT:
        last = Last(final.is_below, TEXT, final.position)
    elif final.test.startswith("@"):
        space, name = _named(final.test[1:], spaces | {"": ""})
        # An attribute of one name is the only one of its element; an attribute of the document itself is none.
        if name == "*" or space is None or not (before or final.is_below):
            raise _NotUnderstood
        last = Last(final.is_below, _spelled(space, name), final.position)
    elements = before if last is not None else steps
    return Path(
        tuple(Step(raw.is_below, *_named(raw.test, spaces), raw.position, raw.overall) for raw in elements),
        last,
        final.overall,
    )


def _named(name: str, spaces: dict[str, str]) -> tuple[str | None, str]:
    """Namespace, None for any, and name. A prefix that is not declared and what is no element are not understood."""
    prefix, colon, local = name.rpartition(":")
    if name == TEXT or name.startswith("@") or (prefix != "*" and prefix not in spaces):
        raise _NotUnderstood
    is_any = prefix == "*" or (local == "*" and not colon)
    return (None if is_any else spaces[prefix]), local


def _spelled(space: str, name: str) -> str:
    """A name as the parser spells it."""
    return f"{space}{SEPARATOR}{name}" if space else name
