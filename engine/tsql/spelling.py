"""Words that are nearly keywords: what somebody meant who wrote RECIEVE (tsql.md, grammar notation)."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

_LENGTH_MIN: Final = 4
_LONG: Final = 8
"""From this length on two slips are forgiven, below it one."""


def misspelled(word: str, keywords: Iterable[str]) -> str | None:
    """The keyword that `word` must have meant: it is none of them, and nearly one of them."""
    return _nearest(word.upper(), frozenset(keywords))


@lru_cache(4096)
def _nearest(word: str, keywords: frozenset[str]) -> str | None:
    if word in keywords or len(word) < _LENGTH_MIN:
        return None
    near = (keyword for keyword in sorted(keywords) if _is_near(word, keyword))
    return next(near, None)


def _is_near(word: str, keyword: str) -> bool:
    slips = 2 if len(keyword) >= _LONG else 1
    return abs(len(word) - len(keyword)) <= slips and _slips(word, keyword) <= slips


def _slips(one: str, other: str) -> int:
    """Letters too many, missing, wrong, or swapped with their neighbour."""
    rows = [list(range(len(other) + 1))]
    for number, letter in enumerate(one, 1):
        above, row = rows[-1], [number]
        for column, wanted in enumerate(other, 1):
            best = min(above[column] + 1, row[-1] + 1, above[column - 1] + (letter != wanted))
            if number > 1 and column > 1 and (letter, one[number - 2]) == (other[column - 2], wanted):
                best = min(best, rows[-2][column - 2] + 1)
            row.append(best)
        rows.append(row)
    return rows[-1][-1]
