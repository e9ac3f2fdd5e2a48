"""Sentences known again by their pattern: which of several templates a text was made of, and with what.

English is the engine's own; what it writes into parameters, notes and stores is English text. A reader of another
language finds the template behind it here, and fills the one of the same name in that language.
"""

from __future__ import annotations

import re
import string
from collections.abc import Hashable, Iterator, Mapping
from typing import Final, Generic, TypeVar

import msgspec

Name = TypeVar("Name", bound=Hashable)

_FORMATTER: Final = string.Formatter()


def placeholders(template: str) -> frozenset[str]:
    """The names in the braces of a template."""
    return frozenset(name for _, name, _, _ in _FORMATTER.parse(template) if name is not None)


class _Pattern(msgspec.Struct, Generic[Name], frozen=True):
    name: Name
    beginning: str
    """What every text of the template begins with."""
    expression: re.Pattern[str]
    """Linear: a placeholder with what follows it is atomic, and so is what stands in it as short as it can be."""


class Phrasebook(Generic[Name]):
    """Templates by name. A text may fit several: the one with the most words of its own is tried first."""

    def __init__(self, templates: Mapping[Name, str]) -> None:
        self._whole = {text: name for name, text in reversed(list(templates.items())) if not placeholders(text)}
        patterned = [(name, text) for name, text in templates.items() if placeholders(text)]
        patterned.sort(key=lambda each: -sum(len(literal) for literal, *_ in _FORMATTER.parse(each[1])))
        self._patterns = [_pattern(name, text) for name, text in patterned]

    def found(self, text: str) -> Iterator[tuple[Name, dict[str, str]]]:
        """The templates that the text may have been made of, with what stood in their braces; the likeliest first."""
        whole = self._whole.get(text)
        if whole is not None:
            yield whole, {}
        for each in self._patterns:
            if text.startswith(each.beginning) and (match := each.expression.fullmatch(text)) is not None:
                yield each.name, match.groupdict()


def _pattern(name: Name, template: str) -> _Pattern[Name]:
    beginning, *literals = [literal for literal, *_ in _FORMATTER.parse(template)]
    names = [each for _, each, _, _ in _FORMATTER.parse(template) if each is not None]
    if len(literals) < len(names):
        literals.append("")
    parts = [re.escape(beginning)]
    for number, (placeholder, literal) in enumerate(zip(names, literals, strict=True), 1):
        end = r"\Z" if number == len(names) else ""
        # The first place where the text goes on is as good as any later one: no other is tried.
        parts.append(f"(?>(?P<{placeholder}>.*?){re.escape(literal)}{end})")
    return _Pattern(name, beginning, re.compile("".join(parts), re.DOTALL))
