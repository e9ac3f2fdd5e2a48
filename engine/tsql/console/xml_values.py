"""The type xml: text of a document, whether it is well formed, and its methods value, exist and query.

Documents are read piece by piece and never kept as trees: what a path finds is known when its end has been read.
"""

from __future__ import annotations

from io import StringIO
from typing import Final, Protocol
from xml.parsers import expat

from engine.core.dialog.well_formed import feed
from engine.tsql.console.failing import failed
from engine.tsql.console.texts import decoded, encoded
from engine.tsql.console.xml_fragments import Fragments
from engine.tsql.console.xml_paths import SEPARATOR, TEXT, Path
from engine.tsql.spending import spend

DEPTH_MAX: Final = 10_000
"""Elements inside of each other (6335)."""
_NAMES_KEPT: Final = 10_000
"""Names of elements of which a search remembers what steps they take."""

_ROOT, _ROOT_END = "<xml>", "</xml>"
"""A value of type xml may be a piece of a document, or several: an element goes around it."""


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


# ── methods ──────────────────────────────────────────────────────────────────────────────────────────────────────
class _Positions:
    """How many elements of each step have passed its test so far, in one parent or in the whole document."""

    def __init__(self, path: Path) -> None:
        self._in_parent = [(number, step.position) for number, step in enumerate(path.elements) if step.position]
        self._overall = [(number, step.overall) for number, step in enumerate(path.elements[:-1]) if step.overall]
        self._never = sum(
            1 << number for number, step in enumerate(path.elements) if 0 in (step.position, step.overall)
        )
        self._open: list[dict[int, int]] = [{}]
        """Of each element that is open: how many of its children have passed each step."""
        self._counts: dict[int, int] = {}
        self.are_there = bool(self._in_parent or self._overall or self._never)

    def begin(self, taken: int) -> int:
        """The steps that an element takes, of those whose tests it passes."""
        taken &= ~self._never
        parent = self._open[-1]
        for number, position in self._in_parent:
            if taken >> number & 1:
                parent[number] = parent.get(number, 0) + 1
                taken &= ~(int(parent[number] != position) << number)
        for number, position in self._overall:
            if taken >> number & 1:
                self._counts[number] = self._counts.get(number, 0) + 1
                taken &= ~(int(self._counts[number] != position) << number)
        self._open.append({})
        return taken

    def end(self) -> None:
        """An element is over."""
        self._open.pop()


class Sink(Protocol):
    """What becomes of the pieces that a path finds."""

    takes_one: bool
    """Whether a second piece is an error (2389)."""
    needs_text: bool

    def begin(self, name: str, attributes: dict[str, str], *, is_found: bool) -> None:
        """An element begins; the one around the document has no name."""

    def say(self, text: str, *, is_markup: bool = False) -> None:
        """Text of the element that is open, or a comment or an instruction."""

    def end(self) -> bool:
        """An element is over. Returns whether it was one that was found."""

    def take(self, text: str) -> None:
        """An attribute or a text that was found."""


class _Whether:
    """Ends the search at the first piece."""

    takes_one, needs_text = False, False

    def begin(self, _name: str, _attributes: dict[str, str], *, is_found: bool) -> None:
        if is_found:
            raise _Found

    def say(self, _text: str, *, is_markup: bool = False) -> None:
        """Text is of no interest."""

    def end(self) -> bool:
        return False

    def take(self, _text: str) -> None:
        raise _Found


class _Value:
    """The text of the one piece."""

    takes_one, needs_text = True, True

    def __init__(self) -> None:
        self.found: str | None = None
        self._text: StringIO | None = None
        self._depth = 0

    def begin(self, _name: str, _attributes: dict[str, str], *, is_found: bool) -> None:
        if is_found and self._text is None:
            self._text, self._depth = StringIO(), 0
        self._depth += 1

    def say(self, text: str, *, is_markup: bool = False) -> None:
        if self._text is not None and not is_markup:
            self._text.write(text)

    def end(self) -> bool:
        self._depth -= 1
        if self._text is None or self._depth > 0:
            return False
        self.found, self._text = self._text.getvalue(), None
        return True

    def take(self, text: str) -> None:
        self.found = text


