"""The lessons that hints lead to: a page for each skill in every language, in a small part of Markdown.

A file is `lessons/LANGUAGE/ID.md`: `# ` the title, `## ` a heading, `- ` an item of a list, a block of T-SQL between
lines of three backticks, and paragraphs, each in one line. Inside of them `code` and *emphasis* are marked. They travel
as blocks, so a browser writes text and never markup.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Final

import msgspec
from django.utils.translation import gettext as _

from brokerweb.common.errors import ObjectNotFound

FOLDER: Final = Path(__file__).parent / "lessons"
ENGLISH: Final = "en"
_FENCE: Final = "```"


class BlockKind(StrEnum):
    """What a block of a lesson is."""

    HEADING = "heading"
    TEXT = "text"
    LIST = "list"
    SQL = "sql"


class Block(msgspec.Struct, frozen=True):
    """A heading, a paragraph, the items of a list, or T-SQL with its lines."""

    kind: BlockKind
    texts: tuple[str, ...]


class Lesson(msgspec.Struct, frozen=True):
    """One page in one language."""

    id: str
    title: str
    blocks: tuple[Block, ...]


class BadLesson(Exception):
    """A file that ships is not written as it should be: a fault of the product, named with its line."""


def lesson_ids() -> tuple[str, ...]:
    """All of them, by name."""
    return tuple(sorted(file.stem for file in (FOLDER / ENGLISH).glob("*.md")))


def lesson_in(language: str, name: str) -> Lesson:
    """A lesson, in English where the language has none. Raises `ObjectNotFound`, `BadLesson`."""
    if name not in lesson_ids():
        raise ObjectNotFound(
            _("There is no lesson {name}.").format(name=name), cure=_("Follow the link of a hint or of a report.")
        )
    return _read(language if (FOLDER / language).is_dir() else ENGLISH, name)


@cache
def _read(language: str, name: str) -> Lesson:
    file = FOLDER / language / f"{name}.md"
    first, *lines = file.read_text("utf-8").splitlines()
    if not first.startswith("# "):
        raise BadLesson(f"{file}:1: a lesson begins with its title")
    return Lesson(name, first[2:].strip(), tuple(_blocks(file, lines)))


def _blocks(file: Path, lines: list[str]) -> Iterator[Block]:
    """The blocks below the title; lines count from 2."""
    at = 0
    while at < len(lines):
        line = lines[at]
        if not line.strip():
            at += 1
        elif line.startswith(_FENCE):
            end = _end_of_fence(file, lines, at)
            yield Block(BlockKind.SQL, tuple(lines[at + 1 : end]))
            at = end + 1
        elif line.startswith("- "):
            end = next((n for n in range(at, len(lines)) if not lines[n].startswith("- ")), len(lines))
            yield Block(BlockKind.LIST, tuple(each[2:].strip() for each in lines[at:end]))
            at = end
        else:
            kind = BlockKind.HEADING if line.startswith("## ") else BlockKind.TEXT
            yield Block(kind, (line.removeprefix("## ").strip(),))
            at += 1


def _end_of_fence(file: Path, lines: list[str], at: int) -> int:
    for end in range(at + 1, len(lines)):
        if lines[end].startswith(_FENCE):
            return end
    raise BadLesson(f"{file}:{at + 2}: a block of T-SQL is not closed")
