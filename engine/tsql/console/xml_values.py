"""The type xml: text of a document, whether it is well formed, and the simplest paths of its methods.

Documents are read piece by piece and never kept as trees: what a path finds is known when its end has been read.
"""

from __future__ import annotations

import re
from functools import lru_cache
from io import StringIO
from typing import Final, NamedTuple
from xml.parsers import expat

from engine.core.dialog.well_formed import feed
from engine.tsql.console.failing import failed
from engine.tsql.console.texts import decoded, encoded
from engine.tsql.spending import spend

DEPTH_MAX: Final = 10_000
"""Elements inside of each other (6335)."""
PATH_LENGTH_MAX: Final = 4000
STEPS_MAX: Final = 100
_NAMES_KEPT: Final = 10_000
"""Names of elements of which a search remembers what steps they take."""
_TEXT: Final = "text()"

_ROOT, _ROOT_END = "<xml>", "</xml>"
"""A value of type xml may be a piece of a document, or several: an element goes around it."""
_NAMESPACES: Final = re.compile(
    r"\s*+declare\s++(?:default\s++element\s++namespace|namespace\s++(?P<prefix>[\w-]++)\s*+=)\s*+"
    r"(?:\"(?P<quoted>[^\"]*+)\"|'(?P<single>[^']*+)')\s*+;"
)
_STEP: Final = re.compile(r"(?P<axis>//?+)(?P<test>text\(\)|@?+[\w:*.-]++)")
_NUMBER: Final = re.compile(r"\[\s*+(?P<number>\d{1,6})\s*+\]")


class NotWellFormed(Exception):
    """A text is no xml: the line and the character in it where that is seen, from 1, and what is wrong there."""

    def __init__(self, line: int, column: int, detail: str) -> None:
        super().__init__(line, column, detail)
        self.line = line
        self.column = column
        self.detail = detail


class SeveralFound(Exception):
    """A path finds several things and does not say which of them is meant."""


class _Found(Exception):
    """What was looked for is found; nothing else is read."""


def text_of(body: bytes) -> str:
    """The document in a message body: UTF-16 with or without its mark, UTF-8, or single bytes."""
    if body.startswith(b"\xff\xfe") or body[1:2] == b"\0":
        return decoded(body.removeprefix(b"\xff\xfe"), "utf-16-le")
    if body.startswith(b"\xfe\xff"):
        return decoded(body[2:], "utf-16-be")
    if body.startswith(b"\xef\xbb\xbf"):
        return decoded(body[3:], "utf-8")
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError:
        return decoded(body, "cp1252")


def check(text: str) -> None:
    """Raises `NotWellFormed` where the text is no xml, and 6335 where it is nested too deeply."""
    depth = _Depth()
    parser = expat.ParserCreate()
    parser.StartElementHandler = lambda _name, _attributes: depth.go_down()
    parser.EndElementHandler = lambda _name: depth.go_up()
    _read(text, parser)


class _Depth:
    """How many elements are open."""

    def __init__(self) -> None:
        self.open = 0

    def go_down(self) -> None:
        """An element begins."""
        self.open += 1
        if self.open > DEPTH_MAX + 1:
            raise failed(6335, limit=DEPTH_MAX)

    def go_up(self) -> None:
        """An element is over."""
        self.open -= 1


def _read(text: str, parser: expat.XMLParserType) -> None:
    start = _content(text)
    try:
        parser.Parse(_ROOT)
        feed(parser, encoded(text[start:], "utf-8"), spend)
        parser.Parse(_ROOT_END, True)
    except expat.ExpatError as error:
        line, column = error.lineno + text.count("\n", 0, start), error.offset
        if error.lineno == 1:
            column += start - text.rfind("\n", 0, start) - 1 - len(_ROOT)
        is_typed = "<!DOCTYPE" in text
        detail = "a document type is not allowed" if is_typed else expat.ErrorString(error.code)
        raise NotWellFormed(line, max(column, 0) + 1, detail) from None


def _content(text: str) -> int:
    """Where a document begins behind its mark, blanks and declaration, whose encoding a text does not have."""
    bare = text.removeprefix("\ufeff")
    start = len(text) - len(bare.lstrip())
    if text.startswith("<?xml", start) and (end := text.find("?>", start)) >= 0 and text[start + 5].isspace():
        return end + 2
    return start if start < len(text) else 0


# ── paths ────────────────────────────────────────────────────────────────────────────────────────────────────────
class Path(NamedTuple):
    """A simple path: steps from the document on, and which of all that it finds is meant."""

    elements: tuple[tuple[bool, str | None, str], ...]
    """Each with whether it may be any depth below, with the namespace, None for any, and the name, `*` for any."""
    last: tuple[bool, str] | None
    """Of what the elements lead to, or of that and all below, an attribute or `text()`; None for the elements."""
    number: int | None


@lru_cache(256)
def path_of(text: str) -> Path | None:
    """What a path says; None for one beyond what is understood here.

    Understood are `/a/b`, `//b`, `@c`, `text()`, `*` and a number in brackets, with namespaces declared before it.
    """
    if len(text) > PATH_LENGTH_MAX:
        return None
    spaces, at = {"": ""}, 0
    while (declared := _NAMESPACES.match(text, at)) is not None:
        spaces[declared["prefix"] or ""] = declared["quoted"] or declared["single"] or ""
        at = declared.end()
    rest = text[at:].strip()
    is_grouped = rest.startswith("(")
    steps, rest = _steps(rest[1:].lstrip() if is_grouped else rest)
    if is_grouped:
        if not rest.startswith(")"):
            return None
        rest = rest[1:].lstrip()
    number = _NUMBER.fullmatch(rest)
    if (rest and number is None) or not 0 < len(steps) <= STEPS_MAX:
        return None
    return _path(steps, spaces, None if number is None else int(number["number"]))


