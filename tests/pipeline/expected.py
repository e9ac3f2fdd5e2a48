"""For every table of every job on lakes: what of the oracle says its rows of an estate."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from tests.pipeline import oracle, oracle_of_conversations, oracle_of_paths
from tests.pipeline.oracle import Estate, Row

EXAMPLES: Final = 2
"""Parameter `examples` of `audit`."""
EXPECTED: Final[Mapping[tuple[str, str], Callable[[Estate], list[Row]]]] = {
    ("delivery", "messages"): oracle.messages,
    ("delivery", "by_route"): lambda e: oracle.figures(
        oracle.messages(e), "estate", "from_instance", "from_database", "route"
    ),
    ("delivery", "by_service"): lambda e: oracle.figures(oracle.messages(e), "estate", "to_service"),
    ("delivery", "by_hops"): lambda e: oracle.figures(oracle.messages(e), "estate", "hops"),
    ("delivery", "by_hour"): lambda e: oracle.figures(oracle.messages(e), "estate", "hour_at"),
    ("delivery", "hourly"): lambda e: oracle.figures(
        oracle.messages(e), "estate", "hour_at", "from_instance", "from_database", "route", "to_service"
    ),
    ("delivery", "drops"): oracle.drops,
    ("audit", "messages"): oracle.judged,
    ("audit", "directions"): oracle.directions,
    ("audit", "summary"): oracle.summary,
    ("audit", "examples"): lambda e: oracle.examples(e, EXAMPLES),
    ("paths", "messages"): oracle_of_paths.ways_of_messages,
    ("paths", "ways"): oracle_of_paths.ways,
    ("paths", "loops"): oracle_of_paths.loops,
    ("paths", "links"): oracle_of_paths.links,
    ("paths", "routes"): oracle_of_paths.routes,
    ("paths", "copies"): oracle_of_paths.copies,
    ("conversations", "conversations"): oracle_of_conversations.conversations,
}
