"""What a scenario file needs beyond `sim.scenario_nodes`: texts in every language, T-SQL in blocks, seconds."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

import msgspec

from engine.route_check.nodes import is_null
from engine.route_check.tree import Fault, Node, Scalar
from engine.sim.scenario_nodes import ScenarioReader
from engine.training.words import LANGUAGES, Texts
from engine.tsql.console.checking import mistakes_in

TEXT_MAX: Final = 4000
"""Characters of a text."""
DAY_SECONDS: Final = 86_400.0
_ID: Final = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_ID_MAX: Final = 60
_BEFORE_MARK: Final = re.compile(r"(?<=\S) (?=[:;?!»](?:\s|$))")
_AFTER_QUOTE: Final = re.compile(r"(?<=«) ")


def _spaced(text: str) -> str:
    """French with the spaces that do not break, in front of its marks; an author types plain ones."""
    return _BEFORE_MARK.sub("\u00a0", _AFTER_QUOTE.sub("\u00a0", text))


class Block(msgspec.Struct, frozen=True):
    """T-SQL that stands in a file, and where: `line` of its first line, and the columns that indent it."""

    text: str
    line: int
    indent: int

    def place(self, line: int) -> tuple[int, int]:
        """Line of the file, and column, where the text of a line of the block begins."""
        said = self.text.split("\n")
        at = min(max(line, 1), len(said)) - 1
        return self.line + at, self.indent + 1 + len(said[at]) - len(said[at].lstrip())


class TrainingReader(ScenarioReader):
    """Takes values out of one scenario file; it has the file's text, for places inside of blocks."""

    def __init__(self, file: str, text: str) -> None:
        super().__init__(file)
        self._lines = text.splitlines()

    def fault_at(self, line: int, column: int, text: str) -> None:
        """Take a fault down at a place inside of a value, its number in front of its text."""
        self.faults.append(Fault(file=self.file, line=line, column=column, text=text))

    def texts(self, node: Node | None, what: str) -> Texts | None:
        """A text in every language, none of them empty."""
        if node is None:
            return None
        given = self.mapping(node, what, LANGUAGES, required=LANGUAGES)
        found = [self._language(given or {}, language, what) for language in LANGUAGES]
        said = [text for text in found if text is not None]
        return Texts(*said) if len(said) == len(LANGUAGES) else None

    def _language(self, given: Mapping[str, Node], language: str, what: str) -> str | None:
        node = given.get(language)
        if node is None:
            return None
        text = self.text(node, f"{what} in '{language}'")
        if text is not None and len(text) > TEXT_MAX:
            self.fault(node, f"{what} in '{language}' has at most {TEXT_MAX} characters, this one {len(text)}")
            return None
        text = None if text is None else text.strip()
        if text is not None and language == "fr":
            text = _spaced(text)
        if not text:
            if text == "" or is_null(node):
                self.fault(node, f"{what} in '{language}' is not empty")
            return None
        return text

    def id(self, node: Node | None, what: str) -> str | None:
        """A short name of small letters, digits and hyphens, by which others refer to it."""
        text = self.text(node, what)
        if text is not None and len(text) <= _ID_MAX and _ID.fullmatch(text):
            return text
        if node is not None and (text is not None or is_null(node)):
            self.fault(node, f"{what} is made of small letters, digits and hyphens, at most {_ID_MAX} of them")
        return None

    def seconds(self, node: Node | None, what: str, low: float = 0.0) -> float | None:
        """Seconds of the sandbox; None for null."""
        return self.real(node, what, low, DAY_SECONDS)

    def some_text(self, node: Node | None, what: str) -> str | None:
        """A text that is not empty; None, and a fault, for null."""
        text = self.text(node, what)
        if node is not None and (text == "" or is_null(node)):
            self.fault(node, f"{what} is not empty")
        return text or None

    def block(self, node: Node | None, what: str) -> Block | None:
        """T-SQL in a literal block, begun by |, so that every line of it stands in a line of the file."""
        text = self.some_text(node, what)
        if text is None or not isinstance(node, Scalar):
            return None
        first = self._lines[node.line - 1][node.column - 1 :] if node.line <= len(self._lines) else ""
        if not first.startswith("|"):
            self.fault(node, f"{what} stands in a block, begun by |")
            return None
        return Block(text, node.line + 1, self._indent(node.line, text))

    def script(self, node: Node | None, what: str) -> Block | None:
        """T-SQL as a console runs it, in a block: what none would run is told at its line of the file."""
        found = self.block(node, what)
        for mistake in mistakes_in(found.text) if found is not None else ():
            assert found is not None, "its text was read"
            self.fault_at(*found.place(mistake.line), f"{mistake.number}: {mistake.message}")
        return found

    def _indent(self, line: int, text: str) -> int:
        """By how many columns the block is indented that begins after a line."""
        for number, said in enumerate(text.split("\n")):
            if said.strip() and line + number < len(self._lines):
                return max(len(self._lines[line + number]) - len(said), 0)
        return 0