def _steps(text: str) -> tuple[list[tuple[bool, str]], str]:
    """The steps at the beginning of a text, and what follows them."""
    steps, at = [], 0
    while (found := _STEP.match(text, at)) is not None:
        steps.append((found["axis"] == "//", found["test"]))
        at = found.end()
    return steps, text[at:].lstrip()


def _path(steps: list[tuple[bool, str]], spaces: dict[str, str], number: int | None) -> Path | None:
    *before, (is_below, test) = steps
    last = None
    if test == _TEXT:
        last = is_below, test
    elif test.startswith("@"):
        attribute = _named(test[1:], spaces | {"": ""})
        last = None if attribute is None or attribute[1] == "*" else (is_below, _spelled(*attribute))
    if last is None:
        before = steps
    elements = []
    for descends, name in before:
        known = _named(name, spaces)
        if known is None:
            return None
        elements.append((descends, *known))
    return Path(tuple(elements), last, number)


def _named(name: str, spaces: dict[str, str]) -> tuple[str | None, str] | None:
    """Namespace and name; None for what is no name, or has a prefix that nobody has declared."""
    prefix, colon, local = name.rpartition(":")
    if not local or prefix not in spaces or "@" in name or name == _TEXT:
        return None
    return (None if local == "*" and not colon else spaces[prefix]), local


def _spelled(space: str | None, name: str) -> str:
    """A name as the parser tells it."""
    return f"{space}}}{name}" if space else name


class _Search:
    """Follows a path through a document as it is read: each bit of a number says that so many steps lead there."""

    def __init__(self, path: Path, *, is_asked_whether: bool) -> None:
        self._elements, self._last, number = path
        self._number = number
        self._is_asked_whether = is_asked_whether
        self._goal = 1 << len(path.elements)
        self._known: dict[str, tuple[int, int]] = {}
        self._here = [1]
        """Of each element that is open: the steps that lead to it."""
        self._above = [1]
        """The steps that lead to it or to one that it is in."""
        self._count = 0
        self._text: StringIO | None = None
        """What is being found."""
        self._depth = _Depth()
        self._ends_at = 0
        """How deep the element is whose text that is."""
        self.found: str | None = None

    def begin(self, name: str, attributes: dict[str, str]) -> None:
        """An element begins; the first is the one around the document."""
        self._end_of_text()
        self._depth.go_down()
        if self._depth.open == 1:
            return
        child, below = self._steps_to(name)
        here = (self._here[-1] & child | self._above[-1] & below) << 1
        self._here.append(here)
        self._above.append(self._above[-1] | here)
        if self._last is None:
            if here & self._goal and self._is_wanted():
                self._text, self._ends_at = StringIO(), self._depth.open
            return
        is_below, wanted = self._last
        if wanted in attributes and (self._above if is_below else self._here)[-1] & self._goal and self._is_wanted():
            self._take(attributes[wanted])

    def say(self, text: str) -> None:
        """Text of the element that is open."""
        if self._last is not None and self._last[1] == _TEXT and self._text is None:
            if not (self._above if self._last[0] else self._here)[-1] & self._goal:
                return
            self._text = StringIO()
        if self._text is not None:
            self._text.write(text)

    def end(self, _name: str) -> None:
        """An element is over."""
        self._end_of_text()
        if self._last is None and self._text is not None and self._ends_at == self._depth.open:
            self._take(self._text.getvalue())
            self._text = None
        self._depth.go_up()
        self._here.pop()
        self._above.pop()

    def _end_of_text(self) -> None:
        if self._last is None or self._text is None:
            return
        text, self._text = self._text.getvalue(), None
        # Blanks between elements are no text, as the vendor keeps xml.
        if not text.isspace() and self._is_wanted():
            self._take(text)

    def _steps_to(self, name: str) -> tuple[int, int]:
        """The steps that an element of this name takes: from the one that it is in, and from any further out."""
        known = self._known.get(name)
        if known is None:
            if len(self._known) >= _NAMES_KEPT:
                self._known.clear()
            space, _, local = name.rpartition("}")
            steps = [0, 0]
            for number, (is_below, wanted_space, wanted) in enumerate(self._elements):
                if wanted in (local, "*") and wanted_space in (space, None):
                    steps[is_below] |= 1 << number
            known = self._known[name] = steps[0], steps[1]
        return known

    def _is_wanted(self) -> bool:
        """Whether what is found now is the one that the path means."""
        self._count += 1
        if self._count == (self._number or 1) and self._is_asked_whether:
            raise _Found
        if self._count > 1 and self._number is None:
            raise SeveralFound
        return self._count == (self._number or 1)

    def _take(self, text: str) -> None:
        self.found = text
        if self._number is not None:
            raise _Found


def exists(document: str, path: Path) -> bool:
    """Whether a path finds something. Raises `NotWellFormed` for what is no xml up to there."""
    return _searched(document, path, is_asked_whether=True)[0]


def value(document: str, path: Path) -> str | None:
    """The text of what a path finds; None for nothing. Raises `SeveralFound`, `NotWellFormed`."""
    return _searched(document, path, is_asked_whether=False)[1]


def _searched(document: str, path: Path, *, is_asked_whether: bool) -> tuple[bool, str | None]:
    if path.number == 0:
        return False, None
    search = _Search(path, is_asked_whether=is_asked_whether)
    parser = expat.ParserCreate(namespace_separator="}")
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler = search.begin, search.end
    if path.last is None or path.last[1] == _TEXT:
        parser.CharacterDataHandler = search.say
    try:
        _read(document, parser)
    except _Found:
        return True, search.found
    return False, search.found
