"""What a scenario needs beyond `route_check.nodes`: fractions, ranges, names, and a number on each fault."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Final

from engine.core.catalog.names import check_name
from engine.core.vocabulary.errors import CatalogError, status_text
from engine.route_check.nodes import NodeReader, is_null, kind_of
from engine.route_check.tree import TAG, UNUSABLE, Mapping, Node, Scalar

_NUMBERED: Final = re.compile(r"\d+: ")
_NUMBERS: Final = (TAG + "int", TAG + "float")


class ScenarioReader(NodeReader):
    """Gathers faults, each with the number of an error: its own where it has one, else 153."""

    def fault(self, node: Node, text: str) -> None:
        """Take a fault down, with its number and the place of the node."""
        if not _NUMBERED.match(text):
            written = f"'{node.value}'" if isinstance(node, Scalar) else kind_of(node)
            text = status_text(UNUSABLE, value=written, name=self.file, detail=text)
        super().fault(node, text)

    def named(self, node: Node | None, what: str) -> Iterator[tuple[str, Node, Node]]:
        """The entries of a mapping whose keys are names of objects: name, key, value; each name once."""
        if node is None or is_null(node):
            return
        if not isinstance(node, Mapping):
            self.fault(node, f"{what} is a mapping, not {kind_of(node)}")
            return
        seen: set[str] = set()
        for key, value in node.value:
            name = self.name(key, f"a name in {what}")
            if name is None:
                continue
            if name.casefold() in seen:
                self.fault(key, f"the name '{name}' stands twice in {what}")
            seen.add(name.casefold())
            yield name, key, value

    def name(self, node: Node | None, what: str) -> str | None:
        """The name of an object, by the rules of names."""
        text = self.text(node, what)
        if text is None or node is None:
            if node is not None and is_null(node):
                self.fault(node, f"{what} is not null")
            return None
        try:
            check_name(text)
        except CatalogError as error:
            self.fault(node, str(error))
            return None
        return text

    def real(self, node: Node | None, what: str, low: float, high: float) -> float | None:
        """A number from `low` to `high`; None for null."""
        if node is None or is_null(node):
            return None
        value = _number_in(node)
        if value is None or not low <= value <= high:
            self.fault(node, f"{what} is a number from {low:g} to {high:g}")
            return None
        return value

    def whole(self, node: Node | None, what: str, low: int, high: int) -> int | None:
        """A whole number from `low` to `high`; None for null."""
        value = self.number(node, what)
        if value is None or node is None or low <= value <= high:
            return value
        self.fault(node, f"{what} is a whole number from {low} to {high}")
        return None

    def range(self, node: Node | None, what: str, low: int, high: int) -> tuple[int, int] | None:
        """Two whole numbers, the first no larger than the second; None for null."""
        if node is None or is_null(node):
            return None
        ends = [self.whole(item, what, low, high) for item in self.items(node, what)]
        first, last = ends if len(ends) == 2 else (None, None)
        if first is None or last is None or first > last:
            self.fault(node, f"{what} is a range: [least, most], from {low} to {high}")
            return None
        return first, last


def _number_in(node: Node) -> float | None:
    if not isinstance(node, Scalar) or node.tag not in _NUMBERS:
        return None
    try:
        value = float(node.value.replace("_", ""))
    except ValueError:
        return None
    return value if math.isfinite(value) else None
