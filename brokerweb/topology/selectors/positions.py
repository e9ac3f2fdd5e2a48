"""Where the boxes of an estate's drawing were put."""

from __future__ import annotations

from typing import Any

from brokerweb.topology.models import NodePosition
from brokerweb.topology.selectors.findings import estate_of


def positions_picture(estate_name: str) -> list[dict[str, Any]]:
    """Node, x and y of every box that somebody has put somewhere; `ObjectNotFound` without such an estate."""
    return list(NodePosition.objects.filter(estate=estate_of(estate_name)).values("node", "x", "y"))
