"""Variables of sqlcmd: `:setvar name value`, and `$(name)` wherever it stands (its client puts values in, once).

What a script itself sets is known, and what was given with it, as with `sqlcmd -v`; the environment is not read.
A variable without value stays as it is written. Values hold no line breaks, so lines stay where they are; columns are
those of what is written.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

_SET: Final = re.compile(
    r"[^\S\n]*+:setvar[^\S\n]++(?P<name>[^\s\"]++)(?:[^\S\n]++(?P<value>[^\n]*+))?+", re.IGNORECASE
)
_SETS: Final = re.compile(r"^[^\S\n]*+:setvar\b", re.IGNORECASE | re.MULTILINE)
_QUOTED: Final = re.compile(r'"((?:[^"]++|"")*+)"')
USED: Final = re.compile(r"\$\((?P<name>[^\s()$]++)\)")
_VALUE_LENGTH_MAX: Final = 4_000
_GROWTH_MAX: Final = 16 * 1024 * 1024
"""Characters that values add to one script; beyond that variables stay as they are written."""


class Substituted:
    """A script with the values of its variables in their places."""

    def __init__(self, text: str, values: Mapping[str, str] = MappingProxyType({})) -> None:
        """`values` are known from the beginning, as with `sqlcmd -v`; what the script itself sets comes over them."""
        self.text = text
        self._shifts: dict[int, tuple[list[int], list[int]]] = {}
        """By line: columns at which a value has ended or begun, and what is to be taken off from there on."""
        self._values = {name.upper(): value for name, value in values.items()}
        self._growth = 0
        if "$(" in text and (self._values or _SETS.search(text) is not None):
            self.text = "\n".join(self._line(number, line) for number, line in enumerate(text.split("\n"), 1))

    @property
    def is_changed(self) -> bool:
        """Whether values stand in the text that are longer or shorter than what was written."""
        return bool(self._shifts)

    def column(self, line: int, column: int) -> int:
        """Where in the line that was written something stands."""
        if line not in self._shifts:
            return column
        starts, offsets = self._shifts[line]
        place = bisect_right(starts, column) - 1
        return column if place < 0 else max(column - offsets[place], 1)

    def _line(self, number: int, line: str) -> str:
        if (found := _SET.fullmatch(line)) is not None:
            self._set(found["name"].upper(), (found["value"] or "").rstrip())
            return line
        if "$(" not in line or not self._values:
            return line
        return self._filled(number, line)

    def _set(self, name: str, value: str) -> None:
        if not value:
            self._values.pop(name, None)
            return
        quoted = _QUOTED.fullmatch(value)
        value = value if quoted is None else quoted[1].replace('""', '"')
        if len(value) <= _VALUE_LENGTH_MAX:
            self._values[name] = value

    def _filled(self, number: int, line: str) -> str:
        pieces: list[str] = []
        starts: list[int] = []
        offsets: list[int] = []
        end = length = 0
        for found in USED.finditer(line):
            value = self._values.get(found["name"].upper())
            if value is None or self._growth > _GROWTH_MAX:
                continue
            self._growth += len(value)
            pieces += (line[end : found.start()], value)
            length += found.start() - end + len(value)
            end = found.end()
            # All of a value stands where its variable does.
            for offset in range(1, len(value)):
                starts.append(length - len(value) + offset + 1)
                offsets.append(length - len(value) + offset - found.start())
            starts.append(length + 1)
            offsets.append(length - end)
        self._shifts[number] = (starts, offsets)
        return "".join((*pieces, line[end:]))


def is_setting(line: str) -> bool:
    """Whether a line of the client gives a variable its value or takes it away."""
    return _SET.fullmatch(line) is not None
