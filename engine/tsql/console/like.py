"""LIKE: patterns read once, and matched in time that grows with the text alone, whatever they are.

What stands between two percent signs is searched from left to right, each part behind the one before: the first place
is as good as any, so nothing is ever tried twice. A part of plain characters is found as texts are; one with `_` or
brackets by a machine that has a bit for each of its characters and goes through the text once.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from operator import xor
from typing import Final, NamedTuple

from engine.tsql.console.failing import TOO_MUCH, failed
from engine.tsql.console.texts import folded, places
from engine.tsql.spending import pieces, spend

PATTERN_LENGTH_MAX: Final = 4000
"""Characters of a pattern, as the vendor has it."""
_LETTERS_KEPT: Final = 10_000
"""Characters of which a machine remembers what takes them."""


class _Set(NamedTuple):
    """Brackets: a character out of some, or any other one."""

    ranges: tuple[tuple[int, int], ...]
    """First and last code points, in order and apart from each other."""
    is_negated: bool


_Unit = str | _Set | None
"""A character, one of a set, or any (None)."""


class _Masks(dict[str, int]):
    """By character, the units of a part that take it: each bit of a number is a unit, the first one the lowest."""

    def __init__(self, units: Sequence[_Unit], *, is_exact: bool) -> None:
        super().__init__()
        self._is_exact = is_exact
        self._any = sum(1 << place for place, unit in enumerate(units) if unit is None)
        self._negated = sum(
            1 << place for place, unit in enumerate(units) if isinstance(unit, _Set) and unit.is_negated
        )
        self._letters: dict[str, int] = {}
        turns: dict[int, int] = {}
        for place, unit in enumerate(units):
            if isinstance(unit, str):
                self._letters[unit] = self._letters.get(unit, 0) | 1 << place
            elif unit is not None:
                for low, high in unit.ranges:
                    for turn in (low, high + 1):
                        turns[turn] = turns.get(turn, 0) ^ 1 << place
        self._turns = sorted(turns)
        """Code points where sets begin, or are over."""
        self._inside = list(accumulate((turns[turn] for turn in self._turns), xor, initial=0))
        """The sets, negated or not, whose ranges hold what lies between two of these."""

    def __missing__(self, letter: str) -> int:
        if len(self) >= _LETTERS_KEPT:
            self.clear()
        inside = 0
        for form in (letter,) if self._is_exact else (letter, letter.upper()[0], letter.lower()[0]):
            inside |= self._inside[bisect_right(self._turns, ord(form))]
        mask = self[letter] = inside ^ self._negated | self._any | self._letters.get(letter, 0)
        return mask


class _Part:
    """What stands between two percent signs."""

    def __init__(self, units: Sequence[_Unit], *, is_exact: bool) -> None:
        self.length = len(units)
        plain = [unit for unit in units if isinstance(unit, str)]
        self._plain = "".join(plain) if len(plain) == len(units) else None
        self._masks = _Masks(units, is_exact=is_exact)

    def is_at(self, text: str, place: int) -> bool:
        """Whether a text has the part at a place, which leaves room for it."""
        if self._plain is not None:
            return text.startswith(self._plain, place)
        return all(self._masks[letter] >> number & 1 for number, letter in enumerate(text[place : place + self.length]))

    def end_in(self, text: str, start: int) -> int:
        """Where the first such part of a text, from a place on, is over; -1 where there is none."""
        if self._plain is not None:
            found = next(places(self._plain, text, start), -1)
            return found if found < 0 else found + self.length
        state, goal, masks = 0, 1 << (self.length - 1), self._masks
        for piece in pieces(len(text) - start):
            first = start + piece.start
            for place, letter in enumerate(text[first : first + piece.stop - piece.start], first + 1):
                state = (state << 1 | 1) & masks[letter]
                if state & goal:
                    return place
        return -1


def like(text: str, pattern: str, escape: str | None, *, is_exact: bool) -> bool:
    """Whether a text is as a pattern says; letter case counts where `is_exact`. Errors: 8657 for a long pattern."""
    if len(pattern) > PATTERN_LENGTH_MAX:
        raise failed(TOO_MUCH, expected=PATTERN_LENGTH_MAX)
    first, *others = _parts(pattern, escape, is_exact)
    text = text if is_exact else folded(text)
    if not others:
        return len(text) == first.length and first.is_at(text, 0)
    last = others.pop()
    end = len(text) - last.length
    if first.length > end or not first.is_at(text, 0) or not last.is_at(text, end):
        return False
    place = first.length
    for part in others:
        spend()
        place = part.end_in(text, place)
        if place < 0:
            return False
    return place <= end


@lru_cache(256)
def _parts(pattern: str, escape: str | None, is_exact: bool) -> tuple[_Part, ...]:
    """The parts of a pattern, one more than there are percent signs; without the empty ones in the middle."""
    parts: list[list[_Unit]] = [[]]
    for unit in _units(pattern, escape):
        if unit == _STAR:
            parts.append([])
        else:
            parts[-1].append(folded(unit) if isinstance(unit, str) and not is_exact else unit)
    return tuple(
        _Part(part, is_exact=is_exact) for number, part in enumerate(parts) if part or number in (0, len(parts) - 1)
    )


_STAR: Final = "%%"
"""A percent sign that means something; a character is never two."""


def _units(pattern: str, escape: str | None) -> Iterator[_Unit]:
    at = 0
    while at < len(pattern):
        mark = pattern[at]
        closing = pattern.find("]", at + 2) if mark == "[" else -1
        if mark == escape and at + 1 < len(pattern):
            at += 1
            yield pattern[at]
        elif mark == "%":
            yield _STAR
        elif mark == "_":
            yield None
        elif closing > 0:
            yield from _set(pattern[at + 1 : closing])
            at = closing
        else:
            yield mark
        at += 1


def _set(inside: str) -> Iterator[_Unit]:
    """What stands in brackets: characters and ranges, behind `^` all others. A range that runs backwards is empty."""
    letters = inside.removeprefix("^")
    if not letters:
        yield from inside
        return
    ranges: list[tuple[int, int]] = []
    at = 0
    while at < len(letters):
        is_range = letters[at + 1 : at + 2] == "-" and at + 2 < len(letters)
        ranges.append((ord(letters[at]), ord(letters[at + 2] if is_range else letters[at])))
        at += 3 if is_range else 1
    apart: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if low > high:
            continue
        if apart and low <= apart[-1][1] + 1:
            apart[-1] = apart[-1][0], max(apart[-1][1], high)
        else:
            apart.append((low, high))
    yield _Set(tuple(apart), letters != inside)