class _Search:
    """Follows a path through a document as it is read: each bit of a number says that so many steps lead there."""

    def __init__(self, path: Path, sink: Sink) -> None:
        self._elements, self._last, self._number = path
        self._sink = sink
        self._goal = 1 << len(path.elements)
        self._known: dict[tuple[str, str], tuple[int, int]] = {}
        self._here = [1]
        """Of each element that is open: the steps that lead to it."""
        self._above = [1]
        """The steps that lead to it or to one that it is in."""
        self._texts = [0]
        """Of each element that is open: how many pieces of text it has had."""
        self._positions = _Positions(path)
        self._count = 0
        self._text: StringIO | None = None
        """Text of the element that is open, up to here."""
        self._depth = _Depth()

    def begin(self, name: str, attributes: dict[str, str]) -> None:
        """An element begins; the first is the one around the document."""
        self._end_of_text()
        self._depth.go_down()
        if self._depth.open == 1:
            self._sink.begin("", {}, is_found=self._last is None and not self._elements and self._is_wanted())
            return
        here = self._steps_to(name)
        self._here.append(here)
        self._above.append(self._above[-1] | here)
        self._texts.append(0)
        is_found = self._last is None and bool(self._elements) and bool(here & self._goal) and self._is_wanted()
        self._sink.begin(name, attributes, is_found=is_found)
        if self._last is None or self._last.name not in attributes or self._last.position not in (None, 1):
            return
        if (self._above if self._last.is_below else self._here)[-1] & self._goal and self._is_wanted():
            self._take(attributes[self._last.name])

    def say(self, text: str) -> None:
        """Text of the element that is open."""
        if self._text is None:
            self._text = StringIO()
        self._text.write(text)

    def note(self, written: str) -> None:
        """A comment or an instruction."""
        self._end_of_text()
        self._sink.say(written, is_markup=True)

    def end(self, _name: str) -> None:
        """An element is over."""
        self._end_of_text()
        if self._sink.end() and self._number is not None:
            raise _Found
        self._depth.go_up()
        if self._depth.open > 0:
            self._here.pop()
            self._above.pop()
            self._texts.pop()
            if self._positions.are_there:
                self._positions.end()

    def _end_of_text(self) -> None:
        if self._text is None:
            return
        text, self._text = self._text.getvalue(), None
        self._sink.say(text)
        # Blanks between elements are no text, as the vendor keeps xml.
        if self._last is None or self._last.name != TEXT or text.isspace():
            return
        if not (self._above if self._last.is_below else self._here)[-1] & self._goal:
            return
        self._texts[-1] += 1
        if self._last.position in (None, self._texts[-1]) and self._is_wanted():
            self._take(text)

    def _steps_to(self, name: str) -> int:
        """The steps that lead to an element of this name, by the one that it is in and those further out."""
        space, local = name.split(SEPARATOR)[:2] if SEPARATOR in name else ("", name)
        known = self._known.get((space, local))
        if known is None:
            if len(self._known) >= _NAMES_KEPT:
                self._known.clear()
            steps = [0, 0]
            for number, step in enumerate(self._elements):
                if step.name in (local, "*") and step.space in (space, None):
                    steps[step.is_below] |= 1 << number
            known = self._known[space, local] = steps[0], steps[1]
        taken = self._here[-1] & known[0] | self._above[-1] & known[1]
        return (self._positions.begin(taken) if self._positions.are_there else taken) << 1

    def _is_wanted(self) -> bool:
        """Whether the path means this one of all that it finds."""
        self._count += 1
        if self._number is not None:
            return self._count == self._number
        if self._count > 1 and self._sink.takes_one:
            raise SeveralFound
        return True

    def _take(self, text: str) -> None:
        self._sink.take(text)
        if self._number is not None:
            raise _Found


def exists(document: str, path: Path) -> bool:
    """Whether a path finds something. Raises `NotWellFormed` for what is no xml up to there."""
    return _searched(document, path, _Whether())


def value(document: str, path: Path) -> str | None:
    """The text of what a path finds; None for nothing. Raises `SeveralFound`, `NotWellFormed`."""
    found = _Value()
    _searched(document, path, found)
    return found.found


def fragments(document: str, path: Path) -> str:
    """The elements and texts that a path finds, one behind the other, as xml. Raises `NotWellFormed`, 6335, 8152."""
    found = Fragments()
    _searched(document, path, found)
    return found.written()


def _searched(document: str, path: Path, sink: Sink) -> bool:
    """Follow a path. Returns whether the search ended before the document did."""
    if path.number == 0:
        return False
    search = _Search(path, sink)
    parser = expat.ParserCreate(namespace_separator=SEPARATOR)
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler = search.begin, search.end
    if sink.needs_text or (path.last is not None and path.last.name == TEXT):
        parser.CharacterDataHandler = search.say
    if isinstance(sink, Fragments):
        parser.namespace_prefixes = True
        parser.CommentHandler = lambda text: search.note(f"<!--{text}-->")
        parser.ProcessingInstructionHandler = lambda name, text: search.note(f"<?{name} {text}?>")
    try:
        _read(document, parser)
    except _Found:
        return True
    return False
