"""What the small tables of the job `whatif` shall be, out of what the engine says of each conversation."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import pairwise
from typing import Any

Row = dict[str, Any]
NAMES = ("instance", "database", "service", "direction", "to_service")


def expected_changes(conversations: list[Row]) -> list[Row]:
    """`conversations` as `tests.support.whatif_job.expected` has them."""
    counts: Counter[tuple[Any, ...]] = Counter()
    flows: dict[tuple[Any, ...], set[Any]] = defaultdict(set)
    for row in conversations:
        for revision, verdict in list(row["verdicts"].items())[1:]:
            key = (revision, verdict["change"], *(row[name] for name in NAMES))
            counts[key] += 1
            flows[key].add(row["broker_instance"])
    columns = ("revision", "change", *NAMES)
    return [
        {**dict(zip(columns, key, strict=True)), "flows": len(flows[key]), "conversations": count}
        for key, count in counts.items()
    ]


def expected_heat(conversations: list[Row]) -> list[Row]:
    """Each conversation once for each step of its ways, the one before the change and the one after it."""
    counts: Counter[tuple[Any, ...]] = Counter()
    for row in conversations:
        first, *others = row["verdicts"].items()
        for revision, verdict in others:
            if verdict["change"] != "unchanged":
                steps = _steps(first[1]) | _steps(verdict)
                counts.update((revision, verdict["change"], *step) for step in steps)
    columns = ("revision", "change", "from_instance", "instance")
    return [{**dict(zip(columns, key, strict=True)), "conversations": count} for key, count in counts.items()]


def _steps(verdict: Row) -> set[tuple[str | None, str]]:
    places = [step["instance"] for step in verdict["path"] or ()]
    if verdict["end_instance"] is not None:
        places.append(verdict["end_instance"])
    return {(before, place) for before, place in pairwise([None, *places]) if before != place}
